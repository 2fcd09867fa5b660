"""The table of methods: a name is a lift, a rule and what feeds it."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.core import allocate as rules
from homunculus.core import lift
from homunculus.core.check import check_allocation, check_cells, check_grids
from homunculus.core.lift import (
    FOUND_AS,
    Lift,
    Material,
    Need,
    check_material,
    on_bands,
    on_clusters,
    on_four_levels,
    on_grid,
    on_pyramid,
    on_regions,
)
from homunculus.core.types import Allocation, Field, Grid, Relevance, Rule, check_count
from homunculus.lazy import load_plugins, not_found

Source = Literal["question", "pixels", "bands", "answer", "another question", "nothing"]
"""What the relevance of a method must come from."""


@dataclass(frozen=True)
class Method:
    """One way to spend a budget. ``control`` marks what is there to be beaten.

    >>> get_method("cut").set(hedge=1.0).count((8, 8), 16)
    16
    """

    name: str
    about: str
    rule: Rule
    lift: Lift
    source: Source = "question"
    control: bool = False
    needs: frozenset[Need] = frozenset()
    """What `Material` must hold; without it the method refuses."""

    def __post_init__(self) -> None:
        parts = (("rule", self.rule, Rule), ("lift", self.lift, Lift))
        for part, value, kind in parts:
            if not isinstance(value, kind):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(
                    f"{self.name}: {part} must be a {kind.__name__}, got {type(value).__name__}. "
                    f"See homunculus.core.{'types' if kind is Rule else 'lift'}."
                )
        if not is_dataclass(self.rule):
            raise TypeError(
                f"{self.name}: its rule {type(self.rule).__name__} must be a dataclass. "
                "Decorate it with @dataclass(frozen=True)."
            )

    def count(self, grid: Grid, slots: int) -> int:
        """How many tokens an image of this grid keeps: an integer known before any pixel.

        All its cells if they fit, else exactly ``slots``, but for a rule with a count of its own.
        """
        if slots >= grid[0] * grid[1]:
            return grid[0] * grid[1]
        return self.rule.count(grid, slots)

    @property
    def settings(self) -> Mapping[str, Any]:
        """What can be set on its rule, as it is set: `Method.set` changes it."""
        rule: Any = self.rule
        return {one.name: getattr(rule, one.name) for one in fields(rule)}

    def set(self, **values: Any) -> "Method":
        """The same method with other settings."""
        if strange := sorted(values.keys() - self.settings.keys()):
            raise ValueError(
                f"{self.name} has no {strange[0]}. It has {', '.join(self.settings) or 'nothing'} "
                "to be set."
            )
        rule: Any = self.rule
        return replace(self, rule=replace(rule, **values))

    def field(self, grids: Sequence[Grid], slots: int, material: Material | None = None) -> Field:
        """Every cell that could be a token."""
        grids, slots = check_grids(grids, self.name), check_count(slots, f"{self.name}: slots")
        if material is None:
            material = Material()
        check_material(material, grids, self.name)
        for need in sorted(self.needs):
            if getattr(material, FOUND_AS[need]) is None:
                raise ValueError(
                    f"{self.name} needs {need} of the image, got none. "
                    f"Pass Material({FOUND_AS[need]}=...), or use another method."
                )
        field = self.lift(grids, slots, material)
        if not isinstance(field, Field):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"{self.name}: its lift must return a Field, got {type(field).__name__}. "
                "The functions of homunculus.core.lift make one."
            )
        return field

    def allocate(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        """Exactly `count` slots per image; a rule that returns other shapes is refused.

        Where relevance is being trained, gradients reach it through the weights, whose values
        stay what they are without training.
        """
        slots = check_count(slots, f"{self.name}: slots")
        if not isinstance(relevance, Relevance):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"{self.name}: relevance must be a Relevance, got {type(relevance).__name__}. "
                "Use plan(), or spread level-0 values with lift.spread(field, values)."
            )
        rows = max(self.count(grid, slots) for grid in set(field.grids))
        if self.rule.soft or not relevance.logit.requires_grad:
            plan = self.rule(field, relevance, slots)
            return check_allocation(plan, field, rows, self.name)
        plan = self.rule(field, Relevance(relevance.logit.detach()), slots)
        check_allocation(plan, field, rows, self.name)
        return straight_through(field, relevance, plan)

    def plan(
        self,
        grids: Sequence[Grid],
        logit: Float[Tensor, "b n"],
        slots: int,
        material: Material | None = None,
    ) -> tuple[Field, Allocation]:
        """Field and Allocation from relevance of level-0 cells, in one call."""
        field, relevance = self.lay(grids, logit, slots, material)
        return field, self.allocate(field, relevance, slots)

    def lay(
        self,
        grids: Sequence[Grid],
        logit: Float[Tensor, "b n"],
        slots: int,
        material: Material | None = None,
    ) -> tuple[Field, Relevance]:
        """The field on the logits' device, and relevance of all its cells from level 0's."""
        field = self.field(grids, slots, material)
        check_cells(logit, field.grids, "relevance", self.name)
        field = field.to(logit.device)
        return field, lift.spread(field, logit)

    def aimed(self, fixation: Float[Tensor, "b f 2"]) -> "Method":
        """The same method looking at given points (y x in level-0 cells) instead of the peak."""
        if "fixation" not in self.settings:
            raise ValueError(
                f"{self.name} has no fixation. `homunculus methods` marks those that do."
            )
        return self.set(fixation=fixation)


def straight_through(field: Field, relevance: Relevance, plan: Allocation) -> Allocation:
    """The same weights, now moving with the relevance of the cells they read."""
    sound = field.valid & relevance.logit.isfinite()
    share = relevance.logit.masked_fill(~sound, torch.finfo(relevance.logit.dtype).min).softmax(1)
    share = share.gather(1, plan.index.flatten(1)).view(plan.index.shape) * plan.index.shape[1]
    return replace(plan, weight=plan.weight * (1 + (share - share.detach())))


_TABLE = (
    Method("grid", "the K most relevant cells", rules.TopK(), on_grid),
    Method(
        "stratified", "4x4 parts, each seen, the rest by relevance", rules.Stratified(), on_grid
    ),
    Method(
        "adaptive-strata",
        "parts the relevance chooses, 2 to 8 a side",
        rules.AdaptiveStrata(),
        on_grid,
    ),
    Method("pyramid", "the most relevant cells of four levels", rules.TopK(0.5), on_four_levels),
    Method("pyramid-shares", "64/128/64/17 of 273 to four levels", rules.Shares(), on_four_levels),
    Method("cut", "split where most relevant area is unresolved", rules.BestFirst(), on_pyramid),
    Method(
        "clusters",
        "the same cut over merged similar neighbours",
        rules.BestFirst(),
        on_clusters,
        needs=frozenset({"features"}),
    ),
    Method(
        "foveated",
        "the cut, magnified at the fixation as in the cortex",
        rules.Foveated(),
        on_pyramid,
    ),
    Method("windows", "a thumbnail and one window, two plain images", rules.Windows(), on_grid),
    Method(
        "log-polar", "16 rings x 17 wedges + 1 around the fixation", rules.LogPolar(), on_pyramid
    ),
    Method("pseudo-log-polar", "learned bins around the fixation", rules.PseudoLogPolar(), on_grid),
    Method(
        "frequency",
        "a share for each orientation of detail",
        rules.Bands(),
        on_bands,
        "bands",
        needs=frozenset({"bands"}),
    ),
    Method(
        "atlas",
        "every region seen, the rest by relevance",
        rules.Regions(),
        on_regions,
        needs=frozenset({"regions"}),
    ),
    Method("random", "cells by lot", rules.Random(), on_grid, "nothing", control=True),
    Method("uniform", "every n-th cell", rules.Uniform(), on_grid, "nothing", control=True),
    Method("centre", "the middle of the image", rules.Centre(), on_grid, "nothing", control=True),
    Method("pool", "K equal blocks, averaged", rules.Pool(), on_grid, "nothing", control=True),
    Method(
        "resize",
        "the whole image, smaller: up to K cells",
        rules.Resize(),
        on_grid,
        "nothing",
        control=True,
    ),
    Method(
        "saliency", "what stands out, asked or not", rules.TopK(), on_grid, "pixels", control=True
    ),
    Method(
        "oracle", "the cut, told where the answer is", rules.BestFirst(), on_pyramid, "answer", True
    ),
)


def shuffled(base: Method) -> Method:
    """The control that asks somebody else's question: what survives it is not query-aware."""
    about = f"{base.name}, asked another image's question"
    name = "shuffled" if base.name == "foveated" else f"shuffled-{base.name}"
    return replace(base, name=name, about=about, source="another question", control=True)


