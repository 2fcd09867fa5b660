"""The word net: reads a page once, and then says of any word where on the page it stands.

A cell is 8 x 8 pixels. Each cell that holds text gets an embedding, a written word gets one too,
and their product tells whether the cell is part of that word. No list of words is built in.
"""

import json
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Num
from torch import Tensor, nn

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
OTHER = len(ALPHABET)
"""The class of a character outside the alphabet: a comma, a space, a letter of another script."""
LEVELS = (1, 2, 3, 4)
"""Into how many parts a word is cut, once for each level."""
_FREQUENT = (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se "
    "ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur"
)
PAIRS = tuple(_FREQUENT.split())
"""Frequent pairs of letters, looked for in each half: they tell anagrams apart."""
BITS = len(ALPHABET) * sum(LEVELS) + 2 * len(PAIRS)

_PLACE = {letter: place for place, letter in enumerate(ALPHABET)}
_PAIR = {pair: place for place, pair in enumerate(PAIRS)}
_FIRST_PAIR = len(ALPHABET) * sum(LEVELS)
_WHOLE = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th"}
    | {"ħ": "h", "ı": "i", "ŧ": "t", "ŋ": "n", "ĸ": "k", "ſ": "s"}
)
"""Letters that no decomposition takes apart."""


def fold(text: str) -> str:
    """The text in the net's own alphabet: lower case, accents off, everything else dropped.

    >>> fold("Straße, Café-Nr. 12")
    'strassecafenr12'
    """
    if text.isascii():  # nearly all words, and ten times faster
        return "".join(letter for letter in text.lower() if letter in _PLACE)
    plain = unicodedata.normalize("NFKD", text).lower().translate(_WHOLE)
    return "".join(letter for letter in plain if letter in _PLACE)


def supported(text: str) -> bool:
    """Whether every letter and digit of the text can be folded: Latin letters, any decimal digits.

    >>> supported("naïve, 12 €"), supported("Wörter"), supported("слово")
    (True, True, False)
    """
    return all(fold(letter) for letter in text if letter.isalnum())


def code(words: Sequence[str]) -> Float[Tensor, "n bits"]:
    """The codes of folded words, a row each; 1 where the word has the bit.

    >>> code(["a", "total"]).sum(1).tolist()
    [3.0, 22.0]
    """
    places = [bits(word) for word in words]
    rows = [row for row, word_bits in enumerate(places) for _ in word_bits]
    columns = [bit for word_bits in places for bit in word_bits]
    codes = torch.zeros(len(words), BITS)
    codes[torch.tensor(rows, dtype=torch.long), torch.tensor(columns, dtype=torch.long)] = 1.0
    return codes


@lru_cache(maxsize=2**16)
def bits(word: str) -> tuple[int, ...]:
    """Which bits of a folded word's code are set."""
    width, places = len(word), set[int]()
    for place, letter in enumerate(word):
        first = 0
        for parts in LEVELS:
            for part in _parts(place, place + 1, width, parts):
                places.add(first + part * len(ALPHABET) + _PLACE[letter])
            first += parts * len(ALPHABET)
    for place in range(width - 1):
        pair = _PAIR.get(word[place : place + 2])
        if pair is not None:
            halves = _parts(place, place + 2, width, 2)
            places.update(_FIRST_PAIR + half * len(PAIRS) + pair for half in halves)
    return tuple(sorted(places))


@lru_cache(maxsize=2**16)
def _parts(start: int, stop: int, width: int, parts: int) -> tuple[int, ...]:
    """The parts of a word that hold at least half of the letters from start to stop."""
    # all times width x parts: integers, so a letter on the border falls the same way everywhere
    held = [
        min(stop * parts, (part + 1) * width) - max(start * parts, part * width)
        for part in range(parts)
    ]
    return tuple(part for part, share in enumerate(held) if 2 * share >= (stop - start) * parts)


VERSION = "1"
"""The version of the weights' layout; files of another one are refused."""


def load_weights(net: nn.Module, path: Path, name: str) -> dict[str, Any]:
    """Fill the net from a file; returns what the file says about itself."""
    files = import_module("safetensors")
    try:
        with files.safe_open(path, framework="pt") as opened:
            header = opened.metadata() or {}
            weights = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118
    except files.SafetensorError as error:
        raise ValueError(f"{name}: {path} is no safetensors file ({error}).") from error
    about = _about(header, path, name)
    try:
        net.load_state_dict(weights)
    except RuntimeError as error:  # it lists what is missing, unknown or of another shape
        raise ValueError(f"{name}: {path} was made by another version: {error}.") from error
    if broken := [key for key, weight in weights.items() if not weight.isfinite().all()]:
        raise ValueError(f"{name}: {broken[0]} in {path} is not finite. Take another file.")
    net.eval()
    return about


def _about(header: dict[str, str], path: Path, name: str) -> dict[str, Any]:
    try:
        content: object = json.loads(header.get("homunculus", "null"))
    except ValueError:
        content = None
    about = cast(dict[str, Any], content) if isinstance(content, dict) else {}
    if about.get("net") != name or about.get("version") != VERSION:
        raise ValueError(
            f"{name}: expected weights of `{name}` version {VERSION}, but {path} says "
            f"{about.get('net')!r} version {about.get('version')!r}. "
            "Train it again with `homunculus train word-scout`."
        )
    return about


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
