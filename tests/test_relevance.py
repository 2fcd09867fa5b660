"""Where relevance comes from, and why: whose map is followed, when it is not, and what is said."""

import json
import sys
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from PIL import Image

from homunculus import Match, Scout, Sight, list_methods
from homunculus.scouts import registry as relevance
from homunculus.scouts import words as scout
from homunculus.scouts.registry import WordsOrPixels
from homunculus.scouts.words import COMPARING, ENOUGH, SURE, WordSight
from homunculus.scouts.words.question import parse
from homunculus.show import panels, why
from homunculus.show.cells import look
from homunculus_lab.methods.answer import AnswerScout, answer

QUESTION = "What is the total on the invoice?"
SPOT = (11, 3)
"""Row and column of the one cell that the fake scout believes in."""
WORDS = (
    Match("total", 0.9, (0.1, 0.2, 0.3, 0.25), 2.4),
    Match("invoice", 0.2, (0.5, 0.5, 0.6, 0.6), 0.0),
)
MISSING = (replace(WORDS[0], probability=0.2), WORDS[1])
NOTHING = parse("")
PARTLY = SURE * (5 * 0.9 + 7 * 0.2) / 12 / ENOUGH
"""How sure a scout is that found so much of a question, by letters."""
HARDLY = SURE * 0.2 / ENOUGH


@dataclass
class Fake:
    """A scout that says what it is told to, and counts."""

    text: float = 0.3
    words: tuple[Match, ...] = WORDS
    unsupported: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list)

    def __call__(self, image, question, grid) -> WordSight:
        self.asked.append(question)
        logit = np.full(grid, -6.0, np.float32)
        logit[SPOT] = -0.1
        asked = replace(NOTHING, unsupported=self.unsupported)
        return WordSight.of(asked, logit, self.words, self.text)


def eyes(fake: Fake | None) -> WordsOrPixels:
    return WordsOrPixels(fake)


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
    seen = look(page(), QUESTION, method="grid", tokens=1, scout=eyes(Fake()))
    assert seen.to_json()["boxes"] == [[48.0, 176.0, 64.0, 192.0]]
    assert seen.sight.origin == "words: 1 of 2 found"
    assert seen.sight.sure == pytest.approx(PARTLY)


@pytest.mark.parametrize(
    ("matched", "text", "quoted", "sure"),
    [(True, 0.01, False, PARTLY), (False, 0.01, False, 0.0), (False, 0.01, True, HARDLY),
     (False, 0.2, False, HARDLY), (True, 0.001, True, 0.0)],
)  # fmt: skip
def test_a_scout_of_words_is_sure_where_answers_are_printed(matched, text, quoted, sure) -> None:
    """A photo of a dog with a number plate says nothing about the dog."""
    words, question = WORDS if matched else MISSING, replace(NOTHING, quoted=quoted)
    sight = WordSight.of(question, np.zeros((4, 4), np.float32), words, text)
    assert sight.sure == pytest.approx(sure)


def test_a_question_that_compares_leaves_the_scout_less_sure() -> None:
    """The highest bar of a chart stands anywhere, wherever its words do."""
    questions = [replace(NOTHING, counts=True, quoted=quoted) for quoted in (False, True)]
    sure = [
        WordSight.of(question, np.zeros((4, 4), np.float32), WORDS, 0.2).sure
        for question in questions
    ]
    assert sure == pytest.approx([COMPARING / SURE * PARTLY, PARTLY])


def test_a_scout_is_as_sure_as_the_words_were_found() -> None:
    def sure(*chances: float) -> float:
        found = tuple(
            replace(WORDS[0], text=f"word{number}", probability=chance)
            for number, chance in enumerate(chances)
        )
        return WordSight.of(NOTHING, np.zeros((4, 4), np.float32), found, 0.2).sure

    assert sure(0.9, 0.9) == sure(0.99) == sure(0.7, 0.6) == SURE
    assert SURE > sure(0.9, 0.1) > sure(0.5, 0.1) > sure(0.05, 0.05) > 0


