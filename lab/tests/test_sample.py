"""Lattices and tiles: rings around the fixation, learned bins, blocks, smaller images, windows."""

from math import dist, pi

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cases import Case, law, often, pictures, reads
from homunculus import Allocation, Field, Material, Relevance, list_methods
from homunculus.engines.cells import lift
from homunculus.engines.cells.allocate import Resize
from homunculus.engines.cells.allocate.tile import resize_plan
from homunculus.engines.cells.pack import pack
from homunculus_lab.methods.sample import LogPolar, PseudoLogPolar, rings
from homunculus_lab.methods.segments import regions
from homunculus_lab.methods.tile import Pool, Uniform, Windows, window_plan
from oracles import lattice, shares

fractions = st.tuples(st.integers(0, 16), st.integers(0, 16)).map(lambda p: (p[0] / 16, p[1] / 16))


def lifted(case: Case) -> Field:
    levels = lift.levels_for(case.grids, case.slots)
    return lift.pyramid(case.grids, levels, case.feature())


def silence(field: Field) -> Relevance:
    return Relevance(torch.zeros(field.level.shape))


def read(field: Field, plan: Allocation, image: int) -> np.ndarray:
    """What each valid slot reads."""
    assert field.feature is not None
    index, weight = (part[image, plan.valid[image]] for part in (plan.index, plan.weight))
    return (field.feature[image, index].double() * weight[..., None]).sum(1).numpy()


# ---- log-polar -----------------------------------------------------------------------------------


@often
@law(images=2, place=(fractions, (0.25, 0.75)))
def test_log_polar_reads_what_scipy_interpolates(case: Case, place: tuple[float, float]) -> None:
    field = lifted(case)
    gaze = torch.tensor(case.grids) * torch.tensor(place)
    plan = LogPolar(fixation=gaze[:, None])(field, silence(field), case.slots)
    point, spacing = rings(field, gaze, min(case.slots, case.most))
    for image, cells in enumerate(case.cells):
        if cells <= case.slots:
            continue
        wanted = lattice.sampled(field, image, point[image].numpy(), spacing[image].numpy())
        np.testing.assert_allclose(read(field, plan, image), wanted, rtol=0, atol=2e-5)


def test_273_slots_are_16_rings_of_17_wedges_and_the_fixation() -> None:
    field = lift.pyramid([(64, 64)], 4)
    gaze = torch.tensor([[32.0, 32.0]])
    (point,), (spacing,) = rings(field, gaze, 273)
    assert point.shape == (273, 2)
    assert point[0].tolist() == [32, 32]
    radius = (point[1:] - point[0]).norm(dim=1)
    ring = radius.view(16, 17)
    assert torch.allclose(ring, ring[:, :1].expand(-1, 17), atol=1e-9)
    # geometric from half a cell to the corner, each ring at the geometric mean of its edges
    edge = 0.5 * (32 * 2**0.5 / 0.5) ** (torch.arange(17).double() / 16)
    assert torch.allclose(ring[:, 0], (edge[1:] * edge[:-1]).sqrt())
    # a point stands for a wedge's arc or its ring's width, whichever is larger
    whole = ring[:, 0] < 32
    larger = (ring[:, 0] * 2 * pi / 17).maximum(edge.diff())
    assert torch.allclose(spacing[1:].view(16, 17)[whole, 0], larger[whole])


