"""An answer counts for less in a window that shows nothing that tells what it is."""

from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homunculus.box import Box
from homunculus.planner.acuity import ACUITIES, Acuity
from homunculus.planner.belief import ROWS_BETWEEN, Belief, believe
from homunculus.planner.candidates import Candidates
from homunculus.planner.config import DEFAULT_CONFIG
from homunculus.planner.counting import TokenRule
from homunculus.planner.lattice import COARSE_CELLS
from homunculus.planner.plan import Window
from homunculus.planner.refine import gains_by_place
from homunculus.planner.scene import Scene
from homunculus.planner.search import find_views
from homunculus.planner.tables import LOWEST_STEP, PHASES, affordable_windows
from homunculus.scouts.sight import Sight

EYES = Acuity("test", 6.0, 0.4)
RULE = TokenRule("test", 16)
SIZE = (512, 384)
BARE = DEFAULT_CONFIG.unlabelled_worth


def belief(seed: int) -> Belief:
    """Answers, words and first print anywhere."""
    lot = np.random.default_rng(seed)
    rows, cols = 64, 48
    place = lot.random((rows, cols), np.float32) ** 8
    words = lot.random((rows, cols), np.float32) ** 16
    first = lot.integers(cols, size=rows)
    octaves = np.full((rows, cols), log2(14.0), np.float32)
    return Belief(place / place.sum(), octaves, 0.2, words / words.sum(), first)


def scene(known: Belief) -> Scene:
    return Scene(known, SIZE, RULE, EYES)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(0, 40), st.integers(0, 30), st.integers(1, 12))
def test_the_value_of_a_window_is_counted_answer_by_answer(seed, top, left, wide) -> None:
    known = belief(seed)
    window = Window(Box(8 * left, 8 * top, 8 * (left + wide), 8 * (top + 6)), (2, wide))
    place, first = known.place.tolist(), known.row_start.tolist()
    cells = [(y, x) for y in range(64) for x in range(48) if window_holds(window, y, x)]
    words = sum(float(known.words[cell]) for cell in cells)
    expected = 0.0
    for y, x in cells:
        tells = 1.0 if left <= first[y] else words
        octaves = known.octaves[y, x, None] + log2(window.scale(16))
        read = float(EYES.read(octaves, known.blur)[0])
        expected += place[y][x] * read * (BARE + (1 - BARE) * tells)
    assert scene(known).plan(None, [window]).value == pytest.approx(expected, rel=1e-4)


def window_holds(window: Window, y: int, x: int) -> bool:
    left, top, right, bottom = window.box
    return left <= 8 * x < right and top <= 8 * y < bottom


@pytest.mark.parametrize("seed", range(3))
def test_gains_on_the_coarse_lattice_are_those_of_each_window(seed) -> None:
    known = Candidates(scene(belief(seed)))
    lot = np.random.default_rng(seed)
    shown = 0.3 * known.legible[0] * lot.random((COARSE_CELLS, COARSE_CELLS), np.float32)
    limits = (known.scene.max_side, known.min_cols)
    table = affordable_windows(known.rung % PHASES, 12, *limits, DEFAULT_CONFIG)
    first = known.rung // PHASES - LOWEST_STEP
    some = slice(table.starts[first], table.starts[first + known.steps])
    gains = known._gains(table, some, first, shown)
    for number in lot.permutation(len(gains))[:200].tolist():
        spot = table.spot(some.start + number, first)
        words = known.words[spot.here].sum()
        legible, old = known.legible[spot.step][spot.here], shown[spot.here]
        label = known.labelled[spot.y : spot.y + spot.height, spot.x, None]
        full, bare = ((part * legible - old).clip(0) for part in (1.0, BARE))
        tells = words + (1 - words) * label  # of some answers in a row, the label is shown
        assert float(gains[number]) == pytest.approx(
            float((tells * full + (1 - tells) * bare).sum()), abs=1e-5
        )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("edge", [0, 1])
def test_gains_on_the_fine_lattice_are_those_of_each_window(seed, edge) -> None:
    known = scene(belief(seed))
    part, (high, wide) = (slice(10, 30), slice(5, 35)), (6, 9)
    legible = known.legibility(known.belief[part], [1.0])[0]
    shown = 0.5 * legible * np.random.default_rng(seed).random(legible.shape, np.float32)
    held = gains_by_place(known, legible, shown, part, (high, wide), edge)
    assert held.shape == (20 - high + 1, 30 - wide + 1)
    for y, x in ((0, 0), (3, 7), (14, 21), (9, 0)):
        here = slice(y + 10, y + 10 + high), slice(x + 5, x + 5 + wide)
        inside = slice(y + edge, y + high - edge), slice(x + edge, x + wide - edge)
        words = known.words[here].sum()
        full, bare = ((part * legible - shown).clip(0) for part in (1.0, BARE))
        tells = np.where(known.belief.row_start[10:30, None] >= x + 5, 1.0, words)
        gain = (tells * full + (1 - tells) * bare)[inside].sum()
        assert float(held[y, x]) == pytest.approx(float(gain), abs=1e-5)


def statement(label: bool) -> tuple[Window, ...]:
    """A line of a statement: its label at the left, a number at the right; others above, below."""
    place = np.zeros((64, 64), np.float32)
    place[32, 52:56], place[24, 52:56], place[40, 52:56] = 0.2, 0.025, 0.025
    first = np.full(64, 36) if label else None
    known = Belief(place, np.full((64, 64), log2(20.0), np.float32), 0.2, None, first)
    eyes = ACUITIES["vlm"]
    rule = TokenRule("test", 28)
    return find_views(known, (1024, 1024), 24, rule, eyes, max_windows=1, spare_windows=0).windows


def test_a_row_is_shown_with_its_label_not_a_column_of_numbers() -> None:
    (bare,), (row,) = statement(label=False), statement(label=True)
    assert row.box[0] <= 36 * 16 < bare.box[0]
    assert row.box[3] - row.box[1] < row.box[2] - row.box[0]


def test_the_first_print_of_a_row_is_where_its_label_stands() -> None:
    printed = np.zeros((16, 16))
    printed[4, 3:12] = printed[4, 14] = 0.9
    printed[12, 6:9] = 0.9
    sight = Sight(np.zeros((16, 16)), 0.9, elsewhere=printed)
    first = believe(sight, (160, 160), EYES).row_start
    near = range(4 - ROWS_BETWEEN, 4 + ROWS_BETWEEN + 1)
    assert [int(first[row]) for row in near] == [3] * len(near)
    assert int(first[12]) == 6
    assert int(first[8]) == 0


def test_weights_that_say_nothing_are_no_print() -> None:
    for weight in (np.ones((8, 8)), np.full((8, 8), 1 / 64), np.zeros((8, 8))):
        assert (
            believe(Sight(np.zeros((8, 8)), 0.9, elsewhere=weight), (80, 80), EYES).row_start
            is None
        )
    printed = np.zeros((8, 8))
    printed[3, 2:] = 1.0
    times = [believe(Sight(printed, 0.9, elsewhere=k * printed), (80, 80), EYES) for k in (1, 0.01)]
    assert np.array_equal(times[0].row_start, times[1].row_start)


def test_things_need_no_label() -> None:
    flat = np.ones((8, 8))
    things = Sight(0 * flat, 0.9, elsewhere=flat, thing=flat)
    for sight in (things, Sight(0 * flat, 0.9)):
        assert believe(sight, (80, 80), EYES).row_start is None
