"""Homunculus: every image costs K tokens and never more, the ones the question needs."""

from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from homunculus.engines.cells.coverage import Certificate, certify
    from homunculus.engines.cells.lift import Lift, Material
    from homunculus.engines.cells.methods import Method, get_method, list_methods
    from homunculus.engines.cells.pack import pack
    from homunculus.engines.cells.types import Allocation, Budget, Field, Relevance, Rule, Tokens
    from homunculus.engines.transformers import attach
    from homunculus.planner import Planner, Views, views
    from homunculus.planner.cost import costs
    from homunculus.scouts.registry import get_scout, list_scouts
    from homunculus.scouts.sight import Match, Scout, Sight
    from homunculus.show.cells import look

try:
    __version__ = version("homunculus-vlm")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+source"

__all__ = [
    "Allocation",
    "Budget",
    "Certificate",
    "Field",
    "Lift",
    "Match",
    "Material",
    "Method",
    "Planner",
    "Relevance",
    "Rule",
    "Scout",
    "Sight",
    "Tokens",
    "Views",
    "attach",
    "certify",
    "costs",
    "get_method",
    "get_scout",
    "list_methods",
    "list_scouts",
    "look",
    "pack",
    "views",
]

_HOMES = {
    "engines.cells.coverage": ("Certificate", "certify"),
    "engines.cells.lift": ("Lift", "Material"),
    "engines.cells.methods": ("Method", "get_method", "list_methods"),
    "engines.cells.pack": ("pack",),
    "scouts.sight": ("Match", "Scout", "Sight"),
    "engines.cells.types": ("Allocation", "Budget", "Field", "Relevance", "Rule", "Tokens"),
    "engines.transformers": ("attach",),
    "planner": ("Planner", "Views", "views"),
    "planner.cost": ("costs",),
    "scouts.registry": ("get_scout", "list_scouts"),
    "show.cells": ("look",),
}
"""Where each public name lives. Importing the package loads none of them, not even torch."""


_VERBS = {"budget": "Planner.of(picture, question).budget()", "cost": "costs"}
"""Verbs of the command line that have another name here."""


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f"homunculus.{module}"), name)
            return value
    near = [_VERBS[name]] if name in _VERBS else get_close_matches(name, __all__, 1)
    hint = f". Did you mean {near[0]!r}?" if near else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})
