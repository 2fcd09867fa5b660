# pyright: basic
"""Rendered pages as a suite on disk: images and questions with answers and boxes, for `measure`.

    python -m homunculus_lab.train.suite FOLDER [PAGES [SEED]]

writes one that no training uses: settings are tuned there, not on pages that are reported.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from homunculus_lab.train.pages import render

FIRST = 3 * 10**9
"""Seeds of suites: no training uses them."""
SIDE = (1024, 768)
"""Height and width of a page in pixels."""
QUESTIONS = 4
"""Most questions of a page."""


def write(folder: Path, pages: int, seed: int = 0) -> Path:
    """Render pages and their questions into a new folder."""
    image = import_module("PIL.Image")
    (folder / "images").mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for at in range(pages):
        page = render(FIRST + seed * 10**6 + at, *SIDE, whole=True)
        name = f"{at:05d}.png"
        image.fromarray(page.pixels).save(folder / "images" / name)
        lines = [fact for fact in page.facts if _one_line(page, fact)]
        facts = Random(at).sample(lines, min(QUESTIONS, len(lines)))
        rows += [_row(name, page, fact) for fact in facts]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "qa.jsonl").write_text(lines, "utf-8")
    return folder


def _one_line(page: Any, fact: Any) -> bool:
    """Whether an answer is on one line, as readers read lines."""
    tops = [float(page.words[index].quad[0, 1]) for index in fact.answer]
    first = page.words[fact.answer[0]].quad
    return fact.apart or max(tops) - min(tops) < float(first[3, 1] - first[0, 1])


def _row(name: str, page: Any, fact: Any) -> dict[str, Any]:
    """A question, its answer as printed, and its boxes: one, or one for each place it stands."""
    words = [page.words[index] for index in fact.answer]
    if fact.apart:
        boxes = [_bounding_box([word]) for word in words]
        return {
            "image": name,
            "question": fact.question,
            "answers": [words[0].text],
            "boxes": boxes,
        }
    answer = " ".join(word.text for word in words)
    row = {"image": name, "question": fact.question, "answers": [answer]}
    return row | {"boxes": [_bounding_box(words)]}


def _bounding_box(words: list[Any]) -> list[float]:
    low = [float(min(word.quad[:, axis].min() for word in words)) for axis in (0, 1)]
    top = [float(max(word.quad[:, axis].max() for word in words)) for axis in (0, 1)]
    return [round(side, 1) for side in (*low, *top)]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m homunculus_lab.train.suite FOLDER [PAGES [SEED]]")
    suite = write(Path(sys.argv[1]), *map(int, sys.argv[2:] or ["40"]))
    sys.stdout.write(f"wrote {suite}\n")
