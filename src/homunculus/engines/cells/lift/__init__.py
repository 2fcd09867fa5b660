"""Lift: where tokens could be. Geometry, parents and pooling; no opinion about what matters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.check import check_cells
from homunculus.engines.cells.lift.levels import (
    grid,
    levels_for,
    mips,
    pyramid,
    spread,
    with_feature,
)
from homunculus.engines.cells.types import Field

__all__ = [
    "FOUND_AS",
    "Lift",
    "Material",
    "Need",
    "check_material",
    "grid",
    "levels_for",
    "mips",
    "on_grid",
    "on_pyramid",
    "pyramid",
    "spread",
    "with_feature",
]

Need = Literal["features", "regions", "bands", "attention", "question"]
"""What a method must know of an image besides its size and relevance."""


@dataclass(frozen=True)
class Lift:
    """Where tokens could be, for images of these grids and that many slots.

    >>> from homunculus import Lift, Material
    >>> from homunculus.engines.cells import lift
    >>> two_levels = Lift("two levels", lambda grids, slots, material: lift.pyramid(grids, 2))
    >>> two_levels([(4, 4)], 8, Material()).box.shape  # 2 x 2 coarse cells, then 4 x 4
    torch.Size([1, 20, 4])
    """

    name: str
    make: Callable[[Sequence[Grid], int, "Material"], Field]

    def __call__(self, grids: Sequence[Grid], slots: int, material: "Material") -> Field:
        return self.make(grids, slots, material)


@dataclass(frozen=True, eq=False)
class Material:
    """What an image may bring besides its size; level-0 cells in reading order.

    >>> import torch
    >>> from homunculus import Material, get_method, pack
    >>> features = torch.randn(1, 16, 8)
    >>> plan = get_method("grid").plan([(4, 4)], torch.randn(1, 16), 5, Material(features))
    >>> pack(*plan).embed.shape
    torch.Size([1, 5, 8])
    """

    feature: Float[Tensor, "b n d"] | None = None
    label: Int[Tensor, "b n"] | None = None
    """Region of each cell, -1 for background."""
    labels: int = 0
    """How many regions there may be."""
    energy: Float[Tensor, "b n o"] | None = None
    """How much of each cell's detail runs each way, for `frequency`."""


FOUND_AS: dict[str, str] = {
    "features": "feature",
    "regions": "label",
    "bands": "energy",
}
"""Where a `Material` holds what a method needs, if its name is another one."""


def check_material(material: Material, grids: Sequence[Grid], who: str) -> None:
    """Features, regions and energies must be tensors that belong to the grids."""
    if not isinstance(material, Material):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(
            f"{who}: material must be a Material, got {type(material).__name__}. "
            "Write Material(feature=...)."
        )
    if material.feature is not None:
        check_cells(material.feature, grids, "feature", who, dims=3)
    if material.label is not None:
        check_cells(material.label, grids, "label", who)
    if material.energy is not None:
        check_cells(material.energy, grids, "energy", who, dims=3)


def _grid(grids: Sequence[Grid], slots: int, material: Material) -> Field:
    return grid(grids, material.feature)


def _pyramid(grids: Sequence[Grid], slots: int, material: Material) -> Field:
    """As many levels as leave at most a quarter of the slots to the roots."""
    return pyramid(grids, levels_for(grids, slots), material.feature)


on_grid = Lift("grid", _grid)
on_pyramid = Lift("pyramid", _pyramid)
