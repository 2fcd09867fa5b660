"""The drawing: shapes, places and colours that can be checked; how it looks is for eyes."""

import numpy as np
import pytest
import torch
from PIL import Image

from homunculus.engines.cells import lift
from homunculus.engines.cells.types import Tokens
from homunculus.show import panels
from homunculus.show import panels as marks
from homunculus.show import panels as paper

PATCH = 16


def tokens(*cells: tuple[float, float, float, float, int]) -> Tokens:
    """One image's tokens from boxes and levels."""
    box = torch.tensor([cell[:4] for cell in cells]).float()[None]
    level = torch.tensor([[cell[4] for cell in cells]])
    centre = (box[..., :2] + box[..., 2:]) / 2
    return Tokens(None, centre, box, level, torch.ones_like(level, dtype=torch.bool))


def checkers(high: int, wide: int) -> torch.Tensor:
    """Black and white pixels in turn: the finest detail there is."""
    spot = (torch.arange(high)[:, None] + torch.arange(wide)) % 2
    return spot.float().expand(1, 3, high, wide)


def drawn(pixels: torch.Tensor, kept: Tokens, plain: bool = True, **options):
    size = (pixels.shape[2], pixels.shape[3])
    rows, cols = (-(-side // PATCH) for side in size)
    options = {"question": "why?", "caption": "facts", "origin": "pixels"} | options
    relevance = options.pop("relevance", np.random.default_rng(0).normal(size=(rows, cols)))
    chain = lift.mips(pixels, 4)
    return panels.draw_panels(chain, size, relevance, kept, patch=PATCH, plain=plain, **options)


def seen(pixels: torch.Tensor, kept: Tokens, plain: bool = True):
    """The last panel alone, a display pixel a pixel, as a tensor y x 3; and if it is whole."""
    size = (pixels.shape[2], pixels.shape[3])
    box, kind = panels._drawn(kept, size, PATCH, plain)
    levels = [Image.fromarray((mip[0].permute(1, 2, 0) * 255).byte().numpy()) for mip in
              lift.mips(pixels, 3)]  # fmt: skip
    panel = panels._seen(levels, box, kind if plain else [None] * len(kind), PATCH, 1.0, size[::-1])
    hatched = (np.array(panel) == np.array(panels._hatched(size[::-1]))).all(-1)
    return torch.from_numpy(np.array(panel)).float(), not hatched.any()


@pytest.mark.parametrize(
    "size", [(1013, 463), (720, 1280), (40, 56), (16, 2096), (2096, 16), (1, 1)]
)
def test_every_shape_fits_on_one_sheet(size) -> None:
    whole = tokens((0, 0, -(-size[0] // PATCH), -(-size[1] // PATCH), 3))
    sheet = drawn(torch.rand(1, 3, *size), whole, plain=False, fixation=(0.5, 0.5))
    assert sheet.mode == "RGB"
    assert 300 < sheet.width < 2200
    assert 150 < sheet.height < 2000


def test_a_level_0_cell_is_shown_pixel_for_pixel() -> None:
    pixels = torch.rand(1, 3, 32, 32)
    panel, whole = seen(pixels, tokens((0, 0, 1, 1, 0), (1, 1, 2, 2, 0)))
    want = (pixels[0].permute(1, 2, 0) * 255).byte().float()
    assert torch.equal(panel[:16, :16], want[:16, :16])
    assert torch.equal(panel[16:, 16:], want[16:, 16:])
    assert not whole
    hatch = panel[:16, 16:].unique()
    assert hatch.tolist() == [158, 196]


def test_a_coarse_cell_has_lost_the_finest_detail() -> None:
    panel, whole = seen(checkers(64, 64), tokens((0, 0, 2, 2, 1), (0, 2, 2, 4, 1), (2, 0, 4, 4, 1),
                                                 (2, 0, 3, 1, 0)))  # fmt: skip
    assert whole
    assert panel[:32].std() < 3  # grey
    assert panel[32:48, :16].std() > 120  # fine painted over coarse


def test_clipped_border_cells_keep_their_grain() -> None:
    pixels = torch.rand(1, 3, 40, 24)
    panel, whole = seen(pixels, tokens((0, 0, 3, 2, 2)))
    assert whole
    assert panel.shape == (40, 24, 3)
    assert panel.std() < 40  # a quarter of the pixels a side, smoothed


def test_other_boxes_are_read_at_patch_by_patch() -> None:
    pixels = checkers(64, 64)
    panel, whole = seen(pixels, tokens((0, 0, 4, 4, 0)), plain=False)
    assert whole
    assert panel.std() < 3
    sharp, _ = seen(pixels, tokens((0, 0, 4, 4, 0)), plain=True)
    assert sharp.std() > 100  # the level is believed where levels mean sizes


def test_neighbours_that_differ_by_rounding_show_no_crack() -> None:
    third = 4 / 3
    boxes = [(0, at * third + 1e-6, 4, (at + 1) * third - 1e-6, 0) for at in range(3)]
    assert seen(torch.rand(1, 3, 64, 64), tokens(*boxes), plain=False)[1]


def test_kinds_follow_level_or_size() -> None:
    kept = tokens((0, 0, 4, 4, 1), (0, 0, 1, 1, 0), (0, 0, 2, 2, 3))
    assert panels._drawn(kept, (64, 64), PATCH, True)[1] == [1, 3, 0]
    assert panels._drawn(kept, (64, 64), PATCH, False)[1] == [2, 1, 0]


def test_kept_cells_wear_the_colour_of_their_level() -> None:
    white = Image.new("RGB", (64, 64), "white")
    box = np.array([[0.0, 0, 32, 32], [32, 32, 64, 64]])
    panel = panels._kept(white, box, [0, 7])
    edges = [panel.getpixel(spot) for spot in ((0, 10), (40, 32), (50, 10))]
    for edge, colour in zip(
        edges, (panels.LEVELS[0], panels.LEVELS[-1], (255, 255, 255)), strict=True
    ):
        assert max(abs(one - other) for one, other in zip(edge, colour, strict=True)) < 30


def test_heat_grows_darker_with_relevance_and_print_stays_legible() -> None:
    colours = panels._palette(np.linspace(0, 1, 101)[None])[0]
    light = (colours * (0.299, 0.587, 0.114)).sum(-1)
    assert np.diff(light).max() < 0
    ink = Image.new("RGB", (64, 64), "white")
    ink.paste("black", (0, 0, 32, 64))
    drawn = panels.heated(ink, np.array([[0.0], [-9.0]]), 32.0).convert("L")
    for y in (16, 48):  # where it is likely, and where it is not
        assert drawn.getpixel((48, y)) - drawn.getpixel((16, y)) > 80
    assert drawn.getpixel((48, 48)) - drawn.getpixel((48, 16)) > 60


@pytest.mark.parametrize("value", [0.0, float("nan"), float("inf"), -float("inf")])
def test_any_relevance_can_be_drawn(value) -> None:
    relevance = np.zeros((2, 2))
    relevance[0, 0] = value
    drawn(torch.rand(1, 3, 32, 32), tokens((0, 0, 1, 1, 0)), relevance=relevance)


def test_texts_are_wrapped_cut_and_cleaned() -> None:
    font = paper.typeface(18)
    long = "What\tis the\ntotal\x00 amount " * 30 + "w" * 500
    lines = paper.wrapped(long, 300, 18, max_lines=4)
    assert len(lines) == 4
    assert lines[-1].endswith("...")
    assert all(font.getlength(line) <= 300 for line in lines)
    assert not set("\t\n\x00") & set("".join(lines))
    assert paper.wrapped("w" * 500, 300, 18, max_lines=4)[0].endswith("...")
    assert paper.wrapped("short", 300, 18, max_lines=4) == ["short"]
    assert paper.wrapped("", 300, 18, max_lines=4) == [""]


# ---- marks ---------------------------------------------------------------------------------------


def test_a_found_word_wears_a_thin_outline_and_its_name() -> None:
    white = Image.new("RGB", (400, 300), "white")
    panel = marks.outlined(white, [("total", (0.25, 0.5, 0.5, 0.6))])
    assert white.getpixel((98, 160)) == (255, 255, 255)  # a copy was drawn on
    assert panel.getpixel((98, 165)) == panel.getpixel((202, 165)) == marks.FOUND
    assert panel.getpixel((150, 165)) == (255, 255, 255)  # the word itself stays
    assert panel.getpixel((99, 140)) == marks.FOUND  # its name, above


def above_and_below(place: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    return [(place[0], place[1] - 21), (place[0], place[3] + 1)]


def test_labels_stay_inside_and_never_cover_each_other_or_a_word() -> None:
    size = (300, 200)
    rows, columns = (0, 2, 6, 7, 12, 18), (0, 2, 9)  # crowded here and there, and at every border
    boxes = [(x / 10, y / 20, x / 10 + 0.1, y / 20 + 0.05) for x in columns for y in rows]
    taken = [marks._corner(box, size) for box in boxes]
    words = list(taken)
    for place in words:
        spot = marks.free_place(above_and_below(place), (60, 20), taken, size)
        if spot is not None:
            assert not any(marks._meet(spot, other) for other in taken)
            assert spot[1] >= 0
            assert spot[2] < 300
            assert spot[3] < 200
            taken.append(spot)
    labels = len(taken) - len(words)
    assert 0 < labels < len(words), "some find room, and some do not"
    whole, top = above_and_below((0, 0, 299, 199)), above_and_below((10, 0, 50, 10))
    assert marks.free_place(whole, (60, 20), [], size) is None  # no room at all
    assert marks.free_place(top, (60, 20), [], size) is not None  # below instead of above
    marks.outlined(Image.new("RGB", (1, 1)), [("x" * 64, (0.0, 0.0, 1.0, 1.0))])
