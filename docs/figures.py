"""Draws the figures of docs/ideas.md and docs/index.md: `python docs/figures.py`.

Curves are SVG text, maps are pictures; measured numbers come from results/, all else is computed
here by the package itself.
"""

import json
from collections.abc import Sequence
from html import escape
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from cards import PATCH, QUESTION, draw
from PIL import Image, ImageDraw

from homunculus import Planner
from homunculus.engines.cells.methods import get_method
from homunculus.engines.cells.pack import pack
from homunculus.pages import open_picture
from homunculus.planner.acuity import get_acuity
from homunculus.planner.models import token_rule
from homunculus.scouts import contrast, information
from homunculus.scouts.combine import rank
from homunculus.show import panels
from homunculus_lab.measure.command import scouts
from homunculus_lab.methods.cortex import FOVEA, cells_per_degree, eccentricity

DOCS = Path(__file__).parent
CORTEX = 17.3
"""Millimetres of visual cortex a degree, in the middle of the gaze (Horton and Hoyt, 1991)."""
RESULTS = DOCS.parent / "results"
INVOICE = DOCS / "invoice.png"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a8a8a")
"""Colours that colour-blind readers can tell apart (Okabe and Ito)."""


# ---- curves --------------------------------------------------------------------------------------


class Curve(NamedTuple):
    """Points with a name; dots are not joined."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: int
    dots: bool = False


class Axes(NamedTuple):
    """Where a panel's values lie."""

    title: str
    across: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    log: bool = False

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Fractions from 0 to 1 of a value."""
        low, high = self.x[0], self.x[-1]
        if self.log:
            x, low, high = log2(x), log2(low), log2(high)
        return (x - low) / (high - low), (y - self.y[0]) / (self.y[-1] - self.y[0])


WIDE, HIGH, LEFT, TOP, BOTTOM = 300, 250, 50, 34, 46


def panel(axes: Axes, curves: Sequence[Curve], left: int) -> list[str]:
    """One set of curves."""
    inner, tall = WIDE - LEFT - 14, HIGH - TOP - BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        across, up = axes.at(x, y)
        return round(left + LEFT + across * inner, 1), round(TOP + (1 - up) * tall, 1)

    parts = [text(left + LEFT, 18, axes.title, "start", "600")]
    for value in axes.y:
        (x0, y), (x1, _) = place(axes.x[0], value), place(axes.x[-1], value)
        parts.append(f'<path d="M{x0} {y}H{x1}" stroke="#d9d9d9" stroke-width=".7"/>')
        parts.append(text(x0 - 6, y + 4, f"{value:,g}", "end"))
    for value in axes.x:
        x, y = place(value, axes.y[0])
        parts.append(text(x, y + 18, f"{value:,g}", "middle"))
    parts.append(text(left + LEFT + inner / 2, HIGH - 8, axes.across, "middle"))
    for curve in curves:
        points = [place(*point) for point in curve.points]
        colour = COLOURS[curve.colour]
        if curve.dots:
            parts += [f'<circle cx="{x}" cy="{y}" r="2.2" fill="{colour}" fill-opacity=".5"/>'
                      for x, y in points]  # fmt: skip
        else:
            line = " ".join(f"{x},{y}" for x, y in points)
            parts.append(
                f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.2"/>'
            )
    return parts


def text(x: float, y: float, words: str, anchor: str, weight: str = "400") -> str:
    """Letters."""
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="12.5" font-weight="{weight}" '
        f'fill="#1a1a1a">{escape(words)}</text>'
    )


def figure(name: str, title: str, sets: Sequence[tuple[Axes, Sequence[Curve]]]) -> None:
    """Panels side by side with one legend below, as SVG."""
    parts = [
        part for at, (axes, curves) in enumerate(sets) for part in panel(axes, curves, at * WIDE)
    ]
    seen = dict.fromkeys((curve.name, curve.colour) for _, curves in sets for curve in curves)
    x, y, wide = LEFT, HIGH + 18, WIDE * len(sets)
    for label, colour in seen:
        long = 26 + 7 * len(label) + 14
        if x > LEFT and x + long > wide:
            x, y = LEFT, y + 20
        parts.append(f'<path d="M{x} {y - 4}h18" stroke="{COLOURS[colour]}" stroke-width="3"/>')
        parts.append(text(x + 24, y, label, "start"))
        x += long
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide * 1.15:.0f}" viewBox="0 0 {wide} {y + 12}" role="img" '
        f'aria-label="{escape(title)}" font-family="system-ui, sans-serif">'
        f'<rect width="{wide}" height="{y + 12}" fill="#fff"/>'
    )
    (DOCS / "ideas" / f"{name}.svg").write_text(head + "\n".join(parts) + "</svg>\n", "utf-8")


def reading() -> None:
    """What views and the resized picture show of an answer: measured."""
    names = (("views", 0), ("resize", 1))
    labels = {"views": "views", "resize": "the whole picture, resized"}
    sets = []
    for title, file, suite in (
        ("pages (DocVQA)", "views-tokens32-text", "docvqa_gaze"),
        ("receipts (SROIE)", "views-tokens32-text", "sroie"),
        ("street words (ICDAR)", "views-tokens32-text", "icdar2015"),
    ):  # fmt: skip
        runs = json.loads((RESULTS / f"{file}.json").read_text("utf-8"))["runs"]
        run = next(one for one in runs if one["suite"] == suite)
        column, table = run["columns"][0], run["table"]
        axes = Axes(title, "tokens of 32 px", (16, 32, 64, 128, 273), (0, 0.25, 0.5, 0.75, 1), True)
        sets.append((axes, [
            Curve(labels[name], [(slots, table[name][str(slots)][column][0]) for slots in axes.x], colour)
            for name, colour in names
        ]))  # fmt: skip
    figure("reading", "Share of answers that an OCR network reads, by tokens", sets)


def count() -> None:
    """What a picture costs, untouched and with a budget."""
    rule = token_rule("qwen3-vl")
    sides = (512, 1024, 1536, 2048, 3072, 4000)
    costs = [(side * side * 3 / 4 / 1e6, rule.count((side * 3 // 4, side))) for side in sides]
    axes = Axes("tokens of one image", "megapixels", (0, 3, 6, 9, 12), (0, 4000, 8000, 12000))
    curves = [Curve("untouched, Qwen3-VL", costs, 1)]
    curves.append(Curve("a budget of 273", [(0.2, 273), (12, 273)], 0))
    figure("count", "Tokens of an image by its size", [(axes, curves)])


def value() -> None:
    """How small a reader reads, and what a budget buys by the planner's own estimate."""
    heights = [2 * 1.05**step for step in range(64) if 2 * 1.05**step <= 40]
    names = (("rapidocr", 0), ("tesseract", 2), ("vlm", 1))
    read = [
        Curve(name, [(high, float(get_acuity(name).read(np.log2([high]))[0])) for high in heights], colour)
        for name, colour in names
    ]  # fmt: skip
    acuity = Axes(
        "probability to read a line", "its height in pixels", (2, 4, 8, 16, 32), (0, 0.5, 1), True
    )
    budgets = (16, 24, 32, 48, 64, 96, 128, 192, 256)
    plans = [("views, planned", 3, None), ("the whole picture, resized", 4, 0)]
    bought = []
    for name, colour, windows in plans:
        planner = Planner(INVOICE, QUESTION, windows=windows, label=False)
        bought.append(
            Curve(name, [(slots, planner.views(slots).value) for slots in budgets], colour)
        )
    spend = Axes(
        "estimated value, the invoice", "tokens of 32 px", (16, 32, 64, 128, 256), (0, 0.5, 1), True
    )
    figure(
        "value",
        "Acuity of three readers, and the value of plans",
        [(acuity, read), (spend, bought)],
    )


