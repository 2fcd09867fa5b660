"""Spatial words: which questions point somewhere, where they point, and which only seem to."""

import time

import numpy as np
import pytest

from homunculus.scouts.places import BACKGROUND, CENTRE, FOREGROUND, TABLE, hint, places

# question, and the corner or side of a 9 x 9 grid where the map must be 1: y x, or None for any
POINTING = [
    ("What is in the top-left corner?", 0, 0),
    ("What is the date in the top left?", 0, 0),
    ("Which logo is in the upper left-hand corner of the page?", 0, 0),
    ("What number is in the UPPER RIGHT corner?", 0, 8),
    ("what is the date printed on the top right side of the document?", 0, 8),
    ("What does the top right text say?", 0, 8),
    ("Which word is in the right top corner?", 0, 8),
    ("What is written in the bottom left?", 8, 0),
    ("Is there a dog in the lower-left part of the photo?", 8, 0),
    ("What is the page number at bottom right?", 8, 8),
    ("What is the number at bottom right page?", 8, 8),
    ("Who signed in the lower right hand corner of this letter?", 8, 8),
    ("What is the name at the top of the page?", 0, None),
    ("What is written at the very top?", 0, None),
    ("What does the text near the top say?", 0, None),
    ("Which company is named in the header?", 0, None),
    ("What does the page header say?", 0, None),
    ("Whose letterhead is it?", 0, None),
    ("What is the first line of the document?", 0, None),
    ("What does the first line say?", 0, None),
    ("What is the name of the clinic in the top part of the document?", 0, None),
    ("What is in the upper half of the image?", 0, None),
    ("What date is at the bottom of the page?", 8, None),
    ("what is the number at bottom of left page?", 8, None),
    ("What text runs along the bottom?", 8, None),
    ("What is the website in the footer?", 8, None),
    ("What is the last line?", 8, None),
    ("What does the footnote say?", 8, None),
    ("What is in the lower third of the picture?", 8, None),
    ("What color is the car on the left?", None, 0),
    ("What is on the left side?", None, 0),
    ("What is the appliance in the left corner?", None, 0),
    ("What is written in the left margin?", None, 0),
    ("Who is the leftmost player?", None, 0),
    ("What is on the left-hand side of the page?", None, 0),
    ("How many balconies are visible on the far right?", None, 8),
    ("What time does the clock on the right say it is?", None, 8),
    ("What is in the right half of the picture?", None, 8),
    ("What is listed in the right column?", None, 8),
    ("Who is standing in the middle?", 4, 4),
    ("What is in the center of the image?", 4, 4),
    ("What animal is in the centre?", 4, 4),
    ("What is shown in the middle of this page?", 4, 4),
    ("How many tall buildings are in the background?", 1, None),
    ("What is the man in the background holding?", 1, None),
    ("What is in the foreground?", 8, None),
]

SEEMING = [
    "What is left?",
    "How much time is left?",
    "How many cookies are left on the plate?",
    "How much space is left on the page?",
    "What is left over?",
    "Who left the room?",
    "What is he doing right now?",
    "Is it right that he won?",
    "What is the right answer?",
    "Is this the right way to hold a bat?",
    "Are they on the right track?",
    "Is she on the right side of history?",
    "Is he in the right?",
    "Who owns the copyright?",
    "Which rights are listed?",
    "Is this a left-handed batter?",
    "What is the right-wing party's share?",
    "What does he hold in the left hand?",
    "What is on the left side of the road?",
    "What is to the left of the man?",
    "What is to the right of the clock?",
    "Which way do I read, from left to right?",
    "What is the top speed?",
    "Who are the top 10 scorers?",
    "What is the top-selling product?",
    "Which country is top in the chart?",
    "What is on top of the cabinet?",
    "Is there a bell on the top of the building?",
    "What color is her top?",
    "Who is at the top of the league?",
    "Who is the top right now?",
    "Who is at the top of his game?",
    "What song is at the top of the charts?",
    "What is the bottom line?",
    "What happened in the bottom of the ninth?",
    "Find the average of the bottom three countries",
    "What is the upper limit?",
    "What is wrong with his upper left arm?",
    "Which lower right tooth hurts?",
    "Is the National GDP value lower than 7 billion?",
    "Did he pass the background check?",
    "Was there an error in the background check?",
    "What is her background?",
    "What is the background color?",
    "Which app is running in the background?",
    "What is her middle name?",
    "Does he live in the middle east?",
    "Was it in the middle of the night?",
    "What is in the middle of the road?",
    "What is the value of middle bar?",
    "What is the name of the shopping center?",
    "What image is depicted in the center of the clock?",
    "Which column header is bold?",
    "Who scored the header?",
    "What is in the header file?",
    "What is the first line of defense?",
    "Which first-line treatment is named?",
    "What is the name of the first line manager?",
    "What was the last line of the poem?",
    'Where is the word "RIGHT"?',
    "What is around the corner?",
    "What is the total?",
    "",
]


