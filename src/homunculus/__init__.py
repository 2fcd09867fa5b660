"""Homunculus: every image costs exactly K tokens, the ones the question needs."""

from importlib.metadata import PackageNotFoundError, version

from homunculus.coverage import Certificate, certify
from homunculus.method import Material, Method, method, methods
from homunculus.pack import pack
from homunculus.types import Allocation, Budget, Field, Relevance, Tokens

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
    "certify",
    "method",
    "methods",
    "pack",
]
