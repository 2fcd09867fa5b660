"""Relevance from pixels alone: what is there, what stands out, and which way it runs.

The maps look at a reduced picture in which a level-0 cell has at most 8 x 8 pixels, and fewer when
the whole would pass two million, so the cost grows with the cells and not with the megapixels.
Images are measured one by one: an image in a batch gets, bit for bit, the map it gets alone, and
memory holds one picture at a time. A map is scaled to its own peak and rounded to 1/1024: what is
smaller is arithmetic noise, which ranking would otherwise blow up on a flat picture. Only order
within one image means anything. No gradient flows to the pixels.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from einops import rearrange, reduce
from jaxtyping import Float
from torch import Tensor

CELL = 8
"""Pixels along a cell in the reduced picture, at most."""
MAX_PIXELS = 2**21
"""Pixels of the reduced picture, at most, as long as every cell keeps one."""
STEPS = 1024
"""A map has this many steps between 0 and its peak."""
BINS = 16
"""Grey bins per unit of brightness around a cell's mean; 1/32 is the noise a cell may have free."""

SMOOTH = (1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16)
"""A binomial filter: blurs a level before it is halved, and smooths along a derivative."""
FIRST = (-1 / 8, -2 / 8, 0.0, 2 / 8, 1 / 8)
"""First derivative."""
SECOND = (1 / 4, 0.0, -2 / 4, 0.0, 1 / 4)
"""Second derivative."""


def information(pixels: Float[Tensor, "b 3 h w"], patch: int = 16) -> Float[Tensor, "b rows cols"]:
    """How much there is to know in each cell, in nats up to a scale per image.

    The entropy of the cell's greys around their mean (a flat cell has none, whatever its grey),
    plus the surprise of its mean colour and spread under a heavy-tailed guess from the cells
    around it (self-information as in Bruce and Tsotsos, 2009).
    """
    return _each(_information, pixels, patch)[:, 0]


def contrast(pixels: Float[Tensor, "b 3 h w"], patch: int = 16) -> Float[Tensor, "b rows cols"]:
    """How much each cell stands out from what is around it (after Itti, Koch and Niebur, 1998).

    Centre minus surround over a Gaussian pyramid, inside the cells and between them, for brightness
    and two colour opponents, plus oriented energy; a feature that is everywhere counts less. A
    constant added to all pixels changes nothing but rounding.
    """
    return _each(_contrast, pixels, patch)[:, 0]


def orientations(
    pixels: Float[Tensor, "b 3 h w"], patch: int = 16
) -> Float[Tensor, "b o rows cols"]:
    """Oriented energy of each cell at 0, 45, 90 and 135 degrees, on one scale for all four.

    The angle is the way the structure runs, counted against the clock as on paper: 0 is horizontal
    like ruled lines and lines of text, 45 rises to the right like a slash, 90 is upright, 135 falls
    to the right.
    Second derivatives at up to three pyramid levels, steered (Freeman and Adelson, 1991).
    """
    return _each(_oriented, pixels, patch)


def _each(
    measure: Callable[[Tensor, int], Tensor], pixels: Float[Tensor, "b 3 h w"], patch: int
) -> Float[Tensor, "b c rows cols"]:
    """Measure image by image on the reduced picture."""
    if patch < 1 or 0 in pixels.shape:
        raise ValueError(
            f"pixels: expected at least one pixel and a patch of 1 or more, "
            f"got pixels {tuple(pixels.shape)} and patch {patch}. Leave empty batches out."
        )
    with torch.no_grad():
        maps = [_steps(measure(*_reduced(image, patch))) for image in pixels.split(1)]
    return torch.cat(maps)


