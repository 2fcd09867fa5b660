"""Token selection, shared by all engines: layouts and relevance in, exactly K tokens per image out.

Engines differ in how they read an image and write a prompt, never in which cells they keep.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.ask import ask
from homunculus.engines.cells.methods import Material, Method, Need
from homunculus.engines.cells.pipeline import spend
from homunculus.engines.cells.types import Tokens
from homunculus.engines.families import Layout, pool_majority, pool_mean
from homunculus.pages import open_picture
from homunculus.scouts.registry import GivenMap, NoScout
from homunculus.scouts.sight import Scout, Sight

SCOUT_PIXELS = 1664
"""Longer side of the image that the scout sees."""
PATCH = 16
"""Side of a cell of that image in pixels."""


def search(image: Any, question: str, method: Method, scout: Scout) -> Sight:
    """Relevance of an image to a question, as a map over the whole image.

    Heights, if the scout tells them, are in pixels of the image itself.
    """
    if method.source == "model":
        explanation = "The choice follows the model's own features."
        return Sight(
            np.zeros((1, 1), np.float32),
            sure=0.0,
            origin="the model itself",
            explanation=explanation,
        )
    if method.source == "nothing" or isinstance(scout, GivenMap | NoScout):  # pixels are not used
        return ask(method, scout, np.zeros((3, 1, 1), np.uint8), question, (1, 1))
    small = open_picture(image, longest=SCOUT_PIXELS)
    sight = ask(method, scout, small.pixels, question, small.grid(PATCH))
    return with_heights(sight, small.original[0] / small.size[0])


def with_heights(sight: Sight, scale: float) -> Sight:
    """A sight with heights in pixels of an image that is ``scale`` times as large."""
    return sight if sight.size is None else replace(sight, size=sight.size * scale)


def material_for(
    image: Any, method: Method, layout: Layout, needs: Collection[Need] | None = None
) -> Material:
    """The material of an image that a method needs, on the cells of a layout.

    ``needs`` leaves out what the model knows better; by default it is all that the method needs.
    Regions are pooled by majority, colours and energies by their mean. If the cells are the
    image's own, it is the material that `look` uses.
    """
    needs = method.needs if needs is None else needs
    if not needs or method.prepare is None:
        return Material()
    small = open_picture(image, longest=SCOUT_PIXELS)
    found, grid = method.prepare(small.pixels, PATCH), small.grid(PATCH)
    label, labels = None, 0
    if found.label is not None:
        label = pool_majority(found.label[0].view(grid), layout).reshape(1, -1)
        labels = int(label.max()) + 1
    feature = found.feature if "features" in needs else None
    return Material(
        None if feature is None else _mean(feature, grid, layout),
        label,
        labels,
        None if found.energy is None else _mean(found.energy, grid, layout),
    )


def _mean(value: Float[Tensor, "1 n c"], grid: Grid, layout: Layout) -> Float[Tensor, "1 m c"]:
    """Values of the cells of one grid, as means on the cells of a layout."""
    channels = rearrange(value[0], "(h w) c -> c h w", h=grid[0])
    return rearrange(pool_mean(channels, layout), "c h w -> 1 (h w) c")


Edge = float | int
Frame = tuple[Edge, Edge, Edge, Edge]
"""y0 x0 y1 x1 in cells of the lattice; the edges are whole pixels. Engines write y first, as their
tensors do; the planner, scouts and Pillow write x first. `turned` makes one from the other."""


def turned(box: Frame) -> Frame:
    """A box of the planner as engines write it, or the other way round.

    >>> turned((1, 2, 30, 40))
    (2, 1, 40, 30)
    """
    x0, y0, x1, y1 = box
    return y0, x0, y1, x1


class LatticeView(NamedTuple):
    """A part of an image that is shown as an image of its own."""

    frame: Frame
    grid: Grid
    """Rows and columns of its tokens."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The tokens that one image keeps, in the order of the prompt."""

    anchor: Int[Tensor, "k"]
    """For each token, the row of the untouched image whose place in the prompt it takes."""
    tokens: Tokens
    """The cells among the tokens; a batch of one, in reading order, or view after view."""
    order: Int[Tensor, "k"]
    """The order of the prompt, as indices into cells followed by kept rows of `Layout.rest`."""
    embed: Float[Tensor, "k d"] | None = None
    """Features in the order of the prompt; None before encoding."""
    gain: Float[Tensor, "t 1"] | None = None
    """Ones that carry the gradient of relevance, where it is trained before encoding."""
    views: tuple[LatticeView, ...] = ()
    """The planned views that the tokens are, if they are not cells."""

    def with_features(self, rows: Float[Tensor, "k d"]) -> "Choice":
        """The choice with features: of its cells in reading order, then of rows of `rest`."""
        if self.gain is not None:
            cells = len(self.gain)
            rows = torch.cat((rows[:cells] * self.gain.to(rows), rows[cells:]))
        return replace(self, embed=rows[self.order.to(rows.device)])


