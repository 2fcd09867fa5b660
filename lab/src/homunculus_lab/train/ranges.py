# pyright: basic
"""Ranges of the word net's layers on rendered crops: what it needs to be read in 8 bits."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from homunculus.scouts.words.net import STRIDE
from homunculus_lab.train.batch import HELD_OUT, Render, load_photos
from homunculus_lab.train.net import FILE as NET_FILE
from homunculus_lab.train.net import Block, WordNet, blocks, standard
from homunculus_lab.train.net import load as load_net
from homunculus_lab.train.pages import render as render_page
from homunculus_lab.train.storage import digest, load_weights, save_weights

NAME, FILE = "ranges", "ranges.safetensors"
RARE = 1e-5
"""The share of a layer's values that have no number of their own, on either side."""
CROPS = 24
SCALES = (1.0, 0.5)
"""Scales at which each crop is shown."""
FIRST = HELD_OUT // 3
"""Seeds of the crops: the net has not seen them."""
BLOCKS = 2 + 3 + 4
LAYERS = 3 + 2 * BLOCKS
LETTER = 6 + 2 * 3
"""The place in the order after which letters are known, before the line's context."""


class Ranges(nn.Module):
    """What the 255 steps of each layer span, in the net's order."""

    def __init__(self) -> None:
        super().__init__()
        self.top = nn.Parameter(torch.zeros(LAYERS), requires_grad=False)
        """The largest value that comes out of a layer; the least is 0."""
        self.low = nn.Parameter(torch.zeros(BLOCKS), requires_grad=False)
        self.high = nn.Parameter(torch.zeros(BLOCKS), requires_grad=False)
        """Of what is added to a block's input, before the sum."""


@dataclass(frozen=True)
class Layer:
    """A convolution of the net and what follows it."""

    conv: nn.Conv2d
    norm: nn.BatchNorm2d | None = None
    adds: bool = False
    """Whether a residual block's sum follows."""


def layers(net: WordNet) -> Iterator[Layer]:
    """All convolutions in order."""
    yield Layer(net.stem)
    yield Layer(net.down, net.norm)
    for block in blocks(net.fine):
        yield from _of_block(block)
    yield Layer(net.cell)
    for block in blocks(net.near, net.line):
        yield from _of_block(block)


def _of_block(block: Block) -> tuple[Layer, Layer]:
    return Layer(block.first, block.norm), Layer(block.second, adds=True)


def train(out: Path, render: Render = render_page, photos: Path | None = None) -> Path:
    """Measure the net in a folder, on crops that it has not seen; returns the file."""
    net = load_net(out / NET_FILE)[0]
    behind = load_photos(photos)
    pages = (render(seed=FIRST + n, photos=behind).pixels for n in range(CROPS))
    shown = (_shown(torch.from_numpy(page.copy()), scale) for page in pages for scale in SCALES)
    about = {"on": digest(out / NET_FILE), "crops": CROPS}
    save_weights(measure(net, shown), out / FILE, NAME, about)
    return out / FILE


def _shown(pixels: Tensor, scale: float) -> Float[Tensor, "1 1 h w"]:
    size = [max(STRIDE, round(side * scale) // STRIDE * STRIDE) for side in pixels.shape]
    grey = pixels[None, None].float()
    return F.interpolate(grey, size, mode="bicubic", antialias=True).clamp(0, 255) / 255


@torch.inference_mode()
def measure(net: WordNet, pages: Iterable[Float[Tensor, "1 1 h w"]]) -> Ranges:
    """The ranges of a net's layers on some pages, the widest of all."""
    ranges = Ranges()
    for page in pages:
        x = F.pixel_unshuffle(standard(page), 2).contiguous(memory_format=torch.channels_last)
        before, block = x, 0
        for place, layer in enumerate(layers(net)):
            out = layer.conv(x)
            out = out if layer.norm is None else layer.norm(out)
            if layer.adds:
                # what takes a sum below 0 is cut off anyway
                low, high = ends(torch.maximum(out, -before))
                ranges.low[block].clamp_(max=low)
                ranges.high[block].clamp_(min=high)
                out, block = out + before, block + 1
            out = F.relu(out)
            before, x = (out, out) if layer.adds else (x, out)
            ranges.top[place].clamp_(min=ends(out)[1])
    return ranges


def ends(value: Tensor) -> tuple[float, float]:
    """The values between which nearly all lie."""
    flat = value.flatten()
    rare = int(RARE * len(flat))
    low, high = (float(flat.kthvalue(at).values) for at in (rare + 1, len(flat) - rare))
    return low, high


def load(path: Path, net: str) -> Ranges:
    """The ranges of a file; they must have been measured on the net with this hash."""
    ranges = Ranges()
    if load_weights(ranges, path, NAME).get("on") != net:
        raise ValueError(f"{NAME}: {path} is of another word net than the one beside it.")
    return ranges
