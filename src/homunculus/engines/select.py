"""One selection for every engine: layouts and relevance in, exactly K tokens per image out.

Engines differ in how they read an image and write a prompt, never in which cells they keep.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

import torch
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.core.methods import Material, Method, Need
from homunculus.core.pipeline import Scout, Sight, ask, spend
from homunculus.core.types import Tokens
from homunculus.engines.families import Layout, averaged, majority
from homunculus.image import open_picture
from homunculus.relevance.material import material
from homunculus.relevance.scout import GivenMap, scouts
from homunculus.relevance.words import WEIGHTS

SCOUTED = 1664
"""Pixels of the longer side of what relevance is made from."""
PATCH = 16
"""Pixels of a cell's side there."""


def search(image: Any, question: str, method: Method, scout: Scout) -> Sight:
    """Where a question looks on an opened image, as a map over the whole of it."""
    if method.source == "nothing" or isinstance(scout, GivenMap):  # nobody looks at the pixels
        return ask(method, scout, torch.zeros(3, 1, 1, dtype=torch.uint8), question, (1, 1))
    small = open_picture(image, longest=SCOUTED)
    return ask(method, scout, small.pixels, question, small.grid(PATCH))


@cache
def version(scout: str = "auto") -> str:
    """What decides where a question looks, besides the picture: our code, the scout, its weights.

    Part of the key of whatever is cached of a choice beyond this process.
    """
    digest = sha256(scout.encode())
    try:
        digest.update(installed("homunculus-vlm").encode())
    except PackageNotFoundError:  # run from a source tree that was never installed
        digest.update(b"source")
    folder = WEIGHTS if scout in scouts() else Path(scout)
    for file in sorted(folder.glob("*.safetensors")):
        digest.update(file.name.encode() + sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def lattice_material(image: Any, needs: Collection[Need], layout: Layout) -> Material:
    """What a method needs to know of an image, brought to the cells of a lattice.

    Regions go by majority, colours and energies by their mean. Of an image whose own cells are
    the lattice it is what `look` uses.
    """
    if not needs:
        return Material()
    small = open_picture(image, longest=SCOUTED)
    found, grid = material(small.pixels, needs, PATCH), small.grid(PATCH)

    def mean(value: Float[Tensor, "1 n c"] | None) -> Float[Tensor, "1 m c"] | None:
        if value is None:
            return None
        shaped = rearrange(value[0], "(h w) c -> c h w", h=grid[0])
        return rearrange(averaged(shaped, layout), "c h w -> 1 (h w) c")

    label = None if found.label is None else majority(found.label[0].view(grid), layout)
    return Material(
        feature=mean(found.feature),
        label=None if label is None else label.reshape(1, -1),
        labels=0 if label is None else int(label.max()) + 1,
        energy=mean(found.energy),
    )


@dataclass(frozen=True, eq=False)
class Choice:
    """What one image keeps, in the order of the prompt."""

    anchor: Int[Tensor, "k"]
    """For each token the row of the untouched image whose place in the prompt it takes."""
    tokens: Tokens
    """What the cells among the tokens show; a batch of one, in reading order."""
    order: Int[Tensor, "k"]
    """The order of the prompt, as numbers of tokens first and rows of `rest` after them."""
    embed: Float[Tensor, "k d"] | None = None
    """Features in the order of the prompt; None before encoding."""
    gain: Float[Tensor, "t 1"] | None = None
    """Of each token 1, moving with relevance: where that is trained and nothing is encoded yet."""

    def filled(self, rows: Float[Tensor, "k d"]) -> "Choice":
        """With features: of the tokens in their order, then of the first rows of `rest`."""
        if self.gain is not None:
            kept = len(self.gain)
            rows = torch.cat((rows[:kept] * self.gain.to(rows), rows[kept:]))
        return replace(self, embed=rows[self.order.to(rows.device)])


def select(
    layouts: Sequence[Layout],
    relevance: Sequence[Float[Tensor, "_r _c"]],
    slots: Sequence[int],
    method: Method,
    rows: Sequence[Float[Tensor, "_n d"]] | None = None,
    material: Sequence[Material] | None = None,
) -> list[Choice]:
    """As many tokens of each image as its method counts; ``slots`` are at most an image's rows.

    An image that may keep more than its lattice keeps the lattice and the first of its other rows.
    Cells are chosen by ``material``; by the rows themselves where there is none.
    """
    out: list[Choice] = []
    for at, layout in enumerate(layouts):
        here = None if rows is None else rows[at]
        known = None if material is None else material[at]
        cells = min(slots[at], len(layout.row))
        tokens = _tokens(layout, relevance[at], cells, method, here, known)
        out.append(_choice(layout, tokens, slots[at] - cells, here))
    return out


def _tokens(
    layout: Layout,
    relevance: Float[Tensor, "rows cols"],
    slots: int,
    method: Method,
    rows: Float[Tensor, "n d"] | None,
    material: Material | None,
) -> Tokens:
    """The cells of the lattice that one image keeps."""
    feature = None if rows is None else rows[layout.row.to(rows.device)][None]
    logit = relevance.reshape(1, -1).float()
    logit = logit if rows is None else logit.to(rows.device)
    known = Material(feature) if material is None else material
    if known.feature is None and "features" in method.needs:
        known = replace(known, feature=feature)
    made_of = feature
    if feature is None and logit.requires_grad:  # gradients of training need something to weigh
        made_of = torch.ones(*logit.shape, 1, device=logit.device)
    tokens = spend(method, [layout.grid], logit, slots, known, feature=made_of).tokens
    return tokens if made_of is not None else replace(tokens, embed=None)


def _choice(
    layout: Layout, tokens: Tokens, others: int, rows: Float[Tensor, "n d"] | None
) -> Choice:
    """Tokens in the order of the prompt, each at the row whose cell lies at its centre.

    The first ``others`` of the rows that are no cell are kept as well.
    """
    kept = int(tokens.valid.sum())
    last = torch.tensor(layout.grid) - 1
    # an even block's centre is a corner of four cells: the upper left one speaks for it
    at = (tokens.position[0, :kept].cpu().ceil().long() - 1).clamp(min=0).minimum(last)
    cell = at[:, 0] * layout.grid[1] + at[:, 1]
    anchor = torch.cat((layout.row[cell], layout.rest[:others]))
    order = anchor.argsort(stable=True)
    choice = Choice(anchor[order], tokens, order)
    if rows is None:
        gain = None if tokens.embed is None else tokens.embed[0, :kept]
        return replace(choice, tokens=replace(tokens, embed=None), gain=gain)
    assert tokens.embed is not None
    more = rows[layout.rest[:others].to(rows.device)]
    return choice.filled(torch.cat((tokens.embed[0, :kept], more)))
