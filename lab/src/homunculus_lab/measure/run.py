# pyright: basic
"""The bench: every question, every row of the table, every budget; rebuild, read, score."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal

import torch

from homunculus.engines.border import tensor
from homunculus.eyes.provenance import provenance
from homunculus.eyes.readers import Pixels, crop
from homunculus.planner.acuity import ACUITIES, Acuity
from homunculus.planner.belief import Belief
from homunculus.scouts.sight import LineScout, Scout
from homunculus_lab.measure.answer import Metric, Read, read_pictures, readings, score
from homunculus_lab.measure.encoder import Encoder, check_encoder
from homunculus_lab.measure.metric import LEGIBLE, OBJECT, evidence, inside
from homunculus_lab.measure.readers import PageReader
from homunculus_lab.measure.report import Measured, report
from homunculus_lab.measure.row import CONTROLS, READ, SCOUTED, Map, Row, row
from homunculus_lab.measure.spend import (
    Sheet,
    keep,
    open_sheet,
    oracle_map,
    saliency,
)
from homunculus_lab.measure.suite import Box, Question
from homunculus_lab.measure.views import (
    Picture,
    answer_belief,
    keep_views,
    keep_whole,
    scout_belief,
)
from homunculus_lab.page_lines import LineSource
from homunculus_lab.shuffle import derange

Task = Literal["legibility", "evidence"]
FULL = "full"
"""The row of the page itself: the ceiling."""


@dataclass(frozen=True)
class Config:
    """What is measured, and how; all of it goes into the result."""

    task: Task = "legibility"
    tokens: tuple[int, ...] = (64, 128, 273, 512)
    methods: tuple[str, ...] = ()
    """Rows of the table; empty for all controls, and the scout's rows where there is a scout."""
    reads: tuple[Read, ...] = ("anywhere",)
    side: int = 1024
    patch: int = 16
    seed: int = 0
    metrics: tuple[Metric, ...] = ("anls",)
    """Scores of a reading; those after the first are given for the first way of reading alone."""
    things: bool = False
    """Whether boxes hold things rather than text; then pages are not enlarged."""
    acuity: Acuity = ACUITIES["rapidocr"]
    """How small its reader reads: what `views` is planned for."""
    lines: str = ""
    """Who reads the words of pages, for rows with the scorer `read`."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Kept pixels from which an answer counts as seen."""
        return OBJECT if self.things else LEGIBLE

    @property
    def quoted(self) -> int:
        """Which of the sizes is the one to quote."""
        return 0 if self.things else 1

    def ways(self, boxed: bool = True) -> list[tuple[Read, Metric]]:
        """How an answer is read and scored, in order."""
        if self.task == "evidence":
            return []
        reads: tuple[Read, ...] = self.reads if boxed else ("anywhere",)
        pairs: list[tuple[Read, Metric]] = [(read, "anls") for read in reads]
        return pairs + [(reads[0], metric) for metric in self.metrics[1:]]

    def columns(self, boxed: bool = True) -> tuple[str, ...]:
        """What is scored of every row and budget, in order."""
        evidence = tuple(f"evidence{least}" for least in self.sizes) if boxed else ()
        names = [read if metric == "anls" else metric for read, metric in self.ways(boxed)]
        return tuple(f"{name}/smooth" for name in names) + evidence


