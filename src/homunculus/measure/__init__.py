# pyright: basic
"""What the kept tokens can still show: rebuild the page from them, let a reader read, score it.

>>> from homunculus.measure.metric import inside
>>> inside("TOTAL: RM 9.00", ["9.00"])
1.0
"""

from homunculus.measure.read import Reader, Readings, reader
from homunculus.measure.rebuild import rebuild, shrunk
from homunculus.measure.run import Config, measure
from homunculus.measure.suite import Question, part, read

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
    "shrunk",
]
