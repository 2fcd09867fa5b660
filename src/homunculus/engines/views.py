"""Tokens as cells of views: which views of an image have to be encoded, and what they show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.core.lift.material import Material
from homunculus.core.methods import Method, methods
from homunculus.core.pipeline import spend
from homunculus.core.types import Grid, Rule, Tokens
from homunculus.engines.families import Layout
from homunculus.engines.select import Choice

Frame = tuple[int, int, int, int]
"""y0 x0 y1 x1 in cells of the lattice."""


@dataclass(frozen=True, eq=False)
class Part:
    """The chosen cells of one view of an image: of a level of it, or of a frame."""

    image: int
    grid: Grid
    """Cells of the view, down and across."""
    cell: Int[Tensor, "k"]
    """Numbers of the chosen ones in reading order of the view."""
    token: Int[Tensor, "k"]
    """Their numbers among the image's tokens."""
    level: int = 0
    """How often the image is halved."""
    frame: Frame | None = None
    """The part of the image that the view shows, brought to its grid; None: a level of it all."""

    @property
    def own(self) -> bool:
        """Whether the view is the image as the family prepared it."""
        return self.frame is None and self.level == 0


def parts(
    layouts: Sequence[Layout], choices: Sequence[Choice], rule: Rule | None = None
) -> list[Part]:
    """What has to be encoded, image by image, finest level first."""
    out: list[Part] = []
    for image, (layout, choice) in enumerate(zip(layouts, choices, strict=True)):
        valid = choice.tokens.valid[0]
        level, box = choice.tokens.level[0][valid].cpu(), choice.tokens.box[0][valid].cpu()
        sizes = rule.views(layout.grid, len(box)) if rule and len(box) < len(layout.row) else ()
        if sizes:
            out += _images(image, layout.grid, box, sizes)
            continue
        if not whole(choice.tokens, layout.grid):
            raise ValueError(_many("this method"))
        for one in sorted(set(level.tolist())):
            grid = (-(-layout.grid[0] // 2**one), -(-layout.grid[1] // 2**one))
            token = (level == one).nonzero()[:, 0]
            row, col = (box[token, :2].long() >> one).unbind(-1)
            out.append(Part(image, grid, row * grid[1] + col, token, one))
    return out


def _images(
    image: int, grid: Grid, box: Float[Tensor, "k 4"], sizes: tuple[Grid, ...]
) -> list[Part]:
    """The whole image on a smaller grid, and perhaps a window of it: ordinary images."""
    (rows, cols), *windows = sizes
    if not windows:  # in reading order the tokens are that grid's cells
        every = torch.arange(len(box))
        return [Part(image, (rows, cols), every, every, 0, (0, 0, *grid))]
    ((high, wide),) = windows
    size, small = torch.tensor(grid), torch.tensor((rows, cols))
    cell = torch.stack(torch.meshgrid(torch.arange(rows), torch.arange(cols), indexing="ij"), -1)
    cell = cell.flatten(0, 1)
    block = torch.cat((cell * size // small, (cell + 1) * size // small), -1)
    same = (box[None] == block[:, None]).all(-1)
    token = same.long().argmax(1)  # a cell of the window that is a block too stands behind it
    others = torch.ones(len(box), dtype=torch.bool).index_fill(0, token, False).nonzero()[:, 0]
    thumbnail = Part(image, (rows, cols), torch.arange(rows * cols), token, 0, (0, 0, *grid))
    top, left = box[others, :2].amin(0).long().tolist()
    frame = (top, left, top + high, left + wide)
    return [thumbnail, Part(image, (high, wide), torch.arange(high * wide), others, 0, frame)]


def by_image(chosen: Sequence[Part]) -> Iterator[tuple[int, list[Part]]]:
    """The parts of each image."""
    for image, mine in groupby(chosen, key=lambda part: part.image):
        yield image, list(mine)


def views(
    picture: Float[Tensor, "c h w"], mine: Sequence[Part], cell: int
) -> list[Float[Tensor, "c _ _"]]:
    """What the parts of one image show, finest level first; a cell has so many pixels a side."""
    out, small, level = [], picture, 0
    for part in mine:
        if part.frame is not None:
            out.append(framed(picture, part.frame, part.grid, cell))
            continue
        while level < part.level:
            small, level = halved(small, cell), level + 1
        out.append(small)
    return out


def halved(image: Float[Tensor, "c h w"], cell: int) -> Float[Tensor, "c h2 w2"]:
    """Half as large, in whole cells: an odd one out is filled up with the border."""
    down, right = (side // cell % 2 * cell for side in image.shape[1:])
    padded = F.pad(image[None], (0, right, 0, down), mode="replicate")
    return F.avg_pool2d(padded, 2)[0]


def framed(
    image: Float[Tensor, "c h w"], frame: Frame, grid: Grid, cell: int
) -> Float[Tensor, "c h2 w2"]:
    """A frame of an image, brought to so many cells."""
    y0, x0, y1, x1 = (cell * edge for edge in frame)
    return resized(image[:, y0:y1, x0:x1], (grid[0] * cell, grid[1] * cell))


def resized(image: Float[Tensor, "c h w"], size: tuple[int, int]) -> Float[Tensor, "c h2 w2"]:
    """Another size; the same size is the same image."""
    if tuple(image.shape[1:]) == size:
        return image
    small = F.interpolate(image[None].float(), size, mode="bilinear", antialias=True)
    return small[0].to(image.dtype)


def placed(mine: Sequence[Part]) -> Int[Tensor, "k"]:
    """For each token of one image where its row stands, part after part."""
    return torch.cat([part.token for part in mine]).argsort()


def gathered(
    chosen: Sequence[Part], rows: Sequence[Float[Tensor, "_k d"]]
) -> list[Float[Tensor, "_k d"]]:
    """Rows of the parts, for each image in the order of its tokens."""
    out, at = [], 0
    for _, mine in by_image(chosen):
        mixed = torch.cat(list(rows[at : at + len(mine)]))
        out.append(mixed[placed(mine).to(mixed.device)])
        at += len(mine)
    return out


# ---- which methods can ---------------------------------------------------------------------------


def whole(tokens: Tokens, grid: Grid) -> bool:
    """Whether every token is one cell of a level, and not a mean of several."""
    valid = tokens.valid[0]
    box, level = tokens.box[0][valid].cpu(), tokens.level[0][valid].cpu()
    side = 2 ** level[:, None]
    low = box[:, :2].long() // side * side
    high = torch.minimum(low + side, torch.tensor(grid))  # the border clips
    return bool((torch.cat((low, high), 1) == box).all())


def single(method: Method) -> bool:
    """Whether what a method keeps can be encoded alone: its tokens are cells, or plain images."""
    grid, slope = (12, 9), torch.linspace(0, 3, 12 * 9)[None]
    if method.rule.views(grid, 40):
        return True
    bent = torch.stack((slope.sin(), slope.cos(), slope.square(), slope), -1)
    material = Material(bent, (slope > 1).long(), 2, bent.abs())
    spent = spend(method, [grid], slope, 40, material)
    return spent.allocation.index.shape[2] == 1 and whole(spent.tokens, grid)


def refuse(method: Method) -> None:
    """Say why a method cannot be cut before the encoder, and which can."""
    if not single(method):
        raise ValueError(_many(method.name))


def _many(who: str) -> str:
    able = [name for name, one in methods().items() if single(one)]
    return (
        f"engine: before the encoder a token is one cell, but {who} makes means of several. "
        f'Use where="after", or one of {", ".join(able)}.'
    )
