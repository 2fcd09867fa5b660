"""The table of model families: where the rows of their image features look. A family is a row.

Everything else is the same for all: features come from `get_image_features`, go back through
`mm_encoder_outputs`, and positions are those of the untouched prompt.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isqrt, sqrt
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.core.types import Grid
from homunculus.lazy import need

Window = tuple[float, float, float, float]
"""y0 x0 y1 x1 in fractions of the image; outside 0 to 1 where the family pads."""
WHOLE: Window = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Layout:
    """One image's rows of features."""

    grid: Grid
    """Rows and columns of the lattice."""
    row: Int[Tensor, "cells"]
    """For each cell of the lattice, in reading order, its row of features."""
    rest: Int[Tensor, "others"]
    """Rows that are no cell: of a thumbnail, of ends of lines."""
    window: Window = WHOLE
    """The part of the image that the lattice covers."""

    @property
    def total(self) -> int:
        """Rows of features, and so placeholders in the untouched prompt."""
        return len(self.row) + len(self.rest)


def plain(rows: int, cols: int, window: Window = WHOLE) -> Layout:
    """A lattice, row by row, and nothing else."""
    return Layout((rows, cols), torch.arange(rows * cols), torch.arange(0), window)


def merged(grids: Sequence[Sequence[int]], merge: int) -> list[Layout]:
    """Of images given as frames, rows and columns of patches that are merged to cells."""
    return [plain(high // merge, wide // merge) for _, high, wide in grids]


def tiled(rows: int, cols: int, side: int, thumbnail: bool) -> Layout:
    """Tiles of side x side cells, one after the other; then perhaps the whole image as one more."""
    cell = torch.arange(rows * cols * side * side).view(rows, cols, side, side)
    row = cell.permute(0, 2, 1, 3).flatten()  # reading order runs through tiles side by side
    rest = torch.arange(len(row), len(row) + side * side * thumbnail)
    return Layout((rows * side, cols * side), row, rest)


def lined(rows: int, cols: int, first: int, window: Window = WHOLE) -> Layout:
    """So many rows of a thumbnail first, then a lattice whose lines end in a row of their own."""
    row = first + torch.arange(rows * (cols + 1)).view(rows, cols + 1)
    rest = torch.cat((torch.arange(first), row[:, -1]))
    return Layout((rows, cols), row[:, :-1].flatten(), rest, window)


def onto(value: Float[Tensor, "h w"], layout: Layout) -> Float[Tensor, "rows cols"]:
    """A map over the whole image brought to the lattice: a cell takes the largest it covers.

    What the family pads around the image is as relevant as the least of the map.
    """
    shown = _window(value, layout.window, float(value.detach().amin()))
    return F.adaptive_max_pool2d(shown[None], layout.grid)[0]


def averaged(value: Float[Tensor, "c h w"], layout: Layout) -> Float[Tensor, "c rows cols"]:
    """Channels over the whole image brought to the lattice: a cell takes the mean it covers.

    What the family pads around the image is zero.
    """
    return F.adaptive_avg_pool2d(_window(value, layout.window, 0.0), layout.grid)


def majority(label: Int[Tensor, "h w"], layout: Layout) -> Int[Tensor, "rows cols"]:
    """Labels over the whole image brought to the lattice: a cell takes the one it covers most of.

    What the family pads around the image is -1; the smaller label wins a tie, -1 loses it.
    """
    shown = _window(label, layout.window, -1)
    count = max(0, int(shown.max()) + 1)
    vote = F.one_hot(torch.where(shown < 0, count, shown), count + 1).movedim(-1, 0)
    most = F.adaptive_avg_pool2d(vote.float(), layout.grid).argmax(0)
    return torch.where(most == count, -1, most)


def _window(value: Tensor, window: Window, around: float | int) -> Tensor:
    """The part of a map that a window shows, in whole cells of the map; ``around`` beyond it."""
    if window == WHOLE:
        return value
    (high, wide), (y0, x0, y1, x1) = value.shape[-2:], window
    top, left = round(y0 * high), round(x0 * wide)
    low, right = max(top + 1, round(y1 * high)), max(left + 1, round(x1 * wide))
    sides = (max(0, -left), max(0, right - wide), max(0, -top), max(0, low - high))
    padded = F.pad(value, sides, value=around)
    top, left = max(0, top), max(0, left)
    return padded[..., top : top + low - round(y0 * high), left : left + right - round(x0 * wide)]


def split(rows: Float[Tensor, "n d"], layouts: Sequence[Layout]) -> list[Float[Tensor, "_ d"]]:
    """Rows of all images, image by image."""
    expected = sum(layout.total for layout in layouts)
    if len(rows) != expected:
        raise ValueError(
            f"engine: expected {expected} rows of image features from the prompt's layout, got "
            f"{len(rows)}. This model lays out its images in a way that is not known here."
        )
    return list(rows.split([layout.total for layout in layouts]))


Size = tuple[int, int]
"""Height and width of an image in pixels, as it came."""


@dataclass(frozen=True)
class View:
    """What a layout is read from: the model's config, its processor, the prepared inputs."""

    config: Any
    processor: Any
    inputs: Mapping[str, Any]
    sizes: Sequence[Size]
    """Of every image, in the order of the prompt."""
    alone: Sequence[bool]
    """Whether an image is the only one of its conversation."""


@dataclass(frozen=True)
class Family:
    """One row of the table."""

    name: str
    layouts: Callable[[View], list[Layout]]
    first: int = 0
    """Where `forward` counts positions from (`generate` counts from 0 everywhere)."""
    causal: bool = True
    """Whether a longer prompt may go on with the cache of a shorter one that it begins with."""
    before: str = ""
    """How a part of the image is encoded alone: by which function of `part`; empty if not."""


def _qwen(view: View) -> list[Layout]:
    merge = view.config.vision_config.spatial_merge_size
    return merged(view.inputs["image_grid_thw"].tolist(), merge)


def _llava(view: View) -> list[Layout]:
    """A square cut from the middle: what lies outside is never seen."""
    patch, edge = view.config.vision_config.patch_size, view.processor.image_processor.size
    edge = edge["shortest_edge"]
    high, wide = view.inputs["pixel_values"].shape[-2:]
    out = []
    for h, w in view.sizes:
        down, across = (edge, edge * w // h) if h <= w else (edge * h // w, edge)
        top, left = (down - high) // 2, (across - wide) // 2
        window = (top / down, left / across, (top + high) / down, (left + wide) / across)
        out.append(plain(high // patch, wide // patch, window))
    return out


def _onevision(view: View) -> list[Layout]:
    pairs = zip(view.sizes, view.alone, strict=True)
    return [
        _anyres(view.config, size) if one else _padded(view.config, size) for size, one in pairs
    ]


def _padded(config: Any, size: Size) -> Layout:
    """One of several images: padded to a square, one view, one newline at its end."""
    side = config.vision_config.image_size // config.vision_config.patch_size
    (high, wide), long = size, max(size)
    top, left = (long - high) // 2, (long - wide) // 2
    window = (-top / high, -left / wide, (long - top) / high, (long - left) / wide)
    square = plain(side, side, window)
    end = square.row.new_tensor([side * side])
    return Layout(square.grid, square.row, end, window)


def _anyres(config: Any, size: Size) -> Layout:
    """A view of the whole, then the best canvas of tiles without its padding, line by line."""
    best = need("transformers.image_processing_utils", "transformers", "homunculus.attach")
    (h, w), tile = size, config.vision_config.image_size
    side = tile // config.vision_config.patch_size
    high, wide = best.select_best_resolution(size, config.image_grid_pinpoints)
    narrow = wide / w < high / h
    down, across = (
        (min(ceil(h * wide / w), high), wide) if narrow else (high, min(ceil(w * high / h), wide))
    )
    rows, cols, cell = side * high // tile, side * wide // tile, tile / side
    if w / h > cols / rows:
        cut = ((rows - int(round(h * cols / w, 7))) // 2, 0)
    else:
        cut = (0, (cols - int(round(w * rows / h, 7))) // 2)
    pad = ((high - down) // 2, (wide - across) // 2)
    ends = ((rows - cut[0]) * cell, (cols - cut[1]) * cell)
    window = (
        (cut[0] * cell - pad[0]) / down, (cut[1] * cell - pad[1]) / across,
        (ends[0] - pad[0]) / down, (ends[1] - pad[1]) / across,
    )  # fmt: skip
    rows, cols = rows - 2 * cut[0], cols - 2 * cut[1]
    most = int(config.vision_aspect_ratio.removeprefix("anyres_max_"))
    ratio = sqrt(rows * cols / (most * side * side))
    if ratio > 1.1:  # too many: the family resamples its features
        rows, cols = int(rows // ratio), int(cols // ratio)
    return lined(rows, cols, side * side, window)


def _split(view: View) -> list[Layout]:
    """Tiles between their marks, then the whole image; small images have the whole alone."""
    side, images = isqrt(view.processor.image_seq_len), view.processor.image_processor
    out = []
    for high, wide in view.sizes:
        _, rows, cols = images.get_number_of_image_patches(high, wide, {})
        out.append(tiled(rows, cols, side, True) if rows and cols else plain(side, side))
    return out


def _internvl(view: View) -> list[Layout]:
    tiles = need("transformers.models.got_ocr2.image_processing_got_ocr2", "transformers", "attach")
    side, images = isqrt(view.processor.image_seq_length), view.processor.image_processor
    edge, out = (images.size["height"], images.size["width"]), []
    for size in view.sizes:
        cols, rows = tiles.get_optimal_tiled_canvas(
            size, edge, images.min_patches, images.max_patches
        )
        out.append(tiled(rows, cols, side, rows * cols > 1))
    return out


def _gemma3(view: View) -> list[Layout]:
    side = isqrt(view.config.mm_tokens_per_image)
    return [plain(side, side) for _ in view.sizes]


def _paligemma(view: View) -> list[Layout]:
    side = view.config.vision_config.image_size // view.config.vision_config.patch_size
    return [plain(side, side) for _ in view.sizes]


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
        Family("gemma3", _gemma3),
        Family("paligemma", _paligemma, first=1, causal=False),
    )
}


def family(model: Any) -> Family:
    """The row of a model; an unknown one is told what there is."""
    kind = getattr(getattr(model, "config", None), "model_type", type(model).__name__)
    if kind not in FAMILIES:
        raise ValueError(
            f"attach: no model family {kind!r}. There are {', '.join(FAMILIES)}; "
            "another one is a row in homunculus.engines.families."
        )
    return FAMILIES[kind]
