# pyright: basic
"""Training of the head that tells how large print is; the word net under it stays as it is.

Rendered crops are shown at random scales, also at some at which their print is too small or too
large to be read: there the head learns to be unsure.
"""

import json
import math
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.utils.data import Dataset

from homunculus.progress import progress
from homunculus.scouts.words.net import STRIDE
from homunculus_lab.train.batch import HELD_OUT, Render, load_photos, prefetch
from homunculus_lab.train.canvas import CUT, WHOLE_SHARE, PrintedWord
from homunculus_lab.train.defaults import HEIGHT_CROPS
from homunculus_lab.train.export import export
from homunculus_lab.train.height_net import FILE, NAME, HeightHead
from homunculus_lab.train.labels import label
from homunculus_lab.train.net import FILE as NET_FILE
from homunculus_lab.train.net import WordNet
from homunculus_lab.train.net import load as load_net
from homunculus_lab.train.pages import RenderedPage
from homunculus_lab.train.pages import render as render_page
from homunculus_lab.train.state import flush_denormals
from homunculus_lab.train.storage import WEIGHTS, digest, save_weights

SMALLEST, LARGEST = 4.0, 120.0
"""Heights that are drawn, in pixels as the net is shown them: beyond both ends of what it reads."""
SHRUNK, GROWN = 0.2, 4.0
"""Scales at which a crop is shown."""
WINDOW = 320
"""Pixels along the part of a crop that is shown: neighbours have much the same height."""
SCALES = 2
"""Scales of each crop."""
CELLS = 256
"""Cells of a crop at one scale that train the head."""
STEPS, CELLS_PER_STEP, RATE = 2000, 2048, 3e-3
CHECKED = 0.1
"""Share of crops that are held out."""
FIRST = HELD_OUT // 2
"""Seeds of the crops: the net has not seen them."""

Pair = tuple[Tensor, Tensor]
"""Grey pixels and the heights of their cells; or features of cells and log2 of their heights."""


class HeightDataset(Dataset[list[Pair]]):
    """Item n is the crop of seed n at a few scales."""

    def __init__(self, render: Render, crops: int, photos: Path | None = None) -> None:
        self.render, self.crops, self.folder = render, crops, photos
        self._photos: list[np.ndarray] | None = None

    def __len__(self) -> int:
        return self.crops

    def __getitem__(self, number: int) -> list[Pair]:
        if self._photos is None:  # loaded in the worker, where they are used
            self._photos = load_photos(self.folder)
        rng = Random(number)
        page = self.render(seed=FIRST + number, photos=self._photos)
        shown = [rescale(page, _scale(page, rng), rng) for _ in range(SCALES)]
        return [(torch.from_numpy(crop.pixels), torch.from_numpy(heights(crop))) for crop in shown]


def _scale(page: RenderedPage, rng: Random) -> float:
    """A scale that gives some word of the page a height that is drawn evenly by octaves."""
    drawn = 2 ** rng.uniform(math.log2(SMALLEST), math.log2(LARGEST))
    if not page.words:
        return 1.0
    quad = rng.choice(page.words).quad
    high = float(np.linalg.norm(quad[3] - quad[0]))
    return min(max(drawn / max(high, 1.0), SHRUNK), GROWN)


def rescale(page: RenderedPage, scale: float, rng: Random) -> RenderedPage:
    """A window of a square page, shown smaller or larger; its sides are multiples of a cell."""
    side = page.pixels.shape[0]
    size = max(STRIDE, round(side * scale / STRIDE) * STRIDE)
    grey = torch.from_numpy(page.pixels.astype(np.float32))[None, None]
    grey = F.interpolate(grey, (size, size), mode="bicubic", antialias=size < side)[0, 0]
    left, top = (rng.randint(0, max(0, size - WINDOW)) for _ in range(2))
    pixels = grey[top : top + WINDOW, left : left + WINDOW].round().clamp(0, 255).to(torch.uint8)
    shift = np.array([left, top], np.float32)
    moved = [replace(word, quad=word.quad * (size / side) - shift) for word in page.words]
    return RenderedPage(pixels.numpy(), [_cut(word, pixels.shape[0]) for word in moved])


def _cut(word: PrintedWord, high: int) -> PrintedWord:
    """A word that a border cuts along the line has no height to learn; across, it has."""
    low, top = word.quad[:, 1].min(), word.quad[:, 1].max()
    inside = min(top, high) - max(low, 0)
    return word if inside >= WHOLE_SHARE * (top - low) else replace(word, kind=CUT)


