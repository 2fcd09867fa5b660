"""Allocate: which cells get the slots. Tensors in, an Allocation out; exactly K, always."""

from homunculus.engines.cells.allocate.refine import BestFirst
from homunculus.engines.cells.allocate.select import TopK
from homunculus.engines.cells.allocate.tile import Resize, ViewsRule

__all__ = ["BestFirst", "Resize", "TopK", "ViewsRule"]
