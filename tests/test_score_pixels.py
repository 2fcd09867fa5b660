"""Maps from pixels: hand-made pictures, slow oracles, and what must not matter."""

import math
import os
from pathlib import Path

import numpy
import pytest
import torch
from jaxtyping import TypeCheckError
from PIL import Image

import homunculus
from homunculus.scouts import contrast, information, orientations, rank
from homunculus.scouts import pixels as room

MAPS = [information, contrast, orientations]
TICK = 1.01 / room.STEPS


def plain(height, width, colour=(0.5, 0.5, 0.5)):
    return torch.tensor(colour)[None, :, None, None].expand(1, 3, height, width).clone()


def noise(count, height, width, seed=0):
    return torch.rand(count, 3, height, width, generator=torch.Generator().manual_seed(seed))


def scene(height, width, seed):
    """Soft random blobs a few pixels wide, like a photograph's detail."""
    soft = torch.nn.functional.avg_pool2d(noise(1, height + 6, width + 6, seed), 7, 1)
    return ((soft - 0.5) * 4 + 0.5).clamp(0, 1)


def text(height, width):
    """Dark strokes in lines on white paper, in the middle third of the page."""
    page = plain(height, width, (1.0, 1.0, 1.0))
    stroke = torch.rand(height, width, generator=torch.Generator().manual_seed(1)) < 0.5
    line = torch.arange(height)[:, None] % 12 < 7
    middle = (torch.arange(height) // (height // 3) == 1)[:, None]
    page[:, :, stroke & line & middle] = 0.1
    return page


def grating(degrees, wavelength, height=128, width=160):
    """Stripes that run at an angle: 0 lies flat, 45 rises to the right."""
    angle = math.radians(degrees)
    y, x = torch.meshgrid(torch.arange(float(height)), torch.arange(float(width)), indexing="ij")
    across = x * math.sin(angle) + y * math.cos(angle)
    wave = 0.5 + 0.4 * torch.sin(2 * math.pi * across / wavelength)
    return wave.expand(1, 3, height, width).clone()


# --- hand-made pictures ---------------------------------------------------------------------------


@pytest.mark.parametrize("colour", [(0.0, 0.0, 0.0), (0.53, 0.53, 0.53), (0.9, 0.2, 0.4)])
@pytest.mark.parametrize("size", [(64, 96), (50, 71), (5, 3)])
@pytest.mark.parametrize("measure", MAPS)
def test_a_flat_picture_gives_a_constant_map_also_at_partial_cells(measure, size, colour):
    value = measure(plain(*size, colour)).flatten(1)
    assert value.unique().numel() == 1
    assert rank(value).unique().tolist() == [0.5]


@pytest.mark.parametrize("colour", [(0.9, 0.9, 0.9), (0.1, 0.1, 0.1), (0.8, 0.35, 0.35)])
def test_a_square_on_grey_stands_out(colour):
    picture = plain(160, 240)
    picture[:, :, 64:96, 128:160] = torch.tensor(colour)[:, None, None]
    value = contrast(picture)[0]
    inside = torch.zeros(10, 15, dtype=torch.bool)
    inside[4:6, 8:10] = True
    assert value[inside].min() > 2 * value[~inside].max()


def test_a_square_of_equal_brightness_stands_out_by_colour_alone():
    picture = plain(160, 160)
    picture[:, :, 64:80, 64:80] = torch.tensor([0.8, 0.2, 0.5])[:, None, None]
    assert contrast(picture)[0].flatten().argmax() == 4 * 10 + 4


def test_the_odd_one_out_stands_out_more_than_the_many():
    picture = plain(320, 320, (0.2, 0.2, 0.2))
    for y in range(0, 320, 64):
        for x in range(0, 320, 64):
            picture[:, :, y + 24 : y + 40, x + 24 : x + 40] = 0.5
    picture[:, 0, 152:168, 152:168] = 1.0  # one of the squares is red
    assert contrast(picture)[0].flatten().argmax() // 20 in (9, 10)
    assert contrast(picture)[0].flatten().argmax() % 20 in (9, 10)


def test_what_repeats_counts_less():
    few = plain(320, 320, (0.2, 0.2, 0.2))
    few[:, :, 24:40, 24:40] = 0.6
    few[:, 0, 152:168, 152:168], few[:, 1, 152:168, 152:168] = 0.4, 0.0
    many = few.clone()
    for corner in range(0, 320, 64):
        many[:, :, corner + 24 : corner + 40, 24:40] = 0.6
        many[:, :, corner + 24 : corner + 40, 280:296] = 0.6
    one, crowd = contrast(few)[0], contrast(many)[0]
    assert crowd[9:11, 9:11].max() / crowd[1:3, 1:3].max() > one[9:11, 9:11].max() * 1.02


@pytest.mark.parametrize("measure", [information, contrast])
def test_text_outranks_empty_paper(measure):
    value = measure(text(288, 160))[0]
    assert value[7:11].min() > 1.5 * value[:5].max()
    assert value[7:11].min() > 1.5 * value[13:].max()


def test_an_odd_cell_is_surprising_even_when_it_is_flat_inside():
    picture = noise(1, 160, 160) * 0.02 + 0.5
    picture[:, :, 64:80, 64:80] = 0.8
    value = information(picture)[0]
    assert value.flatten().argmax() == 4 * 10 + 4


def test_information_does_not_depend_on_which_grey_is_flat():
    picture = plain(64, 320, (0.0, 0.0, 0.0))
    picture[:, :, :, 160:] = 0.4999
    value = information(picture)[0]
    assert value[:, 0].unique().tolist() == value[:, -1].unique().tolist()


@pytest.mark.parametrize("wavelength", [8, 12, 16, 24, 32])
@pytest.mark.parametrize("degrees", [0, 45, 90, 135])
def test_a_grating_chooses_its_orientation(degrees, wavelength):
    value = orientations(grating(degrees, wavelength))[0, :, 1:-1, 1:-1]
    index = degrees // 45
    assert bool((value.argmax(0) == index).all())
    assert value[index].mean() > 1.5 * value[(index + 1) % 4].mean()
    assert value[index].mean() > 4 * value[(index + 2) % 4].mean()


def test_lines_of_text_are_horizontal_and_columns_upright():
    page = text(288, 288).mean(1, keepdim=True)
    lines = torch.nn.functional.avg_pool2d(page, (1, 9), 1, (0, 4)).expand(1, 3, 288, 288)
    rows = orientations(lines)[0, :, 7:11, 1:-1].mean((1, 2))
    columns = orientations(lines.transpose(2, 3))[0, :, 1:-1, 7:11].mean((1, 2))
    assert rows.argmax() == 0
    assert columns.argmax() == 2


# --- what must not matter -------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MAPS)
@pytest.mark.parametrize("size", [(96, 128), (100, 75)])
def test_an_image_in_a_batch_gets_bit_for_bit_the_map_it_gets_alone(measure, size):
    batch = torch.cat([noise(3, *size), plain(*size), text(*size)])
    together = measure(batch)
    for row in range(len(batch)):
        assert torch.equal(together[row], measure(batch[row : row + 1])[0])
    assert torch.equal(measure(batch.flip(0)), together.flip(0))


@pytest.mark.parametrize("measure", MAPS)
def test_memory_layout_does_not_matter(measure):
    picture = noise(2, 80, 112)
    assert torch.equal(measure(picture.to(memory_format=torch.channels_last)), measure(picture))
    wide = torch.zeros(2, 3, 80, 224)
    wide[..., ::2] = picture
    assert torch.equal(measure(wide[..., ::2]), measure(picture))


def test_a_constant_added_to_all_pixels_leaves_contrast_as_it_is():
    picture = noise(1, 160, 160) * 0.5
    picture[:, :, 32:64, 32:64] = 0.6
    assert (contrast(picture) - contrast(picture + 0.3)).abs().max() <= TICK


@pytest.mark.parametrize("measure", [information, contrast])
def test_mirrors_and_transposes_move_the_map_with_the_picture(measure):
    picture = noise(1, 128, 192) * torch.linspace(0, 1, 192)
    value = measure(picture)
    assert (measure(picture.flip(3)) - value.flip(2)).abs().max() <= 2 * TICK
    assert (measure(picture.transpose(2, 3)) - value.transpose(1, 2)).abs().max() <= 2 * TICK


def test_a_mirror_swaps_the_diagonals_and_a_transpose_the_axes():
    picture = noise(1, 128, 192) * torch.linspace(0, 1, 192)
    value = orientations(picture)
    mirrored = orientations(picture.flip(3)).flip(3)
    turned = orientations(picture.transpose(2, 3)).transpose(2, 3)
    assert (mirrored[:, [0, 3, 2, 1]] - value).abs().max() <= 2 * TICK
    assert (turned[:, [2, 1, 0, 3]] - value).abs().max() <= 2 * TICK


@pytest.mark.parametrize("measure", MAPS)
def test_a_border_cell_is_no_edge(measure):
    """On a soft random scene: in white noise, one pixel repeated is a streak and does stand out."""
    value = [measure(scene(266, 266, seed)).flatten(0, -3) for seed in range(8)]
    value = torch.stack(value)  # ten pixels of the last sixteen are there
    inner = value[..., 1:-2, 1:-2].mean()
    border = value[..., 0, :], value[..., :, 0], value[..., -1, :], value[..., :, -1]
    assert all(0.7 < float(side.mean() / inner) < 1.3 for side in border)


def test_half_precision_tells_the_same_story():
    picture = text(288, 160)
    exact, half = contrast(picture), contrast(picture.bfloat16())
    assert exact.dtype == half.dtype == torch.float32
    assert (exact - half).abs().max() < 0.02


@pytest.mark.parametrize("measure", MAPS)
def test_maps_run_from_zero_to_one_in_whole_steps_and_carry_no_gradient(measure):
    value = measure(noise(2, 70, 90).requires_grad_())
    assert not value.requires_grad
    assert 0 <= float(value.min()) <= float(value.max()) == 1
    assert torch.equal((value * room.STEPS).round(), value * room.STEPS)


# --- sizes and cost -------------------------------------------------------------------------------


@pytest.mark.parametrize("patch", [1, 2, 4, 7, 14, 16, 28])
@pytest.mark.parametrize("size", [(1, 1), (16, 300), (57, 33), (97, 64)])
def test_a_map_has_one_value_a_cell_partial_cells_included(size, patch):
    grid = (math.ceil(size[0] / patch), math.ceil(size[1] / patch))
    picture = noise(1, *size)
    assert information(picture, patch).shape == (1, *grid)
    assert contrast(picture, patch).shape == (1, *grid)
    assert orientations(picture, patch).shape == (1, 4, *grid)


@pytest.mark.parametrize("patch", [8, 14, 16, 28, 32])
def test_a_square_is_found_in_its_cell_whatever_the_patch(patch):
    picture = plain(patch * 10, patch * 12)
    picture[:, :, patch * 3 : patch * 4, patch * 7 : patch * 8] = 0.9
    assert contrast(picture, patch)[0].flatten().argmax() == 3 * 12 + 7


@pytest.mark.parametrize(
    ("size", "side"), [((64, 64), 8), ((2048, 4096), 8), ((4096, 4096), 4), ((9000, 9000), 2)]
)
def test_the_reduced_picture_is_bounded(size, side):
    picture = torch.zeros(1, 1, 1, 1).expand(1, 3, *size)
    small, pixels = room._reduced(picture, 16)
    assert pixels == side
    assert small.shape[-2] * small.shape[-1] <= room.MAX_PIXELS
    assert small.shape[-2:] == tuple(math.ceil(edge / 16) * side for edge in size)


@pytest.mark.parametrize("measure", [information, contrast])
def test_a_huge_picture_is_measured_and_still_finds_its_square(measure):
    picture = plain(4096, 4096)
    picture[:, :, 1600:1616, 3200:3216] = 1.0
    assert measure(picture)[0].flatten().argmax() == 100 * 256 + 200


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MAPS)
def test_bytes_normalised_pixels_and_nan_are_refused(measure):
    with pytest.raises(ValueError, match=r"from 0 to 1, got .* to 255\. Divide bytes by 255"):
        measure(torch.full((1, 3, 32, 32), 255.0))
    with pytest.raises(ValueError, match=r"from 0 to 1, got -2"):
        measure(torch.full((1, 3, 32, 32), -2.0))
    with pytest.raises(ValueError, match=r"from 0 to 1, got nan"):
        measure(torch.full((1, 3, 32, 32), math.nan))


