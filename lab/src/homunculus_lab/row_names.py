# pyright: basic
"""Names of rows: which row is a method, which a control, and which row is whose baseline.

A row is METHOD[@VARIANT][+SCORER]; without a scorer it uses the scout. `shuffled-cut` and
`cut+shuffled` are the same row: the cut, with another image's question.
"""

from collections.abc import Iterable
from functools import cache
from typing import Literal, NamedTuple

Baseline = Literal["grid", "resize", "blind", "shuffled"]
BASELINES: tuple[Baseline, ...] = ("grid", "resize", "blind", "shuffled")
"""What every method is compared with."""
FULL = "full"
"""The row of the untouched image: the ceiling."""
SCOUT = "scout"
"""The scorer of a row that names none."""
CONTROL_SCORERS = ("blind", "prior", "shuffled", "saliency", "deviation", "answer")
"""Scorers that do not get the question, or get more than the question."""
SIMPLE = {
    "random": "", "uniform": "", "centre": "", "pool": "", "resize": "", FULL: "",
    "saliency": "saliency", "oracle": "answer",
}  # fmt: skip
"""Controls that are methods of their own, and their scorers."""
CONTROLS = ("random", "uniform", "centre", "pool", "saliency", "oracle", "prior")
"""Controls that belong in every table besides the four baselines."""
KINDS = {
    "documents": ("docvqa", "sroie", "infovqa", "infographic", "chartqa", "ocrbench", "invoice"),
    "scenes": ("icdar", "textvqa"),
    "photos": ("vqa", "coco", "osie", "gqa"),
}
"""Kind of images of a suite, by what its name contains; the first that fits."""
RECEIPTS = ("sroie", "receipt")
"""What the name of a suite of receipts contains."""
LABELS = {
    "docvqa_gaze": "DocVQA pages", "sroie": "receipts", "icdar2015": "street words",
    "chartqa_owid": "charts", "coco_open": "photos (COCO)",
    "vqa2_search": "photos (VQA v2, clocks)", "photos": "photos (our own)",
    "mixed_things": "photos with print (our own)",
}  # fmt: skip
"""Known suites in plain words."""
ROW_WORDS = {
    "views": "a small whole picture and windows where the question looks",
    "views+read": "views of a page whose words were read",
    "resize": "the whole picture, smaller",
    "views+shuffled": "views with another image's question",
    "views+blind": "views without the question",
    FULL: "all pixels, with any number of tokens",
}
"""The rows that a first look needs, in plain words."""
TOKEN_MODELS = {28: "Qwen2.5-VL", 32: "Qwen3-VL"}
"""Models by the side of their token in pixels."""


class RowName(NamedTuple):
    """A row's name in its parts."""

    method: str
    variant: str
    scorer: str


@cache
def parse(row: str) -> RowName:
    """The parts of a row's name.

    >>> parse("cut@1+scout"), parse("shuffled").method, parse("resize").scorer
    (RowName(method='cut', variant='1', scorer='scout'), 'foveated', '')
    """
    for scorer in ("shuffled", "blind", "prior"):
        if row == scorer or row.startswith(f"{scorer}-"):
            return parse(f"{row.removeprefix(scorer).removeprefix('-') or 'foveated'}+{scorer}")
    left, _, scorer = row.partition("+")
    method, _, variant = left.partition("@")
    return RowName(method, variant, scorer or SIMPLE.get(method, SCOUT))


def is_views(row: str) -> bool:
    """Whether a row is the default, whatever spelling the file uses."""
    return parse(row) == RowName("views", "", SCOUT)


def competes(row: str) -> bool:
    """Whether a row is a method under test; `grid` is the baseline it is tested against."""
    name = parse(row)
    return (
        name.method not in SIMPLE and name.method != "grid" and name.scorer not in CONTROL_SCORERS
    )


def variant_of(row: str, rows: Iterable[str]) -> str | None:
    """The row that this one is a variant of: `cut+scout` for `cut@1+scout`, if it was measured."""
    name = parse(row)
    base = name._replace(variant="")
    matches = [other for other in rows if parse(other) == base]
    return matches[0] if name.variant and matches else None


def baseline_row(row: str, baseline: Baseline, rows: Iterable[str]) -> str | None:
    """The row that is this row's baseline: same method, same variant, another scorer.

    `grid` has the same scorer where there is such a row, and the scout otherwise.
    """
    by_name = {parse(other): other for other in rows}
    name = parse(row)
    if baseline == "resize":
        candidates = [RowName("resize", "", "")]
    elif baseline == "grid":
        candidates = [RowName("grid", "", name.scorer), RowName("grid", "", SCOUT)]
    elif name.scorer in CONTROL_SCORERS or name.method in SIMPLE:
        candidates = []
    else:
        candidates = [name._replace(scorer=baseline)]
    matches = [by_name[other] for other in candidates if other in by_name and other != name]
    return matches[0] if matches else None


def missing_controls(rows: Iterable[str]) -> list[str]:
    """Controls that no row of a table has."""
    names = [parse(row) for row in rows]
    measured = {name.method for name in names} | {name.scorer for name in names}
    return [control for control in (*BASELINES, *CONTROLS) if control not in measured]


def kind(suite: str) -> str:
    """The kind of images in a suite, or "unknown".

    >>> kind("docvqa_gaze"), kind("icdar2015"), kind("vqa2_search"), kind("mine")
    ('documents', 'scenes', 'photos', 'unknown')
    """
    for name, parts in KINDS.items():
        if any(part in suite.lower() for part in parts):
            return name
    return "unknown"


def group(suite: str, kind: str) -> str:
    """What a suite shows, finer than its kind: pages, receipts and charts are all documents.

    >>> group("docvqa_gaze", "documents"), group("sroie", "documents"), group("icdar2015", "scenes")
    ('pages', 'receipts', 'street words')
    """
    if "chart" in suite.lower():
        return "charts"
    if kind == "documents":
        return "receipts" if any(part in suite.lower() for part in RECEIPTS) else "pages"
    return "street words" if kind == "scenes" else kind


def label(suite: str, group: str) -> str:
    """A suite in plain words: by its name where it is known, else with what it shows.

    >>> label("sroie", "receipts"), label("mine", "pages"), label("mine", "unknown")
    ('receipts', 'mine (pages)', 'mine')
    """
    return LABELS.get(suite) or (suite if group == "unknown" else f"{suite} ({group})")


def token(side: int | None) -> str:
    """The tokens that a run counts, in words.

    >>> token(16), token(32), token(None)
    ('tokens of 16 px', 'tokens of 32 px (Qwen3-VL)', 'tokens')
    """
    model = f" ({TOKEN_MODELS[side]})" if side in TOKEN_MODELS else ""
    return f"tokens of {side} px{model}" if side else "tokens"
