"""Parts of an image: which of them an encoder must see for the chosen tokens, and their pixels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, UInt8
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.lift import Material
from homunculus.engines.cells.methods import DEFAULT, DEFAULT_OF_CELLS, Method, list_methods
from homunculus.engines.cells.pipeline import spend
from homunculus.engines.cells.types import Rule, Tokens
from homunculus.engines.families import Layout
from homunculus.engines.select import Choice, Frame, LatticeView


@dataclass(frozen=True, eq=False)
class Part:
    """The chosen cells of one view of an image; a view is a pyramid level or a frame."""

    image: int
    grid: Grid
    """Cells of the view, down and across."""
    cell: Int[Tensor, "k"]
    """Indices of the chosen cells, in reading order of the view."""
    token: Int[Tensor, "k"]
    """Indices of their tokens among the image's tokens."""
    level: int = 0
    """How many times the image is halved."""
    frame: Frame | None = None
    """The part of the image that is resized to the grid; None for a level of the whole image."""
    picture: bool = False
    """Whether it is a picture by itself, whose pixels are whole numbers wherever they can be."""

    @property
    def own(self) -> bool:
        """Whether the view is the image as the model's processor prepared it."""
        return self.frame is None and self.level == 0


class PartRequest(NamedTuple):
    """What an encoder of chosen cells gets: a model's inputs, and what is kept of each image."""

    inputs: Mapping[str, Any]
    layouts: Sequence[Layout]
    choices: Sequence[Choice]
    rule: Rule | None = None


