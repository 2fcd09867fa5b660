"""The table of methods: a name is a lift, a rule and what feeds it."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from homunculus.core import allocate as rules
from homunculus.core.lift import (
    Material,
    Need,
    on_bands,
    on_clusters,
    on_four_levels,
    on_grid,
    on_pyramid,
    on_regions,
)
from homunculus.core.method import Method
from homunculus.core.rivals import RIVALS
from homunculus.lazy import load_plugins, not_found

__all__ = [
    "DEFAULT",
    "DEFAULT_OF_CELLS",
    "PLANNED",
    "RIVALS",
    "Material",
    "Method",
    "Need",
    "get_method",
    "methods",
    "shuffled",
    "unavailable",
]

_TABLE = (
    Method("grid", "the K most relevant cells", rules.TopK(), on_grid),
    Method(
        "stratified", "4x4 parts, each seen, the rest by relevance", rules.Stratified(), on_grid
    ),
    Method(
        "adaptive-strata",
        "parts the relevance chooses, 2 to 8 a side",
        rules.AdaptiveStrata(),
        on_grid,
    ),
    Method("pyramid", "the most relevant cells of four levels", rules.TopK(0.5), on_four_levels),
    Method("pyramid-shares", "64/128/64/17 of 273 to four levels", rules.Shares(), on_four_levels),
    Method("cut", "split where most relevant area is unresolved", rules.BestFirst(), on_pyramid),
    Method(
        "clusters",
        "the same cut over merged similar neighbours",
        rules.BestFirst(),
        on_clusters,
        needs=frozenset({"features"}),
    ),
    Method(
        "foveated",
        "the cut, magnified at the fixation as in the cortex",
        rules.Foveated(),
        on_pyramid,
    ),
    Method("windows", "a thumbnail and one window, two plain images", rules.Windows(), on_grid),
    Method(
        "log-polar", "16 rings x 17 wedges + 1 around the fixation", rules.LogPolar(), on_pyramid
    ),
    Method("pseudo-log-polar", "learned bins around the fixation", rules.PseudoLogPolar(), on_grid),
    Method(
        "frequency",
        "a share for each orientation of detail",
        rules.Bands(),
        on_bands,
        "bands",
        needs=frozenset({"bands"}),
    ),
    Method(
        "atlas",
        "every region seen, the rest by relevance",
        rules.Regions(),
        on_regions,
        needs=frozenset({"regions"}),
    ),
    Method("random", "cells by lot", rules.Random(), on_grid, "nothing", control=True),
    Method("uniform", "every n-th cell", rules.Uniform(), on_grid, "nothing", control=True),
    Method("centre", "the middle of the image", rules.Centre(), on_grid, "nothing", control=True),
    Method("pool", "K equal blocks, averaged", rules.Pool(), on_grid, "nothing", control=True),
    Method(
        "resize",
        "the whole image, smaller: up to K cells",
        rules.Resize(),
        on_grid,
        "nothing",
        control=True,
    ),
    Method(
        "saliency", "what stands out, asked or not", rules.TopK(), on_grid, "pixels", control=True
    ),
    Method(
        "oracle", "the cut, told where the answer is", rules.BestFirst(), on_pyramid, "answer", True
    ),
)


def shuffled(base: Method) -> Method:
    """The control that asks somebody else's question: what survives it is not query-aware."""
    about = f"{base.name}, asked another image's question"
    name = "shuffled" if base.name == "foveated" else f"shuffled-{base.name}"
    return replace(base, name=name, about=about, source="another question", control=True)


PLANNED = {"views": Method("views", "planned views, plain images", rules.Views(), on_grid)}
"""Methods of the engines alone: what they keep is found by the planner, and not by `spend`."""
DEFAULT = "views"
"""What `show`, `attach` and `serve` use: it reads most (results/measure-tokens32-*.json)."""
DEFAULT_OF_CELLS = "cut"
"""What is used where tokens must be cells of one image: by `look`, and after an encoder."""
_failed: list[tuple[str, str]] = []
"""Entry points that could not be loaded, and why; `methods` fills it."""


@cache
def methods() -> Mapping[str, Method]:
    """All methods by name: ours, then those other packages offer as `homunculus.methods`.

    An entry point that cannot be loaded is left out with a warning; the others work.
    >>> [name for name, one in methods().items() if not one.control][:3]
    ['grid', 'stratified', 'adaptive-strata']
    """
    table = {method.name: method for method in _TABLE}
    table["shuffled"] = shuffled(table["foveated"])

    def add(_: str, found: object) -> None:
        if not isinstance(found, Method):
            raise TypeError(f"it must be a homunculus.Method, got {type(found).__name__}")
        if found.name in {**table, **PLANNED, **RIVALS}:
            raise ValueError(f"there is already a method {found.name!r}, rename yours")
        table[found.name] = found

    _failed[:] = load_plugins("homunculus.methods", add)
    return table


def unavailable() -> Sequence[tuple[str, str]]:
    """Entry points of other packages that could not be loaded, each with the reason."""
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # they are the answer
        methods()
    return tuple(_failed)


def get_method(name: str) -> Method:
    """The method of that name; the error names the nearest.

    >>> get_method("foveated").about
    'the cut, magnified at the fixation as in the cortex'
    """
    table = {**methods(), **PLANNED, **RIVALS}
    instead = f"`homunculus methods` lists all {len(table)}."
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        fault = f"get_method: name must be a str such as 'foveated', got {name!r:.80}."
        raise TypeError(f"{fault} {instead}")
    if name in table:
        return table[name]
    raise ValueError(not_found("method", name, table, _failed, instead))
