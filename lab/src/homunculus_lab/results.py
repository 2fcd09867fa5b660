# pyright: basic
"""Result files as text and back: small enough to be committed, and the same numbers.

In memory every question has its scores (`rows[i]["scores"][row][tokens]`, a number for each
column). In a file names would stand there once for each question, so scores move beside the rows,
by row, tokens and column, with one number for each question. Whole numbers lose their ".0".
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

COLUMNS = ("scores", "value")
"""What the rows of a run hold by row and tokens."""


def to_text(result: Any) -> str:
    """The text of a result file."""
    return json.dumps(pack(result), separators=(",", ":")) + "\n"


def from_text(text: str) -> Any:
    """Read the text of a result file, also one in which scores stand in the rows."""
    return unpack(json.loads(text))


def pack(value: Any) -> Any:
    """Pack a result into a smaller structure with the same numbers.

    >>> pack({"rows": [{"image": "a", "scores": {"cut": {"64": [1.0]}}}]})
    {'rows': [{'image': 'a'}], 'scores': {'cut': {'64': [[1]]}}}
    """
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        value = _transpose(value) if isinstance(value.get("rows"), list) else value
        return {key: pack(item) for key, item in value.items()}
    return [pack(item) for item in value] if isinstance(value, list | tuple) else value


def unpack(value: Any) -> Any:
    """Undo `pack`.

    >>> unpack({"rows": [{"image": "a"}], "scores": {"cut": {"64": [[1]]}}})
    {'rows': [{'image': 'a', 'scores': {'cut': {'64': [1]}}}]}
    """
    if isinstance(value, dict):
        value = {key: unpack(item) for key, item in value.items()}
        return _restore(value) if isinstance(value.get("rows"), list) else value
    return [unpack(item) for item in value] if isinstance(value, list) else value


def _transpose(run: Mapping[str, Any]) -> dict[str, Any]:
    """Scores beside the rows, where each cell has as many numbers for every question."""
    rows = run["rows"]
    lengths = {name: _lengths(rows, name) for name in COLUMNS if name not in run}
    names = [name for name, cells in lengths.items() if cells]
    if not names:
        return dict(run)
    columns: dict[str, Any] = {name: {} for name in names}
    for name in names:
        for (method, tokens), length in lengths[name].items():
            none = [None] * length  # a question without this cell
            each = [row.get(name, {}).get(method, {}).get(tokens, none) for row in rows]
            by_column = [list(column) for column in zip(*each, strict=True)]
            columns[name].setdefault(method, {})[tokens] = by_column
    rest = [{key: item for key, item in row.items() if key not in names} for row in rows]
    return {**run, "rows": rest, **columns}


def _lengths(rows: Sequence[Any], name: str) -> dict[tuple[str, str], int]:
    """How many numbers each cell has; empty if that differs, or if rows hold something else."""
    lengths: dict[tuple[str, str], int] = {}
    for row in rows:
        cells = row.get(name) if isinstance(row, Mapping) else None
        if not isinstance(cells, Mapping) or not cells:
            return {}
        for method, by_tokens in cells.items():
            if not isinstance(by_tokens, Mapping) or not by_tokens:
                return {}
            for tokens, numbers in by_tokens.items():
                if not isinstance(numbers, list | tuple) or all(
                    number is None for number in numbers
                ):
                    return {}
                if lengths.setdefault((method, tokens), len(numbers)) != len(numbers):
                    return {}
    return lengths


def _restore(run: dict[str, Any]) -> dict[str, Any]:
    """Scores back in their rows."""
    rows = [dict(row) if isinstance(row, dict) else row for row in run["rows"]]
    names = [name for name in COLUMNS if isinstance(run.get(name), dict)]
    for name in names:
        for method, by_tokens in run[name].items():
            for tokens, columns in by_tokens.items():
                for row, numbers in zip(rows, zip(*columns, strict=True), strict=True):
                    if any(number is not None for number in numbers):
                        row.setdefault(name, {}).setdefault(method, {})[tokens] = list(numbers)
    return {key: item for key, item in run.items() if key not in names} | {"rows": rows}
