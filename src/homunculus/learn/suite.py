# pyright: basic
"""Rendered pages as a suite on disk: images and questions with answers and boxes, for `measure`."""

import json
from pathlib import Path
from random import Random
from typing import Any

from homunculus.extra import need
from homunculus.learn.pages import render

FIRST = 3 * 10**9
"""Seeds of suites: no training has seen them."""
SIDE = (1440, 1080)
"""Pixels of a page, down and across; print is scaled with it."""
ASKED = 4


def write(folder: Path, pages: int, seed: int = 0) -> Path:
    """Render pages and their questions into a new folder."""
    image = need("PIL.Image", "learn", "the page renderer")
    (folder / "images").mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for at in range(pages):
        page = render(FIRST + seed * 10**6 + at, *SIDE, whole=True)
        name = f"{at:05d}.png"
        image.fromarray(page.pixels).save(folder / "images" / name)
        facts = Random(at).sample(page.facts, min(ASKED, len(page.facts)))
        rows += [_row(name, page, fact) for fact in facts]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "qa.jsonl").write_text(lines, "utf-8")
    return folder


def _row(name: str, page: Any, fact: Any) -> dict[str, Any]:
    """A question, its answer as printed, and one box around all its words."""
    words = [page.words[index] for index in fact.answer]
    low = [float(min(word.quad[:, axis].min() for word in words)) for axis in (0, 1)]
    top = [float(max(word.quad[:, axis].max() for word in words)) for axis in (0, 1)]
    box = [round(side, 1) for side in (*low, *top)]
    answer = " ".join(word.text for word in words)
    return {"image": name, "question": fact.question, "answers": [answer], "boxes": [box]}
