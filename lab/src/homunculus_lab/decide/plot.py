# pyright: basic
"""Plots as SVG text: no library, no network, and letters that stay readable on a phone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from math import log2
from typing import NamedTuple

WIDE = 460
"""Width in units; a phone shows them at four fifths, so letters of 13 stay above 10 pixels."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9")
"""Six colours that colour-blind readers can tell apart (Okabe and Ito)."""
PANEL = 270
"""Width of a panel of the first chart."""
GREY, SOFT, INK, PALE = "#8a8a8a", "#5c5c5c", "#1a1a1a", "#d9d9d9"
LETTER = 13
SMALL = {"fill": SOFT, "font-size": "11", "class": "small"}
"""Words that a phone does not enlarge."""
QUARTERS = (0, 0.25, 0.5, 0.75, 1)
Number = float | int
Axis = Callable[[Number], Number]
"""From a value to its position."""


@dataclass(frozen=True)
class Line:
    """One row over its budgets, or over its costs."""

    name: str
    points: tuple[tuple[Number, Number, Number, Number], ...]
    """x, mean, low, high."""
    optimal: tuple[bool, ...]
    """Which points are Pareto-optimal: they get a ring."""
    role: str = "control"
    """`method`, `resize`, `grid`, `oracle`, `shuffled` (of the first method) or `control`."""


@dataclass(frozen=True)
class ForestRow:
    """The intervals of one method in a forest plot."""

    name: str
    marks: tuple[tuple[int, Number, Number, Number], ...]
    """Which baseline, estimate, low, high."""


@dataclass
class _Svg:
    high: int
    wide: int = WIDE
    parts: list[str] = field(default_factory=list)

    def line(
        self, x0: Number, y0: Number, x1: Number, y1: Number, colour: str, **more: str
    ) -> None:
        self.add("line", x1=x0, y1=y0, x2=x1, y2=y1, stroke=colour, **more)

    def text(self, x: Number, y: Number, text: str, anchor: str = "start", **more: str) -> None:
        own = {key.replace("_", "-"): value for key, value in more.items()}
        more = {"fill": INK, "font-size": str(LETTER)} | own
        attributes = _attributes({"x": x, "y": y, "text-anchor": anchor} | more)
        self.parts.append(f"<text {attributes}>{escape(text)}</text>")

    def add(self, shape: str, **more: str | Number) -> None:
        self.parts.append(f"<{shape} {_attributes(more)}/>")

    def to_text(self, title: str) -> str:
        head = (
            f'<svg viewBox="0 0 {self.wide} {self.high}" role="img" aria-label="{escape(title)}" '
        )
        head += 'xmlns="http://www.w3.org/2000/svg" font-family="system-ui, sans-serif">'
        return head + "".join(self.parts) + "</svg>"


def _attributes(more: dict) -> str:
    named = ((key.replace("_", "-"), value) for key, value in more.items())
    return " ".join(
        f'{key}="{value:.1f}"' if isinstance(value, float) else f'{key}="{escape(str(value))}"'
        for key, value in named
    )


def spread_labels(places: Sequence[Number], gap: Number, low: Number, high: Number) -> list[Number]:
    """Move labels so that none covers another or lies outside.

    >>> spread_labels([10, 11, 50], 5, 0, 100)
    [10, 15, 50]
    """
    order = sorted(range(len(places)), key=lambda at: places[at])
    positions = list(places)
    for rank, at in enumerate(order):
        least = positions[order[rank - 1]] + gap if rank else low
        positions[at] = max(positions[at], least)
    for rank, at in reversed(list(enumerate(order))):
        most = positions[order[rank + 1]] - gap if rank + 1 < len(order) else high
        positions[at] = min(positions[at], most)
    return positions


def _style(line: Line, at: int) -> tuple[str, str, str]:
    """Colour, width and dashes."""
    if line.role == "method":
        return (COLOURS[at], "2.2", "") if at < len(COLOURS) else (GREY, "1.2", "")
    dashes = {"grid": "6 3", "oracle": "2 3", "shuffled": "4 3"}.get(line.role, "")
    colour = {"grid": INK, "resize": INK, "shuffled": COLOURS[0], "oracle": GREY}
    return colour.get(line.role, PALE), "1.8", dashes


