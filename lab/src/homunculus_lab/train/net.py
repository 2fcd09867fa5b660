# pyright: basic
"""The word net, as it is trained: `export` makes the file of it that the product runs."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Num
from torch import Tensor, nn

from homunculus.scouts.words.net import BITS, KINDS, OTHER, STRIDE
from homunculus_lab.train.storage import load_weights

SLOTS = 2
"""Character slots of a cell, left and right: 4 pixels each."""
WIDTH = 128
EMBED = 96
NAME = "word-scout"
FILE = "word-scout.safetensors"


@dataclass(frozen=True)
class Features:
    """What the body of the net sees, before the heads that are asked for."""

    text: Float[Tensor, "b rows cols"]
    """Logit: does the cell hold text?"""
    letter: Num[Tensor, "b rows cols d"]
    """Before the line's context: what is printed in the cell itself."""
    word: Num[Tensor, "b rows cols d"]
    """What word the cell is part of, as its line tells."""


@dataclass(frozen=True)
class Description:
    """A page, ready to be asked about words."""

    embed: Float[Tensor, "b rows cols e"]
    text: Float[Tensor, "b rows cols"]
    """Probability that the cell holds text."""
    kind: Float[Tensor, "b kinds rows cols"]
    """Probability of each of `KINDS`, if there is text."""
    cell: Float[Tensor, "b rows cols d"]
    """Features of letter and word side by side: the head of heights goes by both."""


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

    def forward(self, x: Tensor, valid: Tensor | None = None) -> Tensor:
        """Same shape out as in; where ``valid`` is 0 there is no picture, and 0 comes out."""
        inside = _only(F.relu(self.norm(self.first(x)), inplace=True), valid)
        return _only(F.relu(self.second(inside).add_(x), inplace=True), valid)


def blocks(*parts: nn.Sequential) -> Iterator[Block]:
    """The blocks of some parts of a net."""
    for part in parts:
        yield from cast(Iterable[Block], part)


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
        return self.features(standard(pixels))

    def features(
        self, grey: Float[Tensor, "b 1 h w"], valid: Float[Tensor, "b 1 h w"] | None = None
    ) -> Features:
        """Features of greys on their page's own scale (`standard`), whole pages or parts of them.

        Pictures of mixed sizes share a batch if each is filled up with zeros on the right and
        below, and ``valid`` is 1 where it is and 0 elsewhere; sizes are multiples of 8. Each is
        then seen as if it were alone: convolutions take what is beyond a picture for 0.
        """
        half, quarter, cell = (None if valid is None else valid[..., ::s, ::s] for s in (2, 4, 8))
        x = F.pixel_unshuffle(grey, 2).contiguous(memory_format=torch.channels_last)
        x = _only(F.relu(self.stem(x), inplace=True), half)
        x = _only(F.relu(self.norm(self.down(x)), inplace=True), quarter)
        for block in self.fine:
            x = block(x, quarter)
        x = _only(F.relu(self.cell(x), inplace=True), cell)
        for block in self.near:
            x = block(x, cell)
        letter = x
        for block in self.line:
            x = block(x, cell)
        word = rearrange(x, "b d rows cols -> b rows cols d")
        text = self.text_head(word)[..., 0].float()
        return Features(text, rearrange(letter, "b d rows cols -> b rows cols d"), word)

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
    def describe(self, pixels: Float[Tensor, "b 1 h w"]) -> Description:
        """All cells of a page of any size, with every head a question may need."""
        cells = tuple(-(-size // STRIDE) for size in pixels.shape[-2:])
        # odd counts of cells make convolutions a quarter slower: fill up, and cut off again
        down, right = (-size % (4 * STRIDE) for size in pixels.shape[-2:])
        seen = self(F.pad(pixels, (0, right, 0, down), mode="replicate"))
        seen = Features(*(part[:, : cells[0], : cells[1]] for part in vars(seen).values()))
        hidden = self.hide(seen.word)
        kind = rearrange(self.kind_head(hidden).float().softmax(-1), "b r c kinds -> b kinds r c")
        cell = torch.cat((seen.letter, seen.word), -1)
        return Description(self.embed(hidden), seen.text.sigmoid(), kind, cell)

    def fused(self) -> "WordNet":
        """A faster net that computes the same: each normalisation is part of a convolution."""
        if isinstance(self.norm, nn.Identity):
            return self
        out = WordNet()
        out.load_state_dict(self.state_dict())
        _fuse(out, "down", "norm")
        for block in out.modules():
            if isinstance(block, Block):
                _fuse(block, "first", "norm")
        return out.eval().requires_grad_(False)


def _only(x: Tensor, valid: Tensor | None) -> Tensor:
    return x if valid is None else x.mul_(valid)


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


def load(path: Path) -> tuple[WordNet, dict[str, Any]]:
    """The net of a file and what the file says about it."""
    net = WordNet()
    about = load_weights(net, path, NAME)
    return net, about
