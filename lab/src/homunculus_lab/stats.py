# pyright: basic
"""Confidence intervals and tests for means over questions that are clustered by image.

`measure` and `decide` use the same ones: a row has the same interval in both.

Whole images are resampled (bootstrap), and each resample is studentised by its own standard error,
so the interval follows the skew of scores that are mostly 0 or 1. Where hardly any image differs
there is nothing to resample; images are counted instead, which is exact and wide.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np
from scipy.special import bdtr, bdtri

LEVEL = 0.05
DRAWS = 9999
"""Bootstrap resamples."""
INTERVALS = "95 % intervals (whole images are resampled; differences are paired by question)"
"""What stands between square brackets, in the words of every table."""
POWER = 0.8
"""A difference is detectable if a test finds it this often."""
MIN_IMAGES = 6
"""With fewer differing images, not even all on one side are significant (2 / 2^5 > 0.05)."""
POINT, MAX_NEEDED = 0.01, 1000
"""The smallest difference worth looking for; enough images to count for it."""
MAX_CLUSTERS = 1000
"""More images than this are resampled in groups: as good an interval, from a smaller table."""


# ---- bootstrap -----------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _resample_counts(images: int, draws: int, seed: int) -> Any:
    """How often each resample holds each image; the same for every comparison."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(images, np.full(images, 1 / images), draws).astype(float)


class Bootstrap:
    """Bootstrap resamples of the images of a task."""

    def __init__(self, image: Sequence[str], draws: int = DRAWS, seed: int = 0) -> None:
        _, index = np.unique(np.asarray(image, str), return_inverse=True)
        self.cluster = index % MAX_CLUSTERS
        self.count = np.bincount(self.cluster).astype(float)
        self.weight = _resample_counts(len(self.count), draws, seed)

    def estimates(self, value: Any, lower: float, upper: float) -> list["Estimate"]:
        """One for each column of ``value`` (question x column), which lies within the bounds."""
        total = self.totals(value)
        spread = (*self.moments(total), *self.resamples(total))
        return _estimates(spread, self.image_means(total), len(self.count), lower, upper)

    def totals(self, value: Any) -> Any:
        """The sum of each image, by column."""
        return np.stack([np.bincount(self.cluster, column) for column in value.T], 1)

    def moments(self, total: Any) -> tuple[Any, Any]:
        """The mean over questions and its standard error, by column."""
        mean = total.sum(0) / self.count.sum()
        error = np.sqrt(((total - mean * self.count[:, None]) ** 2).sum(0)) / self.count.sum()
        return mean, error

    def resamples(self, total: Any) -> tuple[Any, Any]:
        """The mean of each resample and its own standard error (resample x column)."""
        count, weight = self.count[:, None], self.weight
        size = weight @ count
        resampled = (weight @ total) / size
        square = weight @ total**2 - 2 * resampled * (weight @ (total * count))
        square += resampled**2 * (weight @ count**2)
        return resampled, np.sqrt(np.maximum(square, 0)) / size

    def image_means(self, total: Any) -> Any:
        """The mean of each image, by column."""
        return np.round(total / self.count[:, None], 9)


def bounds(value: Any, signed: bool = False) -> tuple[float, float]:
    """What a measure may reach, taken from its numbers: not every measure ends at 1."""
    upper = max(1.0, float(np.abs(value).max()))
    return (-upper if signed or value.min() < 0 else 0.0), upper


