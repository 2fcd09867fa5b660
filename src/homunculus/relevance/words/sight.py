"""Sights: what a scout makes of a page and a question, and why."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from homunculus.relevance.words.evidence import PLACE, Found
from homunculus.relevance.words.question import Asked

SURE = 0.4
"""A word counts as found from this probability on."""
BLANK = 0.002
"""A page with a smaller share of text has none to speak of."""

Map = Float[Tensor, "rows cols"]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Word:
    """A word of the question: how sure it is that the page has it, and where it most likely is."""

    text: str
    probability: float
    box: Box
    """x0 y0 x1 y1, as fractions of the page."""
    places: float
    """On how many places it stands, softly counted."""


@dataclass(frozen=True, eq=False)
class Sight:
    """Where one question looks on one page, and why."""

    logit: Map
    """Log-probability that a level-0 cell belongs to the answer."""
    words: tuple[Word, ...]
    """The question's words, found or not, and other printings of them that were found."""
    unsupported: tuple[str, ...]
    """Words in scripts the scout cannot read."""
    matched: bool
    """Whether any word was found; if not, the kind of answer asked for guides alone."""
    text: float
    """Share of the page that holds text."""

    @property
    def found(self) -> tuple[Word, ...]:
        """The words that the page has, as far as one can be sure."""
        return tuple(word for word in self.words if word.probability >= SURE)

    @property
    def blank(self) -> bool:
        """Whether the page has hardly any text: no word on it can point anywhere."""
        return self.text < BLANK

    @property
    def sure(self) -> bool:
        """Whether a word of the question was found, on a page that has text."""
        return self.matched and not self.blank


def told(found: Found, row: int, asked: Asked) -> tuple[Word, ...]:
    """What was found of a question's words, for people."""
    rows, cols = found.text.shape
    words = []
    for place, word in enumerate(asked.words):
        match = found.match[row, place]
        peak = float(match.max())
        y, x = divmod(int(match.argmax()), cols)
        y0, x0 = max(0, y - PLACE[0]), max(0, x - PLACE[1])
        near = match[y0 : y + PLACE[0] + 1, x0 : x + PLACE[1] + 1] >= peak / 2
        ys, xs = near.any(1).nonzero()[:, 0], near.any(0).nonzero()[:, 0]
        box = (
            (x0 + int(xs[0])) / cols, (y0 + int(ys[0])) / rows,
            (x0 + int(xs[-1]) + 1) / cols, (y0 + int(ys[-1]) + 1) / rows,
        )  # fmt: skip
        there = [one.box for one in words if one.probability >= SURE]
        if place >= asked.own and (peak < SURE or any(_meet(box, one) for one in there)):
            continue  # how else it might have been printed, and was not, or what was found already
        count = float((match >= SURE).sum()) / max(1, int(near.sum()))
        words.append(Word(word, peak, box, count))
    return tuple(words)


def _meet(one: Box, other: Box) -> bool:
    """Whether two boxes share more than a border."""
    across = max(one[0], other[0]) < min(one[2], other[2])
    return across and max(one[1], other[1]) < min(one[3], other[3])
