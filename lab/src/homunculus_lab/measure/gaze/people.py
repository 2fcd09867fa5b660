# pyright: basic
"""Where people looked: suites whose rows have `fixations` or `gaze`, as fractions of the image.

`fixations` is x, y and time for each viewer in pixels of the stored image. `gaze` is words that a
viewer looked at before typing an answer, with a score each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

from PIL import Image

from homunculus_lab.measure.suite import Box, Question, as_box, question, read_config, rows

Point = tuple[float, float]
"""x and y, from 0 to 1."""
FIRST = 1
"""Fixations of a scanpath that are not counted: viewers start at a given place."""


@dataclass(frozen=True)
class Viewing:
    """A question and where each of its viewers looked."""

    question: Question
    viewers: tuple[tuple[Point, ...], ...]
    """At least one, each with at least one point."""
    words: tuple[Point, ...] = ()
    """The middle of every printed word, where the suite has them."""

    @property
    def points(self) -> int:
        """Fixations of all viewers."""
        return sum(map(len, self.viewers))


def read_gaze(folder: str | Path) -> tuple[list[Viewing], dict[str, int]]:
    """The rows of a suite that were looked at, and how many were left out for which reason.

    Where a row names its `search_target`, the question must name it, too: a viewer who searches for
    a clock is not guided by a question about the weather.
    """
    folder, viewings = Path(folder), []
    config = read_config(folder)
    skipped = {"nobody looked": 0, "asks for something else": 0}
    for number, row in rows(folder / "qa.jsonl"):
        size = _size(folder / "images" / row["image"])
        viewers = _viewers(row, size)
        if not viewers:
            skipped["nobody looked"] += 1
        elif row.get("search_target", "") not in (row["question"] or "").lower():
            skipped["asks for something else"] += 1
        else:
            words = tuple(_middle(word[1:], size) for word in row.get("ocr", ()))
            entry = question(folder, number, row, _boxes(row), config)
            viewings.append(Viewing(entry, viewers, _inside(words)))
    if not viewings:
        raise ValueError(f"suite {folder.name}: no row has fixations or gaze. Choose another one.")
    return viewings, skipped


def _boxes(row: dict[str, Any]) -> list[Box]:
    boxes = row.get("boxes") or ([row["target_box"]] if row.get("target_box") else [])
    return [as_box(box) for box in boxes]


def _size(path: Path) -> tuple[int, int]:
    """Width and height, from the file's head."""
    with Image.open(path) as picture:
        return picture.size


def _middle(box: Sequence[float | int], size: tuple[int, int]) -> Point:
    return (box[0] + box[2]) / 2 / size[0], (box[1] + box[3]) / 2 / size[1]


def _viewers(row: dict[str, Any], size: tuple[int, int]) -> tuple[tuple[Point, ...], ...]:
    if row.get("gaze"):
        paths = [read_words(trial["pre_typing_attention"]) for trial in row["gaze"]]
    else:
        paths = [
            [(x / size[0], y / size[1]) for x, y in zip(path[0], path[1], strict=True)][FIRST:]
            for path in map(_columns, row.get("fixations") or ())
        ]
    return tuple(filter(None, map(_inside, paths)))


def _columns(path: Any) -> Any:
    """A scanpath as it should be: all x, all y, and if need be all times."""
    long = [len(column) if isinstance(column, list) else 0 for column in path]
    if len(path) not in (2, 3) or long[0] != long[1] or not long[0]:
        raise ValueError(
            f"fixations: a viewer is [[x, ...], [y, ...]] or with times as a third list, got "
            f"{len(path)} entries of lengths {long[:4]}. Turn points into columns."
        )
    return path


def _inside(path: Sequence[Point]) -> tuple[Point, ...]:
    return tuple(point for point in path if 0 <= point[0] < 1 and 0 <= point[1] < 1)


def read_words(words: Sequence[dict[str, Any]]) -> list[Point]:
    """Fixations at the middle of each word, as often as it was looked at.

    A score is a word's count over the highest count of its trial, so all are multiples of one
    fraction, and the counts can be had back.

    >>> box = {"topLeftX": 0.1, "topLeftY": 0.5, "width": 0.2, "height": 0.1}
    >>> read_words([{"bounding_box": box, "attention_score": score} for score in (1.0, 2 / 3)])
    [(0.2, 0.55), (0.2, 0.55), (0.2, 0.55), (0.2, 0.55), (0.2, 0.55)]
    """
    share = [Fraction(word["attention_score"]).limit_denominator(50) for word in words]
    whole = lcm(*(fraction.denominator for fraction in share))
    points: list[Point] = []
    for word, fraction in zip(words, share, strict=True):
        box = word["bounding_box"]
        middle = box["topLeftX"] + box["width"] / 2, box["topLeftY"] + box["height"] / 2
        points += [middle] * int(fraction * whole)
    return points
