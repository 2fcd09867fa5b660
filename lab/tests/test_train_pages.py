"""Rendered pages: pure functions of a seed, boxes with ink in them, facts with whole answers."""

import random
import re
from pathlib import Path
from random import Random

import numpy as np
import pytest
from PIL import ImageFont

from homunculus.eyes import fonts as plain_fonts
from homunculus_lab.train import blocks, fonts, language, noise, pages
from homunculus_lab.train import questions as question_forms
from homunculus_lab.train.canvas import CUT, Canvas, Fact, PrintedWord
from homunculus_lab.train.pages import SCENES, RenderedPage, render

HIGH, WIDE = 320, 256
SEEDS = range(8)
SCENE = [seed for seed in range(60) if Random(seed).random() < SCENES]
"""Pages with these seeds are signs in front of a photo."""
PAPER = next(seed for seed in range(60) if seed not in SCENE)
"""A page with this seed is a document."""


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """A machine without fonts and without a dictionary: pages are the same everywhere, and fast."""
    forget()
    monkeypatch.setattr(plain_fonts, "FOLDERS", ())
    monkeypatch.setattr(language, "DICTIONARIES", ())
    yield
    forget()


def forget() -> None:
    fonts.find.cache_clear()
    plain_fonts.usable.cache_clear()
    fonts.load.cache_clear()
    language.dictionary.cache_clear()


@pytest.fixture
def clean(monkeypatch) -> None:
    """Nothing but letters on the page, as the printer meant them; turned as always."""
    monkeypatch.setattr(pages, "SCENES", 0)
    monkeypatch.setattr(noise, "degrade_print", lambda ink, rng, generator, scale: ink)
    monkeypatch.setattr(
        noise, "scan", lambda ink, rng, generator: (255 * (1 - ink)).astype(np.uint8)
    )
    for mark in ("rule", "bar", "frame"):
        monkeypatch.setattr(Canvas, mark, lambda *_: None)


def page_of(seed: int, whole: bool = False, **options) -> RenderedPage:
    return render(seed, HIGH, WIDE, whole=whole, **options)


def some(whole: bool) -> list[RenderedPage]:
    return [page_of(seed, whole) for seed in SEEDS]


def same(one: RenderedPage, other: RenderedPage) -> bool:
    words = [
        [(word.text, word.kind, word.quad.tolist(), word.edges.tolist()) for word in page.words]
        for page in (one, other)
    ]
    return (
        np.array_equal(one.pixels, other.pixels)
        and words[0] == words[1]
        and one.facts == other.facts
    )


