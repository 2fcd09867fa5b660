"""The table of methods: a name is a lift, a rule and what feeds it.

Three are here, beside the planner's `views`. Others come by the entry point
`homunculus.methods`, as those of homunculus-lab do.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import cast

from homunculus.engines.cells import allocate as rules
from homunculus.engines.cells.lift import Material, Need, on_grid, on_pyramid
from homunculus.engines.cells.method import Method
from homunculus.lazy import load_plugins, not_found
from homunculus.views import METHOD

__all__ = [
    "DEFAULT",
    "DEFAULT_OF_CELLS",
    "PLANNED",
    "Material",
    "Method",
    "Need",
    "get_method",
    "list_methods",
    "model_methods",
    "unavailable",
]

_TABLE = (
    Method("grid", "the K most relevant cells", rules.TopK(), on_grid),
    Method("cut", "split where most relevant area is unresolved", rules.BestFirst(), on_pyramid),
    Method(
        "resize",
        "the whole image, smaller: up to K cells",
        rules.Resize(),
        on_grid,
        "nothing",
        control=True,
    ),
)
PLANNED = {"views": Method("views", "planned views, plain images", rules.ViewsRule(), on_grid)}
"""Methods of the engines alone: what they keep is found by the planner, and not by `spend`."""
DEFAULT = METHOD
"""What `show`, `attach` and `serve` use: it reads most (results/measure-tokens32-*.json)."""
DEFAULT_OF_CELLS = "cut"
"""What is used where tokens must be cells of one image: by `look`, and after an encoder."""
_failed: list[tuple[str, str]] = []
"""Entry points that could not be loaded, and why; `all_methods` fills it."""


def list_methods() -> Mapping[str, Method]:
    """The methods that choose by a picture and a question: ours, then those of other packages.

    An entry point that cannot be loaded is left out with a warning; the others work.
    >>> list(list_methods())[:3]
    ['grid', 'cut', 'resize']
    """
    return {name: each for name, each in all_methods().items() if each.source != "model"}


def model_methods() -> Mapping[str, Method]:
    """The methods that choose by a model's own features, attention or words."""
    return {name: each for name, each in all_methods().items() if each.source == "model"}


@cache
def all_methods() -> Mapping[str, Method]:
    """All methods by name, whatever they choose by."""
    table = {method.name: method for method in _TABLE}

    def add(_: str, value: object) -> None:
        several = isinstance(value, tuple | list)
        for method in cast(Iterable[object], value) if several else (value,):
            if not isinstance(method, Method):
                kind = type(method).__name__
                raise TypeError(f"it must be a homunculus.Method or a list of them, got {kind}")
            if method.name in table or method.name in PLANNED:
                raise ValueError(f"there is already a method {method.name!r}, rename yours")
            table[method.name] = method

    _failed[:] = load_plugins("homunculus.methods", add)
    return table


def unavailable() -> Sequence[tuple[str, str]]:
    """Entry points of other packages that could not be loaded, each with the reason."""
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # they are the answer
        all_methods()
    return tuple(_failed)


def get_method(name: str) -> Method:
    """The method of that name; the error names the nearest.

    >>> get_method("cut").about
    'split where most relevant area is unresolved'
    """
    table = {**all_methods(), **PLANNED}
    instead = f"`homunculus methods` lists all {len(table)}; more come with homunculus-lab."
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        fault = f"get_method: name must be a str such as 'cut', got {name!r:.80}."
        raise TypeError(f"{fault} {instead}")
    if name in table:
        return table[name]
    raise ValueError(not_found("method", name, table, _failed, instead))