def test_the_shipped_scout_is_the_default(monkeypatch) -> None:
    fake = Fake()
    monkeypatch.setattr(relevance, "shipped", lambda: fake)
    assert look(page(), QUESTION, tokens=9).sight.origin == "words: 1 of 2 found"
    assert (
        look(page(), QUESTION, tokens=9, scout="pixels").sight.origin
        == "pixels (question not read)"
    )
    assert fake.asked == [QUESTION]


@pytest.mark.parametrize("name", sorted(list_methods()))
def test_only_methods_that_live_on_the_question_ask_the_scout(name) -> None:
    fake = Fake()
    scout = AnswerScout([(1, 1, 9, 9)]) if name == "oracle" else eyes(fake)
    seen = look(page(), QUESTION, method=name, tokens=9, scout=scout)
    asks = list_methods()[name].source in ("question", "bands")
    assert bool(fake.asked) == asks == seen.sight.origin.startswith("words")
    told = {"shuffled": "pixels (one picture has no other question)", "oracle": "the answer's box"}
    assert seen.sight.origin == told.get(name, seen.sight.origin)


def test_a_given_map_outranks_every_source() -> None:
    assert look(page(), QUESTION, scout=np.eye(5)).sight.origin == "given"
    assert look(page(), QUESTION, method="saliency", scout=np.eye(5)).sight.origin == "given"


@pytest.mark.parametrize("question", ["", "  \n"])
def test_a_picture_without_a_question_is_seen_as_before(question) -> None:
    picture, fake = page(), Fake()
    with_scout, without = (look(picture, question, scout=eyes(one)) for one in (fake, None))
    assert np.array_equal(with_scout.relevance, without.relevance)
    assert with_scout.sight.origin == without.sight.origin == "pixels (no question)"
    assert np.array_equal(with_scout.tokens.box, without.tokens.box)
    assert with_scout.to_json()["why"]["words"] == fake.asked == []


def test_a_named_place_is_added_to_the_scouts_map() -> None:
    plain = look(page(), QUESTION, scout=eyes(Fake()))
    placed = look(page(), "What is the total at the bottom of the page?", scout=eyes(Fake()))
    assert placed.sight.origin == "words: 1 of 2 found + named place"
    gained = placed.relevance - plain.relevance
    assert (gained[-1] > gained[0]).all()
    assert gained.min() - gained.max() >= np.log(relevance.ELSEWHERE)


def test_a_scouts_map_of_another_size_is_laid_on_the_grid() -> None:
    def small(image, question, grid):
        return Sight(np.zeros((4, 4), np.float32), sure=0.5)

    assert look(page(), QUESTION, scout=small).relevance.shape == (19, 25)


# ---- fallbacks -----------------------------------------------------------------------------------


NONE_FOUND = "No word of the question was found in the picture; the choice follows what looks like"
NO_WORD = "The question has no word that the scout can look for; the choice follows what looks like"
PIXELS = "the choice follows what stands out in the pixels"
SCRIPT = "in a script that it cannot read"


@dataclass
class Case:
    """A look, and what must be said of it."""

    origin: str
    sentences: tuple[str, ...]
    used: bool | None
    sure: bool = False
    scout: Fake | None = field(default_factory=Fake)
    question: str = QUESTION
    method: str = "foveated"