def at(quad: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Points of a quad, by shares across and down; beyond 0 and 1 they lie outside it."""
    u, v = (one.ravel()[:, None] for one in np.meshgrid(u, v))
    upper, lower = quad[0] + u * (quad[1] - quad[0]), quad[3] + u * (quad[2] - quad[3])
    return upper + v * (lower - upper)


def middles(many: int = 16) -> np.ndarray:
    return (np.arange(many) + 0.5) / many


def ink(page: RenderedPage, point: np.ndarray) -> float:
    """Mean darkness at points of the page; those beyond it are left out."""
    x, y = np.floor(point).astype(int).T
    here = (x >= 0) & (x < page.pixels.shape[1]) & (y >= 0) & (y < page.pixels.shape[0])
    return float((255 - page.pixels[y[here], x[here]].astype(float)).mean()) if here.any() else 0.0


def whole_words(page: RenderedPage) -> list[PrintedWord]:
    return [word for word in page.words if word.kind != CUT]


# ---- pure ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [False, True])
def test_the_same_seed_draws_the_same_page_whatever_was_drawn_before(whole) -> None:
    for seed in [PAPER, SCENE[0]]:
        one = page_of(seed, whole)
        random.seed(99)
        np.random.seed(99)  # noqa: NPY002 (it must not matter)
        page_of(seed + 1, whole)
        assert same(one, page_of(seed, whole))
        assert not same(one, page_of(seed + 1, whole))


def test_a_page_is_grey_and_as_large_as_asked() -> None:
    for whole in (False, True):
        for page in some(whole):
            assert page.pixels.dtype == np.uint8
            assert page.pixels.shape == (HIGH, WIDE)
            assert page.pixels.std() > 1


# ---- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [False, True])
def test_letters_have_borders_from_0_to_1_and_words_have_kinds(whole) -> None:
    for page in some(whole):
        assert page.words
        for word in page.words:
            assert word.kind in (CUT, *range(len(language.KINDS)))
            assert word.text
            assert word.quad.shape == (4, 2)
            assert len(word.edges) == len(word.text) + 1
            assert (word.edges[0], word.edges[-1]) == (0, 1)
            assert (np.diff(word.edges) >= 0).all()


@pytest.mark.parametrize("whole", [False, True])
def test_a_word_lies_on_the_page_unless_it_is_cut(whole) -> None:
    cut = 0
    for page in (page_of(seed, whole) for seed in [*SEEDS, *SCENE[:4]]):
        for word in page.words:
            x, y = at(word.quad, middles(), middles()).T
            share = ((x >= 0) & (x < WIDE) & (y >= 0) & (y < HIGH)).mean()
            assert word.kind == CUT or share > 0.8
            cut += word.kind == CUT
    assert cut or whole  # windows do cut words, or this law says nothing


def test_corners_run_clockwise_from_the_top_left() -> None:
    for page in some(whole=True):
        for word in page.words:
            (x0, y0), (x1, _), _, (_, y3) = word.quad
            assert x0 < x1
            assert y0 < y3


@pytest.mark.usefixtures("clean")
@pytest.mark.parametrize("whole", [False, True])
def test_boxes_hold_ink_and_the_gap_beside_them_holds_less(whole) -> None:
    beats, total = 0, 0
    for page in some(whole):
        for word in whole_words(page):
            wide = np.linalg.norm(word.quad[1] - word.quad[0])
            inside = ink(page, at(word.quad, middles(), middles()))
            beside = ink(page, at(word.quad, 1 + np.array([0.7, 1.4]) / wide, middles()))
            assert inside > 4, word.text
            beats, total = beats + (inside > beside), total + 1
    assert total > 100
    assert beats > 0.9 * total  # blocks of a window may overlap


@pytest.mark.usefixtures("clean")
def test_there_is_hardly_any_ink_outside_all_boxes() -> None:
    for seed in SEEDS:
        page = page_of(seed, whole=True)
        dark = 255 - page.pixels.astype(float)
        left = dark.copy()
        for word in page.words:  # a pixel around: letters lean out of their boxes
            low, top = np.floor(word.quad.min(0)) - 1, np.ceil(word.quad.max(0)) + 1
            (x0, y0), (x1, y1) = low.clip(0).astype(int), top.clip(0).astype(int)
            left[y0:y1, x0:x1] = 0
        assert left.sum() < 0.05 * dark.sum()


@pytest.mark.usefixtures("clean")
def test_letters_stand_between_their_borders() -> None:
    """A dot has ink low down only: the letter's own part of the box tells where it stands."""
    canvas = Canvas(Random(0), 60, 200)
    style = pages.face(Random(0), 30, case="mixed")
    canvas.put(10, 5, "HHH...", 0, style)
    page = RenderedPage(255 - np.asarray(canvas.ink), canvas.words, [])
    (word,) = page.words
    upper = np.array([0.1, 0.3, 0.5])
    halves = [
        ink(page, at(word.quad, start + (stop - start) * middles(), upper))
        for start, stop in [(0, word.edges[3]), (word.edges[3], 1)]
    ]
    assert halves[0] > 50
    assert halves[1] == 0


# ---- facts ---------------------------------------------------------------------------------------


def test_whole_pages_have_facts_and_their_answers_are_whole_words() -> None:
    for page in some(whole=True):
        assert page.facts
        for fact in page.facts:
            assert re.search(r"\w", fact.question)
            assert "{" not in fact.question
            assert fact.answer
            assert all(page.words[index].kind != CUT for index in fact.answer)


def test_windows_state_facts_by_luck() -> None:
    windows = [page_of(seed) for seed in range(12)]
    assert {bool(page.facts) for page in windows} == {False, True}
    for page in windows:
        assert all(page.words[i].kind != CUT for fact in page.facts for i in fact.answer)


def test_an_answer_that_turning_pushes_out_is_not_asked_for(monkeypatch) -> None:
    away = np.eye(3)
    away[0, 2] = 0.6 * WIDE
    monkeypatch.setattr(pages, "PLACES", 0)  # the document's own facts
    still = monkeypatch.setattr(noise, "skew", lambda *_, **__: np.eye(3)) or page_of(5, whole=True)
    monkeypatch.setattr(noise, "skew", lambda *_, **__: away)
    moved = page_of(5, whole=True)
    assert [word.text for word in moved.words] == [word.text for word in still.words]
    assert sum(word.kind == CUT for word in moved.words) > sum(w.kind == CUT for w in still.words)
    assert len(moved.facts) < len(still.facts)
    assert all(moved.words[i].kind != CUT for fact in moved.facts for i in fact.answer)


ASKS = sorted(pages.TEXTS["where"], key=len, reverse=True)  # the shortest one fits others too
NAMED = re.compile("|".join(re.escape(ask).replace(r"\{\}", "(.+)") for ask in ASKS))


def test_words_asked_for_by_name_are_answered_by_all_that_spell_them() -> None:
    twice = 0
    for page in (page_of(seed, whole=True) for seed in range(16)):
        named = [fact for fact in page.facts if fact.apart]
        fit = [word for word in whole_words(page) if len(bare_text(word)) > 2]
        assert len(named) == min(pages.PLACES, len(fit)) > 0
        for fact in named:
            (word,) = filter(None, NAMED.fullmatch(fact.question).groups())
            spelled = {
                index
                for index, one in enumerate(page.words)
                if one.kind != CUT and bare_text(one) == word.lower()
            }
            assert len(fact.answer) == len(spelled)
            assert set(fact.answer) == spelled
            twice += len(spelled) > 1
    assert twice  # or this law does not tell one place from all


def bare_text(word: PrintedWord) -> str:
    return word.text.strip(" .,:;()\"'").lower()


def test_windows_ask_for_no_word_by_name() -> None:
    assert not any(fact.apart for seed in range(12) for fact in page_of(seed).facts)


def test_a_whole_scene_is_the_window_s_and_asks_for_nothing_but_its_words() -> None:
    total = 0
    for seed in SCENE[:6]:
        window, scene = page_of(seed), page_of(seed, whole=True)
        assert np.array_equal(scene.pixels, window.pixels)
        assert [word.text for word in scene.words] == [word.text for word in window.words]
        assert window.facts == []
        assert all(fact.apart for fact in scene.facts)
        total += len(scene.facts)
    assert total > 12


def test_a_sheet_without_a_word_to_name_asks_for_none(monkeypatch) -> None:
    monkeypatch.setattr(pages, "_sign", lambda rng, wide: Canvas(rng, 20, 20))
    assert page_of(SCENE[0], whole=True).facts == []


# ---- blocks --------------------------------------------------------------------------------------

BLOCKS = sorted({*blocks.WINDOW, *(block for kinds in blocks.WHOLE for block in kinds)}, key=str)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.__name__)
def test_each_block_states_facts_where_it_has_room_and_bears_having_none(block) -> None:
    stated = 0
    for seed in SEEDS:
        canvas = Canvas(Random(seed), 700, 600)
        stop = block(canvas, (20.0, 20.0, 580.0, 680.0), pages.face(Random(seed), 12))
        assert stop > 20
        stated += len(canvas.facts)
        assert all(re.search(r"[?.]$|^what is", fact.question) for fact in canvas.facts)
        assert not any("{" in fact.question for fact in canvas.facts)
        narrow = Canvas(Random(seed), 60, 24)
        block(narrow, (2.0, 2.0, 20.0, 50.0), pages.face(Random(seed), 12))
    assert stated > 0 or block.__name__ == "sparse"


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.__name__)
def test_no_word_of_a_block_is_printed_over_another(block) -> None:
    for seed in SEEDS:
        canvas = Canvas(Random(seed), 700, 600)
        style = pages.face(Random(seed), 12, case="lower")
        block(canvas, (20.0, 20.0, 580.0, 680.0), style)
        low = np.array([word.quad[0] for word in canvas.words])
        top = np.array([word.quad[2] for word in canvas.words])
        size = np.minimum(top[:, None], top) - np.maximum(low[:, None], low)
        shared = size.clip(0).prod(-1) * (1 - np.eye(len(low)))
        assert shared.max(initial=0) <= 0.3 * (top - low).prod(-1).max(), (block, seed)