# ---- two rows on one set ------------------------------------------------------------------------


class Point(NamedTuple):
    """A score and its interval with so many tokens."""

    budget: int
    mean: Number
    low: Number
    high: Number
    sure: bool
    """Whether it surely differs from the rival."""


class PanelLine(NamedTuple):
    """A row in a panel: `ours`, `resize` or one of the controls."""

    role: str
    name: str
    points: tuple[Point, ...]


PANEL_STYLE = {
    "resize": (INK, "", 2), "blind": (COLOURS[3], "5 2", 0), "shuffled": (COLOURS[1], "2 2", 0),
    "ours": (COLOURS[0], "", -2),
}  # fmt: skip
"""Colour, dashes and shift to the side, by role; controls have neither dots nor intervals."""


def panel_plot(title: str, lines: Sequence[PanelLine], full: Number | None) -> str:
    """A small plot of a chart with a panel for each set: a row against others."""
    svg, top, low, left, right = _Svg(107, PANEL), 24, 90, 46, PANEL - 62
    budgets = sorted({one.budget for line in lines for one in line.points})
    least, most = log2(budgets[0]), log2(budgets[-1])

    def x(value: Number) -> Number:
        return left + 10 + (right - left - 18) * ((log2(value) - least) / max(most - least, 1e-9))

    def y(value: Number) -> Number:
        return low - (low - top) * value

    svg.text(0, 15, title, font_weight="600")
    for axis, place in (("score", y(0.75) + 4), ("tokens", low + 14)):
        svg.text(0, place, axis, **SMALL)
    for value in (0, 0.5, 1):
        svg.line(left, y(value), right, y(value), PALE, stroke_width="0.8")
        svg.text(left - 6, y(value) + 4, f"{value:g}", "end", fill=SOFT, font_size="11")
    for value in budgets:
        svg.text(x(value), low + 14, f"{value}", "middle", fill=SOFT, font_size="11")
    if full is not None:
        svg.line(left, y(full), right, y(full), GREY, stroke_dasharray="1 3", stroke_width="1.4")
    for line in lines:
        _panel_line(svg, line, x, y)
    drawn = [line for line in lines if line.points]
    heights = [y(sum(one.mean for one in line.points) / len(line.points)) for line in drawn]
    for line, place in zip(drawn, spread_labels(heights, 12, top, low), strict=True):
        svg.text(right + 4, place + 4, line.name, **SMALL | {"fill": PANEL_STYLE[line.role][0]})
    return svg.to_text(title)


def _panel_line(svg: _Svg, line: PanelLine, x: Axis, y: Axis) -> None:
    colour, dashes, shift = PANEL_STYLE[line.role]
    path = " ".join(f"{x(one.budget) + shift:.1f},{y(one.mean):.1f}" for one in line.points)
    svg.add(
        "polyline", points=path, fill="none", stroke=colour, stroke_width="1.8",
        stroke_dasharray=dashes or "none",
    )  # fmt: skip
    for one in line.points if not dashes else ():
        at = x(one.budget) + shift
        svg.line(at, y(one.low), at, y(one.high), colour, stroke_width="1.3", opacity="0.6")
        hollow = line.role == "ours" and not one.sure
        fill = {"fill": "#fff", "stroke": colour, "stroke-width": "1.4"} if hollow else {}
        svg.add("circle", cx=at, cy=y(one.mean), r="3.2", **({"fill": colour} | fill))


# ---- quality against tokens or cost --------------------------------------------------------------


def pareto_plot(
    lines: Sequence[Line], title: str, across: str, ticks: Sequence[Number], full: Number | None
) -> str:
    """Quality against tokens or cost: up and left is better."""
    svg, top, low, left, right = _Svg(330), 30, 280, 42, WIDE - _label_room(lines)
    places = [x for line in lines for x, *_ in line.points]
    least, most = log2(min(places)), log2(max(places))

    def x(value: Number) -> Number:
        return left + (right - left) * ((log2(value) - least) / max(most - least, 1e-9))

    def y(value: Number) -> Number:
        return low - (low - top) * value

    svg.text(0, 14, title, font_weight="600")
    _score_axis(svg, y, left, right)
    for value in ticks:
        svg.line(x(value), low, x(value), low + 5, INK)
        svg.text(x(value), low + 20, f"{value:g}", "middle")
    svg.text((left + right) / 2, low + 40, across, "middle")
    if full is not None:
        svg.line(left - 4, y(full), right, y(full), GREY, stroke_dasharray="1 3")
    _lines(svg, lines, x, y)
    _labels(svg, lines, y, (top + 4, low), right, full)
    return svg.to_text(title)