@dataclass(eq=False)
class Bench:
    """All that is the same for every question."""

    config: Config
    rows: list[Row]
    scorers: Mapping[str, Scout]
    reader: PageReader | None
    boxed: bool
    other: Mapping[tuple[str, int], str]
    """Another image's question, by suite and row."""
    sheets: dict[str, Sheet] = field(default_factory=dict)
    encoder: Encoder | None = None
    source: LineSource | None = None
    """Reads the words of pages, for rows with the scorer `read`."""

    def sheet(self, question: Question) -> Sheet:
        """The page; one is kept, for the questions that follow on the same image."""
        key = f"{question.path} {question.page}"
        if key not in self.sheets:
            self.sheets.clear()
            side, grow = self.config.side, not self.config.things
            patch, page = self.config.patch, question.page
            sheet = open_sheet(question.path, side, patch, grow, page, self.source)
            self.sheets[key] = replace(sheet, encoder=self.encoder)
        return self.sheets[key]

    def logit(self, row: Row, sheet: Sheet, question: Question, best: Box | None) -> Map | None:
        """The map that a row follows."""
        if row.scorer is None:
            return None
        if row.scorer == "answer":
            return oracle_map([best] if best else [], sheet)
        text = question.text
        if row.scorer == "shuffled" and "shuffled" not in self.scorers:
            text = self.other[question.suite, question.row]
        return self._map(row.scorer, sheet, text)

    def belief(self, row: Row, sheet: Sheet, question: Question, best: Box | None) -> Belief:
        """What `views` is planned by; made once for all budgets."""
        if row.scorer == "answer":
            config = self.config
            return answer_belief([best] if best else [], sheet, config.acuity, config.things)
        text, name = question.text, str(row.scorer)
        if name == "shuffled" and name not in self.scorers:
            text, name = self.other[question.suite, question.row], "scout"
        if (name, text) not in sheet.beliefs:
            lines = sheet.lines if name == READ else None
            sheet.beliefs[name, text] = scout_belief(
                self._scout(name, sheet), sheet, text, self.config.acuity, lines
            )
        return sheet.beliefs[name, text]

    def _scout(self, name: str, sheet: Sheet) -> Scout:
        """A scorer; the one that reads is given the words of the page, if it has any."""
        scout, lines = self.scorers[name], sheet.lines
        if name != READ or lines is None or not isinstance(scout, LineScout):
            return scout
        return lambda image, question, grid: scout.with_lines(image, question, grid, lines)

    def _map(self, name: str, sheet: Sheet, text: str) -> Map:
        """One scorer's map of one question; made once for all rows and budgets."""
        question = "" if name == "saliency" and name not in self.scorers else text
        if (name, question) not in sheet.known:
            pixels, grid = sheet.page.pixels, sheet.page.grid
            if name in self.scorers:
                logit = tensor(self._scout(name, sheet)(pixels, question, grid).logit)
            elif name == "saliency":
                logit = saliency(pixels, grid)
            else:
                logit = self._map("scout", sheet, text)
            sheet.known[name, question] = logit.float()
        return sheet.known[name, question]

    def scores(
        self,
        question: Question,
        boxes: Sequence[Box],
        show: Callable[[], Pixels],
        apart: Callable[[], list[Picture]] | None = None,
    ) -> list[float]:
        """What the reader makes of it, by way of reading and metric.

        Pictures that stand ``apart`` are read by themselves, but for the crop of an answer.
        """
        if self.config.task == "evidence" or self.reader is None:
            return []
        ways, texts = self.config.ways(bool(boxes)), dict[Read, list[str]]()
        for read, _ in ways:
            if read in texts:
                continue
            if apart is not None and read == "anywhere":
                texts[read] = read_pictures(self.reader, [pixels for pixels, _ in apart()])
            else:
                texts[read] = readings(self.reader, read, show(), boxes)
        return [score(texts[read], read, metric, question) for read, metric in ways]

    def evidence(self, level: Map, boxes: Sequence[Box], patch: int | None = None) -> list[float]:
        """How much of the answer is there to be read or seen, by kept pixels."""
        if not boxes:
            return []
        patch, things = patch or self.config.patch, self.config.things
        return [evidence(level, boxes, patch, float(least), things) for least in self.config.sizes]


def bench(
    questions: Sequence[Question],
    config: Config,
    reader: PageReader | None = None,
    scorers: Mapping[str, Scout] | None = None,
    encoder: Encoder | None = None,
    source: LineSource | None = None,
) -> Bench:
    """A bench for these questions, or a reason why there is none."""
    if not questions:
        raise ValueError(
            "measure: no question to ask. Choose another part or a larger limit; a suite in which "
            "some answers have boxes leaves those without out."
        )
    if config.task == "legibility" and reader is None:
        raise ValueError("measure: legibility needs a reader. Pass one, or measure evidence.")
    boxed = bool(questions[0].boxes)
    if not boxed and config.task == "evidence":
        raise ValueError(f"measure: {questions[0].suite} has no boxes. Measure legibility.")
    scorers = scorers or {}
    rows = _rows(config, scorers, boxed)
    check_encoder(rows, encoder, config.patch)
    others = _others(questions)
    if not others and "shuffled" not in scorers:  # there is no other image to take a question from
        rows = [row for row in rows if row.scorer != "shuffled"]
    if not rows:
        raise ValueError(
            "measure: another image's question needs two images, and there is one. "
            "Use a larger --limit."
        )
    return Bench(config, rows, scorers, reader, boxed, others, encoder=encoder, source=source)


