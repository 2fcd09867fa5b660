"""The laboratory: whatever measures, trains or decides. The product never imports it.

- `measure`: methods and controls on suites of images and questions.
- `methods`, `rivals`: methods and controls of our own, and published ones.
- `official`: the same methods on tasks of lmms-eval, answered by a model.
- `inside`: rivals that drop tokens between the layers of a language model.
- `decide`: compares results pair by pair, and reports GO, NO-GO or UNDECIDED.
- `speed`: benchmarks of the core, the scout and the engines.
- `train`: the shipped scout, from rendered pages to its weights.
- `shuffle`: another image's question for every row, the control `shuffled`.
"""
