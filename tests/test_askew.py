"""Pages that were scanned askew: how far their lines fall, and that they are the same lines."""

import random
import time
from math import atan, degrees

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some

from homunculus.pages import lines as module
from homunculus.pages.lines import (
    COARSE,
    LEAST_HEIGHT,
    LEAST_SLOPE,
    LEAST_WORDS,
    MAX_WORDS,
    Lines,
    WordBox,
    levelled,
    slope_of,
)
from turned import turned

STEEPEST = 4
LEAST = 0.4
"""Degrees from which a turn is told for sure."""


def page(seed: int, wide: float = 900, least: int = 12) -> list[WordBox]:
    """Rows of words from margin to margin, with a wide gap here and there."""
    lot, words = random.Random(seed), list[WordBox]()
    high = lot.uniform(12, 30)
    for row in range(lot.randint(least, 40)):
        x, y = 50.0, 100 + 2 * high * row
        while x < wide:
            letters = lot.randint(2, 10)
            right = x + letters * high / 2
            words.append((f"w{len(words)}", (x, y, right, y + high)))
            x = right + high * lot.choice((0.5, 0.5, 0.5, 4))
    return words


def height(words: list[WordBox]) -> float:
    _, (_, top, _, low) = words[0]
    return low - top


def turn(lines: Lines) -> float:
    """Degrees by which lines are told to be turned."""
    return degrees(atan(lines.slope))


def boxes_of(words: list[WordBox]) -> np.ndarray:
    return np.array([box for _, box in words], np.float32)


# ---- the slope -----------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [-4, -2.63, -1, -0.5, 0.63, 1.38, 2.13, 3.88])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_turned_page_tells_by_how_much(angle: float, seed: int) -> None:
    lines = Lines.of(turned(page(seed, 1400), angle), "given")
    assert turn(lines) == pytest.approx(angle, abs=0.1)
    assert lines.slope == slope_of(lines.boxes)


pages = some.integers(0, 10**6)
angles = some.floats(LEAST, STEEPEST) | some.floats(-STEEPEST, -LEAST)


@settings(max_examples=60, deadline=None)
@given(pages, angles)
def test_what_is_left_of_a_turn_is_less_than_half_a_line(seed: int, angle: float) -> None:
    """Over the whole width of the text, so that no row runs into the next."""
    words = page(seed)
    lines = Lines.of(turned(words, angle), "given")
    left = np.tan(np.deg2rad(angle)) - lines.slope
    assert abs(left) * 900 < 0.5 * height(words)


@settings(max_examples=60, deadline=None)
@given(pages, angles)
def test_a_turned_page_has_the_lines_of_the_straight_one(seed: int, angle: float) -> None:
    words = page(seed)
    straight, askew = Lines.of(words, "given"), Lines.of(turned(words, angle), "given")
    assert askew.slope
    assert askew.texts == straight.texts
    assert askew.words == straight.words
    assert np.array_equal(askew.line, straight.line)
    assert askew.source == "given"


@settings(max_examples=60, deadline=None)
@given(pages)
def test_a_straight_page_has_no_slope_and_is_as_if_none_were_looked_for(seed: int) -> None:
    words = page(seed)
    lines = Lines.of(words, "given")
    assert lines.slope == 0.0
    assert lines.level_boxes is lines.boxes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "slope_of", lambda boxes: 0.0)
        plain = Lines.of(words, "given")
    assert lines.words == plain.words
    assert np.array_equal(lines.line, plain.line)
    assert np.array_equal(lines.boxes, plain.boxes)


@given(some.lists(some.sampled_from((50, 80, 110)), min_size=LEAST_WORDS, max_size=40))
def test_a_list_of_single_words_has_no_slope(starts: list[int]) -> None:
    words = [("w", (x, 30.0 * row, x + 90, 30.0 * row + 20)) for row, x in enumerate(starts)]
    assert slope_of(boxes_of(words)) == 0.0


@given(some.integers(0, LEAST_WORDS - 1), angles)
def test_of_few_words_no_slope_is_told(count: int, angle: float) -> None:
    words = turned(page(0, 1400), angle)[:count]
    assert slope_of(boxes_of(words).reshape(-1, 4)) == 0.0
    assert Lines.of(words, "given").slope == 0.0


@settings(max_examples=60, deadline=None)
@given(
    some.lists(
        some.tuples(*[some.floats(-500, 2000, width=32)] * 2, some.floats(1, 300, width=32)),
        max_size=60,
    )
)
def test_the_slope_of_any_page_is_none_or_one_that_is_looked_for(places) -> None:
    boxes = np.array([(x, y, x + size, y + size / 4) for x, y, size in places], np.float32)
    slope = slope_of(boxes.reshape(-1, 4))
    most = np.tan(np.deg2rad(COARSE.max() + 0.3))
    assert slope == 0.0 or LEAST_SLOPE <= abs(slope) <= most
    mirrored = boxes.reshape(-1, 4) * (1, -1, 1, -1)
    assert abs(slope_of(mirrored[:, [0, 3, 2, 1]].astype(np.float32))) <= most


