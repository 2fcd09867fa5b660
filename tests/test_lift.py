"""Lifts: cells that tile the image at every level, parents that hold their children, true means."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cases import CHANNELS, REGIONS, Case, law, often, pictures
from homunculus import Field
from homunculus.engines.cells import lift
from homunculus.engines.cells.types import MAX_CELLS
from homunculus_lab.methods.lifts import bands
from homunculus_lab.methods.merge import clusters
from homunculus_lab.methods.segments import regions, smallest

Box = tuple[int, int, int, int]


def own(field: Field, image: int) -> list[tuple[int, Box, int]]:
    """(level, box, parent) of an image's valid cells; checks that padding stands last."""
    count = int(field.valid[image].sum())
    assert not field.valid[image, count:].any()
    level, box = field.level[image, :count].tolist(), field.box[image, :count].int().tolist()
    boxes = [(b[0], b[1], b[2], b[3]) for b in box]
    return list(zip(level, boxes, field.parent[image, :count].tolist(), strict=True))


def check_tree(field: Field) -> None:
    """Coarse first; a parent is coarser and holds its children; children are counted right."""
    for image, (rows, cols) in enumerate(field.grids):
        cells = own(field, image)
        levels = [level for level, _, _ in cells]
        assert levels == sorted(levels, reverse=True)
        count = [0] * len(cells)
        for at, (level, (y0, x0, y1, x1), above) in enumerate(cells):
            assert 0 <= y0 < y1 <= rows
            assert 0 <= x0 < x1 <= cols
            if above != at:
                count[above] += 1
                higher, (top, left, bottom, right), _ = cells[above]
                assert higher > level
                assert top <= y0 < y1 <= bottom
                assert left <= x0 < x1 <= right
        assert field.children[image, : len(cells)].tolist() == count
        assert all(count[at] > 0 for at in range(len(cells)) if levels[at] > 0)
        first, end = field.spans[0]
        assert first <= levels.index(0)
        assert len(cells) <= end
        finest = [box for level, box, _ in cells if level == 0]
        wanted = [(r, c, r + 1, c + 1) for r in range(rows) for c in range(cols)]
        assert finest == [box for box in wanted for _ in range(field.copies)], "reading order"


# ---- pyramid -------------------------------------------------------------------------------------


