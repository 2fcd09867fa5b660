"""A result as text: single values line by line, lists of rows as tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

HIDDEN = ("command", "commit", "versions", "hardware")
"""How a result came about: it is in the JSON, and of no use on a screen."""
Table = Sequence[Mapping[str, Any]]


def text(result: Mapping[str, Any]) -> str:
    """All values of a result, with dots between the names of nested ones.

    >>> print(text({"cells": 4, "rows": [{"method": "grid", "ratio": 1.5}], "commit": "abc"}))
    cells  4
    rows
      method  ratio
      grid    1.5
    """
    values = [pair for pair in _values(result) if pair[0] not in HIDDEN]
    wide = max((len(name) for name, value in values if not _is_table(value)), default=0)
    lines = []
    for name, value in values:
        if _is_table(value):
            lines += [name, *_table(value)]
        else:
            lines.append(f"{name:<{wide}}  {value}")
    return "\n".join(lines)


def _values(result: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in result.items():
        if isinstance(value, Mapping) and name not in HIDDEN:
            yield from _values(value, f"{before}{name}.")
        else:
            yield before + name, value


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def _table(rows: Table) -> Iterator[str]:
    flat = [dict(_values(row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    cells = [names, *([str(row.get(name, "")) for name in names] for row in flat)]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        shown = (cell.ljust(width) for cell, width in zip(line, wide, strict=True))
        yield f"  {'  '.join(shown)}".rstrip()