def _estimates(
    spread: tuple[Any, Any, Any, Any], image_means: Any, images: int, lower: float, upper: float
) -> list["Estimate"]:
    """One for each column, from its mean and error, those of the resamples, and images' means."""
    mean, error, resampled, own_error = spread
    studentised = np.sort((resampled - mean) / np.maximum(own_error, 1e-9), 0).T
    median = np.sort(image_means, 0)[(len(image_means) - 1) // 2]
    below, above = (image_means < median).sum(0), (image_means > median).sum(0)
    return [
        Estimate(
            float(mean[column]), float(error[column]), images, studentised[column],
            float(median[column]), int(below[column]), int(above[column]), lower, upper,
        )
        for column in range(len(mean))
    ]  # fmt: skip


def pool(parts: Sequence[tuple[Bootstrap, Any]], lower: float, upper: float) -> list["Estimate"]:
    """Means over several sets of questions, one for each column; every set has the same weight.

    Each set is resampled by itself, so give every `Bootstrap` a seed of its own. Where images are
    counted, each set counts as many as the smallest has: no set of many images can hide that
    another one, of the same weight, has few.
    """
    pairs = [(bootstrap, bootstrap.totals(value)) for bootstrap, value in parts]
    moments = _equal_weight([bootstrap.moments(total) for bootstrap, total in pairs])
    resamples = _equal_weight([bootstrap.resamples(total) for bootstrap, total in pairs])
    means = np.concatenate([bootstrap.image_means(total) for bootstrap, total in pairs])
    images = len(parts) * min(len(bootstrap.count) for bootstrap, _ in parts)
    return _estimates((*moments, *resamples), means, images, lower, upper)


def _equal_weight(parts: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """The mean of independent means, and its standard error."""
    mean = sum(mean for mean, _ in parts) / len(parts)
    return mean, np.sqrt(sum(error**2 for _, error in parts)) / len(parts)


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean, or a mean paired difference, with its interval, tests and power."""

    mean: float
    error: float
    images: int
    studentised: Any
    """Studentised resamples around the mean, sorted."""
    median: float
    below: int
    above: int
    """Images below and above the median one; where hardly any differ, it stands for the rest."""
    lower: float
    upper: float
    """Bounds of a single score or difference."""

    @property
    def few(self) -> bool:
        """Whether too few images differ, so that they are counted instead of resampled."""
        return self.below + self.above < MIN_IMAGES

    def _quantile(self, share: float | int) -> float:
        place = share * (len(self.studentised) - 1)
        low, part = int(place), place - int(place)
        high = min(low + 1, len(self.studentised) - 1)
        return float(self.studentised[low] * (1 - part) + self.studentised[high] * part)

    def interval(self, level: float | int = LEVEL) -> tuple[float, float]:
        """The confidence interval of the mean."""
        low = self.median - self._share(self.below, level) * (self.median - self.lower)
        high = self.median + self._share(self.above, level) * (self.upper - self.median)
        if self.few:
            return low, high
        bootstrap_low = self.mean - self._quantile(1 - level / 2) * self.error
        bootstrap_high = self.mean - self._quantile(level / 2) * self.error
        return max(low, bootstrap_low), min(high, bootstrap_high)  # the count bounds both

    def _share(self, odd: int, level: float | int) -> float:
        """How many images can lie on one side; all of them, where many do."""
        return clopper_pearson(odd, self.images, level / 2) if odd < 4 * MIN_IMAGES else 1.0

    def p(self) -> float:
        """p-value of no difference at all, two-sided."""
        if self.few and self.median == 0:
            return sign_test(self.below, self.above)
        exact = self._exact_p(0.0) if self.median > 0 else self._exact_p(0.0, below=True)
        if self.few:
            return exact
        return min(exact, 2 * min(self._tail(0.0), self._tail(0.0, below=True)))

    def p_above(self, bound: float | int) -> float:
        """p-value of a mean of at most ``bound``; 0.05 where the interval's low end touches it."""
        exact = self._exact_p(bound)
        return exact if self.few else min(exact, 2 * self._tail(bound))

    def _exact_p(self, bound: float | int, below: bool = False) -> float:
        """Chance of at most these odd images if enough, each as far off as can be, brought the mean
        from the median to the bound; 1 where they are not counted.
        """
        odd, worst = (self.above, self.upper) if below else (self.below, self.lower)
        gap, reach = self.median - bound, self.median - worst
        if gap * reach <= 0 or odd >= 4 * MIN_IMAGES:
            return 1.0
        return min(1.0, 2 * binomial(odd, self.images, min(1.0, gap / reach)))

    def _tail(self, bound: float | int, below: bool = False) -> float:
        """Share of resamples at least as far off as the mean is from the bound; never quite 0."""
        distance, draws = (self.mean - bound) / max(self.error, 1e-12), len(self.studentised)
        if below:
            beyond = np.searchsorted(self.studentised, distance, side="right")
        else:
            beyond = draws - np.searchsorted(self.studentised, distance, side="left")
        return float(1 + beyond) / (draws + 1)

    def power(self, true: float | int) -> float:
        """How often a run like this finds a difference if the true one were so large."""
        if self.few:
            return 1 - binomial(MIN_IMAGES - 1, self.images, min(abs(true), 1.0))
        reach = self._quantile(1 - LEVEL / 2) - true / max(self.error, 1e-12)
        return float((self.studentised > reach).mean())

    def detectable(self) -> float:
        """The smallest true difference, of either sign, that is found with the power `POWER`."""
        if self.few:
            return clopper_pearson(MIN_IMAGES - 1, self.images, 1 - POWER)
        up = self._quantile(1 - LEVEL / 2) - self._quantile(1 - POWER)
        down = self._quantile(POWER) - self._quantile(LEVEL / 2)
        return min(max(up, down) * self.error, self.upper)

    def images_needed(self) -> int | None:
        """Images on which a true difference as large as the mean is found with the power `POWER`.

        None where the mean is below a point: no number of images is worth looking for it.
        """
        share = min(abs(self.mean), 1.0)
        if share < POINT:
            return None
        if not self.few:
            return max(self.images + 1, ceil(self.images * (self.detectable() / share) ** 2))
        enough = bisect_left(
            range(MAX_NEEDED), True, key=lambda n: binomial(MIN_IMAGES - 1, n, share) <= 1 - POWER
        )
        return max(self.images + 1, enough)


# ---- tests ---------------------------------------------------------------------------------------


def holm(p: Sequence[float | int]) -> list[float]:
    """p-values adjusted by Holm's method: the chance of one false claim among all of them.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p)), key=lambda index: p[index])
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[index]))
        adjusted[index] = largest
    return adjusted


def binomial(odd: int, images: int, share: float | int) -> float:
    """Chance of at most ``odd`` among the images if this share of all images were odd."""
    return float(bdtr(min(odd, images), images, share))


def sign_test(below: int, above: int) -> float:
    """p-value of so uneven a split, two-sided."""
    return min(1.0, 2 * binomial(min(below, above), below + above, 0.5))


def clopper_pearson(odd: int, images: int, tail: float) -> float:
    """The largest share of odd images that still shows no more than these (Clopper and Pearson).

    >>> round(clopper_pearson(0, 60, 0.05), 3)  # the rule of three
    0.049
    """
    return float(bdtri(odd, images, tail)) if odd < images else 1.0
