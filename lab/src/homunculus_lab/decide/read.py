# pyright: basic
"""Reads and checks result files of `homunculus measure`; each suite result becomes a `Task`."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from homunculus_lab.decide import names
from homunculus_lab.results import from_text

np: Any = import_module("numpy")

SECTIONS = ("regions", "turns", "gaze", "coverage", "cost")
"""What a run may measure besides the score."""
EVIDENCE_COLUMN = "evidence8"
"""The column to decide by in runs of the task `evidence`."""
SIDE = 16
"""The side of a token in pixels of runs that do not say it."""
_ORIGIN = ("command", "commit", "hardware", "versions", "seed", "reader")


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of the same questions by row and budget."""

    image: tuple[str, ...]
    row: tuple[str, ...]
    height: tuple[float, ...]
    columns: tuple[str, ...]
    values: dict[tuple[str, int], Any]
    """By row and budget, question x column. The whole image has budget 0."""
    text: tuple[str, ...] = ()
    """The questions, if the run tells them."""

    @property
    def methods(self) -> list[str]:
        """Rows in the file's order."""
        return list(dict.fromkeys(method for method, _ in self.values))

    @property
    def budgets(self) -> list[int]:
        """From small to large."""
        return sorted({budget for _, budget in self.values} - {0})


@dataclass(frozen=True, eq=False)
class Task:
    """One suite result: a set of questions, and the column that counts."""

    name: str
    suite: str
    part: str
    kind: str
    measure: str
    column: str
    scores: Scores
    left_out: tuple[str, ...]
    origin: dict[str, Any]
    variants: Mapping[str, str] = field(default_factory=dict)
    """Rows that change one thing of another row, and that row: no methods of their own."""
    main: bool = True
    """Whether it counts for a tier: of several measurements of one set, the first does, and of
    several sides of a token the smallest."""
    patch: int | None = None
    """Side of a token in pixels, if the run says."""
    expected: Mapping[str, Mapping[int, Any]] = field(default_factory=dict)
    """What a planner expected of each question, by row and budget."""

    @property
    def images(self) -> int:
        """Number of different images."""
        return len(set(self.scores.image))

    def value(self, method: str, budget: int) -> Any:
        """The column that counts: one number for each question."""
        return self.scores.values[method, budget][:, self.scores.columns.index(self.column)]


@dataclass(frozen=True, eq=False)
class Results:
    """The content of all result files."""

    tasks: tuple[Task, ...]
    sections: dict[str, list[dict[str, Any]]]
    ignored: tuple[str, ...]
    """Files that are no results of `homunculus measure`."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Suites that a run could not measure, and why."""
    files: tuple[str, ...] = ()
    """Files that are results."""
    without: tuple[str, ...] = ()
    """Runs that were left out on request, as FILE:SUITE."""


# ---- files ---------------------------------------------------------------------------------------


def read(paths: Sequence[Path], column: str | None = None, without: Sequence[str] = ()) -> Results:
    """Read and check every file; a file of another sort is ignored and named.

    ``without`` names runs to leave out, as FILE:SUITE: those that a later file replaces.
    """
    tasks: list[Task] = []
    ignored, skipped = [], {}
    sections: dict[str, list[dict[str, Any]]] = {name: [] for name in SECTIONS}
    contents = {path: _json(path) for path in paths}
    _check_without(without, contents)
    for path, content in contents.items():
        if not _is_result(content):
            ignored.append(path.name)
            continue
        content = _leave_out(content, path.name, without)
        runs = list(_runs(content))
        for run in runs:
            if run.get("task") in SECTIONS:  # a run of its own, as gaze is
                sections[run["task"]].append({"file": path.name, "patch": _patch(run)} | run)
            else:
                tasks.append(_task(run, content, path.name, column))
        if content not in runs:  # in a run of gaze, `skipped` counts questions
            skipped |= content.get("skipped") or {}
        for holder in (content, *(run for run in runs if run is not content)):
            for name in SECTIONS:
                sections[name] += _parts(holder, name, path.name, _shared_patch(content))
    if len(ignored) == len(paths):
        given = ", ".join(ignored) or "nothing"
        raise ValueError(f"expected results of `homunculus measure`, got {given}. Measure first.")
    files = tuple(path.name for path in paths if path.name not in ignored)
    tasks = _unique_names(tasks)
    return Results(tuple(tasks), sections, tuple(ignored), skipped, files, tuple(without))


def _check_without(without: Sequence[str], contents: Mapping[Path, Any]) -> None:
    """Every FILE:SUITE must name a run that is there."""
    there = [
        f"{path.name}:{run.get('suite')}"
        for path, content in contents.items()
        if _is_result(content)
        for run in _runs(content)
    ]
    for one in without:
        if one not in there:
            runs = ", ".join(dict.fromkeys(there)) or "none"
            raise ValueError(f"no run {one} to leave out. Runs are {runs}.")