@given(slots=st.integers(2, 600), place=fractions)
def test_rings_grow_outwards_and_differ_by_at_most_one_wedge(
    slots: int, place: tuple[float, float]
) -> None:
    field = lift.pyramid([(64, 48)], 4)
    gaze = torch.tensor([[place[0] * 64, place[1] * 48]])
    (point,), _ = rings(field, gaze, slots)
    radius = (point[1:] - point[0]).norm(dim=1)
    assert len(point) == slots
    inside = (point >= 0).all() and (point <= torch.tensor([64, 48])).all()
    assert inside
    free = radius[(point[1:] > 0).all(1) & (point[1:] < torch.tensor([64, 48])).all(1)]
    assert (free.diff() > -1e-9).all()
    count = torch.unique((free * 1e6).round(), return_counts=True)[1]
    rings_wanted = int((slots - 1) ** 0.5)
    assert count.max() <= -(-(slots - 1) // rings_wanted)


@pytest.mark.parametrize("corner", [(0, 0), (0, 97), (64, 0), (64, 97), (0.5, 96.5)])
def test_seed_was_wrong_border_bins_do_not_pile_up(corner: tuple[float, float]) -> None:
    field = lift.pyramid([(64, 97)], 4)
    (point,), _ = rings(field, torch.tensor([corner], dtype=torch.float32), 273)
    distinct = {(round(y, 6), round(x, 6)) for y, x in point.tolist()}
    assert len(distinct) == 273
    border = ((point[1:] == 0) | (point[1:] == torch.tensor([64, 97]))).any(1)
    assert border.sum() == 0
    assert naive_on_border(corner, (64, 97)) > 100


@pytest.mark.parametrize("gaze", [(0.5, 131.0), (0.5, 60.0), (0.25, 0.0)])
def test_rings_of_a_strip_look_both_ways_and_do_not_pile_up(gaze: tuple[float, float]) -> None:
    field = lift.pyramid([(1, 131)], 5)
    (point,), _ = rings(field, torch.tensor([gaze]), 65)  # 8 rings of 8 wedges
    ring = (point[1:] - point[0]).norm(dim=1).view(8, 8)
    assert torch.allclose(ring, ring[:, :1].expand(-1, 8)), "no point was moved to the border"
    left, right = gaze[1] - ring[-1, 0] > 0, gaze[1] + ring[-1, 0] < 131
    assert bool((point[-8:, 1] < gaze[1]).any()) == bool(left)
    assert bool((point[-8:, 1] > gaze[1]).any()) == bool(right)
    assert len({(round(y, 6), round(x, 6)) for y, x in point.tolist()}) == 65


def naive_on_border(gaze: tuple[float, float], size: tuple[int, int]) -> int:
    """How many of 16 full rings of 17 wedges the seeds' clamping moves to the border."""
    reach = max(dist(gaze, far) for far in ((0, 0), (0, size[1]), (size[0], 0), size))
    moved = 0
    for ring in range(16):
        radius = 0.5 * (reach / 0.5) ** ((ring + 0.5) / 16)
        for wedge in range(17):
            y = gaze[0] + radius * np.sin(2 * pi * wedge / 17)
            x = gaze[1] + radius * np.cos(2 * pi * wedge / 17)
            moved += not (0 <= y <= size[0] and 0 <= x <= size[1])
    return moved


def test_log_polar_reads_the_fixated_cell_itself_when_it_looks_at_its_centre() -> None:
    field = lift.pyramid([(32, 32)], 4, torch.arange(1024.0).view(1, 1024, 1))
    plan = LogPolar(fixation=torch.tensor([[[10.5, 20.5]]]))(field, silence(field), 100)
    assert read(field, plan, 0)[0].tolist() == [10 * 32 + 20]


def test_unaimed_log_polar_looks_at_the_peak() -> None:
    logit = torch.zeros(1, 1024)
    logit[0, 10 * 32 + 20] = 5.0
    field = lift.pyramid([(32, 32)], 4)
    shown = lift.spread(field, logit)
    assert LogPolar().gaze(field, shown).tolist() == [[[10.5, 20.5]]]
    aimed = LogPolar(fixation=torch.tensor([[[10.5, 20.5]]]))
    assert torch.equal(LogPolar()(field, shown, 64).index, aimed(field, shown, 64).index)


def test_lattices_refuse_what_is_no_pyramid() -> None:
    field = regions([(4, 4)], torch.zeros(1, 16, dtype=torch.long), 1)
    with pytest.raises(ValueError, match="need a pyramid"):
        LogPolar()(field, silence(field), 3)
    for rule in (PseudoLogPolar(), Pool(), Uniform()):
        with pytest.raises(ValueError, match="needs a grid of level-0 cells, got 2 levels"):
            rule(field, silence(field), 3)


# ---- learned bins --------------------------------------------------------------------------------


def test_a_bin_takes_the_best_of_its_nine_cells() -> None:
    logit = torch.zeros(1, 100)
    logit[0, 10 * 3 + 3] = 5.0  # the fixation: the bin at offset 0 keeps it
    logit[0, 10 * 4 + 8] = 2.0  # one to the right of where the second bin points
    centre = torch.tensor([[0.0, 0.0], [0.1, 0.4]])  # the second lands on row 4, column 7
    plan = PseudoLogPolar(centre=centre)(lift.grid([(10, 10)]), Relevance(logit), 2)
    assert set(plan.index[0, :, 0].tolist()) == {33, 48}
    logit[0, 10 * 4 + 8] = 0.9  # less than the distance of one cell costs
    plan = PseudoLogPolar(centre=centre)(lift.grid([(10, 10)]), Relevance(logit), 2)
    assert set(plan.index[0, :, 0].tolist()) == {33, 47}


def test_bins_on_one_cell_give_their_slots_to_the_most_relevant_cells() -> None:
    logit = torch.zeros(1, 100)
    logit[0, 33], logit[0, 99], logit[0, 90] = 9.0, 3.0, 2.0
    plan = PseudoLogPolar(centre=torch.zeros(3, 2))(lift.grid([(10, 10)]), Relevance(logit), 3)
    assert set(plan.index[0, :, 0].tolist()) == {33, 99, 90}


def test_bins_are_denser_near_the_fixation() -> None:
    fixation = torch.tensor([[[32.0, 32.0]]])
    plan = PseudoLogPolar(fixation=fixation)(
        lift.grid([(64, 64)]), Relevance(torch.zeros(1, 4096)), 273
    )
    y, x = plan.index[0, :, 0] // 64, plan.index[0, :, 0] % 64
    near = ((y - 31.5).abs() < 8) & ((x - 31.5).abs() < 8)
    assert near.sum() > 3 * 273 * 256 / 4096


def test_soft_bins_are_means_that_training_can_move() -> None:
    centre = torch.tensor([[0.0, 0.0], [0.1, 0.4]], requires_grad=True)
    logit = torch.zeros(1, 100, requires_grad=True)
    rule = PseudoLogPolar(centre=centre, soft=True, fixation=torch.tensor([[[3.5, 3.5]]]))
    plan = rule(lift.grid([(10, 10)]), Relevance(logit), 2)
    assert plan.index.shape == (1, 2, 9)
    assert torch.allclose(plan.weight.sum(2), torch.ones(1, 2))
    assert plan.index[0, 0, plan.weight[0, 0].argmax()] == 33
    plan.weight.square().sum().backward()
    assert centre.grad is not None
    assert centre.grad.isfinite().all()
    assert (logit.grad != 0).any()


def test_too_few_bins_are_refused() -> None:
    with pytest.raises(ValueError, match="5 slots need 5 centres, got 2"):
        PseudoLogPolar(centre=torch.zeros(2, 2))(
            lift.grid([(4, 4)]), Relevance(torch.zeros(1, 16)), 5
        )


# ---- tiles ---------------------------------------------------------------------------------------


@often
@law(images=2)
def test_pool_reads_every_cell_in_exactly_one_slot_with_equal_weights(case: Case) -> None:
    plan = Pool()(lift.grid(case.grids), Relevance(case.logit()), case.slots)
    for image, ((_, cols), cells) in enumerate(zip(case.grids, case.cells, strict=True)):
        seen: list[int] = []
        for index, weight in zip(plan.index[image], plan.weight[image], strict=True):
            tile = index[weight > 0].tolist()
            seen += tile
            assert len(set(weight[weight > 0].tolist())) <= 1
            rows, columns = {c // cols for c in tile}, {c % cols for c in tile}
            assert len(tile) == len(rows) * len(columns), "a tile is a rectangle"
            assert not tile or max(rows) - min(rows) + 1 == len(rows)
            assert not tile or max(columns) - min(columns) + 1 == len(columns)
        assert sorted(seen) == list(range(cells))


@often
@law(images=2)
def test_uniform_takes_the_middle_of_each_of_pools_tiles(case: Case) -> None:
    field, shown = lift.grid(case.grids), Relevance(case.logit())
    pool, uniform = (rule(field, shown, case.slots) for rule in (Pool(), Uniform()))
    for image, (_, cols) in enumerate(case.grids):
        for slot in range(int(pool.valid[image].sum())):
            tile = pool.index[image, slot][pool.weight[image, slot] > 0]
            row, col = tile // cols, tile % cols
            middle = (row.min() + row.max()) // 2 * cols + (col.min() + col.max()) // 2
            assert uniform.index[image, slot, 0] == middle


@given(grid=pictures, slots=st.integers(1, 400))
def test_tiles_are_about_square_where_the_image_allows(grid: tuple[int, int], slots: int) -> None:
    rows, cols = grid
    if min(grid) < 16 or slots > rows * cols // 16 or slots < 16:
        return
    field = lift.grid([grid])
    box = pack(field, Pool()(field, silence(field), slots)).box[0]
    side = box[:, 2:] - box[:, :2]
    assert (side[:, 0] / side[:, 1]).log2().abs().max() < 1.2


def test_four_blocks_of_a_4x4_picture_are_its_quarters() -> None:
    _, plan = list_methods()["pool"].plan([(4, 4)], torch.zeros(1, 16), 4)
    quarters = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    assert plan.index[0].tolist() == quarters
    assert (plan.weight == 0.25).all()
    _, plan = list_methods()["uniform"].plan([(4, 4)], torch.zeros(1, 16), 4)
    assert plan.index[0, :, 0].tolist() == [0, 2, 8, 10]


@pytest.mark.parametrize("name", ["pool", "windows", "resize"])
def test_a_broken_feature_spoils_only_the_blocks_that_read_it(name: str) -> None:
    feature = torch.ones(1, 25, 1)
    feature[0, 0] = torch.nan
    logit = torch.arange(25.0)[None]
    field, plan = list_methods()[name].plan([(5, 5)], logit, 9, Material(feature=feature))
    embed = pack(field, plan).embed
    assert embed is not None
    assert embed.isnan().sum() == 1


# ---- a smaller image -----------------------------------------------------------------------------


@often
@given(grid=pictures, slots=st.integers(1, 600))
def test_a_smaller_image_is_the_largest_of_its_shape_and_shrinks_no_further(
    grid: tuple[int, int], slots: int
) -> None:
    rows, cols = resize_plan(grid, slots)
    assert (rows, cols) == lattice.smaller_grid(grid, slots)
    assert resize_plan(grid, rows * cols) == (rows, cols)
    assert list_methods()["resize"].count(grid, slots) == rows * cols


@pytest.mark.parametrize("grid", [(64, 64), (97, 131), (40, 60), (128, 60)])
def test_a_smaller_image_leaves_few_slots_empty_and_keeps_its_shape(grid: tuple[int, int]) -> None:
    for slots in range(64, 1025):
        rows, cols = resize_plan(grid, slots)
        assert 0.8 * slots < rows * cols <= slots
        assert 0.8 < (rows / cols) / (grid[0] / grid[1]) < 1 / 0.8


@often
@law(images=3)
def test_a_token_of_a_smaller_image_is_the_mean_of_its_tile(case: Case) -> None:
    field = lift.grid(case.grids, case.feature())
    plan = Resize()(field, silence(field), case.slots)
    tokens = pack(field, plan)
    assert tokens.embed is not None
    for image, (rows, cols) in enumerate(case.grids):
        a, b = lattice.smaller_grid((rows, cols), case.slots)
        picture = case.feature()[image, : rows * cols].view(rows, cols, -1).double()
        assert int(plan.valid[image].sum()) == a * b
        for at in range(a * b):
            top, low = (edge * rows // a for edge in (at // b, at // b + 1))
            left, right = (edge * cols // b for edge in (at % b, at % b + 1))
            mean = picture[top:low, left:right].mean((0, 1))
            assert tokens.box[image, at].tolist() == [top, left, low, right]
            assert torch.allclose(tokens.embed[image, at].double(), mean, atol=1e-6)


def test_seven_slots_of_a_4x6_picture_are_a_picture_of_2x3() -> None:
    field, plan = list_methods()["resize"].plan([(4, 6), (1, 2)], torch.zeros(2, 24), 7)
    tiles = [[cell for cell, _ in slot] for slot in reads(plan, 0)]
    assert tiles[:3] == [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]
    assert tiles[3:] == [[12, 13, 18, 19], [14, 15, 20, 21], [16, 17, 22, 23]]
    assert (plan.weight[0] == 0.25).all()
    assert reads(plan, 1) == [[(0, 1.0)], [(1, 1.0)]]
    assert plan.valid.tolist() == [[True] * 6, [True] * 2 + [False] * 4]
    assert pack(field, plan).box[0, 4].tolist() == [2, 2, 4, 4]


# ---- windows -------------------------------------------------------------------------------------


@pytest.mark.parametrize("grid", [(64, 64), (97, 131)])
def test_thumbnail_and_window_add_up_to_every_budget_exactly(grid: tuple[int, int]) -> None:
    for slots in range(16, 1025):
        a, b, c, d = window_plan(grid, slots, 0.35)
        assert a * b + c * d == slots
        assert max(a, c) <= grid[0]
        assert max(b, d) <= grid[1]
        assert 0.175 <= a * b / slots <= 0.7
        assert 0.5 <= (a / b) / (grid[0] / grid[1]) <= 2


@given(grid=pictures, slots=st.integers(1, 300), share=st.sampled_from([0.35, 0.1, 0.8]))
def test_small_grids_and_odd_budgets_have_a_plan_too(
    grid: tuple[int, int], slots: int, share: float
) -> None:
    a, b, c, d = window_plan(grid, slots, share)
    assert a * b + c * d == min(slots, grid[0] * grid[1])
    assert min(a, b) >= 1
    assert max(a, c) <= grid[0]
    assert max(b, d) <= grid[1]


@often
@law(images=2)
def test_the_window_stands_where_it_holds_most_relevance(case: Case) -> None:
    field = lift.grid(case.grids)
    plan = Windows()(field, Relevance(case.logit()), case.slots)
    for image, (grid, cells) in enumerate(zip(case.grids, case.cells, strict=True)):
        if cells <= case.slots or cells > 2000:
            continue
        a, b, c, d = window_plan(grid, case.slots, 0.35)
        sharp = [slot[0] for slot in reads(plan, image)[a * b :]]
        weight = shares.mass(case.logit()[image, :cells].tolist())
        _, (y, x) = lattice.best_window(np.array(weight).reshape(grid), (c, d))
        wanted = [(y + row) * grid[1] + x + col for row in range(c) for col in range(d)]
        assert sharp == [(cell, 1.0) for cell in wanted]


@often
@law(images=2)
def test_the_thumbnail_is_the_means_of_equal_tiles(case: Case) -> None:
    field = lift.grid(case.grids)
    plan = Windows()(field, Relevance(case.logit()), case.slots)
    for image, ((rows, cols), cells) in enumerate(zip(case.grids, case.cells, strict=True)):
        if cells <= case.slots:
            continue
        a, b, _, _ = window_plan((rows, cols), case.slots, 0.35)
        for slot, read in enumerate(reads(plan, image)[: a * b]):
            down, right = divmod(slot, b)
            tile = [
                row * cols + col
                for row in range(down * rows // a, (down + 1) * rows // a)
                for col in range(right * cols // b, (right + 1) * cols // b)
            ]
            assert [cell for cell, _ in read] == tile
            assert {weight for _, weight in read} == {np.float32(1 / len(tile))}


def test_ten_slots_of_a_4x8_picture_are_a_small_thumbnail_and_a_sharp_corner() -> None:
    logit = torch.zeros(1, 32)
    logit[0, 31] = 8.0
    _, plan = list_methods()["windows"].plan([(4, 8)], logit, 10)
    assert window_plan((4, 8), 10, 0.35) == (1, 2, 2, 4)
    left, right, *sharp = ([cell for cell, _ in slot] for slot in reads(plan, 0))
    assert left == [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]
    assert right == [cell + 4 for cell in left]
    assert sharp == [[20], [21], [22], [23], [28], [29], [30], [31]]
