# pyright: basic
"""Turns batches into a result that `homunculus decide` reads, with one entry for each task."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from homunculus_lab.measure.journal import Journal
from homunculus_lab.measure.metric import interval
from homunculus_lab.measure.suite import hashed
from homunculus_lab.row_names import FULL, kind

if TYPE_CHECKING:
    from homunculus_lab.official.run import Plan

ABOUT = {
    "official": "metrics of the whole task, as lmms-eval reports them",
    "table": "means and intervals of documents' own scores, drawn anew by image",
    "blind": "the scout's twin that hears no question",
    "random": "one draw",
    "oracle": "left out: official tasks have no boxes of answers",
    "cost": "by the clock: the one part that differs from run to run; ratio to the untouched model",
}

Batches = Mapping[tuple[str, str], Mapping[str, Any]]
"""Batches by row and budget."""


def result(plan: "Plan", settings: dict[str, Any], journal: Journal) -> dict[str, Any]:
    """The file."""
    by_task: dict[str, Any] = {task: {} for task in plan.tasks}
    for task, row, slots in plan.cells():
        batch = journal.done["|".join((task, row, slots))]
        by_task[task][row, slots] = batch
    return (
        journal.origin
        | {
            "seed": plan.seed,
            "config": settings,
            "left_out": plan.left_out,
            "skipped": {},
            "about": ABOUT,
            "runs": [_run(plan, task, batches) for task, batches in by_task.items()],
            "cost": [_cost(task, batches) for task, batches in by_task.items()],
        }
        | journal.again
    )


def _run(plan: "Plan", task: str, batches: Batches) -> dict[str, Any]:
    first = next(iter(batches.values()))
    columns = [
        c for c in first["columns"] if all(c in batch["columns"] for batch in batches.values())
    ]
    documents = [(number, image) for number, image, _ in first["rows"]]
    for (row, slots), batch in batches.items():
        if [(number, image) for number, image, _ in batch["rows"]] != documents:
            raise ValueError(f"{task}: {row} at {slots} has other documents. Start a new run.")
    budgets = list(dict.fromkeys(slots for _, slots in batches if slots != "all"))
    group = [hashed(task, image) for _, image in documents]  # as in the rows, which `decide` reads
    table: dict[str, Any] = {}
    official: dict[str, Any] = {}
    for (row, slots), batch in batches.items():
        values = {
            c: [each[batch["columns"].index(c)] for *_, each in batch["rows"]] for c in columns
        }
        means = {c: interval(values[c], group, plan.seed) for c in columns}
        table.setdefault(row, {})[slots] = means
        official.setdefault(row, {})[slots] = batch["official"]
    return {
        "task": "official", "suite": task, "part": "all", "kind": kind(task), "seed": plan.seed,
        "config": {"tokens": [int(slots) for slots in budgets]}, "quote": columns[:1],
        "n": len(documents), "images": len(set(group)), "columns": columns,
        "official": official, "table": table, "rows": _rows(task, batches, columns),
    }  # fmt: skip


def _rows(task: str, batches: Batches, columns: list[str]) -> list[dict[str, Any]]:
    documents: dict[int, dict[str, Any]] = {}
    for (row, slots), batch in batches.items():
        places = [batch["columns"].index(c) for c in columns]
        for number, image, scores in batch["rows"]:
            fresh = {"id": hashed(task, str(number)), "row": number, "image": hashed(task, image)}
            mine = documents.setdefault(number, fresh | {"height": 0, "scores": {}})
            mine["scores"].setdefault(row, {})[slots] = [scores[place] for place in places]
    return list(documents.values())


def _cost(task: str, batches: Batches) -> dict[str, Any]:
    """Means by row and budget; a ratio where the untouched model was timed beside."""
    whole = batches.get((FULL, "all"), {}).get("cost", {}).get("seconds")
    table: dict[str, Any] = {}
    for (row, slots), batch in batches.items():
        parts = dict(batch["cost"])
        if whole and "seconds" in parts:
            parts["ratio"] = parts["seconds"] / whole
        table.setdefault(row, {})[slots] = parts
    return {"suite": task, "unit": "requests of the untouched model", "table": table}
