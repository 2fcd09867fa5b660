"""The reading scout: which words of a page that was read are the answer, and where they stand."""

import gc
import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from PIL import Image

import homunculus
from homunculus import Match, Sight
from homunculus.pages import open_picture
from homunculus.pages.lines import LONGEST_WORD, Lines, WordBox
from homunculus.planner.belief import ask_scout
from homunculus.scouts import reading
from homunculus.scouts.combine import FLOOR, POOLED, pool
from homunculus.scouts.reading import LAYOUTS, SURE, UNFOUND, ReadingScout, features
from homunculus.scouts.reading.features import FOUND, NAMES, Evidence, evidence
from homunculus.scouts.reading.kinds import LOOKS, kinds_of, value_of
from homunculus.scouts.reading.layout import MAX_LINES, MAX_WORDS, NONE, Layout
from homunculus.scouts.reading.match import (
    CONTAINED,
    RELATED,
    STEM,
    likeness,
    matches,
    pieces,
    spellings,
)
from homunculus.scouts.reading.query import HINTS, OTHER_PRINTING, SHORT_WEIGHT, ask
from homunculus.scouts.reading.ranker import ARRAYS, WEIGHTS, Ranker, load_ranker
from homunculus.scouts.reading.related import related
from homunculus.scouts.registry import WordsAndThings, WordsOrPixels, get_scout, list_scouts
from homunculus.scouts.sight import LineScout, probabilities
from homunculus.scouts.words import WordSight
from homunculus.scouts.words.question import MOST_WORDS, parse
from turned import turned

SIZE, GRID = (700, 1000), (70, 100)
ROWS = (("Coffee", "4", "12.50"), ("Tea", "17", "8.20"), ("Sugar", "23", "3.10"))


def at(text: str, x: float, y: float, high: float = 20) -> WordBox:
    """A text whose letters are half as wide as they are high."""
    return text, (x, y, x + high / 2 * len(text), y + high)


def form() -> list[WordBox]:
    """A page with a title, a table, a total, an address under its label and a number beside its."""
    words = [at("Annual Report", 350, 20, 50)]
    words += [at("Item", 60, 140), at("Quantity", 400, 140), at("Price", 700, 140)]
    for row, (item, count, price) in enumerate(ROWS):
        y = 180.0 + 40 * row
        words += [at(item, 60, y), at(count, 400, y), at(price, 700, y)]
    words += [at("Total: 61.20", 60, 400), at("Address", 60, 500), at("Baker Street 5", 60, 530)]
    return [*words, at("Invoice No", 500, 620), at("A-2041", 700, 620)]


def lines_of(words: Sequence[WordBox], source: str = "given") -> Lines:
    return Lines.of(words, source)


def blank(size: tuple[int, int] = SIZE) -> np.ndarray:
    return np.full((3, *size), 255, np.uint8)


LINES = lines_of(form())
LAYOUT = Layout(LINES, SIZE)
LINE = {text: number for number, text in enumerate(LINES.texts)}
WORD = {text: number for number, text in enumerate(LINES.words)}


def feature(seen: Evidence, name: str) -> dict[str, float]:
    """A feature of each word of the form."""
    return dict(zip(LINES.words, seen.features[:, NAMES.index(name)].tolist(), strict=True))


def by_feature(**weights: float) -> Ranker:
    """A ranker that goes by some features alone; `_` in a name is a space."""
    linear = np.zeros((len(NAMES), 1), np.float32)
    for name, weight in weights.items():
        linear[NAMES.index(name.replace("_", " "))] = weight
    zeros: Mapping[str, tuple[int, ...]] = {
        "asked": (4096, 1), "first": (len(NAMES) + 1, 1), "first_bias": (1,), "second": (1, 1),
        "second_bias": (1,), "third": (1, 1), "third_bias": (1,), "mean": (len(NAMES),),
    }  # fmt: skip
    arrays = {name: np.zeros(shape, np.float32) for name, shape in zeros.items()}
    deviation = np.ones(len(NAMES), np.float32)
    return Ranker({**arrays, "deviation": deviation, "linear": linear}, {})


TABLE = ReadingScout(by_feature(crossing=9.0, number=2.0))
"""Believes in numbers where a row and a column that are asked for meet."""


def read(question: str, lines: Lines = LINES, scout: ReadingScout = TABLE) -> Sight:
    return scout.with_lines(blank(), question, GRID, lines)


# ---- match ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "printed", "least", "most"),
    [
        ("total", "total", 1, 1),
        ("invoice", "invoices", CONTAINED, CONTAINED),
        ("total", "subtotal", CONTAINED, CONTAINED),
        ("total", "totalamountofalldeliveries", 0.75, 0.75),
        ("invoices", "invoice", 0.8, 0.8),
        ("manager", "management", STEM, STEM),
        ("signature", "siqnature", FOUND, 0.9),
        ("street", "strect", FOUND, 0.9),
        ("итого", "итогосумма", CONTAINED, CONTAINED),
        ("合計", "合計金額", CONTAINED, CONTAINED),
        ("total", "due", 0, 0),
        ("number", "member", 0, 0),
        ("station", "statute", 0, 0),
        ("tea", "steam", 0, 0),
        ("id", "paid", 0, 0),
        ("2", "12", 0, 0),
    ],
)
def test_a_printed_word_is_like_the_asked_one(asked, printed, least, most) -> None:
    assert least <= likeness(asked, printed) <= most


