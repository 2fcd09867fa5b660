# pyright: basic
"""Confidence intervals and tests for means over questions that are clustered by image.

`measure` and `decide` use the same ones: a row has the same interval in both.

Whole images are resampled (bootstrap), and each resample is studentised by its own standard error,
so the interval follows the skew of scores that are mostly 0 or 1. Where hardly any image differs
there is nothing to resample; images are counted instead, which is exact and wide.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from math import ceil, comb
from typing import Any

np: Any = import_module("numpy")

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
        mean, error = self.moments(total)
        resampled, own_error = self.resamples(total)
        studentised = np.sort((resampled - mean) / np.maximum(own_error, 1e-9), 0).T
        median, below, above = _sides(self.image_means(total))
        return [
            Estimate(
                float(mean[at]), float(error[at]), len(self.count), studentised[at],
                float(median[at]), int(below[at]), int(above[at]), lower, upper,
            )
            for at in range(value.shape[1])
        ]  # fmt: skip

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


def _sides(means: Any) -> tuple[Any, Any, Any]:
    """The median image's mean, and how many images lie below and above it, by column."""
    means = np.sort(means, 0)
    median = means[(len(means) - 1) // 2]
    return median, (means < median).sum(0), (means > median).sum(0)


def pool(parts: Sequence[tuple[Bootstrap, Any]], lower: float, upper: float) -> list["Estimate"]:
    """Means over several sets of questions, one for each column; every set has the same weight.

    Each set is resampled by itself, so give every `Bootstrap` a seed of its own. Where images are
    counted, each set counts as many as the smallest has: no set of many images can hide that
    another one, of the same weight, has few.
    """
    totals = [bootstrap.totals(value) for bootstrap, value in parts]
    pairs = [(bootstrap, total) for (bootstrap, _), total in zip(parts, totals, strict=True)]
    moments = [bootstrap.moments(total) for bootstrap, total in pairs]
    resamples = [bootstrap.resamples(total) for bootstrap, total in pairs]
    mean, error = _equal_weight(moments)
    resampled, own_error = _equal_weight(resamples)
    studentised = np.sort((resampled - mean) / np.maximum(own_error, 1e-9), 0).T
    median, below, above = _sides(np.concatenate([one.image_means(total) for one, total in pairs]))
    images = len(parts) * min(len(bootstrap.count) for bootstrap, _ in parts)
    return [
        Estimate(
            float(mean[at]), float(error[at]), images, studentised[at],
            float(median[at]), int(below[at]), int(above[at]), lower, upper,
        )
        for at in range(len(mean))
    ]  # fmt: skip


def _equal_weight(parts: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """The mean of independent means, and its standard error."""
    mean = sum(one for one, _ in parts) / len(parts)
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
        """Whether so few images differ that they are counted instead of resampled."""
        return self.below + self.above < MIN_IMAGES

    def _quantile(self, share: float | int) -> float:
        at = share * (len(self.studentised) - 1)
        low, part = int(at), at - int(at)
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
        """Chance of so few odd images if there were enough of them, each as far off as can be, to
        bring the mean from the median to the bound; 1 where they are not counted.
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
            return _detectable_share(MIN_IMAGES - 1, self.images)
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
    order = sorted(range(len(p)), key=lambda at: p[at])
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, at in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[at]))
        adjusted[at] = largest
    return adjusted


def binomial(odd: int, images: int, share: float | int) -> float:
    """Chance of at most ``odd`` among the images if this share of all images were odd."""
    each = range(min(odd, images) + 1)
    return min(1.0, sum(comb(images, k) * share**k * (1 - share) ** (images - k) for k in each))


def sign_test(below: int, above: int) -> float:
    """p-value of so uneven a split, two-sided."""
    return min(1.0, 2 * binomial(min(below, above), below + above, 0.5))


def _solve(holds: Callable[[float], bool]) -> float:
    """The share in 0..1 from which on ``holds`` is true."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


@lru_cache(maxsize=4096)
def clopper_pearson(odd: int, images: int, tail: float) -> float:
    """The largest share of odd images that still shows so few of them (Clopper and Pearson).

    >>> round(clopper_pearson(0, 60, 0.05), 3)  # the rule of three
    0.049
    """
    return _solve(lambda share: binomial(odd, images, share) <= tail)


@lru_cache(maxsize=64)
def _detectable_share(odd: int, images: int) -> float:
    """The share of odd images that shows more than ``odd`` of them with the power `POWER`."""
    return _solve(lambda share: binomial(odd, images, share) <= 1 - POWER)
