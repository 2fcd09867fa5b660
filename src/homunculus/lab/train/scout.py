# pyright: basic
"""The whole word scout from nothing: train the net, read pages with it, train the spreads.

Every stage leaves its result in the folder and is skipped or resumed when the run goes on there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homunculus.image import open_picture
from homunculus.lab.train import spread, words
from homunculus.lab.train.batch import ahead, load_photos
from homunculus.lab.train.defaults import PAGES, SPREAD_STEPS
from homunculus.lab.train.pages import render
from homunculus.lab.train.progress import progress
from homunculus.lab.train.samples import Pages, lesson, restore, store
from homunculus.relevance.words import FRAME, WordScout, load
from homunculus.relevance.words.cache import Cache

Box = tuple[float, float, float, float]
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
    """A folder that `relevance.words.load` takes; ``net`` goes to the net's training."""
    path = out / "word-scout.safetensors"
    if not path.exists():
        words.train(out, render, **net)
    scout = load(out, Cache(out, most=0, near=0))
    beside = Pages(render, FIRST_PAGE, pages, load_photos(net.get("photos")))
    drawn = _drawn(scout, out / "lessons", beside, net.get("workers", 1))
    taken = _taken(scout, out / "lessons", real)
    spread.train(out, drawn, taken, spread_steps)
    return out


def _drawn(scout: WordScout, folder: Path, pages: Pages, workers: int) -> list[Path]:
    """Files of all rendered pages that answer a question; those that are there are kept."""
    folder.mkdir(exist_ok=True)
    paths = [folder / f"page-{at:05d}.safetensors" for at in range(len(pages))]
    done = next((at for at, path in enumerate(paths) if not path.exists()), len(paths))
    stray = restore(paths[done - 1])[1] if done else ""
    with progress(done, len(pages), "homunculus train") as tell:
        for at, page in enumerate(ahead(pages, done, workers), done):
            asked = [*page.asked, (stray, ())] if stray else page.asked
            stray = page.asked[-1][0] if page.asked else stray
            store(paths[at], lesson(scout, page.pixels, asked), stray)
            tell(at + 1, "pages rendered and read")
    return [path for path in paths if restore(path)[0].answered]


def _taken(scout: WordScout, folder: Path, real: Sequence[Real]) -> list[Path]:
    """Files of the real pages, all questions of one together."""
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
            made = lesson(scout, picture.pixels, pairs)
            if made.answered:
                out.append(folder / f"real-{done:05d}.safetensors")
                store(out[-1], made, "")
            tell(done, "real pages read")
    return out
