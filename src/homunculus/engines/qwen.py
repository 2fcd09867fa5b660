"""Chosen cells of Qwen's vision towers: one packed sequence for each view of an image."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int, UInt8
from torch import Tensor

from homunculus.engines.encode import Encoded, stack_rows
from homunculus.engines.parts import (
    Part,
    PartRequest,
    by_image,
    crop,
    gather_rows,
    halve,
    part_pixels,
    parts,
)
from homunculus.lazy import need

IMAGE_PROCESSOR = "Qwen2VLImageProcessor"
"""The class whose steps can be split; with any other, all pixels are processed."""


@dataclass(frozen=True, eq=False)
class ResizedImages:
    """Images that are resized only; their chosen cells are normalized and cut into patches."""

    images: list[UInt8[Tensor, "c _h _w"]]
    processor: Any

    def rows(self, part: Part, cell: int) -> Float[Tensor, "patches d"]:
        """Patches of a part's cells; ``cell`` is a cell's side in pixels."""
        steps = self.processor
        pixels = steps.rescale_and_normalize(
            _cells(self.images[part.image], part, cell), steps.do_rescale, steps.rescale_factor,
            steps.do_normalize, steps.image_mean, steps.image_std,
        )  # fmt: skip
        names = ("patch_size", "merge_size", "temporal_patch_size")
        sizes = {name: getattr(steps, name) for name in names}
        return steps.patchify(pixels, **sizes)[0].flatten(0, 1)


def resize_only(processor: Any) -> Any:
    """A copy of a processor that only resizes its images; None if its class is not known."""
    images = resize_images_only(getattr(processor, "image_processor", None))
    if images is None:
        return None
    processor = copy.copy(processor)
    processor.image_processor = images
    return processor


def resize_images_only(images: Any) -> Any:
    """A copy of an image processor that only resizes; None if its class is not known."""
    if type(images).__name__ != IMAGE_PROCESSOR:
        return None
    images = copy.copy(images)
    images.rescale_and_normalize = _unchanged
    images.patchify = _flatten
    return images


def _unchanged(image: Tensor, *_: Any) -> Tensor:
    return image


def _flatten(image: Tensor, patch_size: int, **_: Any) -> tuple[Tensor, int, int]:
    """Pixels in one row, so that images of all sizes can be concatenated."""
    return image.flatten(1), image.shape[2] // patch_size, image.shape[3] // patch_size


def resized_images(inputs: Any, images: Any) -> ResizedImages:
    """Images from the inputs of a resize-only processor; ``images`` is the original one."""
    sizes = (inputs["image_grid_thw"][:, 1:] * images.patch_size).tolist()
    parts = inputs["pixel_values"].split([3 * high * wide for high, wide in sizes])
    shaped = [part.view(3, *size) for part, size in zip(parts, sizes, strict=True)]
    return ResizedImages(shaped, images)


def _cells(image: UInt8[Tensor, "c h w"], part: Part, cell: int) -> Tensor:
    if part.frame is not None:
        return _frame_cells(image, part, cell)
    side = cell << part.level
    top, left = part.cell // part.grid[1] * side, part.cell % part.grid[1] * side
    high, wide = (image.shape[1] - top).clamp(max=side), (image.shape[2] - left).clamp(max=side)
    dtype = torch.float32 if part.level else image.dtype
    cells = image.new_empty((len(part.cell), len(image), cell, cell), dtype=dtype)
    # cells at the border may be smaller: they are padded as the whole image would be
    for h, w in set(zip(high.tolist(), wide.tolist(), strict=True)):
        same = ((high == h) & (wide == w)).nonzero()[:, 0]
        corners = zip(top[same].tolist(), left[same].tolist(), strict=True)
        block = torch.stack([image[:, y : y + h, x : x + w] for y, x in corners]).flatten(0, 1)
        if (h, w) == (side, side):
            block = _block_means(block, part.level)
        else:
            for _ in range(part.level):
                block = halve(block.float(), cell)
        cells[same.to(cells.device)] = block.view(len(same), -1, cell, cell)
    return cells


def _block_means(block: UInt8[Tensor, "n h w"], level: int) -> Tensor:
    """Means of square blocks; lines are summed as integers first, which uses least memory."""
    if not level:
        return block
    side = 1 << level
    lines = block.unflatten(1, (-1, side))
    total = lines[:, :, 0].int() if level > 7 else lines[:, :, 0].short()
    for line in range(1, side):
        total += lines[:, :, line]
    return F.avg_pool2d(total.float()[None], (1, side))[0] / side


def _frame_cells(image: UInt8[Tensor, "c h w"], part: Part, cell: int) -> Tensor:
    assert part.frame is not None
    rows, cols = part.grid
    view = crop(image, part.frame, part.grid, cell)
    if part.picture:
        view = view.round().to(image.dtype)
    cells = view.view(len(view), rows, cell, cols, cell).permute(1, 3, 0, 2, 4).flatten(0, 1)
    return cells[part.cell.to(cells.device)]


def encode_cells(model: Any, request: PartRequest) -> Encoded:
    """Encode chosen cells with a Qwen tower, given the tower's own metadata for them."""
    inputs, layouts, choices, rule = request
    core, all_parts = model.base_model, parts(layouts, choices, rule)
    tower = core.visual
    merge = tower.spatial_merge_size
    unit, patch = merge * merge, model.config.vision_config.patch_size
    patches = pixels(inputs, merge, patch, all_parts)
    shapes = [part.grid for part in all_parts]
    grids = torch.tensor([[1, rows * merge, cols * merge] for rows, cols in shapes])
    starts = torch.tensor([0, *(rows * cols for rows, cols in shapes)]).cumsum(0)
    cell = torch.cat([part.cell + start for part, start in zip(all_parts, starts, strict=False)])
    rows = (cell[:, None] * unit + torch.arange(unit)).flatten()
    metadata = _metadata(tower, grids, cell, rows)
    lengths = torch.tensor([0, *(len(part.cell) * unit for part in all_parts)])
    metadata["image_cu_seqlens"] = lengths.cumsum(0, dtype=torch.int32)
    device = patches.device
    metadata = {name: value.to(device) for name, value in metadata.items()}
    # the grid only groups rows: everything else is in the metadata
    groups = torch.tensor([[1, merge, merge * len(part.cell)] for part in all_parts], device=device)
    output = core.get_image_features(patches, groups, **metadata, return_dict=True)
    rows = stack_rows(output).split([len(part.cell) for part in all_parts])
    return Encoded(output, gather_rows(all_parts, rows))