@often
@law(images=3, levels=(st.integers(1, 5), 4))
def test_every_level_of_a_pyramid_tiles_the_image_with_clipped_squares(
    case: Case, levels: int
) -> None:
    field = lift.pyramid(case.grids, levels)
    check_tree(field)
    for image, (rows, cols) in enumerate(case.grids):
        cells = own(field, image)
        for level in range(levels):
            step = 2**level
            boxes = [box for height, box, _ in cells if height == level]
            assert boxes == [
                (y, x, min(y + step, rows), min(x + step, cols))
                for y in range(0, rows, step)
                for x in range(0, cols, step)
            ]
        for at, (level, box, above) in enumerate(cells):
            if level == levels - 1:
                assert above == at
            else:
                assert cells[above][0] == level + 1
                side = 2 ** (level + 1)
                assert cells[above][1][:2] == (box[0] // side * side, box[1] // side * side)


@often
@law(images=3, levels=(st.integers(1, 5), 4))
def test_coarse_features_are_means_of_their_cells(case: Case, levels: int) -> None:
    feature = case.feature()
    field = lift.pyramid(case.grids, levels, feature)
    assert field.feature is not None
    for image, (rows, cols) in enumerate(case.grids):
        picture = feature[image, : rows * cols].double().numpy().reshape(rows, cols, -1)
        wanted = [
            picture[y0:y1, x0:x1].mean((0, 1)) for _, (y0, x0, y1, x1), _ in own(field, image)
        ]
        found = field.feature[image, : len(wanted)].numpy()
        np.testing.assert_allclose(found, np.array(wanted), rtol=0, atol=2e-6)


@law(images=2)
def test_relevance_spreads_as_means_and_broken_cells_count_as_the_worst(case: Case) -> None:
    logit = case.logit()
    field = lift.pyramid(case.grids, 3)
    broken = torch.rand(logit.shape, generator=case.chance(4))
    logit = logit.masked_fill(broken < 0.1, torch.nan).masked_fill(broken > 0.9, torch.inf)
    logit = logit.masked_fill((broken > 0.4) & (broken < 0.5), -torch.inf)
    found = lift.spread(field, logit).logit
    for image, (rows, cols) in enumerate(case.grids):
        picture = logit[image, : rows * cols].double().numpy().reshape(rows, cols)
        finite = picture[np.isfinite(picture)]
        low, high = (finite.min() - 1, finite.max() + 1) if finite.size else (-1.0, 1.0)
        picture = np.where(np.isposinf(picture), high, np.where(np.isfinite(picture), picture, low))
        wanted = [picture[y0:y1, x0:x1].mean() for _, (y0, x0, y1, x1), _ in own(field, image)]
        wanted = np.array(wanted) - (finite.max() if finite.size else 0)  # the most stands at zero
        np.testing.assert_allclose(found[image, : len(wanted)], wanted, rtol=0, atol=2e-6)


@given(grids=st.lists(pictures, min_size=1, max_size=3), slots=st.integers(1, 400))
def test_roots_take_at_most_a_quarter_of_the_slots_and_no_level_is_wasted(
    grids: list[tuple[int, int]], slots: int
) -> None:
    def count(grid: tuple[int, int], level: int) -> int:
        return -(-grid[0] // 2**level) * -(-grid[1] // 2**level)

    for grid, levels in zip(grids, lift.levels_for(grids, slots).tolist(), strict=True):
        assert count(grid, levels - 1) <= max(1, slots // 4)
        assert levels == 1 or count(grid, levels - 2) > max(1, slots // 4)


def test_a_ragged_5x3_pyramid_by_hand() -> None:
    field = lift.pyramid([(5, 3)], 3)
    assert field.level[0].tolist() == [2] * 2 + [1] * 6 + [0] * 15
    boxes = field.box[0].int().tolist()
    assert boxes[:2] == [[0, 0, 4, 3], [4, 0, 5, 3]]
    assert boxes[2:8] == [
        [0, 0, 2, 2], [0, 2, 2, 3], [2, 0, 4, 2], [2, 2, 4, 3], [4, 0, 5, 2], [4, 2, 5, 3],
    ]  # fmt: skip
    assert field.children[0, :8].tolist() == [4, 2, 4, 2, 4, 2, 2, 1]
    assert field.parent[0, :8].tolist() == [0, 1, 0, 0, 0, 0, 1, 1]
    assert field.spans == ((8, 23), (2, 8), (0, 2))


def test_a_grid_that_cannot_be_a_picture_is_refused() -> None:
    for grids, message in (
        ([], "at least one grid"),
        ([(0, 4)], "got 0x4"),
        ([(3, -1)], "got 3x-1"),
        ([(4096, 4097)], f"1..{MAX_CELLS} cells, got 4096x4097"),
    ):
        with pytest.raises(ValueError, match=message):
            lift.grid(grids)
    with pytest.raises(ValueError, match=r"need shape 1 x 6 .* got 1 x 5"):
        lift.pyramid([(2, 3)], 2, torch.zeros(1, 5, 1))
    with pytest.raises(ValueError, match="one grid per image, got 2"):
        replace(lift.grid([(2, 2)]), grids=((2, 2), (2, 2)))


def test_half_precision_features_are_averaged_in_full() -> None:
    feature = torch.full((1, 4096, 1), 1.0, dtype=torch.bfloat16)
    feature[0, 1::2] = 1.0078125  # the next bfloat16
    field = lift.pyramid([(64, 64)], 7, feature)
    assert field.feature is not None
    assert field.feature.dtype == torch.bfloat16
    assert field.feature[0, 0].item() in (1.0, 1.0078125)


# ---- bands ---------------------------------------------------------------------------------------


@law(images=2, copies=(st.integers(1, 5), 4))
def test_bands_repeat_each_cell_side_by_side(case: Case, copies: int) -> None:
    field = bands(case.grids, copies, case.feature())
    check_tree(field)
    assert field.copies == copies
    assert field.feature is not None
    shown = lift.spread(field, case.logit()).logit
    for image, cells in enumerate(case.cells):
        assert torch.equal(
            field.feature[image, : cells * copies],
            case.feature()[image, :cells].repeat_interleave(copies, 0),
        )
        repeated = case.logit()[image, :cells].repeat_interleave(copies)
        repeated = repeated - repeated.max()
        assert torch.equal(shown[image, : cells * copies], repeated)


# ---- regions -------------------------------------------------------------------------------------


@often
@law(images=2, block=(st.sampled_from([8, 3]), 3))
def test_regions_partition_the_cells_and_background_is_cut_into_blocks(
    case: Case, block: int
) -> None:
    label, feature = case.label(), case.feature()
    field = regions(case.grids, label, REGIONS, feature, block)
    check_tree(field)
    assert field.feature is not None
    shown = lift.spread(field, case.logit()).logit
    for image, ((_, cols), size) in enumerate(zip(case.grids, case.cells, strict=True)):
        cells = own(field, image)
        groups: dict[int, set[tuple]] = {}
        members: dict[int, list[int]] = {}
        for cell in range(size):
            place = ("block", cell // cols // block, cell % cols // block)
            of = int(label[image, cell])
            above = cells[len(cells) - size + cell][2]
            groups.setdefault(above, set()).add((of,) if of >= 0 else place)
            members.setdefault(above, []).append(cell)
        for above, held in members.items():
            mean = feature[image, held].double().mean(0)
            assert torch.allclose(field.feature[image, above].double(), mean, atol=1e-6)
            most = case.logit()[image, :size].max()
            assert shown[image, above] == case.logit()[image, held].max() - most
        assert all(len(names) == 1 for names in groups.values())
        assert len({next(iter(names)) for names in groups.values()}) == len(groups)
        assert sum(level == 1 for level, _, _ in cells) == len(groups)


def test_the_smaller_mask_names_a_cell() -> None:
    whole, part = torch.ones(6, dtype=torch.bool), torch.tensor([0, 1, 1, 0, 0, 0]).bool()
    masks = torch.stack((whole, part))[None]
    masks[0, 0, 5] = False
    assert smallest(masks).tolist() == [[0, 1, 1, 0, 0, -1]]


# ---- clusters ------------------------------------------------------------------------------------


def leaves_below(parent: list[int], levels: list[int]) -> list[set[int]]:
    below: list[set[int]] = [set() for _ in parent]
    for cell, level in enumerate(levels):
        if level == 0:
            at = cell
            below[at].add(cell)
            while parent[at] != at:
                at = parent[at]
                below[at].add(cell)
    return below


@law(images=2)
def test_a_field_that_is_given_features_later_holds_the_same_means(case: Case) -> None:
    levels, feature = lift.levels_for(case.grids, case.slots), case.feature()
    fields = [
        lift.pyramid(case.grids, levels, feature),
        bands(case.grids, feature=feature),
        regions(case.grids, case.label(), REGIONS, feature),
        clusters(case.grids, feature, levels),
    ]
    for field in fields:
        later = lift.with_feature(replace(field, feature=None), feature)
        assert later.feature is not None
        assert field.feature is not None
        ours, theirs = later.feature[field.valid], field.feature[field.valid]
        assert torch.allclose(ours, theirs, atol=1e-6)
        leaf = (field.level == 0)[field.valid]
        assert torch.equal(ours[leaf], theirs[leaf])


@law(images=2)
def test_a_band_is_as_relevant_as_its_cell_and_the_logarithm_of_its_energy(case: Case) -> None:
    field = bands(case.grids, energy=case.energy())
    shown = lift.spread(field, case.logit()).logit
    bare = lift.spread(lift.grid(case.grids), case.logit()).logit
    for image, cells in enumerate(case.cells):
        energy = case.energy()[image, :cells].double()
        wanted = bare[image, :cells, None].double() + (energy + 1 / 1024).log()
        assert torch.allclose(shown[image, : 4 * cells].double(), wanted.flatten(), atol=1e-5)


@law(images=2)
def test_clusters_are_connected_inside_one_square_and_hold_the_mean_of_their_cells(
    case: Case,
) -> None:
    levels = lift.levels_for(case.grids, case.slots)
    field = clusters(case.grids, case.feature(), levels)
    check_tree(field)
    assert field.feature is not None
    for image, (rows, cols) in enumerate(case.grids):
        cells = own(field, image)
        height = [level for level, _, _ in cells]
        below = leaves_below([above for _, _, above in cells], height)
        square = 2 ** (int(levels[image]) - 1)
        roots = [at for at, (_, _, above) in enumerate(cells) if above == at]
        assert len(roots) == -(-rows // square) * -(-cols // square)
        assert sum(len(below[root]) for root in roots) == rows * cols
        for at, (level, box, above) in enumerate(cells):
            place = {cells[leaf][1][:2] for leaf in below[at]}
            assert len({(y // square, x // square) for y, x in place}) == 1
            if level > 0:
                assert len(below[at]) >= 2
                mean = field.feature[image, sorted(below[at])].double().mean(0)
                assert torch.allclose(field.feature[image, at].double(), mean, atol=1e-5)
            if above != at or len(place) < len(below[above]):
                assert connected(place)
            assert box[:2] == (min(y for y, _ in place), min(x for _, x in place))
            assert box[2:] == (max(y for y, _ in place) + 1, max(x for _, x in place) + 1)


def connected(place: set[tuple[int, int]]) -> bool:
    reached, edge = set(), [next(iter(place))]
    while edge:
        y, x = edge.pop()
        if (y, x) in place and (y, x) not in reached:
            reached.add((y, x))
            edge += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
    return reached == place


def test_the_most_alike_neighbours_merge_first() -> None:
    feature = torch.tensor([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])[None]
    field = clusters([(2, 2)], feature, torch.tensor([2]))
    # rows 0 and 1 of features stand side by side, 2 and 3 below them: two pairs, then one root
    assert field.level[0, field.valid[0]].tolist() == [2, 1, 1, 0, 0, 0, 0]
    assert field.parent[0, :7].tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert field.box[0, 1].tolist() == [0, 0, 1, 2]


# ---- what padding holds --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["grid", "pyramid", "bands", "regions", "clusters"])
@law(value=(st.sampled_from([torch.nan, torch.inf, 1e30]), torch.nan))
def test_features_in_the_padding_reach_no_cell(kind: str, case: Case, value: float) -> None:
    def lifted(feature: torch.Tensor) -> Field:
        if kind == "regions":
            return regions(case.grids, case.label(), REGIONS, feature)
        levels = lift.levels_for(case.grids, case.slots)
        make = {
            "grid": lambda: lift.grid(case.grids, feature),
            "pyramid": lambda: lift.pyramid(case.grids, levels, feature),
            "bands": lambda: bands(case.grids, feature=feature),
            "clusters": lambda: clusters(case.grids, feature, levels),
        }
        return make[kind]()

    padding = torch.arange(case.most) >= torch.tensor(case.cells)[:, None]
    clean = lifted(case.feature())
    dirty = lifted(case.feature().masked_fill(padding[..., None], value))
    assert torch.equal(clean.valid, dirty.valid)
    assert torch.equal(clean.parent, dirty.parent)
    assert clean.feature is not None
    assert dirty.feature is not None
    assert torch.equal(clean.feature[clean.valid], dirty.feature[clean.valid])


def test_a_broken_feature_reaches_only_the_cells_above_it() -> None:
    feature = torch.ones(2, 36, 1)
    feature[1, 0] = torch.nan
    field = lift.pyramid([(6, 6), (3, 5)], 3, feature)
    assert field.feature is not None
    broken = field.feature[..., 0].isnan() & field.valid
    assert not broken[0].any()
    assert field.box[1][broken[1]].tolist() == [[0, 0, 3, 4], [0, 0, 2, 2], [0, 0, 1, 1]]


# ---- mips ----------------------------------------------------------------------------------------


@given(size=st.tuples(st.integers(1, 40), st.integers(1, 40)), levels=st.integers(1, 4))
def test_mips_halve_exactly_and_keep_a_constant_constant(
    size: tuple[int, int], levels: int
) -> None:
    pixels = torch.full((2, CHANNELS, *size), 0.3)
    for level, picture in enumerate(lift.mips(pixels, levels)):
        assert list(picture.shape[2:]) == [-(-side // 2**level) for side in size]
        assert torch.allclose(picture, torch.tensor(0.3), atol=1e-5)


@pytest.mark.parametrize("at", [(16, 16), (20, 37), (24, 24)])
def test_mips_keep_a_blob_where_it_is(at: tuple[int, int]) -> None:
    pixels = torch.zeros(1, 1, 48, 64)
    pixels[0, 0, at[0] : at[0] + 4, at[1] : at[1] + 4] = 1.0
    for level, picture in enumerate(lift.mips(pixels, 4)):
        weight = picture[0, 0]
        y = (weight.sum(1) * (torch.arange(weight.shape[0]) + 0.5)).sum() / weight.sum()
        x = (weight.sum(0) * (torch.arange(weight.shape[1]) + 0.5)).sum() / weight.sum()
        assert abs(y * 2**level - (at[0] + 2)) < 0.05 * 2**level
        assert abs(x * 2**level - (at[1] + 2)) < 0.05 * 2**level


def test_mips_turn_what_is_too_fine_to_show_into_grey() -> None:
    board = torch.arange(32)[:, None] + torch.arange(32)
    chain = lift.mips((board % 2).float()[None, None], 3)
    stripes = lift.mips((torch.arange(32) % 2).float().expand(1, 1, 32, 32), 3)
    for picture in (*chain[1:], *stripes[1:]):
        assert (picture[..., 2:-2, 2:-2] - 0.5).abs().max() < 0.05
