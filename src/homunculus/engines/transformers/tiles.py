"""Chosen cells of families with SigLIP towers, which see an image as square tiles."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.types import Rule
from homunculus.engines.encode import Encoded
from homunculus.engines.families import Layout, best_canvas
from homunculus.engines.parts import PartRequest, by_image, gather_rows, part_pixels, parts, resize
from homunculus.engines.select import Choice
from homunculus.lazy import need

NONE = -1
"""Stands for no tile, and for a line end instead of a cell."""


@dataclass(frozen=True, eq=False)
class TileGrid:
    """The tiles of one image, and the cells on them."""

    first: int
    """Index of its first tile among those of all images."""
    tiles: Grid
    """Tiles down and across."""
    grid: Grid
    """Cells in their middle without padding; more than the layout's if the family resamples."""
    thumbnail: int = NONE
    """Index of its thumbnail tile, if it has one."""


@dataclass(frozen=True, eq=False)
class TileEncoder:
    """A family's vision tower, and what differs between families with such a tower."""

    tower: Any
    tiles: list[Float[Tensor, "c s s"]]
    """Tiles of all images, in the family's order."""
    tile_grids: list[TileGrid]
    merge: int
    """Side of a cell in patches."""
    embed: Callable[[Float[Tensor, "t c s s"]], Float[Tensor, "t n d"]]
    """Pixels of tiles to embedded patches."""
    project: Callable[[Float[Tensor, "t k _"]], Float[Tensor, "t k d"]]
    """Hidden states, with a cell's patches concatenated, to features."""
    layers: Sequence[int] = (-1,)
    """Layers whose hidden states are concatenated."""
    newline: Float[Tensor, "d"] | None = None
    """Feature of a line end."""

    @property
    def side(self) -> int:
        """Side of a tile in cells."""
        return self.tiles[0].shape[-1] // self.cell

    @property
    def cell(self) -> int:
        """Side of a cell in pixels."""
        return self.tower.config.patch_size * self.merge


# ---- cells by index: tile x cells of a tile + cell -----------------------------------------------