def _leave_out(content: dict[str, Any], file: str, without: Sequence[str]) -> dict[str, Any]:
    """The content without some of its suites, in its runs and in its sections."""
    suites = [one.removeprefix(f"{file}:") for one in without if one.startswith(f"{file}:")]
    lists = {key: one for key, one in content.items() if key in ("runs", *SECTIONS)}
    kept = {
        key: [one for one in parts if one.get("suite") not in suites]
        for key, parts in lists.items()
        if isinstance(parts, list)
    }
    if suites and "runs" not in content:  # the file is the run
        return {"runs": []}
    return content | kept if suites else content


def result_files(paths: Sequence[Path]) -> list[Path]:
    """The files as given, and every JSON file of a folder but reports that `decide` wrote there."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        inside = [one for one in sorted(path.glob("*.json")) if not _is_report(_json(one))]
        if not inside:
            raise ValueError(
                f"no results in the folder {path}. Write some: "
                f"`homunculus measure SUITES --methods all -o {path / 'run.json'}`."
            )
        files += inside
    return files


def _is_report(content: Any) -> bool:
    return isinstance(content, dict) and {"decision", "tiers"} <= content.keys()


def _json(path: Path) -> Any:
    if not path.is_file():
        raise ValueError(f"no file {path}. Name files or folders that `homunculus measure` wrote.")
    try:
        return from_text(path.read_text("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} is not JSON ({error}). Was the run cut short?") from None


def _is_result(content: Any) -> bool:
    """Whether `homunculus measure` wrote it, even if no question was scored."""
    if not isinstance(content, dict):
        return False
    return isinstance(content.get("runs"), list) or {"rows", "columns"} <= content.keys()


def _runs(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The suite results of a file: itself, or those it lists."""
    runs = content.get("runs")
    for one in runs if isinstance(runs, list) else [content]:
        if isinstance(one, dict) and one.get("rows") and one.get("columns"):
            yield one


def _parts(holder: dict[str, Any], name: str, file: str, patch: int | None) -> list[dict[str, Any]]:
    """The tables of a section, each with its suite, its file and the side of its tokens."""
    tables = holder.get(name) or []
    tables = [tables] if isinstance(tables, dict) else tables
    head = {"suite": holder.get("suite", ""), "file": file, "patch": _patch(holder) or patch}
    return [head | one for one in tables if isinstance(one, dict)]


def _shared_patch(content: dict[str, Any]) -> int | None:
    """The side of a token, if all runs of a file have the same."""
    sides = {_patch(run) for run in _runs(content)}
    return sides.pop() if len(sides) == 1 else None


# ---- tasks ---------------------------------------------------------------------------------------


def _task(run: dict[str, Any], content: dict[str, Any], file: str, column: str | None) -> Task:
    suite, part = str(run.get("suite") or "unnamed"), str(run.get("part") or "all")
    scores = read_scores(run, f"{file}, {suite}")
    quoted = _list(run, "quote") or ([EVIDENCE_COLUMN] if run.get("task") == "evidence" else [])
    column = column or (quoted or scores.columns)[0]
    if column not in scores.columns:
        columns = ", ".join(scores.columns)
        raise ValueError(f"{file}: no column {column!r} in {suite}. There are {columns}.")
    task = Task(
        name=suite if part == "all" else f"{suite}/{part}",
        suite=suite,
        part=part,
        kind=str(run.get("kind") or names.kind(suite)),
        measure=str(run.get("task") or "score"),
        column=column,
        scores=scores,
        left_out=tuple(dict.fromkeys([*_list(content, "left_out"), *_list(run, "left_out")])),
        variants=_variants(scores.methods, content.get("ablations") or {}),
        origin={"file": file} | {key: run.get(key, content.get(key)) for key in _ORIGIN},
        patch=_patch(run),
        expected=_expected(run["rows"]),
    )
    _check(task, file)
    return task


def _expected(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[int, Any]]:
    """Values that planners saved with their rows."""
    found: dict[str, dict[int, Any]] = {}
    for method, by_budget in (rows[0].get("value") or {}).items():
        for budget in by_budget:
            values = [row["value"][method][budget][0] for row in rows]
            found.setdefault(method, {})[int(budget)] = np.array(values, float)
    return found


def _patch(run: dict[str, Any]) -> int | None:
    """Side of a token in pixels, as the configuration of a run says."""
    config = run.get("config")
    side = config.get("patch") if isinstance(config, dict) else None
    return side if isinstance(side, int) and side > 0 else None


