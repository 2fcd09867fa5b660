# pyright: basic
"""A long conversation about screens, with a bound and without: what each request's pictures cost.

    python -m homunculus_lab.measure.conversation -o results/conversation.json --chart FILE.svg

Thirty turns with twenty-five screens, drawn by this file, as requests of Anthropic's format. They
are not sent: what each costs is counted, and whether it begins with the bytes of the one before.
"""

import argparse
import json
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from homunculus.eyes.provenance import provenance
from homunculus.messages import ANTHROPIC
from homunculus.planner.models import token_rule
from homunculus.serve import Rewriter
from homunculus_lab.plot import BLUE, GREY, INK, ORANGE, PALE, stroke, written
from homunculus_lab.results import to_text

COMMAND = "python -m homunculus_lab.measure.conversation"
MODEL = "claude-opus-4-8"
TURNS, SKIPPED = 30, 6
"""Turns; every sixth has no screen."""
TOKENS, HISTORY = 300, 3600
SIZE = WIDE, HIGH = 1280, 800
ROWS = ("Orders", "Returns", "Open tickets", "Visitors", "Revenue", "Refunds", "Stock", "Staff")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BASE = 560, 240, 60, 30, 420, 200
"""Of the chart, and of the frame within it."""


def screen(turn: int) -> str:
    """A screen as base64: a table of numbers that differ from turn to turn."""
    image = Image.new("RGB", SIZE, "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, SIZE[0], 48), fill="#20435c")
    draw.text((24, 12), f"Dashboard, day {turn + 1}", "white", font_size=20)
    for row, name in enumerate(ROWS):
        top = 90 + 80 * row
        draw.text((60, top), name, "black", font_size=18)
        draw.text((700, top), f"{(turn + 3) * (row + 7) * 137 % 9973:,}", "black", font_size=18)
        draw.line((60, top + 40, 1220, top + 40), "#d0d0d0")
    file = BytesIO()
    image.save(file, "png")
    return b64encode(file.getvalue()).decode()


def conversation() -> list[list[dict[str, Any]]]:
    """The turns of each request: all that was said so far."""
    said, requests = list[dict[str, Any]](), []
    for turn in range(TURNS):
        name = ROWS[turn % len(ROWS)]
        parts: list[dict[str, Any]] = [{"type": "text", "text": f"What is the number of {name}?"}]
        if turn % SKIPPED != SKIPPED - 1:
            source = {"type": "base64", "media_type": "image/png", "data": screen(turn)}
            parts.insert(0, {"type": "image", "source": source})
        said.append({"role": "user", "content": parts})
        requests.append(list(said))
        said.append({"role": "assistant", "content": "I see."})
    return requests


def measure() -> list[dict[str, Any]]:
    """A row for each request."""
    rewriter = Rewriter(TOKENS, history=HISTORY, strict=True)
    price, before, rows = token_rule(MODEL).count((HIGH, WIDE)), "", list[dict[str, Any]]()
    for turn, turns in enumerate(conversation(), 1):
        body, report = rewriter.request({"model": MODEL, "messages": turns}, adapter=ANTHROPIC)
        raw = json.dumps(body["messages"]).removesuffix("]")
        shown = len(report.shown)
        rows.append({
            "turn": turn, "pictures": shown, "untouched": shown * price,
            "tokens": report.tokens, "label_tokens": report.label_tokens,
            "same_beginning": bool(before) and raw.startswith(before),
        })  # fmt: skip
        before = raw
    return rows


def chart(rows: list[dict[str, Any]]) -> str:
    """Tokens of each request's pictures, by turn, as SVG."""
    most = rows[-1]["untouched"]

    def place(turn: int, tokens: int) -> tuple[float, float]:
        across = LEFT + (RIGHT - LEFT) * (turn - 1) / (TURNS - 1)
        return across, BASE - (BASE - TOP) * tokens / most

    spent = [row["tokens"] + row["label_tokens"] for row in rows]
    parts = [written(0, 15, "Tokens of all pictures in a request", INK)]
    for tokens in range(0, most + 1, 10_000):
        _, y = place(1, tokens)
        parts += [stroke([(LEFT, y), (RIGHT, y)], PALE)]
        parts += [written(LEFT - 6, y + 4, f"{tokens:,}", GREY, "end")]
    for turn in (1, 10, 20, 30):
        parts.append(written(place(turn, 0)[0], BASE + 18, f"turn {turn}", GREY, "middle"))
    before = [place(row["turn"], row["untouched"]) for row in rows]
    after = [place(row["turn"], tokens) for row, tokens in zip(rows, spent, strict=True)]
    parts += [stroke(before, ORANGE), stroke(after, BLUE)]
    parts += [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{BLUE}"/>'
        for row, (x, y) in zip(rows, after, strict=True) if not row["same_beginning"]
    ]  # fmt: skip
    parts += [written(RIGHT + 8, before[-1][1] + 4, "as they were sent", ORANGE)]
    parts += [written(RIGHT + 8, after[-1][1] - 8, f"history={HISTORY:,}", BLUE)]
    parts += [written(RIGHT + 8, after[-1][1] + 6, "dots: a block begins", GREY)]
    head = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
    space = 'xmlns="http://www.w3.org/2000/svg" font-family="system-ui, sans-serif" font-size="11"'
    return f"<svg {head} {space}>{''.join(parts)}</svg>\n"


def main() -> None:
    """Measure, and write the file and the chart."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--chart", type=Path)
    arguments = parser.parse_args()
    rows = measure()
    facts = {"model": MODEL, "tokens": TOKENS, "history": HISTORY, "screen": SIZE}
    arguments.out.write_text(
        to_text({"about": provenance() | {"command": COMMAND}, **facts, "turns": rows}), "utf-8"
    )
    if arguments.chart:
        arguments.chart.write_text(chart(rows), "utf-8")


if __name__ == "__main__":
    main()