CASES = {
    "found": Case(
        "words: 1 of 2 found",
        ("1 of 2 words of the question was found; the choice follows it.",), True, True,
    ),
    "all found": Case(
        "words: 1 of 1 found", ("1 of 1 word of the question was found",), True, True,
        Fake(words=WORDS[:1]),
    ),
    "some strange": Case(
        "words: 1 of 2 found (1 in a script it cannot read)", ("1 of 2", f"{SCRIPT}: 合計."),
        True, True, Fake(unsupported=("合計",)),
    ),
    "enough text": Case("words: 1 of 2 found", ("1 of 2",), True, True, Fake(text=0.0021)),
    "none found": Case(
        "words: none found; follows text and the kind of answer",
        (NONE_FOUND, "the kind of answer asked for, so it may miss"), True, True,
        Fake(words=WORDS[1:]),
    ),
    "no word": Case(
        "words: none to look for; follows text, not the question",
        (NO_WORD, "text, not the question."), False, False, Fake(words=()),
    ),
    "only strange": Case(
        "words: none to look for; follows text, not the question (2 in a script it cannot read)",
        (NO_WORD, f"{SCRIPT}: 合計, 日付."), False, False,
        Fake(words=(), unsupported=("合計", "日付")),
    ),
    "no text": Case(
        "pixels (hardly any text)",
        (f"Hardly any text was found in the picture; {PIXELS}, not the question.",), False, False,
        Fake(text=0.0019),
    ),
    "no scout": Case(
        "pixels (question not read)",
        (f"The words of the question were not looked for; {PIXELS}, not the question.",), False,
        scout=None,
    ),
    "no scout, a place": Case(
        "pixels (question not read) + named place",
        (f"{PIXELS} and the place that the question names.",), True,
        scout=None, question="What is in the top-left corner?",
    ),
    "no question": Case(
        "pixels (no question)", (f"There is no question; {PIXELS}.",), False, question=" ",
    ),
    "saliency": Case(
        "pixels", (f"This method does not use the question; {PIXELS}.",), False, method="saliency",
    ),
    "shuffled": Case(
        "pixels (one picture has no other question)",
        (f"One picture has no other question; {PIXELS}.",), False, method="shuffled",
    ),
    "random": Case(
        "none (this method does not look)",
        ("This method looks at neither the picture nor the question.",), False, method="random",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_caption_why_notes_and_json_say_the_same(name) -> None:
    case = CASES[name]
    seen = look(page(), case.question, method=case.method, tokens=9, scout=eyes(case.scout))
    facts = json.loads(json.dumps(seen.to_json()))
    assert seen.sight.origin == facts["relevance"] == facts["why"]["relevance"] == case.origin
    assert seen.caption().endswith(f"relevance: {case.origin}")
    for sentence in case.sentences:
        assert sentence in seen.sight.explanation
    assert why.why_table(facts["why"]).splitlines()[-1].startswith(seen.sight.explanation)
    assert (facts["why"]["question_used"], facts["why"]["sure"] > 0) == (case.used, case.sure)
    found = case.sure and any(word.state == "found" for word in case.scout.words)
    noted = bool(case.question.strip()) and not found
    assert facts["notes"] == ([seen.sight.explanation] if noted else [])


def test_the_picture_itself_says_when_the_question_was_not_used(monkeypatch) -> None:
    captions: list[str] = []
    monkeypatch.setattr(panels, "draw_panels", lambda *_, caption, **__: captions.append(caption))
    look(page(), QUESTION, tokens=9, scout=eyes(Fake())).draw()
    look(page(), QUESTION, tokens=9, scout=eyes(Fake(text=0.0))).draw()
    assert captions[0].endswith("relevance: words: 1 of 2 found.")
    assert captions[1].endswith("(hardly any text). " + CASES["no text"].sentences[0])


def test_a_page_without_text_is_seen_by_its_pixels() -> None:
    picture, question = page(), "What is in the top-left corner?"
    scouted = look(picture, question, scout=eyes(Fake(text=0.0)))
    plain = look(picture, question, scout="pixels")
    assert np.array_equal(scouted.relevance, plain.relevance)
    assert scouted.sight.origin == "pixels (hardly any text) + named place"
    assert plain.sight.origin == "pixels (question not read) + named place"


def test_without_weights_or_a_runtime_there_is_no_shipped_scout(monkeypatch, tmp_path) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(scout, "load", lambda *_: pytest.fail("nothing may be loaded"))
    relevance._word_scout.cache_clear()
    monkeypatch.setattr(scout, "WEIGHTS", tmp_path)
    assert relevance.shipped() is None
    assert look(page(), QUESTION, tokens=9).sight.origin == "pixels (question not read)"
    (tmp_path / scout.FILE).touch()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert look(page(), QUESTION, tokens=9).sight.origin == "pixels (question not read)"


def test_the_shipped_scout_is_loaded_once(monkeypatch, tmp_path) -> None:
    monkeypatch.undo()
    loads: list[Fake] = []
    monkeypatch.setattr(scout, "load", lambda *_: loads.append(Fake()) or loads[-1])
    monkeypatch.setattr(scout, "WEIGHTS", tmp_path)
    (tmp_path / scout.FILE).touch()
    relevance._word_scout.cache_clear()
    try:
        assert [look(page(), QUESTION, tokens=9).sight.origin for _ in range(2)] == [
            "words: 1 of 2 found"
        ] * 2
        assert len(loads) == 1
    finally:
        relevance._word_scout.cache_clear()


# ---- why -----------------------------------------------------------------------------------------


def test_why_speaks_in_pixels_of_the_original() -> None:
    big = look(page((800, 600)), QUESTION, patch=32, tokens=9, scout=eyes(Fake())).to_json()["why"]
    assert big["words"] == [
        {
            "word": "total", "found": True, "state": "found", "probability": 0.9,
            "box": [80.0, 120.0, 240.0, 150.0], "places": 2,
        },
        {
            "word": "invoice", "found": False, "state": "missing", "probability": 0.2,
            "box": None, "places": 0,
        },
    ]  # fmt: skip
    assert big["peak"] == [(3 + 0.5) * 32, (11 + 0.5) * 32]
    assert (big["matched"], big["text"], big["unsupported"]) == (True, 0.3, [])


def test_why_is_told_of_every_look() -> None:
    blind = look(page(), QUESTION, scout="pixels").why()
    assert (blind["words"], blind["matched"]) == ([], None)
    assert blind["made"].startswith("The words of the question were not looked for; ")
    never = look(page(), QUESTION, method="uniform", tokens=9, scout=eyes(Fake())).why()
    assert never["peak"] is None


def test_why_is_a_table_for_people() -> None:
    facts = look(page(), QUESTION, scout=eyes(Fake())).why()
    head, total, invoice, made = why.why_table(facts).splitlines()
    assert head.split() == list(why.HEADS)
    assert total.split() == ["total", "yes", "0.90", "40,60-120,75", "2"]
    assert invoice.split() == ["invoice", "no", "0.20", "-", "0"]
    assert made == facts["made"]
    assert why.why_table(look(page(), scout=eyes(Fake())).why()).startswith(
        "There is no question; "
    )
    assert made.endswith(" The most relevant spot is 56,184.")


def test_found_words_are_outlined_on_the_picture() -> None:
    picture = page()
    marked, plain = (look(picture, QUESTION, scout=eyes(one)).draw() for one in (Fake(), None))
    painted = [(np.array(sheet) == panels.FOUND).all(-1).sum() for sheet in (marked, plain)]
    assert painted[0] > 200 > painted[1]


@pytest.mark.parametrize("patch", [5, 20, 48, 64, 100])
def test_scouts_of_pixels_and_boxes_work_in_the_cells_of_the_caller(patch) -> None:
    """Several sides of a cell give the same grid; only the caller knows which one is meant."""
    noise, box = page((300, 200)), (40.0, 30.0, 110.0, 90.0)
    salient = look(noise, method="saliency", tokens=8, patch=patch)
    pixels = salient.picture.pixels
    grid = salient.picture.grid(patch)
    expected = relevance.PixelScout(flat=True, side=patch)(pixels, "", grid).logit
    assert np.array_equal(salient.relevance, expected)
    told = answer(grid, [box], patch)
    oracle = look(noise, method="oracle", tokens=8, patch=patch, scout=told)
    assert np.array_equal(oracle.relevance, told)
