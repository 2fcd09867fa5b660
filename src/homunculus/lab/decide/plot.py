# pyright: basic
"""Drawings as SVG text: no library, no network, and letters that stay readable on a phone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from math import log2

WIDE = 460
"""Units across; a phone shows them at four fifths, so letters of 13 stay above 10 pixels."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9")
"""Six that colour-blind eyes tell apart (Okabe and Ito); there are no more for a reason."""
GREY, INK, PALE = "#8a8a8a", "#1a1a1a", "#d9d9d9"
LETTER = 13
Number = float | int
Scale = Callable[[Number], Number]
"""From a value to its place."""


@dataclass(frozen=True)
class Line:
    """One row of the table over its budgets, or over its costs."""

    name: str
    at: tuple[tuple[Number, Number, Number, Number], ...]
    """x, mean, low, high."""
    rings: tuple[bool, ...]
    """Which points no other beats."""
    role: str = "control"
    """`method`, `resize`, `grid`, `oracle`, `shuffled` (of the first method) or `control`."""


@dataclass(frozen=True)
class Bar:
    """Intervals that stand in one line of a forest."""

    name: str
    marks: tuple[tuple[int, Number, Number, Number], ...]
    """Which baseline, estimate, low, high."""


@dataclass
class _Sheet:
    high: int
    parts: list[str] = field(default_factory=list)

    def line(
        self, x0: Number, y0: Number, x1: Number, y1: Number, colour: str, **more: str
    ) -> None:
        self.add("line", x1=x0, y1=y0, x2=x1, y2=y1, stroke=colour, **more)

    def text(self, x: Number, y: Number, told: str, anchor: str = "start", **more: str) -> None:
        more = {"fill": INK, "font-size": str(LETTER)} | more
        said = _attributes({"x": x, "y": y, "text-anchor": anchor} | more)
        self.parts.append(f"<text {said}>{escape(told)}</text>")

    def add(self, shape: str, **more: str | Number) -> None:
        self.parts.append(f"<{shape} {_attributes(more)}/>")

    def svg(self, told: str) -> str:
        head = f'<svg viewBox="0 0 {WIDE} {self.high}" role="img" aria-label="{escape(told)}" '
        head += 'xmlns="http://www.w3.org/2000/svg" font-family="system-ui, sans-serif">'
        return head + "".join(self.parts) + "</svg>"


def _attributes(more: dict) -> str:
    named = ((key.replace("_", "-"), value) for key, value in more.items())
    return " ".join(
        f'{key}="{value:.1f}"' if isinstance(value, float) else f'{key}="{escape(str(value))}"'
        for key, value in named
    )


def apart(places: Sequence[Number], gap: Number, low: Number, high: Number) -> list[Number]:
    """Labels near their places, none on another, none outside.

    >>> apart([10, 11, 50], 5, 0, 100)
    [10, 15, 50]
    """
    order = sorted(range(len(places)), key=lambda at: places[at])
    found = list(places)
    for rank, at in enumerate(order):
        least = found[order[rank - 1]] + gap if rank else low
        found[at] = max(found[at], least)
    for rank, at in reversed(list(enumerate(order))):
        most = found[order[rank + 1]] - gap if rank + 1 < len(order) else high
        found[at] = min(found[at], most)
    return found


def _style(line: Line, at: int) -> tuple[str, str, str]:
    """Colour, width and dashes."""
    if line.role == "method":
        return (COLOURS[at], "2.2", "") if at < len(COLOURS) else (GREY, "1.2", "")
    dashes = {"grid": "6 3", "oracle": "2 3", "shuffled": "4 3"}.get(line.role, "")
    colour = {"grid": INK, "resize": INK, "shuffled": COLOURS[0], "oracle": GREY}
    return colour.get(line.role, PALE), "1.8", dashes


def front(
    lines: Sequence[Line], title: str, across: str, ticks: Sequence[Number], full: Number | None
) -> str:
    """Quality over tokens or over cost, both to be read from the left: up and left is better."""
    sheet, top, low, left, right = _Sheet(330), 30, 280, 42, WIDE - 122
    places = [x for line in lines for x, *_ in line.at]
    least, most = log2(min(places)), log2(max(places))

    def x(value: Number) -> Number:
        return left + (right - left) * ((log2(value) - least) / max(most - least, 1e-9))

    def y(value: Number) -> Number:
        return low - (low - top) * value

    sheet.text(0, 14, title, font_weight="600")
    for value in (0, 0.25, 0.5, 0.75, 1):
        sheet.line(left - 4, y(value), right, y(value), PALE, stroke_width="0.7")
        sheet.text(left - 8, y(value) + 4, f"{value:.2f}", "end")
    for value in ticks:
        sheet.line(x(value), low, x(value), low + 5, INK)
        sheet.text(x(value), low + 20, f"{value:g}", "middle")
    sheet.text((left + right) / 2, low + 40, across, "middle")
    if full is not None:
        sheet.line(left - 4, y(full), right, y(full), GREY, stroke_dasharray="1 3")
    _lines(sheet, lines, x, y)
    _labels(sheet, lines, y, (top + 4, low), right, full)
    return sheet.svg(title)


