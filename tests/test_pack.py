"""Packing: weighted means, in reading order, with boxes that say what each token shows."""

from dataclasses import replace

import pytest
import torch

from cases import Case, law, often, planned
from homunculus import Allocation, Method, list_methods
from homunculus.engines.cells import lift
from homunculus.engines.cells.pack import pack

METHODS = list(list_methods().values())


def plan_of(index: list[list[int]], weight: list[list[float]] | None = None) -> Allocation:
    at = torch.tensor([index])
    share = torch.ones(at.shape) if weight is None else torch.tensor([weight])
    return Allocation(at, share, torch.ones(at.shape[:2], dtype=torch.bool))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@law(images=2)
def test_each_token_is_the_weighted_mean_of_its_cells(method: Method, case: Case) -> None:
    field, plan = planned(method, case)
    tokens = pack(field, plan)
    assert field.feature is not None
    assert tokens.embed is not None
    assert torch.equal(tokens.valid, plan.valid)
    for image in range(len(case.grids)):
        count = int(plan.valid[image].sum())
        index, weight = plan.index[image, :count], plan.weight[image, :count].double()
        mean = (field.feature[image, index].double() * weight[..., None]).sum(1)
        if count <= 2000:  # packing may reorder, so each has its like on the other side
            away = torch.cdist(mean, tokens.embed[image, :count].double())
            assert away.amin(0).max() < 1e-5
            assert away.amin(1).max() < 1e-5
        assert not tokens.box[image, count:].any()
        assert not tokens.embed[image, count:].any()
        assert not tokens.level[image, count:].any()


@often
@law(images=2)
def test_tokens_stand_in_reading_order_coarse_before_fine(case: Case) -> None:
    for name in ("cut", "pyramid", "grid"):
        field, plan = planned(list_methods()[name], case)
        tokens = pack(field, plan)
        for image in range(len(case.grids)):
            valid = tokens.valid[image]
            corner = tokens.box[image, valid, :2].tolist()
            level = tokens.level[image, valid].tolist()
            order = [(y, x, -height) for (y, x), height in zip(corner, level, strict=True)]
            assert order == sorted(order)
            cells = sorted(map(tuple, field.box[image, plan.index[image, valid, 0]].tolist()))
            assert sorted(map(tuple, tokens.box[image, valid].tolist())) == cells


def test_a_coarse_cell_is_read_before_the_fine_one_in_its_corner() -> None:
    field = lift.pyramid([(2, 2)], 2)
    assert pack(field, plan_of([[1], [0]])).level.tolist() == [[1, 0]]
    assert pack(field, plan_of([[0], [1]])).level.tolist() == [[1, 0]]


def test_positions_are_centres_of_boxes() -> None:
    field = lift.pyramid([(3, 5)], 2)
    tokens = pack(field, plan_of([[0], [2], [5], [20]]))
    assert tokens.box[0].int().tolist() == [[0, 0, 2, 2], [0, 4, 2, 5], [2, 4, 3, 5], [2, 4, 3, 5]]
    assert tokens.position[0].tolist() == [[1, 1], [1, 4.5], [2.5, 4.5], [2.5, 4.5]]
    assert tokens.level[0].tolist() == [1, 1, 1, 0]


def test_the_box_of_a_mean_of_a_block_is_the_block() -> None:
    field = lift.grid([(6, 8)])
    block = [row * 8 + col for row in (2, 3, 4) for col in (3, 4)]
    tokens = pack(field, plan_of([block], [[1 / 6] * 6]))
    assert torch.allclose(tokens.box[0, 0], torch.tensor([2.0, 3.0, 5.0, 5.0]), atol=1e-5)
    between = pack(field, plan_of([[0, 1]], [[0.5, 0.5]]))
    assert torch.allclose(between.position[0, 0], torch.tensor([0.5, 1.0]))
    leaning = pack(field, plan_of([[0, 1]], [[0.25, 0.75]]))
    assert torch.allclose(leaning.position[0, 0], torch.tensor([0.5, 1.25]))


def test_pooled_tokens_have_the_boxes_of_their_tiles() -> None:
    field, plan = list_methods()["pool"].plan([(7, 9)], torch.zeros(1, 63), 6)
    box = pack(field, plan).box[0].round().int().tolist()
    area = {(y, x) for y0, x0, y1, x1 in box for y in range(y0, y1) for x in range(x0, x1)}
    assert len(area) == 63
    assert sum((y1 - y0) * (x1 - x0) for y0, x0, y1, x1 in box) == 63


def test_a_weight_of_nothing_hides_a_cell() -> None:
    field = lift.grid([(1, 3)], torch.tensor([[[1.0], [10.0], [100.0]]]))
    tokens = pack(field, plan_of([[0, 2], [1, 2]], [[1.0, 0.0], [0.25, 0.75]]))
    assert tokens.embed is not None
    assert tokens.embed[0, :, 0].tolist() == [1.0, 77.5]


def test_before_encoding_there_are_boxes_and_no_embeddings() -> None:
    tokens = pack(lift.grid([(2, 2)]), plan_of([[3], [0]]))
    assert tokens.embed is None
    assert tokens.position[0].tolist() == [[0.5, 0.5], [1.5, 1.5]]


def test_padding_rows_are_zeros_and_stand_last() -> None:
    field = lift.grid([(1, 4), (1, 2)], torch.ones(2, 4, 2))
    plan = Allocation(
        torch.tensor([[[3], [1], [0]], [[1], [0], [0]]]),
        torch.tensor([[[1.0]] * 3, [[1.0], [1.0], [0.0]]]),
        torch.tensor([[True, True, True], [True, True, False]]),
    )
    tokens = pack(field, plan)
    assert tokens.embed is not None
    assert tokens.valid.tolist() == [[True] * 3, [True, True, False]]
    assert tokens.position[0, :, 1].tolist() == [0.5, 1.5, 3.5]
    assert tokens.position[1].tolist() == [[0.5, 0.5], [0.5, 1.5], [0, 0]]
    assert tokens.embed[1].tolist() == [[1, 1], [1, 1], [0, 0]]


@law(images=3)
def test_half_precision_features_stay_half_precision(case: Case) -> None:
    field, plan = planned(list_methods()["cut"], case)
    assert field.feature is not None
    half = replace(field, feature=field.feature.bfloat16())
    tokens = pack(half, plan)
    assert tokens.embed is not None
    assert tokens.embed.dtype == torch.bfloat16
    whole = pack(field, plan).embed
    assert torch.equal(tokens.embed, whole.bfloat16())


def test_gradients_reach_features_through_packing() -> None:
    feature = torch.randn(1, 6, 2, generator=torch.Generator().manual_seed(0)).requires_grad_()
    field = lift.grid([(2, 3)], feature)
    embed = pack(field, plan_of([[0, 1], [5, 4]], [[0.5, 0.5], [1.0, 0.0]])).embed
    assert embed is not None
    (gradient,) = torch.autograd.grad(embed.sum(), feature)
    assert gradient[0, :, 0].tolist() == [0.5, 0.5, 0, 0, 0, 1.0]
