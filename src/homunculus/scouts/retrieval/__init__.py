"""Retrieval: which pages of a document are likely to answer a question.

BM25 over the pages' words, as the reading scout compares words, with more for words that stand
together and for pages that the question names. Pages that nobody read take part by what the word
scout finds on them. The scores become probabilities, one of which is that no page has the answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from homunculus.pages.lines import Lines
from homunculus.scouts.reading.match import spelled
from homunculus.scouts.reading.query import Query, ask
from homunculus.scouts.retrieval.index import Finds, Index
from homunculus.scouts.retrieval.references import (
    named_parts,
    of_document,
    printed_shift,
    referred,
)
from homunculus.shapes import Float

__all__ = ["PageRanker", "Ranking"]

SATURATION, LENGTH = 1.2, 0.75
"""The constants of BM25, as most libraries have them."""
TOGETHER = 4
"""Lines before and behind a line that stand with it."""
LINES_SHARE, PAIRS_SHARE = 0.3, 0.5
"""What words that stand near each other count, and two that stand in a row."""
CAPTION = 1.0
"""What a figure or a table counts more where its name begins a line."""
REFERRED, FIRST_PAGE, SECOND_PAGE = 20.0, 5.0, 2.5
"""What a page counts that the question names, and the first two where it is about the document."""
TEMPERATURE = 1.16
"""What scores are divided by to become logarithms of probabilities. With the next two, fitted to
151 questions on ten free manuals, asked of their own manual and of another one: where the likeliest
page had .94, .71, .48, .28 and .12 it was right in .93, .81, .70, .41 and .21 of all cases
(results/manuals.json)."""
ABSENT, ABSENT_SHARE = -0.64, 0.274
"""The logarithm of how likely no page has the answer, against all pages together if they said
nothing; and by what the question's words would count if all stood on one page."""
SPOTTED = 120.0
"""Words that a page is taken to have which nobody read."""
SPOTTED_LEAST = 0.3
"""How likely the word scout must hold a word for found to be counted."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """How likely each page of a document has the answer."""

    page: Float[np.ndarray, "pages"]
    absent: float
    """How likely none has it."""

    def best(self, most: int, share: float = 1.0) -> list[int]:
        """The likeliest pages, from 1, at most that many, until they have that share of all."""
        order = np.argsort(-self.page, kind="stable")
        total = np.cumsum(self.page[order])
        count = int(np.searchsorted(total, share * float(self.page.sum()) - 1e-9)) + 1
        return [int(place) + 1 for place in order[: min(most, count)]]


class PageRanker:
    """The pages of one document, ready for any question."""

    def __init__(self, pages: Sequence[Lines | None]) -> None:
        self.index = Index(pages)
        self.shift = printed_shift(pages)
        self.unread = np.array([page is None for page in pages], bool)

    def __call__(
        self,
        question: str,
        spotted: Mapping[int, Mapping[str, float]] | None = None,
        scores: Sequence[float] | Float[np.ndarray, "pages"] | None = None,
    ) -> Ranking:
        """How likely each page has the answer.

        ``spotted`` says how likely each word of the question stands on pages that nobody read,
        counted from 0. ``scores`` of another retriever take the place of ours: logits, of which
        only differences count.
        """
        if scores is not None:
            own = np.asarray(scores, np.float32)
            return _ranking(np.append(own, -np.inf))
        score, words = self.scores(question, spotted)
        absent = np.log(self.index.pages) + ABSENT + ABSENT_SHARE * words / TEMPERATURE
        return _ranking(np.append(score / TEMPERATURE, absent))

    def scores(
        self, question: str, spotted: Mapping[int, Mapping[str, float]] | None = None
    ) -> tuple[Float[np.ndarray, "pages"], float]:
        """The score of each page, and what the question's words count together."""
        query = ask(question)
        finds = self._finds(query)
        table = self._frequencies(query, finds, spotted or {})
        rarity = query.weights * _rarity(table)
        score = _bm25(table, rarity, self._lengths(spotted or {}))
        score += LINES_SHARE * self._near(finds, rarity)
        score += self._pairs(dict(zip(query.words, finds, strict=True)), question)
        score += REFERRED * referred(question, self.index.pages, self.shift)
        if of_document(question):
            score[:2] += np.array((FIRST_PAGE, SECOND_PAGE), np.float32)[: len(score)]
        return score, float(rarity.sum())

    def _finds(self, query: Query) -> list[Finds]:
        others: list[list[str]] = [[] for _ in query.words]
        for other, number in query.others:
            others[number].append(other)
        return [self.index.finds(*pair) for pair in zip(query.words, others, strict=True)]

    def _frequencies(
        self,
        query: Query,
        finds: Sequence[Finds],
        spotted: Mapping[int, Mapping[str, float]],
    ) -> Float[np.ndarray, "asked pages"]:
        """How often each asked word stands on each page."""
        table = np.zeros((len(query), self.index.pages), np.float32)
        for row, found in zip(table, finds, strict=True):
            row += self.index.by_page(found.at, found.likeness)
        for place, words in spotted.items():
            for number, word in enumerate(query.words):
                found = words.get(word, 0.0)
                table[number, place] = found if found >= SPOTTED_LEAST else 0.0
        return table

    def _lengths(self, spotted: Mapping[int, object]) -> Float[np.ndarray, "pages"]:
        """Words of each page, those of unread ones assumed."""
        lengths = self.index.length.copy()
        lengths[list(spotted)] = SPOTTED
        return lengths

    def _near(
        self, finds: Sequence[Finds], rarity: Float[np.ndarray, "asked"]
    ) -> Float[np.ndarray, "pages"]:
        """The most of the question that stands within a few lines of each page."""
        index = self.index
        count = int(index.first_line[-1])
        near = np.zeros(count, np.float32)
        place = np.repeat(np.arange(index.pages), np.diff(index.first_line))
        for rare, found in zip(rarity.tolist(), finds, strict=True):
            if not len(found.at):
                continue
            here = np.zeros(count, np.float32)
            np.maximum.at(here, index.line[found.at], found.likeness)
            widest = here.copy()
            for step in range(1, TOGETHER + 1):
                same = place[step:] == place[:-step]
                np.maximum(widest[step:], here[:-step] * same, out=widest[step:])
                np.maximum(widest[:-step], here[step:] * same, out=widest[:-step])
            near += rare * widest
        best = np.zeros(index.pages, np.float32)
        np.maximum.at(best, place, near)
        return best

    def _pairs(self, finds: Mapping[str, Finds], question: str) -> Float[np.ndarray, "pages"]:
        """Words that follow each other in the question and on a page, and named figures."""
        index, score = self.index, np.zeros(self.index.pages, np.float32)
        words = [spelled(word) for word in question.split()]
        for first, second in dict.fromkeys(pairwise(words)):
            if first in finds and second in finds:
                at = index.in_a_row(finds[first], finds[second])
                score += PAIRS_SHARE * _of_phrase(index.by_page(at))
        for kind, name in dict.fromkeys(named_parts(question)):
            kinds = [index.finds(kind)] + [index.exactly("fig")] * (kind == "figure")
            at = np.concatenate([index.in_a_row(each, index.exactly(name)) for each in kinds])
            often = index.by_page(at)
            captions = index.by_page(index.begins_line(at)) > 0
            score += _of_phrase(often) + CAPTION * captions * _rarity(often[None])[0]
        return score


