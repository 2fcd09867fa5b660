"""Cells look where their layout says: paint over a part of an image, and only they change.

The towers' attention is silenced, so that each patch speaks for itself.
"""

from typing import Any

import pytest
import torch
from torch import Tensor

from engine_help import FAMILIES, LARGE, MARK, TALL, attached, load, picture, turn
from homunculus.engines.families import Layout
from homunculus.engines.transformers.inputs import ImageTokens

pytestmark = MARK
WIDE = (90, 301)
CORNERS = [(0.0, 0.0), (0.1, 0.6), (0.35, 0.3), (0.45, 0.7), (0.7, 0.05), (0.75, 0.75)]
"""Of what is painted, in fractions of the image."""


def silent(family: str) -> Any:
    tiny = load(family)
    core = tiny.model.base_model
    names = ("visual", "vision_tower", "vision_model")
    tower = next(getattr(core, name) for name in names if hasattr(core, name))
    ends = ("attn.proj", "out_proj", "projection_layer")
    mixing = [part for name, part in tower.named_modules() if name.endswith(ends)]
    assert mixing
    with torch.no_grad():
        for part in mixing:
            for weight in part.parameters():
                weight.zero_()
    return attached(tiny)


def boxes(layout: Layout, size: tuple[int, int]) -> Tensor:
    """y0 x0 y1 x1 of each cell in pixels of the image, in reading order."""
    (rows, cols), (y0, x0, y1, x1) = layout.grid, layout.window
    y = torch.linspace(y0, y1, rows + 1) * size[0]
    x = torch.linspace(x0, x1, cols + 1) * size[1]
    row, col = torch.arange(rows).repeat_interleave(cols), torch.arange(cols).repeat(rows)
    return torch.stack((y[row], x[col], y[row + 1], x[col + 1]), 1)


def painted(image: Any, block: tuple[int, int, int, int]) -> Any:
    """With the colours of a block turned round."""
    from PIL import Image, ImageChops

    y0, x0, y1, x1 = block
    other = image.copy()
    part = image.crop((x0, y0, x1, y1))
    other.paste(ImageChops.invert(part), (x0, y0))
    assert isinstance(other, Image.Image)
    return other


def rows(look: ImageTokens) -> Tensor:
    """Features of the cells, in reading order; all rows are kept, so a row's place is its own."""
    assert look.choice.embed is not None
    return look.choice.embed[look.layout.row]


def check(engine: Any, size: tuple[int, int], *others: Any, share: int = 4) -> None:
    image, found = picture(*size), 0
    (first, *_) = engine.prepare([turn(image, *others, "What?")]).images
    box, plain = boxes(first.layout, size), rows(first)
    # resampling reaches a little beyond a cell
    reach = (0.75 * (box[:, 2:] - box[:, :2])).clamp(min=3)
    for high, wide in CORNERS:
        y0, x0 = int(high * size[0]), int(wide * size[1])
        y1, x1 = min(size[0], y0 + size[0] // share), min(size[1], x0 + size[1] // share)
        (look, *_) = engine.prepare([turn(painted(image, (y0, x0, y1, x1)), *others, "?")]).images
        changed = (rows(look) - plain).abs().amax(1) > 1e-4
        low, top = torch.tensor([y1, x1]), torch.tensor([y0, x0])
        inside = ((box[:, :2] >= top) & (box[:, 2:] <= low)).all(1)
        away = ((box[:, 2:] + reach <= top) | (box[:, :2] - reach >= low)).any(1)
        assert bool(changed[inside].all()), (high, wide)
        assert not changed[away].any(), (high, wide)
        found += int(inside.sum())
    assert found > 0
    assert len(box) == first.layout.grid[0] * first.layout.grid[1] == len(plain)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_cell_changes_if_what_it_covers_changes_and_only_then(family: str) -> None:
    engine = silent(family)
    for size in (LARGE, TALL, WIDE):
        check(engine, size)


def test_one_of_several_images_is_padded_to_a_square_in_llava_onevision() -> None:
    engine = silent("llava_onevision")
    for size in (LARGE, TALL):
        check(engine, size, picture(50, 60, seed=3), share=2)  # 5 x 5 cells are all there are


def test_the_ends_of_lines_never_change_and_the_thumbnail_does() -> None:
    engine = silent("llava_onevision")
    looks = [engine.prepare([turn(picture(*LARGE, seed=at), "?")]).images[0] for at in range(2)]
    one, two = (look.choice.embed[look.layout.rest] for look in looks)
    same = (one == two).all(1)
    assert same.tolist() == [False] * 25 + [True] * looks[0].layout.grid[0]
