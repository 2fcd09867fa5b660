"""Mixing maps of pixels into one, and scouts that add up.

Maps come in units of their own, so each is turned into ranks before they are added: a loud map
changes nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from math import inf

import numpy as np

from homunculus.checks import Grid
from homunculus.scouts.sight import Map, Sight, probabilities, resize_map, with_words_of
from homunculus.shapes import Float

MIX: Mapping[str, float] = {"question": 0.4, "saliency": 0.3, "information": 0.3}
"""The default mix: what the question asks, what stands out, what is there."""
LEAST_NEED = 1 / 1024
"""The least probability that a cell is needed: nothing is ever ruled out."""


def rank(value: Float[np.ndarray, "*grid"]) -> Float[np.ndarray, "*grid"]:
    """Each cell's place among all cells: 0 the least, 1 the most, ties share.

    A constant map is 0.5 everywhere. NaN and -inf come last.

    >>> rank(np.array([3.0, 9.0, 9.0, 1.0])).round(4)
    array([0.3333, 0.8333, 0.8333, 0.    ], dtype=float32)
    """
    exact = value if value.dtype == np.float64 else value.astype(np.float32)
    least = float(np.finfo(exact.dtype).min)  # infinite ones become it, and the largest number
    known = np.nan_to_num(exact, nan=least).ravel()
    if len(known) < 2:
        return np.full(value.shape, 0.5, np.float32)
    order = np.sort(known)
    below, up_to = order.searchsorted(known), order.searchsorted(known, side="right")
    # mean of the tied places over the last place, in whole numbers up to one division
    places = (below + up_to - 1).astype(np.float32) / (2.0 * (len(known) - 1))
    return places.reshape(value.shape)


def mix(maps: Mapping[str, Map], weights: Mapping[str, float | int] = MIX) -> Map:
    """One logit for each cell from the maps at hand: the log-probability of being needed.

    Weights are shared out among the maps that are present. Only order and differences mean
    anything.

    >>> np.exp(mix({"saliency": np.array([[0.1, 0.7, 0.2]])})).round(4)
    array([[0.001, 1.   , 0.5  ]], dtype=float32)
    """
    present = {name: weight for name, weight in weights.items() if name in maps}
    total = sum(present.values())
    if len(present) < len(maps) or not 0 < total < inf or min(present.values()) < 0:
        raise ValueError(
            "mix: expected a weight of 0 or more for each map, and one above 0, got maps "
            f"{sorted(maps)} and weights {dict(weights)}."
        )
    # in the order of the weights: the sum must not depend on how the maps were filled in
    ranks = [weight / total * rank(maps[name]) for name, weight in present.items()]
    return np.log(reduce(np.add, ranks).clip(LEAST_NEED, 1))


# ---- scouts that add up --------------------------------------------------------------------------

FOUND_BOTH = (1.0, 0.3)
"""How far a scout of words and one of things are believed where both are sure: a word of the
question is printed there, or the question quotes one. Set by hand: on pages,
receipts and street scenes the two do not meet."""
FOUND_THING = (0.5, 1.0)
"""How far they are believed where the page has text, and no word of the question is in it."""
ON_THING = 0.02
"""Share of a thing that must be print before a question is taken to ask for what is written."""
_READS = re.compile(
    r"\b(says?|said|written|reads?|text|words?|letters?|numbers?|digits?|names?|brand|logo|labell?e?d?"
    r"|titles?|printed|called|spell(?:ed|s)?)\b(?! of\b)",
    re.IGNORECASE,
)


def combine(read: Sight, seen: Sight, question: str, grid: Grid) -> Sight:
    """What a scout of words and one of things make of a question together.

    A scout that is not sure leaves it to the other; if both are, they share the probability by how
    sure each of them is. What is asked to be read on a thing is looked for in the print on it.
    """
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
        return with_words_of(seen, read)
    printed = read.matched or read.quoted
    return mixture(read, seen, FOUND_BOTH if printed else FOUND_THING, grid)


POOLED = (0.9, 0.4)
"""How much the scout that reads and the one that finds words say about a place, as powers of their
probabilities; from the pilot of the reading scout."""
FLOOR = 1e-4
"""What is left of a probability, in shares of a uniform one, where a scout sees nothing."""


def pool(read: Sight, spotted: Sight, grid: Grid) -> Sight:
    """What a scout that read a page and one that looked for words make of it together."""
    if not spotted.sure:
        return read
    if not read.sure:
        return replace(spotted, answers=read.answers)
    floor = FLOOR / (grid[0] * grid[1])
    maps = (np.log(_place(sight, grid) + floor) for sight in (read, spotted))
    logit = reduce(np.add, (map_ * power for map_, power in zip(maps, POOLED, strict=True)))
    return replace(read, logit=logit, origin=f"{read.origin} + {spotted.origin}")


def print_on(seen: Sight, read: Sight, grid: Grid) -> Sight:
    """Where print stands on the things that were seen; the things themselves if there is none."""
    thing, text = _place(seen, grid), _on(read.elsewhere, grid)
    place = thing * text
    if float(place.sum()) < ON_THING:
        return seen
    return replace(
        read,
        logit=np.log((place / place.sum()).clip(1e-9)),
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
    shared = {"words": round(shares[0], 3), "things": round(shares[1], 3)}
    of_things = things / (words + things).clip(1e-12)
    return replace(
        read,
        logit=np.log(((words + things) / sure).clip(1e-12)),
        sure=sure,
        size=np.where(of_things > 0.5, _size(seen, grid), _size(read, grid)),
        thing=of_things * _on(seen.thing, grid),
        size_error=max(read.size_error, seen.size_error),
        origin=f"{read.origin} ({shares[0]:.0%}) + {seen.origin} ({shares[1]:.0%})",
        explanation=_explanation(read, seen),
        question_used=True,
        matches=read.matches + seen.matches,
        facts={**read.facts, **seen.facts, "shares": shared},
    )


def _explanation(read: Sight, seen: Sight) -> str:
    """Both explanations; a thing that was found makes up for words that were not."""
    if read.matched is False and seen.likely:
        return seen.explanation
    return f"{read.explanation} {seen.explanation}"


def _place(sight: Sight, grid: Grid) -> Map:
    """Probabilities of the cells of a grid."""
    return probabilities(_on(sight.logit, grid))


def _on(value: Map | None, grid: Grid) -> Map:
    if value is None:
        return np.zeros(grid, np.float32)
    return resize_map(value.astype(np.float32, copy=False), grid)


def _size(sight: Sight, grid: Grid) -> Map:
    if isinstance(sight.size, np.ndarray):
        return _on(sight.size, grid)
    return np.full(grid, 16.0 if sight.size is None else float(sight.size), np.float32)
