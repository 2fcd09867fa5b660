"""The thing scout: finds the things that a question names in a photo, and how large they are.

The detector looks at a picture once; after that a question costs milliseconds. Where the question
names nothing that is there, the scout says that it does not know.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp

import torch
from torch import Tensor

from homunculus.checks import Grid
from homunculus.scouts.sight import Box, Image, Map, Match, Sight
from homunculus.scouts.things.detector import (
    FILE,
    WEIGHTS,
    Detector,
    EfficientDet,
    Thing,
    available,
    shipped,
)
from homunculus.scouts.things.names import Naming, Relation, names_in, nouns, relation_in

__all__ = [
    "FILE", "WEIGHTS", "Detector", "EfficientDet", "Thing", "ThingScout", "available", "shipped",
]  # fmt: skip

SURE = (1.2, 2.5)
"""How sure the scout is of a score: a line within a logistic curve, fit on half of the photos of
`vqa2_search`; `results/place-photos.json` says how often it is right."""
OTHERS = 0.03
"""What a thing that nobody named weighs beside one that is."""
REFERENCE = 0.5
"""What a thing weighs that is only named to say where another one stands."""
AGAINST = 0.2
"""What a thing weighs that does not stand as the question says."""
USUAL = 1 / 8
"""The shorter side of a thing where none is seen, in the longer side of the picture."""
SIZE_ERROR = 0.3
"""How well the size of a thing is known, in octaves."""


@dataclass(frozen=True)
class Weight:
    """A box, what it weighs, and the word of the question that it goes by."""

    box: Box
    weight: float
    word: str = ""
    score: float = 0.0


@dataclass(frozen=True, eq=False)
class ThingScout:
    """Looks for the things that a question names."""

    detector: Detector

    def __call__(self, image: Image, question: str, grid: Grid) -> Sight:
        """Where the named things stand, and how large they are."""
        size = (int(image.shape[1]), int(image.shape[2]))
        names = self.detector.names
        asked = names_in(question, names) if names else _any(question)
        things = self.detector(image, [one.name for one in asked])
        weights = list(weigh(things, asked, relation_in(question)))
        best = max((one.score for one in weights if one.word), default=0.0)
        place, shorter = paint(weights, grid, size)
        return Sight(
            place.clamp(min=1e-9).log(),
            sure=sureness(best),
            size=shorter,
            size_error=SIZE_ERROR,
            thing=torch.ones(grid),
            origin=f"things: {_short(asked, weights)}",
            explanation=_sentence(asked, weights),
            unsure="" if best > 0 else _sentence(asked, weights),
            question_used=best > 0,
            matches=_matches(asked, weights),
            facts={"things": len(things)},
        )


def _any(question: str) -> list[Naming]:
    """What a detector of any words is asked for."""
    text = question.lower()
    return [Naming(word, word, max(0, text.find(word))) for word in nouns(question)]


def sureness(score: float) -> float:
    """The probability that a box of this score is the right place; 0 if there is none."""
    return 0.0 if score <= 0 else 1 / (1 + exp(-(SURE[0] + SURE[1] * score)))


# ---- what weighs how much ------------------------------------------------------------------------


def weigh(
    things: Sequence[Thing], asked: Sequence[Naming], relation: Relation | None
) -> Iterator[Weight]:
    """Each thing by its score and by what the question says of it."""
    word = {one.name: one.word for one in reversed(asked)}  # the first word of each
    behind = {one.name for one in asked if relation and one.start > relation.start}
    ahead = {one.name for one in asked if not (relation and one.start > relation.start)}
    marks = [thing for thing in things if thing.name in behind - ahead]
    mark = marks[0] if marks else None  # the surest one
    for thing in things:
        share = thing.score
        if thing.name not in word:
            yield Weight(thing.box, share * OTHERS)
            continue
        if thing.name in behind - ahead:
            share *= REFERENCE
        elif relation and mark and not _stands(thing.box, mark.box, relation):
            share *= AGAINST
        yield Weight(thing.box, share, word[thing.name], thing.score)
    if relation and mark and not any(thing.name in ahead for thing in things):
        yield Weight(_beside(mark.box, relation), mark.score, word[mark.name], mark.score)


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _stands(box: Box, mark: Box, relation: Relation) -> bool:
    """Whether a box stands to a mark as a question says."""
    (x, y), (at_x, at_y) = _middle(box), _middle(mark)
    across, down = relation.step
    if (across, down) == (0, 0):  # near: within its own size
        wide, high = mark[2] - mark[0], mark[3] - mark[1]
        return abs(x - at_x) <= 1.5 * wide and abs(y - at_y) <= 1.5 * high
    return (x - at_x) * across > 0 if across else (y - at_y) * down > 0


def _beside(mark: Box, relation: Relation) -> Box:
    """The place that a question means where nobody knows what stands there."""
    wide, high = mark[2] - mark[0], mark[3] - mark[1]
    across, down = relation.step
    if (across, down) == (0, 0):
        x0, y0, x1, y1 = (
            mark[0] - wide / 2,
            mark[1] - high / 2,
            mark[2] + wide / 2,
            mark[3] + high / 2,
        )
    else:
        x0, y0 = mark[0] + across * wide, mark[1] + down * high
        x1, y1 = mark[2] + across * wide, mark[3] + down * high
    return _inside((x0, y0, x1, y1))


def _inside(box: Box) -> Box:
    """A box within the picture; one that would lie outside keeps a strip at the border."""
    x0, y0, x1, y1 = (min(1.0, max(0.0, side)) for side in box)
    return min(x0, 0.95), min(y0, 0.95), max(x1, 0.05), max(y1, 0.05)


# ---- maps ----------------------------------------------------------------------------------------


def paint(weights: Sequence[Weight], grid: Grid, size: tuple[int, int]) -> tuple[Map, Map]:
    """The probability of each cell, and the shorter side in pixels of what weighs most there."""
    place = torch.zeros(grid)
    heaviest = torch.zeros(grid)
    shorter = torch.full(grid, max(size) * USUAL)
    for one in weights:
        share = _cover(one.box, grid)
        share = share * (one.weight / share.sum().clamp(min=1e-9))
        side = min((one.box[2] - one.box[0]) * size[1], (one.box[3] - one.box[1]) * size[0])
        shorter = torch.where(share > heaviest, max(1.0, side), shorter)
        heaviest = torch.maximum(heaviest, share)
        place = place + share
    total = place.sum()
    return (place / total if total > 0 else torch.full(grid, 1 / place.numel())), shorter


def _cover(box: Box, grid: Grid) -> Tensor:
    """The share of each cell that a box covers."""
    along = [_overlap(box[start], box[start + 2], grid[1 - start]) for start in (0, 1)]
    return along[1][:, None] * along[0]


def _overlap(low: float, high: float, cells: int) -> Tensor:
    edge = torch.arange(cells + 1) / cells
    return ((edge[1:].clamp(max=high) - edge[:-1].clamp(min=low)).clamp(min=0)) * cells


# ---- for people ----------------------------------------------------------------------------------


def _matches(asked: Sequence[Naming], weights: Sequence[Weight]) -> tuple[Match, ...]:
    """Each word that names a thing, and the best box that goes by it."""
    found = list[Match]()
    for word in dict.fromkeys(one.word for one in asked):
        there = [one for one in weights if one.word == word]
        best = max(there, key=lambda one: one.score, default=Weight((0.0, 0.0, 1.0, 1.0), 0.0))
        found.append(Match(word, sureness(best.score), best.box, float(len(there))))
    return tuple(found)


def _short(asked: Sequence[Naming], weights: Sequence[Weight]) -> str:
    words = dict.fromkeys(one.word for one in asked)
    if not words:
        return "none named"
    seen = {one.word for one in weights}
    return f"{sum(word in seen for word in words)} of {len(words)} found"


def _sentence(asked: Sequence[Naming], weights: Sequence[Weight]) -> str:
    words = list(dict.fromkeys(one.word for one in asked))
    if not words:
        return "The question names no thing that the detector knows."
    seen = {one.word for one in weights}
    here = [word for word in words if word in seen]
    absent = [word for word in words if word not in seen]
    parts = [f"seen: {', '.join(here)}"] if here else []
    parts += [f"not seen: {', '.join(absent)}"] if absent else []
    return f"Of the things that the question names, {'; '.join(parts)}."
