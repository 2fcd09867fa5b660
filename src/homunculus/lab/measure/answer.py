# pyright: basic
"""What a reader makes of an answer that is shown to it: by a crop, near its box, or anywhere."""

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import Literal

from homunculus.lab.measure.metric import Score, among, anls, inside
from homunculus.lab.measure.official import lone, relaxed
from homunculus.lab.measure.read import Pixels, Reader
from homunculus.lab.measure.suite import Box, Question

Read = Literal["crop", "page", "anywhere"]
Metric = Literal["anls", "vqa", "relaxed"]
TOUCH = 0.3
"""Share of the answer box that a detected line must cover to be its reading."""
_WORDS: dict[Metric, Score] = {"vqa": lone, "relaxed": relaxed}


def readings(reader: Reader, way: Read, pixels: Pixels, boxes: Sequence[Box]) -> list[str]:
    """Texts that may be the answer: of its boxes, of lines upon them, or of all lines."""
    if way == "crop":
        return [reader.line(crop(pixels, box)) for box in boxes]
    return read_pictures(reader, way, [(pixels, (0, 0))], boxes)


def read_pictures(
    reader: Reader,
    way: Read,
    pictures: Sequence[tuple[Pixels, tuple[int, int]]],
    boxes: Sequence[Box],
) -> list[str]:
    """The same of several pictures of one page, each read by itself; x y are their corners."""
    found: list[str] = []
    for pixels, (x, y) in pictures:
        here = [(box[0] - x, box[1] - y, box[2] - x, box[3] - y) for box in boxes]
        if way == "anywhere":
            found += [text for text, _ in reader.page(pixels)]
            continue
        lines = reader.page(pixels, near=here)
        found += [text for text, line in lines if any(_covers(line, box) for box in here)]
    return found


def score(texts: Sequence[str], way: Read, metric: Metric, question: Question) -> float:
    """The best of the readings."""
    right = _right(way, metric, question.config.boxes == "line")
    return max((right(text, question.answers) for text in texts), default=0.0)


def _right(way: Read, metric: Metric, lines: bool) -> Score:
    """A box of a whole line, and any detected line, may hold more than the answer."""
    alone = way == "crop" and not lines
    if metric != "anls":
        words = _WORDS[metric]
        return words if alone else partial(among, score=words, between=" ")
    by_way: dict[Read, Callable[..., float]] = {"page": inside, "anywhere": among}
    return by_way.get(way, anls if alone else inside)


def _covers(line: Box, box: Box) -> bool:
    wide = min(line[2], box[2]) - max(line[0], box[0])
    high = min(line[3], box[3]) - max(line[1], box[1])
    area = (box[2] - box[0]) * (box[3] - box[1])
    return max(0.0, wide) * max(0.0, high) >= TOUCH * area


def crop(pixels: Pixels, box: Box) -> Pixels:
    """The box with an eighth of its height around it."""
    pad = max(2.0, 0.12 * (box[3] - box[1]))
    high, wide = int(pixels.shape[1]), int(pixels.shape[2])
    left, top = int(max(0, box[0] - pad)), int(max(0, box[1] - pad))
    right, bottom = min(wide, ceil(box[2] + pad)), min(high, ceil(box[3] + pad))
    return pixels[:, top:bottom, left:right]
