# pyright: basic
"""Ways to spend a budget on an official task: the rows of its table, each with its controls."""

from collections.abc import Sequence
from dataclasses import dataclass

from homunculus.engines.cells.methods import get_method
from homunculus_lab.inside import INSIDE
from homunculus_lab.measure.plan import CONTROLS, driven
from homunculus_lab.rivals import RIVALS
from homunculus_lab.row_names import FULL, SCOUT, parse

QUESTIONS = ("own", "shuffled", "blind", "prior", "none")
"""Which question chooses: the document's own; that of another image; or none: by the scout without
a question, by where answers usually stand, or by pixels alone. The model is asked its own."""
RESIZE = "resize"
NEED_BOXES = ("oracle",)
"""Controls that are given the answer's box: official tasks have none."""
HEARD = {"": "own", SCOUT: "own", "saliency": "own"}
"""Scorers of a row that need no other question."""


@dataclass(frozen=True)
class Way:
    """What happens to every image."""

    method: str = "views"
    """Of `homunculus methods`; but `resize` is the untouched model on images that are shrunk until
    they have no more tokens, and `full` the untouched model. Those of `homunculus_lab.inside` drop
    tokens between the layers of the language model."""
    tokens: int | None = 273
    """None for all that an image has. Inside the language model it is the mean over its layers."""
    question: str = "own"

    def __post_init__(self) -> None:
        if not self.untouched:
            self._check()
        if self.inside and self.question != "own":
            raise ValueError(f"{self.method} goes by the prompt itself, so question must be own.")
        if self.question not in QUESTIONS:
            raise ValueError(f"question is {', '.join(QUESTIONS)}; got {self.question!r}.")

    def _check(self) -> None:
        source = get_method(self.method).source
        if source in ("answer", "another question"):
            cure = "question=shuffled" if source == "another question" else "another method"
            raise ValueError(
                f"{self.method} needs {source}, which a document does not bring: use {cure}."
            )

    @property
    def untouched(self) -> bool:
        """Whether nothing is chosen before the language model."""
        return self.method in (RESIZE, FULL) or self.inside

    @property
    def inside(self) -> bool:
        """Whether tokens are dropped inside the language model."""
        return self.method in INSIDE


def way(row: str, tokens: int | None) -> Way:
    """A row of the table, METHOD[+SCORER], at a budget.

    >>> way("shuffled", 64)
    Way(method='foveated', tokens=64, question='shuffled')
    """
    name = parse(row)
    if name.variant:
        raise ValueError(f"row {row}: engines have no @ options. Leave out @{name.variant}.")
    question = HEARD.get(name.scorer, name.scorer)
    return Way(name.method, None if name.method == FULL else tokens, question)


def rows(named: Sequence[str], without: Sequence[str] = ()) -> list[str]:
    """All rows: `grid`, those that are named, the same blind and shuffled, the controls.

    >>> rows(["cut"], without=["random", "uniform", "centre", "pool", "prior", "saliency"])
    ['full', 'grid', 'cut', 'cut+blind', 'cut+shuffled', 'resize', 'blind', 'shuffled']
    """
    controls = [control for control in CONTROLS if control not in NEED_BOXES]
    odd = [name for name in without if name not in (*controls, FULL)]
    if odd:
        raise ValueError(f"without: {odd[0]!r} is not one of {', '.join([*controls, FULL])}.")
    names = [FULL, "grid"]
    groups = {"all": driven(), "rivals": [*RIVALS, *INSIDE]}
    for name in [name for wish in named for name in groups.get(wish, [wish])]:
        twins = [f"{name}+{scorer}" for scorer in ("blind", "shuffled") if _needs_controls(name)]
        names += [name, *(twin for twin in twins if twin.partition("+")[2] not in without)]
    left = [name for name in names + controls if name not in without]
    return list(dict.fromkeys(left))


def _needs_controls(row: str) -> bool:
    """Whether it also runs blind and shuffled: not `foveated`, `grid`, or what asks no scout."""
    name = parse(row)
    without = {"foveated", "grid", *RIVALS, *INSIDE}
    return "+" not in row and name.scorer == SCOUT and name.method not in without
