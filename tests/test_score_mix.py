"""Ranks, the mix of maps, and the dials."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import TypeCheckError
from scipy.stats import rankdata

from homunculus.scouts import WAYS, WEIGHTS, Dials, mix, rank

CELLS = st.lists(
    st.floats(-1e6, 1e6, width=32) | st.sampled_from([0.0, 1.0, math.inf]), min_size=1, max_size=40
)


def all_of(value: torch.Tensor) -> torch.Tensor:
    return torch.ones_like(value, dtype=torch.bool)


def ranked(*cells: float) -> list[float]:
    value = torch.tensor([cells])
    return rank(value, all_of(value))[0].tolist()


# --- rank -----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(CELLS)
def test_rank_is_scipys_mean_rank_brought_to_0_1(cells):
    expected = (rankdata(cells) - 1) / max(len(cells) - 1, 1) if len(cells) > 1 else [0.5]
    assert ranked(*cells) == pytest.approx(list(expected), abs=1e-6)


@settings(deadline=None)
@given(st.lists(CELLS, min_size=2, max_size=4), st.integers(0, 7))
def test_an_image_padded_in_a_batch_gets_bit_for_bit_the_ranks_it_gets_alone(images, spare):
    width = max(map(len, images)) + spare
    value = torch.full((len(images), width), 5e8)  # padding louder than every cell
    valid = torch.zeros(len(images), width, dtype=torch.bool)
    for row, cells in enumerate(images):
        value[row, : len(cells)] = torch.tensor(cells)
        valid[row, : len(cells)] = True
    together = rank(value, valid)
    for row, cells in enumerate(images):
        alone = torch.tensor([cells])
        assert torch.equal(together[row, : len(cells)], rank(alone, all_of(alone))[0])
        assert bool((together[row, len(cells) :] == 0).all())


@settings(deadline=None)
@given(CELLS, st.randoms(use_true_random=False))
def test_rank_moves_with_its_cells(cells, random):
    order = list(range(len(cells)))
    random.shuffle(order)
    before, after = ranked(*cells), ranked(*[cells[i] for i in order])
    assert after == [before[i] for i in order]


def test_rank_keeps_order_and_ties_and_ignores_units():
    value = torch.randn(3, 50).round(decimals=1)
    place = rank(value, all_of(value))
    lower = value[:, :, None] < value[:, None, :]
    assert torch.equal(lower, place[:, :, None] < place[:, None, :])
    assert torch.equal(place, rank(value * 8 + 3, all_of(value)))


def test_a_constant_map_is_one_half_everywhere_and_so_is_a_single_cell():
    assert ranked(7.0, 7.0, 7.0, 7.0) == [0.5] * 4
    assert ranked(-3.0) == [0.5]
    assert ranked(math.nan, math.nan) == [0.5, 0.5]


def test_nan_and_minus_infinity_come_last_and_infinity_first():
    assert ranked(2.0, math.nan, math.inf, -math.inf, 1.0) == [0.75, 0.125, 1.0, 0.125, 0.5]


def test_an_image_without_valid_cells_is_all_zero():
    value = torch.tensor([[1.0, 2.0]])
    assert rank(value, ~all_of(value)).tolist() == [[0.0, 0.0]]


def test_padding_may_stand_anywhere_and_hold_anything():
    value = torch.tensor([[math.nan, 5.0, math.inf, 1.0, 3.0]])
    valid = torch.tensor([[False, True, False, True, True]])
    assert rank(value, valid).tolist() == [[0.0, 1.0, 0.0, 0.0, 0.5]]


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float64])
def test_rank_takes_every_float_and_gives_float32(kind):
    value = torch.tensor([[3.0, 1.0, 2.0]], dtype=kind)
    place = rank(value, all_of(value))
    assert place.dtype == torch.float32
    assert place.tolist() == [[1.0, 0.0, 0.5]]


def test_double_precision_is_not_rounded_into_ties():
    value = torch.tensor([[1.0, 1.0 + 1e-12]], dtype=torch.float64)
    assert rank(value, all_of(value)).tolist() == [[0.0, 1.0]]


def test_ranks_do_not_follow_the_default_dtype():
    value = torch.arange(300.0)[None]
    plain = rank(value, all_of(value))
    torch.set_default_dtype(torch.bfloat16)
    try:
        assert torch.equal(rank(value, all_of(value)), plain)
    finally:
        torch.set_default_dtype(torch.float32)


def test_shape_checks_are_on():
    with pytest.raises(TypeCheckError):
        rank(torch.zeros(2, 3, 4), torch.zeros(2, 3, dtype=torch.bool))


# --- mix ------------------------------------------------------------------------------------------


def three(count: int = 2, cells: int = 30) -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    return {way: torch.randn(count, cells) for way in WEIGHTS}


def test_the_mix_is_the_log_of_the_weighted_mean_rank():
    maps = three()
    valid = all_of(maps["question"])
    part, persp, prop = (rank(maps[way], valid) for way in WEIGHTS)
    by_hand = (0.4 * part + 0.3 * persp + 0.3 * prop).clamp(1 / 1024, 1).log()
    torch.testing.assert_close(mix(maps, valid), by_hand)


def test_missing_maps_leave_their_weight_to_the_others():
    maps = three()
    valid = all_of(maps["question"])
    two = {way: maps[way] for way in ("question", "saliency")}
    expected = (4 * rank(two["question"], valid) + 3 * rank(two["saliency"], valid)) / 7
    torch.testing.assert_close(mix(two, valid), expected.clamp(1 / 1024, 1).log())
    one = {"information": maps["information"]}
    expected = rank(one["information"], valid).clamp(1 / 1024, 1).log()
    torch.testing.assert_close(mix(one, valid), expected)


def test_a_map_of_other_units_changes_nothing_and_neither_does_the_order_of_the_dictionary():
    maps = three()
    valid = all_of(maps["question"])
    plain = mix(maps, valid)
    assert torch.equal(mix(maps | {"saliency": maps["saliency"].exp() * 1e6}, valid), plain)
    assert torch.equal(mix(dict(reversed(maps.items())), valid), plain)


def test_an_image_in_a_batch_gets_the_mix_it_gets_alone():
    maps = three(count=4)
    valid = torch.arange(30) < torch.tensor([30, 7, 1, 19])[:, None]
    together = mix(maps, valid)
    for row, cells in enumerate(valid.sum(1).tolist()):
        alone = {way: value[row : row + 1, :cells] for way, value in maps.items()}
        assert torch.equal(together[row, :cells], mix(alone, valid[row : row + 1, :cells])[0])


def test_explore_is_a_temperature_on_the_logit():
    maps = three()
    valid = all_of(maps["question"])
    cold, plain, hot = (mix(maps, valid, explore=heat) for heat in (0.5, 1, 4))
    torch.testing.assert_close(cold, plain * 2)
    torch.testing.assert_close(hot, plain / 4)


def test_nothing_is_ruled_out_and_broken_cells_are_least_relevant():
    value = torch.tensor([[3.0, math.nan, -math.inf, 1.0]])
    logit = mix({"question": value}, all_of(value))
    assert bool(logit.isfinite().all())
    assert logit.argmax() == 0
    assert bool((logit[0, 1:3] < logit[0, 3]).all())
    padded = mix({"question": value}, torch.tensor([[True, False, True, True]]))
    assert float(padded[0, 1]) == pytest.approx(math.log(1 / 1024))


def test_more_weight_on_a_map_pulls_the_mix_towards_it():
    maps = {
        "question": torch.arange(9.0)[None],
        "saliency": torch.arange(9.0).flip(0)[None],
    }
    valid = all_of(maps["question"])
    slopes = []
    for weight in (0, 0.5, 1, 2):
        logit = mix(maps, valid, weights={"question": weight, "saliency": 1})
        slopes.append(float(logit[0, -1] - logit[0, 0]))
    assert all(low < high for low, high in pairwise(slopes))
    assert slopes[2] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("maps", "weights", "text"),
    [
        (["salience"], None, r"a map is one of .*got 'salience'\. Did you mean 'saliency'"),
        (["banana"], None, r"mix: a map is one of question, .*got 'banana'"),
        (["learned"], None, r"weights given are for one of .*got 'learned'\. Pass weights="),
        (
            ["question"],
            {"qestion": 1},
            r"a weight is for .*Did you mean 'question'",
        ),
        (["question"], {"question": -1}, r"0 or more, got \{'question': -1\}"),
        (["question"], {"question": math.nan}, r"finite and 0 or more, got .*nan"),
        (["question"], {"question": 0}, r"at least one map with a weight above 0"),
        ([], None, r"at least one map .*got maps \[\]"),
    ],
)
def test_a_wrong_name_or_weight_is_answered_with_the_names_there_are(maps, weights, text):
    valid = torch.ones(1, 4, dtype=torch.bool)
    with pytest.raises(ValueError, match=text):
        mix({way: torch.zeros(1, 4) for way in maps}, valid, weights)


def test_a_map_of_another_shape_is_refused():
    valid = torch.ones(1, 4, dtype=torch.bool)
    maps = {"question": torch.zeros(1, 4), "saliency": torch.zeros(1, 5)}
    with pytest.raises((ValueError, TypeCheckError), match=r"perspectival|mix"):
        mix(maps, valid)


def test_a_learned_map_joins_when_it_gets_a_weight():
    value = torch.arange(5.0)[None]
    logit = mix({"learned": value}, all_of(value), dict.fromkeys(WAYS, 1))
    assert logit.exp()[0].tolist() == pytest.approx([1 / 1024, 0.25, 0.5, 0.75, 1.0])


# --- dials ----------------------------------------------------------------------------------------


def test_dials_stand_in_the_middle_by_default_and_take_whole_numbers():
    assert Dials() == Dials(compress=0.25, explore=1.0, focus=40.0)
    assert Dials(compress=0, explore=2, focus=180).explore == 2


@pytest.mark.parametrize(
    ("dial", "value", "text"),
    [
        ("compress", -0.1, r"Dials: compress is a share .* got -0\.1"),
        ("compress", 1.5, r"from 0 to 1, got 1\.5"),
        ("compress", math.nan, r"got nan"),
        ("explore", 0, r"Dials: explore is a temperature above 0, got 0"),
        ("explore", math.inf, r"got inf\. 1 leaves"),
        ("focus", 0, r"Dials: focus is a field of view .* got 0"),
        ("focus", 361, r"up to 360 degrees, got 361"),
    ],
)
def test_a_dial_out_of_its_range_is_refused(dial, value, text):
    with pytest.raises(ValueError, match=text):
        Dials(**{dial: value})


def test_mix_refuses_a_temperature_of_zero():
    with pytest.raises(ValueError, match=r"mix: explore is a temperature above 0, got 0"):
        mix({"question": torch.zeros(1, 2)}, torch.ones(1, 2, dtype=torch.bool), explore=0)
