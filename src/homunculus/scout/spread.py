"""The spread: from where the question's words stand to where its answer stands.

A small net over the maps of `evidence`, steered by the question; two twins of it that must not
peek; and a kernel with fixed weights for when nothing is learned. Axes as in `evidence`.
"""

import math
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn

from homunculus.scout import weights
from homunculus.scout.evidence import EVIDENCE, FEATURES, FLOOR, Found, Mode, features
from homunculus.scout.net import KINDS
from homunculus.scout.question import BUCKETS

WIDTH, HIDDEN, BLOCKS, EMBED = 32, 64, 3, 16
RARE = 0.02
"""The share of cells that hold an answer, before anything is learned."""
FAINT = 0.01
"""Evidence below this is as good as none; the net sees its logarithm down to here."""


class Spread(nn.Module):
    """Logit that a cell belongs to the answer.

    ``mode`` is what the net may know: `full` all, `blind` no question, `prior` no pixel. What it
    may not know is taken away inside, so that no caller can hand it over by mistake.
    """

    def __init__(self, mode: Mode = "full") -> None:
        super().__init__()
        self.mode: Mode = mode
        self.bucket = nn.Embedding(BUCKETS, EMBED)
        self.question = nn.Linear(EMBED + len(KINDS), WIDTH)
        self.enter = nn.Conv2d(len(FEATURES), WIDTH, 1)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.leave = nn.Conv2d(WIDTH, 1, 1)
        nn.init.normal_(self.bucket.weight, std=0.1)
        nn.init.constant_(self.leave.bias, math.log(RARE / (1 - RARE)))  # pyright: ignore[reportArgumentType]

    def forward(self, found: Found) -> Float[Tensor, "q r c"]:
        """One map a question, on cells of 8 pixels."""
        return self.over(*self.seen(found))

    def seen(self, found: Found) -> tuple[Float[Tensor, "q f r c"], Float[Tensor, "q d"]]:
        """What the net may know: maps of the page and a vector of the question."""
        may = found.seen(self.mode)
        question = F.relu(self.question(torch.cat([self._bag(may.buckets), may.kinds], 1)))
        return _scaled(features(may)), question

    def over(
        self, maps: Float[Tensor, "q f r c"], question: Float[Tensor, "q d"]
    ) -> Float[Tensor, "q r c"]:
        """The map of maps, or of windows of them: what is far away is in the maps already."""
        x = F.relu(self.enter(maps))
        for block in self.blocks:
            x = block(x, question)
        return self.leave(x)[:, 0]

    def _bag(self, buckets: Int[Tensor, "q t"]) -> Float[Tensor, "q e"]:
        """The mean of the buckets' embeddings; 0 for a question without words."""
        told = (buckets >= 0).float()[..., None]
        return (self.bucket(buckets.clamp(min=0)) * told).sum(1) / told.sum(1).clamp(min=1)


class Block(nn.Module):
    """A residual block that looks around, along the line and down the column.

    The question turns its hidden channels up and down (FiLM: Perez et al., 2018).
    """

    def __init__(self) -> None:
        super().__init__()
        self.around = nn.Conv2d(WIDTH, WIDTH, 3, padding=1, groups=WIDTH)
        self.line = nn.Conv2d(WIDTH, WIDTH, (1, 9), padding=(0, 4), groups=WIDTH, bias=False)
        self.column = nn.Conv2d(WIDTH, WIDTH, (9, 1), padding=(4, 0), groups=WIDTH, bias=False)
        self.widen = nn.Conv2d(WIDTH, HIDDEN, 1)
        self.steer = nn.Linear(WIDTH, 2 * HIDDEN)
        self.narrow = nn.Conv2d(HIDDEN, WIDTH, 1)

    def forward(
        self, x: Float[Tensor, "q d r c"], question: Float[Tensor, "q d"]
    ) -> Float[Tensor, "q d r c"]:
        """The same shape."""
        gain, shift = rearrange(self.steer(question), "q (two d) -> two q d 1 1", two=2)
        seen = self.widen(self.around(x) + self.line(x) + self.column(x))
        return x + self.narrow(F.relu(seen * (1 + gain) + shift))


def _scaled(maps: Float[Tensor, "q f r c"]) -> Float[Tensor, "q f r c"]:
    """Evidence on a logarithmic scale from 0 to 1: its slope tells how far away a word stands."""
    evidence, page = maps[:, :EVIDENCE], maps[:, EVIDENCE:]
    log = 1 - evidence.clamp(FAINT, 1).log() / math.log(FAINT)
    return torch.cat([log, page], 1)


def save(net: Spread, path: Path, about: dict[str, Any]) -> None:
    """Write the weights, with what is known about them."""
    weights.save(net, path, f"spread-{net.mode}", about)


def load(path: Path, mode: Mode) -> Spread:
    """The spread of a file; a twin's file is no other's."""
    net = Spread(mode)
    weights.load(net, path, f"spread-{mode}")
    return net.requires_grad_(False)


# ---- without learning ----------------------------------------------------------------------------

KERNEL: dict[str, float] = {
    "phrase": 0.8, "right-far": 1.0, "left": 0.4, "below": 0.7, "below-far": 0.5,
}  # fmt: skip
"""What each map is worth: most the right along the line, then what is below."""
CROSSING = 2.0
"""What the meeting of a row and a column adds."""
ANY_TEXT = 0.03
"""What text is worth that nothing points to."""


def by_hand(maps: Float[Tensor, "q f r c"]) -> Float[Tensor, "q r c"]:
    """A fixed kernel instead of a learned spread, as a log-probability."""
    worth = maps.new_tensor([KERNEL.get(name, 0.0) for name in FEATURES])
    near = (maps * worth[:, None, None]).amax(1) + CROSSING * maps[:, FEATURES.index("crossing")]
    likely = maps[:, FEATURES.index("text")] * (ANY_TEXT + (1 - ANY_TEXT) * near.clamp(max=1))
    return likely.clamp(min=FLOOR).log()