def test_questions_know_labels_by_other_words() -> None:
    fields = [question_forms.form_field(Random(seed)) for seed in range(300)]
    apart = 0
    for key, filled, question in fields:
        assert key
        assert filled
        words = {text.strip(".:#").lower() for text, _ in key}
        apart += not words & set(re.findall(r"[\w.]+", question.lower()))
    assert apart > 60


def test_a_question_asked_twice_means_the_first_answer_and_pages_ask_no_more_than_most() -> None:
    facts = [Fact(f"{'WHAT' if n % 2 else 'what'} is {n // 2}?", [n]) for n in range(100)]
    sample = blocks.sample_facts(facts, Random(0))
    assert len(sample) == blocks.MOST
    assert all(fact.answer[0] % 2 == 0 for fact in sample)
    assert blocks.sample_facts(facts[:1], Random(0)) == facts[:1]


def test_windows_are_printed_small_and_enlarged_too_whole_pages_are_not(monkeypatch) -> None:
    scales: dict[bool, set[float]] = {True: set(), False: set()}
    for whole, own in scales.items():
        name = "_fill_whole" if whole else "_fill_window"
        monkeypatch.setattr(pages, name, lambda canvas, scale, scales=own: scales.add(scale))
        for seed in range(60):
            page_of(seed, whole)
    assert min(scales[False]) < 0.6
    assert min(scales[True]) == 1


# ---- what the machine has ------------------------------------------------------------------------


