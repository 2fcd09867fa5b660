# pyright: basic
"""The height head of the word net: least squares on features of crops that it never learned from.

The net is done by then. One linear map from what it sees to the logarithm of a line's height.
"""

import torch

from homunculus.learn.batch import HELD_OUT, Batch, Crops, Render
from homunculus.learn.loss import scaled
from homunculus.learn.progress import progress
from homunculus.scout.net import WordNet

BATCHES = 30
FIRST = HELD_OUT // 8
"""Batches from here on: past those of any training, before those held out."""
RIDGE = 1.0


@torch.no_grad()
def fit(net: WordNet, render: Render, batches: int = BATCHES) -> float:
    """Set the height head; the root mean square error, in octaves."""
    data = Crops(render, 0)
    seen, wanted = [], []
    with progress(0, batches, "homunculus train") as tell:
        for at in range(batches):
            hidden, height = _cells(net, data[FIRST + at])
            seen.append(hidden)
            wanted.append(height)
            tell(at + 1, "heights learned")
    x, y = torch.cat(seen).double(), torch.cat(wanted).double().log2()
    mean, middle = x.mean(0), y.mean()
    x, y = x - mean, y - middle
    weight = torch.linalg.solve(x.T @ x + RIDGE * torch.eye(x.shape[1]).double(), x.T @ y)
    net.height_head.weight.copy_(weight[None])
    net.height_head.bias.copy_(middle - mean @ weight)
    return float((x @ weight - y).square().mean().sqrt())


def _cells(net: WordNet, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = net.hide(net(scaled(batch)).word)
    text = batch.word > 0
    return hidden[text].float(), batch.height[text].clamp(min=2)
