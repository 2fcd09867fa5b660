# pyright: basic
"""Methods x budgets x official tasks, into one file that is written once.

lmms-eval loads the tasks, asks and scores; a model is loaded once. A batch is one row at one budget
on one task, and goes to a journal before the next begins: a run that is killed goes on.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from homunculus.eyes.provenance import provenance
from homunculus.lazy import need
from homunculus_lab.measure.journal import Journal, finish_journal, open_journal
from homunculus_lab.measure.plan import CONTROLS
from homunculus_lab.official.batch import batch
from homunculus_lab.official.result import result
from homunculus_lab.official.rows import NEED_BOXES, rows, way
from homunculus_lab.row_names import FULL

WHO = "homunculus measure --model"
MOVES = ("lmms-eval", "transformers", "vllm", "datasets")
"""Packages whose version may move a number, besides those of any run."""


@dataclass(frozen=True)
class Plan:
    """All that decides what is measured."""

    tasks: tuple[str, ...]
    model: str
    methods: tuple[str, ...] = ("views",)
    tokens: tuple[int, ...] = ()
    without: tuple[str, ...] = ()
    include: Path | None = None
    limit: int | None = None
    seed: int = 0
    where: str = "auto"
    dtype: str = "auto"
    device: str | None = None

    @property
    def rows(self) -> list[str]:
        """The rows of the table."""
        return rows(self.methods, self.without)

    @property
    def left_out(self) -> list[str]:
        """Controls that do not run, by flag or because they need the answers' boxes."""
        return [name for name in (*CONTROLS, FULL) if name in self.without or name in NEED_BOXES]

    def cells(self) -> list[tuple[str, str, str]]:
        """Task, row and budget of every batch."""
        budgets = [str(slots) for slots in self.tokens]
        return [
            (task, row, slots)
            for task in self.tasks
            for row in self.rows
            for slots in (["all"] if row == FULL else budgets)
        ]

    def config(self) -> dict[str, Any]:
        """What a result says of it, without any path of this machine."""
        settings = {name: getattr(self, name) for name in ("methods", "tokens", "limit")}
        settings |= {
            "tasks": self.tasks,
            "rows": self.rows,
            "where": self.where,
            "dtype": self.dtype,
        }
        folder = Path(self.model)
        settings["model"] = folder.name if folder.is_dir() else self.model
        settings["include"] = _digest(self.include) if self.include else None
        settings["weights"] = _digest(folder) if folder.is_dir() else None
        return json.loads(json.dumps(settings))


def _digest(folder: Path) -> str:
    """A hash of the small files in a folder, so that other tasks or models make another run."""
    digest = blake2b(digest_size=8)
    for path in sorted(folder.glob("*.*")):
        if path.is_file() and path.stat().st_size < 10_000_000:
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def carry_out(
    plan: Plan, out: Path, tell: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Run it, or go on with it; the result, once it is written."""
    if out.exists():
        raise ValueError(f"{out} already exists, and results are not overwritten. Use -o.")
    need("lmms_eval", "official", WHO, "lab")
    cells, settings, origin = plan.cells(), plan.config(), provenance()
    for _, row, slots in cells:  # refuse mistakes before the work
        way(row, int(slots) if slots.isdigit() else None)
    origin["versions"] |= _versions()
    head = {"config": settings, "versions": origin["versions"]}
    with open_journal(out, head, origin) as journal:
        _work(
            plan, [batch for batch in cells if "|".join(batch) not in journal.done], journal, tell
        )
        output = result(plan, settings, journal)
        finish_journal(journal, out, output)
    return output


def _versions() -> dict[str, str]:
    numbers = {}
    for name in MOVES:
        try:
            numbers[name] = version(name)
        except PackageNotFoundError:
            continue
    return numbers


def _work(
    plan: Plan,
    todo: Sequence[tuple[str, str, str]],
    journal: Journal,
    tell: Callable[[int, int], None] | None,
) -> None:
    if not todo:
        return
    tasks = load_tasks(plan)
    model = load_model(plan)
    for done, (task, row, slots) in enumerate(todo):
        if tell:
            tell(done, len(todo))
        model.take(way(row, int(slots) if slots.isdigit() else None))
        journal.add("|".join((task, row, slots)), batch(model, task, tasks, plan.limit))


def load_tasks(plan: Plan) -> Any:
    """lmms-eval's tasks; its thousands are read only if a name is not in the folder given."""
    manager_type = need("lmms_eval.tasks", "official", WHO, "lab").TaskManager
    folder = str(plan.include) if plan.include else None
    tasks = manager_type("WARNING", include_path=folder, include_defaults=False)
    if set(plan.tasks) - set(tasks.all_subtasks):
        tasks = manager_type("WARNING", include_path=folder)
    if odd := [name for name in plan.tasks if name not in tasks.all_subtasks]:
        raise ValueError(
            f"lmms-eval has no task {odd[0]!r} (groups are not supported). "
            "`python -m lmms_eval --tasks list` names all; --include adds a folder of your own."
        )
    return tasks


def load_model(plan: Plan) -> Any:
    """The model that lmms-eval asks; its module needs lmms-eval."""
    from homunculus_lab.official.model import Homunculus

    return Homunculus(plan.model, where=plan.where, dtype=plan.dtype, device=plan.device)
