# pyright: basic
"""How sure a mean is when the questions of one image hang together.

Whole images are drawn anew (bootstrap), and each draw is divided by its own standard error, so
the interval follows the skew of scores that are mostly 0 or 1. Where hardly any image differs
there is nothing to draw from; then images are counted instead, which is exact and wide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

from homunculus.lazy import need

np: Any = need("numpy", extra="decide", who="homunculus decide")

LEVEL = 0.05
POWER = 0.8
"""A difference counts as detectable if it would be seen this often."""
FEW = 6
"""With fewer differing images not even all of them on one side are a surprise (2 / 2^5 > 0.05)."""
BUNDLES = 1000
"""More images than this are drawn in bundles: as good an interval, from a smaller table."""


@lru_cache(maxsize=8)
def _weight(images: int, draws: int, seed: int) -> Any:
    """How often each draw holds each image; the same for every comparison."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(images, np.full(images, 1 / images), draws).astype(float)


class Draws:
    """The images of a task, drawn anew many times."""

    def __init__(self, image: Sequence[str], draws: int = 9999, seed: int = 0) -> None:
        _, at = np.unique(np.asarray(image, str), return_inverse=True)
        self.images = int(at.max()) + 1
        self.member = at % BUNDLES
        self.count = np.bincount(self.member).astype(float)
        self.weight = _weight(len(self.count), draws, seed)

    def estimates(self, value: Any, least: float, most: float) -> list["Estimate"]:
        """One for each column of ``value`` (question x column), which lies within the bounds."""
        total = np.stack([np.bincount(self.member, column) for column in value.T], 1)
        mean = total.sum(0) / self.count.sum()
        error = np.sqrt(((total - mean * self.count[:, None]) ** 2).sum(0)) / self.count.sum()
        ratio = self._ratio(total, mean)
        middle, less, more = self._odd(total)
        return [
            Estimate(
                float(mean[at]), float(error[at]), len(self.count), ratio[at],
                float(middle[at]), int(less[at]), int(more[at]), least, most,
            )
            for at in range(value.shape[1])
        ]  # fmt: skip

    def _ratio(self, total: Any, mean: Any) -> Any:
        """Studentised draws by column, sorted: how far each mean lies off, in its own errors."""
        count, weight = self.count[:, None], self.weight
        size = weight @ count
        drawn = (weight @ total) / size
        square = weight @ total**2 - 2 * drawn * (weight @ (total * count))
        square += drawn**2 * (weight @ count**2)
        error = np.sqrt(np.maximum(square, 0)) / size
        return np.sort((drawn - mean) / np.maximum(error, 1e-9), 0).T

    def _odd(self, total: Any) -> tuple[Any, Any, Any]:
        """The middle image's mean, and how many images lie below and above it, by column."""
        mean = np.sort(np.round(total / self.count[:, None], 9), 0)
        middle = mean[(len(mean) - 1) // 2]
        return middle, (mean < middle).sum(0), (mean > middle).sum(0)


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean, or a mean paired difference, and all that can be asked about it."""

    mean: float
    error: float
    images: int
    ratio: Any
    """Studentised draws around the mean, sorted."""
    middle: float
    less: int
    more: int
    """Images below and above the middle one; where hardly any differ, it stands for the rest."""
    least: float
    most: float

    @property
    def few(self) -> bool:
        """Whether so few images differ that they are counted instead of drawn."""
        return self.less + self.more < FEW

    def _quantile(self, share: float | int) -> float:
        at = share * (len(self.ratio) - 1)
        low, part = int(at), at - int(at)
        high = min(low + 1, len(self.ratio) - 1)
        return float(self.ratio[low] * (1 - part) + self.ratio[high] * part)

    def interval(self, level: float | int = LEVEL) -> tuple[float, float]:
        """From where to where the true mean may lie."""
        low = self.middle - self._share(self.less, level) * (self.middle - self.least)
        high = self.middle + self._share(self.more, level) * (self.most - self.middle)
        if self.few:
            return low, high
        drawn_low = self.mean - self._quantile(1 - level / 2) * self.error
        drawn_high = self.mean - self._quantile(level / 2) * self.error
        return max(low, drawn_low), min(high, drawn_high)  # the count is a bound for both

    def _share(self, odd: int, level: float | int) -> float:
        """How many images can lie on one side; all of them, where many do."""
        return rarely(odd, self.images, level / 2) if odd < 4 * FEW else 1.0

    def p(self) -> float:
        """Of no difference at all, two-sided."""
        if self.few and self.middle == 0:
            return sign_test(self.less, self.more)
        counted = self._counted(0.0) if self.middle > 0 else self._counted(0.0, below=True)
        if self.few:
            return counted
        return min(counted, 2 * min(self._tail(0.0), self._tail(0.0, below=True)))

    def p_above(self, bound: float | int) -> float:
        """Of a true mean of at most ``bound``; 0.05 where the interval's low end touches it."""
        counted = self._counted(bound)
        return counted if self.few else min(counted, 2 * self._tail(bound))

    def _counted(self, bound: float | int, below: bool = False) -> float:
        """Chance of so few odd images if there were enough of them, each as far off as can be, to
        bring the mean from the middle to the bound; 1 where they are no longer counted.
        """
        odd, worst = (self.more, self.most) if below else (self.less, self.least)
        gap, reach = self.middle - bound, self.middle - worst
        if gap * reach <= 0 or odd >= 4 * FEW:
            return 1.0
        return min(1.0, 2 * binomial(odd, self.images, min(1.0, gap / reach)))

    def _tail(self, bound: float | int, below: bool = False) -> float:
        """Share of draws at least as far off as the mean is from the bound; never quite 0."""
        seen, draws = (self.mean - bound) / max(self.error, 1e-12), len(self.ratio)
        if below:
            beyond = np.searchsorted(self.ratio, seen, side="right")
        else:
            beyond = draws - np.searchsorted(self.ratio, seen, side="left")
        return float(1 + beyond) / (draws + 1)

    def power(self, true: float | int) -> float:
        """How often a run like this sees a difference, if the true one were so large."""
        if self.few:
            return 1 - binomial(FEW - 1, self.images, min(abs(true), 1.0))
        reach = self._quantile(1 - LEVEL / 2) - true / max(self.error, 1e-12)
        return float((self.ratio > reach).mean())

    def detectable(self) -> float:
        """The smallest true difference, of either sign, that would be seen four times in five."""
        if self.few:
            return _often(FEW - 1, self.images)
        up = self._quantile(1 - LEVEL / 2) - self._quantile(1 - POWER)
        down = self._quantile(POWER) - self._quantile(LEVEL / 2)
        return min(max(up, down) * self.error, self.most)


def holm(p: Sequence[float | int]) -> list[float]:
    """Adjusted so that one false claim among all of them is as rare as it was for each alone.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p)), key=lambda at: p[at])
    adjusted, most = [0.0] * len(p), 0.0
    for rank, at in enumerate(order):
        most = max(most, min(1.0, (len(p) - rank) * p[at]))
        adjusted[at] = most
    return adjusted


def binomial(odd: int, images: int, share: float | int) -> float:
    """Chance of at most ``odd`` among the images if this share of all images were odd."""
    each = range(min(odd, images) + 1)
    return min(1.0, sum(comb(images, k) * share**k * (1 - share) ** (images - k) for k in each))


def sign_test(less: int, more: int) -> float:
    """Whether so uneven a split is a surprise, two-sided."""
    return min(1.0, 2 * binomial(min(less, more), less + more, 0.5))


def _solve(reached: Any) -> float:
    """The share in 0..1 from which on ``reached`` holds."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


@lru_cache(maxsize=4096)
def rarely(odd: int, images: int, tail: float) -> float:
    """The largest share of odd images that still shows so few of them (Clopper and Pearson).

    >>> round(rarely(0, 60, 0.05), 3)  # the rule of three
    0.049
    """
    return _solve(lambda share: binomial(odd, images, share) <= tail)


@lru_cache(maxsize=64)
def _often(odd: int, images: int) -> float:
    """The share of odd images that shows more than ``odd`` of them four times in five."""
    return _solve(lambda share: binomial(odd, images, share) <= 1 - POWER)
