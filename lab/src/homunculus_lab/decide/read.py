# pyright: basic
"""Reads and checks result files of `homunculus measure`; each suite result becomes a `Task`."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from homunculus_lab import row_names as names
from homunculus_lab.results import from_text

EVIDENCE_COLUMN = "evidence8"
"""The column to decide by in runs of the task `evidence`."""
SIDE = 16
"""The side of a token in pixels of runs that do not say it."""
ORIGIN = ("command", "commit", "hardware", "versions", "seed", "reader")


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
    """The questions, if the run has them."""

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
    costs: list[dict[str, Any]]
    """Tables of what a request costs, each with its suite and the side of its tokens."""
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
    every = {path: _json(path) for path in paths}
    contents = {path: content for path, content in every.items() if _is_result(content)}
    ignored = tuple(path.name for path in every if path not in contents)
    files = tuple(path.name for path in contents)
    if not contents:
        given = ", ".join(ignored) or "nothing"
        raise ValueError(f"expected results of `homunculus measure`, got {given}. Measure first.")
    _check_without(without, contents)
    tasks: list[Task] = []
    skipped: dict[str, str] = {}
    costs: list[dict[str, Any]] = []
    for file, content in zip(files, contents.values(), strict=True):
        suites = [pair.removeprefix(f"{file}:") for pair in without if pair.startswith(f"{file}:")]
        content = _leave_out(content, suites)
        runs = _runs(content)
        tasks += [_task(run, content, file, column) for run in runs]
        skipped |= content.get("skipped") or {}
        sides = {_patch(run) for run in runs}
        shared_patch = sides.pop() if len(sides) == 1 else None
        for holder in (content, *(run for run in runs if run is not content)):
            costs += _costs(holder, shared_patch)
    return Results(_unique_names(tasks), costs, ignored, skipped, files, tuple(without))


def result_files(paths: Sequence[Path]) -> list[Path]:
    """The files as given, and every JSON file of a folder but reports that `decide` wrote there."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        inside = [file for file in sorted(path.glob("*.json")) if not _is_report(_json(file))]
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
    """Whether `homunculus measure` scored rows in it; a run of gaze has scores of another sort."""
    if not isinstance(content, dict) or content.get("task") == "gaze":
        return False
    return isinstance(content.get("runs"), list) or {"rows", "columns"} <= content.keys()


