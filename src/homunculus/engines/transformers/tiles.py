"""The families with SigLIP towers: their tiles, and what they make of a tower's states."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.core.types import Grid, Rule
from homunculus.engines.encode import Encoded
from homunculus.engines.families import Layout
from homunculus.engines.select import Choice
from homunculus.engines.views import by_image, gathered, parts, resized, views
from homunculus.lazy import need

NONE = -1
"""The number of no tile."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """One image as a tower has it: tiles side by side, and the lattice somewhere on them."""

    first: int
    """The number of its first tile."""
    tiles: Grid
    """Tiles down and across."""
    grid: Grid
    """Cells that the family cuts out of their middle; more than the lattice if it resamples."""
    whole: int = NONE
    """The number of the tile that shows the image as a whole, if it has one."""


@dataclass(frozen=True, eq=False)
class Eye:
    """What differs between families with such a tower."""

    tower: Any
    tiles: list[Float[Tensor, "c s s"]]
    """Of all images, in the family's order."""
    sheets: list[Sheet]
    merge: int
    """Patches down and across a cell."""
    embed: Callable[[Float[Tensor, "t c s s"]], Float[Tensor, "t n d"]]
    """Patches with their positions."""
    project: Callable[[Float[Tensor, "t k _"]], Float[Tensor, "t k d"]]
    """From hidden states, a cell's patches one after the other, to features."""
    layers: Sequence[int] = (-1,)
    """Whose states those are, one after the other."""
    newline: Float[Tensor, "d"] | None = None
    """What stands at the end of a line."""

    @property
    def side(self) -> int:
        """Cells down and across a tile."""
        return self.tiles[0].shape[-1] // self.cell

    @property
    def cell(self) -> int:
        """Pixels down and across a cell."""
        return self.tower.config.patch_size * self.merge


# ---- cells by number: tile x cells of a tile + cell ----------------------------------------------