def _variants(rows: Sequence[str], ablations: Mapping[str, str]) -> dict[str, str]:
    """Rows that are variants, and the rows they vary: as a run says, or by their names."""
    bases = {row: ablations.get(row) or names.variant_of(row, rows) for row in rows}
    return {row: base for row, base in bases.items() if base and base in rows}


def _list(holder: dict[str, Any], key: str) -> list[str]:
    return [str(one) for one in holder.get(key) or []]


def _check(task: Task, file: str) -> None:
    for method, budget in task.scores.values:
        value = task.value(method, budget)
        if not np.isfinite(value).all():
            raise ValueError(
                f"{file}: {method} lacks {task.column} for some questions of {task.name}."
            )
        if value.min() < 0 or value.max() > 1:
            raise ValueError(
                f"{file}: scores from 0 to 1 expected, got {value.min():g} to {value.max():g} "
                f"in {task.column} of {method}. Divide by the highest possible score."
            )


def _unique_names(tasks: list[Task]) -> list[Task]:
    """Tasks of one set get their column, and their token's side, in their names.

    Two of one name are an error.
    """
    sides: dict[str, set[int | None]] = {}
    for task in tasks:
        sides.setdefault(task.name, set()).add(task.patch)
    counts = Counter((task.name, task.patch) for task in tasks)
    tasks = [
        replace(task, name=task.name + _addition(task, counts[task.name, task.patch], sides))
        for task in tasks
    ]
    by_name: dict[str, Task] = {}
    for task in tasks:
        other = by_name.setdefault(task.name, task)
        if other is not task:
            files = sorted({other.origin["file"], task.origin["file"]})
            raise ValueError(
                f"{task.name} is measured twice, in {' and '.join(files)}. Pass one, or leave out "
                f"the older run: --without-run {other.origin['file']}:{task.suite}."
            )
    least = min((task.patch or SIDE for task in tasks), default=SIDE)
    counting = [task for task in tasks if (task.patch or SIDE) == least]
    first = {(task.suite, task.part): task.name for task in reversed(counting)}
    return [replace(t, main=first.get((t.suite, t.part)) == t.name) for t in tasks]


def _addition(task: Task, count: int, sides: Mapping[str, set[int | None]]) -> str:
    """What tells a task from others of the same set."""
    column = f" {task.column}" if count > 1 else ""
    return f"{column} ({task.patch or '?'} px)" if len(sides[task.name]) > 1 else column


# ---- scores --------------------------------------------------------------------------------------


def read_scores(run: dict[str, Any], who: str) -> Scores:
    """Per-question rows as arrays; every question must have every score."""
    rows, columns = run["rows"], tuple(map(str, run["columns"]))
    first = _cells(rows[0], who, 0)
    if not first:
        raise ValueError(f"{who}: row 0 has no scores. Measure again.")
    values: dict[tuple[str, int], Any] = {
        cell: np.full((len(rows), len(columns)), np.nan) for cell in first
    }
    for at, row in enumerate(rows):
        cells = _cells(row, who, at)
        if cells.keys() != first.keys():
            odd = " and ".join(f"{m} at {b}" for m, b in sorted(cells.keys() ^ first.keys())[:3])
            raise ValueError(
                f"{who}: row {at} and row 0 differ in {odd}. Every question needs every "
                "score: measure all methods in one run."
            )
        for cell, score in cells.items():
            values[cell][at, : len(score)] = _numbers(score, columns, f"{who}: row {at}, {cell[0]}")
    return Scores(
        image=tuple(str(row["image"]) for row in rows),
        row=tuple(str(row.get("row", row.get("id", at))) for at, row in enumerate(rows)),
        height=tuple(float(row.get("height") or 0) for row in rows),
        columns=columns,
        values=values,
        text=tuple(str(row.get("question", "")) for row in rows),
    )


def _numbers(score: Any, columns: tuple[str, ...], who: str) -> list[float | int]:
    """Columns that were not measured may be left out at the end."""
    numbers = isinstance(score, list) and all(isinstance(one, int | float) for one in score)
    if not numbers or len(score) > len(columns):
        raise ValueError(f"{who}: a number each for {', '.join(columns)} expected, got {score!r}.")
    return score


def _cells(row: Any, who: str, at: int) -> dict[tuple[str, int], Any]:
    if not isinstance(row, dict) or "image" not in row or not isinstance(row.get("scores"), dict):
        raise ValueError(f"{who}: row {at} needs `image` and `scores`. Measure again.")
    cells = {}
    for method, by_budget in row["scores"].items():
        for budget, score in by_budget.items():
            whole = str(budget) == "all"
            if not whole and not str(budget).isdigit():
                raise ValueError(f"{who}: row {at}, {method}: a budget is a number, got {budget}.")
            cells[str(method), 0 if whole else int(budget)] = score
    return cells
