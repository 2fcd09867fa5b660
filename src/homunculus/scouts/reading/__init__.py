"""The reading scout: ranks the words of a page that was read by how likely they are the answer.

It needs `Lines`: a PDF's text layer, the result of an OCR, or words that the caller has. A ranker
looks at each word, at what stands around it, and at the question (`features`, `ranker`).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from homunculus.checks import Grid
from homunculus.pages.lines import Lines
from homunculus.scouts.reading.features import Evidence, evidence
from homunculus.scouts.reading.layout import Layout
from homunculus.scouts.reading.match import RELATED
from homunculus.scouts.reading.query import Query, ask
from homunculus.scouts.reading.ranker import Ranker
from homunculus.scouts.sight import Answer, FractionBox, Map, Match, Pixels, Sight
from homunculus.shapes import Float

__all__ = ["ReadingScout"]

SURE = 0.95
"""Probability that goes by the ranker where all of a question was found."""
UNFOUND = 0.55
"""How much of it is lost where nothing of a question was found: the page may not hold the answer,
or in other words. Chosen on the development half of the natural questions, where a small net that
was trained to tell how sure the ranker may be did worse."""
LINE_HEIGHT = -0.35
"""Octaves from the height of a line as an OCR draws it to that of its print."""
SIZE_ERROR = 0.3
"""How well heights are known, in octaves."""
MOST_ANSWERS, LEAST_ANSWER, SAME_ANSWER = 12, 0.004, 0.2
"""How many likely answers are named, how likely they are at least, and from which share of its
likeliest word on a neighbour belongs to an answer."""
LAYOUTS = 8
"""Pages whose layout is kept, the last ones. They are few: a layout of a full page takes 60 MB."""


@dataclass(frozen=True, eq=False)
class ReadingScout:
    """Ranks the words of pages that were read; deterministic."""

    ranker: Ranker

    def __call__(self, image: Pixels, question: str, grid: Grid) -> Sight:
        """Nothing is known of a picture that nobody read."""
        why = "The picture has no text layer and was not read by an OCR."
        return Sight(
            np.zeros(grid, np.float32), sure=0.0, origin="nothing read",
            explanation=f"{why} So the whole picture counts alike.", unsure=why,
            question_used=False,
        )  # fmt: skip

    def with_lines(self, image: Pixels, question: str, grid: Grid, lines: Lines) -> Sight:
        """Where the answer stands on a page that was read."""
        size = (int(image.shape[1]), int(image.shape[2]))
        layout, query = _layout(lines, size), ask(question)
        if not len(layout.line):
            return self(image, question, grid)
        seen = evidence(layout, query)
        likely = self.ranker.likely(seen.features, query.parsed.buckets)
        return _sight(layout, query, seen, likely, grid)


@lru_cache(maxsize=LAYOUTS)
def _layout(lines: Lines, size: tuple[int, int]) -> Layout:
    """A page is laid out once for all its questions."""
    return Layout(lines, size)


def _sight(
    layout: Layout, query: Query, seen: Evidence, likely: Float[np.ndarray, "words"], grid: Grid
) -> Sight:
    words = tuple(_matches(layout, query, seen))
    matched = any(match.state != "missing" for match in words)
    compares = query.parsed.counts and not query.parsed.quoted
    sure = SURE * (1 - UNFOUND * (1 - min(1.0, seen.found_share)))
    cover = _Cells(layout, grid)
    found = [match.text for match in words if match.state == "found"]
    short = f"{len(found)} of {len(words)} words of the question read"
    return Sight(
        np.log(cover.paint(likely).clip(1e-12)),
        sure=sure if len(query) else 0.0,
        size=cover.heights(),
        size_error=SIZE_ERROR,
        elsewhere=cover.printed.clip(0, 1) + np.float32(1e-3),
        origin=f"{layout.lines.source}: {short}",
        explanation=f"{short[0].upper()}{short[1:]}; the choice follows the likeliest answers.",
        unsure="" if len(query) else "The question has no word to look for.",
        question_used=len(query) > 0,
        matches=words,
        matched=matched,
        quoted=query.parsed.quoted,
        compares=compares,
        answers=_answers(layout, likely),
        facts={"read": len(layout.words), "found_share": round(seen.found_share, 4)},
    )


def _matches(layout: Layout, query: Query, seen: Evidence) -> list[Match]:
    """The question's words, and where they stand."""
    high, wide = layout.size
    found = list[Match]()
    own = np.where(seen.match > RELATED, seen.match, 0)  # a related word is not the word itself
    for word, row in zip(query.words, own, strict=True):
        best = int(row.argmax())
        sides = layout.printed_boxes[best] / np.array([wide, high, wide, high], np.float32)
        x0, y0, x1, y1 = sides.clip(0, 1).tolist()
        box: FractionBox = (x0, y0, x1, y1)
        probability = float(row[best])
        places = float((row >= 0.9 * probability).sum()) if probability else 0.0
        found.append(Match(word, probability, box, places))
    return found


