"""Views inside an engine: what the planner finds, as tokens on a model's own lattice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.border import map_of, tensor
from homunculus.engines.cells.methods import Material, Method, get_method
from homunculus.engines.cells.types import Tokens
from homunculus.engines.families import Layout, cut_map, pool_max
from homunculus.engines.select import (
    Choice,
    Frame,
    LatticeView,
    centre_rows,
    select,
    turned,
    with_heights,
)
from homunculus.planner.acuity import get_acuity
from homunculus.planner.belief import believe
from homunculus.planner.counting import Size, TokenRule
from homunculus.planner.options import ViewOptions
from homunculus.planner.plan import Plan
from homunculus.planner.search import find_views
from homunculus.scouts.sight import Match, Sight, is_map


@dataclass(frozen=True, eq=False)
class SeenImage:
    """An image, its cells in a model, and what the scout made of it."""

    image: Any
    size: Size
    """Height and width in pixels."""
    layout: Layout
    sight: Sight

    @cached_property
    def relevance(self) -> Float[Tensor, "rows cols"]:
        """Relevance of the layout's cells."""
        return pool_max(map_of(self.sight), self.layout)


def choose_before(
    images: Sequence[SeenImage],
    material: Sequence[Material],
    slots: Sequence[int],
    method: Method,
    options: ViewOptions,
    cell: int,
) -> list[Choice]:
    """The tokens of each image before it is encoded; ``cell`` is a cell's side in pixels."""
    if method.rule.planned:
        return [
            choose_views(image, cell, count, options)
            for image, count in zip(images, slots, strict=True)
        ]
    layouts, maps = [image.layout for image in images], [image.relevance for image in images]
    return select(layouts, maps, slots, method, material=material)


def visible_sight(image: SeenImage, shown: Size) -> Sight:
    """The sight on the part of an image that the model sees, heights in pixels of that.

    ``shown`` is its height and width there.
    """
    top, _, bottom, _ = image.layout.window
    maps = {name: getattr(image.sight, name) for name in ("logit", "size", "thing", "elsewhere")}
    parts = {
        name: cut_map(tensor(whole), image.layout).float().numpy()
        for name, whole in maps.items()
        if is_map(whole)
    }
    inside = (_within(match, turned(image.layout.window)) for match in image.sight.matches)
    matches = tuple(match for match in inside if match is not None)
    scale = shown[0] / ((bottom - top) * image.size[0])
    return with_heights(replace(image.sight, **parts, matches=matches), scale)


def _within(match: Match, part: Frame) -> Match | None:
    """A match on a part of an image (x0 y0 x1 y1); None if it lies outside."""
    (x0, y0, x1, y1), (left, top, right, bottom) = match.box, part
    wide, high = right - left, bottom - top
    box = ((x0 - left) / wide, (y0 - top) / high, (x1 - left) / wide, (y1 - top) / high)
    x0, y0, x1, y1 = (min(1.0, max(0.0, side)) for side in box)
    return replace(match, box=(x0, y0, x1, y1)) if x0 < x1 and y0 < y1 else None


def choose_views(image: SeenImage, cell: int, slots: int, options: ViewOptions) -> Choice:
    """Exactly ``slots`` tokens of planned views; if all cells fit, the cells themselves.

    ``cell`` is a cell's side in pixels of the image that the model sees.
    """
    layout = image.layout
    shown = (layout.grid[0] * cell, layout.grid[1] * cell)
    if slots >= len(layout.row):
        (choice,) = select([layout], [torch.zeros(layout.grid)], [slots], get_method("grid"))
        return choice
    rule, acuity = TokenRule(f"{cell} px", cell), get_acuity(options.acuity)
    belief = believe(visible_sight(image, shown), shown, acuity)
    plan = find_views(belief, shown, slots, rule, acuity, context=options.context, exact=True)
    views = tuple(_views(plan, layout.grid, cell))
    box = torch.cat([_boxes(view) for view in views])
    if len(box) != slots:  # a prompt has a place for each
        raise ValueError(f"views: expected {slots} tokens of the plan {plan}, got {len(box)}.")
    valid = torch.ones(1, slots, dtype=torch.bool)
    middle = (box[:, :2] + box[:, 2:]) / 2
    tokens = Tokens(None, middle[None], box[None], torch.zeros(1, slots, dtype=torch.long), valid)
    anchor = centre_rows(middle, layout)
    order = anchor.argsort(stable=True)
    return Choice(anchor[order], tokens, order, views=views)


def _views(plan: Plan, grid: Grid, cell: int) -> Iterator[LatticeView]:
    if plan.whole is not None:
        high, wide = plan.whole
        yield LatticeView((0, 0, *grid), (-(-high // cell), -(-wide // cell)))
    for window in plan.windows:
        x0, y0, x1, y1 = (edge / cell for edge in window.box)
        yield LatticeView(turned((x0, y0, x1, y1)), window.tokens)


def _boxes(view: LatticeView) -> Float[Tensor, "k 4"]:
    (top, left, bottom, right), (rows, cols) = view.frame, view.grid
    y = top + (bottom - top) * torch.arange(rows + 1) / rows
    x = left + (right - left) * torch.arange(cols + 1) / cols
    low = torch.cartesian_prod(y[:-1], x[:-1]).view(-1, 2)
    return torch.cat((low, torch.cartesian_prod(y[1:], x[1:]).view(-1, 2)), 1)
