# pyright: basic
"""The table of model families: where the rows of their image features look. A family is a row.

Everything else is the same for all: features come from `get_image_features`, go back through
`mm_encoder_outputs`, and positions are those of the untouched prompt.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isqrt, sqrt
from typing import Any

from homunculus.engines.layout import Layout, lined, merged, plain, tiled
from homunculus.extra import need

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
        Family("smolvlm", _split, before="shuffled"),
        Family("idefics3", _split, before="shuffled"),
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
            "another one is a row in homunculus.engines.family."
        )
    return FAMILIES[kind]
