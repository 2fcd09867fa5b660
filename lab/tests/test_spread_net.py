"""The spread, as it is trained: small, and it learns."""

import numpy as np
import torch

from homunculus.scouts.words.evidence import FEATURES, features
from homunculus_lab.train.spread_net import Spread
from test_scout_spread import scene


def test_the_net_is_small_and_learns():
    torch.manual_seed(0)
    net, found = Spread(), scene(5, rows=12, cols=16)
    assert sum(weight.numel() for weight in net.parameters()) < 100_000
    right = features(found)[:, FEATURES.index("right-far")] > 0.3
    target = torch.from_numpy(right.astype(np.float32))
    step = torch.optim.Adam(net.parameters(), 3e-3)
    losses = []
    for _ in range(30):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(found), target)
        step.zero_grad()
        loss.backward()
        step.step()
        losses.append(float(loss.detach()))
    assert all(weight.grad is not None for weight in net.parameters())
    assert losses[-1] < 0.6 * losses[0]
