# pyright: basic
"""A bake-off: models x tasks x methods x budgets from one TOML file, and what it would cost.

Each model is a run of official tasks with a result of its own, and a report of `homunculus decide`
beside it. A model whose result is there is not run again, so the same command goes on.
"""

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from homunculus_lab.decide import command as decide
from homunculus_lab.official.rows import RESIZE, way
from homunculus_lab.official.run import Plan, carry_out
from homunculus_lab.row_names import FULL

DOCUMENTS = {
    "docvqa_val": 5349, "chartqa": 2500, "textvqa_val": 5000, "infovqa_val": 2801,
    "ocrbench": 1000, "vqav2_val": 214354, "mme": 2374, "pope": 9000, "gqa": 12578,
}  # fmt: skip
"""Documents of a task."""
DRAWS = 9999
"""Bootstrap resamples of a report."""


@dataclass(frozen=True)
class Assumptions:
    """Assumptions behind the cost. The table `[assume]` of the file can set each of them."""

    billions: float | int = 7.0
    """Parameters, if the model's name does not say (`-7B-`)."""
    tower_billions: float | int = 0.6
    """Parameters of its vision tower."""
    native: int = 1200
    """Tokens of an image that is left as it is."""
    patches: int = 4
    """Patches of the tower for each token."""
    text: int = 60
    """Tokens of a question with its template."""
    answer: int = 12
    """Tokens of an answer."""
    teraflops: float | int = 100.0
    """Speed that the GPU reaches in practice, not its peak."""
    gigabytes_per_second: float | int = 1000.0
    """Memory bandwidth that the GPU reaches."""
    seconds: float | int = 0.2
    """Other time for each document: opening the picture, processor, scout."""
    documents: int = 3000
    """Documents of a task that is not listed in `DOCUMENTS`, unless `limit` is lower."""

    def size(self, model: str) -> float:
        """Parameters of a model in billions, from its name where that says so.

        >>> Assumptions().size("Qwen/Qwen2.5-VL-3B-Instruct"), Assumptions().size("some/model")
        (3.0, 7.0)
        """
        sizes = re.findall(r"(?<![\d.])(\d+(?:\.\d+)?)b(?![a-z])", model.lower())
        return float(sizes[-1] if sizes else self.billions)


@dataclass(frozen=True)
class Bakeoff:
    """The plans of all models, and where their results go."""

    plans: tuple[Plan, ...]
    out: Path
    assume: Assumptions

    def place(self, plan: Plan) -> Path:
        """The result of a model."""
        name = re.sub(r"[^\w.-]+", "-", Path(plan.model).name)
        return self.out.with_name(f"{self.out.stem}-{name}.json")


def bakeoff(plan: Plan, models: Sequence[str], assume: Mapping[str, Any], out: Path) -> Bakeoff:
    """One plan for each model; raises an error for unknown names."""
    known = [field.name for field in fields(Assumptions)]
    if odd := [name for name in assume if name not in known]:
        raise ValueError(f"assume: no {odd[0]!r}. There are {', '.join(known)}.")
    if not models or len(set(models)) < len(models):
        raise ValueError(f"models: expected different names, got {list(models)}.")
    for _, row, slots in plan.cells():  # refuse mistakes before the work
        way(row, int(slots) if slots.isdigit() else None)
    made = Bakeoff(
        tuple(replace(plan, model=model) for model in models), out, Assumptions(**assume)
    )
    if len({made.place(plan) for plan in made.plans}) < len(models):
        raise ValueError("models: two have the same last name, and would share a file.")
    return made


# ---- the work ------------------------------------------------------------------------------------


