"""The word scout from pixels to sights, with a small net of chance: laws, sizes and fallbacks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from homunculus import Scout
from homunculus.nets import Net
from homunculus.scouts import words
from homunculus.scouts.sight import FOUND
from homunculus.scouts.words import WordScout, WordSight, load, scan
from homunculus.scouts.words.cache import page_cache
from homunculus.scouts.words.net import KINDS, STRIDE
from homunculus.scouts.words.scan import Scanner

SIZES = (192, 64)
QUESTIONS = ["What is the total amount?", "Who signed the letter?"]


@pytest.fixture(autouse=True)
def small(monkeypatch) -> None:
    """Pages are read small: no law depends on it, and time does."""
    monkeypatch.setattr(scan, "SIZES", SIZES)
    monkeypatch.setattr(scan, "FRAME", 128)
    monkeypatch.setattr(words, "FRAME", 128)


def image(high: int = 40, wide: int = 56, seed: int = 0) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (3, high, wide), np.uint8)


class Reader(Net):
    """Stands in for the word net: every cell holds as much text, and looks by its greys."""

    def __init__(self, text: float) -> None:
        super().__init__(Path("reader"))
        self.text, self.sheets = text, list[tuple[int, ...]]()

    def __call__(self, **inputs: Any) -> dict[str, NDArray[Any]]:
        grey = inputs["grey"]
        self.sheets.append(grey.shape)
        rows, cols = (side // STRIDE for side in grey.shape)
        cells = grey.reshape(rows, STRIDE, cols, STRIDE).mean((1, 3), dtype=np.float32) / 255
        text = np.full((rows, cols), self.text, np.float32)
        index = np.flatnonzero(text > scan.FAINT_TEXT)
        look = cells.reshape(-1)[index, None]
        kind = np.exp(np.sin(look * 40 * np.arange(1, len(KINDS) + 1, dtype=np.float32)))
        wide = np.repeat(look, 128, 1)
        return {"text": text, "cells": index, "letter": wide, "word": wide, "embed": wide[:, :96],
                "kind": kind / kind.sum(1, keepdims=True)}  # fmt: skip


class Matcher(Net):
    """Finds every word everywhere, or nowhere; a little more surely where it is dark."""

    def __init__(self, likely: float) -> None:
        super().__init__(Path("matcher"))
        self.likely = likely

    def __call__(self, **inputs: Any) -> dict[str, NDArray[Any]]:
        sure = self.likely * (1 - 0.01 * inputs["embed"][:, :1])
        return {"probability": np.repeat(sure, len(inputs["code"]), 1).astype(np.float32)}


def made(likely: float = 0.9, text: float = 0.5, twins: bool = True) -> WordScout:
    """A scout with a memory of its own, and the shipped spreads."""
    spread = load().spread if twins else {}
    return WordScout(Scanner(Reader(text)), Matcher(likely), spread, "chance", page_cache())


@pytest.fixture
def scout() -> WordScout:
    """Finds every word wherever there is text: matches in plenty."""
    return made(likely=1.0, text=1.0)


@pytest.fixture
def lost() -> WordScout:
    """Finds no word at all."""
    return made(likely=0.0, text=1.0)


def same(one, other) -> bool:
    """Bit for bit."""
    alike = (one.matches, one.facts, one.text) == (other.matches, other.facts, other.text)
    return alike and np.array_equal(one.logit, other.logit)


# ---- laws ----------------------------------------------------------------------------------------


def alone(scout: WordScout, page, question: str, patch: int = 16) -> WordSight:
    return scout(page, question, tuple(-(-side // patch) for side in page.shape[1:]))


def test_a_word_scout_is_a_scout(scout) -> None:
    assert isinstance(scout, Scout)


def test_the_same_page_and_question_give_the_same_sight() -> None:
    one, other = (alone(made(likely=0.6), image(), QUESTIONS[0]) for name in ("a", "b"))
    assert same(one, other)


def test_asking_alone_is_asking_one_of_many(scout) -> None:
    for page in (image(40, 56), image(30, 70, seed=1)):
        assert same(alone(scout, page, QUESTIONS[0]), scout.ask(page, QUESTIONS[:1])[0])


def test_questions_asked_together_see_what_each_sees_alone(scout) -> None:
    together = scout.ask(image(), QUESTIONS)
    for seen, question in zip(together, QUESTIONS, strict=True):
        single = scout.ask(image(), [question])[0]
        assert np.allclose(seen.logit, single.logit, atol=1e-4)
        assert [word.text for word in seen.matches] == [word.text for word in single.matches]


def test_a_page_is_read_once_however_many_questions(scout) -> None:
    calls = scout.scanner.net.sheets
    alone(scout, image(), QUESTIONS[0])
    alone(scout, image(), QUESTIONS[1])
    scout.ask(image(), ["And the date?"])
    assert len(calls) == len(set(calls)) == len(SIZES)  # once at each size
    alone(scout, image(seed=5), QUESTIONS[0])
    assert len(calls) == 2 * len(SIZES)


def test_the_blind_way_never_depends_on_the_question(scout) -> None:
    asked = [*QUESTIONS, "", "合計はいくらですか", "zzzz " * 50]
    first, *rest = (scout.ask(image(), [one], way="blind")[0].logit for one in asked)
    assert all(np.array_equal(first, other) for other in rest)
    full = scout.ask(image(), QUESTIONS)
    assert not np.array_equal(full[0].logit, full[1].logit)  # so the law above can fail


@pytest.mark.parametrize("size", [(37, 512), (1000, 700), (2048, 1536), (1, 1), (3, 900)])
def test_there_is_one_logit_a_cell(scout, size, monkeypatch) -> None:
    monkeypatch.setattr(scan, "FRAME", 1024)
    monkeypatch.setattr(words, "FRAME", 1024)
    for patch in (14, 16, 28):
        seen = alone(scout, image(*size), QUESTIONS[0], patch)
        assert seen.logit.shape == (-(-size[0] // patch), -(-size[1] // patch))
        assert np.isfinite(seen.logit).all()
        assert (seen.logit <= 0).all()
        for word in seen.matches:
            x0, y0, x1, y1 = word.box
            assert 0 <= x0 < x1 <= 1
            assert 0 <= y0 < y1 <= 1


# ---- found, lost, unreadable ---------------------------------------------------------------------


def test_words_that_are_found_make_a_match(scout) -> None:
    seen = alone(scout, image(), "total amount")
    assert seen.matched
    # other printings of them seem to stand in the same place, and are not told
    assert [word.text for word in seen.matches] == ["total", "amount"]
    assert all(word.probability >= FOUND and word.places > 0 for word in seen.matches)
    assert seen.text == 1


def test_without_a_match_the_kind_of_answer_still_guides(lost, scout) -> None:
    for question in QUESTIONS:
        full, blind = (lost.ask(image(), [question], way=way)[0] for way in ("full", "blind"))
        assert not full.likely
        assert not np.array_equal(full.logit, blind.logit)
        assert not full.likely
    found, blind = (scout.ask(image(), QUESTIONS[:1], way=way)[0] for way in ("full", "blind"))
    assert not np.array_equal(found.logit, blind.logit)


def test_each_question_of_a_page_falls_back_by_itself(scout) -> None:
    mixed = scout.ask(image(), ["What is the total?", "合計"])
    alone = scout.ask(image(), ["합계"], way="blind")[0]
    assert [seen.matched for seen in mixed] == [True, False]
    assert np.allclose(mixed[1].logit, alone.logit, atol=1e-4)


def test_scripts_it_cannot_read_are_named_and_fall_back(scout) -> None:
    seen = alone(scout, image(), "Сколько стоит 合計 ?")
    assert seen.unsupported == ("Сколько", "стоит", "合計")
    assert seen.matches == ()
    assert not seen.matched
    assert np.array_equal(seen.logit, scout.ask(image(), [""], way="blind")[0].logit)


def test_without_learned_spreads_a_kernel_by_hand_serves() -> None:
    bare = made(likely=1.0, text=1.0, twins=False)
    full, hand = (bare.ask(image(), QUESTIONS[:1], way=way)[0] for way in ("full", "by-hand"))
    assert same(full, hand)
    with pytest.raises(ValueError, match="no blind twin was trained"):
        bare.ask(image(), QUESTIONS[:1], way="blind")
    assert not alone(bare, image(), "").likely


def test_a_page_without_text_says_so() -> None:
    seen = alone(made(text=0.0), image(), QUESTIONS[0])
    assert seen.text == 0
    assert not seen.matched


# ---- mistakes ------------------------------------------------------------------------------------


def test_a_folder_without_weights_is_named(tmp_path) -> None:
    with pytest.raises(OSError, match=r"no words\.onnx in .* `homunculus train word-scout`"):
        load(tmp_path)


def test_looks_at_one_page_with_many_questions_read_it_once(scout) -> None:
    pytest.importorskip("torch", reason="cells are drawn")
    from homunculus.show.cells import look

    calls, page = scout.scanner.net.sheets, Image.fromarray(image().transpose(1, 2, 0))
    seen = [look(page, question, tokens=5, scout=scout) for question in [*QUESTIONS, "Date?"]]
    assert len(calls) == len(SIZES)
    assert [one.sight.origin for one in seen[1:]] == ["words: 2 of 2 found", "words: 1 of 1 found"]


def test_another_printing_is_told_where_the_word_itself_is_not_found() -> None:
    from homunculus.scouts.words import find_matches
    from homunculus.scouts.words.evidence import WordEvidence
    from homunculus.scouts.words.question import parse

    asked = parse("telephone")
    match = np.zeros((1, len(asked.words), 8, 40), np.float32)
    match[0, asked.words.index("tel"), 2, 10:14] = 0.9
    many = np.ones((1, len(asked.words)), np.float32)
    text = np.ones((8, 40), np.float32)
    kind, buckets = np.zeros((1, 8), np.float32), np.zeros((1, 1), np.int64)
    page = (text, np.repeat(text[None], 8, 0))
    found = WordEvidence(match, many.astype(bool), many, kind, buckets, *page)
    assert [word.name for word in find_matches(found, 0, asked)] == [
        "telephone",
        "tel (for telephone)",
    ]
    match[0, asked.words.index("tel"), 2, 10:14] = 0.6  # enough for the word, not for another
    assert [word.name for word in find_matches(found, 0, asked)] == ["telephone"]
    match[0, asked.words.index("tel"), 2, 10:14] = 0.9
    match[0, 0, 2, 9:15] = 0.9
    assert [word.name for word in find_matches(found, 0, asked)] == ["telephone"]