def _label_room(lines: Sequence[Line]) -> Number:
    """What the longest name at the end of a line takes."""
    longest = max((len(line.name) for line in lines if line.role != "control"), default=0)
    return max(122, 7.6 * longest + 14)


def _score_axis(svg: _Svg, y: Axis, left: Number, right: Number) -> None:
    """Lines at the quarters of a score, with their numbers."""
    for value in QUARTERS:
        svg.line(left - 4, y(value), right, y(value), PALE, stroke_width="0.7")
        svg.text(left - 8, y(value) + 4, f"{value:.2f}", "end")


def _lines(
    svg: _Svg,
    lines: Sequence[Line],
    x: Axis,
    y: Axis,
) -> None:
    methods = [line.name for line in lines if line.role == "method"]
    for line in sorted(lines, key=lambda one: (one.role == "method", one.role == "resize")):
        at = methods.index(line.name) if line.role == "method" else 0
        colour, width, dashes = _style(line, at)
        path = " ".join(f"{x(p):.1f},{y(mean):.1f}" for p, mean, *_ in line.points)
        svg.add(
            "polyline", points=path, fill="none", stroke=colour, stroke_width=width,
            stroke_dasharray=dashes or "none",
        )  # fmt: skip
        for (p, mean, bottom, up), ring in zip(line.points, line.optimal, strict=True):
            if line.role == "method" and at < len(COLOURS):
                shift = x(p) + 2.5 * (at - (min(len(methods), len(COLOURS)) - 1) / 2)
                svg.line(shift, y(bottom), shift, y(up), colour, stroke_width="1", opacity="0.55")
            svg.add("circle", cx=x(p), cy=y(mean), r="2.6", fill=colour)
            if ring:
                svg.add("circle", cx=x(p), cy=y(mean), r="5.5", fill="none", stroke=INK)


def _labels(
    svg: _Svg, lines: Sequence[Line], y: Axis,
    room: tuple[Number, Number], right: Number, full: Number | None,
) -> None:  # fmt: skip
    methods = [line.name for line in lines if line.role == "method"]
    named = [line for line in lines if line.role != "control"]
    named = [one for one in named if one.role != "method" or methods.index(one.name) < len(COLOURS)]
    labels = [(line.name, y(line.points[-1][1]), _ink(line, methods)) for line in named]
    if full is not None:
        labels.append(("whole image", y(full), GREY))
    for (name, _, colour), place in zip(
        labels, spread_labels([at for _, at, _ in labels], LETTER + 1, *room), strict=True
    ):
        svg.text(right + 10, place + 4, name, fill=colour, font_size="12")


def _ink(line: Line, methods: Sequence[str]) -> str:
    return _style(line, methods.index(line.name) if line.role == "method" else 0)[0]


# ---- differences to baselines --------------------------------------------------------------------


def forest_plot(
    rows: Sequence[ForestRow], title: str, baselines: Sequence[str], bound: Number
) -> str:
    """Differences with intervals, a line of its own for each; right of 0 is better."""
    step, top, left = 15, 52, 118
    tall = [len(row.marks) * step + 10 for row in rows]
    svg = _Svg(top + sum(tall) + 44)
    ends = [end for row in rows for _, _, low, high in row.marks for end in (low, high)]
    least, most = min([-0.05, *ends]), max([bound + 0.02, *ends])

    def x(value: Number) -> Number:
        return left + (WIDE - 10 - left) * (value - least) / (most - least)

    svg.text(0, 14, title, font_weight="600")
    bottom = top + sum(tall)
    for value, label, dashes in ((0.0, "0", ""), (bound, f"+{100 * bound:g}", "3 3")):
        svg.line(x(value), top - 6, x(value), bottom, GREY, stroke_dasharray=dashes or "none")
        svg.text(x(value) + (2 if value else -2), bottom + 16, label, "start" if value else "end")
    for value in (least, most):
        at, side = (left, "start") if value == least else (WIDE - 10, "end")
        if abs(value) > 0.12:
            svg.text(at, bottom + 16, f"{100 * value:+.0f}", side, fill=GREY)
    svg.text((left + WIDE) / 2, bottom + 34, "points", "middle")
    there = {which for row in rows for which, *_ in row.marks}
    _legend(svg, [one for one in enumerate(baselines) if one[0] in there], left)
    _forest_rows(svg, rows, tall, top, x)
    return svg.to_text(title)


