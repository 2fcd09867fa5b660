# pyright: basic
"""The bench: every question, every row of the table, every budget; rebuild, read, score."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import fmean
from typing import Literal

import torch

from homunculus.measure.metric import LEGIBLE, among, anls, evidence, inside
from homunculus.measure.read import Pixels, Reader
from homunculus.measure.rebuild import Mode
from homunculus.measure.report import Measured, provenance, report
from homunculus.measure.spend import (
    CONTROLS,
    SCOUTED,
    Map,
    Row,
    Scorer,
    Sheet,
    deviation,
    keep,
    opened,
    row,
    saliency,
    told,
)
from homunculus.measure.suite import Box, Question
from homunculus.score import derange

Read = Literal["crop", "page"]
Task = Literal["legibility", "evidence"]
FULL = "full"
"""The row of the page itself: the ceiling."""
TOUCH = 0.3
"""Share of the answer box that a detected line must cover to be its reading."""


@dataclass(frozen=True)
class Config:
    """What is measured, and how; all of it goes into the result."""

    task: Task = "legibility"
    tokens: tuple[int, ...] = (64, 128, 273, 512)
    methods: tuple[str, ...] = ()
    """Rows of the table; empty for all controls, and the scout's rows where there is a scout."""
    reads: tuple[Read, ...] = ("crop", "page")
    modes: tuple[Mode, ...] = ("smooth",)
    side: int = 1024
    patch: int = 16
    seed: int = 0

    def columns(self, boxed: bool = True) -> tuple[str, ...]:
        """What is scored of every row and budget, in order."""
        seen = tuple(f"evidence{least}" for least in LEGIBLE) if boxed else ()
        if self.task == "evidence":
            return seen
        reads = self.reads if boxed else ("anywhere",)
        return tuple(f"{read}/{mode}" for read in reads for mode in self.modes) + seen


@dataclass(eq=False)
class _Bench:
    config: Config
    rows: list[Row]
    scorers: Mapping[str, Scorer]
    reader: Reader | None
    boxed: bool
    other: Mapping[tuple[str, int], str]
    """Somebody else's question, by suite and row."""
    sheets: dict[str, Sheet] = field(default_factory=dict)

    def sheet(self, question: Question) -> Sheet:
        """The page; one is kept, for the questions that follow on the same image."""
        key = str(question.path)
        if key not in self.sheets:
            self.sheets.clear()
            self.sheets[key] = opened(question.path, self.config.side, self.config.patch)
        return self.sheets[key]

    def logit(self, one: Row, sheet: Sheet, question: Question, best: Box | None) -> Map | None:
        """The map that a row follows."""
        if one.scorer is None:
            return None
        if one.scorer == "answer":
            return told([best] if best else [], sheet)
        text = question.text
        scorer = self.scorers.get(one.scorer)
        if scorer is None:
            text = self.other[question.suite, question.row] if one.scorer == "shuffled" else ""
            built = {"saliency": saliency, "deviation": deviation}
            scorer = built.get(one.scorer) or self.scorers["scout"]
        key = (one.scorer, text)
        if key not in sheet.known:
            sheet.known[key] = scorer(sheet.page.pixels, text).detach().float()
        return sheet.known[key]


