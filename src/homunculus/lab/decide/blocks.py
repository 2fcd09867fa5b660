# pyright: basic
"""A report as a list of blocks, told once and rendered twice; and how its numbers are written."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """The decision, where nobody can miss it."""

    decision: str
    told: str


@dataclass(frozen=True)
class Heading:
    """The title of what follows."""

    told: str
    level: int = 2


@dataclass(frozen=True)
class Text:
    """One paragraph; a loud one is a warning. `code` stands between backticks."""

    told: str
    loud: bool = False


@dataclass(frozen=True)
class Points:
    """Sentences one below the other."""

    told: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows of text under a head; what it means stands above it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True)
class Plots:
    """Drawings side by side, where there is room."""

    svg: tuple[str, ...]
    caption: str = ""


Block = Verdict | Heading | Text | Points | Table | Plots


def share(value: float | int | None) -> str:
    """A score.

    >>> share(0.8834), share(1.0), share(None)
    ('.88', '1.00', '–')
    """
    if value is None:
        return "–"
    return f"{value:.2f}".replace("0.", ".", 1) if 0 <= value < 0.995 else f"{value:.2f}"


def point(value: float | int) -> str:
    """A difference in points of a hundred, with its sign.

    >>> point(0.214), point(-0.03)
    ('+21.4', '−3.0')
    """
    return f"{100 * value:+.1f}".replace("-", "−")


def within(value: Sequence[float | int]) -> str:
    """A score and its interval."""
    return f"{share(value[0])} [{share(value[1])}, {share(value[2])}]"


def less(pair: dict) -> str:
    """A difference and its interval, in points."""
    return f"{point(pair['estimate'])} [{point(pair['low'])}, {point(pair['high'])}]"


def chance(p: float | int) -> str:
    """A p-value; the smallest a bootstrap can tell is not 0.

    >>> chance(0.0372), chance(0.0002)
    ('.037', '< .001')
    """
    return "< .001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)


def listed(words: Sequence[str]) -> str:
    """Words with commas and an `and`.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = words or [""]
    return f"{', '.join(most)} and {last}" if most else last


def count(many: int, thing: str) -> str:
    """A number and its noun.

    >>> count(1, "image"), count(2, "image")
    ('1 image', '2 images')
    """
    return f"{many:,} {thing}{'' if many == 1 else 's'}"
