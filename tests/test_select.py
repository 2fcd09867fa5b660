"""Rules that choose among equals: shares that add up exactly, the best cells of every part."""

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cases import REGIONS, Case, law, often, pictures, relevance
from homunculus import Material, Relevance, list_methods
from homunculus.engines.cells import lift
from homunculus.engines.cells.allocate import TopK
from homunculus_lab.methods.lifts import bands
from homunculus_lab.methods.segments import regions
from homunculus_lab.methods.shares import apportion
from homunculus_lab.methods.strata import (
    AdaptiveStrata,
    Bands,
    Centre,
    Random,
    Regions,
    Shares,
    Stratified,
)
from oracles import shares


def chosen(plan, image: int = 0) -> set[int]:
    return set(plan.index[image, plan.valid[image], 0].tolist())


# ---- apportionment -------------------------------------------------------------------------------

groups = st.lists(
    st.tuples(st.one_of(st.integers(1, 9), st.integers(1, 10**9)), st.integers(0, 40)),
    min_size=1,
    max_size=20,
)


@often
@given(groups=groups, seats=st.integers(1, 300))
def test_apportionment_equals_exact_fractions(groups: list[tuple[int, int]], seats: int) -> None:
    share, room = (list(part) for part in zip(*groups, strict=True))
    found = apportion(torch.tensor([share]), torch.tensor([room]), torch.tensor([[seats]]))[
        0
    ].tolist()
    assert found == shares.apportion(share, room, seats)
    assert sum(found) == min(seats, sum(room))
    assert all(0 <= got <= space for got, space in zip(found, room, strict=True))
    if seats >= sum(space > 0 for space in room):
        assert all(got > 0 for got, space in zip(found, room, strict=True) if space)


@given(groups=st.lists(groups.filter(lambda g: len(g) == 1), min_size=2, max_size=9))
def test_apportionment_treats_each_image_alone(groups: list[list[tuple[int, int]]]) -> None:
    rows = [(share, room, 7) for ((share, room),) in groups]
    share, room, seats = (torch.tensor(part)[:, None] for part in zip(*rows, strict=True))
    together = apportion(share, room, seats)
    apart = [
        apportion(share[i : i + 1], room[i : i + 1], seats[i : i + 1]) for i in range(len(rows))
    ]
    assert torch.equal(together, torch.cat(apart))


def test_seats_beyond_a_full_part_go_to_the_others_in_proportion() -> None:
    share, room = torch.tensor([[1000, 30, 10]]), torch.tensor([[5, 100, 100]])
    # 5 to the full one; one each first, then the 38 that are left 3 : 1
    assert apportion(share, room, torch.tensor([[45]])).tolist() == [[5, 30, 10]]


def test_with_fewer_seats_than_parts_the_largest_shares_get_one_each() -> None:
    share, room = torch.tensor([[3, 9, 9, 1, 8]]), torch.tensor([[4, 4, 4, 4, 0]])
    assert apportion(share, room, torch.tensor([[3]])).tolist() == [[1, 1, 1, 0, 0]]
    assert apportion(share, room, torch.tensor([[1]])).tolist() == [[0, 1, 0, 0, 0]]


def test_equal_remainders_go_to_the_earlier_part() -> None:
    share, room = torch.ones(1, 4, dtype=torch.long), torch.full((1, 4), 9)
    assert apportion(share, room, torch.tensor([[10]])).tolist() == [[3, 3, 2, 2]]


# ---- grid and pyramid ----------------------------------------------------------------------------


@often
@law(images=2, level_weight=(st.sampled_from([0.0, 0.5, -0.25]), 0.5))
def test_top_k_equals_sorting(case: Case, level_weight: float) -> None:
    field = lift.pyramid(case.grids, 2)
    logit = torch.randint(-9, 9, field.level.shape, generator=case.chance(6)) / 4
    plan = TopK(level_weight)(field, Relevance(logit), case.slots)
    for image, cells in enumerate(case.cells):
        if cells <= case.slots:
            continue
        value = (logit + level_weight * field.level)[image].tolist()
        own = range(int(field.valid[image].sum()))
        ranked = sorted(own, key=lambda cell: (-value[cell], cell))
        assert plan.index[image, plan.valid[image], 0].tolist() == ranked[: case.slots]


def test_grid_keeps_the_three_hottest_cells_of_a_picture() -> None:
    logit = torch.tensor([[0.0, 5.0, 1.0], [2.0, 0.0, 7.0], [2.0, 6.0, 0.0]]).reshape(1, 9)
    _, plan = list_methods()["grid"].plan([(3, 3)], logit, 4)
    assert plan.index[0, :, 0].tolist() == [5, 7, 1, 3]


