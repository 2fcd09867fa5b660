"""The word net: reads a page once, and then says of any word where on the page it stands.

A cell is 8 x 8 pixels. Each cell that holds text gets an embedding, a written word gets one too,
and their product tells whether the cell is part of that word. No list of words is built in.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from homunculus.scout import weights
from homunculus.scout.code import BITS, OTHER

STRIDE = 8
"""Pixels along a cell."""
KINDS = ("word", "number", "money", "date", "time", "code", "percent", "phone")
"""What a printed word looks like; the order is the order of the kind head."""
SLOTS = 2
"""Character slots of a cell, left and right: 4 pixels each."""
WIDTH = 128
EMBED = 96
NAME = "word-scout"


@dataclass(frozen=True)
class Features:
    """What the body of the net sees, before the heads that are asked for."""

    text: Float[Tensor, "b rows cols"]
    """Logit: does the cell hold text?"""
    letter: Float[Tensor, "b rows cols d"]
    """Before the line's context: what is printed in the cell itself."""
    word: Float[Tensor, "b rows cols d"]
    """With the line's context: what word the cell is part of."""


@dataclass(frozen=True)
class Described:
    """A page, ready to be asked about words."""

    embed: Float[Tensor, "b rows cols e"]
    text: Float[Tensor, "b rows cols"]
    """Probability that the cell holds text."""
    kind: Float[Tensor, "b kinds rows cols"]
    """Probability of each of `KINDS`, if there is text."""


class Block(nn.Module):
    """A residual block: 3 x 3, then 3 x 3 or a long look along the line."""

    def __init__(self, width: int, reach: int = 0, dilation: int = 1) -> None:
        super().__init__()
        kernel, pad = ((1, 2 * reach + 1), (0, reach * dilation)) if reach else ((3, 3), (1, 1))
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, kernel, padding=pad, dilation=(1, dilation))
        with torch.no_grad():
            self.second.weight.mul_(0.2)  # near the identity at first: deep nets start faster

    def forward(self, x: Tensor) -> Tensor:
        """Same shape out as in."""
        inside = F.relu(self.norm(self.first(x)), inplace=True)
        return F.relu(self.second(inside).add_(x), inplace=True)


