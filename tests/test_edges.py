"""What strangers and rare shapes can do to the core: each of these broke it once, or could have."""

from io import BytesIO
from types import SimpleNamespace

import pytest
import torch

from homunculus import Allocation, Material, get_method
from homunculus.engines.cells import lift
from homunculus.engines.cells.allocate import BestFirst, TopK
from homunculus.engines.cells.pack import pack
from homunculus.engines.cells.types import Field, Relevance
from homunculus.pages.pillow import in_one_scan
from homunculus.show.cells import look
from homunculus_lab.methods.foveated import Foveated
from homunculus_lab.methods.lifts import bands
from homunculus_lab.methods.merge import clusters
from homunculus_lab.methods.sample import LogPolar, bilinear
from homunculus_lab.methods.strata import Centre, Shares
from homunculus_lab.methods.tile import window_plan


def test_images_of_one_size_but_other_depths_are_not_a_full_field() -> None:
    field = lift.pyramid([(8, 8), (8, 8)], torch.tensor([2, 4]))
    relevance = Relevance(torch.ones(field.level.shape).masked_fill(field.valid, 0.0))
    for rule in (TopK(), BestFirst(), Foveated(), LogPolar()):
        plan = rule(field, relevance, 20)
        for image in range(2):
            assert field.valid[image][plan.index[image].flatten()].all(), rule


def test_a_strip_does_not_grow_into_a_square_of_its_length() -> None:
    chain = lift.mips(torch.zeros(1, 3, 2, 60_000), 17)
    assert chain[-1].shape[2:] == (1, 1)
    field = lift.pyramid([(1, 60_000)], 17)
    assert lift.spread(field, torch.ones(1, 60_000)).logit.shape == field.level.shape


@pytest.mark.parametrize("name", ["log-polar", "foveated", "pseudo-log-polar"])
def test_a_fixation_outside_the_picture_looks_from_its_border(name: str) -> None:
    for point in ([-20.0, 5.0], [1e6, -1e6]):
        aimed = get_method(name).aimed(torch.tensor([[point]]))
        field, plan = aimed.plan([(32, 32)], torch.zeros(1, 1024), 64)
        assert plan.weight.isfinite().all()
        assert field.valid[0][plan.index[0].flatten()].all()


def test_what_is_done_to_a_plan_stays_with_it() -> None:
    first = get_method("grid").plan([(9, 9)], torch.zeros(1, 81), 5)[1]
    first.valid[:] = False
    assert get_method("grid").plan([(9, 9)], torch.zeros(1, 81), 5)[1].valid.all()


def test_broken_relevance_does_not_break_training() -> None:
    logit = torch.tensor([[0.0, torch.nan, 2.0, -torch.inf, 1.0, 3.0]], requires_grad=True)
    plan = get_method("grid").allocate(lift.grid([(2, 3)]), Relevance(logit), 3)
    assert plan.weight.tolist() == [[[1.0], [1.0], [1.0]]]
    (plan.weight.flatten() * torch.arange(3)).sum().backward()
    assert logit.grad is not None
    assert logit.grad.isfinite().all()


def test_gradients_pass_through_clusters() -> None:
    feature = torch.randn(1, 64, 4, requires_grad=True)
    field = clusters([(8, 8)], feature, torch.tensor([3]))
    assert field.feature is not None
    field.feature.square().sum().backward()
    assert feature.grad is not None
    assert feature.grad.isfinite().all()


def test_a_negative_level_weight_favours_fine_cells() -> None:
    field = lift.pyramid([(4, 4)], 3)
    relevance = lift.spread(field, torch.arange(16.0)[None])
    assert sorted(TopK(-30.0)(field, relevance, 4).index[0, :, 0].tolist()) == [17, 18, 19, 20]
    assert TopK(30.0)(field, relevance, 4).index[0, :, 0].tolist() == [0, 4, 3, 2]


def test_settings_that_mean_nothing_are_refused() -> None:
    for make in (lambda: BestFirst(-1.0), lambda: Foveated(float("nan"))):
        with pytest.raises(ValueError, match="hedge must be 0"):
            make()
    with pytest.raises(ValueError, match="every share must be 1 or more"):
        Shares((64, 0))
    with pytest.raises(ValueError, match="1 to 256 pixels"):
        look("unread.png", patch=257)


def test_the_default_dtype_of_the_moment_is_not_remembered() -> None:
    try:
        torch.set_default_dtype(torch.bfloat16)
        get_method("foveated").plan([(11, 13)], torch.zeros(1, 143), 7)
    finally:
        torch.set_default_dtype(torch.float32)
    assert (
        get_method("foveated").plan([(11, 13)], torch.zeros(1, 143), 7)[1].weight.dtype
        == torch.float32
    )


