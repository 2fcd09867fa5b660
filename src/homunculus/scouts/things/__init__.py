"""The thing scout: finds the things that a question names in a photo, and how large they are.

The detector looks at a picture once; after that a question costs milliseconds. Where the question
names nothing that is there, the scout says that it does not know.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from homunculus.checks import Grid
from homunculus.scouts.sight import FractionBox, Map, Match, Pixels, Sight
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
from homunculus.shapes import Float

__all__ = [
    "FILE", "WEIGHTS", "Detector", "EfficientDet", "Thing", "ThingScout", "available", "shipped",
]  # fmt: skip

SURENESS = (1.2, 2.5)
"""How sure the scout is of a score: a line within a logistic curve, fit on half of the photos of
`vqa2_search`; `results/place-photos.json` says how often it is right."""
OTHERS = 0.03
"""What a thing that the question does not name weighs beside one that it names."""
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

    box: FractionBox
    weight: float
    word: str = ""
    score: float = 0.0


@dataclass(frozen=True, eq=False)
class ThingScout:
    """Looks for the things that a question names."""

    detector: Detector

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        """Where the named things stand, and how large they are."""
        size = (int(image.shape[1]), int(image.shape[2]))
        names = self.detector.names
        namings = names_in(question, names) if names else _any(question)
        things = self.detector(image, [naming.name for naming in namings])
        weights = list(weigh(things, namings, relation_in(question)))
        best = max((weight.score for weight in weights if weight.word), default=0.0)
        words = list(dict.fromkeys(naming.word for naming in namings))
        matches = [_match(word, weights) for word in words]
        sentence = _sentence(matches)
        place, shorter = paint(weights, grid, size)
        return Sight(
            np.log(place.clip(1e-9)),
            sure=sureness(best),
            size=shorter,
            size_error=SIZE_ERROR,
            thing=np.ones(grid, np.float32),
            origin=f"things: {_short(matches)}",
            explanation=sentence,
            unsure="" if best > 0 else sentence,
            question_used=best > 0,
            matches=tuple(matches),
            facts={"things": len(things)},
        )


def _any(question: str) -> list[Naming]:
    """What a detector of any words is asked for."""
    text = question.lower()
    return [Naming(word, word, max(0, text.find(word))) for word in nouns(question)]


def sureness(score: float) -> float:
    """The probability that a box of this score is the right place; 0 if there is none."""
    return 0.0 if score <= 0 else 1 / (1 + exp(-(SURENESS[0] + SURENESS[1] * score)))


# ---- what weighs how much ------------------------------------------------------------------------


def weigh(
    things: Sequence[Thing], namings: Sequence[Naming], relation: Relation | None
) -> Iterator[Weight]:
    """Each thing by its score and by what the question says of it."""
    word = {naming.name: naming.word for naming in reversed(namings)}  # the first word of each
    ahead = {n.name for n in namings if not (relation and n.start > relation.start)}
    references = word.keys() - ahead
    mark = next((thing for thing in things if thing.name in references), None)  # the surest one
    for thing in things:
        weight = thing.score
        if thing.name not in word:
            yield Weight(thing.box, weight * OTHERS)
            continue
        if thing.name in references:
            weight *= REFERENCE
        elif relation and mark and not _stands(thing.box, mark.box, relation):
            weight *= AGAINST
        yield Weight(thing.box, weight, word[thing.name], thing.score)
    if relation and mark and not any(thing.name in ahead for thing in things):
        yield Weight(_beside(mark.box, relation), mark.score, word[mark.name], mark.score)


def _middle(box: FractionBox) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _stands(box: FractionBox, mark: FractionBox, relation: Relation) -> bool:
    """Whether a box stands to a mark as a question says."""
    (x, y), (mark_x, mark_y) = _middle(box), _middle(mark)
    across, down = relation.step
    if (across, down) == (0, 0):  # near: within its own size
        wide, high = mark[2] - mark[0], mark[3] - mark[1]
        return abs(x - mark_x) <= 1.5 * wide and abs(y - mark_y) <= 1.5 * high
    return (x - mark_x) * across > 0 if across else (y - mark_y) * down > 0


def _beside(mark: FractionBox, relation: Relation) -> FractionBox:
    """The place that a question means where what stands there is not known."""
    x0, y0, x1, y1 = mark
    wide, high = x1 - x0, y1 - y0
    across, down = relation.step
    if (across, down) == (0, 0):
        return _inside((x0 - wide / 2, y0 - high / 2, x1 + wide / 2, y1 + high / 2))
    right, below = across * wide, down * high
    return _inside((x0 + right, y0 + below, x1 + right, y1 + below))


def _inside(box: FractionBox) -> FractionBox:
    """A box within the picture; one that would lie outside keeps a strip at the border."""
    x0, y0, x1, y1 = (min(1.0, max(0.0, side)) for side in box)
    return min(x0, 0.95), min(y0, 0.95), max(x1, 0.05), max(y1, 0.05)


# ---- maps ----------------------------------------------------------------------------------------


def paint(weights: Sequence[Weight], grid: Grid, size: tuple[int, int]) -> tuple[Map, Map]:
    """The probability of each cell, and the shorter side in pixels of what weighs most there."""
    place = np.zeros(grid, np.float32)
    heaviest = np.zeros(grid, np.float32)
    shorter = np.full(grid, max(size) * USUAL, np.float32)
    for weight in weights:
        x0, y0, x1, y1 = weight.box
        share = _cover(weight.box, grid)
        share *= weight.weight / max(float(share.sum()), 1e-9)
        side = min((x1 - x0) * size[1], (y1 - y0) * size[0])
        shorter[share > heaviest] = max(1.0, side)
        heaviest = np.maximum(heaviest, share)
        place += share
    total = place.sum()
    return (place / total if total > 0 else np.full(grid, 1 / place.size, np.float32)), shorter


def _cover(box: FractionBox, grid: Grid) -> Float[np.ndarray, "rows cols"]:
    """The share of each cell that a box covers."""
    across, down = _overlap(box[0], box[2], grid[1]), _overlap(box[1], box[3], grid[0])
    return down[:, None] * across


def _overlap(low: float, high: float, cells: int) -> Float[np.ndarray, " cells"]:
    edge = np.arange(cells + 1, dtype=np.float32) / cells
    return (np.minimum(edge[1:], high) - np.maximum(edge[:-1], low)).clip(0) * cells


# ---- for people ----------------------------------------------------------------------------------


def _match(word: str, weights: Sequence[Weight]) -> Match:
    """A word that names a thing, and the best box that goes by it."""
    boxes = [weight for weight in weights if weight.word == word]
    best = max(boxes, key=lambda weight: weight.score, default=Weight((0.0, 0.0, 1.0, 1.0), 0.0))
    return Match(word, sureness(best.score), best.box, float(len(boxes)), kind="thing")


def _short(matches: Sequence[Match]) -> str:
    if not matches:
        return "none named"
    return f"{sum(match.places > 0 for match in matches)} of {len(matches)} found"


def _sentence(matches: Sequence[Match]) -> str:
    if not matches:
        return "The question names no thing that the detector knows."
    seen = ", ".join(match.text for match in matches if match.places)
    absent = ", ".join(match.text for match in matches if not match.places)
    parts = [f"seen: {seen}"] if seen else []
    parts += [f"not seen: {absent}"] if absent else []
    return f"Of the things that the question names, {'; '.join(parts)}."
