"""Homunculus: every image costs K tokens and never more, the ones the question needs."""

import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from homunculus.box import Box
    from homunculus.engines.cells.coverage import Certificate, certify
    from homunculus.engines.cells.lift import Lift, Material
    from homunculus.engines.cells.methods import Method, get_method, list_methods
    from homunculus.engines.cells.pack import pack
    from homunculus.engines.cells.types import Allocation, Budget, Field, Relevance, Rule, Tokens
    from homunculus.engines.transformers import attach
    from homunculus.errors import HomunculusError
    from homunculus.lazy import MissingExtra
    from homunculus.pages import PictureError
    from homunculus.pages.lines import Lines
    from homunculus.pages.words import WordsError, read_words
    from homunculus.planner.acuity import Acuity
    from homunculus.planner.cost import costs
    from homunculus.planner.counting import DEFAULT_TOKENS as DEFAULT_TOKENS
    from homunculus.planner.counting import TokenRule
    from homunculus.planner.view import View
    from homunculus.scouts.registry import get_scout, list_scouts
    from homunculus.scouts.sight import Match, Scout, Sight
    from homunculus.serve import PicturesError, RefusedError, Report, Rewriter, http_client
    from homunculus.show.cells import look
    from homunculus.views import (
        Document,
        DocumentViews,
        NeededTokens,
        Planner,
        Views,
        open,  # noqa: A004 - as Image.open of Pillow
        views,
    )

try:
    __version__ = version("homunculus-vlm")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+source"

__all__ = [
    "Acuity",
    "Allocation",
    "Box",
    "Budget",
    "Certificate",
    "Document",
    "DocumentViews",
    "Field",
    "HomunculusError",
    "Lift",
    "Lines",
    "Match",
    "Material",
    "Method",
    "MissingExtra",
    "NeededTokens",
    "PictureError",
    "PicturesError",
    "Planner",
    "RefusedError",
    "Relevance",
    "Report",
    "Rewriter",
    "Rule",
    "Scout",
    "Sight",
    "TokenRule",
    "Tokens",
    "View",
    "Views",
    "WordsError",
    "attach",
    "certify",
    "costs",
    "get_method",
    "get_scout",
    "http_client",
    "list_methods",
    "list_scouts",
    "look",
    "open",
    "pack",
    "read_words",
    "views",
]

_HOMES = {
    "box": ("Box",),
    "engines.cells.coverage": ("Certificate", "certify"),
    "engines.cells.lift": ("Lift", "Material"),
    "engines.cells.methods": ("Method", "get_method", "list_methods"),
    "engines.cells.pack": ("pack",),
    "engines.cells.types": ("Allocation", "Budget", "Field", "Relevance", "Rule", "Tokens"),
    "engines.transformers": ("attach",),
    "errors": ("HomunculusError",),
    "lazy": ("MissingExtra",),
    "pages": ("PictureError",),
    "pages.lines": ("Lines",),
    "pages.words": ("WordsError", "read_words"),
    "planner.acuity": ("Acuity",),
    "planner.cost": ("costs",),
    "planner.counting": ("DEFAULT_TOKENS", "TokenRule"),
    "planner.view": ("View",),
    "scouts.registry": ("get_scout", "list_scouts"),
    "scouts.sight": ("Match", "Scout", "Sight"),
    "serve": ("PicturesError", "RefusedError", "Report", "Rewriter", "http_client"),
    "show.cells": ("look",),
    "views": ("Document", "DocumentViews", "NeededTokens", "Planner", "Views", "open", "views"),
}
"""Where each public name lives. Importing the package loads none of them."""
_OF_TENSORS = ("engines.", "show.cells")
"""Modules of these are made of tensors: only they need torch."""

_VERBS = {"budget": "Planner(picture, question).budget()", "cost": "costs"}
"""Verbs of the command line that have another name here."""


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            if module.startswith(_OF_TENSORS):
                import_module("homunculus.lazy").need_torch(f"homunculus.{name}")
            value = globals()[name] = getattr(import_module(f"homunculus.{module}"), name)
            return value
    near = [_VERBS[name]] if name in _VERBS else get_close_matches(name, __all__, 1)
    hint = f". Did you mean {near[0]!r}?" if near else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})


class _Package(ModuleType):
    """A public name stands for itself, not for the module that has the same name.

    Python makes every module that is imported an attribute of its package, so that
    `homunculus.views` would be the function or the module, as the order of imports has it.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in __all__ and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
