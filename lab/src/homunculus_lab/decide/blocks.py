# pyright: basic
"""The blocks a report is made of, rendered as HTML and as Markdown; and how numbers are written."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """The decision in large letters, and the rule that led to it."""

    decision: str
    reason: str


@dataclass(frozen=True)
class RuleLine:
    """A rule: its name, what it asks for and its state."""

    name: str
    asks: str
    state: str


@dataclass(frozen=True)
class Answer:
    """The verdict in plain words, then by rule."""

    question: str
    short: str
    words: str
    """What the words mean that the sentences use."""
    sentences: tuple[tuple[str, str], ...]
    """Headings and what is said under each."""
    outcome: str
    """GO, NO-GO or NOT MEASURED."""
    outcome_rule: str
    rules: tuple[RuleLine, ...]
    """Each rule with its state; none where the runs are not for them."""


@dataclass(frozen=True)
class Heading:
    """The title of what follows; from level 2 on it can be folded."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Text:
    """One paragraph, or a warning. `code` stands between backticks."""

    text: str
    warning: bool = False


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of text under a head; the caption stands above it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    compact: bool = False
    """Short rows that must fit on the first screen."""


@dataclass(frozen=True)
class Panels:
    """Small plots of one chart; a table stands in where there are no plots."""

    svg: tuple[str, ...]
    caption: str
    fallback: Table


@dataclass(frozen=True)
class Plots:
    """Plots side by side, where there is room."""

    svg: tuple[str, ...]
    caption: str = ""


ReportBlock = Answer | Verdict | Heading | Text | Bullets | Table | Panels | Plots


# ---- numbers and words as text -------------------------------------------------------------------


def format_score(value: float | int | None) -> str:
    """A score with two digits.

    >>> format_score(0.8834), format_score(1.0), format_score(None)
    ('.88', '1.00', '–')
    """
    if value is None:
        return "–"
    return f"{value:.2f}".replace("0.", ".", 1) if 0 <= value < 0.995 else f"{value:.2f}"


def format_points(value: float | int) -> str:
    """A difference in points of a hundred, with its sign.

    >>> format_points(0.214), format_points(-0.03)
    ('+21.4', '−3.0')
    """
    return f"{100 * value:+.1f}".replace("-", "−")


def format_interval(mean: float | int, low: float | int, high: float | int) -> str:
    """A score and its interval."""
    return f"{format_score(mean)} [{format_score(low)}, {format_score(high)}]"


def format_difference(comparison: dict) -> str:
    """A difference and its interval, in points."""
    mean, low, high = (format_points(comparison[key]) for key in ("estimate", "low", "high"))
    return f"{mean} [{low}, {high}]"


def format_p(p: float | int) -> str:
    """A p-value; the smallest that a bootstrap can give is not 0.

    >>> format_p(0.0372), format_p(0.0002)
    ('.037', '< .001')
    """
    return "< .001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)


def join_words(words: Sequence[str]) -> str:
    """Words with commas and an `and`.

    >>> join_words(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = words or [""]
    return f"{', '.join(most)} and {last}" if most else last


def join_code(names: Sequence[str]) -> str:
    """Names between backticks, with commas and an `and`."""
    return join_words([f"`{name}`" for name in names])


def plural(number: int, noun: str) -> str:
    """A number and its noun.

    >>> plural(1, "image"), plural(2, "image")
    ('1 image', '2 images')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def whole_points(value: float | int) -> str:
    """A difference in whole points of a hundred.

    >>> whole_points(0.214), whole_points(-0.078), whole_points(-0.004)
    ('+21', '−8', '0')
    """
    points = round(100 * value)
    return f"{points:+d}".replace("-", "−") if points else "0"


def whole_difference(one: dict) -> str:
    """A difference and its interval, in whole points."""
    mean, low, high = (whole_points(one[key]) for key in ("estimate", "low", "high"))
    return f"{mean} [{low}, {high}]"


def format_budgets(some: Sequence[int], every: Sequence[int]) -> str:
    """Budgets in words, as a range if nothing between them is missing.

    >>> format_budgets((16, 32, 64), (16, 32, 64, 128)), format_budgets((16, 64), (16, 32, 64))
    ('16 to 64', '16 and 64')
    """
    between = [one for one in every if some[0] <= one <= some[-1]]
    if len(some) > 2 and list(some) == between:
        return f"{some[0]} to {some[-1]}"
    return join_words([str(one) for one in some])
