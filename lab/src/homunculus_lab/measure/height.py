# pyright: basic
"""Heights of print: how well the word scout tells them, on the boxes of real answers.

Errors are in octaves. Beside the scout stand the best single height for all, and what can be told
from the reading sizes alone: print is read best at the size that suits it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import fmean, median
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.eyes.provenance import provenance
from homunculus.scouts.words import FRAME, WordScout
from homunculus.scouts.words.height import OFFSET, SIZE_ERROR
from homunculus.scouts.words.scan import SIZES
from homunculus_lab.measure.metric import interval
from homunculus_lab.measure.parts import part
from homunculus_lab.measure.spend import Sheet, open_sheet
from homunculus_lab.measure.suite import Question, draw, read

PARTS = ("pilot", "dev", "train")
"""Parts that are measured if none is named; those that a suite does not have are left out."""
LETTERS = 18.3
"""Pixels of the letters that the net reads best: the middle of what it was trained on."""
WAYS = ("scout", "sizes", "constant")


@dataclass(frozen=True)
class Told:
    """One answer: log2 of its box's height in pixels of the page, and what was told of it."""

    question: Question
    true: float
    scout: float
    sizes: float


def measure_heights(
    folders: Sequence[Path],
    scout: WordScout,
    only: str | None = None,
    side: int = 1024,
    limit: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Correlation and errors by suite and part; the result for `results/`."""
    if scout.height is None:
        raise ValueError("height: this scout has no height.safetensors. Use `homunculus train`.")
    origin = provenance()
    by_part: dict[str, list[Told]] = {}
    for name, one in each_question(folders, only, limit, seed, progress):
        by_part.setdefault(name, []).append(tell(one, scout, side))
    table = {name: summary(told, seed) for name, told in by_part.items()}
    rows = {name: [_row(one) for one in told] for name, told in by_part.items()}
    settings = {"task": "height", "suites": [folder.name for folder in folders], "side": side}
    about = {"seed": seed, "limit": limit, "weights": scout.weights, "offset": OFFSET}
    return origin | settings | about | {"size_error": SIZE_ERROR, "table": table, "rows": rows}


def each_question(
    folders: Sequence[Path],
    only: str | None,
    limit: int | None,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[tuple[str, Question]]:
    """Suite and part, and a question with boxes; nothing that is kept fresh if no part is named."""
    drawn = [
        (f"{folder.name} {name}", draw(some, limit, seed))
        for folder in folders
        for name, some in _parts(folder, only)
    ]
    total, done = sum(len(some) for _, some in drawn), 0
    for name, some in drawn:
        for one in sorted(some, key=lambda one: one.image):  # a page's features stay in memory
            if progress:
                progress(done, total)
            yield name, one
            done += 1


def _parts(folder: Path, only: str | None) -> list[tuple[str, list[Question]]]:
    questions = [one for one in read(folder) if one.boxes]
    if not questions:
        raise ValueError(f"{folder.name} has no boxes: they are what is measured.")
    if only:
        return [(only, part(questions, only))]
    if questions[0].config.split is None:
        return [("all", part(questions))]
    by_vendor = questions[0].config.split == "vendor"
    return [(name, part(questions, name)) for name in (PARTS if by_vendor else PARTS[:1])]


def tell(one: Question, scout: WordScout, side: int) -> Told:
    """What is told of the height of an answer: the mean over its box, text counting most."""
    sheet = open_sheet(one.path, side, 32)
    page = scout.read(sheet.page.pixels)
    text = page["text"].float()
    grid = (text.shape[0], text.shape[1])
    size = scout.size(page, grid, max(sheet.page.pixels.shape[1:]))
    assert size is not None
    box = sheet.box(one.boxes[0])
    weight = inside(box, grid, sheet) * (text + 1e-3)
    by_sizes = sizes_alone(page, grid) + log2(side / FRAME)
    means = [float((weight * log).sum() / weight.sum()) for log in (size.log2(), by_sizes)]
    return Told(one, log2(box[3] - box[1]), *means)


def inside(box: Sequence[float], grid: tuple[int, int], sheet: Sheet) -> Float[Tensor, "rows cols"]:
    """1 at cells whose middle lies in the box, and at the cell of the box's own middle."""
    high, wide = sheet.page.pixels.shape[1:]
    y = (torch.arange(grid[0]) + 0.5) * high / grid[0]
    x = (torch.arange(grid[1]) + 0.5) * wide / grid[1]
    down, across = (y >= box[1]) & (y < box[3]), (x >= box[0]) & (x < box[2])
    down[int((box[1] + box[3]) / 2 / high * grid[0])] = True
    across[int((box[0] + box[2]) / 2 / wide * grid[1])] = True
    return (down[:, None] & across).float()


def sizes_alone(page: dict[str, Tensor], grid: tuple[int, int]) -> Float[Tensor, "rows cols"]:
    """Log2 of height from the reading sizes alone: each votes for the print that it reads best."""
    votes = torch.zeros(2, *grid)
    for size in SIZES:
        text = page[f"text-{size}"].float()[None, None]
        weight = torch.nn.functional.interpolate(text, grid, mode="bilinear", antialias=True)[0, 0]
        votes += torch.stack((weight, weight * log2(LETTERS * FRAME / size)))
    return votes[1] / votes[0].clamp(min=1e-6)


def summary(told: Sequence[Told], seed: int = 0) -> dict[str, Any]:
    """Of each way: correlation, bias, deviation and the middle of absolute errors."""
    true = [one.true for one in told]
    middle = median(true)
    values = {
        "scout": [one.scout for one in told],
        "sizes": [one.sizes for one in told],
        "constant": [middle] * len(told),
    }
    group = [one.question.image for one in told]
    found: dict[str, Any] = {"n": len(told), "images": len(set(group))}
    for way in WAYS:
        error = [have - want for have, want in zip(values[way], true, strict=True)]
        bias = fmean(error)
        found[way] = {
            "correlation": _correlation(values[way], true),
            "bias": round(bias, 3),
            "deviation": round(fmean((one - bias) ** 2 for one in error) ** 0.5, 3),
            "rms": round(fmean(one**2 for one in error) ** 0.5, 3),
            "absolute": interval([abs(one) for one in error], group, seed),
        }
    return found


def _correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """None where one of them is the same for all."""
    a, b = (torch.tensor(some, dtype=torch.float64) for some in (one, other))
    a, b = a - a.mean(), b - b.mean()
    both = float(a.norm() * b.norm())
    return round(float(a @ b) / both, 3) if both > 1e-9 else None


def _row(one: Told) -> dict[str, Any]:
    pixels = {"height": one.true, "scout": one.scout, "sizes": one.sizes}
    return {"row": one.question.row} | {name: round(2**log, 1) for name, log in pixels.items()}


def text(result: dict[str, Any]) -> str:
    """The table for people."""
    lines = [f"{'':<20}{'n':>5}  {'':<10}{'corr':>6}{'bias':>7}{'dev':>7}{'rms':>7}  (octaves)"]
    for name, found in result["table"].items():
        for way in WAYS:
            row, first = found[way], way == WAYS[0]
            alike = row["correlation"]
            lines.append(
                f"{name if first else '':<20}{found['n'] if first else '':>5}  {way:<10}"
                f"{'-' if alike is None else format(alike, '.2f'):>6}{row['bias']:>7.2f}"
                f"{row['deviation']:>7.2f}{row['rms']:>7.2f}"
            )
    return "\n".join(lines)
