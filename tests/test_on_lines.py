"""Laws of windows on lines: none cuts a line of print, and a value stands beside its label."""

from dataclasses import replace
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homunculus.pages.lines import Lines
from homunculus.planner.acuity import ACUITIES, Acuity
from homunculus.planner.belief import Belief, believe
from homunculus.planner.bill import Buyer
from homunculus.planner.counting import TokenRule
from homunculus.planner.layout import CORE, lay_out, parted, runs_through
from homunculus.planner.models import token_rule
from homunculus.planner.plan import Plan
from homunculus.planner.search import find_views
from homunculus.scouts.sight import Sight
from turned import turned

EYES = Acuity("test", 8.0, 0.4)
Word = tuple[str, tuple[float, float, float, float]]


def words_of(lot: np.random.Generator, x: float, y: float, wide: float, high: float) -> list[Word]:
    """A line of words, ragged at the right."""
    words, end = list[Word](), x + wide * (0.4 + 0.6 * lot.random())
    while x < end - high:
        long = min(end - x, high * (1 + 4 * lot.random()))
        text = "total" if lot.random() < 0.6 else "1,234"
        words.append((text, (x, y, x + long, y + high)))
        x += long + 0.4 * high
    return words


def columns(lot: np.random.Generator, size: tuple[int, int]) -> list[Word]:
    """Columns of text whose lines do not stand at the same heights."""
    words, count = list[Word](), int(lot.integers(1, 4))
    wide = size[1] / count
    for column in range(count):
        high = float(lot.uniform(9, 30))
        y = float(lot.uniform(0, 60))
        while y + high < size[0]:
            words += words_of(lot, column * wide + 10, y, wide - 40, high)
            y += high * float(lot.uniform(1.1, 3 if lot.random() < 0.2 else 1.6))
    return words


def table(lot: np.random.Generator, size: tuple[int, int]) -> list[Word]:
    """A table: cells of one, two or three lines in one row."""
    words, high, y = list[Word](), float(lot.uniform(9, 24)), 20.0
    count = int(lot.integers(2, 6))
    wide = size[1] / count
    while True:
        lines = lot.integers(1, 4, count)
        if y + 1.3 * high * lines.max() > size[0]:
            return words
        for column in range(count):
            for line in range(int(lines[column])):
                words += words_of(lot, column * wide + 5, y + 1.3 * high * line, 0.7 * wide, high)[
                    :2
                ]
        y += 1.3 * high * lines.max() + high * float(lot.uniform(0.1, 1))


