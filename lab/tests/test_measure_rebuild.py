"""What kept tokens show: all of what was kept, and nothing else."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from PIL import Image

from homunculus.engines.cells import lift
from homunculus.engines.cells.coverage import covered_cells
from homunculus.engines.cells.methods import Material, get_method, list_methods
from homunculus.engines.cells.pack import footprint
from homunculus.engines.cells.types import Allocation
from homunculus_lab.measure.means import leaves
from homunculus_lab.measure.rebuild import Page, finest, rebuild, resize_to, shrink_size

PATCH = 8
SIZE = (101, 138)  # neither side is a whole number of cells


def drawn(seed: int = 0, size: tuple[int, int] = SIZE) -> Page:
    lot = torch.Generator().manual_seed(seed)
    return Page(torch.randint(0, 256, (3, *size), generator=lot, dtype=torch.uint8).numpy(), PATCH)


def spend_slots(name: str, slots: int, page: Page):
    """Field and plan of a method, from relevance and features that do not come from the pixels."""
    lot = torch.Generator().manual_seed(1)
    cells = page.grid[0] * page.grid[1]
    label = torch.arange(cells)[None] // 40 - 1
    feature, logit = torch.rand(1, cells, 3, generator=lot), torch.rand(1, cells, generator=lot)
    energy = torch.rand(1, cells, 4, generator=lot)
    material = Material(feature, label, int(label.max()) + 1, energy)
    return get_method(name).plan([page.grid], logit, slots, material)


def chosen(field, cells: list[int]) -> Allocation:
    index = torch.tensor(cells)[None, :, None]
    ones = torch.ones(index.shape)
    return Allocation(index, ones, torch.ones(index.shape[:2], dtype=torch.bool))


def outside(page: Page, field, plan) -> np.ndarray:
    """Pixels under no kept cell."""
    leaf = field.valid[0] & (field.level[0] == 0)
    seen = covered_cells(field, plan)[0, leaf]
    box = field.box[0, leaf].long()
    mask = torch.ones(page.grid, dtype=torch.bool)
    mask[box[seen, 0], box[seen, 1]] = False
    mask = mask.repeat_interleave(PATCH, 0).repeat_interleave(PATCH, 1)
    return mask[: SIZE[0], : SIZE[1]].numpy()


@pytest.mark.parametrize("name", ["grid", "cut", "foveated", "uniform", "random", "saliency"])
def test_all_cells_are_the_page_itself(name) -> None:
    page = drawn()
    field, plan = spend_slots(name, page.grid[0] * page.grid[1], page)
    assert np.array_equal(rebuild(page, field, plan), page.pixels)


@pytest.mark.parametrize("name", sorted(list_methods()))
def test_pixels_that_were_not_kept_change_nothing(name) -> None:
    page = drawn()
    field, plan = spend_slots(name, 20, page)
    mask = outside(page, field, plan)
    other = Page(np.where(mask, drawn(9).pixels, page.pixels), PATCH)
    assert np.array_equal(rebuild(page, field, plan), rebuild(other, field, plan))


def test_detail_below_the_kept_level_changes_nothing() -> None:
    page = drawn()
    page = Page(page.pixels // 2 + 60, PATCH)  # room for the pattern
    field, plan = spend_slots("cut", 70, page)
    level = finest(field, plan)
    assert {0.0, 1.0, 2.0} <= set(level.flatten().tolist())
    coarse = (level >= 1).repeat_interleave(PATCH, 0).repeat_interleave(PATCH, 1)
    coarse = coarse[: SIZE[0], : SIZE[1]].clone()
    coarse[-PATCH:], coarse[:, -PATCH:] = False, False  # border cells repeat their last pixel
    row, col = torch.arange(SIZE[0])[:, None], torch.arange(SIZE[1])
    pattern = torch.where((row + col) % 2 == 0, 50, -50) * coarse  # no mean over any 2 x 2 pixels
    other = Page((page.pixels + pattern.numpy()).astype(np.uint8), PATCH)
    assert not np.array_equal(page.pixels, other.pixels)
    assert np.array_equal(rebuild(page, field, plan), rebuild(other, field, plan))


def test_a_pixel_that_is_known_in_part_tells_nothing_of_the_rest() -> None:
    page = drawn(size=(256, 256))
    field = lift.pyramid([(32, 32)], 5)  # a pixel of level 4 covers four cells of level 0
    box = field.box[0].tolist()
    cells = [box.index([0, 0, 8, 8]), box.index([0, 8, 1, 9])]  # one of the four, beside the large
    plan, mask = chosen(field, cells), np.ones((256, 256), bool)
    mask[:64, :64], mask[:8, 64:72] = False, False
    other = Page(np.where(mask, drawn(9, (256, 256)).pixels, page.pixels), PATCH)
    assert np.array_equal(rebuild(page, field, plan), rebuild(other, field, plan))


def test_fine_tokens_lie_over_coarse_ones() -> None:
    page = drawn(size=(32, 32))
    field = lift.pyramid([(4, 4)], 2)
    fine = next(at for at in range(20) if field.box[0, at].tolist() == [0, 0, 1, 1])
    shown = rebuild(page, field, chosen(field, [0, fine]))
    assert np.array_equal(shown[:, :8, :8], page.pixels[:, :8, :8])
    assert not np.array_equal(shown[:, :8, 8:16], page.pixels[:, :8, 8:16])
    assert (shown[:, 16:, 16:].std((1, 2)) == 0).all()  # never kept: one colour


def test_what_was_never_kept_has_the_mean_colour_of_the_rest() -> None:
    pixels = np.zeros((3, 16, 16), np.uint8)
    pixels[:, :8, :8], pixels[0, 8:, 8:] = 200, 100
    field = lift.grid([(2, 2)])
    shown = rebuild(Page(pixels, 8), field, chosen(field, [0, 3]))
    assert shown[:, 0, 15].tolist() == [150, 100, 100]


def test_smooth_is_the_whole_page_reduced_when_one_level_is_kept() -> None:
    page = drawn(size=(64, 64))
    field = lift.pyramid([(8, 8)], 2)
    plan = chosen(field, [at for at in range(field.level.shape[1]) if field.level[0, at] == 1])
    half = F.avg_pool2d(torch.tensor(page.pixels).float()[None], 2)
    large = F.interpolate(half, scale_factor=2, mode="bicubic")[0].clamp(0, 255).round()
    assert np.array_equal(rebuild(page, field, plan), large.to(torch.uint8).numpy())


def test_a_slot_of_several_cells_shows_their_mean() -> None:
    page = drawn(size=(16, 16))
    field = lift.grid([(2, 2)])
    weight = torch.tensor([[[0.25, 0.75]]])
    plan = Allocation(torch.tensor([[[0, 1]]]), weight, torch.ones(1, 1, dtype=torch.bool))
    left, right = page.pixels[:, :8, :8], page.pixels[:, :8, 8:]
    mean = 0.25 * left + 0.75 * right
    shown = rebuild(page, field, plan)
    assert abs(shown.mean() - mean.mean()) < 2


def test_the_finest_level_over_each_cell() -> None:
    field = lift.pyramid([(4, 4)], 2)
    fine = next(at for at in range(20) if field.box[0, at].tolist() == [0, 1, 1, 2])
    level = finest(field, chosen(field, [0, fine]))
    assert level[:2, :2].tolist() == [[1, 0], [1, 1]]
    assert level[2:].isinf().all()
    assert level[:, 2:].isinf().all()


def test_leaves_of_a_cell() -> None:
    field = lift.pyramid([(3, 3)], 2)
    assert leaves(field, 0).sum() == 4
    assert leaves(field, 3).sum() == 1
    assert leaves(field, 5).sum() == 1


def test_a_field_of_another_page_is_refused() -> None:
    field = lift.grid([(2, 2)])
    with pytest.raises(ValueError, match="one page of grid"):
        rebuild(drawn(), field, chosen(field, [0]))


@pytest.mark.parametrize("size", [(1024, 791), (463, 1024), (1024, 1024), (17, 200)])
@pytest.mark.parametrize("slots", [1, 64, 273, 5000])
def test_shrinking_uses_the_slots_and_never_more(size, slots) -> None:
    def cells(high: int, wide: int) -> int:
        return -(-high // 16) * -(-wide // 16)

    small = shrink_size(size, slots)
    assert cells(*small) <= slots
    if small != size:  # a little larger would not fit
        scale = max(small) / max(size) + 2 / max(size)
        assert cells(round(size[0] * scale), round(size[1] * scale)) > slots


def test_resize_equals_pillow_by_hand() -> None:
    pixels = drawn().pixels
    whole = Image.fromarray(np.ascontiguousarray(pixels.transpose(1, 2, 0)))
    small = whole.resize((60, 40), Image.Resampling.LANCZOS)
    wanted = np.asarray(small.resize((138, 101), Image.Resampling.BICUBIC))
    assert np.array_equal(resize_to(pixels, (40, 60), SIZE).transpose(1, 2, 0), wanted)


def slowly(page: Page, field, plan) -> np.ndarray:
    """Slot by slot, cell by cell: what slots that mix cells are worth, large ones first."""
    chain = page.chain(field.levels if field.regular else 1)
    box = footprint(field, plan)[0]
    canvas, seen = torch.zeros_like(chain[0]), torch.zeros(chain[0].shape[1:], dtype=torch.bool)
    for slot in (box[:, 2:] - box[:, :2]).prod(1).argsort(descending=True, stable=True).tolist():
        token, own = torch.zeros(3, PATCH, PATCH), torch.zeros(seen.shape, dtype=torch.bool)
        for cell, share in zip(plan.index[0, slot].tolist(), plan.weight[0, slot], strict=True):
            if share == 0:
                continue
            level = int(field.level[0, cell]) if field.regular else 0
            below = [cell] if field.regular else leaves(field, cell).nonzero()[:, 0].tolist()
            parts = []
            for one in below:
                row, col = (int(side) >> level for side in field.box[0, one, :2])
                y, x = row * PATCH, col * PATCH
                parts.append(chain[level][:, y : y + PATCH, x : x + PATCH])
                own[y : y + PATCH, x : x + PATCH] = True
            token += share * torch.stack(parts).mean(0)
        top, left, bottom, right = (box[slot] * PATCH).round().long().tolist()
        size = (max(1, bottom - top), max(1, right - left))
        large = F.interpolate(token[None], size, mode="bicubic")[0]
        large = token if size == (PATCH, PATCH) else large
        for y in range(max(0, top), min(bottom, seen.shape[0])):
            for x in range(max(0, left), min(right, seen.shape[1])):
                if field.regular or own[y, x]:
                    canvas[:, y, x] = large[:, y - top, x - left]
                    seen[y, x] = True
    canvas, seen = canvas[:, : SIZE[0], : SIZE[1]], seen[: SIZE[0], : SIZE[1]]
    colour = (canvas * seen).sum((1, 2)) / seen.sum()
    canvas = torch.where(seen, canvas, colour[:, None, None])
    return canvas.clamp(0, 255).round().to(torch.uint8).numpy()


@pytest.mark.parametrize("name", ["pool", "windows", "log-polar", "clusters", "atlas"])
@pytest.mark.parametrize("slots", [5, 33])
def test_slots_that_mix_cells_agree_with_a_slow_loop(name, slots) -> None:
    page = drawn()
    field, plan = spend_slots(name, slots, page)
    assert np.array_equal(rebuild(page, field, plan), slowly(page, field, plan))