def encode_tiles(
    encoder: TileEncoder, layouts: Sequence[Layout], choices: Sequence[Choice], rule: Rule | None
) -> list[Float[Tensor, "_ d"]]:
    """For each image the rows of its tokens, then those of other rows that it keeps."""
    all_parts, tiles = parts(layouts, choices, rule), list(encoder.tiles)
    index: list[Tensor] = []
    margin: list[Tensor] = []
    for image, image_parts in by_image(all_parts):
        tile_grid, grid = encoder.tile_grids[image], layouts[image].grid
        pixels = list(encoder.tiles[:1]) * len(image_parts)  # not used: own tiles are there already
        if not all(part.own for part in image_parts):
            pixels = part_pixels(_picture(encoder, tile_grid, grid), image_parts, encoder.cell)
        for part, view in zip(image_parts, pixels, strict=True):
            if part.own:
                index.append(_own_index(encoder, tile_grid, grid, part.cell))
                margin.append(_margin_index(encoder, tile_grid, index[-1]))
                continue
            row, col = part.cell // part.grid[1], part.cell % part.grid[1]
            across = -(-part.grid[1] // encoder.side)
            index.append(_index(row, col, len(tiles), across, encoder.side))
            tiles += _tiles(view, tiles[0].shape[-1])
    rest = [_rest_index(encoder, *pair) for pair in zip(encoder.tile_grids, choices, strict=True)]
    rows = _rows(encoder, tiles, [*index, *rest, *margin])
    resampled = [
        _resample(own, part.cell, layouts[part.image].grid, encoder.tile_grids[part.image].grid)
        if part.own
        else own
        for part, own in zip(all_parts, rows, strict=False)
    ]
    pairs = zip(gather_rows(all_parts, resampled), rows[len(all_parts) :], strict=False)
    return [torch.cat(pair) for pair in pairs]


def _index(
    row: Int[Tensor, "k"], col: Int[Tensor, "k"], first: int, across: int, side: int
) -> Int[Tensor, "k"]:
    """Indices of cells on tiles side by side, ``across`` of them in a row."""
    tile = first + row // side * across + col // side
    return (tile * side + row % side) * side + col % side


def _own_index(
    encoder: TileEncoder, tile_grid: TileGrid, grid: Grid, cell: Int[Tensor, "k"]
) -> Int[Tensor, "n"]:
    """Indices of the cells on the family's own tiles that cells of the layout are made from."""
    source = _sources(cell, grid, tile_grid.grid)
    pairs = zip(tile_grid.tiles, tile_grid.grid, strict=True)
    top, left = ((tiles * encoder.side - cells) // 2 for tiles, cells in pairs)
    row, col = top + source // tile_grid.grid[1], left + source % tile_grid.grid[1]
    return _index(row, col, tile_grid.first, tile_grid.tiles[1], encoder.side)


def _margin_index(
    encoder: TileEncoder, tile_grid: TileGrid, index: Int[Tensor, "n"]
) -> Int[Tensor, "m"]:
    """Indices of padding cells in tiles of which all other cells are chosen.

    Such a tile is encoded with its padding, as in the untouched model.
    """
    rows, cols = (tiles * encoder.side for tiles in tile_grid.tiles)
    top, left = (rows - tile_grid.grid[0]) // 2, (cols - tile_grid.grid[1]) // 2
    off = torch.ones(rows, cols, dtype=torch.bool)
    off[top : top + tile_grid.grid[0], left : left + tile_grid.grid[1]] = False
    off = rearrange(off, "(r i) (c j) -> (r c) (i j)", i=encoder.side, j=encoder.side)
    inside = (~off).sum(1)
    full = torch.bincount(index // off.shape[1] - tile_grid.first, minlength=len(off)) == inside
    full &= (inside > 0) | full.all()
    return tile_grid.first * off.shape[1] + (off & full[:, None]).flatten().nonzero()[:, 0]


def _rest_index(encoder: TileEncoder, tile_grid: TileGrid, choice: Choice) -> Int[Tensor, "n"]:
    """Indices of other rows that an image keeps: of its thumbnail, then of line ends (-1)."""
    count = len(choice.anchor) - int(choice.tokens.valid.sum())
    cells = encoder.side**2 * (tile_grid.thumbnail != NONE)
    row = torch.arange(count)
    return torch.where(row < cells, tile_grid.thumbnail * encoder.side**2 + row, NONE)


def _picture(encoder: TileEncoder, tile_grid: TileGrid, grid: Grid) -> Float[Tensor, "c h w"]:
    rows, cols = tile_grid.tiles
    tiles = torch.stack(encoder.tiles[tile_grid.first : tile_grid.first + rows * cols])
    image = rearrange(tiles, "(r c) z y x -> z (r y) (c x)", r=rows)
    high, wide = (cells * encoder.cell for cells in tile_grid.grid)
    top, left = (image.shape[1] - high) // 2, (image.shape[2] - wide) // 2
    inner = image[:, top : top + high, left : left + wide]
    return resize(inner, (grid[0] * encoder.cell, grid[1] * encoder.cell))


def _tiles(image: Float[Tensor, "c h w"], tile: int) -> list[Float[Tensor, "c s s"]]:
    """An image cut into tiles; the last ones are padded, and no cell is chosen from padding."""
    down, right = (-side % tile for side in image.shape[1:])
    full = F.pad(image, (0, right, 0, down))
    return list(rearrange(full, "z (r y) (c x) -> (r c) z y x", y=tile, x=tile))


# ---- features that a family resamples ------------------------------------------------------------


def _sources(cell: Int[Tensor, "k"], grid: Grid, source: Grid) -> Int[Tensor, "n"]:
    """The cells that bilinear interpolation from one grid to another reads, each once."""
    if grid == source:
        return cell
    if len(cell) == grid[0] * grid[1]:
        return torch.arange(source[0] * source[1])
    pair = torch.stack((cell // grid[1], cell % grid[1]))
    size, small = torch.tensor(source)[:, None], torch.tensor(grid)[:, None]
    low = ((pair + 0.5) * (size / small) - 0.5).clamp(min=0).floor().long()
    high = (low + 1).minimum(size - 1)
    rows, cols = torch.stack((low, high), 1)
    return (rows[:, None] * source[1] + cols[None]).flatten().unique()


def _resample(
    rows: Float[Tensor, "n d"], cell: Int[Tensor, "k"], grid: Grid, source: Grid
) -> Float[Tensor, "k d"]:
    """Cells of the layout from the cells they are made from, as the family resamples them."""
    if grid == source:
        return rows
    known = _sources(cell, grid, source).to(rows.device)
    canvas = rows.new_zeros(rows.shape[1], source[0] * source[1]).index_copy(1, known, rows.T)
    small = F.interpolate(canvas.view(1, -1, *source), grid, mode="bilinear")
    return small[0].flatten(1)[:, cell.to(rows.device)].T


# ---- through the tower ---------------------------------------------------------------------------


def _rows(
    encoder: TileEncoder, tiles: Sequence[Tensor], index: Sequence[Int[Tensor, "_"]]
) -> list[Float[Tensor, "_ d"]]:
    """Features of cells by index; each is encoded once, however often it occurs."""
    wanted, place = torch.cat(list(index)).unique(return_inverse=True)
    cells = wanted[wanted != NONE]
    rows = _cells(encoder, tiles, cells)
    if len(cells) < len(wanted):
        assert encoder.newline is not None
        rows = torch.cat((encoder.newline[None].to(rows), rows))
    return list(rows[place.to(rows.device)].split([len(own) for own in index]))


def _cells(
    encoder: TileEncoder, tiles: Sequence[Tensor], index: Int[Tensor, "n"]
) -> Float[Tensor, "n d"]:
    """Features of cells in order of index; tiles with equally many cells share a call."""
    tile_cells = encoder.side**2
    tile, counts = (index // tile_cells).unique_consecutive(return_counts=True)
    cells = (index % tile_cells).split(counts.tolist())
    encoded: list[Any] = [None] * len(tile)
    for count in sorted(set(counts.tolist())):
        same = (counts == count).nonzero()[:, 0].tolist()
        pixels = torch.stack([tiles[int(tile[place])] for place in same])
        cell = torch.stack([cells[place] for place in same]).to(pixels.device)
        for place, rows in zip(same, _encode(encoder, pixels, cell), strict=True):
            encoded[place] = rows
    return torch.cat(encoded)


def _encode(
    encoder: TileEncoder, pixels: Float[Tensor, "t c s s"], cell: Int[Tensor, "t k"]
) -> Float[Tensor, "t k d"]:
    """Features of equally many cells of each tile; patches are encoded in reading order."""
    side, merge = encoder.side, encoder.merge
    inner = torch.arange(merge, device=cell.device)
    row, col = (cell // side * merge)[..., None] + inner, (cell % side * merge)[..., None] + inner
    patch = (row[..., :, None] * (side * merge) + col[..., None, :]).flatten(1)
    order = patch.argsort(1)

    # whole tiles are not gathered: kernels round differently for another memory layout
    state = encoder.embed(pixels)
    states = [state if patch.shape[1] == state.shape[1] else _gather(state, patch.gather(1, order))]
    for layer in encoder.tower.encoder.layers:
        states.append(layer(states[-1], None))
    picked = [states[layer] for layer in encoder.layers]
    last = picked[0] if len(picked) == 1 else torch.cat(picked, -1)
    if merge == 1:
        return encoder.project(last)
    return encoder.project(_gather(last, order.argsort(1)).unflatten(1, (-1, merge**2)).flatten(2))


def _gather(state: Float[Tensor, "t n d"], index: Int[Tensor, "t k"]) -> Float[Tensor, "t k d"]:
    return state.gather(1, index[..., None].expand(-1, -1, state.shape[-1]))


# ---- families ------------------------------------------------------------------------------------


def encode_idefics(model: Any, request: PartRequest) -> Encoded:
    """Encode chosen cells of smolvlm and idefics3; a cell is a square of patches."""
    inputs, layouts, choices, rule = request
    core = model.base_model
    tiles, mask = _real_tiles(inputs)
    if mask is not None and not mask.all():
        raise ValueError(
            "engine: before the encoder, tiles with padding are not supported. "
            'Use where="after", or the unchanged image processor of the model.'
        )
    tower, merge = core.vision_model, core.config.scale_factor
    side = tiles.shape[-1] // (tower.config.patch_size * merge)
    tile_grids: list[TileGrid] = []
    first = 0
    for layout in layouts:
        grid = (layout.grid[0] // side, layout.grid[1] // side)
        end = first + grid[0] * grid[1]
        tile_grids.append(TileGrid(first, grid, layout.grid, end if len(layout.rest) else NONE))
        first = end + bool(len(layout.rest))
    if first != len(tiles):
        raise ValueError(
            f"engine: expected {first} tiles from the prompt's layout, got {len(tiles)}."
        )

    def embed(pixels: Tensor) -> Tensor:
        across = pixels.shape[-1] // tower.config.patch_size
        whole = torch.ones(len(pixels), across, across, dtype=torch.bool, device=pixels.device)
        return tower.embeddings(pixels.to(core.dtype), whole)

    def project(state: Tensor) -> Tensor:
        normed = tower.post_layernorm(state.unflatten(-1, (merge * merge, -1)))
        return core.connector.modality_projection(normed.flatten(-2))

    encoder = TileEncoder(tower, list(tiles), tile_grids, merge, embed, project)
    rows = encode_tiles(encoder, layouts, choices, rule)
    return Encoded(_output(torch.cat(rows)), rows)


def _real_tiles(inputs: Mapping[str, Any]) -> tuple[Float[Tensor, "t c s s"], Tensor | None]:
    """Tiles of all images and their pixel masks, without the zero tiles that fill a batch."""
    tiles, mask = inputs["pixel_values"].flatten(0, 1), inputs.get("pixel_attention_mask")
    real = (tiles != 0).flatten(1).any(1)
    return tiles[real], None if mask is None else mask.flatten(0, 1)[real].bool()


def encode_onevision(model: Any, request: PartRequest) -> Encoded:
    """Encode chosen cells of llava_onevision; a cell is a patch.

    Of large images the family resamples the features: then a token needs the four cells around it,
    and coarse levels are made from the image at the size of the layout.
    """
    inputs, layouts, choices, rule = request
    core, config = model.base_model, model.base_model.config
    tower = core.vision_tower
    alone = [count == 1 for count in inputs["batch_num_images"] for _ in range(int(count))]
    tiles: list[Tensor] = []
    tile_grids: list[TileGrid] = []
    sizes = inputs["image_sizes"].tolist()
    side = config.vision_config.image_size // config.vision_config.patch_size
    for pixels, size, single in zip(inputs["pixel_values"], sizes, alone, strict=True):
        first = len(tiles)
        if single:  # a thumbnail, then the tiles of its canvas
            (down, across), cells = best_canvas(config, (size[0], size[1]))
            tile_grids.append(TileGrid(first + 1, (down, across), cells, thumbnail=first))
            tiles += pixels[: 1 + down * across]
        else:
            tile_grids.append(TileGrid(first, (1, 1), (side, side)))
            tiles += pixels[:1]

    layer, project = config.vision_feature_layer, core.multi_modal_projector
    layers = [layer] if isinstance(layer, int) else layer
    encoder = TileEncoder(
        tower, tiles, tile_grids, 1, tower.embeddings, project, layers, core.image_newline
    )
    rows = encode_tiles(encoder, layouts, choices, rule)
    return Encoded(_output(rows), rows)


def _output(rows: Any) -> Any:
    kinds = need("transformers.modeling_outputs", "transformers", "homunculus.attach")
    return kinds.BaseModelOutputWithPooling(pooler_output=rows)
