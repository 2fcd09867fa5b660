"""A small plot of scores against tokens, as SVG text: no library, no network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import log2
from typing import Any

BLUE, ORANGE, PINK, INK = "#0072b2", "#d55e00", "#cc79a7", "#1a1a1a"
"""Colours that colour-blind readers can tell apart (Okabe and Ito)."""
GREY, PALE = "#5c5c5c", "#d9d9d9"
WIDTH, TOP, LEFT, BASE = 270, 24, 46, 90
"""The plot's width, and the sides of its frame."""
LETTER = 12
"""Height of a line of text."""
Number = float | int


@dataclass(frozen=True)
class Line:
    """Scores of one row, as the decision holds them: budget, mean, low, high."""

    name: str
    rows: Sequence[Mapping[str, Any]]
    colour: str
    dashes: str = ""
    """A dashed line has neither dots nor intervals."""
    sure: frozenset[int] | None = None
    """Budgets at which it surely differs; dots at others are hollow."""


def spread_labels(
    places: Sequence[Number], gap: Number, low: Number, high: Number
) -> list[Number]:  # fmt: skip
    """Move labels so that none covers another or lies outside.

    >>> spread_labels([10, 11, 50], 5, 0, 100)
    [10, 15, 50]
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    positions = list(places)
    for index in order:
        positions[index] = max(positions[index], low)
        low = positions[index] + gap
    for index in reversed(order):
        positions[index] = min(positions[index], high)
        high = positions[index] - gap
    return positions


def written(x: Number, y: Number, text: str, colour: str, anchor: str = "start") -> str:
    """A line of text."""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"'
    return f"<text {place}>{escape(text)}</text>"


def stroke(points: Sequence[tuple[Number, Number]], colour: str, dashes: str = "") -> str:
    """A line through points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    style = f'fill="none" stroke="{colour}" stroke-dasharray="{dashes or "none"}"'
    return f'<polyline points="{path}" {style}/>'


def score_plot(title: str, lines: Sequence[Line], full: Number | None) -> str:
    """Scores with their intervals, tokens on a logarithmic scale; `full` is the whole image's."""
    lines = [line for line in lines if line.rows]
    budgets = sorted({row["budget"] for line in lines for row in line.rows})
    least, most = log2(budgets[0]), log2(budgets[-1])
    right = WIDTH - 8 - 6.5 * max(len(line.name) for line in lines)

    def x(budget: Number) -> Number:
        return LEFT + 10 + (right - LEFT - 18) * (log2(budget) - least) / max(most - least, 1e-9)

    def y(score: Number) -> Number:
        return BASE - (BASE - TOP) * score

    parts = [written(0, 15, title, INK), written(0, BASE + 14, "tokens", GREY)]
    for score in (0, 0.5, 1):
        parts.append(stroke([(LEFT, y(score)), (right, y(score))], PALE))
        parts.append(written(LEFT - 6, y(score) + 4, f"{score:g}", GREY, "end"))
    parts += [written(x(budget), BASE + 14, str(budget), GREY, "middle") for budget in budgets]
    if full is not None:
        parts.append(stroke([(LEFT, y(full)), (right, y(full))], GREY, "1 3"))
    means = [sum(row["mean"] for row in line.rows) / len(line.rows) for line in lines]
    labels = spread_labels([y(mean) for mean in means], LETTER, TOP, BASE)
    for index, (line, label) in enumerate(zip(lines, labels, strict=True)):
        shift = 2 * index - len(lines)  # intervals must not cover each other
        rows = sorted(line.rows, key=lambda row: row["budget"])
        points = [(x(row["budget"]) + shift, y(row["mean"])) for row in rows]
        parts.append(stroke(points, line.colour, line.dashes))
        parts.append(written(right + 6, label + 4, line.name, line.colour))
        for row, (across, mean) in zip(rows, points, strict=True) if not line.dashes else ():
            hollow = line.sure is not None and row["budget"] not in line.sure
            parts.append(stroke([(across, y(row["low"])), (across, y(row["high"]))], line.colour))
            fill = f'fill="{"#fff" if hollow else line.colour}" stroke="{line.colour}"'
            parts.append(f'<circle cx="{across:.1f}" cy="{mean:.1f}" r="3" {fill}/>')
    head = f'viewBox="0 0 {WIDTH} {BASE + 18}" role="img" aria-label="{escape(title)}"'
    space = 'xmlns="http://www.w3.org/2000/svg" font-family="system-ui, sans-serif" font-size="11"'
    return f"<svg {head} {space}>{''.join(parts)}</svg>"
