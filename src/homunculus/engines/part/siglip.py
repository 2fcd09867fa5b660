# pyright: basic
"""The families with SigLIP towers: their tiles, and what they make of a tower's states."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.engines.encode import Encoded
from homunculus.engines.layout import Layout
from homunculus.engines.part.tiles import NONE, Eye, Sheet, encoded
from homunculus.engines.select import Choice
from homunculus.extra import need
from homunculus.method import Rule


def shuffled(
    model: Any,
    inputs: Mapping[str, Any],
    layouts: Sequence[Layout],
    choices: Sequence[Choice],
    rule: Rule | None = None,
) -> Encoded:
    """Chosen cells of smolvlm and idefics3: a cell is a square of patches, shuffled into one."""
    core = model.base_model
    tiles, seen = _real(inputs)
    if seen is not None and not seen.all():
        raise ValueError(
            "engine: a tile is padded, which cannot be cut before the encoder. "
            'Use where="after", or the image processor as the model came with it.'
        )
    tower, merge = core.vision_model, core.config.scale_factor
    side = tiles.shape[-1] // (tower.config.patch_size * merge)
    sheets, at = [], 0
    for layout in layouts:
        grid = (layout.grid[0] // side, layout.grid[1] // side)
        end = at + grid[0] * grid[1]
        sheets.append(Sheet(at, grid, layout.grid, end if len(layout.rest) else NONE))
        at = end + bool(len(layout.rest))
    if at != len(tiles):
        raise ValueError(f"engine: expected {at} tiles from the prompt's layout, got {len(tiles)}.")

    def embed(pixels: Tensor) -> Tensor:
        across = pixels.shape[-1] // tower.config.patch_size
        whole = torch.ones(len(pixels), across, across, dtype=torch.bool, device=pixels.device)
        return tower.embeddings(pixels.to(core.dtype), whole)

    def project(state: Tensor) -> Tensor:
        normed = tower.post_layernorm(state.unflatten(-1, (merge * merge, -1)))
        return core.connector.modality_projection(normed.flatten(-2))

    eye = Eye(tower, list(tiles), sheets, merge, embed, project)
    rows = encoded(eye, layouts, choices, rule)
    return Encoded(_output(torch.cat(rows)), rows)


def _real(inputs: Mapping[str, Any]) -> tuple[Float[Tensor, "t c s s"], Tensor | None]:
    """The tiles of all images, and which pixels are no padding; batches pad with tiles of zeros."""
    tiles, seen = inputs["pixel_values"].flatten(0, 1), inputs.get("pixel_attention_mask")
    real = (tiles != 0).flatten(1).any(1)
    return tiles[real], None if seen is None else seen.flatten(0, 1)[real].bool()


def onevision(
    model: Any,
    inputs: Mapping[str, Any],
    layouts: Sequence[Layout],
    choices: Sequence[Choice],
    rule: Rule | None = None,
) -> Encoded:
    """Chosen cells of llava_onevision: a cell is a patch.

    Where the family has too many cells it resamples their features: then a token needs the four
    cells around it, and coarse levels come from the image at the size of the lattice.
    """
    core, own = model.base_model, model.base_model.config
    tower = core.vision_tower
    alone = [many == 1 for many in inputs["batch_num_images"] for _ in range(int(many))]
    tiles, sheets = [], []
    sizes = inputs["image_sizes"].tolist()
    for pixels, size, one in zip(inputs["pixel_values"], sizes, alone, strict=True):
        sheet = _sheet(own, len(tiles), size) if one else _square(own, len(tiles))
        sheets.append(sheet)
        tiles += pixels[: one + sheet.tiles[0] * sheet.tiles[1]]

    layer, project = own.vision_feature_layer, core.multi_modal_projector
    layers = [layer] if isinstance(layer, int) else layer
    eye = Eye(tower, tiles, sheets, 1, tower.embeddings, project, layers, core.image_newline)
    rows = encoded(eye, layouts, choices, rule)
    return Encoded(_output(rows), rows)


def _sheet(config: Any, first: int, size: Sequence[int]) -> Sheet:
    """An image alone: a view of the whole, then the tiles of its canvas."""
    own = need(
        "transformers.models.llava_onevision.modeling_llava_onevision",
        "transformers",
        "homunculus.attach",
    )
    tile, pins = config.vision_config.image_size, config.image_grid_pinpoints
    side = tile // config.vision_config.patch_size
    rows, cols = own.get_anyres_image_grid_shape(size, pins, tile)
    canvas = torch.empty(1, rows * side, cols * side)
    high, wide = own.unpad_image(canvas, size).shape[1:]
    return Sheet(first + 1, (rows, cols), (high, wide), whole=first)


def _square(config: Any, first: int) -> Sheet:
    """One of several images: one tile."""
    side = config.vision_config.image_size // config.vision_config.patch_size
    return Sheet(first, (1, 1), (side, side))


def _output(rows: Any) -> Any:
    kinds = need("transformers.modeling_outputs", "transformers", "homunculus.attach")
    return kinds.BaseModelOutputWithPooling(pooler_output=rows)
