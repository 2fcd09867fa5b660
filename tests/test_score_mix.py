"""Ranks, and the mix of maps."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import TypeCheckError
from scipy.stats import rankdata

from homunculus.scouts import MIX, mix, rank

CELLS = st.lists(
    st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, 1.0, math.inf]), min_size=1, max_size=40
)


def ranked(*cells: float) -> list[float]:
    return rank(torch.tensor(cells)).tolist()


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
    value = torch.randn(150).round(decimals=1)
    place = rank(value)
    assert torch.equal(value[:, None] < value, place[:, None] < place)
    assert torch.equal(place, rank(value * 8 + 3))


def test_a_map_is_ranked_as_a_whole():
    value = torch.randn(7, 9)
    assert torch.equal(rank(value), rank(value.flatten()).view(7, 9))


def test_a_constant_map_is_one_half_everywhere_and_so_is_a_single_cell():
    assert ranked(7.0, 7.0, 7.0, 7.0) == [0.5] * 4
    assert ranked(-3.0) == [0.5]
    assert ranked(math.nan, math.nan) == [0.5, 0.5]


def test_nan_and_minus_infinity_come_last_and_infinity_first():
    assert ranked(2.0, math.nan, math.inf, -math.inf, 1.0) == [0.75, 0.125, 1.0, 0.125, 0.5]


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float64])
def test_rank_takes_every_float_and_gives_float32(kind):
    place = rank(torch.tensor([3.0, 1.0, 2.0], dtype=kind))
    assert place.dtype == torch.float32
    assert place.tolist() == [1.0, 0.0, 0.5]


def test_double_precision_is_not_rounded_into_ties():
    assert rank(torch.tensor([1.0, 1.0 + 1e-12], dtype=torch.float64)).tolist() == [0.0, 1.0]


def test_ranks_do_not_follow_the_default_dtype():
    value = torch.arange(300.0)
    plain = rank(value)
    torch.set_default_dtype(torch.bfloat16)
    try:
        assert torch.equal(rank(value), plain)
    finally:
        torch.set_default_dtype(torch.float32)


def test_shape_checks_are_on():
    with pytest.raises(TypeCheckError):
        mix({"question": torch.zeros(2, 3, 4)})


# --- mix ------------------------------------------------------------------------------------------


def three() -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    return {name: torch.randn(5, 6) for name in MIX}


def test_the_mix_is_the_log_of_the_weighted_mean_rank():
    maps = three()
    question, saliency, information = (rank(maps[name]) for name in MIX)
    by_hand = (0.4 * question + 0.3 * saliency + 0.3 * information).clamp(1 / 1024, 1).log()
    torch.testing.assert_close(mix(maps), by_hand)


def test_missing_maps_leave_their_weight_to_the_others():
    maps = three()
    two = {name: maps[name] for name in ("question", "saliency")}
    expected = (4 * rank(two["question"]) + 3 * rank(two["saliency"])) / 7
    torch.testing.assert_close(mix(two), expected.clamp(1 / 1024, 1).log())
    one = {"information": maps["information"]}
    torch.testing.assert_close(mix(one), rank(one["information"]).clamp(1 / 1024, 1).log())


def test_a_map_of_other_units_changes_nothing_and_neither_does_the_order_of_the_dictionary():
    maps = three()
    plain = mix(maps)
    assert torch.equal(mix(maps | {"saliency": maps["saliency"].exp() * 1e6}), plain)
    assert torch.equal(mix(dict(reversed(maps.items()))), plain)


def test_nothing_is_ruled_out_and_broken_cells_are_least_relevant():
    logit = mix({"question": torch.tensor([[3.0, math.nan, -math.inf, 1.0]])})
    assert bool(logit.isfinite().all())
    assert logit.argmax() == 0
    assert bool((logit[0, 1:3] < logit[0, 3]).all())


def test_more_weight_on_a_map_pulls_the_mix_towards_it():
    maps = {
        "question": torch.arange(9.0)[None],
        "saliency": torch.arange(9.0).flip(0)[None],
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
        mix({name: torch.zeros(1, 4) for name in names}, weights)
