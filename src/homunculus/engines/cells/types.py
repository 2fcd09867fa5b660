"""The five nouns: Field, Relevance, Budget, Allocation, Tokens.

Axes, everywhere in the package:
    b image   n cell   k slot   m fan-in   d channel   g group   l level   w word

A *cell* could be a token, a *slot* is a place in the budget, a *token* is what the language model
gets. Boxes are ``y0 x0 y1 x1`` counted in level-0 cells, so a level-0 cell has side 1.
"""

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from numbers import Real

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.checks import Grid, check_count
from homunculus.engines.cells.cache import counts, once, ramp, sizes

MAX_CELLS = 2**24
"""Cells one image may have. Keeps every integer key of the allocators inside 64 bits."""


@dataclass(frozen=True, eq=False)
class Field:
    """Everything that could be a token: coarsest level first, level 0 last, padding at the end.

    An image's own cells stand first in its row, in the same order whatever its batch mates are:
    that is why an image in a batch gets what it gets alone. Read-only: images of one size share it.

    >>> from homunculus import get_method
    >>> get_method("cut").field([(4, 4)], 16).level[0].tolist()  # four roots and their quarters
    [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    """

    grids: tuple[Grid, ...]
    """Rows and columns of level 0, per image. Integers known before any pixel is read."""
    box: Float[Tensor, "b n 4"]
    level: Int[Tensor, "b n"]
    """0 is the finest."""
    parent: Int[Tensor, "b n"]
    """The enclosing coarser cell; a root is its own parent."""
    children: Int[Tensor, "b n"]
    """How many cells call this one parent; 0 at level 0."""
    valid: Bool[Tensor, "b n"]
    """False on batch padding."""
    spans: tuple[tuple[int, int], ...]
    """Per level, finest first: the columns (first, one past last) that may hold its cells."""
    copies: int = 1
    """How often a level-0 cell stands in the field (once, but for the bands of `frequency`)."""
    full: bool = False
    """Whether every column is known to hold a cell: images of one size, no padding, no holes."""
    regular: bool = True
    """Whether cells are the squares of a pyramid; regions and clusters are not."""
    feature: Float[Tensor, "b n d"] | None = None
    """None before encoding."""
    prior: Float[Tensor, "b n"] | None = None
    """What `lift.spread` adds to the relevance of each cell; None adds nothing."""

    def __post_init__(self) -> None:
        if len(self.grids) != self.box.shape[0]:
            raise ValueError(
                f"Field: one grid per image, got {len(self.grids)} for {self.box.shape[0]} images"
            )

    @cached_property
    def levels(self) -> int:
        """The most levels any image of the batch has."""
        return len(self.spans)

    @cached_property
    def inner(self) -> int:
        """Cells with children stand in the first ``inner`` columns."""
        return max((end for _, end in self.spans[1:]), default=0)

    @cached_property
    def max_cells(self) -> int:
        """Level-0 cells of the largest image."""
        return max(rows * cols for rows, cols in self.grids)

    @once
    def root(self) -> Bool[Tensor, "b n"]:
        """Cells with nothing above them."""
        return (self.parent == ramp(self.parent.shape[1], self.parent.device)) & self.valid

    @once
    def roots(self) -> Int[Tensor, "b 1"]:
        """How many cells have nothing above them."""
        return self.root.sum(1, keepdim=True)

    @once
    def middle(self) -> Float[Tensor, "b inner 2"]:
        """Centre of each cell with children."""
        box = self.box[:, : self.inner]
        return (box[..., :2] + box[..., 2:]) / 2

    @once
    def half(self) -> Float[Tensor, "b inner 2"]:
        """Half the sides of each cell with children."""
        box = self.box[:, : self.inner]
        return (box[..., 2:] - box[..., :2]) / 2

    @once
    def log_extent(self) -> Float[Tensor, "b inner"]:
        """Log of the side of each cell with children (of a square of equal area if it is none)."""
        return 0.5 * (4 * self.half.prod(-1)).clamp(min=1).log()

    @once
    def child(self) -> Int[Tensor, "b inner 4"]:
        """The children of each square; the cell itself stands in for those it lacks."""
        own = ramp(self.parent.shape[1], self.parent.device).expand_as(self.parent)
        row, col = (self.box[..., :2].long() >> self.level[..., None]).unbind(-1)
        place = self.parent * 4 + row % 2 * 2 + col % 2
        alone = own[:, : self.inner, None].repeat(1, 1, 4).flatten(1)
        waste = torch.full_like(place, alone.shape[1])  # roots and padding have no parent
        place = torch.where(self.root | ~self.valid, waste, place)
        return F.pad(alone, (0, 1)).scatter(1, place, own)[:, :-1].unflatten(1, (-1, 4))

    @property
    def growth(self) -> int:
        """Bytes that everything made once, from `root` to `child`, adds to the field at most."""
        images, cells = self.level.shape
        return images * (cells + 16 + self.inner * (8 + 8 + 4 + 32))

    @property
    def size(self) -> Int[Tensor, "b 2"]:
        """Rows and columns of each image."""
        return sizes(self.grids, self.level.device)

    def cells(self, limit: int = MAX_CELLS) -> Int[Tensor, "b 1"]:
        """Level-0 cells of each image, at most ``limit``."""
        return counts(self.grids, limit, self.level.device)

    def to(self, device: torch.device) -> "Field":
        """The field on another device."""
        if self.level.device == device:
            return self  # with all that was derived from it
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        moved = {name: part.to(device) for name, part in parts.items() if hasattr(part, "to")}
        return replace(self, **moved)