def pixels(
    inputs: Mapping[str, Any], merge: int, patch: int, all_parts: Sequence[Part]
) -> Float[Tensor, "patches d"]:
    """Patches of the chosen cells, part after part."""
    if isinstance(resized := inputs["pixel_values"], ResizedImages):
        return torch.cat([resized.rows(part, merge * patch) for part in all_parts])
    grids = inputs["image_grid_thw"].tolist()
    whole = inputs["pixel_values"].split([rows * cols for _, rows, cols in grids])
    chosen: list[Tensor] = []
    for image, image_parts in by_image(all_parts):
        own, (_, down, across) = whole[image], grids[image]
        patches = [own] * len(image_parts)
        if not all(part.own for part in image_parts):
            picture = _image(own, (down, across), merge, patch)
            pairs = zip(image_parts, part_pixels(picture, image_parts, merge * patch), strict=True)
            patches = [own if part.own else _patches(view, merge, patch) for part, view in pairs]
        for part, rows in zip(image_parts, patches, strict=True):
            cells = rows.view(-1, merge * merge, rows.shape[-1])
            chosen.append(cells[part.cell.to(rows.device)].flatten(0, 1))
    return torch.cat(chosen)


def _image(
    rows: Float[Tensor, "n d"], grid: tuple[int, int], merge: int, patch: int
) -> Float[Tensor, "c h w"]:
    return rearrange(
        rows, "(r c i j) (z y x) -> z (r i y) (c j x)",
        r=grid[0] // merge, c=grid[1] // merge, i=merge, j=merge, y=patch, x=patch,
    )  # fmt: skip


def _patches(image: Float[Tensor, "c h w"], merge: int, patch: int) -> Float[Tensor, "n d"]:
    return rearrange(
        image, "z (r i y) (c j x) -> (r c i j) (z y x)", i=merge, j=merge, y=patch, x=patch
    )


def _metadata(
    tower: Any, grids: Int[Tensor, "parts 3"], cell: Int[Tensor, "k"], patch: Int[Tensor, "p"]
) -> dict[str, Tensor]:
    """The metadata that the tower computes from whole grids, at the chosen rows."""
    utils = need("transformers.vision_utils", "transformers", "homunculus.attach")
    merge = tower.spatial_merge_size
    metadata = {"image_position_ids": utils.get_vision_position_ids(grids, merge)[patch]}
    if hasattr(tower, "pos_embed"):
        index, weight = utils.get_vision_interpolation_indices_and_weights(
            grids,
            num_grid_per_side=tower.num_grid_per_side,
            mode=tower.interpolation_mode,
            align_corners=tower.interpolation_align_corners,
            spatial_merge_size=merge,
        )
        chosen = {"image_interp_indices": index[patch], "image_interp_weights": weight[patch]}
        return metadata | chosen
    if not hasattr(tower, "window_size"):
        return metadata
    order, ends = utils.get_vision_window_index(
        grids, spatial_merge_size=merge, window_size=tower.window_size, patch_size=tower.patch_size
    )
    index, ends = order_by_window(order, ends, cell, merge * merge)
    return metadata | {"image_window_index": index, "image_cu_window_seqlens": ends}


def order_by_window(
    order: Int[Tensor, "cells"], ends: Int[Tensor, "w1"], cell: Int[Tensor, "k"], unit: int
) -> tuple[Int[Tensor, "k"], Int[Tensor, "w2"]]:
    """The chosen cells in the order of their windows, and where each window ends in patches.

    ``order`` and ``ends`` are those of all cells; empty windows are dropped.
    """
    cells = ends.diff().long() // unit  # of each window
    window, rank = torch.empty_like(order), torch.empty_like(order)
    window[order] = torch.repeat_interleave(torch.arange(len(cells)), cells)
    rank[order] = torch.arange(len(order))
    count = torch.bincount(window[cell])
    count = count[count > 0] * unit
    return rank[cell].argsort(), torch.cat((count.new_zeros(1), count.cumsum(0))).int()
