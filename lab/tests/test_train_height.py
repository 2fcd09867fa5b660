"""Training of the head that tells how large print is."""

import json
import shutil
from random import Random

import numpy as np
import onnx
import pytest
import torch

from homunculus.scouts.words import WEIGHTS, load
from homunculus_lab.train.canvas import PrintedWord
from homunculus_lab.train.height import WINDOW, fit, heights, rescale, train
from homunculus_lab.train.height_net import FILE
from homunculus_lab.train.pages import RenderedPage


def printed(seed: int, photos=()) -> RenderedPage:
    """A page like those that are rendered, of one large bar as its only word."""
    pixels, rng = np.full((512, 512), 230, np.uint8), Random(seed)
    high, top = rng.randint(20, 60), rng.randint(100, 300)
    pixels[top : top + high, 100:400:7] = 20
    quad = np.array([[100, top], [400, top], [400, top + high], [100, top + high]], np.float32)
    return RenderedPage(pixels, [PrintedWord("total", quad, np.linspace(0, 1, 6), 0)])


@pytest.mark.parametrize("scale", [0.25, 0.6, 1.0, 2.0])
def test_labels_follow_the_scale(scale) -> None:
    before = printed(3)
    quad = before.words[0].quad
    for seed in range(20):
        after = rescale(before, scale, Random(seed))
        assert after.pixels.shape[0] == min(WINDOW, 512 * scale // 8 * 8)
        found = heights(after)
        if (found > 0).any():
            break
    have = (quad[3, 1] - quad[0, 1]) * scale
    assert found[found > 0] == pytest.approx(have, rel=0.05)
    rows = np.nonzero((found > 0).any(1))[0]
    ink = np.nonzero((after.pixels < 215).any(1))[0] // 8
    assert abs(rows.min() - ink.min()) <= 1
    assert abs(rows.max() - ink.max()) <= 1


def test_training_is_the_same_every_time_and_loads(tmp_path) -> None:
    outs = [train(tmp_path / one, printed, 6, 0, steps=5, threads=1) for one in "ab"]
    assert outs[0].name == FILE
    files = [*(out.with_name("height.onnx") for out in outs), WEIGHTS / "height.onnx"]
    one, again, shipped = (onnx.load(file).graph for file in files)
    assert one == again
    assert one != shipped
    told = [json.loads((out.parent / "height.json").read_text()) for out in outs]
    assert told[0]["held_out"] == told[1]["held_out"]
    assert told[0]["held_out"]["n"] > 0
    shutil.copy(WEIGHTS / "words.onnx", tmp_path / "a")
    shutil.copy(WEIGHTS / "match.onnx", tmp_path / "a")
    page = np.random.default_rng(0).integers(0, 255, (3, 64, 64)).astype(np.uint8)
    assert "octaves" in load(tmp_path / "a").read(page)


def test_the_head_learns_height_and_doubt() -> None:
    make = torch.Generator().manual_seed(0)
    cell, noise = torch.zeros(4000, 256), torch.randn(4000, generator=make)
    cell[:, :2] = torch.rand(4000, 2, generator=make)
    doubt = cell[:, 1] = (cell[:, 1] > 0.5).float()  # where it is 1 the height cannot be told
    height = 3 + 2 * cell[:, 0] + noise * (0.05 + 0.8 * doubt)
    head, about = fit([(cell[i::20].half(), height[i::20]) for i in range(20)], 200, 0)
    with torch.no_grad():
        mean, spread = head(cell)
    assert float((mean - height)[doubt == 0].square().mean().sqrt()) < 0.35
    assert float(spread[doubt == 1].mean() - spread[doubt == 0].mean()) > 1.5
    assert about["held_out"]["n"] == 400
