"""The words of many pages, and where each word of a question stands in them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from homunculus.pages.lines import Lines
from homunculus.scouts.reading.match import Vocabulary, likeness
from homunculus.scouts.reading.query import OTHER_PRINTING
from homunculus.shapes import Float, Int

LEAST = 0.6
"""How far a printed word must be the asked one to be a find."""
SURE = 0.75
"""The same for words of which two in a row are asked."""


@dataclass(frozen=True, eq=False)
class Finds:
    """Where a word of the question stands."""

    at: Int[np.ndarray, "finds"]
    """The numbers of printed words, counted over all pages."""
    likeness: Float[np.ndarray, "finds"]
    """How far each is the asked word."""

    @cached_property
    def sure(self) -> Int[np.ndarray, "some"]:
        """Those that are surely the word."""
        return self.at[self.likeness > SURE]


NO_FINDS = Finds(np.zeros(0, int), np.zeros(0, np.float32))


class Index:
    """All printed words of some pages, by spelling; 15 MB for a thousand pages."""

    def __init__(self, pages: Sequence[Lines | None]) -> None:
        self.pages = len(pages)
        read = [page for page in pages if page is not None]
        number = dict[str, int]()
        word = [number.setdefault(text, len(number)) for page in read for text in page.words]
        spelled = np.array(word, np.int32)
        counts = np.array([0 if page is None else len(page) for page in pages])
        self.length = counts.astype(np.float32)
        """Words of each page."""
        self.page = np.repeat(np.arange(self.pages, dtype=np.int32), counts)
        """The page of each printed word, from 0."""
        lines = np.array([0 if page is None else page.count for page in pages])
        self.first_line = np.concatenate(([0], np.cumsum(lines)))
        """The first line of each page, and the end."""
        starts = self.first_line[:-1][np.array([page is not None for page in pages], bool)]
        parts = [page.line + start for page, start in zip(read, starts.tolist(), strict=True)]
        self.line = np.concatenate(parts).astype(np.int32) if parts else np.zeros(0, np.int32)
        """The line of each printed word, counted over all pages."""
        self._order = np.argsort(spelled, kind="stable").astype(np.int32)
        self._start = np.searchsorted(spelled[self._order], np.arange(len(number) + 1))
        self._vocabulary = Vocabulary.of(list(number))
        of_form: list[list[int]] = [[] for _ in self._vocabulary.forms]
        for place, own in enumerate(self._vocabulary.words):
            for form in own:
                of_form[form].append(place)
        self._of_form = of_form

    def finds(self, word: str, others: Iterable[str] = ()) -> Finds:
        """Where a word, or another printing of it, stands."""
        like = dict[int, float]()
        for spelling, factor in ((word, 1.0), *((other, OTHER_PRINTING) for other in others)):
            for form in self._vocabulary.near(spelling).tolist():
                value = factor * likeness(spelling, self._vocabulary.forms[form])
                if value > LEAST:
                    for place in self._of_form[form]:
                        like[place] = max(like.get(place, 0.0), value)
        return self._all(like)

    def exactly(self, word: str) -> Finds:
        """Where a spelling stands as it is, such as a number."""
        form = self._vocabulary.number.get(word)
        return NO_FINDS if form is None else self._all(dict.fromkeys(self._of_form[form], 1.0))

    def _all(self, like: dict[int, float]) -> Finds:
        if not like:
            return NO_FINDS
        spans = [self._order[self._start[place] : self._start[place + 1]] for place in like]
        values = [
            np.full(len(span), value, np.float32)
            for span, value in zip(spans, like.values(), strict=True)
        ]
        return Finds(np.concatenate(spans), np.concatenate(values))

    def in_a_row(self, first: Finds, second: Finds) -> Int[np.ndarray, "some"]:
        """The first words of those finds that stand one behind the other."""
        at = first.sure[np.isin(first.sure + 1, second.sure)]
        return at[self.page[at] == self.page[at + 1]]

    def by_page(
        self, at: Int[np.ndarray, "some"], worth: Float[np.ndarray, "some"] | None = None
    ) -> Float[np.ndarray, "pages"]:
        """How many of some printed words stand on each page, or what they are worth together."""
        return np.bincount(self.page[at], worth, self.pages).astype(np.float32)

    def begins_line(self, at: Int[np.ndarray, "some"]) -> Int[np.ndarray, "_"]:
        """Those printed words that begin a line."""
        return at[(at == 0) | (self.line[at - 1] != self.line[at])]
