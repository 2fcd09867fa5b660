# pyright: basic
"""What an experiment measures: which rows, on which questions, read in which way.

The controls always run. One that is left out is left out by name, and the result says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from homunculus.engines.cells.methods import list_methods
from homunculus.planner.acuity import get_acuity
from homunculus_lab.measure.parts import fair, part
from homunculus_lab.measure.run import Config
from homunculus_lab.measure.suite import KINDS, Question, check_name, draw, kind, read_toml

CONTROLS = (
    "random", "uniform", "centre", "pool", "resize", "saliency", "blind", "prior", "shuffled",
    "oracle",
)  # fmt: skip
TWINS = ("blind", "shuffled")
HEADLINE = (
    "views", "grid", "cut", "foveated", "windows", "resize", "blind", "shuffled", "oracle",
    "views+blind", "views+shuffled", "views+read", "cut+blind", "cut+shuffled",
)  # fmt: skip
"""Rows in which an answer is looked for anywhere: a page takes as long as fifty crops."""
PARTS = ("pages", "cost")
"""What may be skipped."""


@dataclass(frozen=True)
class Experiment:
    """All that decides what is measured; from flags or from a TOML file, by the same names."""

    suites: tuple[str, ...] = ()
    methods: tuple[str, ...] = ("all",)
    tokens: tuple[int, ...] = (64, 128, 273, 512)
    without: tuple[str, ...] = ()
    """Controls left out."""
    skip: tuple[str, ...] = ()
    part: str | None = None
    """The part of each suite; by default `fresh` if there is one, otherwise all questions."""
    limit: int = 48
    """Questions a suite whose crops are read; twice as many of photos, where nothing is read."""
    pages: int = 16
    """Questions a suite whose answers are looked for anywhere, by the headline rows."""
    side: int = 1024
    patch: int = 16
    """Pixels along a token: 32 for Qwen3-VL, 28 for Qwen2.5-VL."""
    seed: int = 0
    reader: str = "rapidocr"
    acuity: str = ""
    """The acuity that `views` is planned for; that of the reader if empty."""
    lines: str = ""
    """Who reads the words of pages, for rows with the scorer `read`."""
    quick: bool = False

    def __post_init__(self) -> None:
        for name, known in (("without", CONTROLS), ("skip", PARTS)):
            odd = [value for value in getattr(self, name) if value not in known]
            if odd:
                raise ValueError(f"{name}: {odd[0]!r} is not one of {', '.join(known)}.")
        if not self.tokens or any(
            not isinstance(budget, int) or budget < 1 for budget in self.tokens
        ):
            raise ValueError(f"tokens: expected budgets from 1, got {list(self.tokens)}.")

    @property
    def few(self) -> tuple[int, ...]:
        """Two budgets for what is costly: those nearest to 128 and 273."""
        near = [min(self.tokens, key=lambda slots: abs(slots - aim)) for aim in (128, 273)]
        return tuple(sorted(set(near)))

    @property
    def rows(self) -> tuple[str, ...]:
        """Every row: methods, controls, methods with a control's scorer."""
        every = ["views", *driven()]
        named = [row for name in self.methods for row in (every if name == "all" else [name])]
        named = ["grid", *named]
        controls = [control for control in CONTROLS if control not in self.without]
        scorers = [scorer for scorer in TWINS if scorer not in self.without]
        twins = [f"{row}+{scorer}" for row in named if _needs_controls(row) for scorer in scorers]
        return tuple(dict.fromkeys([*named, *controls, *twins]))


QUICK = {"limit": 3, "tokens": (64, 273), "skip": ("pages",)}
"""What `--quick` means, where nothing else is asked for."""


def _needs_controls(row: str) -> bool:
    """Whether it also runs with the scorers blind and shuffled; `foveated` has them as controls."""
    return row == "views" or (row in driven() and row != "foveated")


def driven() -> list[str]:
    """Methods that the question drives; bands have no pixels of their own to show."""
    return [
        name
        for name, method in list_methods().items()
        if not method.control and method.source == "question"
    ]


