"""Maps from pixels: hand-made pictures, slow oracles, and what must not matter."""

import math
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from jaxtyping import TypeCheckError
from PIL import Image
from scipy.ndimage import uniform_filter

import homunculus
from homunculus.pages import to_array
from homunculus.scouts import contrast, information, orientations, rank
from homunculus.scouts import pixels as room

MAPS = [information, contrast, orientations]
TICK = 1.01 / room.STEPS


def plain(height, width, colour=(0.5, 0.5, 0.5)):
    return np.tile(np.array(colour, np.float32)[:, None, None], (1, height, width))


def noise(height, width, seed=0):
    return np.random.default_rng(seed).random((3, height, width), np.float32)


def scene(height, width, seed):
    """Soft random blobs a few pixels wide, like a photograph's detail."""
    soft = uniform_filter(noise(height + 6, width + 6, seed), (0, 7, 7))[:, 3:-3, 3:-3]
    return ((soft - 0.5) * 4 + 0.5).clip(0, 1)


def text(height, width):
    """Dark strokes in lines on white paper, in the middle third of the page."""
    page = plain(height, width, (1.0, 1.0, 1.0))
    stroke = np.random.default_rng(1).random((height, width)) < 0.5
    line = np.arange(height)[:, None] % 12 < 7
    middle = (np.arange(height) // (height // 3) == 1)[:, None]
    page[:, stroke & line & middle] = 0.1
    return page


def grating(degrees, wavelength, height=128, width=160):
    """Stripes that run at an angle: 0 lies flat, 45 rises to the right."""
    angle = math.radians(degrees)
    y, x = np.mgrid[:height, :width].astype(np.float32)
    across = x * math.sin(angle) + y * math.cos(angle)
    wave = 0.5 + 0.4 * np.sin(2 * math.pi * across / wavelength)
    return np.tile(wave, (3, 1, 1))


# --- hand-made pictures ---------------------------------------------------------------------------


@pytest.mark.parametrize("colour", [(0.0, 0.0, 0.0), (0.53, 0.53, 0.53), (0.9, 0.2, 0.4)])
@pytest.mark.parametrize("size", [(64, 96), (50, 71), (5, 3)])
@pytest.mark.parametrize("measure", MAPS)
def test_a_flat_picture_gives_a_constant_map_also_at_partial_cells(measure, size, colour):
    value = measure(plain(*size, colour))
    assert len(np.unique(value)) == 1
    assert np.unique(rank(value)).tolist() == [0.5]


@pytest.mark.parametrize("colour", [(0.9, 0.9, 0.9), (0.1, 0.1, 0.1), (0.8, 0.35, 0.35)])
def test_a_square_on_grey_stands_out(colour):
    picture = plain(160, 240)
    picture[:, 64:96, 128:160] = np.array(colour)[:, None, None]
    value = contrast(picture)
    inside = np.zeros((10, 15), bool)
    inside[4:6, 8:10] = True
    assert value[inside].min() > 2 * value[~inside].max()


def test_a_square_of_equal_brightness_stands_out_by_colour_alone():
    picture = plain(160, 160)
    picture[:, 64:80, 64:80] = np.array([0.8, 0.2, 0.5])[:, None, None]
    assert contrast(picture).argmax() == 4 * 10 + 4


def test_the_odd_one_out_stands_out_more_than_the_many():
    picture = plain(320, 320, (0.2, 0.2, 0.2))
    for y in range(0, 320, 64):
        for x in range(0, 320, 64):
            picture[:, y + 24 : y + 40, x + 24 : x + 40] = 0.5
    picture[0, 152:168, 152:168] = 1.0  # one of the squares is red
    assert contrast(picture).argmax() // 20 in (9, 10)
    assert contrast(picture).argmax() % 20 in (9, 10)


def test_what_repeats_counts_less():
    few = plain(320, 320, (0.2, 0.2, 0.2))
    few[:, 24:40, 24:40] = 0.6
    few[0, 152:168, 152:168], few[1, 152:168, 152:168] = 0.4, 0.0
    many = few.copy()
    for corner in range(0, 320, 64):
        many[:, corner + 24 : corner + 40, 24:40] = 0.6
        many[:, corner + 24 : corner + 40, 280:296] = 0.6
    one, crowd = contrast(few), contrast(many)
    assert crowd[9:11, 9:11].max() / crowd[1:3, 1:3].max() > one[9:11, 9:11].max() * 1.02


@pytest.mark.parametrize("measure", [information, contrast])
def test_text_outranks_empty_paper(measure):
    value = measure(text(288, 160))
    assert value[7:11].min() > 1.5 * value[:5].max()
    assert value[7:11].min() > 1.5 * value[13:].max()


def test_an_odd_cell_is_surprising_even_when_it_is_flat_inside():
    picture = noise(160, 160) * 0.02 + 0.5
    picture[:, 64:80, 64:80] = 0.8
    value = information(picture)
    assert value.argmax() == 4 * 10 + 4


def test_information_does_not_depend_on_which_grey_is_flat():
    picture = plain(64, 320, (0.0, 0.0, 0.0))
    picture[:, :, 160:] = 0.4999
    value = information(picture)
    assert np.unique(value[:, 0]).tolist() == np.unique(value[:, -1]).tolist()


@pytest.mark.parametrize("wavelength", [8, 12, 16, 24, 32])
@pytest.mark.parametrize("degrees", [0, 45, 90, 135])
def test_a_grating_chooses_its_orientation(degrees, wavelength):
    value = orientations(grating(degrees, wavelength))[:, 1:-1, 1:-1]
    index = degrees // 45
    assert (value.argmax(0) == index).all()
    assert value[index].mean() > 1.5 * value[(index + 1) % 4].mean()
    assert value[index].mean() > 4 * value[(index + 2) % 4].mean()


def test_lines_of_text_are_horizontal_and_columns_upright():
    lines = uniform_filter(text(288, 288), (0, 0, 9))
    rows = orientations(lines)[:, 7:11, 1:-1].mean((1, 2))
    columns = orientations(lines.transpose(0, 2, 1))[:, 1:-1, 7:11].mean((1, 2))
    assert rows.argmax() == 0
    assert columns.argmax() == 2


# --- what must not matter -------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MAPS)
def test_memory_layout_does_not_matter(measure):
    picture = noise(80, 112)
    assert np.array_equal(measure(np.asfortranarray(picture)), measure(picture))
    wide = np.zeros((3, 80, 224), np.float32)
    wide[..., ::2] = picture
    assert np.array_equal(measure(wide[..., ::2]), measure(picture))


@pytest.mark.parametrize("measure", MAPS)
def test_bytes_are_floats_times_255(measure):
    picture = (text(100, 75) * 255).astype(np.uint8)
    picture.flags.writeable = False
    assert np.abs(measure(picture) - measure(picture / np.float32(255))).max() <= TICK


def test_a_constant_added_to_all_pixels_leaves_contrast_as_it_is():
    picture = noise(160, 160) * 0.5
    picture[:, 32:64, 32:64] = 0.6
    assert np.abs(contrast(picture) - contrast(picture + 0.3)).max() <= TICK


@pytest.mark.parametrize("measure", [information, contrast])
def test_mirrors_and_transposes_move_the_map_with_the_picture(measure):
    picture = noise(128, 192) * np.linspace(0, 1, 192, dtype=np.float32)
    value = measure(picture)
    assert np.abs(measure(picture[:, :, ::-1]) - value[:, ::-1]).max() <= 2 * TICK
    assert np.abs(measure(picture.transpose(0, 2, 1)) - value.T).max() <= 2 * TICK


def test_a_mirror_swaps_the_diagonals_and_a_transpose_the_axes():
    picture = noise(128, 192) * np.linspace(0, 1, 192, dtype=np.float32)
    value = orientations(picture)
    mirrored = orientations(picture[:, :, ::-1])[:, :, ::-1]
    turned = orientations(picture.transpose(0, 2, 1)).transpose(0, 2, 1)
    assert np.abs(mirrored[[0, 3, 2, 1]] - value).max() <= 2 * TICK
    assert np.abs(turned[[2, 1, 0, 3]] - value).max() <= 2 * TICK


@pytest.mark.parametrize("measure", MAPS)
def test_a_border_cell_is_no_edge(measure):
    """On a soft random scene: in white noise, one pixel repeated is a streak and does stand out."""
    value = np.stack([measure(scene(266, 266, seed)) for seed in range(8)])
    inner = value[..., 1:-2, 1:-2].mean()  # ten pixels of the last sixteen are there
    border = value[..., 0, :], value[..., :, 0], value[..., -1, :], value[..., :, -1]
    assert all(0.7 < float(side.mean() / inner) < 1.3 for side in border)


def test_half_precision_tells_the_same_story():
    picture = text(288, 160)
    exact, half = contrast(picture), contrast(picture.astype(np.float16))
    assert exact.dtype == half.dtype == np.float32
    assert np.abs(exact - half).max() < 0.02


@pytest.mark.parametrize("measure", MAPS)
def test_maps_run_from_zero_to_one_in_whole_steps(measure):
    value = measure(noise(70, 90))
    assert 0 <= float(value.min()) <= float(value.max()) == 1
    assert np.array_equal((value * room.STEPS).round(), value * room.STEPS)


# --- sizes and cost -------------------------------------------------------------------------------


@pytest.mark.parametrize("patch", [1, 2, 4, 7, 14, 16, 28])
@pytest.mark.parametrize("size", [(1, 1), (16, 300), (57, 33), (97, 64)])
def test_a_map_has_one_value_a_cell_partial_cells_included(size, patch):
    grid = (math.ceil(size[0] / patch), math.ceil(size[1] / patch))
    picture = noise(*size)
    assert information(picture, patch).shape == grid
    assert contrast(picture, patch).shape == grid
    assert orientations(picture, patch).shape == (4, *grid)


@pytest.mark.parametrize("patch", [8, 14, 16, 28, 32])
def test_a_square_is_found_in_its_cell_whatever_the_patch(patch):
    picture = plain(patch * 10, patch * 12)
    picture[:, patch * 3 : patch * 4, patch * 7 : patch * 8] = 0.9
    assert contrast(picture, patch).argmax() == 3 * 12 + 7


@pytest.mark.parametrize(
    ("size", "side"), [((64, 64), 8), ((2048, 4096), 8), ((4096, 4096), 4), ((9000, 9000), 2)]
)
def test_the_reduced_picture_is_bounded(size, side):
    picture = np.broadcast_to(np.zeros((), np.uint8), (3, *size))
    small, pixels = room._reduced(picture, 16)
    assert pixels == side
    assert small.shape[-2] * small.shape[-1] <= room.MAX_PIXELS
    assert small.shape[-2:] == tuple(math.ceil(edge / 16) * side for edge in size)


@pytest.mark.parametrize("measure", [information, contrast])
def test_a_huge_picture_is_measured_and_still_finds_its_square(measure):
    picture = plain(4096, 4096)
    picture[:, 1600:1616, 3200:3216] = 1.0
    assert measure(picture).argmax() == 100 * 256 + 200


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MAPS)
def test_floats_of_another_range_and_nan_are_refused(measure):
    with pytest.raises(ValueError, match=r"from 0 to 1, got .* to 255\. Divide by 255"):
        measure(plain(32, 32, (255.0,) * 3))
    with pytest.raises(ValueError, match=r"from 0 to 1, got -2"):
        measure(plain(32, 32, (-2.0,) * 3))
    with pytest.raises(ValueError, match=r"from 0 to 1, got nan"):
        measure(plain(32, 32, (math.nan,) * 3))