def _legend(svg: _Svg, baselines: Sequence[tuple[int, str]], left: Number) -> None:
    svg.text(0, 36, "vs", fill=GREY)
    for at, (which, name) in enumerate(baselines):
        place = left + at * 84 - 84
        svg.line(place + 2, 32, place + 16, 32, COLOURS[which], stroke_width="2.5")
        svg.text(place + 20, 36, name, fill=COLOURS[which])


def _forest_rows(
    svg: _Svg,
    rows: Sequence[ForestRow],
    tall: Sequence[int],
    top: Number,
    x: Axis,
) -> None:
    place = float(top)
    for row, high in zip(rows, tall, strict=True):
        svg.text(0, place + high / 2 - 1, row.name)
        for at, (which, mean, low, up) in enumerate(row.marks):
            y, colour = place + 6 + at * 15, COLOURS[which]
            svg.line(x(low), y, x(up), y, colour, stroke_width="2")
            svg.add("circle", cx=x(mean), cy=y, r="3.6", fill=colour)
        place += high


# ---- text height ---------------------------------------------------------------------------------


def band_plot(
    names: Sequence[str], pairs: Sequence[tuple[Number, Number]], title: str, who: tuple[str, str]
) -> str:
    """Two scores for each band of text height, joined: the longer the bar, the larger the gain."""
    step, top, left, right = 30, 56, 84, WIDE - 16
    svg = _Svg(top + step * len(names) + 30)

    def x(value: Number) -> Number:
        return left + (right - left) * value

    svg.text(0, 14, title, font_weight="600")
    for at, name in enumerate(who):
        svg.add("circle", cx=float(left + at * 150), cy=32.0, r="5", fill=(COLOURS[0], INK)[at])
        svg.text(left + at * 150 + 10, 36, name)
    bottom = top + step * len(names)
    for value in (0, 0.25, 0.5, 0.75, 1):
        svg.line(x(value), top - 6, x(value), bottom, PALE, stroke_width="0.7")
        svg.text(x(value), bottom + 16, f"{value:g}", "middle")
    for at, (name, (ours, theirs)) in enumerate(zip(names, pairs, strict=True)):
        y = top + step * at + 12
        svg.text(0, y + 4, name)
        colour = COLOURS[0] if ours >= theirs else COLOURS[1]
        svg.line(x(theirs), y, x(ours), y, colour, stroke_width="5", opacity="0.35")
        svg.add("circle", cx=x(theirs), cy=y, r="5", fill=INK)
        svg.add("circle", cx=x(ours), cy=y, r="5", fill=COLOURS[0])
    return svg.to_text(title)


# ---- expected against read -----------------------------------------------------------------------


def reliability_plot(bins: Sequence[dict], title: str) -> str:
    """A dot for each bin, as large as its share of the questions; on the diagonal all is well."""
    svg, top, low, left, right = _Svg(340), 30, 280, 42, 292
    total = sum(one["n"] for one in bins)

    def x(value: Number) -> Number:
        return left + (right - left) * value

    def y(value: Number) -> Number:
        return low - (low - top) * value

    svg.text(0, 14, title, font_weight="600")
    _score_axis(svg, y, left, right)
    for value in QUARTERS:
        svg.text(x(value), low + 20, f"{value:.2f}", "middle")
    svg.line(x(0), y(0), x(1), y(1), GREY, stroke_dasharray="4 3")
    svg.text((left + right) / 2, low + 42, "expected by the planner", "middle")
    svg.text(right + 8, top + 4, "read")
    for one in bins:
        radius = 3 + 9 * (one["n"] / total) ** 0.5
        svg.add("circle", cx=x(one["expected"]), cy=y(one["read"]), r=radius, fill=COLOURS[0])
    return svg.to_text(title)
