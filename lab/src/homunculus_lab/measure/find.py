# pyright: basic
"""Word finding: does the page print a word where the scout's best guess for it is?

Against chance (a random cell), any text (a random cell of text) and a full OCR reader that is
shown the same pixels. By the word's height, because height decides.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float, UInt8
from torch import Tensor

from homunculus.eyes.provenance import provenance
from homunculus.eyes.readers import Lines, Reader, distance
from homunculus.scouts.words.net import fold
from homunculus_lab.measure.metric import band, interval
from homunculus_lab.measure.spend import open_sheet
from homunculus_lab.measure.suite import Box, as_box, read_config, rows

GUESSES = 5
APART = (2, 6)
"""Rows and columns of cells around a guess that the next guess keeps away from."""
SLACK = 4.0
"""Pixels that a guess may be beside a word."""


@runtime_checkable
class Finder(Protocol):
    """Reads a page once and then says where any word stands, as a word scout does."""

    @property
    def weights(self) -> str:
        """Which weights it looks with."""
        ...

    def read(self, image: UInt8[Tensor, "3 _ _"]) -> dict[str, Tensor]:
        """Features of a page; `text` is the probability that a cell holds text."""
        ...

    def match(self, page: dict[str, Tensor], words: Sequence[str]) -> Float[Tensor, "n r c"]:
        """Probability that a cell is part of a word."""
        ...


@dataclass(frozen=True)
class Wanted:
    """Words to find in one image, each with all the boxes it stands in."""

    path: Path
    words: tuple[tuple[str, tuple[Box, ...]], ...]


def wanted(folder: Path) -> list[Wanted]:
    """Words of each image of a suite, from its OCR column or from its answers."""
    config = read_config(folder)
    printed: dict[str, list[tuple[str, Box]]] = {}
    for _, row in rows(folder / "qa.jsonl", needed=("image",)):
        if config.words == "answers":
            answer = fold(row["answers"][0])
            boxes = [(answer, as_box(box)) for box in row["boxes"]]
            printed.setdefault(row["image"], []).extend(boxes)
        elif row.get("ocr"):  # the same for all questions of an image
            printed[row["image"]] = [(fold(word), as_box(box)) for word, *box in row["ocr"]]
    if not printed:
        raise ValueError(
            f"{folder.name} does not say where its words stand. Give its rows the key `ocr`."
        )
    return [
        Wanted(folder / "images" / image, _sample(words, config.word_letters, config.word_count))
        for image, words in sorted(printed.items())
    ]


def _sample(
    printed: Sequence[tuple[str, Box]], least: int, most: int
) -> tuple[tuple[str, tuple[Box, ...]], ...]:
    distinct = sorted({word for word, _ in printed if len(word) >= least})
    drawn = random.Random(7).sample(distinct, min(most, len(distinct)))
    return tuple((word, tuple(box for text, box in printed if text == word)) for word in drawn)


def find(
    folder: Path,
    scout: Finder,
    reader: Reader | None = None,
    side: int = 1024,
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Share of words found at the first guess and among five; the result for `results/`."""
    origin = provenance()
    images = [one for one in wanted(folder) if one.words][:limit]
    rows: list[dict[str, Any]] = []
    for done, one in enumerate(images):
        if progress:
            progress(done, len(images))
        rows += _image(one, scout, reader, side)
    if not rows:
        raise ValueError(f"{folder.name} has no word long enough to be looked for.")
    names = [name for name in rows[0] if name not in ("image", "word", "height")]
    group = [row["image"] for row in rows]
    settings = {"task": "words", "suite": folder.name, "side": side, "weights": scout.weights}
    return (
        origin
        | settings
        | {
            "reader": reader.name if reader else None,
            "n": len(rows),
            "images": len(images),
            "table": {name: interval([float(row[name]) for row in rows], group) for name in names},
            "by_height": _by_height(rows, names),
            "rows": rows,
        }
    )


def _by_height(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    """Means by band of word height, small first; with how many words."""
    bands: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row["height"]):
        bands.setdefault(band(row["height"]), []).append(row)
    return {
        height: {"n": len(some)}
        | {name: round(fmean(float(row[name]) for row in some), 3) for name in names}
        for height, some in bands.items()
    }


