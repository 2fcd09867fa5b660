# pyright: basic
"""Names of rows: who competes, who is there to be beaten, and whose twin is whose.

A row is METHOD[@VARIANT][+SCORER]; without a scorer it follows the scout. `shuffled-cut` and
`cut+shuffled` are the same row: the cut, asked somebody else's question.
"""

from collections.abc import Iterable
from functools import cache
from typing import Literal, NamedTuple

Baseline = Literal["grid", "resize", "blind", "shuffled"]
BASELINES: tuple[Baseline, ...] = ("grid", "resize", "blind", "shuffled")
"""What every method is compared with."""
FULL = "full"
"""The row of the untouched image: the ceiling."""
ASKED = "scout"
UNASKED = ("blind", "prior", "shuffled", "saliency", "deviation", "answer")
"""Scorers that do not hear the question, or hear more than the question."""
SIMPLE = {
    "random": "", "uniform": "", "centre": "", "pool": "", "resize": "", FULL: "",
    "saliency": "saliency", "oracle": "answer",
}  # fmt: skip
"""Controls that are methods of their own, and what they look at."""
WANTED = ("random", "uniform", "centre", "pool", "saliency", "oracle", "prior")
"""Controls that belong in every table besides the four baselines."""
KINDS = {
    "documents": ("docvqa", "sroie", "infovqa", "infographic", "chartqa", "ocrbench", "invoice"),
    "scenes": ("icdar", "textvqa"),
    "photos": ("vqa", "coco", "osie", "gqa"),
}
"""What sort of pictures a suite holds, by what its name contains; the first that fits."""


class Name(NamedTuple):
    """A row's name in its parts."""

    method: str
    variant: str
    scorer: str


@cache
def parse(row: str) -> Name:
    """The parts of a row's name.

    >>> parse("cut@1+scout"), parse("shuffled").method, parse("resize").scorer
    (Name(method='cut', variant='1', scorer='scout'), 'foveated', '')
    """
    for twin in ("shuffled", "blind", "prior"):
        if row == twin or row.startswith(f"{twin}-"):
            return parse(f"{row.removeprefix(twin).removeprefix('-') or 'foveated'}+{twin}")
    left, _, scorer = row.partition("+")
    method, _, variant = left.partition("@")
    return Name(method, variant, scorer or SIMPLE.get(method, ASKED))


def competes(row: str) -> bool:
    """Whether a row is a method that claims something; `grid` is what it claims it against."""
    name = parse(row)
    return name.method not in SIMPLE and name.method != "grid" and name.scorer not in UNASKED


def variant(row: str, rows: Iterable[str]) -> str | None:
    """What a row varies: `cut+scout` for `cut@1+scout`, where both were measured."""
    name = parse(row)
    plain = name._replace(variant="")
    found = [other for other in rows if parse(other) == plain]
    return found[0] if name.variant and found else None


def twin(row: str, baseline: Baseline, rows: Iterable[str]) -> str | None:
    """The row that a baseline is for this row: same method, same variant, another scorer.

    `grid` is asked by the same scorer where there is such a row, and by the scout otherwise.
    """
    by_name = {parse(other): other for other in rows}
    name = parse(row)
    if baseline == "resize":
        wishes = [Name("resize", "", "")]
    elif baseline == "grid":
        wishes = [Name("grid", "", name.scorer), Name("grid", "", ASKED)]
    elif name.scorer in UNASKED or name.method in SIMPLE:
        wishes = []
    else:
        wishes = [name._replace(scorer=baseline)]
    found = [by_name[wish] for wish in wishes if wish in by_name and wish != name]
    return found[0] if found else None


def absent(rows: Iterable[str]) -> list[str]:
    """Controls that stand in no row of a table."""
    names = [parse(row) for row in rows]
    there = {name.method for name in names} | {name.scorer for name in names}
    return [control for control in (*BASELINES, *WANTED) if control not in there]


def kind(suite: str) -> str:
    """What sort of pictures a suite holds, or "unknown".

    >>> kind("docvqa_gaze"), kind("icdar2015"), kind("vqa2_search"), kind("mine")
    ('documents', 'scenes', 'photos', 'unknown')
    """
    fits = [sort for sort, parts in KINDS.items() if any(part in suite.lower() for part in parts)]
    return fits[0] if fits else "unknown"