def _ranking(logits: Float[np.ndarray, "_"]) -> Ranking:
    """The last logit is that of no page."""
    odds = np.exp(logits - logits.max())
    odds /= odds.sum()
    return Ranking(odds[:-1].astype(np.float32), float(odds[-1]))


def _rarity(often: Float[np.ndarray, "asked pages"]) -> Float[np.ndarray, "asked"]:
    """How much a find of each word says: more, the fewer pages have it."""
    pages, having = often.shape[1], (often > 0.7).sum(1)
    return np.log(1 + (pages - having + 0.5) / (having + 0.5)).astype(np.float32)


def _bm25(
    often: Float[np.ndarray, "asked pages"],
    rarity: Float[np.ndarray, "asked"],
    length: Float[np.ndarray, "pages"],
) -> Float[np.ndarray, "pages"]:
    usual = max(1.0, float(length.mean()))
    long = SATURATION * (1 - LENGTH + LENGTH * length / usual)
    return (rarity[:, None] * often * (SATURATION + 1) / (often + long)).sum(0)


def _of_phrase(often: Float[np.ndarray, "pages"]) -> Float[np.ndarray, "pages"]:
    """What a phrase counts on each page."""
    return _rarity(often[None])[0] * often * (SATURATION + 1) / (often + SATURATION)