def text(result: dict[str, Any]) -> str:
    """The table for people: all words with intervals, then by height."""
    head = f"{result['suite']} at {result['side']} px: {result['n']} words, "
    lines = [head + f"{result['images']} images", f"{'':<12}{'share':>7}  95 % interval"]
    for name, (mean, low, high) in result["table"].items():
        lines.append(f"{name:<12}{mean:>7.3f}  [{low:.3f}, {high:.3f}]")
    names = list(result["table"])
    lines.append(f"{'height px':<12}{'n':>7}" + "".join(f"{name:>11}" for name in names))
    for height, row in result["by_height"].items():
        cells = "".join(f"{row[name]:>11.3f}" for name in names)
        lines.append(f"{height:<12}{row['n']:>7}{cells}")
    return "\n".join(lines)


def _image(one: Wanted, scout: Finder, reader: Reader | None, side: int) -> list[dict[str, Any]]:
    sheet = open_sheet(one.path, side, 16)
    pixels = sheet.page.pixels
    features = scout.read(pixels)
    match = scout.match(features, [word for word, _ in one.words])
    text = features["text"].float()
    lines = reader.page(pixels) if reader else []
    rows = []
    for (word, stored), logit in zip(one.words, match, strict=True):
        boxes = [sheet.box(box) for box in stored]
        hits = [_within(guess, boxes) for guess in guesses(logit, pixels.shape[1:])]
        inside = _mask(boxes, text.shape, pixels.shape[1:])
        row = {
            "image": one.path.name, "word": word, "height": round(boxes[0][3] - boxes[0][1], 1),
            "top1": hits[0], "top5": any(hits),
            "chance": float(inside.mean()),
            "any_text": float((inside * text).sum() / text.sum().clamp(min=1e-6)),
        }  # fmt: skip
        if reader:
            row["ocr1"], row["ocr_exact"] = read_for(word, lines, boxes)
        rows.append(row)
    return rows


def guesses(
    match: Float[Tensor, "r c"], size: Sequence[int], many: int = GUESSES
) -> list[tuple[float, float]]:
    """The best places of a map, apart from each other, as x y in pixels of the page."""
    rows, cols = match.shape
    left, points = match.clone(), []
    for _ in range(many):
        y, x = divmod(int(left.argmax()), cols)
        points.append(((x + 0.5) * size[1] / cols, (y + 0.5) * size[0] / rows))
        left[max(0, y - APART[0]) : y + APART[0] + 1, max(0, x - APART[1]) : x + APART[1] + 1] = -1
    return points


def _within(point: tuple[float, float], boxes: Sequence[Box]) -> bool:
    x, y = point
    return any(
        box[0] - SLACK <= x <= box[2] + SLACK and box[1] - SLACK <= y <= box[3] + SLACK
        for box in boxes
    )


def _mask(boxes: Sequence[Box], grid: Sequence[int], size: Sequence[int]) -> Float[Tensor, "r c"]:
    """1 where a guess would be right."""
    y = (torch.arange(grid[0]) + 0.5) * size[0] / grid[0]
    x = (torch.arange(grid[1]) + 0.5) * size[1] / grid[1]
    inside = torch.zeros(grid[0], grid[1])
    for x0, y0, x1, y1 in boxes:
        down = (y >= y0 - SLACK) & (y <= y1 + SLACK)
        inside[down[:, None] & (x >= x0 - SLACK) & (x <= x1 + SLACK)] = 1
    return inside


def read_for(word: str, lines: Lines, boxes: Sequence[Box]) -> tuple[bool, bool]:
    """Whether a reader's best guess for a word is right; and whether it read it letter by letter.

    The guess is the printed word most like the one asked for, its place by letters along its line.
    """
    best, place, exact = -1.0, (0.0, 0.0), False
    for text, (x0, y0, x1, y1) in lines:
        start = 0
        for part in text.split():
            at = text.index(part, start)
            start = at + len(part)
            like = 1 - distance(fold(part), word) / max(len(fold(part)), len(word))
            if like > best:
                middle = (at + len(part) / 2) / max(1, len(text))
                best, place = like, (x0 + middle * (x1 - x0), (y0 + y1) / 2)
            exact = exact or fold(part) == word
        whole = fold(text)
        if word in whole and best < 1:  # a reader drops spaces: the word stands inside a longer one
            middle = (whole.index(word) + len(word) / 2) / len(whole)
            best, place = 0.999, (x0 + middle * (x1 - x0), (y0 + y1) / 2)
    return _within(place, boxes), exact