def magnification() -> None:
    """The magnification of the cortex, and the cells that follow from it."""
    degrees = [step / 10 for step in range(201)]
    curve = [(one, CORTEX / (one + FOVEA)) for one in degrees]
    grid, point = (64, 64), torch.tensor([[[32.0, 32.0]]])
    method = get_method("foveated").aimed(point)
    tokens = pack(*method.plan([grid], torch.zeros(1, 64 * 64), 273))
    box = tokens.box
    middle, half = (box[..., :2] + box[..., 2:]) / 2, (box[..., 2:] - box[..., :2]) / 2
    rate = cells_per_degree((grid,), 40.0, box.device)
    away = (eccentricity(middle, half, point) / rate)[0].tolist()
    side = ((box[..., 2] - box[..., 0]) / rate)[0].tolist()
    cells = [one for one in sorted(zip(away, side, strict=True)) if one[0] <= 20]
    law = [(one, 0.33 * (one + FOVEA)) for one in degrees]
    left = Axes(
        "mm of cortex a degree, M(e)",
        "degrees from the fixation",
        (0, 5, 10, 15, 20),
        (0, 8, 16, 24),
    )
    right = Axes(
        "side of a kept cell, degrees",
        "degrees from the fixation",
        (0, 5, 10, 15, 20),
        (0, 2, 4, 6, 8),
    )
    figure(
        "magnification", "Cortical magnification and the cells it makes",
        [(left, [Curve("Horton and Hoyt 1991", curve, 1)]),
         (right, [Curve("cells of foveated, 273 tokens", cells, 0, dots=True), Curve("in proportion to 1 / M(e)", law, 1)])],
    )  # fmt: skip


