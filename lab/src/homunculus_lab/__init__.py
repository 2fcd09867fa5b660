"""The laboratory: whatever measures, trains or decides. The product never imports it.

- `measure`: methods and controls on suites of images and questions; legibility, evidence, cost.
- `gaze`: relevance maps and kept tokens compared with where people looked.
- `official`: the same methods on tasks of lmms-eval, answered by a model.
- `inside`: rivals that drop tokens between the layers of a language model.
- `decide`: results compared pair by pair, into a report that says GO, NO-GO or UNDECIDED.
- `speed`: benchmarks of the core, the scout and the engines.
- `train`: the shipped scout, from rendered pages to its weights.
- `eyetest`: how small a reader still reads, by the charts of `eyechart`.
- `shuffle`: another image's question for every row, the control `shuffled`.
"""
