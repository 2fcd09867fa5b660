"""Allocate: which cells get the slots. Tensors in, an Allocation out; exactly K, always."""

from homunculus.core.allocate.refine import BestFirst, Foveated
from homunculus.core.allocate.sample import LogPolar, PseudoLogPolar
from homunculus.core.allocate.select import (
    AdaptiveStrata,
    Bands,
    Centre,
    Random,
    Regions,
    Shares,
    Stratified,
    TopK,
)
from homunculus.core.allocate.tile import Pool, Resize, Uniform, Views, Windows

__all__ = [
    "AdaptiveStrata",
    "Bands",
    "BestFirst",
    "Centre",
    "Foveated",
    "LogPolar",
    "Pool",
    "PseudoLogPolar",
    "Random",
    "Regions",
    "Resize",
    "Shares",
    "Stratified",
    "TopK",
    "Uniform",
    "Views",
    "Windows",
]