# ---- maps ----------------------------------------------------------------------------------------


def row(name: str, parts: Sequence[tuple[str, Any]]) -> None:
    """Pictures side by side under their titles."""
    wide, high, gap, head = *parts[0][1].size, 14, 26
    board = Image.new("RGB", (len(parts) * (wide + gap) - gap, high + head), panels.PAPER)
    for at, (title, picture) in enumerate(parts):
        x = at * (wide + gap)
        ImageDraw.Draw(board).text((x, 2), title, panels.INK, panels.typeface(17))
        board.paste(picture, (x, head))
    board.save(DOCS / "ideas" / f"{name}.webp", quality=74, method=6)


def cuts() -> None:
    """The same cut with more and more tokens."""
    parts = [
        (f"{slots} tokens", draw("cut", slots).crop((0, 0, 300, 413))) for slots in (8, 20, 64, 273)
    ]
    row("cut", [(title, one.resize((225, 310))) for title, one in parts])


def foveas() -> None:
    """The fovea alone, without any relevance, at two fixations."""
    grid, parts = (48, 64), []
    for title, at in (
        ("fixation in the middle", (24.0, 32.0)),
        ("fixation at a corner", (10.0, 54.0)),
    ):
        method = get_method("foveated").aimed(torch.tensor([[at]]))
        tokens = pack(*method.plan([grid], torch.zeros(1, 48 * 64), 273))
        scale = 6
        picture = Image.new("RGB", (64 * scale, 48 * scale), "white")
        box, kind = panels._drawn(tokens, (48, 64), 1, True)
        kept = panels._kept(picture, box * scale, kind)
        panels.cross(kept, at, scale)
        parts.append((title, kept))
    row("fovea", parts)


def ways() -> None:
    """Four maps of one page."""
    picture = open_picture(INVOICE)
    grid = picture.grid(PATCH)
    readers = scouts(None)
    maps = {
        "what is there": information(picture.pixels, PATCH),
        "what stands out": contrast(picture.pixels, PATCH),
        "what answers look like": readers["blind"](picture.pixels, "", grid).logit,
        "what the question asks": readers["scout"](picture.pixels, QUESTION, grid).logit,
    }
    size = (225, round(225 * picture.size[0] / picture.size[1]))
    small = Image.open(INVOICE).convert("RGB").resize(size, Image.Resampling.LANCZOS)
    cell, parts = 225 / grid[1], []
    for at, (title, one) in enumerate(maps.items()):
        if at < 2:  # in units of their own: by rank, as the mix takes them
            one = rank(one) * 4
        parts.append((title, panels.heated(small, one, cell)))
    row("ways", parts)


def main() -> None:
    """Draw all."""
    for one in (reading, count, value, magnification, cuts, foveas, ways):
        one()
        print(one.__name__)


if __name__ == "__main__":
    main()