def _reduced(image: Float[Tensor, "1 3 h w"], patch: int) -> tuple[Float[Tensor, "1 3 y x"], int]:
    """The picture with ``side`` pixels along each cell; partial cells repeat their last pixel."""
    height, width = image.shape[-2:]
    rows, cols = -(-height // patch), -(-width // patch)
    side = min(patch, CELL)
    while side > 1 and rows * cols * side**2 > MAX_PIXELS:
        side //= 2
    spare = (0, cols * patch - width, 0, rows * patch - height)
    whole = F.pad(image.float().contiguous(), spare, mode="replicate")
    small = F.adaptive_avg_pool2d(whole, (rows * side, cols * side))
    low, high = (float(end) for end in small.aminmax())
    if not (low >= -0.5 and high <= 1.5):  # said this way round, NaN fails too
        raise ValueError(
            f"pixels: pixels run from 0 to 1, got {low:.3g} to {high:.3g}. "
            "Divide bytes by 255, and pass pixels before the model's own normalisation."
        )
    return small, side


def _steps(feature: Float[Tensor, "1 c rows cols"]) -> Float[Tensor, "1 c rows cols"]:
    """Scaled to the image's peak and rounded; below 1/64 there is no peak to speak of."""
    return (feature / feature.max().clamp(min=1 / 64) * STEPS).round() / STEPS


def _opponents(small: Float[Tensor, "1 3 y x"]) -> Float[Tensor, "1 3 y x"]:
    """Brightness, red against green, blue against yellow."""
    red, green, blue = small.unbind(1)
    return torch.stack(((red + green + blue) / 3, red - green, blue - (red + green) / 2), 1)


def _pool(fine: Float[Tensor, "1 c y x"], side: int) -> Float[Tensor, "1 c rows cols"]:
    return reduce(fine, "b c (rows i) (cols j) -> b c rows cols", "mean", i=side, j=side)


def _filtered(
    picture: Float[Tensor, "1 c y x"], weight: Float[Tensor, "o v u"]
) -> Float[Tensor, "c o y x"]:
    """Each channel through each filter; pixels at the border are repeated outwards."""
    height, width = weight.shape[-2:]
    border = (width // 2, width // 2, height // 2, height // 2)
    padded = F.pad(picture, border, mode="replicate")
    return F.conv2d(padded.transpose(0, 1), weight[:, None])


def _kernel(
    down: tuple[float, ...], right: tuple[float, ...], device: torch.device
) -> Float[Tensor, "v u"]:
    """The filter that is the product of one along columns and one along rows."""
    return torch.outer(torch.tensor(down, device=device), torch.tensor(right, device=device))


def _blur(cell: Float[Tensor, "1 c rows cols"], sigma: float) -> Float[Tensor, "1 c rows cols"]:
    """Gaussian mean over neighbouring cells; ``sigma`` in cells."""
    radius = round(3 * sigma)
    offset = torch.arange(-radius, radius + 1, device=cell.device, dtype=cell.dtype)
    weight = torch.exp(-(offset**2) / (2 * sigma**2))
    weight = weight / weight.sum()
    for axis, border in ((-1, (radius, radius, 0, 0)), (-2, (0, 0, radius, radius))):
        padded = F.pad(cell, border, mode="replicate")
        mean = torch.zeros_like(cell)
        for shift, share in enumerate(weight):  # on large maps over three times as fast as conv2d
            mean.addcmul_(padded.narrow(axis, shift, cell.shape[axis]), share)
        cell = mean
    return cell


def _information(small: Float[Tensor, "1 3 y x"], side: int) -> Float[Tensor, "1 1 rows cols"]:
    colour = _opponents(small)
    mean = _pool(colour, side)
    spread = (_pool(colour[:, :1] ** 2, side) - mean[:, :1] ** 2).clamp(min=0).sqrt()
    return _entropy(colour[:, :1], side) + _surprise(torch.cat((mean, spread), 1))


def _entropy(grey: Float[Tensor, "1 1 y x"], side: int) -> Float[Tensor, "1 1 rows cols"]:
    """Entropy of a cell's grey histogram, its middle bin centred on the cell's mean."""
    mean = _pool(grey, side)
    cell = rearrange(grey, "1 1 (rows i) (cols j) -> (rows cols) (i j)", i=side, j=side)
    step = ((cell - mean.reshape(-1, 1)) * BINS).round().clamp(-BINS, BINS).long() + BINS
    bins = 2 * BINS + 1
    own = torch.arange(len(cell), device=grey.device)[:, None] * bins  # one count for all cells
    count = torch.bincount((step + own).flatten(), minlength=len(cell) * bins)
    share = count.reshape(len(cell), bins) / side**2
    return -torch.xlogy(share, share).sum(1).reshape(mean.shape)


def _surprise(statistic: Float[Tensor, "1 c rows cols"]) -> Float[Tensor, "1 1 rows cols"]:
    """Mean of log(1 + z^2) / 2 against the surround: half a Cauchy's -log p."""
    usual = _blur(statistic, 2.0)
    variance = (_blur(statistic**2, 2.0) - usual**2).clamp(min=0)
    oddness = (statistic - usual) ** 2 / (variance + 1 / 32**2)
    return oddness.log1p().mean(1, keepdim=True) / 2


def _pyramid(fine: Float[Tensor, "1 c y x"], side: int) -> list[Tensor]:
    """Gaussian levels from the reduced picture to about one pixel a cell."""
    smooth = _kernel(SMOOTH, SMOOTH, fine.device)[None]
    levels = [fine]
    for _ in range(side.bit_length() - 1):
        blurred = _filtered(levels[-1], smooth).transpose(0, 1)
        half = (blurred.shape[-2] // 2, blurred.shape[-1] // 2)
        levels.append(F.interpolate(blurred, half, mode="bilinear"))
    return levels


def _oriented(small: Float[Tensor, "1 3 y x"], side: int) -> Float[Tensor, "1 4 rows cols"]:
    """Root of the mean squared second derivative across each orientation."""
    rows, cols = small.shape[-2] // side, small.shape[-1] // side
    grey = _opponents(small)[:, :1]
    energy = grey.new_zeros(1, 4, rows, cols)
    pairs = ((SMOOTH, SECOND), (FIRST, FIRST), (SECOND, SMOOTH))
    derivatives = torch.stack([_kernel(down, right, grey.device) for down, right in pairs])
    for level in _pyramid(grey, side)[:3]:
        xx, xy, yy = _filtered(level, derivatives).unbind(1)
        half = (xx + yy) / 2
        steered = torch.stack((yy, half + xy, xx, half - xy), 1)  # y points down: across "/" is +xy
        energy += F.adaptive_avg_pool2d(steered**2, (rows, cols))
    return energy.sqrt()


def _contrast(small: Float[Tensor, "1 3 y x"], side: int) -> Float[Tensor, "1 1 rows cols"]:
    """Three equal voices: within cells, between cells, and oriented energy."""
    colour = _opponents(small)
    within = _within(_pyramid(colour, side), side)
    between = _between(_pool(colour, side))
    voices = [
        torch.stack(voice).mean(0).sum(1, keepdim=True) for voice in (within, between) if voice
    ]
    energy = _rare(_oriented(small, side)).mean(1, keepdim=True)
    return torch.stack([*voices, energy]).sum(0)


def _within(levels: list[Tensor], side: int) -> list[Tensor]:
    """Centre minus surround within cells: each level against the one two steps coarser."""
    grid = (levels[0].shape[-2] // side, levels[0].shape[-1] // side)
    pairs = zip(levels, levels[2:], strict=False)
    return [_rare(_apart(centre, surround, grid)) for centre, surround in pairs]


def _apart(
    centre: Float[Tensor, "1 c y x"], surround: Float[Tensor, "1 c v u"], grid: tuple[int, int]
) -> Float[Tensor, "1 c rows cols"]:
    wide = F.interpolate(surround, centre.shape[-2:], mode="bilinear")
    return F.adaptive_avg_pool2d((centre - wide).abs(), grid)


def _between(cell: Float[Tensor, "1 c rows cols"]) -> list[Tensor]:
    """Centre minus surround among cells: a neighbourhood against one four times as wide."""
    pairs = [(_blur(cell, sigma), _blur(cell, 4 * sigma)) for sigma in (0.5, 1.0, 2.0)]
    return [_rare((centre - surround).abs()) for centre, surround in pairs]


def _rare(feature: Float[Tensor, "1 c rows cols"]) -> Float[Tensor, "1 c rows cols"]:
    """Weighted down as it fills the picture: a lone peak keeps its height, a carpet loses it."""
    mean = feature.mean((-2, -1), keepdim=True)
    peak = feature.amax((-2, -1), keepdim=True).clamp(min=1 / 64)
    return feature * (1 - mean / peak) ** 2