def heights(page: RenderedPage) -> np.ndarray:
    """Height in pixels of the word that each cell is part of; 0 outside, and where it is unsure."""
    labels = label(page)
    return np.array([0, *labels.height, 0], np.float32)[labels.word]


def train(
    out: Path,
    render: Render = render_page,
    crops: int = HEIGHT_CROPS,
    workers: int = 1,
    photos: Path | None = None,
    threads: int | None = None,
    steps: int = STEPS,
    seed: int = 0,
) -> Path:
    """Train on the net in the folder, or on the shipped one if it has none; returns the weights."""
    started = time.monotonic()
    torch.set_num_threads(threads or torch.get_num_threads())
    out.mkdir(parents=True, exist_ok=True)
    file = (out if (out / NET_FILE).exists() else WEIGHTS) / NET_FILE
    net = load_net(file)[0].fused()
    dataset = HeightDataset(render, crops, photos)
    lessons = collect(net, dataset, workers, seed)
    head, about = fit(lessons, steps, seed)
    about |= {"on": digest(file), "crops": crops, "seed": seed}
    about["seconds"] = round(time.monotonic() - started)
    save_weights(head, out / FILE, NAME, about)
    export(out)
    (out / "height.json").write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    return out / FILE


def collect(net: WordNet, dataset: HeightDataset, workers: int, seed: int) -> list[Pair]:
    """Features of cells and log2 of their heights, crop by crop."""
    lessons = []
    generator = torch.Generator().manual_seed(seed)
    with progress("rendering") as update, torch.inference_mode():
        for done, shown in enumerate(prefetch(dataset, 0, workers), 1):
            parts = [_lesson(net, *crop, generator) for crop in shown]
            cell, height = (torch.cat(some) for some in zip(*parts, strict=True))
            lessons.append((cell, height))
            update(done, len(dataset), "crops rendered and read")
    return lessons


def _lesson(net: WordNet, pixels: Tensor, height: Tensor, generator: torch.Generator) -> Pair:
    cell = net.describe(pixels[None, None].float() / 255).cell.flatten(0, 2)
    height = height.flatten()
    cells = (height > 0).nonzero()[:, 0]
    cells = cells[torch.randperm(len(cells), generator=generator)[:CELLS]]
    return cell[cells].half(), height[cells].log2()


def fit(lessons: list[Pair], steps: int, seed: int) -> tuple[HeightHead, dict[str, Any]]:
    """A head, and its errors on the crops that were held out."""
    held = max(1, round(CHECKED * len(lessons)))
    cell, height = (torch.cat(some) for some in zip(*lessons[held:], strict=True))
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    head = HeightHead()
    optimiser = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=1e-3)
    with flush_denormals(), progress("training") as update:
        for step in range(steps):
            for group in optimiser.param_groups:
                group["lr"] = RATE * 0.5 * (1 + math.cos(math.pi * step / steps))
            cells = torch.randint(len(height), (CELLS_PER_STEP,), generator=generator)
            loss = surprise(head, cell[cells].float(), height[cells]).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            update(step + 1, steps, f"loss {float(loss.detach()):.3f}")
    return head.eval(), {"steps": steps, "held_out": check(head, lessons[:held])}


def surprise(
    head: HeightHead, cell: Float[Tensor, "n d"], height: Float[Tensor, "n"]
) -> Float[Tensor, "n"]:
    """Gaussian negative log-likelihood, in octaves."""
    mean, spread = head(cell)
    return 0.5 * (spread + (height - mean).square() * (-spread).exp())


@torch.inference_mode()
def check(head: HeightHead, lessons: list[Pair]) -> dict[str, Any]:
    """Errors on crops that were not trained on, by the height that the net was shown."""
    cell, height = (torch.cat(some) for some in zip(*lessons, strict=True))
    mean, spread = head(cell.float())
    errors = {"n": len(height), "loss": float(surprise(head, cell.float(), height).mean())}
    for low in range(2, 7):
        here = (height >= low) & (height < low + 1)
        error = (mean - height)[here]
        errors[f"{2**low}-{2 ** (low + 1)}px"] = {
            "n": len(error),
            "bias": float(error.mean()),
            "error": float(error.square().mean().sqrt()),
            "told": float(spread[here].exp().mean().sqrt()),
        }
    return json.loads(json.dumps(errors), parse_float=lambda text: round(float(text), 4))