@pytest.mark.parametrize(("question", "y", "x"), POINTING)
def test_a_pointing_question_is_one_where_it_points_and_less_on_the_far_side(question, y, x):
    prior = hint(question, (9, 9))
    assert prior is not None
    assert 0 <= float(prior.min()) < 0.75
    assert float(prior.max()) == 1.0
    rows, cols = range(9) if y is None else [y], range(9) if x is None else [x]
    assert all(float(prior[i, j]) == 1.0 for i in rows for j in cols)
    assert int((prior == 1).sum()) == len(rows) * len(cols)  # it points nowhere else


@pytest.mark.parametrize("question", SEEMING)
def test_a_question_that_only_sounds_spatial_gives_no_hint(question):
    assert places(question) == []
    assert hint(question, (9, 9)) is None


def test_both_lists_are_long_and_every_line_of_the_table_has_a_witness():
    assert len(POINTING) >= 30
    assert len(SEEMING) >= 30
    named = {place for question, _, _ in POINTING for place in places(question)}
    assert named == {place for _, place in TABLE}


def test_case_dashes_and_spaces_do_not_matter():
    plain = places("what is in the top-left corner?")
    assert places("What  is\nin the TOP\u2011LEFT corner?") == plain
    assert len(plain) == 1  # the corner alone, not also "left"


def test_two_hints_are_joined_by_their_maximum():
    both = hint("Is the clock on the far left, or the clock on the far right, late?", (3, 9))
    left, right = hint("the clock on the left?", (3, 9)), hint("the clock on the right?", (3, 9))
    assert both is not None
    assert left is not None
    assert right is not None
    assert np.array_equal(both, np.maximum(left, right))


@pytest.mark.parametrize("grid", [(1, 1), (1, 7), (5, 1), (40, 30)])
def test_the_map_has_the_grid_and_its_best_cell_is_one_on_every_grid(grid):
    for question, _, _ in POINTING:
        prior = hint(question, grid)
        assert prior is not None
        assert tuple(prior.shape) == grid
        assert float(prior.max()) == 1.0


def test_the_prior_falls_smoothly_towards_the_other_side():
    prior = hint("What is at the top of the page?", (32, 4))
    assert prior is not None
    step = prior[:-1] - prior[1:]
    assert bool((step > 0).all())
    assert float(step.max()) < 0.1


def test_depth_points_up_and_down_and_is_wider_than_a_side():
    assert BACKGROUND.y is not None
    assert FOREGROUND.y is not None
    assert BACKGROUND.y < FOREGROUND.y
    assert BACKGROUND.spread > CENTRE.spread


def test_a_very_long_prompt_is_read_in_a_moment():
    start = time.perf_counter()
    places("the left of the top right hand in the " * 3000)
    assert time.perf_counter() - start < 5


def test_an_empty_grid_is_refused():
    with pytest.raises(ValueError, match=r"hint: .* got \(0, 4\)\. Pass \(rows, cols\)"):
        hint("top-left", (0, 4))
