"""Scores of the bench: by hand, and against slow loops that say the same."""

import random

import numpy
import pytest
import torch

from homunculus.eyes.readers import distance
from homunculus_lab.measure.metric import (
    among,
    anls,
    difference,
    evidence,
    inside,
    interval,
    overlap,
)
from homunculus_lab.stats import Bootstrap


def slow_distance(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    swap = slow_distance(one[1:], other[1:]) + (one[0] != other[0])
    return min(swap, slow_distance(one[1:], other) + 1, slow_distance(one, other[1:]) + 1)


def words(seed: int) -> tuple[str, str]:
    lot = random.Random(seed)
    return tuple("".join(lot.choices("ab1", k=lot.randrange(6))) for _ in range(2))


@pytest.mark.parametrize("seed", range(40))
def test_distances_agree_with_the_plain_recursion(seed) -> None:
    one, other = words(seed)
    assert distance(one, other) == slow_distance(one, other)
    pieces = {other[a:b] for a in range(len(other) + 1) for b in range(a, len(other) + 1)}
    nearest = min(slow_distance(one, piece) for piece in pieces)
    assert distance(one, other, inside=True) == nearest


@pytest.mark.parametrize(
    ("text", "answers", "score"),
    [
        ("Total 9.00", ["total 9.00"], 1.0),
        ("TOTAL9.00", ["total 9.00"], 1.0),  # readers drop spaces
        ("kitten", ["sitting"], 1 - 3 / 7),
        ("abcd", ["abxy"], 0.0),  # half wrong is wrong
        ("", ["a"], 0.0),
        ("a", [""], 0.0),
        ("100", ["(100)", "100"], 1.0),
    ],
)
def test_anls_on_cases_done_by_hand(text, answers, score) -> None:
    assert anls(text, answers) == pytest.approx(score)


@pytest.mark.parametrize("seed", range(40))
def test_anls_is_the_published_formula(seed) -> None:
    text, answer = words(seed)
    if answer:
        share = slow_distance(text, answer) / max(len(text), len(answer))
        assert anls(text, [answer]) == pytest.approx(1 - share if share < 0.5 else 0.0)


def test_a_line_may_hold_more_than_the_answer() -> None:
    assert inside("TOTAL: RM 9.00", ["9.00"]) == 1.0
    assert inside("TOTAL: RM 9.08", ["9.00"]) == 0.75
    assert inside("TOTAL: RM 9.81", ["9.00"]) == 0.0  # half wrong is wrong
    assert inside("", ["9.00"]) == 0.0
    assert anls("TOTAL: RM 9.00", ["9.00"]) == 0.0


def test_whole_words_are_read_among_others() -> None:
    assert among("in 2012 it rose", ["12"]) == 0.0
    assert among("in 12, it rose", ["12"]) == 1.0
    assert among("The United Kingdom fell", ["United Kingdom"]) == 1.0
    assert among("", ["12"]) == 0.0


def test_overlap_counts_pixels() -> None:
    area = overlap((10, 4, 40, 20), (2, 3), 16)
    assert area.tolist() == [[6 * 12, 16 * 12, 8 * 12], [6 * 4, 16 * 4, 8 * 4]]


def test_evidence_counts_text_that_keeps_enough_pixels() -> None:
    level = torch.tensor([[0.0, 1.0, 2.0, torch.inf]])
    box = [(0, 0, 64, 16)]  # 16 px high: 16, 8, 4 and no kept pixels
    assert [evidence(level, box, 16, least) for least in (4.0, 8.0, 8.1, 16.1)] == [
        0.75,
        0.5,
        0.25,
        0,
    ]
    two = [(48, 0, 64, 16), (0, 0, 16, 16)]
    assert evidence(level, two, 16, 8.0) == 1.0  # any of the boxes
    assert evidence(torch.full((1, 4), 0.5), box, 16, 11.3) == 1.0  # a fractional level, as resize


def test_the_interval_is_the_one_that_decide_reports() -> None:
    lot = random.Random(1)
    one, other = ([float(lot.random() < share) for _ in range(40)] for share in (0.7, 0.4))
    pages = [f"{at // 2}.png" for at in range(40)]
    bootstrap = Bootstrap(pages, seed=3)
    for value, found, lower in (
        (one, interval(one, pages, 3), 0.0),
        ([a - b for a, b in zip(one, other, strict=True)], difference(one, other, pages, 3), -1.0),
    ):
        (estimate,) = bootstrap.estimates(numpy.array(value)[:, None], lower, 1.0)
        assert found == pytest.approx((estimate.mean, *estimate.interval()), abs=1e-4)


def test_where_no_image_differs_the_interval_is_no_point() -> None:
    same, pages = [1.0] * 8, [str(at) for at in range(8)]
    assert interval(same, pages)[1] < 0.7  # eight images cannot rule out every other
    assert difference(same, same, pages)[1] < -0.3 < 0.3 < difference(same, same, pages)[2]


def test_questions_of_one_image_are_no_independent_witnesses() -> None:
    value = [0.0] * 10 + [1.0] * 10
    alone = interval(value, [str(one) for one in range(20)])
    together = interval(value, ["a"] * 10 + ["b"] * 10)
    assert together[2] - together[1] > 1.5 * (alone[2] - alone[1])
    with pytest.raises(ValueError, match="a group per value"):
        interval([], [])


def test_differences_are_paired() -> None:
    lot = random.Random(0)
    base = [lot.random() for _ in range(30)]
    pages = [str(one // 2) for one in range(30)]
    noise = [0.1 + 0.01 * (at % 3 - 1) for at in range(30)]
    moved = [one + more for one, more in zip(base, noise, strict=True)]
    mean, low, high = difference(moved, base, pages)
    assert mean == pytest.approx(0.1)
    assert high - low < 0.02  # the scores themselves differ by up to 1