def select(
    layouts: Sequence[Layout],
    relevance: Sequence[Float[Tensor, "_r _c"]],
    slots: Sequence[int],
    method: Method,
    rows: Sequence[Float[Tensor, "_n d"]] | None = None,
    material: Sequence[Material] | None = None,
) -> list[Choice]:
    """Choose the tokens of each image; ``slots`` are at most its rows of features.

    An image with more slots than cells keeps all cells and the first of its other rows. Methods
    that need features use those of ``material``, or else the rows themselves.
    """
    choices: list[Choice] = []
    for image, layout in enumerate(layouts):
        image_rows = None if rows is None else rows[image]
        image_material = None if material is None else material[image]
        cells = min(slots[image], len(layout.row))
        tokens = _tokens(layout, relevance[image], cells, method, image_rows, image_material)
        choices.append(_choice(layout, tokens, slots[image] - cells, image_rows))
    return choices


def _tokens(
    layout: Layout,
    relevance: Float[Tensor, "rows cols"],
    slots: int,
    method: Method,
    rows: Float[Tensor, "n d"] | None,
    material: Material | None,
) -> Tokens:
    feature = None if rows is None else rows[layout.row.to(rows.device)][None]
    logit = relevance.reshape(1, -1).float()
    logit = logit if rows is None else logit.to(rows.device)
    if material is None:
        material = Material(feature)
    elif material.feature is None and "features" in method.needs:
        material = replace(material, feature=feature)
    packed = feature
    if feature is None and logit.requires_grad:  # training needs features to weigh
        packed = torch.ones(*logit.shape, 1, device=logit.device)
    tokens = spend(method, [layout.grid], logit, slots, material, feature=packed).tokens
    return tokens if packed is not None else replace(tokens, embed=None)


def _choice(
    layout: Layout, tokens: Tokens, others: int, rows: Float[Tensor, "n d"] | None
) -> Choice:
    """Tokens in the order of the prompt, each at the row of the cell at its centre.

    The first ``others`` rows that are not cells are kept as well.
    """
    count = int(tokens.valid.sum())
    rows_at = centre_rows(tokens.position[0, :count], layout)
    anchor = torch.cat((rows_at, layout.rest[:others]))
    order = anchor.argsort(stable=True)
    choice = Choice(anchor[order], tokens, order)
    if rows is None:
        gain = None if tokens.embed is None else tokens.embed[0, :count]
        return replace(choice, tokens=replace(tokens, embed=None), gain=gain)
    assert tokens.embed is not None
    other_rows = rows[layout.rest[:others].to(rows.device)]
    return choice.with_features(torch.cat((tokens.embed[0, :count], other_rows)))


def centre_rows(position: Float[Tensor, "k 2"], layout: Layout) -> Int[Tensor, "k"]:
    """The rows of the cells at given centres."""
    last = torch.tensor(layout.grid) - 1
    # the centre of an even block is a corner of four cells: take the upper left one
    row, col = (position.cpu().ceil().long() - 1).clamp(min=0).minimum(last).unbind(1)
    return layout.row[row * layout.grid[1] + col]
