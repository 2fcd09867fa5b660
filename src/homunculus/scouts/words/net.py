"""What the word net is asked: words, as codes of their letters.

The net reads a page once, and then says of any word where on the page it stands. A cell is 8 x 8
pixels. Each cell that holds text gets an embedding, a written word gets one too, and their product
tells whether the cell is part of that word. No list of words is built in.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from homunculus.shapes import Float

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
OTHER = len(ALPHABET)
"""The class of a character outside the alphabet: a comma, a space, a letter of another script."""
LEVELS = (1, 2, 3, 4)
"""Into how many parts a word is cut, once for each level."""
_FREQUENT = (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se "
    "ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur"
)
PAIRS = tuple(_FREQUENT.split())
"""Frequent pairs of letters, looked for in each half: they tell anagrams apart."""
BITS = len(ALPHABET) * sum(LEVELS) + 2 * len(PAIRS)

_PLACE = {letter: place for place, letter in enumerate(ALPHABET)}
_PAIR = {pair: place for place, pair in enumerate(PAIRS)}
_FIRST_PAIR = len(ALPHABET) * sum(LEVELS)
_WHOLE = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th"}
    | {"ħ": "h", "ı": "i", "ŧ": "t", "ŋ": "n", "ĸ": "k", "ſ": "s"}
)
"""Letters that no decomposition takes apart."""


def fold(text: str) -> str:
    """The text in the net's own alphabet: lower case, accents off, everything else dropped.

    >>> fold("Straße, Café-Nr. 12")
    'strassecafenr12'
    """
    if text.isascii():  # nearly all words, and ten times faster
        return "".join(letter for letter in text.lower() if letter in _PLACE)
    plain = unicodedata.normalize("NFKD", text).lower().translate(_WHOLE)
    return "".join(letter for letter in plain if letter in _PLACE)


def supported(text: str) -> bool:
    """Whether every letter and digit of the text can be folded: Latin letters, any decimal digits.

    >>> supported("naïve, 12 €"), supported("Wörter"), supported("слово")
    (True, True, False)
    """
    return all(fold(letter) for letter in text if letter.isalnum())


def code(words: Sequence[str]) -> Float[np.ndarray, "n bits"]:
    """The codes of folded words, a row each; 1 where the word has the bit.

    >>> code(["a", "total"]).sum(1).tolist()
    [3.0, 22.0]
    """
    places = [bits(word) for word in words]
    rows = [row for row, word_bits in enumerate(places) for _ in word_bits]
    columns = [bit for word_bits in places for bit in word_bits]
    codes = np.zeros((len(words), BITS), np.float32)
    codes[rows, columns] = 1.0
    return codes


@lru_cache(maxsize=2**16)
def bits(word: str) -> tuple[int, ...]:
    """Which bits of a folded word's code are set."""
    width, places = len(word), set[int]()
    for place, letter in enumerate(word):
        first = 0
        for parts in LEVELS:
            for part in _parts(place, place + 1, width, parts):
                places.add(first + part * len(ALPHABET) + _PLACE[letter])
            first += parts * len(ALPHABET)
    for place in range(width - 1):
        pair = _PAIR.get(word[place : place + 2])
        if pair is not None:
            halves = _parts(place, place + 2, width, 2)
            places.update(_FIRST_PAIR + half * len(PAIRS) + pair for half in halves)
    return tuple(sorted(places))


@lru_cache(maxsize=2**16)
def _parts(start: int, stop: int, width: int, parts: int) -> tuple[int, ...]:
    """The parts of a word that hold at least half of the letters from start to stop."""
    # all times width x parts: integers, so a letter on the border falls the same way everywhere
    held = [
        min(stop * parts, (part + 1) * width) - max(start * parts, part * width)
        for part in range(parts)
    ]
    return tuple(part for part, share in enumerate(held) if 2 * share >= (stop - start) * parts)


STRIDE = 8
"""Pixels along a cell."""
KINDS = ("word", "number", "money", "date", "time", "code", "percent", "phone")
"""What a printed word looks like, in the order of what the net says of it."""
