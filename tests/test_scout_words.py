"""The word scout from pixels to sights, with a small net of chance: laws, sizes and fallbacks."""

from functools import lru_cache

import pytest
import torch
from PIL import Image

from homunculus import Scout
from homunculus.scouts import words
from homunculus.scouts.sight import FOUND
from homunculus.scouts.words import WordScout, WordSight, load, scan
from homunculus.scouts.words.cache import page_cache
from homunculus.scouts.words.evidence import Spread
from homunculus.scouts.words.net import WordNet

SIZES = (192, 64)
QUESTIONS = ["What is the total amount?", "Who signed the letter?"]


@pytest.fixture(autouse=True)
def small(monkeypatch) -> None:
    """Pages are read small: no law depends on it, and time does."""
    monkeypatch.setattr(scan, "SIZES", SIZES)
    monkeypatch.setattr(scan, "FRAME", 128)
    monkeypatch.setattr(words, "FRAME", 128)


def image(high: int = 40, wide: int = 56, seed: int = 0) -> torch.Tensor:
    make = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, (3, high, wide), generator=make, dtype=torch.uint8)


@lru_cache
def nets(bias: float, text: float) -> tuple[WordNet, dict]:
    """Nets that have learned nothing; ``bias`` sets how easily a word counts as found."""
    with torch.random.fork_rng():
        torch.manual_seed(7)
        net = WordNet()
        net.bias.data.fill_(bias)
        net.text_head.bias.data.fill_(text)
        spread = {mode: Spread(mode).eval() for mode in ("full", "blind", "prior")}
    return net.fused(), {mode: one.requires_grad_(False) for mode, one in spread.items()}


def made(bias: float = -8.0, text: float = 0.0, twins: bool = True) -> WordScout:
    """A scout with a memory of its own."""
    net, spread = nets(bias, text)
    return WordScout(net, spread if twins else {}, "chance", page_cache())


@pytest.fixture
def scout() -> WordScout:
    """Finds every word wherever there is text: matches in plenty."""
    return made(bias=30.0, text=30.0)


@pytest.fixture
def lost() -> WordScout:
    """Finds no word at all."""
    return made(bias=-60.0, text=30.0)


def counted(monkeypatch) -> list[int]:
    """Sheets the net is run on from now on, by their number of pixels."""
    calls, features = [], WordNet.features

    def count(net, grey, *rest):
        calls.append(grey.numel())
        return features(net, grey, *rest)

    monkeypatch.setattr(WordNet, "features", count)
    return calls


def same(one, other) -> bool:
    """Bit for bit."""
    alike = (one.matches, one.facts, one.text) == (other.matches, other.facts, other.text)
    return alike and torch.equal(one.logit, other.logit)


# ---- laws ----------------------------------------------------------------------------------------


