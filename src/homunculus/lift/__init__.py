"""Lift: where tokens could be. Geometry, parents and pooling; no opinion about what matters."""

from homunculus.lift.clusters import clusters
from homunculus.lift.pyramid import (
    bands,
    grid,
    levels_for,
    mips,
    pyramid,
    spread,
    with_feature,
)
from homunculus.lift.regions import regions

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