@dataclass(frozen=True, eq=False)
class Relevance:
    """How much the question wants each cell.

    Any real number; only order and differences mean anything (read it as a log-probability).
    Finite numbers are expected: `lift.spread` puts NaN and -inf just below the image's least, +inf
    just above its most. A rule that still meets one ranks it last; none spreads to other cells.

    >>> Relevance(torch.zeros(1, 64)).logit.shape
    torch.Size([1, 64])
    """

    logit: Float[Tensor, "b n"]


@dataclass(frozen=True)
class Budget:
    """Tokens per image: an absolute count or a ratio of the image's cells, exactly one of the two.

    >>> Budget(tokens=273).slots(4096), Budget(tokens=273).slots(100), Budget(ratio=0.25).slots(9)
    (273, 100, 2)
    """

    tokens: int | None = None
    ratio: float | None = None

    def __post_init__(self) -> None:
        if (self.tokens is None) == (self.ratio is None):
            raise ValueError(
                f"Budget: give tokens or ratio, not both; got {self.tokens=} {self.ratio=}"
            )
        if self.tokens is not None:
            check_count(self.tokens, "Budget: tokens")
            return
        if isinstance(self.ratio, bool) or not isinstance(self.ratio, Real):
            raise TypeError(
                f"Budget: ratio must be a number in (0, 1], got {self.ratio!r} "
                f"({type(self.ratio).__name__}). Give a float such as 0.25."
            )
        if not 0 < self.ratio <= 1:
            raise ValueError(f"Budget: ratio must be in (0, 1], got {self.ratio}")

    def slots(self, cells: int) -> int:
        """Slots of an image with that many level-0 cells: never 0, never more than cells."""
        check_count(cells, "Budget.slots: cells")
        if self.tokens is not None:
            return min(self.tokens, cells)
        assert self.ratio is not None
        return max(1, int(Fraction(str(self.ratio)) * cells))  # 0.29 of 100 is 29


@dataclass(frozen=True, eq=False)
class Allocation:
    """A sampling plan: each slot is a weighted mean of ``m`` cells.

    The first rows of an image are valid, as many as `Method.count` says; there, weights are >= 0
    and sum to 1.
    Gradients of training flow through ``weight``.

    >>> from homunculus import get_method
    >>> _, plan = get_method("grid").plan([(2, 2)], torch.tensor([[0.0, 3, 1, 2]]), 2)
    >>> plan.index.tolist(), plan.weight.tolist()
    ([[[1], [3]]], [[[1.0], [1.0]]])
    """

    index: Int[Tensor, "b k m"]
    weight: Float[Tensor, "b k m"]
    valid: Bool[Tensor, "b k"]


class Rule:
    """Which cells get the slots. Tensors only.

    A rule is a dataclass; its fields are what can be set on it (`Method.settings`).

    >>> from homunculus import Rule, get_method
    >>> isinstance(get_method("cut").rule, Rule), dict(get_method("cut").settings)
    (True, {'hedge': 2.0})
    """

    soft: bool = False
    """Whether its weights carry gradients of their own."""
    planned: bool = False
    """Whether its tokens are views that the planner finds, for an engine; then it chooses none."""

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        raise NotImplementedError(f"{type(self).__name__} must define __call__.")

    def count(self, grid: Grid, slots: int) -> int:
        """How many tokens an image keeps that has more cells than slots."""
        return slots

    def gaze(self, field: Field, relevance: Relevance) -> Float[Tensor, "b f 2"] | None:
        """Where it fixates, as y x in level-0 cells; None if it has no fixation."""
        return None

    def views(self, grid: Grid, slots: int) -> tuple[Grid, ...]:
        """Sizes of the ordinary images that its tokens are: the whole image, then windows of it.

        Empty if its tokens are single cells or means of several.
        """
        return ()


@dataclass(frozen=True, eq=False)
class Tokens:
    """What the language model receives, in reading order; padding rows last.

    >>> from homunculus import get_method, pack
    >>> tokens = pack(*get_method("cut").plan([(8, 8)], torch.randn(1, 64), 16))
    >>> int(tokens.valid.sum()), tokens.box.shape
    (16, torch.Size([1, 16, 4]))
    """

    embed: Float[Tensor, "b k d"] | None
    """None when the field had no features yet."""
    position: Float[Tensor, "b k 2"]
    """y x of the centre, in level-0 cells; engines convert to their own units."""
    box: Float[Tensor, "b k 4"]
    level: Int[Tensor, "b k"]
    valid: Bool[Tensor, "b k"]
