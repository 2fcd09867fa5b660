# pyright: basic
"""What a reader makes of pictures: the text in the answer's box, or whatever it finds itself."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from homunculus.eyes.readers import Pixels, crop
from homunculus_lab.measure.metric import Score, among, anls, inside
from homunculus_lab.measure.official import lone, relaxed
from homunculus_lab.measure.readers import PageReader
from homunculus_lab.measure.suite import Box, Question

Read = Literal["anywhere", "crop"]
Metric = Literal["anls", "vqa", "relaxed"]
_WORDS: dict[Metric, Score] = {"vqa": lone, "relaxed": relaxed}


def readings(reader: PageReader, way: Read, pixels: Pixels, boxes: Sequence[Box]) -> list[str]:
    """Texts that may be the answer: of its boxes, or of all lines."""
    if way == "crop":
        return [reader.line(crop(pixels, box)) for box in boxes]
    return read_pictures(reader, [pixels])


def read_pictures(reader: PageReader, pictures: Sequence[Pixels]) -> list[str]:
    """Every line that is found in pictures of one page, each read by itself."""
    return [text for pixels in pictures for text, _ in reader.page(pixels)]


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
    if way == "anywhere":
        return among
    return anls if alone else inside