def measure(
    questions: Sequence[Question],
    config: Config,
    reader: Reader | None = None,
    scorers: Mapping[str, Scorer] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict:
    """Measure rows of methods on questions; the result is what goes into `results/`.

    ``scorers`` are maps by name (`scout`, `blind`, `prior`, ...); `shuffled` asks the scout another
    image's question.
    """
    if not questions:
        raise ValueError("measure: no question to ask. Choose another part or a larger limit.")
    if config.task == "legibility" and reader is None:
        raise ValueError("measure: legibility needs a reader. Pass one, or measure evidence.")
    made = provenance()
    scorers = scorers or {}
    boxed = bool(questions[0].boxes)
    if not boxed and config.task == "evidence":
        raise ValueError(f"measure: {questions[0].suite} has no boxes. Measure legibility.")
    bench = _Bench(
        config, _rows(config, scorers, boxed), scorers, reader, boxed, _others(questions)
    )
    order = sorted(range(len(questions)), key=lambda at: (str(questions[at].path), at))
    found: dict[int, Measured] = {}
    for done, at in enumerate(order):
        if progress:
            progress(done, len(order))
        one = _question(bench, questions[at])
        if one is not None:
            found[at] = one
    if progress:
        progress(len(order), len(order))
    measured = [found[at] for at in sorted(found)]
    names = [one.name for one in bench.rows]
    return made | report(measured, names, config.columns(boxed), config, questions, reader)


def _rows(config: Config, scorers: Mapping[str, Scorer], boxed: bool) -> list[Row]:
    names = config.methods
    if not names:
        ours = [name for name in SCOUTED if name.partition("+")[2] in scorers]
        ours += ["cut+shuffled"] if "scout" in scorers else []
        names = tuple(dict.fromkeys([*CONTROLS, *ours]))
    if not boxed:
        names = tuple(name for name in names if name != "oracle" and "+answer" not in name)
    return [row(name, scorers) for name in names]


def _others(questions: Sequence[Question]) -> dict[tuple[str, int], str]:
    if len({one.image for one in questions}) == 1:
        return {}  # nobody else's question exists
    wrong = derange([one.text for one in questions], [one.image for one in questions])
    return {(one.suite, one.row): text for one, text in zip(questions, wrong, strict=True)}


def _question(bench: _Bench, question: Question) -> Measured | None:
    """All rows of one question; None if its answer cannot be read off the page itself."""
    sheet, config = bench.sheet(question), bench.config
    boxes = [sheet.box(box) for box in question.boxes]
    best = boxes[_best(bench, sheet, question, boxes)] if boxes else None
    page = sheet.page.pixels
    ceiling = _scores(bench, question, boxes, lambda mode: page)
    if not boxes and min(ceiling) < 1:
        return None
    whole = torch.zeros(sheet.page.grid)  # small print is not legible even here
    scores = {FULL: {"all": ceiling + _seen(bench, whole, boxes)}}
    for one in bench.rows:
        logit = bench.logit(one, sheet, question, best)
        scores[one.name] = {
            str(slots): _draws(bench, one, sheet, question, boxes, slots, logit)
            for slots in config.tokens
        }
    height = best[3] - best[1] if best else 0.0
    return Measured(question, round(height, 1), scores)


def _best(bench: _Bench, sheet: Sheet, question: Question, boxes: Sequence[Box]) -> int:
    """The box that reads best on the page itself: an oracle is told it, and its height counts."""
    if bench.reader is None or len(boxes) == 1:
        return 0
    read = [
        inside(bench.reader.line(_crop(sheet.page.pixels, box)), question.answers) for box in boxes
    ]
    return read.index(max(read))


def _draws(
    bench: _Bench,
    one: Row,
    sheet: Sheet,
    question: Question,
    boxes: Sequence[Box],
    slots: int,
    logit: Map | None,
) -> list[float]:
    """Scores of one row at one budget, averaged over its draws."""
    found = []
    for draw in range(max(1, len(one.methods))):
        kept = keep(one, draw, sheet, slots, logit)
        if kept.tokens > slots:
            raise RuntimeError(f"{one.name} kept {kept.tokens} tokens of {slots}: a bug, report it")
        found.append(_scores(bench, question, boxes, kept.show) + _seen(bench, kept.level, boxes))
    return [round(fmean(column), 4) for column in zip(*found, strict=True)]


def _seen(bench: _Bench, level: Map, boxes: Sequence[Box]) -> list[float]:
    if not boxes:
        return []
    return [evidence(level, boxes, bench.config.patch, float(least)) for least in LEGIBLE]


def _scores(
    bench: _Bench, question: Question, boxes: Sequence[Box], show: Callable[[Mode], Pixels]
) -> list[float]:
    """What the reader makes of it, by way of reading and mode."""
    if bench.config.task == "evidence" or bench.reader is None:
        return []
    reads = bench.config.reads if boxes else ("anywhere",)
    return [
        _read(bench.reader, read, show(mode), question, boxes)
        for read in reads
        for mode in bench.config.modes
    ]


def _read(
    reader: Reader, way: str, pixels: Pixels, question: Question, boxes: Sequence[Box]
) -> float:
    if way == "crop":  # a receipt's box is its whole line
        score = inside if question.suite == "sroie" else anls
        return max(score(reader.line(_crop(pixels, box)), question.answers) for box in boxes)
    if way == "anywhere":
        return max((among(text, question.answers) for text, _ in reader.page(pixels)), default=0.0)
    lines = reader.page(pixels, near=boxes)
    fit = [text for text, line in lines if any(_covers(line, box) for box in boxes)]
    return max((inside(text, question.answers) for text in fit), default=0.0)


def _covers(line: Box, box: Box) -> bool:
    wide = min(line[2], box[2]) - max(line[0], box[0])
    high = min(line[3], box[3]) - max(line[1], box[1])
    area = (box[2] - box[0]) * (box[3] - box[1])
    return max(0.0, wide) * max(0.0, high) >= TOUCH * area


def _crop(pixels: Pixels, box: Box) -> Pixels:
    """The box with an eighth of its height around it."""
    pad = max(2.0, 0.12 * (box[3] - box[1]))
    high, wide = int(pixels.shape[1]), int(pixels.shape[2])
    left, top = int(max(0, box[0] - pad)), int(max(0, box[1] - pad))
    right, bottom = min(wide, ceil(box[2] + pad)), min(high, ceil(box[3] + pad))
    return pixels[:, top:bottom, left:right]