def from_toml(path: Path) -> dict[str, Any]:
    """An experiment's settings; suites that stand beside the file are named from there."""
    settings = read_toml(path, path.name)
    for name in settings:
        known = [field.name for field in fields(Experiment)]
        check_name(f"{path.name}: no setting {name!r}", name, known)
    lists = ("suites", "methods", "tokens", "without", "skip")
    settings = {
        name: tuple(value if isinstance(value, list) else [value]) if name in lists else value
        for name, value in settings.items()
    }
    beside = [path.parent / name for name in settings.get("suites", ())]
    settings["suites"] = tuple(
        str(there) if there.is_dir() else name
        for there, name in zip(beside, settings.get("suites", ()), strict=True)
    )
    return settings


@dataclass(frozen=True)
class Unit:
    """One bench: a suite, how it is read, and what is asked."""

    name: str
    suite: str
    kind: str
    part: str
    config: Config
    quote: tuple[str, ...]
    """Columns to decide by, the first above all."""
    questions: tuple[Question, ...]

    @property
    def boxed(self) -> bool:
        """Whether answers have boxes; all of a part have, or none."""
        return bool(self.questions[0].boxes)


def units(
    experiment: Experiment, suites: Sequence[tuple[str, list[Question]]]
) -> tuple[list[Unit], dict[str, str]]:
    """Every bench of an experiment, and the suites that have none, with the reason."""
    spend_slots, skipped = [], {}
    for name, questions in suites:
        benches = _units(experiment, questions)
        if isinstance(benches, str):
            skipped[name] = benches
        else:
            spend_slots += benches
    return spend_slots, skipped


def _units(experiment: Experiment, questions: list[Question]) -> list[Unit] | str:
    """The benches of one suite, or why there is none."""
    usable = [question for question in questions if question.text and question.answers]
    if not usable:
        return "suite has no questions: see --task gaze"
    if experiment.part is None:
        name, fit = fair(usable)
    else:
        name, fit = experiment.part, part(usable, experiment.part)
    if len({question.image for question in fit}) < 2:
        return "fewer than two images with an answer that could be found"
    boxed = bool(fit[0].boxes)
    if not boxed and fit[0].config.things:
        return "no boxes: things are measured in their boxes"
    if not boxed and ("pages" in experiment.skip or experiment.reader == "none"):
        return "no boxes: its whole pages would have to be read"
    main = _main(experiment, fit, name)
    return [main, *_whole_pages(experiment, main, fit)] if boxed else [main]


def _main(experiment: Experiment, fit: list[Question], named: str) -> Unit:
    """All rows; without boxes the headline and the controls, since each reads a whole page."""
    rows, tokens, limit = experiment.rows, experiment.tokens, experiment.limit
    boxed, things, sort = bool(fit[0].boxes), fit[0].config.things, kind(fit)
    if not boxed:
        rows = tuple(row for row in rows if row in (*HEADLINE, *CONTROLS))
        limit = experiment.pages
    read = experiment.reader != "none" and not things
    limit *= 2 if things else 1
    config = Config(
        task="legibility" if read else "evidence",
        tokens=tokens,
        methods=rows,
        reads=("crop",),
        metrics=fit[0].config.metrics(sort),
        side=experiment.side,
        patch=experiment.patch,
        acuity=get_acuity(experiment.acuity or experiment.reader.replace("none", "rapidocr")),
        seed=experiment.seed,
        things=things,
        lines=experiment.lines,
    )
    columns = config.columns(boxed)
    evidence = [f"evidence{config.sizes[config.quoted]}"] if boxed else []
    quote = tuple(dict.fromkeys([*columns[: 1 if read else 0], *evidence]))
    drawn = tuple(draw(fit, limit, experiment.seed))
    suite = fit[0].suite
    return Unit(suite, suite, KINDS[sort], named, config, quote, drawn)


def _whole_pages(experiment: Experiment, main: Unit, fit: list[Question]) -> list[Unit]:
    """Answers anywhere on the page, by the headline rows."""
    if main.config.task != "legibility" or "pages" in experiment.skip:
        return []
    config = replace(
        main.config,
        tokens=experiment.few,
        metrics=("anls",),
        methods=tuple(row for row in HEADLINE if row in experiment.rows),
        reads=("anywhere",),
    )
    questions = tuple(draw(fit, experiment.pages, experiment.seed))
    name, quote = f"{main.suite}/anywhere", ("anywhere/smooth",)
    return [replace(main, name=name, config=config, quote=quote, questions=questions)]