def _lines(
    sheet: _Sheet,
    lines: Sequence[Line],
    x: Scale,
    y: Scale,
) -> None:
    methods = [line.name for line in lines if line.role == "method"]
    for line in sorted(lines, key=lambda one: (one.role == "method", one.role == "resize")):
        at = methods.index(line.name) if line.role == "method" else 0
        colour, width, dashes = _style(line, at)
        path = " ".join(f"{x(p):.1f},{y(mean):.1f}" for p, mean, *_ in line.at)
        sheet.add(
            "polyline", points=path, fill="none", stroke=colour, stroke_width=width,
            stroke_dasharray=dashes or "none",
        )  # fmt: skip
        for (p, mean, bottom, up), ring in zip(line.at, line.rings, strict=True):
            if line.role == "method" and at < len(COLOURS):
                shift = x(p) + 2.5 * (at - (min(len(methods), len(COLOURS)) - 1) / 2)
                sheet.line(shift, y(bottom), shift, y(up), colour, stroke_width="1", opacity="0.55")
            sheet.add("circle", cx=x(p), cy=y(mean), r="2.6", fill=colour)
            if ring:
                sheet.add("circle", cx=x(p), cy=y(mean), r="5.5", fill="none", stroke=INK)


def _labels(
    sheet: _Sheet, lines: Sequence[Line], y: Scale,
    room: tuple[Number, Number], right: Number, full: Number | None,
) -> None:  # fmt: skip
    methods = [line.name for line in lines if line.role == "method"]
    named = [line for line in lines if line.role != "control"]
    named = [one for one in named if one.role != "method" or methods.index(one.name) < len(COLOURS)]
    told = [(line.name, y(line.at[-1][1]), _ink(line, methods)) for line in named]
    if full is not None:
        told.append(("whole image", y(full), GREY))
    for (name, _, colour), place in zip(
        told, apart([at for _, at, _ in told], LETTER + 1, *room), strict=True
    ):
        sheet.text(right + 10, place + 4, name, fill=colour, font_size="12")


def _ink(line: Line, methods: Sequence[str]) -> str:
    return _style(line, methods.index(line.name) if line.role == "method" else 0)[0]


def forest(bars: Sequence[Bar], title: str, baselines: Sequence[str], bound: Number) -> str:
    """Differences with intervals, a line of its own for each; right of 0 is better."""
    step, top, left = 15, 52, 118
    tall = [len(bar.marks) * step + 10 for bar in bars]
    sheet = _Sheet(top + sum(tall) + 44)
    ends = [end for bar in bars for _, _, low, high in bar.marks for end in (low, high)]
    least, most = min([-0.05, *ends]), max([bound + 0.02, *ends])

    def x(value: Number) -> Number:
        return left + (WIDE - 10 - left) * (value - least) / (most - least)

    sheet.text(0, 14, title, font_weight="600")
    bottom = top + sum(tall)
    for value, told, dashes in ((0.0, "0", ""), (bound, f"+{100 * bound:g}", "3 3")):
        sheet.line(x(value), top - 6, x(value), bottom, GREY, stroke_dasharray=dashes or "none")
        sheet.text(x(value) + (2 if value else -2), bottom + 16, told, "start" if value else "end")
    for value in (least, most):
        at, side = (left, "start") if value == least else (WIDE - 10, "end")
        if abs(value) > 0.12:
            sheet.text(at, bottom + 16, f"{100 * value:+.0f}", side, fill=GREY)
    sheet.text((left + WIDE) / 2, bottom + 34, "points", "middle")
    _legend(sheet, baselines, left)
    _bars(sheet, bars, tall, top, x)
    return sheet.svg(title)


def _legend(sheet: _Sheet, baselines: Sequence[str], left: Number) -> None:
    sheet.text(0, 36, "less", fill=GREY)
    for at, name in enumerate(baselines):
        place = left + at * 84 - 84
        sheet.line(place + 2, 32, place + 16, 32, COLOURS[at], stroke_width="2.5")
        sheet.text(place + 20, 36, name, fill=COLOURS[at])


def _bars(
    sheet: _Sheet,
    bars: Sequence[Bar],
    tall: Sequence[int],
    top: Number,
    x: Scale,
) -> None:
    place = float(top)
    for bar, high in zip(bars, tall, strict=True):
        sheet.text(0, place + high / 2 - 1, bar.name)
        for at, (which, mean, low, up) in enumerate(bar.marks):
            y, colour = place + 6 + at * 15, COLOURS[which]
            sheet.line(x(low), y, x(up), y, colour, stroke_width="2")
            sheet.add("circle", cx=x(mean), cy=y, r="3.6", fill=colour)
        place += high


def bands(
    names: Sequence[str], pairs: Sequence[tuple[Number, Number]], title: str, who: tuple[str, str]
) -> str:
    """Two scores for each band of text height, joined: the longer the bar, the more is gained."""
    step, top, left, right = 30, 56, 84, WIDE - 16
    sheet = _Sheet(top + step * len(names) + 30)

    def x(value: Number) -> Number:
        return left + (right - left) * value

    sheet.text(0, 14, title, font_weight="600")
    for at, name in enumerate(who):
        sheet.add("circle", cx=float(left + at * 150), cy=32.0, r="5", fill=(COLOURS[0], INK)[at])
        sheet.text(left + at * 150 + 10, 36, name)
    bottom = top + step * len(names)
    for value in (0, 0.25, 0.5, 0.75, 1):
        sheet.line(x(value), top - 6, x(value), bottom, PALE, stroke_width="0.7")
        sheet.text(x(value), bottom + 16, f"{value:g}", "middle")
    for at, (name, (ours, theirs)) in enumerate(zip(names, pairs, strict=True)):
        y = top + step * at + 12
        sheet.text(0, y + 4, name)
        colour = COLOURS[0] if ours >= theirs else COLOURS[1]
        sheet.line(x(theirs), y, x(ours), y, colour, stroke_width="5", opacity="0.35")
        sheet.add("circle", cx=x(theirs), cy=y, r="5", fill=INK)
        sheet.add("circle", cx=x(ours), cy=y, r="5", fill=COLOURS[0])
    return sheet.svg(title)
