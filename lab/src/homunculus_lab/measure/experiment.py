# pyright: basic
"""One comparison of all rows on all suites, into one file that is written once.

Batches are the questions of one image. Each goes to a journal beside the result before the next
begins, so a run that is killed goes on where it was, and ends with the same result.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import torch

from homunculus.eyes.provenance import provenance
from homunculus.eyes.readers import Reader
from homunculus.scouts.sight import Scout
from homunculus_lab.measure import regions
from homunculus_lab.measure.cost import cost, engine
from homunculus_lab.measure.journal import Journal, finish_journal, open_journal
from homunculus_lab.measure.plan import ABLATIONS, HEADLINE, Experiment, Unit, seconds, units
from homunculus_lab.measure.report import Measured, report
from homunculus_lab.measure.row import row
from homunculus_lab.measure.run import FULL, Bench, Probe, ask, bench
from homunculus_lab.measure.spend import open_sheet
from homunculus_lab.measure.suite import Question, digest, hashed, read
from homunculus_lab.measure.turns import sections, turn

Tell = Callable[["Pace"], None]


@dataclass
class Pace:
    """How far a run is, by the estimated seconds of its parts."""

    total: float
    batches: int
    passed: float = 0.0
    """Of the total, done before this run, by its journal."""
    done: float = 0.0
    at: int = 0
    start: float = 0.0
    now: str = ""

    @property
    def left(self) -> float:
        """Seconds to go: the estimate, corrected by the speed of the run so far."""
        spent = monotonic() - self.start
        slower = spent / self.done if self.done > 20 else 1.0
        return (self.total - self.passed - self.done) * slower


@dataclass(frozen=True, eq=False)
class Setup:
    """What an experiment is run with."""

    experiment: Experiment
    folders: Sequence[Path]
    reader: Reader | None
    scorers: Mapping[str, Scout]
    weights: str
    """Which weights the scout has."""
    bench: Path | None = None
    """Figures of an engine to stand beside our own cost."""


def carry_out(setup: Setup, out: Path, tell: Tell | None = None) -> dict[str, Any]:
    """Run it, or go on with it; the result, once it is written."""
    if out.exists():
        raise ValueError(f"{out} is there already, and results are not overwritten. Use -o.")
    if "scout" not in setup.scorers:
        raise ValueError("an experiment follows a scout, and there is none. Name one by --scout.")
    origin, settings = provenance(), config(setup)
    plan, skipped = units(setup.experiment, [(one.name, read(one)) for one in setup.folders])
    if not plan:
        raise ValueError(f"nothing to measure: {skipped or 'no suite'}.")
    _check(setup, plan)
    head = {"config": settings, "versions": origin["versions"]}
    with open_journal(out, head, origin) as journal:
        with torch.inference_mode():
            _work(setup, plan, journal, tell)
            result = _result(setup, plan, skipped, settings, journal)
        finish_journal(journal, out, result)
    return result


def _check(setup: Setup, plan: Sequence[Unit]) -> None:
    """Refuse mistakes before the first batch, not after an hour."""
    for name in setup.experiment.rows:
        row(name, setup.scorers)
    lost = [one.path for unit in plan for one in unit.questions if not one.path.is_file()]
    if lost:
        raise ValueError(f"no image {lost[0]}, which its qa.jsonl names.")


def config(setup: Setup) -> dict[str, Any]:
    """All that decides the numbers, without any path of this machine."""
    suites = {folder.name: digest(folder) for folder in setup.folders}
    settings = asdict(setup.experiment) | {"suites": suites, "weights": setup.weights}
    reader = setup.reader.name if setup.reader else None
    return json.loads(json.dumps(settings | {"reader": reader, "rows": setup.experiment.rows}))


# ---- the work ------------------------------------------------------------------------------------


def batches(unit: Unit) -> Iterable[tuple[str, list[Any]]]:
    """Questions, or pairs of them, by image; with the name of the batch."""
    by_image: dict[str, list[Any]] = {}
    for one in unit.turns or unit.questions:
        question = one if isinstance(one, Question) else one.second
        by_image.setdefault(question.image, []).append(one)
    return [(f"{unit.name}|{image}", by_image[image]) for image in sorted(by_image)]


def _work(setup: Setup, plan: Sequence[Unit], journal: Journal, tell: Tell | None) -> None:
    todo = [(unit, name, items) for unit in plan for name, items in batches(unit)]
    pace = Pace(sum(seconds(unit) * len(items) for unit, _, items in todo), len(todo))
    pace.start = monotonic()
    current: tuple[str, Bench] | None = None
    for unit, name, items in todo:
        taken, pace.now = seconds(unit) * len(items), unit.name
        if name in journal.done:
            pace.passed += taken
        else:
            if tell:
                tell(pace)
            if current is None or current[0] != unit.name:
                current = (unit.name, _bench(setup, unit))
            journal.add(name, [_one(current[1], one) for one in items])
            pace.done += taken
        pace.at += 1
    if "cost" not in setup.experiment.skip and "cost" not in journal.done:
        pace.now = "cost"
        if tell:
            tell(pace)
        journal.add("cost", _cost(setup, plan))


def _bench(setup: Setup, unit: Unit) -> Bench:
    probes: dict[str, Probe] = {}
    if unit.main:
        least, things = float(unit.config.sizes[unit.config.quoted]), unit.config.things
        probes["regions"] = regions.regions(unit.page, least, things)
        probes["coverage"] = regions.coverage
    return bench(unit.questions, unit.config, setup.reader, setup.scorers, probes)


def _one(bench: Bench, item: Any) -> dict[str, Any] | None:
    if not isinstance(item, Question):
        return turn(bench, item)
    measured = ask(bench, item)
    if measured is None:
        return None
    row = {"row": item.row, "height": measured.height, "scores": measured.scores}
    return row | {"more": measured.more}


def _cost(setup: Setup, plan: Sequence[Unit]) -> dict[str, Any]:
    """On the first page of the first suite."""
    unit = plan[0]
    sheet = open_sheet(unit.questions[0].path, unit.config.side, unit.config.patch)
    repeats = 1 if setup.experiment.quick else 3
    result = cost(sheet, setup.experiment.rows, setup.experiment.tokens, setup.scorers, repeats)
    result["engine"] = engine(setup.bench) if setup.bench else None
    return result


# ---- the result ----------------------------------------------------------------------------------


def _result(
    setup: Setup, plan: Sequence[Unit], skipped: dict[str, str], settings: Any, journal: Journal
) -> dict[str, Any]:
    result = journal.origin | {
        "seed": setup.experiment.seed,
        "config": settings,
        "left_out": list(setup.experiment.without),
        "skipped": skipped,
        "about": ABOUT,
        "ablations": {} if "ablations" in setup.experiment.skip else ABLATIONS,
        "runs": [],
        "regions": [],
        "coverage": [],
        "turns": [],
    }
    result |= journal.again
    for unit in plan:
        done = [one for name, _ in batches(unit) for one in journal.done[name]]
        if unit.turns:
            result["turns"] += _turns(unit, done)
            continue
        measured = _measured(unit, [one for one in done if one])
        if not measured:
            skipped[unit.name] = "OCR fails even at full resolution"
            continue
        result["runs"].append(_run(setup, unit, measured))
        if unit.main:
            head, seed = {"suite": unit.suite, "part": unit.part}, setup.experiment.seed
            result["regions"].append(head | regions.section(measured, seed))
            table = regions.summary(measured, "coverage", regions.COVERAGE, seed)
            result["coverage"].append(head | {"n": len(measured), "table": table})
    if "cost" in journal.done:
        result["cost"] = journal.done["cost"]
    return result


ABOUT = {
    "crop": "the line that stands in the answer's box is read; all rows",
    "anywhere": f"any line may hold the answer; {', '.join(HEADLINE)} at two budgets, and charts",
    "evidence": "share of the answer's box with text of 8 kept pixels, or a thing of 32",
    "ablations": "rows that change one thing, at one budget; not methods of their own",
    "cost": "by the clock: the one part that differs from run to run",
}


def _measured(unit: Unit, done: Sequence[dict[str, Any]]) -> list[Measured]:
    by_row = {one.row: one for one in unit.questions}
    return [
        Measured(by_row[one["row"]], one["height"], one["scores"], one["more"])
        for one in sorted(done, key=lambda one: one["row"])
    ]


def _run(setup: Setup, unit: Unit, measured: list[Measured]) -> dict[str, Any]:
    names = [name for name in measured[0].scores if name != FULL]
    result = report(
        measured, names, unit.config.columns(unit.boxed), unit.config, unit.questions,
        setup.reader, public=True,
    )  # fmt: skip
    rows = result.pop("rows")
    about = {"part": unit.part, "kind": unit.kind, "quote": list(unit.quote)}
    if unit.config.things:
        about["task"] = "things"
    if not unit.boxed:
        about["left_out"] = ["oracle"] if "oracle" in setup.experiment.rows else []
    return result | about | {"rows": rows}


def _turns(unit: Unit, done: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    image = {one.row: one.image for one in unit.questions}
    rows = [
        {"row": one["row"], "first": one["first"], "image": hashed(unit.suite, image[one["row"]])}
        | {"scores": one["scores"]}
        for one in sorted(done, key=lambda one: one["row"])
    ]
    columns = unit.config.columns()
    quoted = [column for column in unit.quote if column in columns]
    head = {"suite": unit.suite, "part": unit.part}
    return [head | one for one in sections(rows, columns, quoted, unit.config.seed)]