def encoded(
    eye: Eye, layouts: Sequence[Layout], choices: Sequence[Choice], rule: Rule | None
) -> list[Float[Tensor, "_ d"]]:
    """For each image its tokens' rows, then those of what else it keeps."""
    chosen, tiles = parts(layouts, choices, rule), list(eye.tiles)
    number: list[Tensor] = []
    unseen: list[Tensor] = []
    for image, mine in by_image(chosen):
        sheet, grid = eye.sheets[image], layouts[image].grid
        seen = list(eye.tiles[:1]) * len(mine)  # its own tiles are there already
        if not all(part.own for part in mine):
            seen = views(_picture(eye, sheet, grid), mine, eye.cell)
        for part, view in zip(mine, seen, strict=True):
            if part.own:
                number.append(_own(eye, sheet, grid, part.cell))
                unseen.append(_margin(eye, sheet, number[-1]))
                continue
            row, col = part.cell // part.grid[1], part.cell % part.grid[1]
            across = -(-part.grid[1] // eye.side)
            number.append(_numbers(row, col, len(tiles), across, eye.side))
            tiles += _tiles(view, tiles[0].shape[-1])
    rest = [_rest(eye, *pair) for pair in zip(eye.sheets, choices, strict=True)]
    rows = _rows(eye, tiles, [*number, *rest, *unseen])
    ready = [
        _blended(found, part.cell, layouts[part.image].grid, eye.sheets[part.image].grid)
        if part.own
        else found
        for part, found in zip(chosen, rows, strict=False)
    ]
    pairs = zip(gathered(chosen, ready), rows[len(chosen) :], strict=False)
    return [torch.cat(pair) for pair in pairs]


def _numbers(
    row: Int[Tensor, "k"], col: Int[Tensor, "k"], first: int, across: int, side: int
) -> Int[Tensor, "k"]:
    """Of cells on tiles side by side, so many across, the first of which has that number."""
    tile = first + row // side * across + col // side
    return (tile * side + row % side) * side + col % side


def _own(eye: Eye, sheet: Sheet, grid: Grid, cell: Int[Tensor, "k"]) -> Int[Tensor, "n"]:
    """Numbers of the cells of the family's own tiles that cells of the lattice are made from."""
    source = _near(cell, grid, sheet.grid)
    pairs = zip(sheet.tiles, sheet.grid, strict=True)
    top, left = ((tiles * eye.side - cells) // 2 for tiles, cells in pairs)
    row, col = top + source // sheet.grid[1], left + source % sheet.grid[1]
    return _numbers(row, col, sheet.first, sheet.tiles[1], eye.side)


def _margin(eye: Eye, sheet: Sheet, number: Int[Tensor, "n"]) -> Int[Tensor, "m"]:
    """Numbers of cells that the family encodes and cuts off, in tiles that are whole but for them.

    A tile that keeps all it shows sees its padding, as the untouched model does.
    """
    rows, cols = (tiles * eye.side for tiles in sheet.tiles)
    top, left = (rows - sheet.grid[0]) // 2, (cols - sheet.grid[1]) // 2
    off = torch.ones(rows, cols, dtype=torch.bool)
    off[top : top + sheet.grid[0], left : left + sheet.grid[1]] = False
    off = rearrange(off, "(r i) (c j) -> (r c) (i j)", i=eye.side, j=eye.side)
    shown = (~off).sum(1)
    full = torch.bincount(number // off.shape[1] - sheet.first, minlength=len(off)) == shown
    full &= (shown > 0) | full.all()
    return sheet.first * off.shape[1] + (off & full[:, None]).flatten().nonzero()[:, 0]


def _rest(eye: Eye, sheet: Sheet, choice: Choice) -> Int[Tensor, "n"]:
    """Numbers of what else an image keeps: the view of the whole, then ends of lines (-1)."""
    many = len(choice.anchor) - int(choice.tokens.valid.sum())
    inside = eye.side**2 * (sheet.whole != NONE)
    at = torch.arange(many)
    return torch.where(at < inside, sheet.whole * eye.side**2 + at, NONE)


def _picture(eye: Eye, sheet: Sheet, grid: Grid) -> Float[Tensor, "c h w"]:
    """The pixels of the lattice."""
    rows, cols = sheet.tiles
    tiles = torch.stack(eye.tiles[sheet.first : sheet.first + rows * cols])
    image = rearrange(tiles, "(r c) z y x -> z (r y) (c x)", r=rows)
    high, wide = (cells * eye.cell for cells in sheet.grid)
    top, left = (image.shape[1] - high) // 2, (image.shape[2] - wide) // 2
    inner = image[:, top : top + high, left : left + wide]
    return resized(inner, (grid[0] * eye.cell, grid[1] * eye.cell))


def _tiles(image: Float[Tensor, "c h w"], tile: int) -> list[Float[Tensor, "c s s"]]:
    """An image cut into tiles; what is missing in the last ones no cell is chosen from."""
    down, right = (-side % tile for side in image.shape[1:])
    full = F.pad(image, (0, right, 0, down))
    return list(rearrange(full, "z (r y) (c x) -> (r c) z y x", y=tile, x=tile))


# ---- features that a family resamples ------------------------------------------------------------


def _near(cell: Int[Tensor, "k"], grid: Grid, source: Grid) -> Int[Tensor, "n"]:
    """The cells that bilinear interpolation from one lattice to another reads, each once."""
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


def _blended(
    rows: Float[Tensor, "n d"], cell: Int[Tensor, "k"], grid: Grid, source: Grid
) -> Float[Tensor, "k d"]:
    """Cells of the lattice from the cells they are made from, by the family's own call."""
    if grid == source:
        return rows
    at = _near(cell, grid, source).to(rows.device)
    canvas = rows.new_zeros(rows.shape[1], source[0] * source[1]).index_copy(1, at, rows.T)
    small = F.interpolate(canvas.view(1, -1, *source), grid, mode="bilinear")
    return small[0].flatten(1)[:, cell.to(rows.device)].T


# ---- through the tower ---------------------------------------------------------------------------


def _rows(
    eye: Eye, tiles: Sequence[Tensor], number: Sequence[Int[Tensor, "_"]]
) -> list[Float[Tensor, "_ d"]]:
    """Features of the numbered cells; each is encoded once, however often it is asked for."""
    wanted, back = torch.cat(list(number)).unique(return_inverse=True)
    real = wanted[wanted != NONE]
    rows = _cells(eye, tiles, real)
    if len(real) < len(wanted):
        assert eye.newline is not None
        rows = torch.cat((eye.newline[None].to(rows), rows))
    return list(rows[back.to(rows.device)].split([len(one) for one in number]))


def _cells(eye: Eye, tiles: Sequence[Tensor], number: Int[Tensor, "n"]) -> Float[Tensor, "n d"]:
    """Features of cells in the order of their numbers, tiles of one count in one call."""
    per = eye.side**2
    which, count = (number // per).unique_consecutive(return_counts=True)
    cells = (number % per).split(count.tolist())
    out: list[Any] = [None] * len(which)
    for many in sorted(set(count.tolist())):
        mine = (count == many).nonzero()[:, 0].tolist()
        pixels = torch.stack([tiles[int(which[at])] for at in mine])
        found = _together(eye, pixels, torch.stack([cells[at] for at in mine]).to(pixels.device))
        for at, rows in zip(mine, found, strict=True):
            out[at] = rows
    return torch.cat(out)


def _together(
    eye: Eye, pixels: Float[Tensor, "t c s s"], cell: Int[Tensor, "t k"]
) -> Float[Tensor, "t k d"]:
    """Chosen cells of tiles, as many of each; patches go through the tower in reading order."""
    side, merge = eye.side, eye.merge
    inner = torch.arange(merge, device=cell.device)
    row, col = (cell // side * merge)[..., None] + inner, (cell % side * merge)[..., None] + inner
    patch = (row[..., :, None] * (side * merge) + col[..., None, :]).flatten(1)
    order = patch.argsort(1)

    # in whole tiles nothing moves, not even in memory: kernels differ in rounding by its order
    state = eye.embed(pixels)
    states = [state if patch.shape[1] == state.shape[1] else _taken(state, patch.gather(1, order))]
    for layer in eye.tower.encoder.layers:
        states.append(layer(states[-1], None))
    picked = [states[at] for at in eye.layers]
    last = picked[0] if len(picked) == 1 else torch.cat(picked, -1)
    if merge == 1:
        return eye.project(last)
    return eye.project(_taken(last, order.argsort(1)).unflatten(1, (-1, merge**2)).flatten(2))


def _taken(state: Float[Tensor, "t n d"], at: Int[Tensor, "t k"]) -> Float[Tensor, "t k d"]:
    return state.gather(1, at[..., None].expand(-1, -1, state.shape[-1]))


def encode_idefics(
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


def encode_onevision(
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