def test_no_pixels_and_no_patch_are_refused():
    with pytest.raises(ValueError, match=r"at least one pixel .* got pixels \(3, 0, 32\)"):
        contrast(plain(0, 32))
    with pytest.raises(ValueError, match=r"patch of 1 or more, got .* patch 0"):
        contrast(plain(32, 32), patch=0)
    with pytest.raises(TypeCheckError):
        contrast(np.zeros((4, 32, 32), np.float32))


# --- the same filters by another library ----------------------------------------------------------


def by_kornia(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kornia do all filtering of the module."""
    kornia = pytest.importorskip("kornia")
    blur, gradient = kornia.filters.gaussian_blur2d, kornia.filters.spatial_gradient
    pyramid = kornia.geometry.transform.build_pyramid

    def derivatives(grey):
        found = gradient(torch.from_numpy(grey)[None, None], order=2, normalized=False)
        return found[0, 0].numpy() / 64

    def blurred(cell, sigma):
        side = 2 * round(3 * sigma) + 1
        return blur(torch.from_numpy(cell)[None], side, (sigma, sigma), "replicate")[0].numpy()

    def levels(fine, side):
        found = pyramid(torch.from_numpy(fine)[None], side.bit_length(), "replicate")
        return [level[0].numpy() for level in found]

    monkeypatch.setattr(room, "_derivatives", derivatives)
    monkeypatch.setattr(room, "_blur", blurred)
    monkeypatch.setattr(room, "_pyramid", levels)


def assert_as_by_kornia(picture, monkeypatch, patch=16):
    ours = [measure(picture, patch) for measure in MAPS]
    with monkeypatch.context() as patched:
        by_kornia(patched)
        theirs = [measure(picture, patch) for measure in MAPS]
    for one, other in zip(ours, theirs, strict=True):
        assert np.abs(one - other).max() <= TICK
        assert (one != other).mean() < 0.01 or one.size < 500


@pytest.mark.parametrize("patch", [1, 2, 4, 7, 14, 16, 28])
@pytest.mark.parametrize("size", [(1, 1), (16, 300), (57, 33), (97, 64), (288, 400)])
def test_the_maps_are_those_of_kornia(monkeypatch, size, patch):
    assert_as_by_kornia(noise(*size), monkeypatch, patch)
    assert_as_by_kornia(text(*size) if size[0] > 3 else plain(*size), monkeypatch, patch)


def test_the_maps_of_a_large_picture_are_those_of_kornia(monkeypatch):
    assert_as_by_kornia(noise(1040, 1100), monkeypatch, 4)  # more than 256 x 256 cells


def opened(path: Path) -> np.ndarray:
    return to_array(Image.open(path).convert("RGB"))


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