PLANNED = {"views": Method("views", "planned views, plain images", rules.Views(), on_grid)}
"""Methods of the engines alone: what they keep is found by the planner, and not by `spend`."""
DEFAULT = "views"
"""What `show`, `attach` and `serve` use: it reads most (results/measure-tokens32-*.json)."""
DEFAULT_OF_CELLS = "cut"
"""What is used where tokens must be cells of one image: by `look`, and after an encoder."""
_failed: list[tuple[str, str]] = []
"""Entry points that could not be loaded, and why; `methods` fills it."""


@cache
def methods() -> Mapping[str, Method]:
    """All methods by name: ours, then those other packages offer as `homunculus.methods`.

    An entry point that cannot be loaded is left out with a warning; the others work.
    >>> [name for name, one in methods().items() if not one.control][:3]
    ['grid', 'stratified', 'adaptive-strata']
    """
    table = {method.name: method for method in _TABLE}
    table["shuffled"] = shuffled(table["foveated"])

    def add(_: str, found: object) -> None:
        if not isinstance(found, Method):
            raise TypeError(f"it must be a homunculus.Method, got {type(found).__name__}")
        if found.name in table | PLANNED:
            raise ValueError(f"there is already a method {found.name!r}, rename yours")
        table[found.name] = found

    _failed[:] = load_plugins("homunculus.methods", add)
    return table


def unavailable() -> Sequence[tuple[str, str]]:
    """Entry points of other packages that could not be loaded, each with the reason."""
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # they are the answer
        methods()
    return tuple(_failed)


def get_method(name: str) -> Method:
    """The method of that name; the error names the nearest.

    >>> get_method("foveated").about
    'the cut, magnified at the fixation as in the cortex'
    """
    table = {**methods(), **PLANNED}
    instead = f"`homunculus methods` lists all {len(table)}."
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        fault = f"get_method: name must be a str such as 'foveated', got {name!r:.80}."
        raise TypeError(f"{fault} {instead}")
    if name in table:
        return table[name]
    raise KeyError(not_found("method", name, table, _failed, instead))
