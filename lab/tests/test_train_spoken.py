"""Made pages with questions as people ask them, what they are made of, and lessons of them."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import isnan
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from homunculus.pages.lines import Lines
from homunculus.scouts.reading.features import NAMES
from homunculus.scouts.reading.kinds import value_of
from homunculus_lab.measure.parts import part, training_part
from homunculus_lab.measure.suite import Question, SuiteConfig
from homunculus_lab.train import language, reading
from homunculus_lab.train.reading import (
    Lesson,
    Lessons,
    read_badly,
    spoken,
)
from homunculus_lab.train.spoken import pages, values
from homunculus_lab.train.spoken.pages import bank, made
from homunculus_lab.train.spoken.sheet import Sheet, width
from homunculus_lab.train.spoken.values import _MAKERS, maker, written

LANGUAGES = {"en", "de", "fr", "es"}
SUITES = Path(__file__).parents[2] / "suites" / "natural"
SEEDS = range(40)


@pytest.fixture(autouse=True)
def plain(monkeypatch) -> Iterator[None]:
    """A machine without a dictionary: pages are the same everywhere."""
    language.dictionary.cache_clear()
    monkeypatch.setattr(language, "DICTIONARIES", ())
    yield
    language.dictionary.cache_clear()


# ---- banks ---------------------------------------------------------------------------------------

NEEDED = {
    "field": {"papers", "labels", "ask"},
    "table": {"papers", "title", "side", "rows"},
    "sentence": {"papers", "text", "ask"},
}
COLUMN = {"head", "cell", "most", "least", "most_value", "least_value"}
SERIES = {"heads", "cell", "most", "least"}
MARKS = {"text": ["{answer}"], "cell": ["{row}"]}
"""Placeholders of texts; of questions of a series there are more."""


def texts(entry: dict[str, Any]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """The texts of an entry in all languages, each by its name."""
    for name, value in entry.items():
        if isinstance(value, dict) and name != "series":
            yield name, value


def has_values(entry: dict[str, Any]) -> bool:
    """Whether values of it can be made, in one way."""
    return ("make" in entry) != ("values" in entry) and entry.get("make", "money") in _MAKERS


def check(entry: dict[str, Any], marks: dict[str, list[str]], may_miss: set[str]) -> None:
    """Each text of an entry is there in four languages, with its placeholders once each."""
    for name, by_language in texts(entry):
        assert set(by_language) == LANGUAGES, (name, entry)
        for tongue, some_ in by_language.items():
            assert some_ or name in may_miss, (name, tongue, entry)
            assert all(not by_language[other] for other in LANGUAGES if not some_), (name, entry)
            assert len(set(some_)) == len(some_), (name, some_)
            for text in some_:
                assert text == " ".join(text.split()) != "", (name, text)
                assert sorted(re.findall(r"{.*?}", text)) == marks.get(name, []), (name, text)


def test_banks_have_all_that_is_needed_in_four_languages() -> None:
    assert set(bank()) == set(NEEDED) == set(pages._BLOCKS)
    for kind, entries in bank().items():
        assert len(entries) > 20
        for entry in entries:
            assert set(entry) >= NEEDED[kind], entry
            assert entry["papers"]
            if kind != "table":
                assert has_values(entry), entry
                check(entry, MARKS, set())
                continue
            assert ("column" in entry) != ("series" in entry), entry
            check(entry, {}, set())
            for column in entry.get("column", ()):
                assert set(column) - {"make", "values"} == COLUMN, column
                assert has_values(column), column
                check(column, MARKS, COLUMN - {"head", "cell"})
            if series := entry.get("series"):
                assert set(series) - {"make", "values", "short"} == SERIES, series
                assert has_values(series), series
                both = {"cell": ["{col}", "{row}"], "most": ["{row}"], "least": ["{row}"]}
                check(series, both, {"most", "least"})
                for tongue in LANGUAGES & set(series.get("short", ())):
                    assert len(series["short"][tongue]) == len(series["heads"][tongue])


def test_the_check_of_banks_can_fail() -> None:
    good = {"cell": {tongue: ["what of {row}?"] for tongue in LANGUAGES}}
    check(good, MARKS, set())
    for wrong in (["what?"], ["{row} {row}"], ["{rows}"], [" {row}"], []):
        with pytest.raises(AssertionError):
            check({"cell": good["cell"] | {"fr": wrong}}, MARKS, set())
    with pytest.raises(AssertionError):
        check({"cell": {"en": ["{row}"]}}, MARKS, set())
    assert not has_values({"make": "nothing"})
    assert not has_values({})
    assert not has_values({"make": "money", "values": {}})


# ---- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(_MAKERS))
@pytest.mark.parametrize("tongue", sorted(LANGUAGES))
def test_values_of_every_kind_are_made_in_every_language(kind: str, tongue: str) -> None:
    for seed in range(20):
        make = maker(kind, tongue, Random(seed))
        again = maker(kind, tongue, Random(seed))
        for _ in range(5):
            text, value = make()
            assert (text, value) == again()
            assert text == " ".join(text.split()) != ""
            assert value is None or not isnan(value)


@pytest.mark.parametrize("tongue", sorted(LANGUAGES))
def test_numbers_are_written_as_the_scout_reads_them(tongue: str) -> None:
    for value, decimals in ((7.0, 0), (12.5, 1), (1234.5, 2), (98765.43, 2), (0.99, 2)):
        assert value_of(written(value, decimals, tongue)) == pytest.approx(value)
    assert written(1234.5, 2, "de") == "1.234,50"
    assert written(1234.5, 2, "fr") == "1 234,50"
    assert written(1234.5, 2, "en", grouped=False) == "1234.50"
    for kind in ("percent", "weight", "data_size", "distance"):
        for seed in range(10):
            text, value = maker(kind, tongue, Random(seed))()
            if "." in text and tongue not in ("en", "fr") and "," not in text:
                continue  # 1.234 might be one or a thousand
            assert value_of(text) == pytest.approx(value), text


def test_given_values_are_those_of_the_language_or_of_another() -> None:
    texts_ = {"en": ["7 kg", "red"], "de": ["rot"]}
    seen = {maker(texts_, "en", Random(seed))() for seed in range(20)}
    assert seen == {("7 kg", 7.0), ("red", None)}
    assert maker(texts_, "de", Random(0))() == ("rot", None)
    assert maker(texts_, "fr", Random(0))()[0] in texts_["en"]


# ---- sheets --------------------------------------------------------------------------------------


def sheet() -> Sheet:
    return Sheet(Random(0), 1000, 800)


def test_words_are_printed_from_left_to_right_and_wrapped() -> None:
    page = sheet()
    assert page.put(10.0, 20.0, "Total due now", 10.0) == [0, 1, 2]
    boxes = [box for _, box in page.words]
    assert [word for word, _ in page.words] == ["Total", "due", "now"]
    assert all(first[2] < second[0] for first, second in pairwise(boxes))
    assert {box[1:4:2] for box in boxes} == {(20, 31.5)}
    assert page.right([0, 1]) == boxes[1][2] < page.right([2])
    assert boxes[0][2] - boxes[0][0] == pytest.approx(width("Total", 10.0))
    printed, y = page.wrapped(10.0, 100.0, "seven words that do not fit here", 10.0, 110.0)
    assert printed == list(range(3, 10))
    wrapped = [page.words[number][1] for number in printed]
    assert max(box[2] for box in wrapped) <= 110
    assert {box[0] for box in wrapped if box[0] == 10}
    assert len({box[1] for box in wrapped}) > 1
    assert y > max(box[1] for box in wrapped)


def test_questions_without_words_are_not_asked() -> None:
    page = sheet()
    page.ask("", [0])
    page.ask("Total?", [])
    assert page.facts == []
    page.ask("Total?", [1, 2])
    assert [(fact.question, fact.answer) for fact in page.facts] == [("Total?", [1, 2])]


@pytest.mark.parametrize("slope", [-0.07, 0.03, 0.07])
def test_a_turned_sheet_has_the_same_words_and_its_slope_is_told(slope: float) -> None:
    page, straight = sheet(), sheet()
    for each in (page, straight):
        for row in range(20):
            each.put(
                40.0, 50.0 + 35 * row, f"row {row} has a few words from margin to margin", 18.0
            )
    page.turn(slope)
    assert [word for word, _ in page.words] == [word for word, _ in straight.words]
    for (_, now), (_, before) in zip(page.words, straight.words, strict=True):
        assert now[2] - now[0] == pytest.approx(before[2] - before[0])
        high = before[3] - before[1]
        assert high <= now[3] - now[1] <= high + abs(slope) * (before[2] - before[0]) + 1e-6
    lines, level = Lines.of(page.words, "rendered"), Lines.of(straight.words, "rendered")
    assert lines.slope == pytest.approx(slope, abs=0.003)
    assert level.slope == 0
    assert lines.texts == level.texts


# ---- pages ---------------------------------------------------------------------------------------


def test_pages_are_the_same_every_time_and_differ_by_seed() -> None:
    for seed in SEEDS:
        first, again = made(seed), made(seed)
        assert (first.words, first.facts) == (again.words, again.facts)
        assert (first.wide, first.high) == (again.wide, again.high)
    assert len({str(made(seed).words) for seed in SEEDS}) == len(SEEDS)
    assert len({(made(seed).wide, made(seed).high) for seed in SEEDS}) > 10


def test_answers_are_words_of_the_sheet() -> None:
    asked = 0
    for seed in SEEDS:
        page = made(seed)
        assert page.words
        for word, (x0, y0, x1, y1) in page.words:
            assert word == "".join(word.split()) != ""
            assert x0 < x1
            assert y0 < y1
        for fact in page.facts:
            assert fact.question.strip()
            assert not re.search(r"[{}]", fact.question), fact.question
            assert fact.answer
            assert all(0 <= word < len(page.words) for word in fact.answer)
            assert len(set(fact.answer)) == len(fact.answer)
        asked += len(page.facts)
    assert asked > 10 * len(SEEDS)


def recorded(monkeypatch) -> list[str]:
    """The texts of values in the order in which they are made."""
    texts_: list[str] = []
    make = values.maker

    def counted(*given_: Any) -> Any:
        value = make(*given_)

        def told() -> Any:
            texts_.append(value()[0])
            return texts_[-1], value_of(texts_[-1])

        return told

    monkeypatch.setattr(pages, "maker", counted)
    return texts_


def said(page: Sheet, answer: list[int]) -> str:
    return " ".join(page.words[word][0] for word in answer)


@pytest.mark.parametrize("tongue", sorted(LANGUAGES))
@pytest.mark.parametrize("seed", range(6))
def test_the_answers_of_fields_are_their_values(tongue: str, seed: int, monkeypatch) -> None:
    texts_ = recorded(monkeypatch)
    page = Sheet(Random(seed), 1000, 1400)
    pages._fields(page, bank()["field"][seed * 8 : seed * 8 + 8], tongue, 14.0, 50.0)
    assert texts_
    assert len(page.facts) > 8
    assert {said(page, fact.answer) for fact in page.facts} <= set(texts_)
    assert [said(page, fact.answer) for fact in page.facts[::2]] == texts_  # two of each


@pytest.mark.parametrize("tongue", sorted(LANGUAGES))
@pytest.mark.parametrize("seed", range(6))
def test_the_answers_of_sentences_are_their_values(tongue: str, seed: int, monkeypatch) -> None:
    texts_ = recorded(monkeypatch)
    page = Sheet(Random(seed), 1000, 1400)
    pages._sentences(page, bank()["sentence"][seed * 9 : seed * 9 + 9], tongue, 14.0, 50.0)
    assert len(texts_) == 9
    answers = [said(page, fact.answer) for fact in page.facts[::2]]
    assert len(answers) == len(texts_)
    for answer, text in zip(answers, texts_, strict=True):
        assert text in answer  # a mark or an article may stand close to it
        assert len(answer.split()) == len(text.split())
    assert all(-1 not in fact.answer for fact in page.facts)


@pytest.mark.parametrize("seed", range(30))
def test_the_answers_of_tables_are_cells_and_names(seed: int, monkeypatch) -> None:
    texts_ = recorded(monkeypatch)
    entry = bank()["table"][seed]
    tongue = sorted(LANGUAGES)[seed % 4]
    page = Sheet(Random(seed), 1400, 1400)
    pages._table(page, [entry], tongue, 14.0, 50.0)
    heads = {head for key in ("heads", "short")
             for head in entry.get("series", {}).get(key, {}).get(tongue, ())}  # fmt: skip
    for fact in page.facts:
        assert said(page, fact.answer) in {*texts_, *entry["rows"][tongue], *heads}, fact.question


class Cells:
    """A table of one column of numbers, and what is asked of it."""

    def __init__(self, *numbers: float | None) -> None:
        self.page = sheet()
        self.names = [
            self.page.put(10.0, 30.0 * row, f"name{row}", 14.0) for row in range(len(numbers))
        ]
        self.cells = [
            (self.page.put(300.0, 30.0 * row, f"{number}", 14.0), number)
            for row, number in enumerate(numbers)
        ]
        asks = {"most": "most?", "least": "least?", "most_value": "most value?"}
        texts_ = {name: {"en": [text]} for name, text in asks.items()}
        for most in ("most", "least"):
            pages._compare(self.page, texts_, most, "en", self.cells, self.names)
        self.said = Counter((fact.question, said(self.page, fact.answer))
                            for fact in self.page.facts)  # fmt: skip


def test_comparisons_ask_for_the_name_and_for_the_number() -> None:
    assert Cells(3.0, 9.0, 5.0, 2.0).said == {
        ("most?", "name1"): 2, ("least?", "name3"): 2, ("most value?", "9.0"): 1,
    }  # fmt: skip
    assert Cells(3.0, 9.0, 9.0, 2.0).said == {("least?", "name3"): 2}  # two are the largest
    assert not Cells(3.0, 9.0).said
    assert not Cells(3.0, None, 5.0, 2.0).said


# ---- lessons -------------------------------------------------------------------------------------


def test_lessons_of_made_pages_are_the_same_every_time_and_answers_are_marked(monkeypatch) -> None:
    first, again = list(spoken(3)), list(spoken(3))
    for one, two in zip(first, again, strict=True):
        assert torch.equal(one.features, two.features)
        assert torch.equal(one.target, two.target)
        assert one.buckets == two.buckets
    for lesson in first:
        assert lesson.features.shape == (len(lesson.target), len(NAMES))
        assert 0 < lesson.target.sum() < len(lesson.target)


def test_targets_of_made_pages_are_the_words_of_their_answers(monkeypatch) -> None:
    seen: list[tuple[set[str], set[str]]] = []
    lesson = reading.lesson

    def record(layout, question, boxes):
        page = made(reading.FIRST)
        right = {word for word, box in page.words if box in boxes}
        for some_ in lesson(layout, question, boxes):
            target = {layout.words[word] for word in np.flatnonzero(some_.target.numpy())}
            seen.append((right, target))
            yield some_

    monkeypatch.setattr(reading, "lesson", record)
    monkeypatch.setattr(reading, "MISREAD_SHARES", (0.0,))
    monkeypatch.setattr(reading, "MISSED", 0.0)
    assert list(spoken(1))
    assert len(seen) > 3
    for right, target in seen:
        assert right <= target
        assert len(target - right) <= 1  # a word that stands on the answer


def test_words_are_read_badly_but_where_they_stand() -> None:
    words = [("Total", (10.0, 10.0, 60.0, 30.0)), ("bill", (70.0, 10.0, 99.0, 30.0))] * 200
    read = [list(read_badly(words, Random(seed))) for seed in range(30)]
    assert read[0] == list(read_badly(words, Random(0)))
    assert any(len(some_) < len(words) for some_ in read)
    assert any({word for word, _ in some_} - {"Total", "bill"} for some_ in read)
    for some_ in read:
        assert len(some_) > 0.9 * len(words)
        for _, (x0, y0, x1, y1) in some_:
            assert (x0 <= 10 and x1 >= 60) or (x0 <= 70 and x1 >= 99)
            assert y0 <= 10 < 30 <= y1


# ---- what is learned ----


def random_lesson(seed: int) -> Lesson:
    lot = torch.Generator().manual_seed(seed)
    return Lesson(torch.rand(9, len(NAMES), generator=lot), (seed,), torch.eye(9)[seed % 9])


def test_lessons_are_sampled_by_their_shares() -> None:
    kinds = [[random_lesson(seed)] for seed in range(3)]
    rng, every = Random(0), Lessons(*kinds)
    counts = Counter(id(every.sample(rng)) for _ in range(4000))
    shares = [counts[id(kind[0])] / 4000 for kind in kinds]
    rest = 1 - reading.REAL_SHARE - reading.SPOKEN_SHARE
    assert shares == pytest.approx([rest, reading.SPOKEN_SHARE, reading.REAL_SHARE], abs=0.03)
    none = Lessons(kinds[0], kinds[1], [])
    assert {id(none.sample(rng)) for _ in range(99)} == {id(kind[0]) for kind in kinds[:2]}


# ---- what may be trained on ----------------------------------------------------------------------


def questions(**config: Any) -> list[Question]:
    own = SuiteConfig(**config)
    return [
        Question("suite", number, f"{number}.png", Path(f"{number}.png"), "Sum?",
                 () if number % 3 == 0 else ("9",), ((1.0, 2.0, 30.0, 20.0),), config=own)
        for number in range(30)
    ]  # fmt: skip


def test_nothing_is_trained_on_a_suite_for_testing() -> None:
    with pytest.raises(ValueError, match="suite is for testing: nothing is trained on it"):
        training_part(questions(testing=True))
    assert training_part([]) == []


@pytest.mark.parametrize("name", ["verdict", "unseen"])
def test_suites_of_verdicts_are_for_testing(name: str) -> None:
    from homunculus_lab.measure.suite import read

    assert "testing = true" in (SUITES / name / "suite.toml").read_text().splitlines()
    if (SUITES / name / "qa.jsonl").exists():
        with pytest.raises(ValueError, match="for testing"):
            training_part(read(SUITES / name))


def test_questions_without_an_answer_are_not_trained_on() -> None:
    every = questions()
    assert training_part(every) == part(every)
    assert all(question.answers for question in training_part(every))