def parts(
    layouts: Sequence[Layout], choices: Sequence[Choice], rule: Rule | None = None
) -> list[Part]:
    """The cells to encode, image by image, finest level first."""
    found: list[Part] = []
    for image, (layout, choice) in enumerate(zip(layouts, choices, strict=True)):
        if choice.views:
            found += planned_parts(image, choice.views)
            continue
        valid = choice.tokens.valid[0]
        level, box = choice.tokens.level[0][valid].cpu(), choice.tokens.box[0][valid].cpu()
        sizes = rule.views(layout.grid, len(box)) if rule and len(box) < len(layout.row) else ()
        if sizes:
            found += _frames(image, layout.grid, box, sizes)
            continue
        if not are_cells(choice.tokens, layout.grid):
            raise ValueError(_not_cells("this method"))
        for depth in sorted(set(level.tolist())):
            grid = (-(-layout.grid[0] // 2**depth), -(-layout.grid[1] // 2**depth))
            token = (level == depth).nonzero()[:, 0]
            row, col = (box[token, :2].long() >> depth).unbind(-1)
            found.append(Part(image, grid, row * grid[1] + col, token, depth))
    return found


def planned_parts(image: int, views: Sequence[LatticeView]) -> Iterator[Part]:
    """All cells of planned views, whose tokens stand view after view."""
    first = 0
    for view in views:
        cell = torch.arange(view.grid[0] * view.grid[1])
        yield Part(image, view.grid, cell, first + cell, frame=view.frame, picture=True)
        first += len(cell)


def _frames(
    image: int, grid: Grid, box: Float[Tensor, "k 4"], sizes: tuple[Grid, ...]
) -> list[Part]:
    """The whole image on a smaller grid, and perhaps a window of it at full size."""
    (rows, cols), *windows = sizes
    if not windows:  # in reading order the tokens are that grid's cells
        cell = torch.arange(len(box))
        return [Part(image, (rows, cols), cell, cell, 0, (0, 0, *grid))]
    ((high, wide),) = windows
    size, small = torch.tensor(grid), torch.tensor((rows, cols))
    cell = torch.stack(torch.meshgrid(torch.arange(rows), torch.arange(cols), indexing="ij"), -1)
    cell = cell.flatten(0, 1)
    block = torch.cat((cell * size // small, (cell + 1) * size // small), -1)
    same = (box[None] == block[:, None]).all(-1)
    token = same.long().argmax(1)  # where a window cell is a block too, the block comes first
    others = torch.ones(len(box), dtype=torch.bool).index_fill(0, token, False).nonzero()[:, 0]
    thumbnail = Part(image, (rows, cols), torch.arange(rows * cols), token, 0, (0, 0, *grid))
    top, left = box[others, :2].amin(0).long().tolist()
    frame = (top, left, top + high, left + wide)
    return [thumbnail, Part(image, (high, wide), torch.arange(high * wide), others, 0, frame)]


def by_image(all_parts: Sequence[Part]) -> Iterator[tuple[int, list[Part]]]:
    """Group parts by image."""
    for image, image_parts in groupby(all_parts, key=lambda part: part.image):
        yield image, list(image_parts)


def part_pixels(
    picture: Float[Tensor, "c h w"], image_parts: Sequence[Part], cell: int
) -> list[Float[Tensor, "c _ _"]]:
    """Pixels of the views of one image, finest level first; ``cell`` is a cell's side in pixels."""
    pixels: list[Tensor] = []
    small, level = picture, 0
    for part in image_parts:
        if part.frame is not None:
            pixels.append(crop(picture, part.frame, part.grid, cell))
            continue
        while level < part.level:
            small, level = halve(small, cell), level + 1
        pixels.append(small)
    return pixels


def halve(image: Float[Tensor, "c h w"], cell: int) -> Float[Tensor, "c h2 w2"]:
    """Halve an image of whole cells; an odd row or column is padded with its border."""
    down, right = (side // cell % 2 * cell for side in image.shape[1:])
    padded = F.pad(image[None], (0, right, 0, down), mode="replicate")
    return F.avg_pool2d(padded, 2)[0]


def crop(
    image: Float[Tensor, "c h w"] | UInt8[Tensor, "c h w"], frame: Frame, grid: Grid, cell: int
) -> Float[Tensor, "c h2 w2"]:
    """A frame of an image, resized to its grid of cells; only the frame is made floats."""
    y0, x0, y1, x1 = (round(cell * edge) for edge in frame)
    return resize(image[:, y0:y1, x0:x1].float(), (grid[0] * cell, grid[1] * cell))


def resize(image: Float[Tensor, "c h w"], size: tuple[int, int]) -> Float[Tensor, "c h2 w2"]:
    """Resize an image with antialiasing; an image of that size is returned as it is."""
    if tuple(image.shape[1:]) == size:
        return image
    small = F.interpolate(image[None].float(), size, mode="bilinear", antialias=True)
    return small[0].to(image.dtype)


def row_order(image_parts: Sequence[Part]) -> Int[Tensor, "k"]:
    """For each token of one image, the index of its row when parts follow one another."""
    return torch.cat([part.token for part in image_parts]).argsort()


def gather_rows(
    all_parts: Sequence[Part], rows: Sequence[Float[Tensor, "_k d"]]
) -> list[Float[Tensor, "_k d"]]:
    """Rows of all parts, regrouped by image and in the order of its tokens."""
    grouped: list[Tensor] = []
    first = 0
    for _, image_parts in by_image(all_parts):
        mixed = torch.cat(list(rows[first : first + len(image_parts)]))
        grouped.append(mixed[row_order(image_parts).to(mixed.device)])
        first += len(image_parts)
    return grouped


# ---- methods that work before the encoder --------------------------------------------------------


def are_cells(tokens: Tokens, grid: Grid) -> bool:
    """Whether every token is one cell of a level, and not a mean of several cells."""
    valid = tokens.valid[0]
    box, level = tokens.box[0][valid].cpu(), tokens.level[0][valid].cpu()
    side = 2 ** level[:, None]
    low = box[:, :2].long() // side * side
    high = torch.minimum(low + side, torch.tensor(grid))  # the border clips
    return bool((torch.cat((low, high), 1) == box).all())


def works_before(method: Method) -> bool:
    """Whether a method's tokens can be encoded alone: they are cells, or views with a frame."""
    if method.rule.planned:
        return True
    if method.source == "model":
        return False
    grid, slope = (12, 9), torch.linspace(0, 3, 12 * 9)[None]
    if method.rule.views(grid, 40):
        return True
    bent = torch.stack((slope.sin(), slope.cos(), slope.square(), slope), -1)
    material = Material(bent, (slope > 1).long(), 2, bent.abs())
    spent = spend(method, [grid], slope, 40, material)
    return spent.allocation.index.shape[2] == 1 and are_cells(spent.tokens, grid)


def default_method(before: bool) -> str:
    """The method of an engine that chooses before its encoder, or after it."""
    return DEFAULT if before else DEFAULT_OF_CELLS


def check_before(method: Method) -> None:
    """Raise if a method cannot choose before the encoder, and name those that can."""
    if method.source == "model":
        raise ValueError(
            f"engine: {method.name} chooses by what the encoder makes of the whole image. "
            'Use where="after".'
        )
    if not works_before(method):
        raise ValueError(_not_cells(method.name))


def _not_cells(who: str) -> str:
    others = [name for name, method in list_methods().items() if works_before(method)]
    return (
        f"engine: before the encoder a token is one cell, but {who} makes means of several. "
        f'Use where="after", or one of {", ".join(others)}.'
    )