# ---- turned back ---------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(pages, angles)
def test_boxes_that_are_turned_back_stand_as_on_the_straight_page(seed: int, angle: float) -> None:
    """But for the page's own turn about its corner, and the height of what was a slanted box."""
    words = page(seed)
    slope = float(np.tan(np.deg2rad(angle)))
    printed, straight = boxes_of(turned(words, angle)), boxes_of(words)
    level = levelled(printed, slope)
    larger = 1 / np.cos(np.deg2rad(angle))
    middles, first = (
        (boxes[:, :2] + boxes[:, 2:]) / 2 for boxes in (level, straight * np.float32(larger))
    )
    assert np.allclose(middles, first, atol=0.05)
    high = level[:, 3] - level[:, 1]
    assert (high <= printed[:, 3] - printed[:, 1] + 1e-3).all()
    assert (high >= LEAST_HEIGHT * (printed[:, 3] - printed[:, 1]) - 1e-3).all()
    assert np.allclose(high, height(words), rtol=0.1)
    assert levelled(printed, 0.0) is printed


@settings(max_examples=40, deadline=None)
@given(pages, angles, *[some.floats(0.25, 4)] * 2)
def test_a_page_of_another_size_keeps_its_geometry(seed, angle, across, down) -> None:
    lines = Lines.of(turned(page(seed), angle), "given")
    scaled = lines.scaled(across, down)
    assert (scaled.words, scaled.source) == (lines.words, lines.source)
    assert np.array_equal(scaled.line, lines.line)
    sides = np.array([across, down, across, down], np.float32)
    assert np.allclose(scaled.boxes, lines.boxes * sides, rtol=1e-5)
    assert scaled.slope == pytest.approx(lines.slope * down / across)
    # a step along a line is one along the same line of the other picture
    step = np.array([100.0, 100.0 * lines.slope]) * (across, down)
    assert step[1] / step[0] == pytest.approx(scaled.slope)
    # and words of one line stand at one height again
    for line in range(0, scaled.count, 7):
        own = scaled.level_boxes[scaled.line == line]
        middles = (own[:, 1] + own[:, 3]) / 2
        assert np.ptp(middles) < 0.5 * float(np.median(own[:, 3] - own[:, 1]))
    back = scaled.scaled(1 / across, 1 / down)
    assert back.slope == pytest.approx(lines.slope)


@settings(max_examples=40, deadline=None)
@given(pages, angles, some.floats(0.25, 4))
def test_a_page_enlarged_before_is_as_one_enlarged_after(seed, angle, scale) -> None:
    words = turned(page(seed), angle)
    larger = [(text, [scale * side for side in box]) for text, box in words]
    before, after = Lines.of(larger, "given"), Lines.of(words, "given").scaled(scale, scale)
    assume(abs(before.slope - after.slope) < 1e-6)  # a word may fall on the border of two rows
    assert before.texts == after.texts
    assert np.allclose(before.boxes, after.boxes, rtol=1e-4)
    assert np.allclose(before.level_boxes, after.level_boxes, atol=0.05 * scale)


# ---- pages from strangers ------------------------------------------------------------------------

LOT = random.Random(0)
HOSTILE: dict[str, list[WordBox]] = {
    "on one place": [("a", (10, 10, 50, 20))] * MAX_WORDS,
    "anywhere": [
        ("a", (x, y, x + 9, y + 9))
        for x, y in ((LOT.uniform(-9e6, 9e6), LOT.uniform(-9e6, 9e6)) for _ in range(MAX_WORDS))
    ],
    "flat": [("a", (50.0 * (n % 9), n, 50.0 * (n % 9) + 40, n + 1e-30)) for n in range(3000)],
    "flat and far": [("a", (50.0 * (n % 9), 1e6, 50.0 * (n % 9) + 40, 1e6 + 1e-4))
                     for n in range(3000)],
    "flat and near": [("a", (50.0 * n, 0, 50.0 * n + 40, 1e-44)) for n in range(99)]
    + [("a", (50.0 * n, 9e6, 50.0 * n + 40, 9e6 + 2)) for n in range(98)],
    "a few large ones": [("a", (-9e6, -9e6, 9e6, 9e6))] * 20,
    "tall and thin": [("a", (n, 0, n + 1e-3, 9e6)) for n in range(3000)],
    "one row": [("a", (n * 9.0, 5, n * 9.0 + 8, 15)) for n in range(MAX_WORDS)],
    "a stair": [("a", (n * 9.0, n, n * 9.0 + 8, n + 9)) for n in range(MAX_WORDS)],
}  # fmt: skip


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_pages_from_strangers_take_bounded_time(words: list[WordBox]) -> None:
    started = time.process_time()
    lines = Lines.of(words, "given")
    assert time.process_time() - started < 5
    assert len(lines) <= MAX_WORDS
    assert abs(lines.slope) < 0.1
    assert np.isfinite(lines.level_boxes).all()