def run(made: Bakeoff, tell: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Every model that has no result yet, and a report for each."""
    reports = []
    for plan in made.plans:
        out = made.place(plan)
        if not out.exists():
            carry_out(plan, out, tell)
        report = out.with_suffix(".report.html")
        given = argparse.Namespace(
            results=[out], out=report, column=None, draws=DRAWS, seed=plan.seed, without_run=[]
        )
        decision, outputs = decide.run(given)
        reports.append({"model": plan.model, "result": out.name, "product": decision["product"],
                     "first_claim": decision["decision"],
                     "said": decide.summary(decision, outputs)})  # fmt: skip
    return {"bakeoff": reports}


# ---- what it would cost --------------------------------------------------------------------------


def dry_run(made: Bakeoff) -> dict[str, Any]:
    """Batches, hours and gigabytes of each model, by arithmetic; nothing is loaded."""
    models = [_cost(made, plan) for plan in made.plans]
    return {
        "tasks": list(made.plans[0].tasks), "tokens": list(made.plans[0].tokens),
        "rows": made.plans[0].rows, "models": models, "assume": asdict(made.assume),
        "hours": round(sum(model["hours"] for model in models if not model["done"]), 1),
        "disk_gigabytes": round(sum(model["disk_gigabytes"] for model in models), 1),
    }  # fmt: skip


def _cost(made: Bakeoff, plan: Plan) -> dict[str, Any]:
    size, cells = made.assume.size(plan.model), plan.cells()
    seconds = sum(_seconds(made.assume, plan, *batch) for batch in cells)
    return {
        "model": plan.model, "billions": size, "rows": len(plan.rows), "batches": len(cells),
        "answers": sum(_documents(made.assume, plan, task) for task, _, _ in cells),
        "hours": round(seconds / 3600, 1), "disk_gigabytes": round(2 * size, 1),
        "memory_gigabytes": round(2.2 * size + 2, 1), "done": made.place(plan).exists(),
    }  # fmt: skip


def _documents(assume: Assumptions, plan: Plan, task: str) -> int:
    count = DOCUMENTS.get(task, assume.documents)
    return min(count, plan.limit) if plan.limit else count


def _seconds(assume: Assumptions, plan: Plan, task: str, row: str, slots: str) -> float:
    """A batch: the tower, the prompt, the answer token by token, and the rest."""
    size, tokens = assume.size(plan.model) * 1e9, _tokens(assume, slots)
    own = way(row, None).method
    seen = tokens if own == RESIZE or plan.where == "before" else assume.native
    tower = 2 * assume.tower_billions * 1e9 * seen * assume.patches
    prompt = 2 * size * (tokens + assume.text)
    answer = assume.answer * 2 * size / (assume.gigabytes_per_second * 1e9)
    each = (tower + prompt) / (assume.teraflops * 1e12) + answer + assume.seconds
    return each * _documents(assume, plan, task)


def _tokens(assume: Assumptions, slots: str) -> int:
    return min(int(slots), assume.native) if slots.isdigit() else assume.native


def dry_text(cost: Mapping[str, Any]) -> str:
    """The plan and its cost, a line for each model."""
    lines = [
        f"{len(cost['models'])} models x {len(cost['tasks'])} tasks x {len(cost['rows'])} rows, "
        f"tokens {', '.join(map(str, cost['tokens']))} (and {FULL})",
        f"tasks: {', '.join(cost['tasks'])}",
        f"rows: {', '.join(cost['rows'])}",
        f"{'model':<44}{'batches':>9}{'answers':>10}{'hours':>8}{'disk GB':>9}{'GPU GB':>8}",
    ]
    for model in cost["models"]:
        lines.append(
            f"{model['model']:<44}{model['batches']:>9}{model['answers']:>10,}{model['hours']:>8}"
            f"{model['disk_gigabytes']:>9}{model['memory_gigabytes']:>8}"
            + ("  done" if model["done"] else "")
        )
    lines.append(
        f"in all {cost['hours']} hours on one GPU to go, {cost['disk_gigabytes']} GB of weights"
    )
    lines.append("by arithmetic from: " + ", ".join(f"{k} {v}" for k, v in cost["assume"].items()))
    return "\n".join(lines)
