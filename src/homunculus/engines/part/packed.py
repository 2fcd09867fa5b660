# pyright: basic
"""Qwen's towers: whole merge groups in one packed sequence, every view a sequence of its own."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.engines.encode import Encoded, stacked
from homunculus.engines.layout import Layout
from homunculus.engines.part.late import Late
from homunculus.engines.part.views import Part, by_image, gathered, parts, views
from homunculus.engines.select import Choice
from homunculus.extra import need
from homunculus.method import Rule


def qwen(
    model: Any,
    inputs: Mapping[str, Any],
    layouts: Sequence[Layout],
    choices: Sequence[Choice],
    rule: Rule | None = None,
) -> Encoded:
    """Chosen cells of Qwen's towers, packed, with rows of its own metadata."""
    core, chosen = model.base_model, parts(layouts, choices, rule)
    tower = core.visual
    merge = tower.spatial_merge_size
    unit, patch = merge * merge, model.config.vision_config.patch_size
    shown = pixels(inputs, merge, patch, chosen)
    grids = torch.tensor(
        [[1, rows * merge, cols * merge] for rows, cols in (p.grid for p in chosen)]
    )
    starts = torch.tensor([0, *(p.grid[0] * p.grid[1] for p in chosen)]).cumsum(0)
    cell = torch.cat([part.cell + start for part, start in zip(chosen, starts, strict=False)])
    rows = (cell[:, None] * unit + torch.arange(unit)).flatten()
    known = _metadata(tower, grids, cell, rows)
    lengths = torch.tensor([0, *(len(part.cell) * unit for part in chosen)])
    known["image_cu_seqlens"] = lengths.cumsum(0, dtype=torch.int32)
    device = shown.device
    known = {name: value.to(device) for name, value in known.items()}
    # the grid only tells how many rows belong together: all else is said above
    told = torch.tensor([[1, merge, merge * len(part.cell)] for part in chosen], device=device)
    output = core.get_image_features(shown, told, **known, return_dict=True)
    rows = stacked(output).split([len(part.cell) for part in chosen])
    return Encoded(output, gathered(chosen, rows))


def pixels(
    inputs: Mapping[str, Any], merge: int, patch: int, chosen: Sequence[Part]
) -> Float[Tensor, "patches d"]:
    """Pixels of the chosen cells' patches, part after part."""
    if isinstance(late := inputs["pixel_values"], Late):
        return torch.cat([late.rows(part, merge * patch) for part in chosen])
    grids = inputs["image_grid_thw"].tolist()
    whole = inputs["pixel_values"].split([rows * cols for _, rows, cols in grids])
    out: list[Tensor] = []
    for at, mine in by_image(chosen):
        own, (_, down, across) = whole[at], grids[at]
        seen = [own] * len(mine)
        if not all(part.own for part in mine):
            picture = _image(own, (down, across), merge, patch)
            shown = zip(mine, views(picture, mine, merge * patch), strict=True)
            seen = [own if part.own else _patches(view, merge, patch) for part, view in shown]
        for part, rows in zip(mine, seen, strict=True):
            cells = rows.view(-1, merge * merge, rows.shape[-1])
            out.append(cells[part.cell.to(rows.device)].flatten(0, 1))
    return torch.cat(out)


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
    """What the tower would compute from whole grids, at the chosen rows."""
    sight = need("transformers.vision_utils", "transformers", "homunculus.attach")
    merge = tower.spatial_merge_size
    out = {"image_position_ids": sight.get_vision_position_ids(grids, merge)[patch]}
    if hasattr(tower, "pos_embed"):
        index, weight = sight.get_vision_interpolation_indices_and_weights(
            grids,
            num_grid_per_side=tower.num_grid_per_side,
            mode=tower.interpolation_mode,
            align_corners=tower.interpolation_align_corners,
            spatial_merge_size=merge,
        )
        return out | {"image_interp_indices": index[patch], "image_interp_weights": weight[patch]}
    if not hasattr(tower, "window_size"):
        return out
    order, ends = sight.get_vision_window_index(
        grids, spatial_merge_size=merge, window_size=tower.window_size, patch_size=tower.patch_size
    )
    index, ends = windowed(order, ends, cell, merge * merge)
    return out | {"image_window_index": index, "image_cu_window_seqlens": ends}


def windowed(
    order: Int[Tensor, "cells"], ends: Int[Tensor, "w1"], cell: Int[Tensor, "k"], unit: int
) -> tuple[Int[Tensor, "k"], Int[Tensor, "w2"]]:
    """The chosen cells in the order of their windows, and where each window ends in patches.

    ``order`` and ``ends`` are those of all cells; a window that is left empty is gone.
    """
    many = ends.diff().long() // unit
    window, rank = torch.empty_like(order), torch.empty_like(order)
    window[order] = torch.repeat_interleave(torch.arange(len(many)), many)
    rank[order] = torch.arange(len(order))
    count = torch.bincount(window[cell])
    count = count[count > 0] * unit
    return rank[cell].argsort(), torch.cat((count.new_zeros(1), count.cumsum(0))).int()
