"""Where tokens could be: four levels, orientation bands, clusters, regions."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.lift import Lift, Material, grid, levels_for, pyramid
from homunculus.engines.cells.types import Field
from homunculus_lab.methods.merge import clusters
from homunculus_lab.methods.segments import regions

QUIET = 1 / 1024
"""Added to energies before their logarithm: one step of their scale."""


def bands(
    grids: Sequence[Grid],
    copies: int = 4,
    feature: Float[Tensor, "b n d"] | None = None,
    energy: Float[Tensor, "b n o"] | None = None,
) -> Field:
    """Every level-0 cell once per orientation, side by side: cell 0 band 0, cell 0 band 1.

    ``energy`` is how much of a cell's detail runs each way; its logarithm is the band's prior.
    """
    base = grid(grids, feature)
    prior = None
    if energy is not None:
        copies = energy.shape[2]
        prior = (energy.to(base.level.device).flatten(1) + QUIET).log()
    box, level, valid = (
        tensor.repeat_interleave(copies, 1) for tensor in (base.box, base.level, base.valid)
    )
    own = torch.arange(level.shape[1], device=level.device).expand_as(level)
    return replace(
        base,
        box=box,
        level=level,
        parent=own,
        children=torch.zeros_like(level),
        valid=valid,
        spans=((0, level.shape[1]),),
        copies=copies,
        feature=None if base.feature is None else base.feature.repeat_interleave(copies, 1),
        prior=prior,
    )


def _four_levels(grids: Sequence[Grid], slots: int, material: Material) -> Field:
    """Four levels whatever the budget."""
    return pyramid(grids, 4, material.feature)


def _bands(grids: Sequence[Grid], slots: int, material: Material) -> Field:
    """Level-0 cells once per orientation, each with its own energy."""
    if material.energy is None:
        raise ValueError("lift: bands need energies, got none. Declare them in Method.needs.")
    return bands(grids, feature=material.feature, energy=material.energy)


def _clusters(grids: Sequence[Grid], slots: int, material: Material) -> Field:
    """Similar neighbours merged."""
    if material.feature is None:
        raise ValueError("lift: clusters need features, got none. Declare them in Method.needs.")
    return clusters(grids, material.feature, levels_for(grids, slots))


def _regions(grids: Sequence[Grid], slots: int, material: Material) -> Field:
    """Given regions over cells."""
    if material.label is None:
        raise ValueError("lift: regions need labels, got none. Declare them in Method.needs.")
    return regions(grids, material.label, material.labels, material.feature)


on_four_levels = Lift("four levels", _four_levels)
on_bands = Lift("bands", _bands)
on_clusters = Lift("clusters", _clusters)
on_regions = Lift("regions", _regions)
