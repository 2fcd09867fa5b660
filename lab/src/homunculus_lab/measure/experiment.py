# pyright: basic
"""One comparison of all rows on all suites, into one file that is written once.

Batches are the questions of one image. Each goes to a journal beside the result before the next
begins, so a run that is killed goes on where it was, and ends with the same result.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from homunculus.eyes.provenance import provenance
from homunculus.scouts.sight import Scout
from homunculus_lab.measure.cost import cost
from homunculus_lab.measure.journal import Journal, finish_journal, open_journal
from homunculus_lab.measure.plan import CONTROLS, HEADLINE, Experiment, Unit, units
from homunculus_lab.measure.readers import PageReader
from homunculus_lab.measure.report import Measured, report
from homunculus_lab.measure.row import READ, row
from homunculus_lab.measure.run import FULL, Bench, ask, bench
from homunculus_lab.measure.spend import open_sheet
from homunculus_lab.measure.suite import Question, digest, read
from homunculus_lab.page_lines import LineSource

Tell = Callable[[int, int, str], None]
"""Takes the batches that are done, how many there are, and what comes next."""


@dataclass(frozen=True, eq=False)
class Setup:
    """What an experiment is run with."""

    experiment: Experiment
    folders: Sequence[Path]
    reader: PageReader | None
    scorers: Mapping[str, Scout]
    weights: str
    """Which weights the scout has."""
    source: LineSource | None = None
    """Reads the words of pages, for rows with the scorer `read`."""


def carry_out(setup: Setup, out: Path, tell: Tell | None = None) -> dict[str, Any]:
    """Run it, or go on with it; the result, once it is written."""
    if out.exists():
        raise ValueError(f"{out} already exists, and results are not overwritten. Use -o.")
    if "scout" not in setup.scorers:
        raise ValueError("an experiment needs a scout, and there is none. Name one with --scout.")
    origin, settings = provenance(), config(setup)
    plan, skipped = units(
        setup.experiment, [(folder.name, read(folder)) for folder in setup.folders]
    )
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
    lost = [
        question.path for unit in plan for question in unit.questions if not question.path.is_file()
    ]
    if lost:
        raise ValueError(f"no image {lost[0]}, which its qa.jsonl names.")


def config(setup: Setup) -> dict[str, Any]:
    """All that decides the numbers, without any path of this machine."""
    suites = {folder.name: digest(folder) for folder in setup.folders}
    settings = asdict(setup.experiment) | {"suites": suites, "weights": setup.weights}
    reader = setup.reader.name if setup.reader else None
    return json.loads(json.dumps(settings | {"reader": reader, "rows": setup.experiment.rows}))


# ---- the work ------------------------------------------------------------------------------------


def batches(unit: Unit) -> list[tuple[str, list[Question]]]:
    """Questions by image; with the name of the batch."""
    by_image: dict[str, list[Question]] = {}
    for question in unit.questions:
        by_image.setdefault(question.image, []).append(question)
    return [(f"{unit.name}|{image}", by_image[image]) for image in sorted(by_image)]


def _work(setup: Setup, plan: Sequence[Unit], journal: Journal, tell: Tell | None) -> None:
    todo = [(unit, name, questions) for unit in plan for name, questions in batches(unit)]
    current: tuple[str, Bench] | None = None
    for done, (unit, name, questions) in enumerate(todo):
        if name in journal.done:
            continue
        if tell:
            tell(done, len(todo), unit.name)
        if current is None or current[0] != unit.name:
            made = bench(
                unit.questions, unit.config, setup.reader, setup.scorers, source=setup.source
            )
            current = (unit.name, made)
        journal.add(name, [_measure(current[1], question) for question in questions])
    if "cost" not in setup.experiment.skip and "cost" not in journal.done:
        if tell:
            tell(len(todo), len(todo), "cost")
        journal.add("cost", _cost(setup, plan))


def _measure(bench: Bench, question: Question) -> dict[str, Any] | None:
    measured = ask(bench, question)
    if measured is None:
        return None
    row = {"row": question.row, "height": measured.height, "scores": measured.scores}
    return row | {"value": measured.value}


def _cost(setup: Setup, plan: Sequence[Unit]) -> dict[str, Any]:
    """On the first page of the first suite; not of rows whose scorer reads it, since an OCR takes
    seconds and a text layer next to nothing."""
    unit = plan[0]
    first = unit.questions[0]
    sheet = open_sheet(first.path, unit.config.side, unit.config.patch, page=first.page)
    repeats = 1 if setup.experiment.quick else 3
    names = [name for name in setup.experiment.rows if row(name, setup.scorers).scorer != READ]
    return cost(sheet, names, setup.experiment.tokens, setup.scorers, repeats)


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
        "runs": [],
    }
    result |= journal.again
    for unit in plan:
        done = [entry for name, _ in batches(unit) for entry in journal.done[name]]
        measured = _measured(unit, [entry for entry in done if entry])
        if not measured:
            skipped[unit.name] = "OCR fails even at full resolution"
            continue
        result["runs"].append(_run(setup, unit, measured))
    if "cost" in journal.done:
        result["cost"] = journal.done["cost"]
    return result


ABOUT = {
    "crop": "the line that stands in the answer's box is read; all rows",
    "anywhere": f"any line may hold the answer; {', '.join(HEADLINE)} at two budgets, and charts",
    "evidence": "share of the answer's box with text of 8 kept pixels, or a thing of 32",
    "cost": "by the clock: the one part that differs from run to run",
}


def _measured(unit: Unit, done: Sequence[dict[str, Any]]) -> list[Measured]:
    by_row = {question.row: question for question in unit.questions}
    return [
        Measured(by_row[entry["row"]], entry["height"], entry["scores"], entry["value"])
        for entry in sorted(done, key=lambda entry: entry["row"])
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
    controls = [name for name in CONTROLS if name in setup.experiment.rows]
    if left_out := [name for name in controls if name not in names]:
        about["left_out"] = left_out
    return result | about | {"rows": rows}
