"""Mixing the ways of knowing into one logit, and the three dials that tilt the whole.

Maps come in their own units, so each is turned into ranks within its image before they are added:
a batch mate or a loud map changes nothing. Ranks carry no gradient; a learned head needs no mix.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

import torch
from jaxtyping import Bool, Float
from torch import Tensor

WAYS = ("question", "saliency", "information", "learned")
"""What the question asks, what stands out, what is there, what experience taught."""
WEIGHTS: Mapping[str, float] = {"question": 0.4, "saliency": 0.3, "information": 0.3}
"""The default mix."""
FLOOR = 1 / 1024
"""The least probability that a cell is needed: nothing is ever ruled out."""


@dataclass(frozen=True)
class Dials:
    """Three opponent dials, one number each.

    >>> Dials(explore=2.0)
    Dials(compress=0.25, explore=2.0, focus=40.0)
    """

    compress: float | int = 0.25
    """Compress or particularise: the share of slots for the coarse level, 0 to 1."""
    explore: float | int = 1.0
    """Exploit or explore: the temperature on relevance; above 1 spreads, below 1 sharpens."""
    focus: float | int = 40.0
    """Focus or diversify: degrees of view the longer side spans; more is a sharper fovea."""

    def __post_init__(self) -> None:
        if not 0 <= self.compress <= 1:
            raise ValueError(
                f"Dials: compress is a share of the slots from 0 to 1, got {self.compress}. "
                "0 keeps no slot for the coarse level, 1 keeps all."
            )
        _check_explore("Dials", self.explore)
        if not 0 < self.focus <= 360:
            raise ValueError(
                f"Dials: focus is a field of view above 0 and up to 360 degrees, got {self.focus}. "
                "40 is a page at arm's length."
            )


def rank(value: Float[Tensor, "b n"], valid: Bool[Tensor, "b n"]) -> Float[Tensor, "b n"]:
    """Each valid cell's place among its own image's cells: 0 the least, 1 the most, ties share.

    A constant map is 0.5 everywhere. Padding is 0 and counts nowhere. NaN and -inf come last.

    >>> rank(torch.tensor([[3.0, 9.0, 9.0, 1.0, 7.0]]), torch.tensor([[True] * 4 + [False]]))
    tensor([[0.3333, 0.8333, 0.8333, 0.0000, 0.0000]])
    """
    exact = value.detach() if value.dtype == torch.float64 else value.detach().float()
    ends = torch.finfo(exact.dtype)
    known = exact.nan_to_num(nan=ends.min, posinf=ends.max, neginf=ends.min)
    known = known.masked_fill(~valid, math.inf)  # padding sorts behind every cell, even +inf
    order = known.sort(dim=-1).values
    below = torch.searchsorted(order, known)
    upto = torch.searchsorted(order, known, right=True)
    # mean of the tied places over the last place, kept in whole numbers up to one division
    twice = (below + upto - 1).float()
    last = (valid.sum(-1, keepdim=True) - 1).float()
    place = torch.where(last > 0, twice / (2 * last).clamp(min=1), 0.5)
    return place.masked_fill(~valid, 0)


def mix(
    maps: Mapping[str, Float[Tensor, "b n"]],
    valid: Bool[Tensor, "b n"],
    weights: Mapping[str, float | int] | None = None,
    explore: float | int = 1.0,
) -> Float[Tensor, "b n"]:
    """One logit per cell from the maps at hand; read it as the log-probability of being needed.

    Weights are shared out among the maps that are present. Only order and differences mean
    anything. Padding gets the least logit there is; ``valid`` still says what is padding.

    >>> valid = torch.ones(1, 3, dtype=torch.bool)
    >>> mix({"saliency": torch.tensor([[0.1, 0.7, 0.2]])}, valid).exp()
    tensor([[9.7656e-04, 1.0000e+00, 5.0000e-01]])
    """
    _check_explore("mix", explore)
    share = _shares(maps, WEIGHTS if weights is None else weights)
    for way in share:
        if maps[way].shape != valid.shape:
            raise ValueError(
                f"mix: every map has the shape of valid, {tuple(valid.shape)}, "
                f"got {tuple(maps[way].shape)} for {way!r}. Flatten rows and cols, pad to valid."
            )
    # one fixed order: the sum must not depend on how the dictionary was filled
    mean = torch.stack([share[way] * rank(maps[way], valid) for way in WAYS if way in share]).sum(0)
    return mean.clamp(FLOOR, 1).log() / explore


def _shares(maps: Mapping[str, Tensor], weights: Mapping[str, float | int]) -> dict[str, float]:
    """The weights of the maps that are present, summing to 1."""
    _check_names("a map is", maps, WAYS)
    _check_names("a weight is for", weights, WAYS)
    _check_names("the weights given are for", maps, tuple(weights))
    wrong = {way: weight for way, weight in weights.items() if not 0 <= weight < math.inf}
    if wrong:
        raise ValueError(
            f"mix: weights are finite and 0 or more, got {wrong}. Use 0 to mute a map."
        )
    total = sum(weights[way] for way in WAYS if way in maps)
    if total <= 0:
        raise ValueError(
            f"mix: expected at least one map with a weight above 0, got maps {sorted(maps)} and "
            f"weights {dict(weights)}. Pass a map, or raise its weight."
        )
    return {way: weights[way] / total for way in maps}


def _check_names(claim: str, names: Iterable[str], known: tuple[str, ...]) -> None:
    for name in names:
        if name not in known:
            close = get_close_matches(name, WAYS, n=1)
            cure = f"Did you mean {close[0]!r}?" if close and close[0] != name else "Pass weights=."
            raise ValueError(f"mix: {claim} one of {', '.join(known)}; got {name!r}. {cure}")


def _check_explore(who: str, explore: float | int) -> None:
    if not 0 < explore < math.inf:
        raise ValueError(
            f"{who}: explore is a temperature above 0, got {explore}. "
            "1 leaves relevance as it is, 0.5 sharpens it, 2 flattens it."
        )