def page(seed: int) -> tuple[tuple[int, int], Lines, Belief]:
    """A page, its lines, and a belief in some of its words."""
    lot = np.random.default_rng(seed)
    size = int(lot.integers(150, 1600)), int(lot.integers(150, 1600))
    words = (columns, table)[seed % 2](lot, size)
    lines = Lines.of(words, "given")
    cell = max(1, round(max(size) / 256))
    place = np.full((-(-size[0] // cell), -(-size[1] // cell)), 1e-6, np.float32)
    for number in lot.integers(0, max(1, len(lines)), 6) if len(lines) else ():
        x0, y0, x1, y1 = (lines.boxes[number] / cell).astype(int)
        place[y0 : y1 + 1, x0 : x1 + 1] += lot.random() ** 2
    sight = Sight(np.log(place / place.sum()), sure=0.95, size=14.0, size_error=0.2)
    return size, lines, believe(sight, size, EYES, lines)


def cut(plan: Plan, lines: Lines) -> int:
    """Lines that an edge of a window runs through, in the plainest way to count them."""
    count = 0
    for x0, y0, x1, y1 in (window.box for window in plan.windows):
        for left, top, right, low in parted(lines.line_boxes):
            margin = 1.0 + 1e-3
            if left < x1 - 1 and right > x0 + 1:
                count += any(top + margin < edge < low - margin for edge in (y0, y1))
    return count


several = settings(max_examples=12, deadline=None)
cases = given(
    seed=st.integers(0, 10**6), tokens=st.integers(2, 400), side=st.sampled_from((16, 28))
)


@settings(max_examples=60, deadline=None)
@cases
def test_no_window_cuts_a_line_of_print(seed, tokens, side) -> None:
    size, lines, known = page(seed)
    rule = TokenRule("test", side)
    plan = find_views(known, size, tokens, rule, EYES)
    assert cut(plan, lines) == 0
    assert plan.count(rule) <= tokens
    assert plan.whole is not None
    for window in plan.windows:
        x0, y0, x1, y1 = window.box
        assert 0 <= x0 < x1 <= size[1]
        assert 0 <= y0 < y1 <= size[0]
        rows, cols = window.tokens
        assert rows * side <= y1 - y0 + 1
        assert (x1 - x0) / (y1 - y0) == pytest.approx(cols / rows, rel=0.04)


@several
@cases
def test_no_word_that_may_be_the_answer_is_cut(seed, tokens, side) -> None:
    size, _, known = page(seed)
    plan = find_views(known, size, tokens, TokenRule("test", side), EYES)
    layout = known.layout
    assert layout is not None
    for x0, y0, x1, y1 in (window.box for window in plan.windows):
        for left, top, right, low in layout.keys:
            if y0 < (top + low) / 2 < y1:
                assert not any(left + 1.01 < edge < right - 1.01 for edge in (x0, x1))


@several
@cases
def test_a_budget_bought_with_lines_cuts_none_either(seed, tokens, side) -> None:
    """What is grown from a smaller budget keeps to the law, too."""
    size, lines, known = page(seed)
    for rule in (token_rule("qwen3-vl"), token_rule("gpt-4o"), TokenRule("test", side)):
        try:
            bill = Buyer(known, size, rule, EYES).buy(tokens)
        except ValueError:
            continue  # too few for any picture
        assert bill.tokens <= tokens
        assert cut(bill.plan, lines) == 0


@several
@cases
def test_without_lines_a_plan_is_what_it_was(seed, tokens, side) -> None:
    size, _, known = page(seed)
    rule, plain = TokenRule("test", side), replace(known, layout=None)
    sight = Sight(np.log(known.place.clip(1e-12)), sure=1.0, size=14.0, size_error=0.2)
    assert believe(sight, size, EYES).layout is None
    plan = find_views(plain, size, tokens, rule, EYES)
    assert find_views(plain, size, tokens, rule, EYES, context=1 / 8) == plan


@several
@cases
def test_engines_spend_exactly_with_lines(seed, tokens, side) -> None:
    size, _, known = page(seed)
    rule = TokenRule("test", side)
    plan = find_views(known, size, tokens, rule, EYES, exact=True)
    assert plan.count(rule) == min(tokens, rule.count(size))


@several
@cases
def test_the_same_lines_give_the_same_plan(seed, tokens, side) -> None:
    rule = TokenRule("test", side)
    (size, _, first), (_, _, second) = page(seed), page(seed)
    plan = find_views(first, size, tokens, rule, EYES)
    assert find_views(second, size, tokens, rule, EYES) == plan


def test_boxes_that_overlap_meet_halfway() -> None:
    boxes = np.array([[0, 0, 99, 20], [0, 16, 99, 36], [200, 8, 299, 28]], np.float32)
    assert parted(boxes).tolist() == [[0, 0, 99, 18], [0, 18, 99, 36], [200, 8, 299, 28]]
    same = np.array([[0, 0, 99, 20], [50, 2, 99, 22]], np.float32)
    assert parted(same).tolist() == same.tolist()  # pieces of one line
    deep = np.array([[0, 0, 99, 20], [0, 10, 99, 90]], np.float32)
    assert parted(deep)[0, 3] == pytest.approx(15)
    assert parted(deep)[0, 3] >= 20 * (1 + CORE) / 2


def test_a_window_runs_through_what_it_shows_and_cuts() -> None:
    line = np.array([[100, 100, 200, 120]], np.float32)
    boxes = np.array(
        [[0, 90, 300, 130], [0, 110, 300, 300], [0, 0, 300, 110], [201, 110, 300, 300],
         [0, 120, 300, 300]], np.float32,
    )  # fmt: skip
    assert runs_through(boxes, line).tolist() == [False, True, True, False, False]


# ---- labels --------------------------------------------------------------------------------------


def statement() -> Lines:
    """Rows with a name at the left, two numbers at the right, and headers above them."""
    words: list[Word] = [
        ("Item", (60.0, 40.0, 110.0, 60.0)),
        ("Price", (600.0, 40.0, 660.0, 60.0)),
        ("Sum", (800.0, 40.0, 850.0, 60.0)),
    ]
    for row in range(20):
        y = 80.0 + 30 * row
        words += [
            (f"Article{chr(97 + row)}", (60.0, y, 180.0, y + 20)),
            (f"{row}.50", (600.0, y, 660.0, y + 20)),
            (f"{row}.00", (800.0, y, 860.0, y + 20)),
        ]
    return Lines.of(words, "given")


def sight_at(box: tuple[float, float, float, float], share: float = 0.9) -> Sight:
    """An answer at a box of a page of 1,000 pixels."""
    place = np.full((250, 250), (1 - share) / 250**2, np.float32)
    x0, y0, x1, y1 = (int(side / 4) for side in box)
    place[y0:y1, x0:x1] += share / ((y1 - y0) * (x1 - x0))
    return Sight(np.log(place), sure=0.99, size=15.0, size_error=0.1)


def test_a_value_knows_the_name_of_its_row_and_the_header_of_its_column() -> None:
    lines, answer = statement(), (800.0, 380.0, 860.0, 400.0)
    known = believe(sight_at(answer), (1000, 1000), EYES, lines)
    layout = known.layout
    assert layout is not None
    assert layout.keys[0].tolist() == list(answer)
    assert layout.row_label[0].tolist() == [60, 380, 180, 400]
    assert layout.header[0].tolist() == [800, 40, 850, 60]


@pytest.mark.parametrize("degrees", [-2, 2])
def test_on_a_page_that_is_askew_rows_and_columns_are_those_of_the_straight_page(degrees) -> None:
    straight = statement()
    texts = list(straight.words)
    boxes = [tuple(box) for box in straight.boxes.tolist()]
    lines = Lines.of(turned(list(zip(texts, boxes, strict=True)), degrees), "given")
    assert lines.slope != 0
    stands = {text: lines.boxes[number].tolist() for number, text in enumerate(lines.words)}
    layout = believe(sight_at(tuple(stands["10.00"])), (1000, 1000), EYES, lines).layout
    assert layout is not None
    assert layout.keys[0].tolist() == stands["10.00"]
    assert layout.row_label[0].tolist() == stands["Articlek"]
    assert layout.header[0].tolist() == stands["Sum"]


def test_a_value_is_shown_with_its_label_where_that_costs_little() -> None:
    lines, answer = statement(), (800.0, 380.0, 860.0, 400.0)
    eyes, rule = ACUITIES["vlm"], TokenRule("test", 28)
    known = believe(sight_at(answer), (1000, 1000), eyes, lines)
    plan = find_views(known, (1000, 1000), 64, rule, eyes, max_windows=1, spare_windows=0)
    (window,) = plan.windows
    assert window.box.x0 <= 60
    assert window.box.y0 <= 382
    assert window.box.x1 >= 860
    assert window.box.y1 >= 398


def test_a_label_before_a_value_in_its_own_line_is_enough() -> None:
    lines = Lines.of(
        [("Amount due: 17.20", (300.0, 500.0, 470.0, 520.0)), ("Paid", (20.0, 500.0, 60.0, 520.0))],
        "given",
    )
    box = lines.boxes[lines.words.index("17.20")].tolist()
    layout = believe(sight_at(box), (1000, 1000), EYES, lines).layout
    assert layout is not None
    key = int(layout.mass.argmax())
    assert layout.row_label[key, 0] == pytest.approx(300)


def test_pages_without_words_have_no_layout() -> None:
    place = np.full((10, 10), 0.01, np.float32)
    octaves = np.full((10, 10), log2(16.0), np.float32)
    assert lay_out(Lines.of([], "given"), (100, 100), place, octaves, None) is None
