"""How well a printed word is a word of the question: spelling, endings and misread letters."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from homunculus.scouts.reading.related import related
from homunculus.scouts.words.net import fold, supported
from homunculus.shapes import Float, Int

CONTAINED, ENDING, STEM = 0.9, 0.8, 0.85
"""A printed word that contains the asked one, is the beginning of it, or has the same stem."""
RELATED = 0.55
"""A printed word that is near in meaning to the asked one: perhaps it is meant."""
ALIKE = 0.6
"""Pairs of letters that two words share, at least, where one may be the other misread."""
_PARTS = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
"""Scripts without spaces: Japanese, Chinese, Thai."""


def spelled(word: str) -> str:
    """A word as it is compared: without accents, marks and case; other scripts keep their letters.

    >>> spelled("Café-Nr."), spelled("Итого:")
    ('cafenr', 'итого')
    """
    if supported(word):
        return fold(word)
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", word).casefold()))


@lru_cache(maxsize=2**16)
def spellings(word: str) -> tuple[str, ...]:
    """A printed word as it is compared, and its parts where marks join several.

    >>> spellings("Tel/Fax:"), spellings("--")
    (('telfax', 'tel', 'fax'), ())
    """
    parts = _PARTS.findall(word)
    forms = [spelled(word), *(map(spelled, parts) if len(parts) > 1 else ())]
    return tuple(dict.fromkeys(filter(None, forms)))


def pieces(word: str) -> tuple[str, ...]:
    """What to look for of a question's word: itself, or pairs of letters in a script without
    spaces.

    >>> pieces("合計金額"), pieces("итого")
    (('合計', '計金', '金額'), ('итого',))
    """
    if not _UNSPACED.search(word) or len(word) < 3:
        return (spelled(word),)
    letters = spelled(word)
    return tuple(letters[start : start + 2] for start in range(len(letters) - 1))


@lru_cache(maxsize=2**17)
def likeness(asked: str, printed: str) -> float:
    """How far a printed word is the asked one: 1 if equal, less if it may be.

    >>> likeness("total", "total"), likeness("invoice", "invoices"), likeness("total", "due")
    (1.0, 0.9, 0.0)
    """
    if asked == printed:
        return 1.0
    long, short = len(asked), len(printed)
    if not asked.isascii() and asked in printed:
        return CONTAINED
    if min(long, short) < 3:
        return 0.0
    if long >= 4 and asked in printed:
        return CONTAINED if short <= 2 * long + 4 else 0.75
    if long >= 5 and asked.startswith(printed):
        return ENDING if short >= long - 3 and short >= 4 else 0.5
    if min(long, short) < 4 or not asked.isalpha():
        return 0.95 * _pairs_shared(asked, printed) if min(long, short) > 5 else 0.0
    same = _same_start(asked, printed)
    if same >= 5 and same >= 0.6 * max(long, short):
        return STEM
    return 0.95 * _pairs_shared(asked, printed)


def _same_start(first: str, second: str) -> int:
    count = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        count += 1
    return count


def _pairs_shared(first: str, second: str) -> float:
    """The share of pairs of letters that two words have in common, 0 where it is too small."""
    if abs(len(first) - len(second)) > 0.4 * len(first):
        return 0.0
    a, b = _pairs(first), _pairs(second)
    shared = 2 * len(a & b) / (len(a) + len(b))
    return shared if shared >= (ALIKE if first.isalpha() else 0.75) else 0.0


@lru_cache(maxsize=2**16)
def _pairs(word: str, marks: str = "^$") -> frozenset[str]:
    """Pairs of letters, with the marks of a beginning and an end."""
    marked = f"{marks[:1]}{word}{marks[1:]}"
    return frozenset(marked[start : start + 2] for start in range(len(marked) - 1))


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Every spelling on a page once, and which of them may be like a word."""

    forms: tuple[str, ...]
    words: tuple[tuple[int, ...], ...]
    """For each printed word the numbers of its spellings."""
    number: Mapping[str, int]
    """The number of each spelling."""
    index: Mapping[str, Int[np.ndarray, "some"]]
    """For each pair of letters the spellings that have it."""
    pairs: Int[np.ndarray, "forms"]
    """How many pairs of letters each spelling has."""

    @staticmethod
    def of(words: Sequence[str]) -> "Vocabulary":
        """The spellings of some printed words."""
        number = dict[str, int]()
        own = tuple(
            tuple(number.setdefault(form, len(number)) for form in spellings(word))
            for word in words
        )
        index = dict[str, list[int]]()
        for place, form in enumerate(number):
            for pair in _pairs(form):
                index.setdefault(pair, []).append(place)
        return Vocabulary(
            tuple(number), own, number,
            {pair: np.array(some) for pair, some in index.items()},
            np.array([len(_pairs(form)) for form in number], int),
        )  # fmt: skip

    def near(self, word: str) -> Int[np.ndarray, "some"]:
        """The spellings that `likeness` may find like a word: they share pairs of letters."""
        if not word.isascii():  # there a single letter may be a word
            return np.arange(len(self.forms))
        own = _pairs(word)
        some = [self.index[pair] for pair in own if pair in self.index]
        if not some:
            return np.zeros(0, int)
        shared = np.bincount(np.concatenate(some), minlength=len(self.forms))
        alike = 2 * shared / (len(own) + self.pairs) >= ALIKE
        contains, begins = shared >= len(_pairs(word, "")), shared >= self.pairs - 1
        same_start = shared >= len(_pairs(word[:5], "^"))
        return np.flatnonzero((shared >= 2) & (alike | contains | begins | same_start))


def matches(asked: Sequence[str], vocabulary: Vocabulary) -> Float[np.ndarray, "asked words"]:
    """How far each printed word is each asked one."""
    table = np.zeros((len(asked), len(vocabulary.forms)), np.float32)
    for row, word in zip(table, asked, strict=True):
        for other in related(word):
            if (place := vocabulary.number.get(other)) is not None:
                row[place] = RELATED
        for place in vocabulary.near(word).tolist():
            row[place] = max(row[place], likeness(word, vocabulary.forms[place]))
    found = np.zeros((len(asked), len(vocabulary.words)), np.float32)
    if not table.any():
        return found
    hit = set(np.flatnonzero(table.any(0)).tolist())
    for column, own in enumerate(vocabulary.words):
        if not hit.isdisjoint(own):
            found[:, column] = table[:, list(own)].max(1)
    return found