def _runs(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The suite results of a file: itself, or those it lists."""
    runs = content.get("runs")
    runs = runs if isinstance(runs, list) else [content]
    return [run for run in runs if isinstance(run, dict) and run.get("rows") and run.get("columns")]


def _check_without(without: Sequence[str], contents: Mapping[Path, Any]) -> None:
    """Every FILE:SUITE must name a run."""
    runs = [f"{path.name}:{run.get('suite')}" for path, c in contents.items() for run in _runs(c)]
    for name in without:
        if name not in runs:
            measured = ", ".join(dict.fromkeys(runs)) or "none"
            raise ValueError(f"no run {name} to leave out. Runs are {measured}.")


def _leave_out(content: dict[str, Any], suites: Sequence[str]) -> dict[str, Any]:
    """The content without some of its suites, in its runs and its costs."""
    if suites and "runs" not in content:  # the file is the run
        return {"runs": []}
    lists = {key: content[key] for key in ("runs", "cost") if isinstance(content.get(key), list)}
    return content | {
        key: [part for part in parts if part.get("suite") not in suites]
        for key, parts in lists.items()
        if suites
    }


def _costs(holder: dict[str, Any], patch: int | None) -> list[dict[str, Any]]:
    tables = holder.get("cost") or []
    tables = [tables] if isinstance(tables, dict) else tables
    head = {"suite": holder.get("suite", ""), "patch": _patch(holder) or patch}
    return [head | table for table in tables if isinstance(table, dict)]


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
        origin={"file": file} | {key: run.get(key, content.get(key)) for key in ORIGIN},
        patch=_patch(run),
        expected=_expected(run["rows"]),
    )
    _check(task, file)
    return task


def _expected(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[int, Any]]:
    """Values that planners saved with their rows."""
    return {
        method: {
            int(budget): np.array([row["value"][method][budget][0] for row in rows], float)
            for budget in by_budget
        }
        for method, by_budget in (rows[0].get("value") or {}).items()
    }


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
    return [str(item) for item in holder.get(key) or []]


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


def _unique_names(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Tasks of one set get their column, and their token's side, in their names.

    Two of one name are an error.
    """
    sides: dict[str, set[int | None]] = {}
    for task in tasks:
        sides.setdefault(task.name, set()).add(task.patch)
    counts = Counter((task.name, task.patch) for task in tasks)
    by_name: dict[str, Task] = {}
    for task in tasks:
        column = f" {task.column}" if counts[task.name, task.patch] > 1 else ""
        side = f" ({task.patch or '?'} px)" if len(sides[task.name]) > 1 else ""
        name = task.name + column + side
        if name in by_name:
            first = by_name[name].origin["file"]
            files = " and ".join(sorted({first, task.origin["file"]}))
            raise ValueError(
                f"{name} is measured twice, in {files}. Pass one, or leave out "
                f"the older run: --without-run {first}:{task.suite}."
            )
        by_name[name] = replace(task, name=name)
    smallest = min((task.patch or SIDE for task in tasks), default=SIDE)
    counting = [task for task in by_name.values() if (task.patch or SIDE) == smallest]
    main = {(task.suite, task.part): task.name for task in reversed(counting)}
    return tuple(
        replace(task, main=main.get((task.suite, task.part)) == name)
        for name, task in by_name.items()
    )


# ---- scores --------------------------------------------------------------------------------------


def read_scores(run: dict[str, Any], who: str) -> Scores:
    """Per-question rows as arrays; every question must have every score."""
    rows, columns = run["rows"], tuple(map(str, run["columns"]))
    first = _cells(rows[0], f"{who}: row 0")
    if not first:
        raise ValueError(f"{who}: row 0 has no scores. Measure again.")
    values = {cell: np.full((len(rows), len(columns)), np.nan) for cell in first}
    for index, row in enumerate(rows):
        place = f"{who}: row {index}"
        cells = _cells(row, place)
        if cells.keys() != first.keys():
            odd = " and ".join(f"{m} at {b}" for m, b in sorted(cells.keys() ^ first.keys())[:3])
            raise ValueError(
                f"{place} and row 0 differ in {odd}. Every question needs every "
                "score: measure all methods in one run."
            )
        for cell, score in cells.items():  # columns that were not measured may be left out
            numbers = isinstance(score, list) and all(isinstance(n, int | float) for n in score)
            if not numbers or len(score) > len(columns):
                raise ValueError(
                    f"{place}, {cell[0]}: a number each for {', '.join(columns)} expected, "
                    f"got {score!r}."
                )
            values[cell][index, : len(score)] = score
    return Scores(
        image=tuple(str(row["image"]) for row in rows),
        row=tuple(str(row.get("row", row.get("id", index))) for index, row in enumerate(rows)),
        height=tuple(float(row.get("height") or 0) for row in rows),
        columns=columns,
        values=values,
        text=tuple(str(row.get("question", "")) for row in rows),
    )


def _cells(row: Any, place: str) -> dict[tuple[str, int], Any]:
    if not isinstance(row, dict) or "image" not in row or not isinstance(row.get("scores"), dict):
        raise ValueError(f"{place} needs `image` and `scores`. Measure again.")
    cells = {}
    for method, by_budget in row["scores"].items():
        for budget, score in by_budget.items():
            whole = str(budget) == "all"
            if not whole and not str(budget).isdigit():
                raise ValueError(f"{place}, {method}: a budget is a number, got {budget}.")
            cells[str(method), 0 if whole else int(budget)] = score
    return cells
