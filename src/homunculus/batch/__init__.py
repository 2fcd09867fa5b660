"""Many pages: plans or requests for folders and tables, on one machine or many.

`job` says what is wanted, `read` cuts the input into shards and reads their rows, `work` makes a
result of each row, `faults` tells errors of the machine from those of a row, `cluster` spreads the
work with Ray Data, `write` keeps finished shards, `report` says what it cost, and `run` is the loop
around all of it.
"""
