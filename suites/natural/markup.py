"""Pieces of HTML and SVG for the pictures of screens, slides, charts and columns.

Text is handed over as HTML, so characters such as an ampersand stand as entities.
"""

import re
from collections.abc import Sequence


def text(key: str, words: str, name: str = "span", style: str = "", look: str = "") -> str:
    """Return an element that holds ``words`` and has the id ``key``."""
    more = (f' class="{look}"' if look else "") + (f' style="{style}"' if style else "")
    return f'<{name} id="{key}"{more}>{words}</{name}>'


def box(content: str, look: str = "", style: str = "") -> str:
    """Return a plain block around ``content``."""
    more = (f' class="{look}"' if look else "") + (f' style="{style}"' if style else "")
    return f"<div{more}>{content}</div>"


def pair(key: str, label: str, value: str, look: str = "pair") -> str:
    """Return a label (``key-label``) and its value (``key``) in one block."""
    return box(text(f"{key}-label", label, look="label") + text(key, value, look="value"), look)


def table(
    columns: Sequence[tuple[str, str]],
    rows: Sequence[Sequence[str]],
    row: str = "r",
    head: str = "h-",
    look: str = "",
) -> str:
    """Return a table: headers have ids such as ``h-amount``, cells such as ``r3-amount``.

    A column whose label begins with ``>`` stands at the right.
    """
    sides = ["right" if label.startswith(">") else "left" for _, label in columns]
    top = "".join(
        f'<th style="text-align:{side}">{text(head + key, label.lstrip(">"))}</th>'
        for (key, label), side in zip(columns, sides, strict=True)
    )
    body = ""
    for number, cells in enumerate(rows):
        line = "".join(
            f'<td style="text-align:{side}">{text(f"{row}{number}-{key}", cell)}</td>'
            for (key, _), side, cell in zip(columns, sides, cells, strict=True)
        )
        body += f"<tr>{line}</tr>"
    return f'<table class="{look}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'


def lines(block: str) -> list[list[str]]:
    """Split a block of text into rows (lines) of cells (between bars)."""
    return [[cell.strip() for cell in line.split("|")] for line in block.strip().splitlines()]


def whole(css: str, body: str, language: str = "en") -> str:
    """Return a whole page of HTML."""
    base = "*{box-sizing:border-box}body{margin:0}table{border-collapse:collapse}"
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        f"<style>{base}{css}</style></head><body>{body}</body></html>"
    )


def svg(width: float, height: float, content: str, style: str = "") -> str:
    """Return a drawing of this size."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="{style}">{content}</svg>'
    )


def label(
    key: str,
    x: float,
    y: float,
    words: str,
    size: float = 14,
    anchor: str = "start",
    fill: str = "#333",
    turn: float = 0,
    weight: int = 400,
) -> str:
    """Return text in a drawing; an empty ``key`` gives it no id."""
    name = f' id="{key}"' if key else ""
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return (
        f'<text{name} x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{fill}" font-weight="{weight}"{turned}>{words}</text>'
    )


def bar(x: float, y: float, width: float, height: float, fill: str, round_by: float = 0) -> str:
    """Return a filled rectangle."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{fill}" rx="{round_by}"/>'
    )


def stroke(
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    colour: str = "#ccc",
    width: float = 1,
    dash: str = "",
) -> str:
    """Return a straight line."""
    return (
        f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" '
        f'stroke-width="{width}" stroke-dasharray="{dash}"/>'
    )


def curve(
    points: Sequence[tuple[float, float]], colour: str, width: float = 2, dash: str = ""
) -> str:
    """Return a line through points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
        f'stroke-dasharray="{dash}" stroke-linejoin="round"/>'
    )


def dot(x: float, y: float, radius: float, fill: str) -> str:
    """Return a filled circle."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}"/>'


def marked(words: str) -> str:
    """Turn marks such as ``‹when:at noon›`` into spans: the id stands before the colon."""
    return re.sub(r"‹([\w-]+):(.*?)›", r'<span id="\1">\2</span>', words, flags=re.DOTALL)
