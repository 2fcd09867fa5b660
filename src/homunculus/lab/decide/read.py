# pyright: basic
"""Results in: files of `homunculus measure`, checked at the door, one task a suite result."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from homunculus.lab.decide import names
from homunculus.lazy import need

np: Any = need("numpy", extra="decide", who="homunculus decide")

SECTIONS = ("regions", "turns", "gaze", "coverage", "cost")
"""What a run may measure besides the score."""
QUOTED = "evidence8"
"""The column that speaks for evidence, wherever it stands."""
_ORIGIN = ("command", "commit", "hardware", "versions", "seed", "reader")


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of the same questions by row and budget: what pairs are made of."""

    image: tuple[str, ...]
    row: tuple[str, ...]
    height: tuple[float, ...]
    columns: tuple[str, ...]
    values: dict[tuple[str, int], Any]
    """By row and budget, question x column. The ceiling has budget 0."""

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
    varied: Mapping[str, str] = field(default_factory=dict)
    """Rows that change one thing of another row, and that row: no methods of their own."""
    main: bool = True
    """Whether it counts for a tier: of several readings of one set, the first does."""

    @property
    def images(self) -> int:
        """How many different images."""
        return len(set(self.scores.image))

    def value(self, method: str, budget: int) -> Any:
        """The column that counts, one number a question."""
        return self.scores.values[method, budget][:, self.scores.columns.index(self.column)]


@dataclass(frozen=True, eq=False)
class Results:
    """All that was handed over."""

    tasks: tuple[Task, ...]
    sections: dict[str, list[dict[str, Any]]]
    aside: tuple[str, ...]
    """Files that are no results of `homunculus measure`."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Suites that a run could not measure, and why."""


def read(paths: Sequence[Path], column: str | None = None) -> Results:
    """Read and check every file; a file of another sort is put aside and named."""
    tasks: list[Task] = []
    aside, skipped = [], {}
    sections: dict[str, list[dict[str, Any]]] = {name: [] for name in SECTIONS}
    for path in paths:
        told = _json(path)
        if not _is_result(told):
            aside.append(path.name)
            continue
        runs = list(_runs(told))
        for run in runs:
            if run.get("task") in SECTIONS:  # a run of its own, as gaze is
                sections[run["task"]].append({"file": path.name} | run)
            else:
                tasks.append(_task(run, told, path.name, column))
        if told not in runs:  # of a run of gaze it is questions that were skipped
            skipped |= told.get("skipped") or {}
        for holder in (told, *(run for run in runs if run is not told)):
            for name in SECTIONS:
                sections[name] += _parts(holder, name, path.name)
    if len(aside) == len(paths):
        came = ", ".join(aside) or "nothing"
        raise ValueError(f"expected results of `homunculus measure`, got {came}. Measure first.")
    return Results(tuple(_apart(tasks)), sections, tuple(aside), skipped)


def files(paths: Sequence[Path]) -> list[Path]:
    """The files as named, and every JSON of a folder but reports that `decide` wrote there."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        inside = [one for one in sorted(path.glob("*.json")) if not _is_report(_json(one))]
        if not inside:
            raise ValueError(
                f"no results in the folder {path}. Write some: "
                f"`homunculus measure SUITES --methods all -o {path / 'run.json'}`."
            )
        found += inside
    return found


def _is_report(told: Any) -> bool:
    return isinstance(told, dict) and {"decision", "tiers"} <= told.keys()


def _json(path: Path) -> Any:
    if not path.is_file():
        raise ValueError(f"no file {path}. Name files or folders that `homunculus measure` wrote.")
    try:
        return json.loads(path.read_text("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} is no JSON ({error}). Was the run cut short?") from None


def _is_result(told: Any) -> bool:
    """Whether `homunculus measure` wrote it, even if no question was scored."""
    if not isinstance(told, dict):
        return False
    return isinstance(told.get("runs"), list) or {"rows", "columns"} <= told.keys()


def _runs(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The suite results of a file: itself, or those it lists."""
    listed = told.get("runs")
    for one in listed if isinstance(listed, list) else [told]:
        if isinstance(one, dict) and one.get("rows") and one.get("columns"):
            yield one


