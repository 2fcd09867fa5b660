"""Cuts: equal to a textbook heap, tiling the image once, finest where the cortex is largest."""

from math import sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cases import Case, law, often, pictures, relevance
from homunculus import Allocation, Field, Material, Relevance, list_methods
from homunculus.engines.cells import lift
from homunculus.engines.cells.allocate import BestFirst
from homunculus_lab.methods.foveated import Foveated
from homunculus_lab.methods.merge import clusters
from oracles import tree


def raw_logit(field: Field, case: Case) -> torch.Tensor:
    """Ties and dyadic steps on every cell of the field; coarse cells may be the hottest."""
    drawn = torch.randint(0, case.kinds, field.level.shape, generator=case.chance(6))
    return (drawn * (256 // max(1, case.kinds - 1)) - 128) / 16


def kept(plan: Allocation, image: int) -> set[int]:
    return set(plan.index[image, plan.valid[image], 0].tolist())


def check_heap(field: Field, logit: torch.Tensor, plan: Allocation, case: Case, bonus) -> None:
    """Every image holds what a heap would hold; ``bonus`` maps (image, boxes) to gains."""
    for image, cells in enumerate(case.cells):
        parent, boxes = tree.tree(field, image)
        value = logit[image, : len(parent)].tolist()
        cut, overlay = tree.best_first(parent, value, bonus(image, boxes), min(case.slots, cells))
        assert kept(plan, image) == cut | overlay


@often
@law(images=3, hedge=(st.sampled_from([0.0, 1.0, 2.0]), 2.0))
def test_the_cut_of_a_pyramid_equals_a_heap(case: Case, hedge: float) -> None:
    field = lift.pyramid(case.grids, lift.levels_for(case.grids, case.slots))
    for logit in (raw_logit(field, case), relevance(field, case.logit()).logit):
        plan = BestFirst(hedge)(field, Relevance(logit), case.slots)
        check_heap(field, logit, plan, case, lambda _, boxes: tree.extent_bonus(boxes, hedge))


@pytest.mark.parametrize("hedge", [0.0, 2.0])
@often
@law(images=2)
def test_the_cut_of_a_cluster_tree_equals_a_heap(hedge: float, case: Case) -> None:
    levels = lift.levels_for(case.grids, case.slots)
    field = clusters(case.grids, case.feature(), levels)
    logit = raw_logit(field, case)
    plan = BestFirst(hedge)(field, Relevance(logit), case.slots)
    check_heap(field, logit, plan, case, lambda _, boxes: tree.extent_bonus(boxes, hedge))


@often
@law(images=2, points=(st.integers(1, 3), 2), view=(st.sampled_from([40.0, 15.0]), 40.0))
def test_the_foveated_cut_equals_a_heap(case: Case, points: int, view: float) -> None:
    field = lift.pyramid(case.grids, lift.levels_for(case.grids, case.slots))
    logit = raw_logit(field, case)
    size = torch.tensor(case.grids)[:, None]
    place = torch.rand(len(case.grids), points, 2, generator=case.chance(8)) * size
    place = (place * 4).round() / 4
    plan = Foveated(field_of_view=view, fixation=place)(field, Relevance(logit), case.slots)

    def bonus(image: int, boxes: list[tree.Box]) -> list[float]:
        gaze = [(y, x) for y, x in place[image].tolist()]
        return tree.cortical_bonus(boxes, case.grids[image], gaze, 2.0, view)

    check_heap(field, logit, plan, case, bonus)


@law(images=2)
def test_unaimed_the_fovea_is_the_peak_of_smoothed_relevance(case: Case) -> None:
    field = lift.pyramid(case.grids, lift.levels_for(case.grids, case.slots))
    shown = relevance(field, case.logit())
    gaze = Foveated().gaze(field, shown)
    assert gaze.shape == (len(case.grids), 1, 2)
    for image in range(len(case.grids)):
        parent, boxes = tree.tree(field, image)
        value = shown.logit[image].tolist()
        leaves = [cell for cell in range(len(parent)) if int(field.level[image, cell]) == 0]
        smooth = {c: value[c] + value[parent[c]] + value[parent[parent[c]]] for c in leaves}
        y, x = gaze[image, 0].tolist()
        (found,) = (c for c in leaves if boxes[c][:2] == (y - 0.5, x - 0.5))
        assert smooth[found] >= max(smooth.values()) - 1e-4
    aimed = Foveated(fixation=gaze)(field, shown, case.slots)
    assert torch.equal(aimed.index, Foveated()(field, shown, case.slots).index)


CUTS = ["cut", "foveated", "clusters", "oracle", "shuffled"]


@pytest.mark.parametrize("name", CUTS)
@law(images=2)
def test_a_cut_without_its_overlays_tiles_the_image_exactly_once(name: str, case: Case) -> None:
    method = list_methods()[name]
    field = method.field(case.grids, case.slots, case.material())
    plan = method.allocate(field, relevance(field, case.logit()), case.slots)
    for image, cells in enumerate(case.cells):
        parent, _ = tree.tree(field, image)
        chosen = kept(plan, image)
        above = {cell: set(line(parent, cell)) for cell in range(len(parent))}
        overlays = {cell for cell in chosen if (above[cell] - {cell}) & chosen}
        assert len({parent[cell] for cell in overlays}) <= 1, "overlays are children of one cell"
        if field.regular:
            assert len(overlays) <= 2
        cut = chosen - overlays
        leaves = [cell for cell in range(len(parent)) if int(field.level[image, cell]) == 0]
        assert len(leaves) == cells
        assert all(len(above[leaf] & cut) == 1 for leaf in leaves)


def line(parent: list[int], cell: int) -> list[int]:
    """A cell and its ancestors."""
    found = [cell]
    while parent[cell] != cell:
        cell = parent[cell]
        found.append(cell)
    return found


def corners(field: Field, plan: Allocation) -> set[tuple[int, int, int]]:
    """(row, column, side) of the kept cells of the first image."""
    box = field.box[0, plan.index[0, :, 0]].int().tolist()
    return {(y0, x0, y1 - y0) for y0, x0, y1, _ in box}


def test_seven_slots_of_a_4x4_image_are_three_quarters_and_the_hot_one_opened() -> None:
    logit = torch.zeros(1, 16)
    logit[0, 3] = 4.0  # top right
    field, plan = list_methods()["cut"].plan([(4, 4)], logit, 7)
    coarse = {(0, 0, 2), (2, 0, 2), (2, 2, 2)}
    assert corners(field, plan) == coarse | {(0, 2, 1), (0, 3, 1), (1, 2, 1), (1, 3, 1)}


def test_what_is_left_of_the_budget_shows_the_best_children_of_the_next_cell() -> None:
    logit = torch.zeros(1, 16)
    logit[0, 3], logit[0, 15] = 4.0, 2.0  # top right is split; then bottom right, too dear
    field, plan = list_methods()["cut"].plan([(4, 4)], logit, 9)
    coarse = {(0, 0, 2), (2, 0, 2), (2, 2, 2)}
    fine = {(0, 2, 1), (0, 3, 1), (1, 2, 1), (1, 3, 1)}
    assert corners(field, plan) == coarse | fine | {(3, 3, 1), (2, 2, 1)}


def test_the_hedge_decides_between_a_peak_and_an_area() -> None:
    logit = torch.zeros(1, 64)
    logit[0, 0] = 1.0  # less than 2 log 2: a hedge of 2 opens every large cell first
    field = lift.pyramid([(8, 8)], 3)
    shown = lift.spread(field, logit)
    spread_out = BestFirst(2.0)(field, shown, 16)
    assert {side for _, _, side in corners(field, spread_out)} == {2}
    dive = BestFirst(0.0)(field, shown, 10)
    leaves = {(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)}
    near = {(0, 2, 2), (2, 0, 2), (2, 2, 2)}
    assert corners(field, dive) == leaves | near | {(0, 4, 4), (4, 0, 4), (4, 4, 4)}


def test_a_fovea_in_the_corner_of_an_8x8_image_opens_what_is_near_it() -> None:
    field = lift.pyramid([(8, 8)], lift.levels_for([(8, 8)], 16))
    fixation = torch.zeros(1, 1, 2)
    plan = Foveated(fixation=fixation)(field, Relevance(torch.zeros(field.level.shape)), 16)
    leaves = {(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)}
    rest = {(0, 2, 2), (2, 0, 2), (2, 2, 2)}
    right = {(0, 4, 2), (0, 6, 2), (2, 4, 2), (2, 6, 2)}
    below = {(4, 0, 2), (4, 2, 2), (6, 0, 2), (6, 2, 2)}
    assert corners(field, plan) == leaves | rest | right | below | {(4, 4, 4)}


def test_two_slots_show_the_two_halves_that_clusters_found() -> None:
    half = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]).repeat(4, 1)[None]
    field, plan = list_methods()["clusters"].plan(
        [(4, 4)], torch.zeros(1, 16), 2, Material(feature=half)
    )
    box = field.box[0, plan.index[0, :, 0]].int().tolist()
    assert sorted(box) == [[0, 0, 4, 2], [0, 2, 4, 4]]