def test_scenes_need_no_photos_and_use_those_they_get() -> None:
    dark, bright = (np.full((500, 500), grey, np.uint8) for grey in (10, 245))
    gaps = []
    for seed in SCENE[:5]:
        assert page_of(seed).words
        one, other = (page_of(seed, photos=[photo]) for photo in (dark, bright))
        assert [word.text for word in one.words] == [word.text for word in other.words]
        gaps.append(other.pixels.mean() - one.pixels.mean())
    assert sum(gap > 20 for gap in gaps) >= 3  # now and then clouds take the photo's place
    assert same(page_of(PAPER), page_of(PAPER, photos=[dark]))


def test_a_machine_without_fonts_prints_with_the_one_of_pillow() -> None:
    assert fonts.find().families == (("",),)
    assert fonts.find().choose(Random(0)) == ""
    assert page_of(3).words


def test_a_machine_without_a_dictionary_has_the_common_words(monkeypatch, tmp_path) -> None:
    assert language.dictionary() == language.COMMON
    language.dictionary.cache_clear()
    (tmp_path / "words").write_text("zebra\nisn't\nx\nÅland\nquagga\nzebra\n", "utf-8")
    monkeypatch.setattr(language, "DICTIONARIES", (str(tmp_path / "words"), "absent"))
    assert language.dictionary() == ("quagga", "zebra")


def test_fonts_are_sorted_by_use_and_unsuitable_ones_left_out(monkeypatch, tmp_path) -> None:
    body = ImageFont.load_default(20).font_bytes
    for name in (
        "liberation/A-Bold.ttf",
        "liberation/A-Thin.ttf",
        "odd/BMono.otf",
        "odd/emoji.ttf",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(body)
    (tmp_path / "odd" / "broken.ttf").write_bytes(b"no font")
    (tmp_path / "odd" / "NotoSansThai-Bold.ttf").write_bytes(body)
    forget()
    monkeypatch.setattr(plain_fonts, "FOLDERS", (str(tmp_path), str(tmp_path / "absent")))
    usable = fonts.find()
    names = [[Path(path).name for path in family] for family in usable.families]
    assert names == [["A-Bold.ttf", "A-Thin.ttf"], ["BMono.otf"]]
    assert [Path(path).name for path in usable.plain] == ["A-Bold.ttf", "A-Thin.ttf"]
    assert [Path(path).name for path in usable.typewriter] == ["BMono.otf"]
    assert {Path(usable.choose(Random(n))).name for n in range(40)} == {*names[0], *names[1]}
    assert page_of(3).words


# ---- what is said --------------------------------------------------------------------------------

LOOKS = {
    language.number: (language.NUMBER, r"\(?[\d,]+(\.\d+)?\)?"),
    language.money: (language.MONEY, r"(\$|RM|€|£|USD)? ?[\d,]+(\.\d\d)?"),
    language.date: (language.DATE, r".*\d.*"),
    language.time: (language.TIME, r"\d+:\d\d(:\d\d)?( ?[AaPp]\.?[Mm]\.?)?"),
    language.code: (language.CODE, r"[A-Z0-9]+([-/][A-Z0-9]+)?"),
    language.percent: (language.PERCENT, r"\d+(\.\d+)?%"),
    language.phone: (language.PHONE, r"[\d()+ -]{10,}"),
}


@pytest.mark.parametrize("make", LOOKS, ids=lambda make: make.__name__)
def test_each_generator_makes_the_kind_it_says(make) -> None:
    kind, look = LOOKS[make]
    assert language.KINDS[kind] == make.__name__
    phrases = [make(Random(seed)) for seed in range(200)]
    assert {token[1] for phrase in phrases for token in phrase} == {kind}
    texts = [" ".join(text for text, _ in phrase) for phrase in phrases]
    assert [text for text in texts if not re.fullmatch(look, text)] == []
    assert len(set(texts)) > 50


@pytest.mark.parametrize("make", [language.name, language.label])
def test_names_and_labels_are_words(make) -> None:
    for seed in range(50):
        phrase = make(Random(seed))
        assert phrase
        assert all(kind == language.WORD and text for text, kind in phrase)


def test_prose_mixes_words_figures_and_accents() -> None:
    tokens = [token for seed in range(600) for token in language.prose(Random(seed))]
    assert len({kind for _, kind in tokens}) == len(language.KINDS)
    assert any(not text.isascii() and kind == language.WORD for text, kind in tokens)
    assert sum(kind == language.WORD for _, kind in tokens) > 0.6 * len(tokens)


def test_letters_take_the_case_of_their_block() -> None:
    rng = Random(0)
    assert language.set_case("Ab 1é", "upper", rng) == "AB 1É"
    assert language.set_case("Ab 1É", "lower", rng) == "ab 1é"
    assert {language.set_case("ab", "title", Random(n)) for n in range(60)} == {"Ab", "ab"}
    assert {language.set_case("ab", "mixed", Random(n)) for n in range(60)} == {"AB", "Ab", "ab"}