words_of_letters = some.text("abcdeinortäé0123456789合итого", max_size=12)


@settings(max_examples=200, deadline=None)
@given(words_of_letters, words_of_letters)
def test_likeness_is_a_share_and_1_means_equal(asked: str, printed: str) -> None:
    alike = likeness(asked, printed)
    assert 0 <= alike <= 1
    assert (alike == 1) == (asked == printed)


def test_numbers_are_not_alike_by_chance() -> None:
    lot = random.Random(0)
    for digits, most in ((1, 0), (3, 0), (5, 0), (6, 0.01), (8, 0.01)):
        pairs = [(lot.randrange(10**digits), lot.randrange(10**digits)) for _ in range(500)]
        alike = [likeness(f"{a:0{digits}}", f"{b:0{digits}}") > 0 for a, b in pairs if a != b]
        assert np.mean(alike) <= most, digits


def test_marks_part_a_word_and_scripts_without_spaces_are_looked_for_in_pairs() -> None:
    assert spellings("Café/Bar:") == ("cafebar", "cafe", "bar")
    assert spellings("—") == ()
    assert pieces("合計金額") == ("合計", "計金", "金額")
    assert pieces("Straße") == (spellings("Straße")[0],)


def likely(asked: str, printed: str) -> float:
    """How far a printed word is the asked one, in the plainest way."""
    return max(likeness(asked, printed), RELATED if printed in related(asked) else 0)


def test_matches_are_the_likeness_of_the_best_part_of_each_word() -> None:
    asked = ["total", "fax", "price"]
    found = matches(asked, LAYOUT.vocabulary)
    for row, word in zip(found, asked, strict=True):
        slow = [max((likely(word, s) for s in spellings(w)), default=0) for w in LINES.words]
        assert row.tolist() == pytest.approx(slow)
    layout = Layout(lines_of([at("Tel/Fax:", 0, 0), at("--", 300, 0)]), SIZE)
    assert matches(asked, layout.vocabulary).tolist() == [[0, 0], [1, 0], [0, 0]]
    assert matches([], layout.vocabulary).shape == (0, 2)


# ---- kinds ---------------------------------------------------------------------------------------


def kinds(text: str) -> dict[str, set[str]]:
    words = text.split()
    table = kinds_of(words, np.array([0]))
    return {
        word: {look for look, share in zip(LOOKS, row, strict=True) if share}
        for word, row in zip(words, table, strict=True)
    }


@pytest.mark.parametrize(
    ("text", "word", "kind"),
    [
        ("Due 12/03/2024", "12/03/2024", "date"),
        ("on 3 March 2024", "3", "date"),
        ("$ 1,204.50", "1,204.50", "money"),
        ("RM 12.00", "12.00", "money"),
        ("about 12 %", "12", "percent"),
        ("at 14:30", "14:30", "time"),
        ("(555) 123-4567", "123-4567", "phone"),
        ("No INV-2041", "INV-2041", "code"),
        ("ACME Ltd", "ACME", "firm"),
        ("Dr. Smith", "Smith", "person"),
        ("J. Smith", "J.", "person"),
        ("Total: 5", "Total:", "ends with a colon"),
        ("12 boxes", "12", "number"),
    ],
)
def test_a_word_looks_like_a_kind_in_its_line(text, word, kind) -> None:
    assert kind in kinds(text)[word]


def test_a_kind_stays_in_its_words_and_in_its_line() -> None:
    told = kinds("Paid $5.00 by Ann")
    assert "money" in told["$5.00"]
    assert not any({"money", "number"} & told[word] for word in ("Paid", "by", "Ann"))
    words = ["Dr.", "Smith", "Jones"]
    person = LOOKS.index("person")
    assert kinds_of(words, np.array([0, 2]))[:, person].tolist() == [1, 1, 0]
    assert kinds_of([], np.array([], int)).shape == (0, len(LOOKS))


@settings(max_examples=60, deadline=None)
@given(some.lists(some.text("aZ09.,:-/$% é合", min_size=1, max_size=8), max_size=12))
def test_looks_are_told_of_any_text(words: list[str]) -> None:
    table = kinds_of(words, np.arange(len(words)))
    assert set(np.unique(table)) <= {0.0, 1.0}
    alone = [kinds_of([word], np.array([0]))[0] for word in words]
    assert np.array_equal(table, np.array(alone).reshape(table.shape))


def test_the_value_of_a_line_is_a_number_or_none() -> None:
    assert [value_of(text) for text in ("12", "-3", "$ 1,204.50", "5 kg")] == [12, -3, 1204.5, 5]
    for text in ("", "12 of 30", "5-6", "total", "9" * 30):
        assert np.isnan(value_of(text)), text


# ---- layout --------------------------------------------------------------------------------------


def neighbour(name: str, text: str) -> str | None:
    number = int(getattr(LAYOUT, name)[LINE[text]])
    return None if number == NONE else LINES.texts[number]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("row_label", "8.20", "Tea"),
        ("left_neighbour", "8.20", "17"),
        ("left_neighbour", "A-2041", "Invoice No"),
        ("row_label", "Tea", None),
        ("above_neighbour", "8.20", "12.50"),
        ("below_neighbour", "8.20", "3.10"),
        ("header", "8.20", "Price"),
        ("column_top", "3.10", "Price"),
        ("column_top", "23", "Quantity"),
        ("above_neighbour", "Baker Street 5", "Address"),
        ("above_neighbour", "Annual Report", None),
    ],
)
def test_lines_have_neighbours(name, text, expected) -> None:
    assert neighbour(name, text) == expected