def cortical_ratio(
    grid: tuple[int, int], slots: int, fixation: tuple[float, float], at: str
) -> float:
    """Largest over smallest cortical size of the pure foveated cut's free cells.

    Free: not roots, not of level 0, not clipped by the border, so that the budget decided on them.
    """
    field = lift.pyramid([grid], lift.levels_for([grid], slots))
    plan = Foveated(fixation=torch.tensor([[fixation]]))(
        field, Relevance(torch.zeros(field.level.shape)), slots
    )
    size = []
    for cell in kept(plan, 0):
        y0, x0, y1, x1 = field.box[0, cell].tolist()
        side = 2 ** int(field.level[0, cell])
        if side == 1 or int(field.parent[0, cell]) == cell or (y1 - y0, x1 - x0) != (side, side):
            continue
        if at == "nearest":
            distance = tree.away((y0, x0, y1, x1), fixation)
        else:
            points = [((y0 + y1) / 2, (x0 + x1) / 2)]
            points = points if at == "centre" else [(y, x) for y in (y0, y1) for x in (x0, x1)]
            away = [sqrt((y - fixation[0]) ** 2 + (x - fixation[1]) ** 2) for y, x in points]
            distance = max(away)
        size.append(side * tree.magnification(distance * 40 / max(grid)))
    return max(size) / min(size) if size else 1.0