def test_no_pixels_and_no_patch_are_refused():
    with pytest.raises(ValueError, match=r"at least one pixel .* got pixels \(1, 3, 0, 32\)"):
        contrast(torch.zeros(1, 3, 0, 32))
    with pytest.raises(ValueError, match=r"patch of 1 or more, got .* patch 0"):
        contrast(torch.zeros(1, 3, 32, 32), patch=0)
    with pytest.raises(TypeCheckError):
        contrast(torch.zeros(1, 4, 32, 32))


# --- the same filters by another library ----------------------------------------------------------


def by_kornia(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kornia do all filtering of the module, as it did in the first edition."""
    kornia = pytest.importorskip("kornia")
    blur, gradient = kornia.filters.gaussian_blur2d, kornia.filters.spatial_gradient
    pyramid = kornia.geometry.transform.build_pyramid

    def derivatives(level, _):
        return gradient(level, order=2, normalized=False)[:, 0] / 64

    def blurred(cell, sigma):
        return blur(cell, 2 * round(3 * sigma) + 1, (sigma, sigma), "replicate")

    monkeypatch.setattr(room, "_filtered", derivatives)
    monkeypatch.setattr(room, "_blur", blurred)
    monkeypatch.setattr(
        room, "_pyramid", lambda fine, side: pyramid(fine, side.bit_length(), "replicate")
    )


def assert_as_by_kornia(picture, monkeypatch, patch=16):
    ours = [measure(picture, patch) for measure in MAPS]
    with monkeypatch.context() as patched:
        by_kornia(patched)
        theirs = [measure(picture, patch) for measure in MAPS]
    assert all(map(torch.equal, ours, theirs))


@pytest.mark.parametrize("patch", [1, 2, 4, 7, 14, 16, 28])
@pytest.mark.parametrize("size", [(1, 1), (16, 300), (57, 33), (97, 64), (288, 400)])
def test_the_maps_are_those_of_kornia(monkeypatch, size, patch):
    assert_as_by_kornia(noise(1, *size), monkeypatch, patch)
    assert_as_by_kornia(text(*size) if size[0] > 3 else plain(*size), monkeypatch, patch)


def test_the_maps_of_a_large_picture_are_those_of_kornia(monkeypatch):
    assert_as_by_kornia(noise(1, 1040, 1100), monkeypatch, 4)  # more than 256 x 256 cells


def opened(path: Path) -> torch.Tensor:
    picture = torch.from_numpy(numpy.array(Image.open(path).convert("RGB")))
    return picture.permute(2, 0, 1)[None].float() / 255


@pytest.mark.parametrize("name", ["page.png", "receipt.png"])
def test_the_maps_of_the_packaged_pictures_are_those_of_kornia(monkeypatch, name):
    folder = Path(homunculus.__file__).parent / "show" / "pictures"
    assert_as_by_kornia(opened(folder / name), monkeypatch)


@pytest.mark.data
@pytest.mark.parametrize("suite", ["chartqa_owid", "coco_open", "everyday", "icdar2015", "osie"])
def test_the_maps_of_real_pictures_are_those_of_kornia(monkeypatch, suite):
    folder = Path(os.environ.get("HOMUNCULUS_DATA", "/nowhere")) / suite / "images"
    if not folder.is_dir():
        pytest.skip(f"HOMUNCULUS_DATA has no {suite}")
    for path in sorted(folder.iterdir())[:4]:
        assert_as_by_kornia(opened(path), monkeypatch)
