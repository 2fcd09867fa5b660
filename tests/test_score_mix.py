"""Ranks, and the mix of maps."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import TypeCheckError
from scipy.stats import rankdata

from homunculus.scouts import MIX, mix, rank

CELLS = st.lists(
    st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, 1.0, math.inf]), min_size=1, max_size=40
)


def ranked(*cells: float) -> list[float]:
    return rank(np.array(cells, np.float32)).tolist()


# --- rank -----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(CELLS)
def test_rank_is_scipys_mean_rank_brought_to_0_1(cells):
    expected = (rankdata(cells) - 1) / max(len(cells) - 1, 1) if len(cells) > 1 else [0.5]
    assert ranked(*cells) == pytest.approx(list(expected), abs=1e-6)


@settings(deadline=None)
@given(CELLS, st.randoms(use_true_random=False))
def test_rank_moves_with_its_cells(cells, random):
    order = list(range(len(cells)))
    random.shuffle(order)
    before, after = ranked(*cells), ranked(*[cells[i] for i in order])
    assert after == [before[i] for i in order]


def test_rank_keeps_order_and_ties_and_ignores_units():
    value = np.random.default_rng(0).normal(size=150).astype(np.float32).round(1)
    place = rank(value)
    assert np.array_equal(value[:, None] < value, place[:, None] < place)
    assert np.array_equal(place, rank(value * 8 + 3))


def test_a_map_is_ranked_as_a_whole():
    value = np.random.default_rng(0).normal(size=(7, 9))
    assert np.array_equal(rank(value), rank(value.flatten()).reshape(7, 9))


def test_a_constant_map_is_one_half_everywhere_and_so_is_a_single_cell():
    assert ranked(7.0, 7.0, 7.0, 7.0) == [0.5] * 4
    assert ranked(-3.0) == [0.5]
    assert ranked(math.nan, math.nan) == [0.5, 0.5]


def test_nan_and_minus_infinity_come_last_and_infinity_first():
    assert ranked(2.0, math.nan, math.inf, -math.inf, 1.0) == [0.75, 0.125, 1.0, 0.125, 0.5]


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_rank_takes_every_float_and_gives_float32(kind):
    place = rank(np.array([3.0, 1.0, 2.0], kind))
    assert place.dtype == np.float32
    assert place.tolist() == [1.0, 0.0, 0.5]


def test_double_precision_is_not_rounded_into_ties():
    assert rank(np.array([1.0, 1.0 + 1e-12])).tolist() == [0.0, 1.0]


def test_shape_checks_are_on():
    with pytest.raises(TypeCheckError):
        mix({"question": np.zeros((2, 3, 4))})


# --- mix ------------------------------------------------------------------------------------------


def three() -> dict[str, np.ndarray]:
    chance = np.random.default_rng(0)
    return {name: chance.normal(size=(5, 6)).astype(np.float32) for name in MIX}


def logs(need: np.ndarray) -> np.ndarray:
    return np.log(need.clip(1 / 1024, 1))


def test_the_mix_is_the_log_of_the_weighted_mean_rank():
    maps = three()
    question, saliency, information = (rank(maps[name]) for name in MIX)
    by_hand = 0.4 * question + 0.3 * saliency + 0.3 * information
    assert mix(maps) == pytest.approx(logs(by_hand), abs=1e-6)


def test_missing_maps_leave_their_weight_to_the_others():
    maps = three()
    two = {name: maps[name] for name in ("question", "saliency")}
    expected = (4 * rank(two["question"]) + 3 * rank(two["saliency"])) / 7
    assert mix(two) == pytest.approx(logs(expected), abs=1e-6)
    one = {"information": maps["information"]}
    assert mix(one) == pytest.approx(logs(rank(one["information"])), abs=1e-6)


def test_a_map_of_other_units_changes_nothing_and_neither_does_the_order_of_the_dictionary():
    maps = three()
    plain = mix(maps)
    assert np.array_equal(mix(maps | {"saliency": np.exp(maps["saliency"]) * 1e6}), plain)
    assert np.array_equal(mix(dict(reversed(maps.items()))), plain)


def test_nothing_is_ruled_out_and_broken_cells_are_least_relevant():
    logit = mix({"question": np.array([[3.0, math.nan, -math.inf, 1.0]])})
    assert np.isfinite(logit).all()
    assert logit.argmax() == 0
    assert bool((logit[0, 1:3] < logit[0, 3]).all())


def test_more_weight_on_a_map_pulls_the_mix_towards_it():
    maps = {
        "question": np.arange(9.0)[None],
        "saliency": np.arange(9.0)[None, ::-1],
    }
    slopes = []
    for weight in (0, 0.5, 1, 2):
        logit = mix(maps, weights={"question": weight, "saliency": 1})
        slopes.append(float(logit[0, -1] - logit[0, 0]))
    assert all(low < high for low, high in pairwise(slopes))
    assert slopes[2] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("names", "weights"),
    [
        (["salience"], MIX),
        (["question"], {"question": -1}),
        (["question"], {"question": math.nan}),
        (["question"], {"question": 0}),
        ([], MIX),
    ],
)
def test_maps_without_a_weight_that_counts_are_refused(names, weights):
    with pytest.raises(ValueError, match=r"mix: expected a weight of 0 or more for each map"):
        mix({name: np.zeros((1, 4)) for name in names}, weights)
