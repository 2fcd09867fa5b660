# pyright: basic
"""The whole word scout from nothing: train the net, read pages with it, train the spreads.

Every stage leaves its result in the folder and is skipped or resumed when the run goes on there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from homunculus.learn import spread, words
from homunculus.learn.batch import load_photos
from homunculus.learn.pages import render
from homunculus.learn.progress import progress
from homunculus.learn.spread import Lesson
from homunculus.picture import open_picture
from homunculus.scout.cache import Cache
from homunculus.scout.words import FRAME, WordScout, load

Box = tuple[float, float, float, float]
PAGES = 500
SPREAD_STEPS = 1500
FIRST_PAGE = 10**8
"""Seeds of the spread's pages: apart from the net's crops."""


@dataclass(frozen=True)
class Real:
    """A real page's question and where its answer stands: x0 y0 x1 y1 in pixels of the file."""

    path: Path
    question: str
    boxes: tuple[Box, ...]


def train(
    out: Path,
    real: Sequence[Real] = (),
    pages: int = PAGES,
    spread_steps: int = SPREAD_STEPS,
    **net: Any,
) -> Path:
    """Make a folder that `homunculus.scout.load` takes; ``net`` goes to the net's training."""
    path = out / "word-scout.safetensors"
    if not path.exists():
        words.train(out, render, **net)
    scout = load(out, Cache(out / "features", near=0))
    drawn = _drawn(scout, pages, load_photos(net.get("photos")))
    taken = _taken(scout, real)
    torch.set_num_threads(net.get("threads", 2))
    spread.train(out, scout, drawn, taken, spread_steps)
    return out


def _drawn(scout: WordScout, pages: int, photos: Sequence[np.ndarray]) -> list[Lesson]:
    out = []
    with progress(0, pages, "homunculus train") as tell:
        for at in range(pages):
            out.append(spread.rendered(scout, render, FIRST_PAGE + at, photos))
            tell(at + 1, "pages rendered and read")
    return out


def _taken(scout: WordScout, real: Sequence[Real]) -> list[Lesson]:
    """Real pages, all questions of one together."""
    by_page: dict[Path, list[Real]] = {}
    for one in real:
        by_page.setdefault(one.path, []).append(one)
    out = []
    with progress(0, len(by_page), "homunculus train") as tell:
        for done, (path, asked) in enumerate(sorted(by_page.items()), 1):
            picture = open_picture(path, longest=FRAME)
            (high, wide), (down, across) = picture.original, picture.size
            scale = (across / wide, down / high) * 2
            boxes = [
                [[side * by for side, by in zip(box, scale, strict=True)] for box in one.boxes]
                for one in asked
            ]
            pairs = [(one.question, box) for one, box in zip(asked, boxes, strict=True)]
            out.append(spread.lesson(scout, picture.pixels, pairs))
            tell(done, "real pages read")
    return out
