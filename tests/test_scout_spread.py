"""From where the question's words stand to where the answer stands: laws, slow loops, pictures."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homunculus.scouts.words import evidence, load
from homunculus.scouts.words.evidence import (
    COLUMN,
    FEATURES,
    HEADING,
    LINE,
    WordEvidence,
    by_hand,
    features,
)
from homunculus.scouts.words.question import parse

SEEDS = st.integers(0, 2**31 - 1)


def scene(seed=0, questions=3, words=4, rows=20, cols=28) -> WordEvidence:
    """A page with a few sharp finds on a haze."""
    make = np.random.default_rng(seed)

    def rand(*shape):
        return make.random(shape, np.float32)

    many = 1 + (rand(questions, 1) * words).astype(int)
    return WordEvidence(
        match=rand(questions, words, rows, cols) ** 30,
        valid=np.arange(words) < many,
        weight=rand(questions, words) + np.float32(0.1),
        kinds=share(rand(questions, 8), 1),
        buckets=(rand(questions, 6) * 513).astype(np.int64) - 1,
        text=rand(rows, cols),
        kind=share(rand(8, rows, cols), 0),
    )


def share(value, axis):
    return np.exp(value) / np.exp(value).sum(axis, keepdims=True)


def spread(found, mode="full"):
    """What the shipped net makes of it."""
    net = load().spread[mode]
    known = found.limited_to(mode)
    return net(maps=features(known), buckets=known.buckets, kinds=known.kinds)["logit"]


def zeros(*shape):
    return np.zeros(shape, np.float32)


def blank(words, rows=30, cols=40) -> WordEvidence:
    """A page full of text where nothing is found yet, and one question."""
    return WordEvidence(
        match=zeros(1, words, rows, cols),
        valid=np.ones((1, words), bool),
        weight=np.ones((1, words), np.float32),
        kinds=zeros(1, 8),
        buckets=np.full((1, 1), -1),
        text=np.ones((rows, cols), np.float32),
        kind=np.full((8, rows, cols), 0.125, np.float32),
    )


def only(found: WordEvidence, question: int, words: int | None = None) -> WordEvidence:
    rows = slice(question, question + 1)
    asked = {name: getattr(found, name)[rows] for name in ("match", "valid", "weight")}
    asked = {name: tensor[:, :words] for name, tensor in asked.items()}
    return replace(found, **asked, kinds=found.kinds[rows], buckets=found.buckets[rows])


def named(maps, name):
    return maps[:, FEATURES.index(name)]


def peak(image) -> tuple[int, int]:
    return divmod(int(image.argmax()), image.shape[-1])


# ---- laws ----------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=8)
@given(SEEDS)
def test_a_question_in_a_batch_gets_what_it_gets_alone(seed):
    found = scene(seed)
    together, maps = spread(found), features(found)
    for question in range(3):
        words = int(found.valid[question].sum())
        alone = only(found, question, words)  # also without the padding
        assert np.allclose(features(alone)[0], maps[question], atol=1e-5)
        assert np.allclose(spread(alone)[0], together[question], atol=1e-4)


@settings(deadline=None, max_examples=20)
@given(SEEDS)
def test_what_stands_under_a_padded_word_changes_nothing(seed):
    found = scene(seed)
    chance = scene(seed + 1).match
    noise = np.where(found.valid[..., None, None], found.match, chance)
    weight = np.where(found.valid, found.weight, np.float32(9))
    assert np.array_equal(features(replace(found, match=noise, weight=weight)), features(found))


@settings(deadline=None, max_examples=20)
@given(SEEDS)
def test_all_maps_lie_between_0_and_1(seed):
    maps = features(scene(seed))
    assert maps.shape == (3, len(FEATURES), 20, 28)
    assert maps.min() >= 0
    assert maps.max() <= 1 + 1e-5


@settings(deadline=None, max_examples=10)
@given(SEEDS, st.sampled_from([(0, 5), (4, 0), (3, 7)]))
def test_moving_the_page_moves_the_maps(seed, step):
    down, right = step
    small = scene(seed, rows=14, cols=18)
    wide = np.pad(small.match, ((0, 0), (0, 0), (16, 16), (16, 16)))
    moved = np.roll(wide, (down, right), (2, 3))
    empty = {"text": zeros(46, 50), "kind": zeros(8, 46, 50)}
    still = features(replace(small, match=wide, **empty))
    after = features(replace(small, match=moved, **empty))
    names = [name for name in FEATURES if name not in ("x", "y")]
    for name in names:  # up to the haze below which nothing is told apart
        back = np.roll(named(after, name), (-down, -right), (1, 2))
        inner = (slice(None), slice(8, 38), slice(8, 42))
        assert np.allclose(back[inner], named(still, name)[inner], atol=1e-5), name


def test_a_question_without_words_and_a_page_without_cells_to_spare_are_served():
    found = only(scene(rows=1, cols=1), 0, 0)
    assert features(found)[0, : evidence.EVIDENCE].max() < 1e-5
    assert spread(found).shape == (1, 1, 1)


# ---- slow loops ----------------------------------------------------------------------------------


def faded_slowly(value, reach, axis, back):
    rows, cols = value.shape
    out = np.zeros_like(value)
    for row in range(rows):
        for col in range(cols):
            for other in range(cols if axis == -1 else rows):
                here = col if axis == -1 else row
                gap = other - here if back else here - other
                if gap >= 0:
                    at = value[row, other] if axis == -1 else value[other, col]
                    out[row, col] = max(out[row, col], at * math.exp(-gap / reach))
    return out


@settings(deadline=None, max_examples=15)
@given(SEEDS, st.sampled_from([4.0, 40]), st.sampled_from([-1, -2]), st.booleans())
def test_fading_equals_the_slow_loop(seed, reach, axis, back):
    value = np.random.default_rng(seed).random((7, 9), np.float32) ** 8
    slow = faded_slowly(value, reach, axis, back)
    assert np.allclose(evidence.faded(value, reach, axis, back), slow, atol=2e-6)


@settings(deadline=None, max_examples=15)
@given(SEEDS, st.integers(0, 12), st.sampled_from([-1, -2]))
def test_sways_and_sums_equal_the_slow_loop(seed, sway, axis):
    value = np.random.default_rng(seed).random((6, 11), np.float32)
    for made, slow in ((evidence._swayed, np.max), (evidence._summed, np.sum)):
        out = made(value, sway, axis)
        for place in range(value.shape[axis]):
            first, last = max(0, place - sway), min(value.shape[axis], place + sway + 1)
            near = slow(value.take(range(first, last), axis), axis)
            assert np.allclose(out.take(place, axis), near, atol=1e-5)


def test_the_crossing_is_the_sum_over_pairs_of_unlike_words():
    found = only(scene(3, words=3, rows=10, cols=12), 0)
    found = replace(found, valid=np.ones((1, 3), bool))
    share = evidence.shares(found.match, found.weight)[0]
    slow = zeros(10, 12)
    for j in range(3):
        line = evidence._swayed(found.match[0, j], LINE, -2)
        ahead, behind = (faded_slowly(line, evidence.ACROSS, -1, back) for back in (False, True))
        row = np.maximum(ahead, behind)
        for k in range(3):
            column = evidence._swayed(found.match[0, k], COLUMN, -1)
            column = faded_slowly(column, evidence.DOWN, -2, False)
            if j != k:
                slow[HEADING:] += share[j] * share[k] * row[HEADING:] * column[:-HEADING]
    assert np.allclose(named(features(found), "crossing")[0], slow, atol=1e-5)


# ---- pictures ------------------------------------------------------------------------------------


def test_a_word_counts_by_how_many_places_it_stands_in_and_not_by_its_size():
    found = blank(3, 60, 90)
    found.match[0, 0, 5:7, 10:14] = 1  # once, short
    found.match[0, 1, 5:8, 30:42] = 1  # once, long
    for row in (10, 25, 40, 55):
        found.match[0, 2, row, 10:15] = 1  # four times
    haze = replace(found, match=found.match.clip(1e-3))
    for page in (found, haze):
        assert np.allclose(evidence.places(page.match), [[1.0, 1, 4]], atol=0.2)
    share = evidence.shares(found.match, found.weight)[0]
    assert np.allclose(share, np.array([5, 5, 2]) / 12, atol=1e-4)


def test_words_that_are_not_found_take_no_share():
    found = blank(2)
    found.match[0, 0, 3, 3:6] = 0.9
    assert np.allclose(evidence.shares(found.match, found.weight), [[1.0, 0.0]])


def test_the_value_right_of_its_label_stands_out():
    found = blank(1)
    found = replace(found, text=zeros(30, 40))
    found.match[0, 0, 10, 5:9] = 1  # the label
    value = (10, slice(13, 17))
    for place in (
        value,
        (10, slice(5, 9)),
        (3, slice(20, 30)),
        (10, slice(0, 3)),
        (14, slice(13, 17)),
    ):
        found.text[place] = 1
    maps = features(found)
    for image in (named(maps, "right-far")[0], by_hand(maps)[0]):
        rest = np.where(found.text > 0, image, -99.0)
        rest[10, 5:9] = -99  # the label itself aside
        assert peak(rest) == (10, 13)
        rest[value] = -99
        assert rest.max() < image[10, 16]


def test_a_value_below_its_label_is_pointed_at_and_one_above_less():
    found = blank(1)
    found.match[0, 0, 10, 5:9] = 1
    maps = features(found)
    below, hand = named(maps, "below")[0], by_hand(maps)[0]
    assert below[12, 7] == pytest.approx(math.exp(-2 / 4), abs=1e-5)
    assert below[12, 11] == pytest.approx(math.exp(-2 / 4), abs=1e-5)  # three columns of sway
    assert below[12, 12] < 1e-4
    assert hand[12, 7] > hand[8, 7]
    assert named(maps, "above")[0, 8, 7] == pytest.approx(math.exp(-2 / 4), abs=1e-5)
    assert named(maps, "left")[0, 11, 1] == pytest.approx(math.exp(-4 / 8), abs=1e-5)


def test_a_whole_phrase_beats_a_lone_word():
    found = blank(2)
    found.match[0, 0, 5, 5:8] = 1
    found.match[0, 0, 20, 5:8] = 1
    found.match[0, 1, 20, 9:12] = 1
    phrase = named(features(found), "phrase")[0]
    assert phrase[20, 5:12].max() > 2 * phrase[5].max()
    assert phrase[20, 15:].max() < 1e-5  # it stands where its words stand


def test_row_and_column_of_a_table_cross_at_the_answer():
    found = blank(2, 40, 60)
    found.match[0, 0, 25:27, 2:8] = 1  # the row's name
    found.match[0, 1, 4:6, 30:36] = 1  # the column's name
    crossing = named(features(found), "crossing")[0]
    inside = crossing[24:28, 27:39]
    rest = crossing.copy()
    rest[24:28, 27:39] = 0
    assert inside.min() > 10 * rest.max()
    hand = by_hand(features(found))[0]
    assert hand[25, 33] > hand[25, 10:26].max()  # more than anything before it in its row
    assert hand[25, 33] > hand[10:23, 33].max()  # or above it in its column


def test_text_that_looks_like_the_answer_fits():
    found = blank(1)
    found.kind[:] = 0
    found.kind[0] = 1
    found.kind[:, 4, 6] = [0.0, 0, 0, 1, 0, 0, 0, 0]
    fit = named(features(replace(found, kinds=found.kind[None, :, 4, 6])), "fit")[0]
    assert peak(fit) == (4, 6)
    assert fit.sum() == 1
    assert named(features(found), "figure")[0].sum() == 1


# ---- who may know what ---------------------------------------------------------------------------


def test_the_blind_twin_does_not_hear_the_question_and_the_prior_sees_no_pixel():
    one, other = scene(1), scene(2)
    question = {
        name: getattr(other, name) for name in ("match", "valid", "weight", "kinds", "buckets")
    }
    pixels = {name: getattr(other, name) for name in ("match", "text", "kind")}
    asked, looked = replace(one, **question), replace(one, **pixels)
    for mode in ("blind", "prior", "full"):
        heard = not np.array_equal(spread(one, mode), spread(asked, mode))
        seen = not np.array_equal(spread(one, mode), spread(looked, mode))
        assert (heard, seen) == (mode != "blind", mode != "prior")


# ---- putting it together -------------------------------------------------------------------------


def test_maps_of_words_are_laid_out_question_by_question():
    asked = [
        parse("Who is the tall manager?"),
        parse("?"),
        parse("When was the manager hired by phone?"),
    ]
    words = sorted({word for one in asked for word in one.words})
    match = np.repeat(np.arange(len(words), dtype=np.float32), 20).reshape(-1, 4, 5)
    found = WordEvidence.of(asked, words, match, zeros(4, 5), zeros(8, 4, 5))
    for row, one in enumerate(asked):
        named_maps = [words[int(number)] for number in found.match[row, found.valid[row], 0, 0]]
        assert tuple(named_maps) == one.words
        assert tuple(found.weight[row, found.valid[row]].tolist()) == pytest.approx(one.weights)
        assert tuple(found.buckets[row][found.buckets[row] >= 0].tolist()) == one.buckets
        assert tuple(found.kinds[row].tolist()) == pytest.approx(one.kinds)
    empty = WordEvidence.of([parse("?")], [], match[:0], zeros(4, 5), zeros(8, 4, 5))
    assert spread(empty).shape == (1, 4, 5)
