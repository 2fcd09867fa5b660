"""The word's code against a slow loop."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from homunculus.scouts.words.net import ALPHABET, BITS, LEVELS, PAIRS, code, fold
from homunculus.scouts.words.net import supported as is_supported

WORD = st.text(ALPHABET, max_size=12)


def slow_code(word: str) -> set[str]:
    """The names of a code's bits, by fractions and loops over everything."""
    found = set[str]()

    def look(what: str, start: int, stop: int, levels: tuple[int, ...]) -> None:
        for parts in levels:
            for part in range(parts):
                low = max(Fraction(start, len(word)), Fraction(part, parts))
                high = min(Fraction(stop, len(word)), Fraction(part + 1, parts))
                if high - low >= Fraction(stop - start, len(word)) / 2:
                    found.add(f"{what} {part}/{parts}")

    for place, letter in enumerate(word):
        look(letter, place, place + 1, LEVELS)
        if word[place : place + 2] in PAIRS:
            look(word[place : place + 2], place, place + 2, (2,))
    return found


def names() -> list[str]:
    letters = [f"{x} {n}/{parts}" for parts in LEVELS for n in range(parts) for x in ALPHABET]
    return letters + [f"{pair} {half}/2" for half in range(2) for pair in PAIRS]


@given(st.one_of(WORD, st.sampled_from(["the", "there", "total", "invoice", "heather", ""])))
def test_a_code_is_what_the_slow_loop_says(word: str) -> None:
    (row,) = code([word])
    assert {name for name, bit in zip(names(), row.tolist(), strict=True) if bit} == slow_code(word)


def test_codes_of_many_words_are_the_codes_of_each() -> None:
    words = ["total", "", "a", "total", "12"]
    assert code(words).shape == (5, BITS) == (5, 460)
    assert np.array_equal(code(words), np.concatenate([code([word]) for word in words]))
    assert code([]).shape == (0, BITS)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Total:", "total"), ("Ångström", "angstrom"), ("ŁÓDŹ", "lodz"), ("Straße", "strasse"),
        ("Æther", "aether"), ("smørrebrød", "smorrebrod"), ("ﬁne", "fine"), ("№ 5", "no5"),
        ("１２", "12"), ("слово", ""), ("$1,234.50", "123450"), ("İstanbul", "istanbul"), ("", ""),
    ],
)  # fmt: skip
def test_latin_letters_fold_to_their_base(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(text)
    assert set(once) <= set(ALPHABET)
    assert fold(once) == once
    assert not is_supported(text) or once or not any(map(str.isalnum, text))


@pytest.mark.parametrize(
    ("text", "can"), [("a-b!", True), ("né", True), ("日本", False), ("aб", False)]
)
def test_other_scripts_are_said_to_be_unsupported(text: str, can: bool) -> None:
    assert is_supported(text) is can