def _answers(layout: Layout, likely: Float[np.ndarray, "words"]) -> tuple[Answer, ...]:
    """The likeliest answers: runs of words of a line, best first."""
    taken, answers = np.zeros(len(likely), bool), list[Answer]()
    for word in np.argsort(-likely, kind="stable").tolist():
        if len(answers) == MOST_ANSWERS or likely[word] < LEAST_ANSWER:
            break
        if taken[word]:
            continue
        first = last = word
        least = SAME_ANSWER * float(likely[word])
        while first and _joins(layout, likely, taken, first, first - 1, least):
            first -= 1
        while last + 1 < len(likely) and _joins(layout, likely, taken, last, last + 1, least):
            last += 1
        taken[first : last + 1] = True
        answers.append(
            Answer(
                " ".join(layout.words[first : last + 1]),
                tuple(range(first, last + 1)),
                float(likely[first : last + 1].sum()),
            )
        )
    return tuple(sorted(answers, key=lambda answer: -answer.probability))


def _joins(
    layout: Layout, likely: Float[np.ndarray, "words"], taken: np.ndarray, word: int, other: int,
    least: float,
) -> bool:  # fmt: skip
    """Whether a neighbour belongs to the same answer."""
    same = layout.line[word] == layout.line[other]
    return bool(same and not taken[other] and likely[other] >= least)


class _Cells:
    """The cells of a grid that the words of a page cover."""

    def __init__(self, layout: Layout, grid: Grid) -> None:
        (high, wide), boxes = layout.size, layout.printed_boxes
        self.down = _shares(boxes[:, 1] * grid[0] / high, boxes[:, 3] * grid[0] / high, grid[0])
        self.across = _shares(boxes[:, 0] * grid[1] / wide, boxes[:, 2] * grid[1] / wide, grid[1])
        self.octaves = np.log2((boxes[:, 3] - boxes[:, 1]).clip(1)) + LINE_HEIGHT

    @cached_property
    def printed(self) -> Map:
        """How much of each cell words cover."""
        return self.down.T @ self.across

    def paint(self, worth: Float[np.ndarray, "words"]) -> Map:
        """Values of words spread over their cells."""
        area = self.down.sum(1) * self.across.sum(1)
        return (self.down * (worth / area.clip(1e-9))[:, None]).T @ self.across

    def heights(self) -> Map:
        """The height of print in each cell, that of most words where there is none."""
        octaves = (self.down * self.octaves[:, None]).T @ self.across
        usual = np.float32(np.median(self.octaves))
        return np.exp2((octaves + 1e-3 * usual) / (self.printed + 1e-3)).astype(np.float32)


def _shares(
    low: Float[np.ndarray, "words"], high: Float[np.ndarray, "words"], cells: int
) -> Float[np.ndarray, "words cells"]:
    """How much of each cell along a side each word covers."""
    edge = np.arange(cells, dtype=np.float32)
    return (np.minimum(high[:, None], edge + 1) - np.maximum(low[:, None], edge)).clip(0)
