"""Mixing the ways of knowing into one logit, the three dials that tilt the whole, and scouts.

Maps come in their own units, so each is turned into ranks within its image before they are added:
a batch mate or a loud map changes nothing. Ranks carry no gradient; a learned head needs no mix.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from homunculus.checks import Grid
from homunculus.scouts.sight import OF_THING, Map, Sight, probabilities, resize_map

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


# ---- scouts that add up --------------------------------------------------------------------------

FOUND_BOTH = (1.0, 0.3)
"""How far a scout of words and one of things are believed where both are sure: a word of the
question is printed there, or the question quotes one. Set by hand: on pages,
receipts and street scenes the two do not meet."""
FOUND_THING = (0.5, 1.0)
"""The same where the page has text, and no word of the question is in it."""
ON_THING = 0.02
"""Share of a thing that must be print before a question is taken to ask for what is written."""
_READS = re.compile(
    r"\b(says?|said|written|reads?|text|words?|letters?|numbers?|digits?|names?|brand|logo|labell?e?d?"
    r"|titles?|printed|called|spell(?:ed|s)?)\b(?! of\b)",
    re.IGNORECASE,
)


def combine(read: Sight, seen: Sight, question: str, grid: Grid) -> Sight:
    """What a scout of words and one of things make of a question together.

    Who does not know leaves it to the other; if both know, they share the probability by how sure
    each of them is. What is asked to be read on a thing is looked for in the print on it.
    """
    seen = replace(
        seen, matches=tuple(replace(one, text=f"{one.text}{OF_THING}") for one in seen.matches)
    )
    if not seen.sure:
        also = f" {seen.explanation}" if seen.matches else ""
        return replace(
            read,
            explanation=f"{read.explanation}{also}",
            unsure=f"{read.unsure}{also}" if read.unsure else "",
            matches=read.matches + seen.matches,
        )
    if read.elsewhere is not None and _READS.search(question):
        seen = print_on(seen, read, grid)
    if not read.sure:
        return replace(seen, facts={**read.facts, **seen.facts})
    found = FOUND_BOTH if read.facts.get("matched") or read.facts.get("quoted") else FOUND_THING
    return mixture(read, seen, found, grid)


def print_on(seen: Sight, read: Sight, grid: Grid) -> Sight:
    """Where print stands on the things that were seen; the things themselves if there is none."""
    thing, text = _place(seen, grid), _on(read.elsewhere, grid)
    place = thing * text
    if float(place.sum()) < ON_THING:
        return seen
    return replace(
        read,
        logit=(place / place.sum()).clamp(min=1e-9).log(),
        sure=seen.sure,
        unsure="",
        elsewhere=thing,
        origin=f"print on {seen.origin}",
        explanation=f"{seen.explanation} What is printed on them is looked for.",
        question_used=True,
        matches=seen.matches,
        facts={**read.facts, **seen.facts},
    )


def mixture(read: Sight, seen: Sight, believed: tuple[float, float], grid: Grid) -> Sight:
    """Two sights as one: each cell's probability, its height, and how far it holds a thing."""
    weights = [sight.sure * share for sight, share in zip((read, seen), believed, strict=True)]
    sure = 1 - (1 - weights[0]) * (1 - weights[1])
    shares = [sure * weight / sum(weights) for weight in weights]
    words, things = shares[0] * _place(read, grid), shares[1] * _place(seen, grid)
    of_things = things / (words + things).clamp(min=1e-12)
    told = {"words": round(shares[0], 3), "things": round(shares[1], 3)}
    return replace(
        read,
        logit=((words + things) / sure).clamp(min=1e-12).log(),
        sure=sure,
        size=torch.where(of_things > 0.5, _size(seen, grid), _size(read, grid)),
        thing=of_things * _on(seen.thing, grid),
        size_error=max(read.size_error, seen.size_error),
        origin=f"{read.origin} ({shares[0]:.0%}) + {seen.origin} ({shares[1]:.0%})",
        explanation=_told(read, seen),
        question_used=True,
        matches=read.matches + seen.matches,
        facts={**read.facts, **seen.facts, "shares": told},
    )


def _told(read: Sight, seen: Sight) -> str:
    """Both explanations; a thing that was found makes up for words that were not."""
    if read.facts.get("matched") is False and seen.likely:
        return seen.explanation
    return f"{read.explanation} {seen.explanation}"


def _place(sight: Sight, grid: Grid) -> Map:
    """Probabilities of the cells of a grid."""
    return probabilities(_on(sight.logit, grid))


def _on(value: Map | None, grid: Grid) -> Map:
    return torch.zeros(grid) if value is None else resize_map(value.float(), grid)


def _size(sight: Sight, grid: Grid) -> Map:
    if isinstance(sight.size, Tensor):
        return _on(sight.size, grid)
    return torch.full(grid, 16.0 if sight.size is None else float(sight.size))
