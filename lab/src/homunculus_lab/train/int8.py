# pyright: basic
"""Ranges of the word net's layers on rendered crops: what it needs to be read in 8 bits."""

from hashlib import sha256
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from homunculus.scouts import words
from homunculus.scouts.words.int8 import FILE, NAME, ranges
from homunculus.scouts.words.net import STRIDE, save_weights
from homunculus.scouts.words.net import load as load_net
from homunculus_lab.train.batch import HELD_OUT, Render, load_photos
from homunculus_lab.train.pages import render as render_page

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