@settings(max_examples=40, deadline=None)
@given(seed=some.integers(0, 10**6))
def test_rows_and_columns_are_laws(seed: int) -> None:
    layout = Layout(random_page(seed), SIZE)
    count = layout.lines.count
    assert np.array_equal(layout.row, layout.row.T)
    assert np.array_equal(layout.column, layout.column.T)
    assert not (layout.row & layout.column).any()
    assert layout.row.diagonal().all()
    for ordered in (layout.left, layout.above):
        assert not (ordered & ordered.T).any()
    assert not (layout.left & ~layout.row).any()
    for name in ("left_neighbour", "above_neighbour", "below_neighbour", "row_label", "header"):
        other = getattr(layout, name)
        assert other.shape == (count,)
        assert not (other == np.arange(count)).any()
        assert ((other >= NONE) & (other < count)).all()
    has = layout.above_neighbour != NONE
    assert layout.above[np.flatnonzero(has), layout.above_neighbour[has]].all()
    assert has.tolist() == layout.above.any(1).tolist()
    assert all(np.isfinite(way).all() for way in (layout.left_distance, layout.above_distance))


def test_figures_and_extremes_of_columns() -> None:
    figures = {text for text, number in LINE.items() if LAYOUT.figures[number]}
    assert {"4", "17", "23", "12.50", "8.20", "3.10"} <= figures
    assert not {"Item", "Coffee", "Annual Report", "Baker Street 5"} & figures
    column = [at(f"{value}", 100, 40.0 * row) for row, value in enumerate((5, 9, 2, 7))]
    layout = Layout(lines_of([*column, at("99", 600, 0), at("98", 600, 40)]), SIZE)
    largest, smallest = (
        {layout.lines.texts[number] for number in np.flatnonzero(extreme)}
        for extreme in layout.column_extremes
    )
    assert (largest, smallest) == ({"9"}, {"2"})  # two lines are no column of figures


