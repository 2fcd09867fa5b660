"""Lift: where tokens could be. Geometry, parents and pooling; no opinion about what matters."""

from homunculus.core.lift.levels import bands, grid, levels_for, mips, pyramid, spread, with_feature
from homunculus.core.lift.merge import clusters
from homunculus.core.lift.segments import regions

__all__ = [
    "bands",
    "clusters",
    "grid",
    "levels_for",
    "mips",
    "pyramid",
    "regions",
    "spread",
    "with_feature",
]