class WordNet(nn.Module):
    """Grey pixels in, features of 8 x 8 cells out; heads make text, letters and words of them."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(4, 32, 3, padding=1)
        self.down = nn.Conv2d(32, 64, 3, padding=1, stride=2, bias=False)
        self.norm = nn.BatchNorm2d(64)
        self.fine = nn.Sequential(Block(64), Block(64))  # stride 4: strokes of tiny text
        self.cell = nn.Conv2d(64, WIDTH, 3, padding=1, stride=2)
        self.near = nn.Sequential(*[Block(WIDTH) for _ in range(3)])
        self.line = nn.Sequential(*[Block(WIDTH, 4, dilation) for dilation in (1, 2, 1, 2)])
        self.text_head = nn.Linear(WIDTH, 1)
        self.letter_head = nn.Linear(WIDTH, SLOTS * (OTHER + 1))
        self.hidden = nn.Linear(WIDTH, 256)
        self.code_head = nn.Linear(256, BITS)
        self.embed_head = nn.Linear(256, EMBED)
        self.kind_head = nn.Linear(256, len(KINDS))
        self.query_head = nn.Sequential(nn.Linear(BITS, 256), nn.ReLU(), nn.Linear(256, EMBED))
        self.log_scale = nn.Parameter(torch.tensor(math.log(10.0)))
        self.bias = nn.Parameter(torch.tensor(-8.0))  # a cell is part of hardly any word
        nn.init.constant_(self.code_head.bias, -3.0)  # most bits are 0
        self.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]

    def forward(self, pixels: Float[Tensor, "b 1 h w"]) -> Features:
        """Features of every cell; height and width are multiples of 8, greys from 0 to 1."""
        x = F.pixel_unshuffle(standard(pixels), 2).contiguous(memory_format=torch.channels_last)
        x = F.relu(self.stem(x), inplace=True)
        x = self.fine(F.relu(self.norm(self.down(x)), inplace=True))
        letter = self.near(F.relu(self.cell(x), inplace=True))
        word = rearrange(self.line(letter), "b d rows cols -> b rows cols d")
        text = self.text_head(word)[..., 0].float()
        return Features(text, rearrange(letter, "b d rows cols -> b rows cols d"), word)

    def letters(self, letter: Float[Tensor, "*cells d"]) -> Float[Tensor, "*cells slots classes"]:
        """Logits of the character in each slot of the cells."""
        logit = self.letter_head(letter).float()
        return rearrange(logit, "... (slots classes) -> ... slots classes", slots=SLOTS)

    def hide(self, word: Float[Tensor, "*cells d"]) -> Float[Tensor, "*cells d2"]:
        """What the heads of code, embedding and kind share."""
        return F.relu(self.hidden(word))

    def embed(self, hidden: Float[Tensor, "*cells d"]) -> Float[Tensor, "*cells e"]:
        """The cells' side of a match."""
        return F.normalize(self.embed_head(hidden).float(), dim=-1)

    def query(self, code: Float[Tensor, "n bits"]) -> Float[Tensor, "n e"]:
        """The words' side of a match."""
        return F.normalize(self.query_head(code).float(), dim=-1)

    def match(
        self, embed: Float[Tensor, "*cells e"], query: Float[Tensor, "n e"]
    ) -> Float[Tensor, "*cells n"]:
        """Logit that a cell is part of a word, for every cell and every word."""
        return self.log_scale.exp() * (embed @ query.T) + self.bias

    @torch.no_grad()
    def describe(self, pixels: Float[Tensor, "b 1 h w"]) -> Described:
        """All cells of a page of any size, with every head a question may need."""
        cells = tuple(-(-size // STRIDE) for size in pixels.shape[-2:])
        # odd counts of cells make convolutions a quarter slower: fill up, and cut off again
        down, right = (-size % (4 * STRIDE) for size in pixels.shape[-2:])
        seen = self(F.pad(pixels, (0, right, 0, down), mode="replicate"))
        seen = Features(*(part[:, : cells[0], : cells[1]] for part in vars(seen).values()))
        hidden = self.hide(seen.word)
        kind = rearrange(self.kind_head(hidden).float().softmax(-1), "b r c kinds -> b kinds r c")
        return Described(self.embed(hidden), seen.text.sigmoid(), kind)

    def fused(self) -> "WordNet":
        """The same function for use: each normalisation goes into the convolution before it."""
        if isinstance(self.norm, nn.Identity):
            return self
        out = WordNet()
        out.load_state_dict(self.state_dict())
        _fuse(out, "down", "norm")
        for block in out.modules():
            if isinstance(block, Block):
                _fuse(block, "first", "norm")
        return out.eval().requires_grad_(False)


def standard(pixels: Float[Tensor, "b 1 h w"]) -> Float[Tensor, "b 1 h w"]:
    """Each image on its own scale: a faded copy and a bold print look alike."""
    mean = pixels.mean((2, 3), keepdim=True)
    spread = pixels.std((2, 3), keepdim=True, correction=0)
    return (pixels - mean) / (spread + 0.08)  # an empty page stays flat, its noise is not blown up


def _fuse(owner: nn.Module, conv_name: str, norm_name: str) -> None:
    conv, norm = getattr(owner, conv_name), getattr(owner, norm_name)
    fused = torch.nn.utils.fusion.fuse_conv_bn_eval(conv.eval(), norm.eval())
    setattr(owner, conv_name, fused.to(memory_format=torch.channels_last))
    setattr(owner, norm_name, nn.Identity())


def save(net: WordNet, path: Path, about: dict[str, Any]) -> None:
    """Write the weights, with what is known about them."""
    weights.save(net, path, NAME, about)


def load(path: Path) -> tuple[WordNet, dict[str, Any]]:
    """The net of a file and what the file says about it."""
    net = WordNet()
    about = weights.load(net, path, NAME)
    return net, about
