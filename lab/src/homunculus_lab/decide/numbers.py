"""Numbers and lists as words, for reports."""

from collections.abc import Mapping, Sequence
from typing import Any


def format_score(value: float | int | None) -> str:
    """A score with two digits.

    >>> format_score(0.8834), format_score(1.0), format_score(None)
    ('.88', '1.00', '–')
    """
    return "–" if value is None else f"{value:.2f}".removeprefix("0")


def format_points(value: float | int, digits: int = 1) -> str:
    """A difference in points of a hundred, with its sign.

    >>> format_points(0.214), format_points(-0.078, digits=0), format_points(0.004, digits=0)
    ('+21.4', '−8', '0')
    """
    text = f"{100 * value:+.{digits}f}"
    return "0" if text in ("+0", "-0") else text.replace("-", "−")


def format_interval(row: Mapping[str, Any]) -> str:
    """A mean and its interval."""
    mean, low, high = (format_score(row[key]) for key in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]"


def format_difference(pair: Mapping[str, Any], digits: int = 1) -> str:
    """A difference and its interval, in points."""
    mean, low, high = (format_points(pair[key], digits) for key in ("estimate", "low", "high"))
    return f"{mean} [{low}, {high}]"


def format_p(p: float | int) -> str:
    """A p-value; the smallest that a bootstrap can give is not 0.

    >>> format_p(0.0372), format_p(0.0002)
    ('.037', '< .001')
    """
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def join_words(words: Sequence[str]) -> str:
    """Words with commas and an `and`.

    >>> join_words(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last


def join_code(names: Sequence[str]) -> str:
    """Names between backticks, with commas and an `and`."""
    return join_words([f"`{name}`" for name in names])


def plural(number: int, noun: str) -> str:
    """A number and its noun.

    >>> plural(1, "image"), plural(2, "image")
    ('1 image', '2 images')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_budgets(budgets: Sequence[int], measured: Sequence[int]) -> str:
    """Budgets in words, as a range if nothing between them is missing.

    >>> format_budgets((16, 32, 64), (16, 32, 64, 128)), format_budgets((16, 64), (16, 32, 64))
    ('16 to 64', '16 and 64')
    """
    between = [budget for budget in measured if budgets[0] <= budget <= budgets[-1]]
    if len(budgets) > 2 and list(budgets) == between:
        return f"{budgets[0]} to {budgets[-1]}"
    return join_words([str(budget) for budget in budgets])
