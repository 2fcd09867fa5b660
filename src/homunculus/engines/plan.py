"""Views inside an engine: what the planner finds, as tokens on a model's own lattice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

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
from homunculus.scouts.sight import Match, Sight


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
        return pool_max(self.sight.logit, self.layout)


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
            choose_views(ViewRequest(image.size, image.layout, cell, image.sight), count, options)
            for image, count in zip(images, slots, strict=True)
        ]
    layouts, maps = [image.layout for image in images], [image.relevance for image in images]
    return select(layouts, maps, slots, method, material=material)


@dataclass(frozen=True, eq=False)
class ViewRequest:
    """An image of which views are to be planned."""

    size: Size
    """Height and width of the image itself in pixels."""
    layout: Layout
    cell: int
    """Side of a cell in pixels of the image that the model sees."""
    sight: Sight

    @property
    def shown(self) -> Size:
        """Height and width of the image that the model sees."""
        return self.layout.grid[0] * self.cell, self.layout.grid[1] * self.cell

    def visible_sight(self) -> Sight:
        """The sight on the part of the image that the model sees, heights in pixels of that."""
        top, _, bottom, _ = self.layout.window
        scale = self.shown[0] / ((bottom - top) * self.size[0])
        maps = {name: getattr(self.sight, name) for name in ("logit", "size", "thing", "elsewhere")}
        parts = {
            name: cut_map(whole.detach().float().cpu(), self.layout)
            for name, whole in maps.items()
            if isinstance(whole, Tensor)
        }
        inside = (_within(match, turned(self.layout.window)) for match in self.sight.matches)
        matches = tuple(match for match in inside if match is not None)
        return with_heights(replace(self.sight, **parts, matches=matches), scale)


def _within(match: Match, part: Frame) -> Match | None:
    """A match on a part of an image (x0 y0 x1 y1); None if it lies outside."""
    (x0, y0, x1, y1), (left, top, right, bottom) = match.box, part
    wide, high = right - left, bottom - top
    box = ((x0 - left) / wide, (y0 - top) / high, (x1 - left) / wide, (y1 - top) / high)
    x0, y0, x1, y1 = (min(1.0, max(0.0, side)) for side in box)
    return replace(match, box=(x0, y0, x1, y1)) if x0 < x1 and y0 < y1 else None


def choose_views(request: ViewRequest, slots: int, options: ViewOptions) -> Choice:
    """Exactly ``slots`` tokens of planned views; if all cells fit, the cells themselves."""
    layout = request.layout
    if slots >= len(layout.row):
        (choice,) = select([layout], [torch.zeros(layout.grid)], [slots], get_method("grid"))
        return choice
    rule, acuity = TokenRule(f"{request.cell} px", request.cell), get_acuity(options.acuity)
    belief = believe(request.visible_sight(), request.shown, acuity)
    plan = find_views(
        belief, request.shown, slots, rule, acuity, context=options.context, exact=True
    )
    views = tuple(_views(plan, request))
    box = torch.cat([_boxes(view) for view in views])
    if len(box) != slots:  # a prompt has a place for each
        raise ValueError(f"views: expected {slots} tokens of the plan {plan}, got {len(box)}.")
    valid = torch.ones(1, slots, dtype=torch.bool)
    middle = (box[:, :2] + box[:, 2:]) / 2
    tokens = Tokens(None, middle[None], box[None], torch.zeros(1, slots, dtype=torch.long), valid)
    anchor = centre_rows(middle, layout)
    order = anchor.argsort(stable=True)
    return Choice(anchor[order], tokens, order, views=views)


def _views(plan: Plan, request: ViewRequest) -> Iterator[LatticeView]:
    cell = request.cell
    if plan.whole is not None:
        grid = (-(-plan.whole[0] // cell), -(-plan.whole[1] // cell))
        yield LatticeView((0, 0, *request.layout.grid), grid)
    for window in plan.windows:
        x0, y0, x1, y1 = (edge / cell for edge in window.box)
        yield LatticeView(turned((x0, y0, x1, y1)), window.tokens)


def _boxes(view: LatticeView) -> Float[Tensor, "k 4"]:
    (top, left, bottom, right), (rows, cols) = view.frame, view.grid
    y = top + (bottom - top) * torch.arange(rows + 1) / rows
    x = left + (right - left) * torch.arange(cols + 1) / cols
    low = torch.cartesian_prod(y[:-1], x[:-1]).view(-1, 2)
    return torch.cat((low, torch.cartesian_prod(y[1:], x[1:]).view(-1, 2)), 1)