def test_of_huge_pages_the_first_lines_are_looked_at() -> None:
    words = [at("word", 10 + 300 * (n % 3), 10.0 * (n // 3), 8) for n in range(MAX_LINES + 50)]
    layout = Layout(lines_of([*words[:-1], at("two words", 310, 10.0 * 900, 8)]), (9100, 1000))
    assert layout.lines.count > MAX_LINES
    assert len(layout.boxes) == len(layout.first) == MAX_LINES
    assert int(layout.line.max()) == MAX_LINES - 1
    assert len(layout.words) == len(layout.word_boxes) == len(layout.line) == len(layout.often)
    assert len(layout.values) == len(layout.figures) == MAX_LINES
    assert layout.row.shape == (MAX_LINES, MAX_LINES)


# ---- query ---------------------------------------------------------------------------------------


def test_a_question_is_its_words_and_lone_digits_and_capitals() -> None:
    query = ask("What is in row 3 of Table B?")
    weights = dict(zip(query.words, query.weights.tolist(), strict=True))
    assert {"row", "table", "3", "b"} == set(weights)
    assert weights["3"] == weights["b"] == SHORT_WEIGHT
    assert "i" not in ask("What do I owe for A?").words
    assert "a" not in ask("A total, please?").words  # the first word is a capital anyway
    assert len(ask("")) == len(ask("What is it?")) == 0


def test_scripts_without_spaces_are_looked_for_in_pairs() -> None:
    assert {"合計", "計金", "金額"} <= set(ask("合計金額はいくら?").words)
    assert "итого" in ask("Сколько Итого?").words


def test_other_printings_stand_for_a_word_and_count_less() -> None:
    query = ask("What is the telephone number?")
    stands = {other: query.words[number] for other, number in query.others}
    assert stands["tel"] == "telephone"
    layout = Layout(lines_of([at("Tel: 555-1234", 10, 10)]), SIZE)
    seen = evidence(layout, query)
    assert seen.match[query.words.index("telephone"), 0] == pytest.approx(OTHER_PRINTING)


def test_ways_of_asking_are_hints() -> None:
    def hints(question: str) -> set[str]:
        return {hint for hint, there in zip(HINTS, ask(question).hints, strict=True) if there}

    assert hints("Who wrote the letter?") == {"who"}
    assert {"most", "which"} <= hints("Which item has the highest price?")
    assert "title" in hints("What is the title of this document?")
    assert ask('Where does it say "Total"?').quoted
    assert not ask('What stands beside "Total"?').quoted
    assert not ask("What is the total?").quoted


@settings(max_examples=80, deadline=None)
@given(some.text(max_size=200))
def test_any_question_is_taken_apart(question: str) -> None:
    query = ask(question)
    assert len(query) == len(query.words) == len(query.weights) <= MOST_WORDS
    assert len(set(query.words)) == len(query.words)
    assert all(query.words)
    assert (query.weights > 0).all()
    assert all(0 <= number < len(query) for _, number in query.others)


# ---- features ------------------------------------------------------------------------------------


def test_a_value_stands_where_its_row_and_its_column_meet() -> None:
    seen = evidence(LAYOUT, ask("What is the price of tea?"))
    crossing = feature(seen, "crossing")
    figures = [word for row in ROWS for word in row[1:]]
    assert max(figures, key=crossing.__getitem__) == "8.20"
    assert feature(seen, "row")["17"] > feature(seen, "row")["12.50"]
    assert feature(seen, "column top")["3.10"] > 0 == feature(seen, "column top")["23"]
    assert feature(seen, "crossing gain")["8.20"] > 0
    assert feature(seen, "found")["Annual"] == pytest.approx(1)
    assert feature(seen, "own whole")["Tea"] == 1
    over = feature(seen, "over")
    assert min(over["12.50"], over["8.20"], over["3.10"]) > 0.2 > 0 == over["23"] == over["Price"]
    under = feature(evidence(LAYOUT, ask("Where is the tea?")), "under")
    assert under["Coffee"] > 0 == under["Sugar"]


def test_a_label_says_what_stands_beside_it_below_it_and_after_it() -> None:
    for question, place, word in (
        ("What is the total?", "before", "61.20"),
        ("What is the address?", "above", "Baker"),
        ("What is the invoice?", "left", "A-2041"),
    ):
        told = feature(evidence(LAYOUT, ask(question)), place)
        assert told[word] > 0.5, question
        assert sum(share > 0.5 for share in told.values()) <= 3, question
    total = feature(evidence(LAYOUT, ask("What is the total?")), "all of before")
    assert total["61.20"] == 1


def test_numbers_are_compared_in_columns_and_rows_and_so_are_their_names() -> None:
    seen = evidence(LAYOUT, ask("Which item has the highest price?"))
    for name, word in (
        ("largest", "12.50"), ("smallest", "3.10"), ("names largest", "Coffee"),
        ("names smallest", "Sugar"), ("most, names largest", "Coffee"),
    ):  # fmt: skip
        told = feature(seen, name)
        assert told[word] == max(told.values()) > 0, name
    assert not any(feature(seen, "least, names smallest").values())
    assert feature(seen, "largest")["12.50"] > feature(seen, "largest")["23"] > 0  # price is asked
    assert feature(seen, "names largest")["12.50"] == 0
    assert not any(feature(seen, "largest of row").values())  # no row has three numbers


def test_a_title_is_large_centred_and_at_the_top() -> None:
    title = evidence(LAYOUT, ask("What is the title of this document?"))
    for name in ("title, large", "title, top", "title, centred"):
        told = feature(title, name)
        assert told["Annual"] == max(told.values()) > 0, name
    plain = evidence(LAYOUT, ask("What is the price of tea?"))
    assert set(feature(plain, "title, large").values()) == {0.0}


def test_what_is_nowhere_is_not_found() -> None:
    seen = evidence(LAYOUT, ask("Where is the giraffe?"))
    assert seen.found_share == features.rarest_found(seen.share, seen.found) == 0
    assert not seen.features[:, [NAMES.index(name) for name in features.PLACES]].any()


@settings(max_examples=30, deadline=None)
@given(seed=some.integers(0, 10**6))
def test_features_are_finite_and_parts_change_nothing(seed: int) -> None:
    layout, query = Layout(random_page(seed), SIZE), ask("What is the total of table 2 in tea?")
    whole = evidence(layout, query)
    assert np.isfinite(whole.features).all()
    assert whole.features.shape == (len(layout.line), len(NAMES))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(features, "MAX_PAIRS", 7)
        assert np.array_equal(evidence(layout, query).features, whole.features)


HOSTILE: dict[str, list[WordBox]] = {
    "one word": [("total", (1, 1, 2, 2))],
    "one letter": [("t", (0, 0, 1e-3, 1e-3))],
    "huge": [("total", (-9e6, -9e6, 9e6, 9e6)), ("tea", (0, 0, 5, 5))],
    "far away": [("total", (8e6, 8e6, 8e6 + 9, 8e6 + 9)), ("5", (-8e6, -8e6, -8e6 + 9, -8e6 + 9))],
    "marks": [("--", (0, 0, 9, 9)), ("…", (20, 0, 29, 9)), ("$", (40, 0, 49, 9))],
    "long": [("total" * 2000, (0, 0, 900, 20)), ("1," * 900, (0, 40, 900, 60))],
    "on one place": [("total", (10, 10, 50, 20))] * 300,
    "digits": [("9" * 190, (0, 30.0 * n, 500, 30.0 * n + 20)) for n in range(9)],
    "other scripts": [
        ("合計金額", (0, 0, 80, 20)), ("Итого:", (0, 40, 80, 60)), ("\u202e🙂", (0, 80, 9, 99)),
    ],
}  # fmt: skip


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("question", ["What is the total of table 2?", "合計金額?", "?" * 900, "x"])
def test_hostile_words_have_finite_features_and_a_sound_sight(words, question) -> None:
    lines = lines_of(words)
    assert max(map(len, lines.words)) <= LONGEST_WORD
    assert np.isfinite(evidence(Layout(lines, SIZE), ask(question)).features).all()
    sight = read(question, lines, ReadingScout(load_ranker()))
    assert np.isfinite(sight.logit).all()
    assert probabilities(sight.logit).sum() == pytest.approx(1, abs=1e-4)
    assert 0 <= sight.sure <= 1
    for match in sight.matches:
        x0, y0, x1, y1 = match.box
        assert 0 <= x0 <= x1 <= 1
        assert 0 <= y0 <= y1 <= 1


def test_a_page_of_3000_lines_is_read_in_bounded_time() -> None:
    words = [at("total", 10 + 300 * (n % 3), 10.0 * (n // 3), 8) for n in range(3000)]
    lines = lines_of(words)
    assert lines.count == 3000
    started = time.process_time()
    seen = evidence(Layout(lines, (10_000, 1000)), ask("What is the total of table 2?"))
    assert time.process_time() - started < 15  # 1.2 s on a machine that does nothing else
    assert seen.features.shape == (MAX_LINES, len(NAMES))
    assert np.isfinite(seen.features).all()


# ---- the ranker ----------------------------------------------------------------------------------


def saved(path: Path, drop: str = "", **other: Any) -> Path:
    """The shipped weights with something else in them."""
    with np.load(WEIGHTS) as file:
        arrays = {name: file[name] for name in file.files if name != drop}
    np.savez(path, **{**arrays, **other})
    return path


def test_the_shipped_ranker_is_loaded_once_and_small() -> None:
    ranker = load_ranker()
    assert ranker is load_ranker()
    assert set(ranker.weights) == set(ARRAYS)
    assert tuple(ranker.about["features"]) == NAMES
    assert WEIGHTS.stat().st_size < 1_000_000


def test_other_files_are_refused(tmp_path) -> None:
    about = json.loads(str(np.load(WEIGHTS)["about"]))
    other = json.dumps(about | {"features": list(NAMES[1:])})
    with pytest.raises(ValueError, match=r"other features.*homunculus train reading"):
        load_ranker(saved(tmp_path / "features.npz", about=np.array(other)))
    for name in (*ARRAYS, "about"):
        with pytest.raises(ValueError, match=f"expected .*got no {name}"):
            load_ranker(saved(tmp_path / f"without-{name}.npz", drop=name))
    bad = saved(tmp_path / "pickle.npz", first=np.array([{"a": 1}], object))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        load_ranker(bad)
    with pytest.raises(FileNotFoundError):
        load_ranker(tmp_path / "absent.npz")


def test_scores_are_of_each_word_by_itself_and_the_same_every_time() -> None:
    ranker, query = load_ranker(), ask("What is the price of tea?")
    table = evidence(LAYOUT, query).features
    scores = ranker.scores(table, query.parsed.buckets)
    assert np.array_equal(ranker.scores(table, query.parsed.buckets), scores)
    assert scores.shape == (len(LINES),)
    order = np.random.default_rng(0).permutation(len(LINES))
    mixed = ranker.scores(table[order], query.parsed.buckets)
    assert np.allclose(mixed, scores[order], atol=1e-4)
    far, farther = (np.full((1, len(NAMES)), value, np.float32) for value in (1e6, 1e9))
    assert np.array_equal(ranker.scores(far, ()), ranker.scores(farther, ()))  # there is a limit


@settings(max_examples=40, deadline=None)
@given(seed=some.integers(0, 10**6), constant=some.floats(-50, 50, width=32))
def test_shares_of_words_keep_their_order_and_forget_a_constant(seed: int, constant) -> None:
    ranker, query = load_ranker(), ask("What is the total of table 2 in tea?")
    seen, buckets = evidence(Layout(random_page(seed), SIZE), query), query.parsed.buckets
    scores, share = (way(seen.features, buckets) for way in (ranker.scores, ranker.likely))
    assert share.shape == scores.shape
    assert share.sum() == pytest.approx(1, abs=1e-5)
    assert (share >= 0).all()
    assert (np.diff(share[np.argsort(scores)]) >= 0).all()
    bias = ranker.weights["third_bias"] + np.float32(constant)
    again = Ranker({**ranker.weights, "third_bias": bias}, {}).likely(seen.features, buckets)
    assert np.allclose(again, share, atol=1e-4)


# ---- the scout -----------------------------------------------------------------------------------


def random_page(seed: int) -> Lines:
    """Words anywhere on a page, some of them in rows."""
    lot = random.Random(seed)
    texts = ["Total", "total:", "12.50", "7", "Table", "2", "Tea", "合計", "--", "$5", "INV-1"]
    words = [
        at(lot.choice(texts), lot.uniform(-20, 990), lot.choice([40, 80, lot.uniform(-9, 690)]),
           lot.uniform(4, 40))
        for _ in range(lot.randint(1, 40))
    ]  # fmt: skip
    return lines_of(words)


def touched(lines: Lines) -> np.ndarray:
    """Which cells the words' boxes touch, in the plainest way."""
    cells = np.zeros(GRID, bool)
    for x0, y0, x1, y1 in (lines.boxes / 10).tolist():
        top, left = max(0, int(np.floor(y0))), max(0, int(np.floor(x0)))
        cells[top : max(0, int(np.ceil(y1))), left : max(0, int(np.ceil(x1)))] = True
    return cells


@settings(max_examples=40, deadline=None)
@given(
    seed=some.integers(0, 10**6),
    question=some.sampled_from(["What is the total?", "Which table has 2 tea?", "", "giraffe"]),
)
def test_probability_lies_in_the_boxes_of_words(seed: int, question: str) -> None:
    lines = random_page(seed)
    sight = read(question, lines, ReadingScout(load_ranker()))
    place = probabilities(sight.logit)
    assert sight.logit.shape == GRID
    assert place.sum() == pytest.approx(1, abs=1e-4)
    if (inside := touched(lines)).any():
        assert place[inside].sum() > 0.999
    shares = [answer.probability for answer in sight.answers]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1 + 1e-5
    assert all(share > 0 for share in shares)
    named = [word for answer in sight.answers for word in answer.words]
    assert len(set(named)) == len(named)
    for answer in sight.answers:
        assert answer.text == " ".join(lines.words[word] for word in answer.words)
        assert len({int(lines.line[word]) for word in answer.words}) == 1
    assert sight.elsewhere is not None
    assert (sight.elsewhere[~inside] < sight.elsewhere[inside].max(initial=1)).all()
    assert isinstance(sight.size, np.ndarray)
    assert (sight.size > 0).all()


def test_the_place_is_that_of_the_likeliest_words() -> None:
    sight = read("What is the price of tea?")
    assert (sight.answers[0].text, sight.answers[0].words) == ("8.20", (WORD["8.20"],))
    row, col = np.unravel_index(sight.logit.argmax(), GRID)
    x0, y0, x1, y1 = LINES.boxes[WORD["8.20"]] / 10
    assert x0 - 1 <= col <= x1
    assert y0 - 1 <= row <= y1
    cells = probabilities(sight.logit)[int(y0) : int(y1), int(x0) : int(x1)]
    assert cells.sum() == pytest.approx(sight.answers[0].probability, abs=1e-3)


def test_words_of_the_question_are_found_with_their_boxes_or_not_found() -> None:
    sight = read("What is the price of a giraffe?")
    price, giraffe = sight.matches
    assert (price.text, price.state, giraffe.text, giraffe.state) == (
        "price", "found", "giraffe", "missing",
    )  # fmt: skip
    box = np.array(price.box) * (SIZE[1], SIZE[0], SIZE[1], SIZE[0])
    assert box == pytest.approx(LINES.boxes[WORD["Price"]], abs=0.01)
    assert (price.places, giraffe.probability, giraffe.places) == (1, 0, 0)
    assert sight.matched
    assert sight.basis == "found"
    assert "1 of 2 words of the question read" in sight.origin
    none = read("What is the giraffe?")
    assert (none.matched, none.basis) == (False, "guess")
    assert none.sure == pytest.approx(SURE * (1 - UNFOUND))
    assert none.sure < sight.sure < read("What is the price of tea?").sure == pytest.approx(SURE)


@pytest.mark.parametrize("degrees", [-4, -1.5, 2, 4])
def test_a_page_that_is_askew_is_read_as_if_it_were_straight(degrees: float) -> None:
    lines = lines_of(turned(form(), degrees))
    assert lines.slope
    sight = read("What is the price of tea?", lines)
    assert sight.answers[0].text == "8.20"
    x0, y0, x1, y1 = lines.boxes[lines.words.index("8.20")] / 10
    row, col = np.unravel_index(sight.logit.argmax(), GRID)  # where it is printed
    assert x0 - 1 <= col <= x1
    assert y0 - 1 <= row <= y1
    price = next(match for match in sight.matches if match.text == "price")
    box = np.array(price.box) * (SIZE[1], SIZE[0], SIZE[1], SIZE[0])
    assert box == pytest.approx(lines.boxes[lines.words.index("Price")], abs=0.1)


def test_without_lines_or_words_nothing_is_known() -> None:
    for sight in (
        TABLE(blank(), "What is the total?", GRID),
        read("What is the total?", lines_of([])),
    ):
        assert (sight.sure, sight.question_used, sight.answers) == (0.0, False, ())
        assert sight.basis == "unknown"
        assert not sight.logit.any()
    sight = read("?")
    assert (sight.sure, sight.question_used, sight.matches) == (0.0, False, ())
    assert sight.unsure


def test_questions_and_pages_in_other_scripts_are_read() -> None:
    words = [
        at("Итого:", 60, 100),
        at("61,20", 300, 100),
        at("合計金額", 60, 300),
        at("12", 300, 300),
    ]
    lines = lines_of([*words, at("Дата", 60, 500), at("2024", 300, 500)])
    scout = ReadingScout(by_feature(left=9.0))
    for question, answer in (("Сколько итого?", "61,20"), ("合計金額はいくら?", "12")):
        sight = read(question, lines, scout)
        assert sight.matched
        assert sight.answers[0].text == answer


@settings(max_examples=25, deadline=None)
@given(words=some.permutations(form()))
def test_the_order_in_which_words_are_given_changes_nothing(words: list[WordBox]) -> None:
    scout = ReadingScout(load_ranker())
    plain = read("What is the price of tea?", LINES, scout)
    mixed = read("What is the price of tea?", lines_of(words), scout)
    assert np.array_equal(mixed.logit, plain.logit)
    assert mixed.answers == plain.answers
    assert mixed.matches == plain.matches


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_a_page_of_another_size_has_the_same_answers(scale: float) -> None:
    size = (int(SIZE[0] * scale), int(SIZE[1] * scale))
    lines = LINES.scaled(scale, scale)
    plain = read("What is the price of tea?")
    sight = TABLE.with_lines(blank(size), "What is the price of tea?", GRID, lines)
    assert [each.words for each in sight.answers] == [each.words for each in plain.answers]
    assert np.allclose(sight.logit, plain.logit, atol=0.05)
    assert np.allclose(sight.size, np.asarray(plain.size) * scale, rtol=0.05)


def test_answers_are_runs_of_likely_words_of_a_line() -> None:
    scout = ReadingScout(by_feature(above=12.0, capital=-3.0, number=-9.0))
    answer = read("What is the address?", LINES, scout).answers[0]
    assert answer.text == "Baker Street"
    assert answer.words == (WORD["Baker"], WORD["Street"])


def test_a_page_is_laid_out_once_for_all_its_questions(monkeypatch) -> None:
    made: list[Lines] = []

    def counted(lines: Lines, size: tuple[int, int]) -> Layout:
        made.append(lines)
        return Layout(lines, size)

    monkeypatch.setattr(reading, "Layout", counted)
    lines = lines_of(form())
    for question in ("What is the total?", "What is the price of tea?", "What is the address?"):
        read(question, lines)
    assert len(made) == 1
    TABLE.with_lines(blank((1400, 2000)), "What is the total?", GRID, lines)
    assert len(made) == 2  # as it would be for a picture of another size


def test_pages_are_let_go_of() -> None:
    def page() -> "ref[Lines]":
        lines = lines_of(form())
        read("What is the total?", lines)
        return ref(lines)

    pages = [page() for _ in range(LAYOUTS + 12)]
    gc.collect()
    assert sum(alive() is not None for alive in pages) <= LAYOUTS


# ---- the registry --------------------------------------------------------------------------------


class Spotter:
    """A word scout that believes in one cell, and counts."""

    def __init__(self, text: float = 0.3) -> None:
        self.asked, self.text = list[str](), text

    def __call__(self, image: np.ndarray, question: str, grid: tuple[int, int]) -> WordSight:
        self.asked.append(question)
        logit = np.full(grid, -9.0, np.float32)
        logit[60, 60] = 0
        words = (Match("total", 0.9, (0.1, 0.2, 0.3, 0.25)),)
        return WordSight.of(parse(question), logit, words, self.text)


def default(things: Any = None) -> tuple[WordsAndThings, Spotter]:
    spotter = Spotter()
    return WordsAndThings(WordsOrPixels(spotter), things, TABLE), spotter


def test_the_scout_has_a_name() -> None:
    assert "reading" in list_scouts()
    scout = get_scout("reading")
    assert isinstance(scout, ReadingScout)
    assert isinstance(scout, LineScout)
    assert scout.ranker is load_ranker()
    assert isinstance(get_scout("auto"), LineScout)
    assert not isinstance(get_scout("pixels"), LineScout)


def test_a_text_layer_with_words_of_the_question_is_enough() -> None:
    scout, spotter = default()
    lines = lines_of(form(), "text layer")
    sight = scout.with_lines(blank(), "What is the price of tea?", GRID, lines)
    assert spotter.asked == []
    assert sight.answers[0].text == "8.20"
    assert np.array_equal(sight.logit, read("What is the price of tea?", lines).logit)


def test_a_text_layer_without_them_leaves_it_to_the_pixels_too() -> None:
    scout, spotter = default()
    lines = lines_of(form(), "text layer")
    sight = scout.with_lines(blank(), "What is the giraffe?", GRID, lines)
    assert spotter.asked == ["What is the giraffe?"]
    assert "words" in sight.origin
    calls: list[str] = []

    def things(image: np.ndarray, question: str, grid: tuple[int, int]) -> Sight:
        calls.append(question)
        return Sight(np.zeros(grid, np.float32), sure=0.0)

    scout, spotter = default(things)
    scout.with_lines(blank(), "What is the giraffe?", GRID, lines)
    assert calls == spotter.asked == ["What is the giraffe?"]


def test_a_text_layer_with_words_near_in_meaning_leaves_it_to_the_pixels_too() -> None:
    scout, spotter = default()
    question = "Whom should I ring?"
    words = [*form(), at("Phone", 60, 620), at("555-1234", 200, 620)]
    lines = lines_of(words, "text layer")
    sight = scout.with_lines(blank(), question, GRID, lines)
    assert spotter.asked == [question]
    assert "words" in sight.origin
    alone = read(question, lines)
    (ring,) = alone.matches
    assert (ring.state, ring.probability) == ("missing", 0)  # what was found is another word
    assert (alone.matched, alone.basis) == (False, "guess")
    assert "0 of 1 words of the question read" in alone.origin
    printed = lines_of([*words, at("Ring", 60, 660)], "text layer")
    assert scout.with_lines(blank(), question, GRID, printed).matched
    assert spotter.asked == [question]  # not again


@pytest.mark.parametrize("source", ["rapidocr", "given"])
def test_words_of_an_ocr_and_of_a_caller_are_pooled_with_what_the_word_scout_says(source) -> None:
    scout, spotter = default()
    question, lines = "What is the price of tea?", lines_of(form(), source)
    sight = scout.with_lines(blank(), question, GRID, lines)
    assert spotter.asked == [question]
    read_alone = read(question, lines)
    expected = pool(read_alone, WordsOrPixels(Spotter())(blank(), question, GRID), GRID)
    assert np.allclose(sight.logit, expected.logit)
    assert not np.allclose(sight.logit, read_alone.logit)
    assert sight.answers == read_alone.answers
    assert source in sight.origin
    assert " + " in sight.origin


@pytest.mark.parametrize("question", ["", "  ", "Summarise this page."])
def test_questions_about_no_place_are_not_read(question: str) -> None:
    scout, _ = default()
    sight = scout.with_lines(blank(), question, GRID, LINES)
    assert sight.answers == ()
    assert np.array_equal(sight.logit, scout(blank(), question, GRID).logit)


def test_pages_without_words_are_as_before() -> None:
    scout, _ = default()
    plain = scout(blank(), "What is the total?", GRID)
    sight = scout.with_lines(blank(), "What is the total?", GRID, lines_of([]))
    assert np.array_equal(sight.logit, plain.logit)
    assert sight.origin == plain.origin


# ---- pool ----------------------------------------------------------------------------------------

maps = some.lists(some.floats(-30, 0, width=32), min_size=6, max_size=6)


@settings(max_examples=80, deadline=None)
@given(maps, maps, some.floats(-50, 50, width=32))
def test_pooled_probabilities_are_a_product_of_powers(first, second, constant) -> None:
    one, two = (np.array(each, np.float32).reshape(2, 3) for each in (first, second))
    read_, spotted = Sight(one, sure=0.9, origin="a"), Sight(two, sure=0.2, origin="b")
    pooled = pool(read_, spotted, (2, 3))
    powers = [
        (np.exp(each - each.max()) / np.exp(each - each.max()).sum() + FLOOR / 6) ** power
        for each, power in zip((one.astype(float), two.astype(float)), POOLED, strict=True)
    ]
    expected = powers[0] * powers[1]
    assert np.allclose(probabilities(pooled.logit), expected / expected.sum(), atol=1e-4)
    assert (pooled.sure, pooled.origin) == (0.9, "a + b")
    shifted = pool(replace(read_, logit=one + np.float32(constant)), spotted, (2, 3))
    assert np.allclose(shifted.logit, pooled.logit, atol=1e-3)


def test_who_is_not_sure_is_not_pooled() -> None:
    answers = read("What is the price of tea?").answers
    sure = Sight(np.eye(2), sure=0.9, answers=answers)
    unsure = Sight(np.ones((2, 2)), sure=0.0)
    assert pool(sure, unsure, (2, 2)) is sure
    unread = replace(unsure, answers=answers)
    pooled = pool(unread, replace(sure, answers=()), (2, 2))
    assert np.array_equal(pooled.logit, sure.logit)
    assert pooled.answers == answers


# ---- plans ---------------------------------------------------------------------------------------


class Recorder:
    """A scout that takes lines, and keeps them."""

    def __init__(self) -> None:
        self.seen: list[Lines | None] = []

    def __call__(self, image: np.ndarray, question: str, grid: tuple[int, int]) -> Sight:
        self.seen.append(None)
        return Sight(np.zeros(grid, np.float32), sure=1.0)

    def with_lines(
        self, image: np.ndarray, question: str, grid: tuple[int, int], lines: Lines
    ) -> Sight:
        assert lines is not None
        self.seen.append(lines)
        return Sight(np.zeros(grid, np.float32), sure=1.0)


def test_a_scout_that_takes_lines_is_given_those_of_the_picture() -> None:
    picture, recorder = open_picture(Image.new("RGB", SIZE[::-1])), Recorder()
    ask_scout(recorder, picture, "Where?")
    ask_scout(recorder, replace(picture, lines=LINES), "Where?")
    assert recorder.seen == [None, LINES]
    ask_scout(recorder.__call__, replace(picture, lines=LINES), "Where?")  # a plain function
    assert recorder.seen[2:] == [None]


def big(scale: int = 3) -> tuple[Image.Image, list[WordBox]]:
    """The form as a large picture, and its words."""
    words = [(text, tuple(scale * side for side in box)) for text, box in form()]
    return Image.new("RGB", (SIZE[1] * scale, SIZE[0] * scale), "white"), words


def test_the_place_of_a_value_is_shown_in_a_window() -> None:
    picture, words = big()
    seen = homunculus.views(
        picture, "What is the price of tea?", tokens=64, words=words, scout=TABLE
    )
    assert seen.sight.answers[0].text == "8.20"
    (box,) = [box for text, box in words if text == "8.20"]
    inside = [
        view.name
        for view in seen.views
        if view.box.x0 <= box[0] and view.box.y0 <= box[1]
        and view.box.x1 >= box[2] and view.box.y1 >= box[3]
    ]  # fmt: skip
    assert inside[0] == "whole"
    assert len(inside) > 1
    assert seen.tokens <= 64


def test_questions_of_a_page_are_planned_together_as_alone() -> None:
    picture, words = big()
    questions = ["What is the price of tea?", "What is the total?", "Where is the giraffe?"]
    held = replace(open_picture(picture), lines=lines_of(words))

    def plan(question: str, page: Any) -> Any:
        return homunculus.views(page, question, tokens=64, scout="reading").to_json()["views"]

    together = [plan(question, held) for question in questions]
    alone = [
        plan(question, replace(open_picture(picture), lines=lines_of(words)))
        for question in reversed(questions)
    ]
    assert together == alone[::-1]
    assert together[0] != together[1]


def test_a_hostile_page_takes_bounded_time() -> None:
    """20,000 copies of a word of the question, and long words of figures: seconds, not minutes."""
    copies = [at("total", n % 140 * 7.0, n // 140 * 7.0, 5) for n in range(20_000)]
    figures = [("1," * 99 + "x", (10.0, n * 0.3, 500.0, n * 0.3 + 0.2)) for n in range(3_000)]
    for words in (copies, figures):
        layout = Layout(Lines.of(words, "given"), (1000, 1000))
        assert len(layout.line) <= MAX_WORDS
        start = time.process_time()
        evidence(layout, ask("What is the total?"))
        assert time.process_time() - start < 20