def measure(
    questions: Sequence[Question],
    config: Config,
    reader: PageReader | None = None,
    scorers: Mapping[str, Scout] | None = None,
    progress: Callable[[int, int], None] | None = None,
    encoder: Encoder | None = None,
    source: LineSource | None = None,
) -> dict:
    """Measure rows of methods on questions; the result is what goes into `results/`.

    ``scorers`` are maps by name (`scout`, `blind`, `prior`, ...); `shuffled` asks the scout another
    image's question, and `read` is given the words of pages that ``source`` reads.
    """
    setup = bench(questions, config, reader, scorers, encoder, source)
    origin = provenance()
    order = sorted(
        range(len(questions)),
        key=lambda place: (str(questions[place].path), questions[place].page, place),
    )
    by_place: dict[int, Measured] = {}
    for done, place in enumerate(order):
        if progress:
            progress(done, len(order))
        result = ask(setup, questions[place])
        if result is not None:
            by_place[place] = result
    if progress:
        progress(len(order), len(order))
    measured = [by_place[place] for place in sorted(by_place)]
    names = [row.name for row in setup.rows]
    return origin | report(measured, names, config.columns(setup.boxed), config, questions, reader)


def _rows(config: Config, scorers: Mapping[str, Scout], boxed: bool) -> list[Row]:
    names = config.methods
    if not names:
        ours = [name for name in SCOUTED if name.partition("+")[2] in scorers]
        ours += ["cut+shuffled"] if "scout" in scorers else []
        names = tuple(dict.fromkeys([*CONTROLS, *ours]))
    if not boxed:
        names = tuple(name for name in names if name != "oracle" and "+answer" not in name)
    return [row(name, scorers) for name in names]


def _others(questions: Sequence[Question]) -> dict[tuple[str, int], str]:
    if len({question.image for question in questions}) == 1:
        return {}  # there is no other image
    wrong = derange(
        [question.text for question in questions], [question.image for question in questions]
    )
    return {
        (question.suite, question.row): text
        for question, text in zip(questions, wrong, strict=True)
    }


def _inside(box: Box, question: Question, sheet: Sheet) -> Box:
    """A box as it is, if any of it lies in the picture."""
    high, wide = sheet.stored.shape[1:]
    if min(box[2], wide) <= max(box[0], 0) or min(box[3], high) <= max(box[1], 0):
        raise ValueError(
            f"{question.suite}/qa.jsonl, line {question.row + 1}: the box {[*map(round, box)]} "
            f"lies outside the picture of {wide} x {high} pixels."
        )
    return box


def ask(bench: Bench, question: Question) -> Measured | None:
    """All rows of one question; None if OCR fails even at full resolution."""
    sheet, config = bench.sheet(question), bench.config
    boxes = [sheet.box(_inside(box, question, sheet)) for box in question.boxes]
    best = boxes[best_box(bench, sheet, question, boxes)] if boxes else None
    page = sheet.page.pixels
    ceiling = bench.scores(question, boxes, lambda: page)
    if not boxes and ceiling[0] < 1:
        return None
    whole = torch.zeros(sheet.page.grid)  # small print is not legible even here
    height = best[3] - best[1] if best else 0.0
    measured = Measured(
        question, round(height, 1), {FULL: {"all": ceiling + bench.evidence(whole, boxes)}}
    )
    for table_row in bench.rows:
        name = table_row.name
        find = bench.logit if table_row.context is None else bench.belief
        logit = find(table_row, sheet, question, best)
        for slots in config.tokens:
            scores, value = _draws(bench, table_row, sheet, question, boxes, slots, logit)
            measured.scores.setdefault(name, {})[str(slots)] = scores
            if value is not None:
                measured.value.setdefault(name, {})[str(slots)] = [value]
    return measured


def best_box(bench: Bench, sheet: Sheet, question: Question, boxes: Sequence[Box]) -> int:
    """The box that reads best at full resolution: the oracle is given it, and its height counts."""
    if bench.reader is None or len(boxes) == 1:
        return 0
    read = [
        inside(bench.reader.line(crop(sheet.page.pixels, box)), question.answers) for box in boxes
    ]
    return read.index(max(read))


def _draws(
    bench: Bench,
    row: Row,
    sheet: Sheet,
    question: Question,
    boxes: Sequence[Box],
    slots: int,
    logit: Map | Belief | None,
) -> tuple[list[float], float | None]:
    """Scores of one row at one budget, averaged over its draws; and what its planner expects."""
    draws, value = [], None
    for draw in range(max(1, len(row.methods))):
        if isinstance(logit, Belief):
            selection = keep_views(sheet, slots, logit, bench.config.acuity, row)
        elif row.rule:
            selection = keep_whole(sheet, slots, row.rule)
        else:
            selection = keep(row, draw, sheet, slots, logit)
        if selection.tokens > slots:
            raise RuntimeError(
                f"{row.name} kept {selection.tokens} tokens of {slots}: a bug, report it"
            )
        scores = bench.scores(question, boxes, selection.show, selection.apart)
        draws.append(scores + bench.evidence(selection.level, boxes, selection.patch))
        value = selection.value
    means = [round(fmean(column), 4) for column in zip(*draws, strict=True)]
    return means, None if value is None else round(value, 4)