def jpeg(components: int, scanned: int) -> SimpleNamespace:
    """The head of a JPEG whose first scan holds so many of its components."""
    quantisation = b"\xff\xdb\x00\x04\x00\x00"
    scan = b"\xff\xda\x00\x08" + bytes([scanned])
    return SimpleNamespace(
        info={}, layers=components, fp=BytesIO(b"\xff\xd8" + quantisation + scan)
    )


def test_a_jpeg_in_several_scans_counts_as_decoded_whole() -> None:
    assert in_one_scan(jpeg(3, 3))
    assert not in_one_scan(jpeg(3, 1))
    assert not in_one_scan(SimpleNamespace(info={}, layers=3, fp=BytesIO(b"\xff\xd8\xff\xda")))


def test_a_level_is_read_from_three_quarters_of_its_side() -> None:
    field = lift.pyramid([(8, 8)], 3)
    for spacing, level in ((0.0, 0), (1.49, 0), (1.5, 1), (2.99, 1), (3.0, 2), (99.0, 2)):
        index, _ = bilinear(field, torch.tensor([[[4.0, 4.0]]]), torch.tensor([[spacing]]))
        assert field.level[0, index.flatten()].unique().tolist() == [level]


def test_random_draws_the_same_lots_for_ever() -> None:
    """A figure made today can be made again: drawn once with these features, and written down."""
    grids, feature = [(5, 7), (4, 4)], torch.arange(2 * 35 * 2).view(2, 35, 2) / 8
    plan = get_method("random").plan(grids, torch.zeros(2, 35), 6, Material(feature=feature))[1]
    bare = get_method("random").plan(grids, torch.zeros(2, 35), 6)[1]
    assert plan.index[..., 0].tolist() == FEATURED
    assert bare.index[..., 0].tolist() == BARE


FEATURED = [[23, 5, 22, 33, 4, 7], [15, 1, 13, 0, 7, 10]]
BARE = [[4, 17, 27, 34, 14, 12], [15, 7, 6, 5, 13, 14]]


@pytest.mark.parametrize("grid", [(1, 131), (3, 5), (2, 40), (40, 2)])
def test_neither_window_is_larger_than_the_image(grid: tuple[int, int]) -> None:
    for slots in range(1, grid[0] * grid[1]):
        a, b, c, d = window_plan(grid, slots, 0.35)
        assert max(a, c) <= grid[0]
        assert max(b, d) <= grid[1]
        assert a * b + c * d == slots


def rows(field: Field, image: int) -> tuple[list[object], torch.Tensor]:
    count = int(field.valid[image].sum())
    assert field.feature is not None
    facts = [part[image, :count].tolist() for part in (field.level, field.parent, field.box)]
    return facts, field.feature[image, :count]


def test_slowly_merging_clusters_do_not_depend_on_the_batch() -> None:
    """Each cell is most like the next one, so that few merge a round and many hang under a root."""
    grids, levels = [(1, 40), (1, 64)], torch.tensor([6, 7])
    angle = (0.7 ** torch.arange(64)).cumsum(0)
    feature = torch.stack((angle.sin(), angle.cos()), -1).repeat(2, 1, 1)
    feature[0, 40:] = torch.nan
    both = clusters(grids, feature, levels)
    for image, (high, wide) in enumerate(grids):
        alone = clusters(
            [(high, wide)], feature[image : image + 1, : high * wide], levels[image : image + 1]
        )
        (facts, mean), (wanted, own) = rows(both, image), rows(alone, 0)
        assert facts == wanted
        assert torch.equal(mean, own)
        assert mean.isfinite().all()
        assert int(both.children[image].max()) > 2, "nothing hangs: this proves nothing"


def test_a_rule_of_the_grid_refuses_bands() -> None:
    with pytest.raises(ValueError, match="centre: needs a grid"):
        Centre()(bands([(3, 3)]), Relevance(torch.zeros(1, 36)), 4)


def test_a_token_has_the_level_of_the_cell_it_reads_most() -> None:
    field = lift.pyramid([(2, 2)], 2)
    plan = Allocation(
        index=torch.tensor([[[0, 1]]]),
        weight=torch.tensor([[[0.2, 0.8]]]),
        valid=torch.ones(1, 1, dtype=torch.bool),
    )
    assert pack(field, plan).level.tolist() == [[0]]
