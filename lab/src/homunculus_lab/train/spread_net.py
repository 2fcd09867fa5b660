# pyright: basic
"""The spread, as it is trained: from where a question's words stand to where its answer stands.

Its maps are the product's. Two twins of it know less on purpose.
"""

import math
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn

from homunculus.scouts.words.evidence import (
    EVIDENCE,
    FAINT_MATCH,
    FEATURES,
    Mode,
    WordEvidence,
    features,
)
from homunculus.scouts.words.net import KINDS
from homunculus.scouts.words.question import BUCKETS
from homunculus_lab.train.storage import load_weights

DIM, HIDDEN, BLOCKS, BUCKET_DIM = 32, 64, 3, 16
MODES: tuple[Mode, ...] = ("full", "blind", "prior")
RARE = 0.02
"""The share of cells that hold an answer, before anything is learned."""


class Spread(nn.Module):
    """Logit that a cell belongs to the answer.

    ``mode`` is what the net may know: `full` all, `blind` no question, `prior` no pixel. What it
    may not know is taken away inside, so that no caller can hand it over by mistake.
    """

    def __init__(self, mode: Mode = "full") -> None:
        super().__init__()
        self.mode: Mode = mode
        self.bucket = nn.Embedding(BUCKETS, BUCKET_DIM)
        self.question = nn.Linear(BUCKET_DIM + len(KINDS), DIM)
        self.enter = nn.Conv2d(len(FEATURES), DIM, 1)
        self.blocks = nn.ModuleList(SteeredBlock() for _ in range(BLOCKS))
        self.leave = nn.Conv2d(DIM, 1, 1)
        nn.init.normal_(self.bucket.weight, std=0.1)
        nn.init.constant_(self.leave.bias, math.log(RARE / (1 - RARE)))  # pyright: ignore[reportArgumentType]

    def forward(self, evidence: WordEvidence) -> Float[Tensor, "q r c"]:
        """One map a question, on cells of 8 pixels."""
        return self.over(*self.inputs(evidence))

    def inputs(
        self, evidence: WordEvidence
    ) -> tuple[Float[Tensor, "q f r c"], Float[Tensor, "q d"]]:
        """What the net may know: maps of the page and a vector of the question."""
        evidence = evidence.limited_to(self.mode)
        maps, buckets, kinds = map(
            torch.from_numpy, (features(evidence), evidence.buckets, evidence.kinds)
        )
        return scaled(maps), self.steer(buckets, kinds)

    def steer(
        self, buckets: Int[Tensor, "q t"], kinds: Float[Tensor, "q kinds"]
    ) -> Float[Tensor, "q d"]:
        """The vector of a question."""
        return F.relu(self.question(torch.cat([self._bag(buckets), kinds], 1)))

    def over(
        self, maps: Float[Tensor, "q f r c"], question: Float[Tensor, "q d"]
    ) -> Float[Tensor, "q r c"]:
        """The map of maps, or of windows of them: what is far away is in the maps already."""
        rows, cols = maps.shape[2:]
        x = F.relu(_each_cell(self.enter, rearrange(maps, "q f r c -> q (r c) f")))
        x = rearrange(x, "q (r c) d -> q d r c", r=rows)  # channels last, from here on
        for block in self.blocks:
            x = block(x, question)
        logit = _each_cell(self.leave, rearrange(x, "q d r c -> q (r c) d"))
        return rearrange(logit, "q (r c) 1 -> q r c", c=cols)

    def _bag(self, buckets: Int[Tensor, "q t"]) -> Float[Tensor, "q e"]:
        """The mean of the buckets' embeddings; 0 for a question without words."""
        valid = (buckets >= 0).float()[..., None]
        return (self.bucket(buckets.clamp(min=0)) * valid).sum(1) / valid.sum(1).clamp(min=1)


class SteeredBlock(nn.Module):
    """A residual block that looks around, along the line and down the column.

    The question turns its hidden channels up and down (FiLM: Perez et al., 2018).
    """

    def __init__(self) -> None:
        super().__init__()
        self.around = nn.Conv2d(DIM, DIM, 3, padding=1, groups=DIM)
        self.line = nn.Conv2d(DIM, DIM, (1, 9), padding=(0, 4), groups=DIM, bias=False)
        self.column = nn.Conv2d(DIM, DIM, (9, 1), padding=(4, 0), groups=DIM, bias=False)
        self.widen = nn.Conv2d(DIM, HIDDEN, 1)
        self.steer = nn.Linear(DIM, 2 * HIDDEN)
        self.narrow = nn.Conv2d(HIDDEN, DIM, 1)

    def forward(
        self, x: Float[Tensor, "q d r c"], question: Float[Tensor, "q d"]
    ) -> Float[Tensor, "q d r c"]:
        """Features of the same shape, changed by what is around each cell."""
        gain, shift = rearrange(self.steer(question), "q (two d) -> two q d", two=2)
        seen = self.around(x).add_(self.line(x)).add_(self.column(x))
        cells = rearrange(seen, "q d r c -> q (r c) d")
        # the question turns the weights instead of every cell: the same, and less work
        weight = rearrange(self.widen.weight, "out d 1 1 -> d out") * (1 + gain)[:, None]
        assert self.widen.bias is not None
        bias = self.widen.bias * (1 + gain) + shift
        hidden = torch.baddbmm(bias[:, None], cells, weight).relu_()
        out = rearrange(_each_cell(self.narrow, hidden), "q (r c) d -> q d r c", c=x.shape[3])
        return out.add_(x)


def _each_cell(conv: nn.Conv2d, cells: Float[Tensor, "q n d"]) -> Float[Tensor, "q n d2"]:
    """A convolution of 1 x 1 as the product it is: faster with channels last."""
    return F.linear(cells, conv.weight[:, :, 0, 0], conv.bias)


def scaled(maps: Float[Tensor, "q f r c"]) -> Float[Tensor, "q f r c"]:
    """Evidence on a logarithmic scale from 0 to 1: its slope tells how far away a word stands."""
    evidence, page = maps[:, :EVIDENCE], maps[:, EVIDENCE:]
    log = 1 - evidence.clamp(FAINT_MATCH, 1).log() / math.log(FAINT_MATCH)
    return torch.cat([log, page], 1)


def load(path: Path, mode: Mode) -> tuple[Spread, dict[str, Any]]:
    """The spread of a file and what the file says about it; a twin's file is no other's."""
    net = Spread(mode)
    about = load_weights(net, path, f"spread-{mode}")
    return net.requires_grad_(False), about