@law(images=3)
def test_grid_keeps_finite_cells_before_broken_ones(case: Case) -> None:
    logit = case.logit()
    lot = torch.rand(logit.shape, generator=case.chance(4))
    logit = logit.masked_fill(lot < 0.3, torch.nan).masked_fill(lot > 0.8, -torch.inf)
    for plan in (
        list_methods()["grid"].plan(case.grids, logit, case.slots)[1],
        TopK()(lift.grid(case.grids), Relevance(logit), case.slots),
    ):
        for image, cells in enumerate(case.cells):
            finite = set(logit[image, :cells].isfinite().nonzero().flatten().tolist())
            assert len(chosen(plan, image) & finite) == min(case.slots, len(finite))


def test_broken_cells_do_not_disturb_the_order_of_the_others() -> None:
    logit = torch.tensor([[0.0, 1.0, 2.0, 3.0, torch.inf, 5.0, 6.0, torch.nan]])
    field = lift.grid([(1, 8)])
    for rule in (TopK(), Stratified(1), AdaptiveStrata(1, 1)):
        assert chosen(rule(field, lift.spread(field, logit), 3)) == {4, 6, 5}, rule
        assert chosen(rule(field, Relevance(logit), 3)) == {6, 5, 3}, rule


def test_pyramid_weighs_levels_by_half_a_logit_each() -> None:
    logit = torch.tensor([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 1.25]]).reshape(1, 8)
    field, plan = list_methods()["pyramid"].plan([(2, 4)], logit, 3)
    # 2x4 cells under 1x2 under 1x1 under 1x1: the root's mean .65625 + 1.5 leads, then its only
    # child + 1, then the left square's 1 + .5
    level = field.level[0, plan.index[0, :, 0]].tolist()
    assert level == [3, 2, 1]
    assert field.box[0, plan.index[0, 2, 0]].tolist() == [0, 0, 2, 2]


def test_pyramid_shares_are_64_128_64_17_of_273() -> None:
    field, plan = list_methods()["pyramid-shares"].plan([(64, 64)], torch.zeros(1, 4096), 273)
    level = field.level[0, plan.index[0, :, 0]]
    assert level.bincount(minlength=4).tolist() == [64, 128, 64, 17]


@law(images=2)
def test_pyramid_shares_take_the_best_cells_of_each_level(case: Case) -> None:
    field = lift.pyramid(case.grids, 4)
    shown = relevance(field, case.logit())
    plan = Shares()(field, shown, case.slots)
    for image, cells in enumerate(case.cells):
        if cells <= case.slots:
            continue
        index = plan.index[image, :, 0]
        for level in range(4):
            own = (field.valid[image] & (field.level[image] == level)).nonzero().flatten().tolist()
            taken = [cell for cell in index.tolist() if cell in set(own)]
            ranked = sorted(own, key=lambda cell: (-shown.logit[image, cell].item(), cell))
            assert sorted(taken) == sorted(ranked[: len(taken)])


def test_shares_for_too_few_levels_are_refused() -> None:
    field = lift.pyramid([(8, 8)], 3)
    with pytest.raises(ValueError, match=r"2 shares.*3 levels"):
        Shares((1, 2))(field, Relevance(torch.zeros(field.level.shape)), 5)


# ---- strata --------------------------------------------------------------------------------------


@often
@law(images=2, side=(st.sampled_from([4, 4, 1, 3, 7]), 4))
def test_stratified_equals_a_double_loop(case: Case, side: int) -> None:
    plan = Stratified(side)(lift.grid(case.grids), Relevance(case.logit()), case.slots)
    for image, (grid, cells) in enumerate(zip(case.grids, case.cells, strict=True)):
        logit = case.logit()[image, :cells].tolist()
        assert chosen(plan, image) == shares.stratified(logit, grid, case.slots, side)


@law(images=3)
def test_adaptive_strata_held_to_four_a_side_are_stratified(case: Case) -> None:
    field, shown = lift.grid(case.grids), Relevance(case.logit())
    held, free = (
        AdaptiveStrata(4, 4)(field, shown, case.slots),
        Stratified(4)(field, shown, case.slots),
    )
    for image in range(len(case.grids)):
        assert chosen(held, image) == chosen(free, image)


