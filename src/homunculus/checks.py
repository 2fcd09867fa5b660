"""Refuse arguments that cannot be right: whole numbers, numbers within bounds, text, classes.

Plain Python that every room may use. Messages say what was expected, what came and what to do.
"""

from numbers import Integral, Real
from typing import Any

Grid = tuple[int, int]
"""Rows and columns of level-0 cells of one image."""


def is_whole(value: object) -> bool:
    """Whether this is an integer, of Python or numpy; True and False are none."""
    return type(value) is int or (not isinstance(value, bool) and isinstance(value, Integral))


def check_count(value: Any, name: str, cure: str = "Give an int.") -> int:
    """A whole number of 1 or more; ``name`` says whose and what, as in "Budget: tokens"."""
    if not is_whole(value):
        raise TypeError(
            f"{name} must be a whole number, got {value!r} ({type(value).__name__}). {cure}"
        )
    if value < 1:
        raise ValueError(f"{name} must be 1 or more, got {value}")
    return int(value)


def check_text(value: object, name: str, cure: str) -> str:
    """Text; ``name`` says whose and what, ``cure`` what to give instead."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, got {value!r:.80} ({type(value).__name__}). {cure}")
    return value


def check_number(value: Any, name: str, low: float | int, high: float | int) -> float:
    """A number within bounds; ``name`` says whose and what."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(
            f"{name} must be a number from {low:g} to {high:g}, got {value!r:.80} "
            f"({type(value).__name__}). Give a float."
        )
    number = float(value)
    if not low <= number <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, got {value}")
    return number


def check_kind(value: object, kind: type, name: str, cure: str) -> None:
    """Something of one class, such as a Field."""
    if not isinstance(value, kind):
        given = f"{value!r:.80} ({type(value).__name__})"
        raise TypeError(f"{name} must be of class {kind.__name__}, got {given}. {cure}")
