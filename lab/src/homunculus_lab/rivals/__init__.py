"""Rivals: other people's ways to prune tokens after the encoder, as methods like ours.

One file each, written from the paper; `RIVALS` is their table. `get_method` finds them by name, but
`methods` does not list them: they choose by a model's own features, attention or words, which a
picture alone does not bring. docs/rivals.md has a card for each.
"""

from collections.abc import Mapping

from homunculus.engines.cells.method import Method
from homunculus_lab.rivals import cdpruner, divprune, hired, mmtok, prumerge, tome, visionzip

_MODULES = (visionzip, divprune, tome, hired, prumerge, cdpruner, mmtok)

METHODS = tuple(module.METHOD for module in _MODULES)
"""The rivals, for the entry point `homunculus.methods`."""
RIVALS: Mapping[str, Method] = {method.name: method for method in METHODS}
"""All of them by name, in the order of their papers' cards."""
