"""Tokens of an image layer by layer: what a schedule costs, and the K that costs the same.

A method that cuts before the language model holds K tokens in all layers. One inside it holds all
tokens in its first layers, so the two are compared at the same mean tokens per layer.
"""

from collections.abc import Sequence
from statistics import fmean

Stage = tuple[int, int]
"""A layer, and how many tokens of the image are left from its input on."""


def by_layer(stages: Sequence[Stage], native: int, depth: int) -> list[int]:
    """Tokens of an image in each of ``depth`` layers.

    >>> by_layer([(1, 4), (3, 2)], 8, 4)
    [8, 4, 4, 2]
    """
    counts = [native] * depth
    for layer, tokens in stages:
        counts[layer:] = [tokens] * (depth - layer)
    return counts


def mean_tokens(stages: Sequence[Stage], native: int, depth: int) -> float:
    """Tokens of an image in a layer, on average.

    >>> mean_tokens([(2, 64)], 576, 32)
    96.0
    """
    return fmean(by_layer(stages, native, depth))


def shrink(native: int, last: int, layers: Sequence[int]) -> list[Stage]:
    """Stages that end with ``last`` tokens, each the same share of the one before it.

    >>> shrink(576, 72, [8, 16, 24])
    [(8, 288), (16, 144), (24, 72)]
    """
    last = min(last, native)
    ratio = (last / native) ** (1 / len(layers))
    counts = [max(last, round(native * ratio**step)) for step in range(1, len(layers))]
    return list(zip(layers, [*counts, last], strict=True))


def shrink_to_mean(native: int, mean: int, layers: Sequence[int], depth: int) -> list[Stage]:
    """The most tokens whose mean in a layer is at most ``mean``; one token if there are none.

    >>> shrink_to_mean(576, 96, [2], 32)
    [(2, 64)]
    """
    low, high = 1, native
    while low < high:
        middle = (low + high + 1) // 2
        fits = mean_tokens(shrink(native, middle, layers), native, depth) <= mean
        low, high = (middle, high) if fits else (low, middle - 1)
    return shrink(native, low, layers)


def same_cost(counts: Sequence[int], text: int, width: int, inner: int) -> int:
    """The K that costs as much arithmetic in all layers as these counts do, attention included.

    ``text`` is the rest of the prompt; ``width`` and ``inner`` are those of the language model.
    """
    spent = fmean(_flops(count + text, width, inner) for count in counts)
    low, high = 0, max(counts)
    while low < high:
        middle = (low + high + 1) // 2
        fits = _flops(middle + text, width, inner) <= spent
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def _flops(rows: int, width: int, inner: int) -> int:
    """Multiplications of a layer, about: four projections, three matrices of the MLP, attention."""
    return rows * (4 * width**2 + 3 * width * inner) + 2 * rows**2 * width
