"""A method: a lift, a rule, what feeds it and what it needs. The table of them is in methods.py."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.checks import Grid, check_count
from homunculus.engines.cells import lift
from homunculus.engines.cells.check import check_allocation, check_cells, check_grids
from homunculus.engines.cells.lift import FOUND_AS, Lift, Material, Need, check_material
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule

RelevanceSource = Literal[
    "question", "pixels", "bands", "answer", "another question", "nothing", "model"
]
"""What the relevance of a method must come from; "model" is the user's, which asks no scout."""


@runtime_checkable
class Observer(Protocol):
    """Reads from a model of transformers what a method chooses by, while it encodes images.

    ``layouts`` and ``encoded`` are those of `homunculus.engines`.
    """

    def encode(self, model: Any, inputs: Mapping[str, Any], layouts: Sequence[Any]) -> Any:
        """What `homunculus.engines.encode.encode_images` returns, with ``observed``."""
        ...

    def material(
        self,
        method: "Method",
        model: Any,
        processor: Any,
        encoded: Any,
        questions: Sequence[str],
        layouts: Sequence[Any],
    ) -> list[Material]:
        """The material of each image."""
        ...


@dataclass(frozen=True)
class Method:
    """One way to spend a budget. ``control`` marks what is there to be beaten.

    >>> from homunculus import get_method
    >>> get_method("cut").set(hedge=1.0).count((8, 8), 16)
    16
    """

    name: str
    about: str
    rule: Rule
    lift: Lift
    source: RelevanceSource = "question"
    control: bool = False
    needs: frozenset[Need] = frozenset()
    """What `Material` must hold; without it the method refuses."""
    prepare: Callable[[Any, int], Material] | None = None
    """Makes its material from the pixels of a picture (3 x height x width, bytes) and the side of a
    cell; None where a picture's size and relevance are enough."""
    observe: Observer | None = None
    """Makes its material from a model, after the encoder; None where features are enough."""

    def __post_init__(self) -> None:
        parts = (("rule", self.rule, Rule), ("lift", self.lift, Lift))
        for part, value, kind in parts:
            if not isinstance(value, kind):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(
                    f"{self.name}: {part} must be a {kind.__name__}, got {type(value).__name__}. "
                    f"See homunculus.engines.cells.{'types' if kind is Rule else 'lift'}."
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
        return {setting.name: getattr(rule, setting.name) for setting in fields(rule)}

    def set(self, **values: Any) -> "Method":
        """A copy of the method with other settings."""
        if unknown := sorted(values.keys() - self.settings.keys()):
            raise ValueError(
                f"{self.name} has no {unknown[0]}. It has {', '.join(self.settings) or 'nothing'} "
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
            name = FOUND_AS.get(need, need)
            if getattr(material, name, None) is None:
                raise ValueError(
                    f"{self.name} needs {need} of the image, got none. "
                    f"Pass Material({name}=...), or use another method."
                )
        field = self.lift(grids, slots, material)
        if not isinstance(field, Field):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"{self.name}: its lift must return a Field, got {type(field).__name__}. "
                "The functions of homunculus.engines.cells.lift make one."
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
        """A copy that looks at given points (y x in level-0 cells) instead of the peak."""
        if "fixation" not in self.settings:
            raise ValueError(
                f"{self.name} has no fixation. `homunculus methods` marks those that do."
            )
        return self.set(fixation=fixation)


def straight_through(field: Field, relevance: Relevance, plan: Allocation) -> Allocation:
    """Weights of the same values that now move with the relevance of the cells they read."""
    sound = field.valid & relevance.logit.isfinite()
    share = relevance.logit.masked_fill(~sound, torch.finfo(relevance.logit.dtype).min).softmax(1)
    share = share.gather(1, plan.index.flatten(1)).view(plan.index.shape) * plan.index.shape[1]
    return replace(plan, weight=plan.weight * (1 + (share - share.detach())))
