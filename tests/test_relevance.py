"""Where relevance comes from, and why: whose map is followed, when it is not, and what is said."""

import sys
from dataclasses import dataclass, field, replace

import pytest
import torch

from homunculus import methods, relevance, scout, why
from homunculus.look import look
from homunculus.scout import Scout, Sight, Word
from homunculus.view import marks

Image = pytest.importorskip("PIL.Image", reason="needs the extra `view`")
np = pytest.importorskip("numpy")
pytest.importorskip("kornia", reason="needs the extra `pixels`")

QUESTION = "What is the total on the invoice?"
SPOT = (11, 3)
"""Row and column of the one cell that the fake scout believes in."""
WORDS = (
    Word("total", 0.9, (0.1, 0.2, 0.3, 0.25), 2.4),
    Word("invoice", 0.2, (0.5, 0.5, 0.6, 0.6), 0.0),
)


@dataclass
class Fake:
    """A scout that says what it is told to, and counts."""

    name: str = "words"
    matched: bool = True
    text: float = 0.3
    words: tuple[Word, ...] = WORDS
    unsupported: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list)

    def __call__(self, images, questions, patch=16) -> list[Sight]:
        self.asked += questions
        return [self._sight(image, patch) for image in images]

    def _sight(self, image, patch) -> Sight:
        logit = torch.full([-(-side // patch) for side in image.shape[1:]], -6.0)
        logit[SPOT] = -0.1
        return Sight(logit, self.words, self.unsupported, self.matched, self.text)


@pytest.fixture(autouse=True)
def alone(monkeypatch) -> None:
    """No test depends on whether weights are shipped."""
    monkeypatch.setattr(relevance, "shipped", lambda: None)


def page(size=(400, 300)):
    return Image.effect_noise(size, 60).convert("RGB")


def test_the_fake_is_a_scout() -> None:
    assert isinstance(Fake(), Scout)


# ---- who is followed -----------------------------------------------------------------------------


def test_a_scout_is_followed_when_there_is_a_question() -> None:
    seen = look(page(), QUESTION, method="grid", tokens=1, scout=Fake())
    assert seen.to_json()["boxes"] == [[48.0, 176.0, 64.0, 192.0]]
    assert seen.origin == "words: 1 of 2 found"
    assert seen.sight is not None


def test_the_shipped_scout_is_the_default(monkeypatch) -> None:
    fake = Fake()
    monkeypatch.setattr(relevance, "shipped", lambda: fake)
    assert look(page(), QUESTION, tokens=9).origin == "words: 1 of 2 found"
    assert look(page(), QUESTION, tokens=9, scout=None).origin == "pixels"
    assert fake.asked == [QUESTION]


@pytest.mark.parametrize("name", sorted(methods()))
def test_only_methods_that_live_on_the_question_ask_the_scout(name) -> None:
    fake = Fake()
    seen = look(page(), QUESTION, method=name, tokens=9, boxes=[(1, 1, 9, 9)], scout=fake)
    asks = methods()[name].source in ("question", "bands")
    assert bool(fake.asked) == asks == seen.origin.startswith("words")
    told = {"shuffled": "pixels (one picture has no other question)", "oracle": "the answer's box"}
    assert seen.origin == told.get(name, seen.origin)


def test_a_given_map_outranks_the_scout() -> None:
    fake = Fake()
    assert look(page(), QUESTION, relevance=torch.eye(5), scout=fake).origin == "given"
    assert fake.asked == []


@pytest.mark.parametrize("question", ["", "  \n"])
def test_a_picture_without_a_question_is_seen_as_before(question) -> None:
    picture, fake = page(), Fake()
    with_scout, without = (look(picture, question, scout=one) for one in (fake, None))
    assert torch.equal(with_scout.relevance, without.relevance)
    assert with_scout.origin == without.origin == "pixels"
    assert torch.equal(with_scout.tokens.box, without.tokens.box)
    assert with_scout.to_json()["why"]["words"] == fake.asked == []


def test_a_named_place_is_added_to_the_scouts_map() -> None:
    plain = look(page(), QUESTION, scout=Fake())
    placed = look(page(), "What is the total at the bottom of the page?", scout=Fake())
    assert placed.origin == "words: 1 of 2 found + hint"
    gained = placed.relevance - plain.relevance
    assert (gained[-1] > gained[0]).all()
    assert gained.min() >= torch.tensor(relevance.ELSEWHERE).log()
    assert gained.max() <= 0


def test_explore_heats_the_scouts_map_too() -> None:
    from homunculus.score import Dials

    sharp, flat = (
        look(page(), QUESTION, scout=Fake(), dials=Dials(explore=heat)) for heat in (0.5, 2.0)
    )
    assert torch.allclose(sharp.relevance, flat.relevance * 4)


def test_a_scouts_map_of_another_size_is_laid_on_the_grid() -> None:
    small = Fake()
    sight = small([torch.zeros(3, 400, 400, dtype=torch.uint8)], [""])[0]
    other = type("Other", (), {"name": "other", "__call__": lambda *_: [sight]})()
    assert look(page(), QUESTION, scout=other).relevance.shape == (19, 25)


# ---- fallbacks -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "origin"),
    [
        ({"matched": False}, "words: none found, by the kind of answer"),
        ({"matched": False, "words": ()}, "words: none to look for, blind"),
        (
            {"matched": False, "words": (), "unsupported": ("合計", "日付")},
            "words: none to look for, blind (2 in a script it cannot read)",
        ),
        ({"unsupported": ("合計",)}, "words: 1 of 2 found (1 in a script it cannot read)"),
        ({"text": 0.0019}, "pixels (no text found)"),
        ({"text": 0.0021}, "words: 1 of 2 found"),
        ({"name": "mine"}, "mine: 1 of 2 found"),
    ],
)
def test_what_was_found_is_said_in_so_many_words(changes, origin) -> None:
    assert look(page(), QUESTION, tokens=9, scout=replace(Fake(), **changes)).origin == origin


def test_a_page_without_text_is_seen_by_its_pixels() -> None:
    picture, question = page(), "What is in the top-left corner?"
    scouted = look(picture, question, scout=Fake(text=0.0))
    plain = look(picture, question, scout=None)
    assert torch.equal(scouted.relevance, plain.relevance)
    assert scouted.origin == "pixels (no text found) + hint"
    assert plain.origin == "pixels + hint"


def test_without_weights_or_safetensors_there_is_no_shipped_scout(monkeypatch, tmp_path) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(scout, "load", lambda: pytest.fail("nothing may be loaded"))
    relevance._loaded.cache_clear()
    monkeypatch.setattr(scout, "WEIGHTS", tmp_path)
    assert relevance.shipped() is None
    assert look(page(), QUESTION, tokens=9).origin == "pixels"
    (tmp_path / "word-scout.safetensors").touch()
    monkeypatch.setitem(sys.modules, "safetensors", None)
    assert look(page(), QUESTION, tokens=9).origin == "pixels"


def test_the_shipped_scout_is_loaded_once(monkeypatch, tmp_path) -> None:
    pytest.importorskip("safetensors")
    monkeypatch.undo()
    loads: list[Fake] = []
    monkeypatch.setattr(scout, "load", lambda: loads.append(Fake()) or loads[-1])
    monkeypatch.setattr(scout, "WEIGHTS", tmp_path)
    (tmp_path / "word-scout.safetensors").touch()
    relevance._loaded.cache_clear()
    try:
        assert [look(page(), QUESTION, tokens=9).origin for _ in range(2)] == [
            "words: 1 of 2 found"
        ] * 2
        assert len(loads) == 1
    finally:
        relevance._loaded.cache_clear()


# ---- why -----------------------------------------------------------------------------------------


def test_why_speaks_in_pixels_of_the_original() -> None:
    big = look(page((800, 600)), QUESTION, patch=32, tokens=9, scout=Fake()).to_json()["why"]
    assert big["words"] == [
        {
            "word": "total", "found": True, "probability": 0.9,
            "box": [80.0, 120.0, 240.0, 150.0], "places": 2,
        },
        {"word": "invoice", "found": False, "probability": 0.2, "box": None, "places": 0},
    ]  # fmt: skip
    assert big["peak"] == [(3 + 0.5) * 32, (11 + 0.5) * 32]
    assert (big["matched"], big["text"], big["unsupported"]) == (True, 0.3, [])


def test_why_is_told_of_every_look() -> None:
    blind = look(page(), QUESTION, scout=None).why()
    assert (blind["words"], blind["matched"]) == ([], None)
    assert "not read; relevance: pixels." in blind["made"]
    never = look(page(), QUESTION, method="uniform", tokens=9, scout=Fake()).why()
    assert never["peak"] is None


@pytest.mark.parametrize(
    ("fake", "sentence"),
    [
        (Fake(), "1 of 2 words were found, and relevance follows. It peaks at 56,184."),
        (Fake(words=WORDS[:1]), "1 of 1 word was found"),
        (Fake(matched=False), "No word of the question was found: relevance is that of the page"),
        (Fake(matched=False, words=()), "No word to look for"),
        (Fake(unsupported=("合計",)), "In a script it cannot read: 合計."),
        (Fake(text=0.0), "Hardly any text on the page: relevance comes from pixels."),
    ],
)
def test_one_line_says_what_was_made_of_it(fake, sentence) -> None:
    assert sentence in look(page(), QUESTION, scout=fake).why()["made"]


def test_why_is_a_table_for_people() -> None:
    facts = look(page(), QUESTION, scout=Fake()).why()
    head, total, invoice, made = why.told(facts).splitlines()
    assert head.split() == list(why.HEADS)
    assert total.split() == ["total", "yes", "0.90", "40,60-120,75", "2"]
    assert invoice.split() == ["invoice", "no", "0.20", "-", "0"]
    assert made == facts["made"]
    assert why.told(look(page(), scout=Fake()).why()).startswith("The question's words were not")


def test_at_a_terminal_the_table_has_lines_if_rich_is_there(monkeypatch) -> None:
    facts = look(page(), QUESTION, scout=Fake()).why()
    facts["words"][0]["word"] = "[bold]x"  # a word is never markup
    monkeypatch.setitem(sys.modules, "rich.table", None)
    assert why.told(facts, terminal=True) == why.told(facts)
    monkeypatch.undo()
    pytest.importorskip("rich")
    assert "[bold]x" in why.told(facts, terminal=True)
    assert why.told(facts, terminal=True) != why.told(facts)


def test_found_words_are_outlined_on_the_picture() -> None:
    picture = page()
    marked, plain = (look(picture, QUESTION, scout=one).draw() for one in (Fake(), None))
    painted = [(np.array(sheet) == marks.FOUND).all(-1).sum() for sheet in (marked, plain)]
    assert painted[0] > 200 > painted[1]
