# pyright: basic
"""What the kept tokens can still show: rebuild the page from them, let a reader read, score it.

>>> from homunculus.lab.measure.metric import inside
>>> inside("TOTAL: RM 9.00", ["9.00"])
1.0
"""

from homunculus.lab.measure.parts import part
from homunculus.lab.measure.read import Reader, Readings, reader
from homunculus.lab.measure.rebuild import rebuild, shrink_size
from homunculus.lab.measure.run import Config, measure
from homunculus.lab.measure.suite import Question, read

__all__ = [
    "Config",
    "Question",
    "Reader",
    "Readings",
    "measure",
    "part",
    "read",
    "reader",
    "rebuild",
    "shrink_size",
]
