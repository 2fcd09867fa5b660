"""The largest and smallest numbers of tables and bar charts, and whose they are."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from homunculus.pages.lines import Lines, WordBox
from homunculus.scouts.reading.features import NAMES, evidence
from homunculus.scouts.reading.layout import LEAST_COMPARED, Layout
from homunculus.scouts.reading.query import ask
from turned import turned

SIZE = (900, 1200)
WIDE = 180
"""From one column to the next."""


def at(text: str, x: float, y: float, high: float = 20) -> WordBox:
    """A text whose letters are half as wide as they are high."""
    return text, (x, y, x + high / 2 * len(text), y + high)


def table(rows: Sequence[Sequence[str]]) -> list[WordBox]:
    """Cells in rows and columns, no two of the same text."""
    return [
        at(text, 40 + WIDE * column, 60 + 40 * row)
        for row, cells in enumerate(rows) for column, text in enumerate(cells) if text
    ]  # fmt: skip


def layout_of(words: Sequence[WordBox]) -> Layout:
    return Layout(Lines.of(words, "given"), SIZE)


def texts(layout: Layout, extreme: np.ndarray) -> set[str]:
    return {layout.lines.texts[number] for number in np.flatnonzero(extreme)}


def extremes(words: Sequence[WordBox], of: str) -> tuple[set[str], set[str]]:
    layout = layout_of(words)
    largest, smallest = getattr(layout, f"{of}_extremes")
    return texts(layout, largest), texts(layout, smallest)


def named(words: Sequence[WordBox], feature: str, question: str = "Which one?") -> str:
    """The line that is named most."""
    layout = layout_of(words)
    seen = evidence(layout, ask(question)).features[:, NAMES.index(feature)]
    assert seen.max() > 0
    (best,) = {layout.lines.texts[layout.line[word]] for word in np.flatnonzero(seen == seen.max())}
    return best


SALES = (
    ("Item", "May", "June", "July", "August"),
    ("Coffee", "12", "31", "27", "8"),
    ("Tea", "45", "6", "19", "22"),
    ("Sugar", "7", "14", "33", "50"),
)


def test_numbers_are_compared_in_their_columns_and_in_their_rows() -> None:
    words = table(SALES)
    assert extremes(words, "column") == ({"45", "31", "33", "50"}, {"7", "6", "19", "8"})
    assert extremes(words, "row") == ({"31", "45", "50"}, {"8", "6", "7"})
    assert extremes(turned(words, 3), "column") == extremes(words, "column")
    assert extremes(turned(words, -3), "row") == extremes(words, "row")


TOTALS = ("Total", "total:", "Subtotal", "Grand total", "Sum", "Summe", "Gesamt", "Insgesamt",
          "Somme", "In total")  # fmt: skip


@pytest.mark.parametrize("total", TOTALS)
def test_totals_are_left_out_of_columns(total: str) -> None:
    words = table([*SALES, (total, "64", "51", "79", "80")])
    assert extremes(words, "column") == extremes(table(SALES), "column")
    assert extremes(words, "row") == extremes(table(SALES), "row")
    layout = layout_of(words)
    assert texts(layout, layout.totals) == {total, "64", "51", "79", "80"}


@pytest.mark.parametrize("name", ["Totem", "Summer", "Summary", "Consume", "Sumo"])
def test_words_that_only_begin_like_a_total_are_compared(name: str) -> None:
    words = table([*SALES, (name, "64", "51", "79", "80")])
    assert extremes(words, "column")[0] == {"64", "51", "79", "80"}


BARS = {"Jan": 120, "Feb": 45, "Mar": 300, "Apr": 80}


def upright() -> list[WordBox]:
    """Bars with their names below and their values on top: no two values at one height."""
    return [
        word for number, (name, value) in enumerate(BARS.items())
        for word in (
            at(name, 100 + 200 * number, 700),
            at(f"{value}", 100 + 200 * number, 660 - value * 1.8),
        )
    ]  # fmt: skip


def lying() -> list[WordBox]:
    """Bars with their names at the left and their values at the ends."""
    return [
        word for number, (name, value) in enumerate(BARS.items())
        for word in (
            at(name, 40, 100 + 60 * number),
            at(f"{value}", 160 + value * 3, 100 + 60 * number),
        )
    ]  # fmt: skip


def test_bars_are_compared_where_their_names_stand_side_by_side() -> None:
    layout = layout_of(upright())
    heights = [box[1] for box, figure in zip(layout.boxes, layout.figures, strict=True) if figure]
    assert len(set(heights)) == len(BARS)
    assert not layout.row[layout.figures][:, layout.figures][~np.eye(len(BARS), dtype=bool)].any()
    assert extremes(upright(), "row") == ({"300"}, {"45"})
    assert extremes(upright(), "column") == (set(), set())


def test_bars_are_compared_where_their_names_stand_below_each_other() -> None:
    layout = layout_of(lying())
    figures = layout.column[layout.figures][:, layout.figures]
    assert not figures.all()  # they are in no column by themselves
    assert extremes(lying(), "column") == ({"300"}, {"45"})
    assert extremes(lying(), "row") == (set(), set())


def test_names_of_the_largest_and_of_the_smallest_are_told() -> None:
    assert named(lying(), "names largest") == "Mar"
    assert named(lying(), "names smallest") == "Feb"
    assert named(upright(), "names largest of row") == "Mar"
    assert named(upright(), "names smallest of row") == "Feb"
    words = table(SALES)
    assert named(words, "names largest", "Which item in August?") == "Sugar"
    assert named(words, "names smallest", "Which item in June?") == "Tea"
    assert named(words, "names largest of row", "In which month was coffee?") == "June"
    assert named(words, "names smallest of row", "In which month was sugar?") == "May"


def test_two_numbers_are_no_column_and_equal_ones_have_no_largest() -> None:
    def column(*values: str) -> list[WordBox]:
        return [at(value, 100, 60 + 40 * row) for row, value in enumerate(values)]

    assert LEAST_COMPARED == 2
    assert extremes(column("5", "9"), "column") == (set(), set())
    assert extremes(column("5", "9", "7"), "column") == ({"9"}, {"5"})
    assert extremes(column("5", "9", "9.0"), "column") == (set(), {"5"})
    assert extremes(column("5 kg", "n/a", "7 kg", "6 kg"), "column") == ({"7 kg"}, {"5 kg"})
    assert extremes(column("07:30", "12:15", "9:00"), "column") == ({"12:15"}, {"07:30"})
    assert extremes(column("1.204,50 €", "980,00 €", "1.000,00 €"), "column") == (
        {"1.204,50 €"}, {"980,00 €"},
    )  # fmt: skip
    assert extremes(column("-3", "2", "0"), "column") == ({"2"}, {"-3"})
    assert extremes([], "column") == extremes([], "row") == (set(), set())


@settings(max_examples=60, deadline=None)
@given(
    some.lists(some.lists(some.integers(0, 10**6), min_size=3, max_size=5, unique=True),
               min_size=3, max_size=7).filter(lambda rows: len({len(row) for row in rows}) == 1)
)  # fmt: skip
def test_extremes_are_those_of_a_table_in_the_plainest_way(rows: list[list[int]]) -> None:
    numbers = np.array(rows)
    words = [
        at(f"{value}", 40 + WIDE * column, 60 + 40 * row)
        for row, cells in enumerate(rows) for column, value in enumerate(cells)
    ]  # fmt: skip
    layout = layout_of(words)
    place = {(int(x), int(y)): number for number, (x, y, _, _) in enumerate(layout.boxes)}
    order = [place[40 + WIDE * column, 60 + 40 * row]
             for row in range(len(rows)) for column in range(len(rows[0]))]  # fmt: skip
    for of, axis in (("column", 0), ("row", 1)):
        largest, smallest = (
            extreme[order].reshape(numbers.shape) for extreme in getattr(layout, f"{of}_extremes")
        )
        alone = [(numbers == best(numbers, axis=axis, keepdims=True)) for best in (np.max, np.min)]
        for found, right in zip((largest, smallest), alone, strict=True):
            assert np.array_equal(found, right & (right.sum(axis, keepdims=True) == 1))
        assert not (largest & smallest).any()
