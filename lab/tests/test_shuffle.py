"""Somebody else's question: never one's own image, another text where there is one."""

import os
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from homunculus_lab.shuffle import derange

ROWS = st.lists(st.tuples(st.sampled_from("pqrstu"), st.sampled_from("ABCDE")), max_size=14)


def split(rows):
    return [question for question, _ in rows], [image for _, image in rows]


@settings(deadline=None)
@given(ROWS)
def test_every_row_gets_another_images_question_and_another_text_where_one_exists(rows):
    questions, images = split(rows)
    assume(len(set(images)) > 1)
    for own, image, given_text in zip(questions, images, derange(questions, images), strict=True):
        elsewhere = {question for question, other in rows if other != image}
        assert given_text in elsewhere
        assert given_text != own or elsewhere == {own}


@settings(deadline=None)
@given(st.integers(2, 9), st.integers(1, 5))
def test_each_question_is_used_once_when_images_ask_the_same_number_of_questions(images, each):
    rows = [(f"question {i}.{j}", f"image {i}") for i in range(images) for j in range(each)]
    questions, names = split(rows)
    assert sorted(derange(questions, names)) == sorted(questions)


def test_templated_questions_change_field_and_are_still_used_once():
    fields = ["total?", "date?", "company?", "address?"]
    questions, images = split([(field, f"receipt {i}") for i in range(50) for field in fields])
    shuffled = derange(questions, images)
    assert all(own != other for own, other in zip(questions, shuffled, strict=True))
    assert Counter(shuffled) == Counter(questions)


def test_when_one_text_holds_most_rows_the_others_are_borrowed_evenly():
    rows = [("total?", f"i{i}") for i in range(90)] + [(f"q{i}", f"j{i}") for i in range(10)]
    questions, images = split(rows)
    borrowed = Counter(derange(questions, images)[:90])
    assert set(borrowed) == {f"q{i}" for i in range(10)}
    assert max(borrowed.values()) <= 18


def test_one_text_for_all_is_given_back_from_another_image():
    assert derange(["total?"] * 3, ["a", "b", "c"]) == ["total?"] * 3


def test_no_rows_of_two_images_is_an_error_that_says_so():
    with pytest.raises(ValueError, match=r"derange: .*at least two images, got 2 rows of \['a'\]"):
        derange(["p", "q"], ["a", "a"])
    with pytest.raises(ValueError, match=r"at least two images, got 0 rows"):
        derange([], [])


def test_a_question_without_an_image_is_an_error():
    with pytest.raises(ValueError, match=r"2 questions and 1 images"):
        derange(["p", "q"], ["a"])


def test_the_deal_does_not_depend_on_the_hash_seed():
    program = (
        "from homunculus_lab.shuffle import derange\n"
        "n = range(40)\n"
        "print(derange([f'q{i % 7}' for i in n], [f'i{i % 11}' for i in n]))"
    )
    deals = set()
    for seed in ("0", "1"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", program]
        deals.add(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
    assert len(deals) == 1


def test_broken_unicode_is_only_text():
    assert derange(["a\ud800", "b"], ["i", "j"]) == ["b", "a\ud800"]
