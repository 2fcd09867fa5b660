# pyright: basic
"""A canvas to print on: words with their exact boxes, and facts that name the answer's words."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from homunculus_lab.train import fonts, language
from homunculus_lab.train.language import Phrase

CUT = -1
"""Kind of a word that the border of the page cuts: no question has it as answer."""
Length = float | int
WHOLE_SHARE = 0.85
"""A word is cut if less than this share of it lies on the page."""


@dataclass
class PrintedWord:
    """A printed word: corners x y clockwise from the top left, borders of letters from 0 to 1."""

    text: str
    quad: np.ndarray
    edges: np.ndarray
    kind: int


@dataclass
class Fact:
    """A question the page answers, and the words that are its answer."""

    question: str
    answer: list[int]
    apart: bool = False
    """Each word is an answer by itself, as where the same word stands twice."""


@dataclass
class Face:
    """A font at a size, in a case, with its own gaps and its own ink."""

    path: str
    size: int
    case: str
    gap: float
    lead: float
    ink: int = 255
    font: Any = None
    top: float = 0
    base: float = 0
    drop: float = 0
    advance: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.font = fonts.load(self.path, self.size)
        self.top = self.font.getbbox("Hd")[1]
        self.base = self.font.getbbox("Hx")[3]
        self.drop = self.font.getbbox("gp")[3]
        self.gap = max(2.0, self.font.getlength(" ")) * self.gap

    @property
    def pitch(self) -> float:
        """The distance from one line to the next."""
        return (self.drop - min(0, self.top)) * self.lead

    def lengths(self, text: str) -> np.ndarray:
        """Where each letter begins, and where the last one ends."""
        for letter in text:
            if letter not in self.advance:
                self.advance[letter] = self.font.getlength(letter)
        return np.cumsum([0.0, *(self.advance[letter] for letter in text)], dtype=np.float32)

    def width(self, phrase: Phrase) -> float:
        """The width of a phrase on one line."""
        return sum(float(self.lengths(text)[-1]) + self.gap for text, _ in phrase) - self.gap


def face(rng: Random, size: float | int, *, typewriter: float = 0.15, case: str = "") -> Face:
    """A random face of about this size."""
    return Face(
        fonts.find().choose(rng, typewriter),
        max(7, round(size)),
        case or rng.choice(language.CASES),
        gap=rng.uniform(0.8, 1.5),
        lead=rng.uniform(1.0, 1.8),
        ink=255 if rng.random() < 0.75 else rng.randint(130, 254),
    )


class Canvas:
    """Ink from 0 (paper) to 255 on a canvas; all lengths are pixels of the canvas."""

    def __init__(self, rng: Random, high: int, wide: int) -> None:
        self.rng, self.high, self.wide = rng, high, wide
        self.ink = Image.new("L", (wide, high), 0)
        self.pen = ImageDraw.Draw(self.ink)
        self.words: list[PrintedWord] = []
        self.facts: list[Fact] = []

    def put(self, x: Length, y: Length, text: str, kind: int, style: Face) -> int:
        """Print one word with its top left at x y; its number."""
        edge = style.lengths(text)
        right = x + float(edge[-1])
        self.pen.text((x, y), text, font=style.font, fill=style.ink)
        low = style.base if not any(c in "gjpqy,;()Qç" for c in text) else style.drop
        top, low = y + style.top, y + low
        inside = (min(right, self.wide) - max(x, 0)) * (min(low, self.high) - max(top, 0))
        if right < 0 or x > self.wide or low < 0 or top > self.high:
            inside = 0.0
        whole = inside >= WHOLE_SHARE * max(1.0, (right - x) * (low - top))
        quad = np.array([[x, top], [right, top], [right, low], [x, low]], np.float32)
        self.words.append(
            PrintedWord(text, quad, edge / max(edge[-1], 1e-6), kind if whole else CUT)
        )
        return len(self.words) - 1

    def line(self, x: Length, y: Length, phrase: Phrase, style: Face, limit: Length) -> list[int]:
        """Print a phrase on one line until ``limit``; the numbers of the words that fitted."""
        word_ids = []
        for text, kind in phrase:
            shown = language.set_case(text, style.case, self.rng)
            if x + style.lengths(shown)[-1] > limit:
                break
            word_ids.append(self.put(x, y, shown, kind, style))
            x = float(self.words[-1].quad[1, 0]) + style.gap
        return word_ids

    def right(self, word_ids: list[int]) -> float:
        """Where the last of these words ends."""
        return float(self.words[word_ids[-1]].quad[1, 0])

    def ask(self, question: str, answer: list[int]) -> None:
        """A fact, if its answer was printed whole."""
        if answer and all(self.words[index].kind != CUT for index in answer):
            self.facts.append(Fact(question, answer))

    def rule(self, x0: Length, y: Length, x1: Length, thick: Length = 1) -> None:
        """A line across."""
        self.pen.line((x0, y, x1, y), fill=self.rng.randint(90, 255), width=max(1, round(thick)))

    def bar(self, x0: Length, y0: Length, x1: Length, y1: Length) -> None:
        """A filled rectangle."""
        self.pen.rectangle((x0, y0, max(x0, x1), max(y0, y1)), fill=self.rng.randint(40, 200))

    def frame(self, x0: Length, y0: Length, x1: Length, y1: Length, thick: Length = 1) -> None:
        """An empty rectangle."""
        shade = self.rng.randint(90, 255)
        box = (x0, y0, max(x0, x1), max(y0, y1))
        self.pen.rectangle(box, outline=shade, width=max(1, round(thick)))
