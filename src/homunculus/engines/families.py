"""The table of model families: which part of an image each row of its features stands for.

To add a family that is cut after its encoder, write a function from an `ImageBatch` to layouts and
add a row to `FAMILIES`. Everything else is the same for all families: features come from
`get_image_features`, go back through `mm_encoder_outputs`, and positions are those of the untouched
prompt.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isqrt, sqrt
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.lazy import need
from homunculus.planner.counting import Size

Window = tuple[float, float, float, float]
"""y0 x0 y1 x1 in fractions of the image; outside 0 to 1 where the family pads."""
WHOLE: Window = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Layout:
    """Which rows of an image's features are cells of a lattice over the image."""

    grid: Grid
    """Rows and columns of the lattice."""
    row: Int[Tensor, "cells"]
    """For each cell of the lattice, in reading order, its row of features."""
    rest: Int[Tensor, "others"]
    """Rows that are not cells: those of a thumbnail and of line ends."""
    window: Window = WHOLE
    """The part of the image that the lattice covers."""

    @property
    def total(self) -> int:
        """Rows of features, and placeholders in the untouched prompt."""
        return len(self.row) + len(self.rest)


# ---- layouts -------------------------------------------------------------------------------------


def plain_layout(rows: int, cols: int, window: Window = WHOLE) -> Layout:
    """A lattice, row by row, and no other rows."""
    return Layout((rows, cols), torch.arange(rows * cols), torch.arange(0), window)