@law(images=2)
def test_adaptive_strata_equal_loops_over_the_parts_that_relevance_chooses(case: Case) -> None:
    plan = AdaptiveStrata()(lift.grid(case.grids), Relevance(case.logit()), case.slots)
    for image, ((rows, cols), cells) in enumerate(zip(case.grids, case.cells, strict=True)):
        logit = case.logit()[image, :cells].tolist()
        weight = shares.mass(logit)
        lines = [sum(weight[r * cols : (r + 1) * cols]) for r in range(rows)]
        down = parts_wanted(lines)
        right = parts_wanted([sum(weight[c::cols]) for c in range(cols)])
        group = [
            next(p for p in range(down) if cell // cols < (p + 1) * rows // down) * right
            + next(p for p in range(right) if cell % cols < (p + 1) * cols // right)
            for cell in range(cells)
        ]
        assert chosen(plan, image) == shares.grouped(logit, group, down * right, case.slots)[0]


def parts_wanted(lines: list[int]) -> int:
    """2 where one line has all relevance, 8 where every line has the same; at most all lines."""
    share = [line * 2**14 // sum(lines) for line in lines]
    evenness = min(1.0, 2.0**28 / max(1, sum(part * part for part in share) * len(lines)))
    return min(2 + int(7 * evenness), 8, len(lines))


def test_relevance_in_one_place_asks_for_few_parts_and_spread_relevance_for_many() -> None:
    peaked = torch.full((1, 1024), -8.0)
    peaked[0, 0] = 8.0
    _, plan = list_methods()["adaptive-strata"].plan([(32, 32)], peaked, 20)
    quarter = plan.index[0, :, 0] // 32 // 16 * 2 + plan.index[0, :, 0] % 32 // 16
    assert quarter.bincount().tolist() == [17, 1, 1, 1]
    _, plan = list_methods()["adaptive-strata"].plan([(32, 32)], torch.zeros(1, 1024), 64)
    part = plan.index[0, :, 0] // 32 // 4 * 8 + plan.index[0, :, 0] % 32 // 4
    assert part.bincount().tolist() == [1] * 64


def test_every_part_of_a_page_is_seen_and_the_hot_one_gets_the_rest() -> None:
    logit = torch.full((1, 64), -8.0)
    logit[0, 0:2] = 8.0  # both in the top left part of 2 x 2 cells
    _, plan = list_methods()["stratified"].plan([(8, 8)], logit, 18)
    first_of_each = {row * 8 + col for row in range(0, 8, 2) for col in range(0, 8, 2)}
    assert chosen(plan) == first_of_each | {1, 8}


# ---- what the seeds had wrong --------------------------------------------------------------------


@law(images=2)
def test_seed_was_wrong_a_part_smaller_than_its_quota_costs_no_slot(case: Case) -> None:
    logit = torch.full((len(case.grids), case.most), -8.0)
    logit[:, 0] = 8.0  # one cell's part deserves nearly everything, and has room for little
    plan = Stratified()(lift.grid(case.grids), Relevance(logit), case.slots)
    assert plan.valid.sum(1).tolist() == [min(case.slots, cells) for cells in case.cells]
    assert all(len(chosen(plan, i)) == int(plan.valid[i].sum()) for i in range(len(case.grids)))


def test_seed_was_wrong_negative_importance_is_fine() -> None:
    logit = -100 - torch.arange(64.0)[None]
    plan = Stratified()(lift.grid([(8, 8)]), Relevance(logit), 20)
    shifted = Stratified()(lift.grid([(8, 8)]), Relevance(logit + 200), 20)
    assert plan.index.unique().numel() == 20
    assert torch.equal(plan.index, shifted.index)


@given(grid=pictures, seed=st.integers(0, 99))
def test_seed_was_wrong_quotas_add_up_without_a_rounding_loop(
    grid: tuple[int, int], seed: int
) -> None:
    cells = grid[0] * grid[1]
    logit = torch.randn(1, cells, generator=torch.Generator().manual_seed(seed)) * 5
    for slots in {1, 2, 15, 16, 17, cells - 1, cells // 2, cells // 3} & set(range(1, cells)):
        plan = Stratified()(lift.grid([grid]), Relevance(logit), slots)
        assert len(chosen(plan)) == slots


# ---- bands and regions ---------------------------------------------------------------------------


@often
@law(images=2)
def test_each_orientation_gets_what_its_relevance_buys(case: Case) -> None:
    field = bands(case.grids)
    logit = relevance(field, case.logit()).logit
    plan = Bands()(field, Relevance(logit), case.slots)
    for image, cells in enumerate(case.cells):
        if cells <= case.slots:
            continue
        copies = logit[image, : 4 * cells].view(cells, 4).tolist()
        band = [copy.index(max(copy)) for copy in copies]
        best = [max(copy) for copy in copies]
        wanted, quota = shares.grouped([*best], band, 4, case.slots)
        assert sum(quota) == case.slots
        assert chosen(plan, image) == {4 * cell + band[cell] for cell in wanted}


def test_frequency_keeps_a_cell_of_each_orientation_in_its_own_band() -> None:
    field = bands([(1, 6)])
    band = torch.full((6, 4), -8.0)
    band[0, 2], band[1, 2], band[2, 2], band[3, 0], band[4, 0], band[5, 1] = (
        3.0,
        5.0,
        4.0,
        1.0,
        2.0,
        0.0,
    )
    plan = Bands()(field, Relevance(band.reshape(1, 24)), 4)
    # one for each of the three orientations there are; the fourth slot goes to the strongest
    assert chosen(plan) == {4 * 1 + 2, 4 * 2 + 2, 4 * 4 + 0, 4 * 5 + 1}


@often
@law(images=2)
def test_every_region_is_seen_and_the_rest_goes_by_relevance(case: Case) -> None:
    field = regions(case.grids, case.label(), REGIONS)
    plan = Regions()(field, lift.spread(field, case.logit()), case.slots)
    for image, ((_, cols), cells) in enumerate(zip(case.grids, case.cells, strict=True)):
        if cells <= case.slots:
            continue
        label = case.label()[image].tolist()
        block = [c // cols // 8 * -(-cols // 8) + c % cols // 8 for c in range(cells)]
        name = [label[c] if label[c] >= 0 else REGIONS + block[c] for c in range(cells)]
        names = sorted(set(name))
        logit = case.logit()[image, :cells].tolist()
        group = [names.index(of) for of in name]
        wanted, quota = shares.grouped(logit, group, len(names), case.slots)
        box = field.box[image, plan.index[image, plan.valid[image], 0]].int()
        assert {y * cols + x for y, x in box[:, :2].tolist()} == wanted
        if case.slots >= len(names):
            assert min(quota) >= 1


def test_atlas_sees_a_speck_that_relevance_ignores() -> None:
    label = torch.zeros(1, 36, dtype=torch.long)
    label[0, 35] = 1
    logit = torch.arange(36.0, 0, -1)[None]
    field, plan = list_methods()["atlas"].plan([(6, 6)], logit, 3, Material(label=label, labels=2))
    assert field.box[0, plan.index[0, :, 0], :2].tolist() == [[0, 0], [0, 1], [5, 5]]


# ---- controls ------------------------------------------------------------------------------------


@law(images=2)
def test_centre_equals_sorting_by_distance(case: Case) -> None:
    plan = Centre()(lift.grid(case.grids), Relevance(case.logit()), case.slots)
    for image, ((rows, cols), cells) in enumerate(zip(case.grids, case.cells, strict=True)):
        away = [
            (2 * (c // cols) + 1 - rows) ** 2 + (2 * (c % cols) + 1 - cols) ** 2
            for c in range(cells)
        ]
        ranked = sorted(range(cells), key=lambda cell: (away[cell], cell))
        assert chosen(plan, image) == set(ranked[: case.slots])


def test_centre_of_the_longest_strip_is_its_middle() -> None:
    wide = 2**20
    plan = Centre()(lift.grid([(1, wide)]), Relevance(torch.zeros(1, wide)), 3)
    assert plan.index[0, :, 0].tolist() == [wide // 2 - 1, wide // 2, wide // 2 - 2]


def test_centre_of_a_4x4_picture_is_its_middle_square() -> None:
    _, plan = list_methods()["centre"].plan([(4, 4)], torch.zeros(1, 16), 4)
    assert plan.index[0, :, 0].tolist() == [5, 6, 9, 10]


def lots(images: int, slots: int, seed: int = 0) -> torch.Tensor:
    chance = torch.Generator().manual_seed(1)
    field = lift.grid([(6, 8)] * images, torch.randn(images, 48, 3, generator=chance))
    return Random(seed)(field, Relevance(torch.zeros(images, 48)), slots).index[..., 0]


def test_random_draws_every_cell_about_equally_often() -> None:
    index = lots(2000, 12)
    count = index.flatten().bincount(minlength=48).float()
    surprise = ((count - 500).square() / 500).sum()  # chi-square, 47 degrees of freedom
    assert 10 < surprise < 100
    first = index[:, 0].bincount(minlength=48).float()
    assert ((first - 2000 / 48).square() / (2000 / 48)).sum() < 100
    together = sum(len(set(a) & set(b)) for a, b in pairwise(index.tolist())) / 1999
    assert 2.7 < together < 3.3  # 12 x 12 / 48 = 3: one image says nothing about the next


def test_random_depends_on_content_and_seed_and_not_on_the_place_in_the_batch() -> None:
    chance = torch.Generator().manual_seed(2)
    feature = torch.randn(3, 48, 3, generator=chance)
    feature[2] = feature[0]
    field = lift.grid([(6, 8)] * 3, feature)
    plan = Random()(field, Relevance(torch.zeros(3, 48)), 12).index
    assert torch.equal(plan[0], plan[2])
    assert not torch.equal(plan[0], plan[1])
    assert not torch.equal(lots(4, 12, seed=0), lots(4, 12, seed=1))
    bare = Random()(
        lift.grid([(6, 8)] * 2), Relevance(torch.randn(2, 48, generator=chance)), 12
    ).index
    assert torch.equal(bare[0], bare[1]), "without features only the size can differ"
