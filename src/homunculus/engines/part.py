# pyright: basic
"""Before the encoder: only the chosen cells go through the tower, each level by itself.

A coarse cell is a cell of the shrunken image, encoded as the tower would encode that image: cells
of one level see each other, and none of another level.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.engines.encode import Encoded, stacked
from homunculus.engines.layout import Layout
from homunculus.extra import need
from homunculus.types import Tokens


@dataclass(frozen=True, eq=False)
class Part:
    """The chosen cells of one level of one image."""

    image: int
    grid: tuple[int, int]
    """Cells of the level, down and across."""
    cell: Int[Tensor, "k"]
    """Numbers of the chosen ones in reading order of the level."""
    token: Int[Tensor, "k"]
    """Their numbers among the image's tokens."""
    level: int


def parts(layouts: Sequence[Layout], tokens: Sequence[Tokens]) -> list[Part]:
    """What has to be encoded, image by image, finest level first."""
    out = []
    for image, (layout, kept) in enumerate(zip(layouts, tokens, strict=True)):
        valid = kept.valid[0]
        level, box = kept.level[0][valid].cpu(), kept.box[0][valid].cpu()
        for one in sorted(set(level.tolist())):
            grid = (-(-layout.grid[0] // 2**one), -(-layout.grid[1] // 2**one))
            token = (level == one).nonzero()[:, 0]
            row, col = (box[token, :2].long() >> one).unbind(-1)
            out.append(Part(image, grid, row * grid[1] + col, token, one))
    return out


def qwen(
    model: Any, inputs: Mapping[str, Any], layouts: Sequence[Layout], tokens: Sequence[Tokens]
) -> Encoded:
    """Chosen cells of Qwen's towers: whole merge groups, packed, with rows of its own metadata."""
    core, chosen = model.base_model, parts(layouts, tokens)
    tower = core.visual
    merge, unit = tower.spatial_merge_size, tower.spatial_merge_unit
    pixels = _levels(inputs, merge, tower.patch_size, chosen)
    grids = torch.tensor(
        [[1, rows * merge, cols * merge] for rows, cols in (p.grid for p in chosen)]
    )
    starts = torch.tensor([0, *(p.grid[0] * p.grid[1] for p in chosen)]).cumsum(0)
    cell = torch.cat([part.cell + start for part, start in zip(chosen, starts, strict=False)])
    patch = (cell[:, None] * unit + torch.arange(unit)).flatten()
    known = _metadata(tower, grids, cell, patch)
    lengths = torch.tensor([0, *(len(part.cell) * unit for part in chosen)])
    known["image_cu_seqlens"] = lengths.cumsum(0, dtype=torch.int32)
    device = pixels.device
    known = {name: value.to(device) for name, value in known.items()}
    # the grid only tells how many rows belong together: all else is said above
    told = torch.tensor([[1, merge, merge * len(part.cell)] for part in chosen], device=device)
    output = core.get_image_features(pixels, told, **known, return_dict=True)
    rows = stacked(output).split([len(part.cell) for part in chosen])
    return Encoded(output, _by_image(chosen, rows, tokens))


def _levels(
    inputs: Mapping[str, Any], merge: int, patch: int, chosen: Sequence[Part]
) -> Float[Tensor, "patches d"]:
    """Pixels of the chosen cells' patches, part after part."""
    grids = inputs["image_grid_thw"].tolist()
    whole = inputs["pixel_values"].split([rows * cols for _, rows, cols in grids])
    out: list[Tensor] = []
    for part in chosen:
        rows = whole[part.image]
        unit, (_, down, across) = merge * merge, grids[part.image]
        if part.level:
            image = _image(rows, (down, across), merge, patch)
            for _ in range(part.level):
                image = halved(image, merge * patch)
            rows = _patches(image, merge, patch)
        cells = rows.view(-1, unit, rows.shape[-1])
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


def halved(image: Float[Tensor, "c h w"], cell: int) -> Float[Tensor, "c h2 w2"]:
    """Half as large, in whole cells: an odd one out is filled up with the border."""
    down, right = (side // cell % 2 * cell for side in image.shape[1:])
    padded = F.pad(image[None], (0, right, 0, down), mode="replicate")
    return F.avg_pool2d(padded, 2)[0]


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
    order, ends = sight.get_vision_window_index(
        grids, spatial_merge_size=merge, window_size=tower.window_size, patch_size=tower.patch_size
    )
    many = ends.diff().long() // tower.spatial_merge_unit
    window, rank = torch.empty_like(order), torch.empty_like(order)
    window[order] = torch.repeat_interleave(torch.arange(len(many)), many)
    rank[order] = torch.arange(len(order))
    count = torch.bincount(window[cell])
    count = count[count > 0] * tower.spatial_merge_unit  # windows left empty are gone
    ends = torch.cat((count.new_zeros(1), count.cumsum(0))).int()
    return out | {"image_window_index": rank[cell].argsort(), "image_cu_window_seqlens": ends}


def _by_image(
    chosen: Sequence[Part], rows: Sequence[Float[Tensor, "_k d"]], tokens: Sequence[Tokens]
) -> list[Float[Tensor, "_k d"]]:
    """Rows of the parts, back in the order of each image's tokens."""
    out = []
    for image, kept in enumerate(tokens):
        mine = [at for at, part in enumerate(chosen) if part.image == image]
        place = torch.cat([chosen[at].token for at in mine]).argsort()
        out.append(torch.cat([rows[at] for at in mine])[place.to(rows[0].device)])
        assert len(out[-1]) == int(kept.valid.sum())
    return out