@given(grid=pictures, slots=st.integers(1, 300), place=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_no_cell_was_opened_that_takes_less_cortex_than_one_left_closed(
    grid: tuple[int, int], slots: int, place: tuple[float, float]
) -> None:
    gaze = (place[0] * grid[0], place[1] * grid[1])
    field = lift.pyramid([grid], lift.levels_for([grid], slots))
    plan = Foveated(fixation=torch.tensor([[gaze]]))(
        field, Relevance(torch.zeros(field.level.shape)), slots
    )
    parent, boxes = tree.tree(field, 0)
    size = tree.cortical_bonus(boxes, grid, [gaze], 1.0, 40.0)
    chosen, children = kept(plan, 0), tree.children_of(parent)
    opened = {cell for leaf in chosen for cell in line(parent, leaf)[1:]} - chosen
    closed = [size[cell] for cell in chosen if children[cell]]
    if opened and closed:
        assert min(size[cell] for cell in opened) >= max(closed) - 1e-5


@pytest.mark.parametrize("grid", [(64, 64), (97, 131), (128, 96)])
@pytest.mark.parametrize("slots", [128, 273, 576])
@pytest.mark.parametrize("place", [(0.5, 0.5), (0.0, 0.0), (0.3, 0.6)])
def test_the_pure_foveated_cut_takes_like_sizes_of_cortex(
    grid: tuple[int, int], slots: int, place: tuple[float, float]
) -> None:
    # a quadtree's factor 2, and what eccentricity changes across one cell
    fixation = (place[0] * grid[0], place[1] * grid[1])
    assert cortical_ratio(grid, slots, fixation, "nearest") <= 3.2
    assert cortical_ratio(grid, slots, fixation, "centre") <= 2.6
    assert cortical_ratio(grid, slots, fixation, "farthest") <= 2.3


def test_two_fixations_are_both_seen_sharply() -> None:
    field = lift.pyramid([(64, 64)], lift.levels_for([(64, 64)], 273))
    fixation = torch.tensor([[[5.0, 5.0], [58.0, 50.0]]])
    plan = Foveated(fixation=fixation)(field, Relevance(torch.zeros(field.level.shape)), 273)
    cells = corners(field, plan)
    assert {(5, 5, 1), (58, 50, 1), (4, 4, 1), (57, 49, 1)} <= cells


@given(grid=pictures, slots=st.integers(1, 300), seed=st.integers(0, 99))
def test_the_fixated_cell_is_always_among_the_finest_kept(
    grid: tuple[int, int], slots: int, seed: int
) -> None:
    field = lift.pyramid([grid], lift.levels_for([grid], slots))
    chance = torch.Generator().manual_seed(seed)
    cell = (torch.rand(2, generator=chance) * torch.tensor(grid)).floor()
    plan = Foveated(fixation=(cell + 0.5)[None, None])(
        field, Relevance(torch.zeros(field.level.shape)), slots
    )
    index = plan.index[0, :, 0]
    above = field.parent[0, index]
    index = index[(above == index) | ~torch.isin(above, index)]  # without overlays
    box, level = field.box[0, index], field.level[0, index]
    holds = ((box[:, :2] <= cell) & (box[:, 2:] > cell)).all(1)
    assert level[holds].min() == level.min()


def test_errors_name_what_was_expected() -> None:
    field = lift.pyramid([(8, 8)], 3)
    with pytest.raises(ValueError, match=r"expected \(1, 84\), got \(1, 64\)"):
        BestFirst()(field, Relevance(torch.zeros(1, 64)), 5)
    with pytest.raises(ValueError, match="slots must be 1 or more, got 0"):
        BestFirst()(field, Relevance(torch.zeros(1, 84)), 0)
