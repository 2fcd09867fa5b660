# pyright: basic
"""Training of the word scout: train the net, read pages with it, train the spreads.

Every stage leaves its result in the folder; a resumed run skips or continues it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homunculus.pages import open_picture
from homunculus.progress import progress
from homunculus.scouts.words import FRAME, WordScout, load
from homunculus.scouts.words.cache import page_cache
from homunculus_lab.train import ranges, spread, words
from homunculus_lab.train.batch import load_photos, prefetch
from homunculus_lab.train.defaults import PAGES, SPREAD_STEPS
from homunculus_lab.train.export import export
from homunculus_lab.train.net import FILE
from homunculus_lab.train.pages import render
from homunculus_lab.train.samples import PageDataset, make_sample, restore, store

Box = tuple[float, float, float, float]
FIRST_PAGE = 10**8
"""Seeds of the spread's pages: apart from the net's crops."""


@dataclass(frozen=True)
class RealQuestion:
    """A question on a real page and its answer's boxes: x0 y0 x1 y1 in pixels of the file."""

    path: Path
    question: str
    boxes: tuple[Box, ...]


def train(
    out: Path,
    real: Sequence[RealQuestion] = (),
    pages: int = PAGES,
    spread_steps: int = SPREAD_STEPS,
    **net: Any,
) -> Path:
    """Train into a folder that `words.load` reads; ``net`` are options of the net."""
    if not (out / FILE).exists():
        words.train(out, render, **net)
    if not (out / ranges.FILE).exists():
        ranges.train(out, render, net.get("photos"))
    export(out)
    scout = load(out, page_cache(0))
    dataset = PageDataset(render, FIRST_PAGE, pages, load_photos(net.get("photos")))
    rendered = _rendered_samples(scout, out / "lessons", dataset, net.get("workers", 1))
    real_samples = _real_samples(scout, out / "lessons", real)
    spread.train(out, rendered, real_samples, spread_steps)
    export(out)
    return out


def _rendered_samples(
    scout: WordScout, folder: Path, pages: PageDataset, workers: int
) -> list[Path]:
    """Files of all rendered pages that answer a question; files that exist are reused."""
    folder.mkdir(exist_ok=True)
    paths = [folder / f"page-{number:05d}.safetensors" for number in range(len(pages))]
    done = next((number for number, path in enumerate(paths) if not path.exists()), len(paths))
    stray = restore(paths[done - 1])[1] if done else ""
    with progress("rendering") as update:
        for number, page in enumerate(prefetch(pages, done, workers), done):
            questions = [*page.questions, (stray, ())] if stray else page.questions
            stray = page.questions[-1][0] if page.questions else stray
            store(paths[number], make_sample(scout, page.pixels, questions), stray)
            update(number + 1, len(pages), "pages rendered and read")
    return [path for path in paths if restore(path)[0].answerable]


def _real_samples(scout: WordScout, folder: Path, real: Sequence[RealQuestion]) -> list[Path]:
    """Files of the real pages; all questions of a page are in one file."""
    by_page: dict[Path, list[RealQuestion]] = {}
    for entry in real:
        by_page.setdefault(entry.path, []).append(entry)
    paths = []
    with progress("reading") as update:
        for done, (path, questions) in enumerate(sorted(by_page.items()), 1):
            picture = open_picture(path, longest=FRAME)
            (high, wide), (down, across) = picture.original, picture.size
            scale = (across / wide, down / high) * 2
            boxes = [
                [[side * by for side, by in zip(box, scale, strict=True)] for box in entry.boxes]
                for entry in questions
            ]
            pairs = [(entry.question, box) for entry, box in zip(questions, boxes, strict=True)]
            sample = make_sample(scout, picture.pixels, pairs)
            if sample.answerable:
                paths.append(folder / f"real-{done:05d}.safetensors")
                store(paths[-1], sample, "")
            update(done, len(by_page), "real pages read")
    return paths
