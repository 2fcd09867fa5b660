"""Homunculus: every image costs exactly K tokens, the ones the question needs."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from homunculus.core.coverage import Certificate, certify
from homunculus.core.methods import Material, Method, method, methods
from homunculus.core.pack import pack
from homunculus.core.types import Allocation, Budget, Field, Relevance, Tokens

if TYPE_CHECKING:
    from homunculus.engines.transformers import attach

try:
    __version__ = version("homunculus-vlm")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+source"

__all__ = [
    "Allocation",
    "Budget",
    "Certificate",
    "Field",
    "Material",
    "Method",
    "Relevance",
    "Tokens",
    "attach",
    "certify",
    "method",
    "methods",
    "pack",
]


def __getattr__(name: str) -> Any:
    """`attach` is found when it is asked for: engines need more than the core does."""
    if name == "attach":
        return import_module("homunculus.engines.transformers").attach
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