def merged_layouts(grids: Sequence[Sequence[int]], merge: int) -> list[Layout]:
    """Layouts of images given as (frames, rows, columns) of patches; merge x merge make a cell."""
    return [plain_layout(high // merge, wide // merge) for _, high, wide in grids]


def tiled_layout(rows: int, cols: int, side: int, thumbnail: bool) -> Layout:
    """Tiles of side x side cells, one after the other; then perhaps a thumbnail tile."""
    cell = torch.arange(rows * cols * side * side).view(rows, cols, side, side)
    row = cell.permute(0, 2, 1, 3).flatten()  # reading order runs through tiles side by side
    rest = torch.arange(len(row), len(row) + side * side * thumbnail)
    return Layout((rows * side, cols * side), row, rest)


def lined_layout(rows: int, cols: int, first: int, window: Window = WHOLE) -> Layout:
    """``first`` rows of a thumbnail, then a lattice whose lines each end in a newline row."""
    row = first + torch.arange(rows * (cols + 1)).view(rows, cols + 1)
    rest = torch.cat((torch.arange(first), row[:, -1]))
    return Layout((rows, cols), row[:, :-1].flatten(), rest, window)


# ---- maps over an image, on the cells of its layout ----------------------------------------------


def pool_max(value: Float[Tensor, "h w"], layout: Layout) -> Float[Tensor, "rows cols"]:
    """A map over the whole image, max-pooled to the cells of a layout.

    Padding that the family adds around the image takes the minimum of the map.
    """
    return F.adaptive_max_pool2d(cut_map(value, layout)[None], layout.grid)[0]


def cut_map(value: Float[Tensor, "h w"], layout: Layout) -> Float[Tensor, "h2 w2"]:
    """The part of a map that a layout covers; padding takes the minimum of the map."""
    return _window(value, layout.window, float(value.detach().amin()))


def pool_mean(value: Float[Tensor, "c h w"], layout: Layout) -> Float[Tensor, "c rows cols"]:
    """Channels over the whole image, mean-pooled to the cells of a layout; padding is zero."""
    return F.adaptive_avg_pool2d(_window(value, layout.window, 0.0), layout.grid)


def pool_majority(label: Int[Tensor, "h w"], layout: Layout) -> Int[Tensor, "rows cols"]:
    """Labels over the whole image, pooled to the cells of a layout by majority.

    Padding is -1. The smaller label wins a tie, and -1 loses it.
    """
    inside = _window(label, layout.window, -1)
    count = max(0, int(inside.max()) + 1)
    vote = F.one_hot(torch.where(inside < 0, count, inside), count + 1).movedim(-1, 0)
    winner = F.adaptive_avg_pool2d(vote.float(), layout.grid).argmax(0)
    return torch.where(winner == count, -1, winner)


def _window(value: Tensor, window: Window, fill: float | int) -> Tensor:
    """The part of a map inside a window, in whole cells of the map, padded with ``fill``."""
    if window == WHOLE:
        return value
    (high, wide), (y0, x0, y1, x1) = value.shape[-2:], window
    top, left = round(y0 * high), round(x0 * wide)
    low, right = max(top + 1, round(y1 * high)), max(left + 1, round(x1 * wide))
    sides = (max(0, -left), max(0, right - wide), max(0, -top), max(0, low - high))
    padded = F.pad(value, sides, value=fill)
    top, left = max(0, top), max(0, left)
    return padded[..., top : top + low - round(y0 * high), left : left + right - round(x0 * wide)]


def split_rows(rows: Float[Tensor, "n d"], layouts: Sequence[Layout]) -> list[Float[Tensor, "_ d"]]:
    """Split the rows of all images by image."""
    expected = sum(layout.total for layout in layouts)
    if len(rows) != expected:
        raise ValueError(
            f"engine: expected {expected} rows of image features from the prompt's layout, got "
            f"{len(rows)}. This model lays out its images differently from its family."
        )
    return list(rows.split([layout.total for layout in layouts]))


# ---- families ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImageBatch:
    """The images of a batch of prompts, and what their layouts depend on."""

    config: Any
    processor: Any
    inputs: Mapping[str, Any]
    """What the processor made of the prompts."""
    sizes: Sequence[Size]
    """Sizes of the original images, in the order of the prompt."""
    alone: Sequence[bool]
    """For each image, whether it is the only one of its conversation."""


@dataclass(frozen=True)
class Family:
    """One row of the table of families."""

    name: str
    """`model_type` in the model's config."""
    layouts: Callable[[ImageBatch], list[Layout]]
    """Layouts of all images of a batch."""
    first: int = 0
    """The first position in a plain `forward` (`generate` always starts at 0)."""
    before: str = ""
    """The encoder of chosen cells alone, a key of `engine.BEFORE`; empty if there is none."""

    @property
    def processors(self) -> set[str]:
        """Folders of `transformers.models` whose processors make the same layouts."""
        return {row.name for row in FAMILIES.values() if row.layouts is self.layouts}


def cell_pixels(config: Any) -> int:
    """Side of a cell in pixels, of the families that can be cut before their encoder."""
    vision = config.vision_config
    merge = getattr(vision, "spatial_merge_size", None) or getattr(config, "scale_factor", 1)
    return vision.patch_size * merge


def _qwen(batch: ImageBatch) -> list[Layout]:
    merge = batch.config.vision_config.spatial_merge_size
    return merged_layouts(batch.inputs["image_grid_thw"].tolist(), merge)


def _llava(batch: ImageBatch) -> list[Layout]:
    """A square from the middle of the image; the model never sees the rest."""
    patch, edge = batch.config.vision_config.patch_size, batch.processor.image_processor.size
    edge = edge["shortest_edge"]
    high, wide = batch.inputs["pixel_values"].shape[-2:]
    layouts: list[Layout] = []
    for h, w in batch.sizes:
        down, across = (edge, edge * w // h) if h <= w else (edge * h // w, edge)
        top, left = (down - high) // 2, (across - wide) // 2
        window = (top / down, left / across, (top + high) / down, (left + wide) / across)
        layouts.append(plain_layout(high // patch, wide // patch, window))
    return layouts


def _onevision(batch: ImageBatch) -> list[Layout]:
    pairs = zip(batch.sizes, batch.alone, strict=True)
    return [
        _anyres(batch.config, size) if alone else _padded(batch.config, size)
        for size, alone in pairs
    ]


def _padded(config: Any, size: Size) -> Layout:
    """One of several images: padded to a square, one tile, one newline at its end."""
    side = config.vision_config.image_size // config.vision_config.patch_size
    (high, wide), long = size, max(size)
    top, left = (long - high) // 2, (long - wide) // 2
    window = (-top / high, -left / wide, (long - top) / high, (long - left) / wide)
    square = plain_layout(side, side, window)
    end = square.row.new_tensor([side * side])
    return Layout(square.grid, square.row, end, window)


def best_canvas(config: Any, size: Size) -> tuple[Grid, Grid]:
    """LLaVA-OneVision's tiles for the only image of a conversation, down and across, and the cells
    that they have without padding."""
    library = need(
        "transformers.models.llava_onevision.modeling_llava_onevision",
        "transformers",
        "homunculus.attach",
    )
    tile = config.vision_config.image_size
    side = tile // config.vision_config.patch_size
    rows, cols = library.get_anyres_image_grid_shape(size, config.image_grid_pinpoints, tile)
    canvas = torch.empty(1, rows * side, cols * side)
    high, wide = library.unpad_image(canvas, size).shape[1:]
    return (rows, cols), (high, wide)


def _anyres(config: Any, size: Size) -> Layout:
    """A view of the whole, then the best canvas of tiles without its padding, line by line."""
    (h, w), tile = size, config.vision_config.image_size
    side = tile // config.vision_config.patch_size
    tiles, (rows, cols) = best_canvas(config, size)
    high, wide = tiles[0] * tile, tiles[1] * tile
    narrow = wide / w < high / h
    down, across = (
        (min(ceil(h * wide / w), high), wide) if narrow else (high, min(ceil(w * high / h), wide))
    )
    cell = tile / side
    cut = ((tiles[0] * side - rows) // 2, (tiles[1] * side - cols) // 2)
    pad = ((high - down) // 2, (wide - across) // 2)
    window = (
        (cut[0] * cell - pad[0]) / down, (cut[1] * cell - pad[1]) / across,
        ((cut[0] + rows) * cell - pad[0]) / down, ((cut[1] + cols) * cell - pad[1]) / across,
    )  # fmt: skip
    max_tiles = int(config.vision_aspect_ratio.removeprefix("anyres_max_"))
    ratio = sqrt(rows * cols / (max_tiles * side * side))
    if ratio > 1.1:  # too many: the family resamples its features
        rows, cols = int(rows // ratio), int(cols // ratio)
    return lined_layout(rows, cols, side * side, window)


def _split(batch: ImageBatch) -> list[Layout]:
    """Tiles between marks, then a thumbnail; small images are one tile."""
    side, images = isqrt(batch.processor.image_seq_len), batch.processor.image_processor
    layouts: list[Layout] = []
    for high, wide in batch.sizes:
        _, rows, cols = images.get_number_of_image_patches(high, wide, {})
        tiled = rows and cols
        layouts.append(tiled_layout(rows, cols, side, True) if tiled else plain_layout(side, side))
    return layouts


def _internvl(batch: ImageBatch) -> list[Layout]:
    library = need(
        "transformers.models.got_ocr2.image_processing_got_ocr2",
        "transformers",
        "homunculus.attach",
    )
    side, images = isqrt(batch.processor.image_seq_length), batch.processor.image_processor
    edge = (images.size["height"], images.size["width"])
    layouts: list[Layout] = []
    for size in batch.sizes:
        cols, rows = library.get_optimal_tiled_canvas(
            size, edge, images.min_patches, images.max_patches
        )
        layouts.append(tiled_layout(rows, cols, side, rows * cols > 1))
    return layouts


def _square(batch: ImageBatch) -> list[Layout]:
    """Gemma's: the whole image, as a square."""
    vision = batch.config.vision_config
    side = vision.image_size // vision.patch_size
    if tokens := getattr(batch.config, "mm_tokens_per_image", None):
        side = isqrt(tokens)
    return [plain_layout(side, side) for _ in batch.sizes]


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("qwen3_vl", _qwen, before="qwen"),
        Family("qwen2_5_vl", _qwen, before="qwen"),
        Family("qwen2_vl", _qwen, before="qwen"),
        Family("llava", _llava),
        Family("llava_onevision", _onevision, before="onevision"),
        Family("smolvlm", _split, before="idefics"),
        Family("idefics3", _split, before="idefics"),
        Family("internvl", _internvl),
        Family("gemma3", _square),
        Family("paligemma", _square, first=1),
    )
}


def family(model: Any) -> Family:
    """The family of a model, by its `model_type`."""
    kind = getattr(getattr(model, "config", None), "model_type", type(model).__name__)
    if kind not in FAMILIES:
        raise ValueError(
            f"attach: no model family {kind!r}. There are {', '.join(FAMILIES)}; "
            "another one is a row in homunculus.engines.families."
        )
    return FAMILIES[kind]