def alone(scout: WordScout, page, question: str, patch: int = 16) -> WordSight:
    return scout(page, question, tuple(-(-side // patch) for side in page.shape[1:]))


def test_a_word_scout_is_a_scout(scout) -> None:
    assert isinstance(scout, Scout)


def test_the_same_page_and_question_give_the_same_sight() -> None:
    one, other = (alone(made(bias=8.0), image(), QUESTIONS[0]) for name in ("a", "b"))
    assert same(one, other)


def test_asking_alone_is_asking_one_of_many(scout) -> None:
    for page in (image(40, 56), image(30, 70, seed=1)):
        assert same(alone(scout, page, QUESTIONS[0]), scout.ask(page, QUESTIONS[:1])[0])


def test_questions_asked_together_see_what_each_sees_alone(scout) -> None:
    together = scout.ask(image(), QUESTIONS)
    for seen, question in zip(together, QUESTIONS, strict=True):
        single = scout.ask(image(), [question])[0]
        assert torch.allclose(seen.logit, single.logit, atol=1e-4)
        assert [word.text for word in seen.matches] == [word.text for word in single.matches]


def test_a_page_is_read_once_however_many_questions(scout, monkeypatch) -> None:
    calls = counted(monkeypatch)
    alone(scout, image(), QUESTIONS[0])
    alone(scout, image(), QUESTIONS[1])
    scout.ask(image(), ["And the date?"])
    assert len(calls) == len(set(calls)) == len(SIZES)  # once at each size
    alone(scout, image(seed=5), QUESTIONS[0])
    assert len(calls) == 2 * len(SIZES)


def test_the_blind_way_never_depends_on_the_question(scout) -> None:
    asked = [*QUESTIONS, "", "合計はいくらですか", "zzzz " * 50]
    first, *rest = (scout.ask(image(), [one], way="blind")[0].logit for one in asked)
    assert all(torch.equal(first, other) for other in rest)
    full = scout.ask(image(), QUESTIONS)
    assert not torch.equal(full[0].logit, full[1].logit)  # so the law above can fail


@pytest.mark.parametrize("size", [(37, 512), (1000, 700), (2048, 1536), (1, 1), (3, 900)])
def test_there_is_one_logit_a_cell(scout, size, monkeypatch) -> None:
    monkeypatch.setattr(scan, "FRAME", 1024)
    monkeypatch.setattr(words, "FRAME", 1024)
    for patch in (14, 16, 28):
        seen = alone(scout, image(*size), QUESTIONS[0], patch)
        assert seen.logit.shape == (-(-size[0] // patch), -(-size[1] // patch))
        assert seen.logit.isfinite().all()
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
        assert not torch.equal(full.logit, blind.logit)
        assert not full.likely
    found, blind = (scout.ask(image(), QUESTIONS[:1], way=way)[0] for way in ("full", "blind"))
    assert not torch.equal(found.logit, blind.logit)


def test_each_question_of_a_page_falls_back_by_itself(scout) -> None:
    mixed = scout.ask(image(), ["What is the total?", "合計"])
    alone = scout.ask(image(), ["합계"], way="blind")[0]
    assert [seen.matched for seen in mixed] == [True, False]
    assert torch.allclose(mixed[1].logit, alone.logit, atol=1e-4)


def test_scripts_it_cannot_read_are_named_and_fall_back(scout) -> None:
    seen = alone(scout, image(), "Сколько стоит 合計 ?")
    assert seen.unsupported == ("Сколько", "стоит", "合計")
    assert seen.matches == ()
    assert not seen.matched
    assert torch.equal(seen.logit, scout.ask(image(), [""], way="blind")[0].logit)


def test_without_learned_spreads_a_kernel_by_hand_serves() -> None:
    bare = made(bias=30.0, text=30.0, twins=False)
    full, hand = (bare.ask(image(), QUESTIONS[:1], way=way)[0] for way in ("full", "by-hand"))
    assert same(full, hand)
    with pytest.raises(ValueError, match="no blind twin was trained"):
        bare.ask(image(), QUESTIONS[:1], way="blind")
    assert not alone(bare, image(), "").likely


def test_a_page_without_text_says_so() -> None:
    seen = alone(made(text=-30.0), image(), QUESTIONS[0])
    assert seen.text == 0
    assert not seen.matched


# ---- mistakes ------------------------------------------------------------------------------------


def test_a_folder_without_weights_is_named(tmp_path) -> None:
    with pytest.raises(
        OSError, match=r"no word-scout\.safetensors in .* `homunculus train word-scout`"
    ):
        load(tmp_path)


def test_looks_at_one_page_with_many_questions_read_it_once(scout, monkeypatch) -> None:
    from homunculus.show.cells import look

    calls, page = counted(monkeypatch), Image.fromarray(image().permute(1, 2, 0).numpy())
    seen = [look(page, question, tokens=5, scout=scout) for question in [*QUESTIONS, "Date?"]]
    assert len(calls) == len(SIZES)
    assert [one.sight.origin for one in seen[1:]] == ["words: 2 of 2 found", "words: 1 of 1 found"]


def test_another_printing_is_told_where_the_word_itself_is_not_found() -> None:
    from homunculus.scouts.words import find_matches
    from homunculus.scouts.words.evidence import WordEvidence
    from homunculus.scouts.words.question import parse

    asked = parse("telephone")
    match = torch.zeros(1, len(asked.words), 8, 40)
    match[0, asked.words.index("tel"), 2, 10:14] = 0.9
    many = torch.ones(1, len(asked.words))
    text = torch.ones(8, 40)
    kind, buckets = torch.zeros(1, 8), torch.zeros(1, 1).long()
    page = (text, text.expand(8, 8, 40))
    found = WordEvidence(match, many.bool(), many, kind, buckets, *page)
    assert [word.name for word in find_matches(found, 0, asked)] == [
        "telephone",
        "tel (for telephone)",
    ]
    match[0, asked.words.index("tel"), 2, 10:14] = 0.6  # enough for the word, not for another
    assert [word.name for word in find_matches(found, 0, asked)] == ["telephone"]
    match[0, asked.words.index("tel"), 2, 10:14] = 0.9
    match[0, 0, 2, 9:15] = 0.9
    assert [word.name for word in find_matches(found, 0, asked)] == ["telephone"]
