# pyright: basic
"""A page of words and boxes: nothing is drawn, since only what an OCR would read counts."""

from dataclasses import dataclass, field
from random import Random

Box = tuple[float, float, float, float]
NARROW, WIDE = set("iljtfr.,:;'|!()[]I "), set("mwMWABCDEFGHKNOPQRSUVXYZÄÖÜ@%")


def width(text: str, em: float) -> float:
    """How wide a text is printed, about."""
    return em * sum(0.3 if c in NARROW else 0.68 if c in WIDE else 0.52 for c in text)


@dataclass
class Fact:
    """A question, and the numbers of the words that answer it."""

    question: str
    answer: list[int]


@dataclass
class Sheet:
    """Words in the order in which they are printed, and questions."""

    rng: Random
    wide: int
    high: int
    words: list[tuple[str, Box]] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    def put(self, x: float, y: float, text: str, em: float) -> list[int]:
        """Print a text in a line; the numbers of its words."""
        printed = list[int]()
        for word in text.split():
            right = x + width(word, em)
            printed.append(len(self.words))
            self.words.append((word, (x, y, right, y + 1.15 * em)))
            x = right + 0.28 * em
        return printed

    def wrapped(
        self, x: float, y: float, text: str, em: float, right: float
    ) -> tuple[list[int], float]:
        """Print a text over as many lines as it takes; its words, and where the next line is."""
        printed, left = list[int](), x
        for word in text.split():
            if x > left and x + width(word, em) > right:
                x, y = left, y + 1.4 * em
            printed += self.put(x, y, word, em)
            x += width(word, em) + 0.28 * em
        return printed, y + 1.4 * em

    def right(self, words: list[int]) -> float:
        """Where some words end."""
        return max((self.words[word][1][2] for word in words), default=0.0)

    def turn(self, slope: float) -> None:
        """Print everything askew: boxes surround the slanted words."""
        for number, (text, (x0, y0, x1, y1)) in enumerate(self.words):
            across, down = (x0 + x1) / 2, (y0 + y1) / 2
            high = (y1 - y0 + abs(slope) * (x1 - x0)) / 2
            x, y, wide = across - slope * down, down + slope * across, (x1 - x0) / 2
            self.words[number] = text, (x - wide, y - high, x + wide, y + high)

    def ask(self, question: str, answer: list[int]) -> None:
        """Add a question."""
        if question and answer:
            self.facts.append(Fact(question, answer))
