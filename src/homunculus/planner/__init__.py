"""The planner: which pictures, how large, show an answer best within a budget.

    belief    where the answer may stand and how high its print is, from what a scout says
    acuity    how small a reader still reads
    counting  how many tokens a model counts for a picture; `models` has a row for each
    search    the plan of the whole picture and windows that is worth most
    bill      the same in a model's own prices, with `labels` before the pictures

`homunculus.views` stands above it and is what callers use.
"""