def _parts(holder: dict[str, Any], name: str, file: str) -> list[dict[str, Any]]:
    """A section is one table or several; each knows where it comes from."""
    found = holder.get(name) or []
    found = [found] if isinstance(found, dict) else found
    suite = holder.get("suite", "")
    return [{"suite": suite, "file": file} | one for one in found if isinstance(one, dict)]


def _task(run: dict[str, Any], told: dict[str, Any], file: str, column: str | None) -> Task:
    suite, part = str(run.get("suite") or "unnamed"), str(run.get("part") or "all")
    scores = scored(run, f"{file}, {suite}")
    quoted = _list(run, "quote") or ([QUOTED] if run.get("task") == "evidence" else [])
    wish = column or (quoted or scores.columns)[0]
    if wish not in scores.columns:
        there = ", ".join(scores.columns)
        raise ValueError(f"{file}: no column {wish!r} in {suite}. There are {there}.")
    task = Task(
        name=suite if part == "all" else f"{suite}/{part}",
        suite=suite,
        part=part,
        kind=str(run.get("kind") or names.kind(suite)),
        measure=str(run.get("task") or "score"),
        column=wish,
        scores=scores,
        left_out=tuple(dict.fromkeys([*_list(told, "left_out"), *_list(run, "left_out")])),
        varied=_varied(scores.methods, told.get("ablations") or {}),
        origin={"file": file} | {key: run.get(key, told.get(key)) for key in _ORIGIN},
    )
    _check(task, file)
    return task


def _varied(rows: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    found = {row: given.get(row) or names.variant(row, rows) for row in rows}
    return {row: other for row, other in found.items() if other and other in rows}


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
                f"in {task.column} of {method}. Divide by the best score there is."
            )


def scored(told: dict[str, Any], who: str) -> Scores:
    """Per-question rows as arrays; every question must have every score."""
    rows, columns = told["rows"], tuple(map(str, told["columns"]))
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
                f"{who}: row {at} and row 0 differ in {odd}. Pairs need every score of every "
                "question: measure all methods in one run."
            )
        for cell, score in cells.items():
            values[cell][at, : len(score)] = _numbers(score, columns, f"{who}: row {at}, {cell[0]}")
    return Scores(
        image=tuple(str(row["image"]) for row in rows),
        row=tuple(str(row.get("row", row.get("id", at))) for at, row in enumerate(rows)),
        height=tuple(float(row.get("height") or 0) for row in rows),
        columns=columns,
        values=values,
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
    found = {}
    for method, by_budget in row["scores"].items():
        for budget, score in by_budget.items():
            whole = str(budget) == "all"
            if not whole and not str(budget).isdigit():
                raise ValueError(f"{who}: row {at}, {method}: a budget is a number, got {budget}.")
            found[str(method), 0 if whole else int(budget)] = score
    return found


def _apart(tasks: list[Task]) -> list[Task]:
    """Tasks of one set are told apart by their column; two that remain alike are an error."""
    often = Counter(task.name for task in tasks)
    named = [
        replace(task, name=f"{task.name} {task.column}") if often[task.name] > 1 else task
        for task in tasks
    ]
    seen: dict[str, Task] = {}
    for task in named:
        other = seen.setdefault(task.name, task)
        if other is not task:
            files = sorted({other.origin["file"], task.origin["file"]})
            raise ValueError(f"{task.name} is measured twice, in {' and '.join(files)}. Pass one.")
    first = {(task.suite, task.part): task.name for task in reversed(named)}
    return [replace(t, main=first[t.suite, t.part] == t.name) for t in named]
