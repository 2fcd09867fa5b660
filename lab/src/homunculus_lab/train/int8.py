# pyright: basic
"""Ranges of the word net's layers on rendered crops: what it needs to be read in 8 bits."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from homunculus.scouts import words
from homunculus.scouts.words.int8 import FILE, NAME, Ranges, layers
from homunculus.scouts.words.net import STRIDE, WordNet, standard
from homunculus.scouts.words.net import load as load_net
from homunculus_lab.train.batch import HELD_OUT, Render, load_photos
from homunculus_lab.train.pages import render as render_page
from homunculus_lab.train.weights import save_weights

LARGEST = 0.9999
"""Quantile of a layer's values that still has its own number; rarer ones are cut off there."""
CROPS = 24
SCALES = (1.0, 0.5)
"""Scales at which each crop is shown."""
FIRST = HELD_OUT // 3
"""Seeds of the crops: the net has not seen them."""


def train(out: Path, render: Render = render_page, photos: Path | None = None) -> Path:
    """Measure the net in the folder, or the shipped one if it has none; returns the file."""
    out.mkdir(parents=True, exist_ok=True)
    folder = out if (out / words.FILE).exists() else words.WEIGHTS
    net = load_net(folder / words.FILE)[0].fused()
    behind = load_photos(photos)
    pages = (render(seed=FIRST + n, photos=behind).pixels for n in range(CROPS))
    shown = (_shown(torch.from_numpy(page.copy()), scale) for page in pages for scale in SCALES)
    about = {"on": sha256((folder / words.FILE).read_bytes()).hexdigest(), "crops": CROPS}
    save_weights(ranges(net, shown), out / FILE, NAME, about)
    return out / FILE


def _shown(pixels: Tensor, scale: float) -> Tensor:
    size = [max(STRIDE, round(side * scale) // STRIDE * STRIDE) for side in pixels.shape]
    grey = pixels[None, None].float()
    return F.interpolate(grey, size, mode="bicubic", antialias=True).clamp(0, 255) / 255


@torch.inference_mode()
def ranges(net: WordNet, pages: Iterable[Float[Tensor, "1 1 h w"]]) -> Ranges:
    """The ranges of a fused net's layers on some pages, for `Int8Net`."""
    ranges = Ranges()
    ranges.top.zero_()
    for page in pages:
        x = F.pixel_unshuffle(standard(page), 2).contiguous(memory_format=torch.channels_last)
        before = x
        for layer, (conv, adds) in enumerate(layers(net)):
            out = F.relu(conv(x) + before if adds else conv(x))
            before, x = (out, out) if adds else (x, out)
            flat = out.flatten()
            largest = flat.kthvalue(max(1, int(LARGEST * len(flat)))).values
            ranges.top[layer] = torch.maximum(ranges.top[layer], largest)
    return ranges
