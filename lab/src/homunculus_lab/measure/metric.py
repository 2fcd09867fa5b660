# pyright: basic
"""Scores: what a reader made of an answer, how much of it was legible, and how sure the means are.

Text is compared without case and without spaces: readers drop spaces where print is tight.
"""

from collections.abc import Callable, Sequence
from math import log2

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.eyes.readers import distance, fold
from homunculus_lab.stats import DRAWS, Bootstrap, bounds

LEGIBLE = (6, 8, 10, 12)
"""Text heights, in kept pixels, above which text counts as legible; 8 is the one to quote."""
Score = Callable[[str, Sequence[str]], float]
"""A reading and the answers in; 1 is right."""
OBJECT = (32, 16, 64)
"""Shorter sides of a thing, in kept pixels, above which it counts as seen; the first is the one to
quote, since people tell most things at that size (Torralba et al. 2008)."""
Interval = tuple[float, float, float]
"""Mean, and both ends of its 95 % interval."""


def anls(text: str, answers: Sequence[str]) -> float:
    """Average normalised Levenshtein similarity of one reading: 1 is right, below half is 0."""
    wanted = [fold(answer) for answer in answers if fold(answer)]
    if not wanted:
        return 0.0
    from anls import anls_score  # an environment that only serves has it not

    return float(anls_score(fold(text), wanted))


def inside(text: str, answers: Sequence[str]) -> float:
    """ANLS of the best-fitting piece of a reading: a line may hold more than the answer."""
    read, best = fold(text), 0.0
    for answer in answers:
        wanted = fold(answer)
        if wanted:
            gap = distance(wanted, read, inside=True) / len(wanted)
            best = max(best, 1 - gap if gap < 0.5 else 0.0)
    return best


def among(text: str, answers: Sequence[str], score: Score = anls, between: str = "") -> float:
    """The score of the best-fitting whole words: "12" is not found in "2012"."""
    words = text.split()
    most = max((len(answer.split()) for answer in answers), default=0) + 1
    runs = [
        between.join(words[start : start + count]).strip(".,:;()")
        for count in range(1, most + 1)
        for start in range(len(words) - count + 1)
    ]
    return max((score(run, answers) for run in runs), default=0.0)


def overlap(
    box: Sequence[float | int], grid: tuple[int, int], patch: int
) -> Float[Tensor, "rows cols"]:
    """Pixels of a box x0 y0 x1 y1 in each level-0 cell."""
    left, top, right, bottom = box
    side = [torch.arange(cells).double() * patch for cells in grid]
    down = ((side[0] + patch).clamp(max=bottom) - side[0].clamp(min=top)).clamp(min=0)
    across = ((side[1] + patch).clamp(max=right) - side[1].clamp(min=left)).clamp(min=0)
    return (down[:, None] * across).float()


def evidence(
    level: Float[Tensor, "rows cols"],
    boxes: Sequence[Sequence[float | int]],
    patch: int,
    least: float,
    thing: bool = False,
) -> float:
    """Share of the best answer box that is seen with text of at least so many kept pixels.

    ``level`` is the finest kept level over each cell, inf where nothing is kept; text of height h
    has h / 2^level kept pixels. It counts what could be read, whatever a reader makes of it. A
    ``thing`` is no line of text: its shorter side counts, not its height.
    """
    grid, best = (int(level.shape[0]), int(level.shape[1])), 0.0
    for box in boxes:
        area = overlap(box, grid, patch)
        high, wide = box[3] - box[1], box[2] - box[0]
        fine = level <= log2(max(min(high, wide) if thing else high, 1e-6) / least)
        best = max(best, float((area * fine).sum() / area.sum().clamp(min=1e-9)))
    return best


def interval(
    value: Sequence[float | int],
    group: Sequence[str],
    seed: int = 0,
    signed: bool = False,
    draws: int = DRAWS,
) -> Interval:
    """Mean and its 95 % interval; groups (the questions of one image) are resampled.

    ``signed`` says that values are differences: they may be below 0, even if none is.
    """
    if not value or len(value) != len(group):
        raise ValueError(f"interval: a group per value, got {len(value)} and {len(group)}")
    column = np.asarray(value, float)[:, None]
    (estimate,) = Bootstrap(group, draws, seed).estimates(column, *bounds(column, signed))
    return _rounded(estimate.mean, *estimate.interval())


def difference(
    scores: Sequence[float | int], other: Sequence[float | int], group: Sequence[str], seed: int = 0
) -> Interval:
    """Mean paired difference and its interval, by the same resamples for every pair of rows."""
    return interval([a - b for a, b in zip(scores, other, strict=True)], group, seed, signed=True)


def ratio(
    scores: Sequence[float | int],
    other: Sequence[float | int],
    group: Sequence[str],
    seed: int = 0,
    draws: int = 2000,
) -> Interval:
    """One sum divided by another: no mean over questions, so percentiles of plain resamples."""
    _, member = np.unique(list(group), return_inverse=True)
    above, below = (np.bincount(member, np.asarray(value, float)) for value in (scores, other))
    drawn = np.random.default_rng(seed).integers(0, len(above), (draws, len(above)))
    low, high = np.percentile(above[drawn].sum(1) / below[drawn].sum(1), (2.5, 97.5))
    return _rounded(above.sum() / below.sum(), low, high)


def _rounded(mean: float, low: float, high: float) -> Interval:
    return round(float(mean), 4), round(float(low), 4), round(float(high), 4)
