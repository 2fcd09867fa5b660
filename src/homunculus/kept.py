"""Tensors that depend on sizes alone are made once and kept: geometry, counters, plans.

Read-only by agreement. They are ordinary tensors even when first asked for in inference mode, so
that a server and a training loop can share a process. A compiled graph makes its own.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def kept(entries: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the last ``entries`` results of a function of hashable arguments."""

    def keep(make: Callable[P, R]) -> Callable[P, R]:
        @lru_cache(maxsize=entries)
        def remembered(*args: P.args, **kwargs: P.kwargs) -> R:
            with torch.inference_mode(False):
                return make(*args, **kwargs)

        @wraps(make)
        def recalled(*args: P.args, **kwargs: P.kwargs) -> R:
            if torch.compiler.is_compiling():
                return make(*args, **kwargs)
            return remembered(*args, **kwargs)

        return recalled

    return keep


def once(make: Callable[[Any], R]) -> "cached_property[R]":
    """A property made at the first asking and kept with its owner."""

    @wraps(make)
    def made(owner: Any) -> R:
        if torch.compiler.is_compiling():
            return make(owner)
        with torch.inference_mode(False):
            return make(owner)

    return cached_property(made)


def planned(make: Callable[P, R]) -> Callable[P, R]:
    """Remember a plan made of plain integers; a compiler takes it for the constant it is."""
    remembered = lru_cache(maxsize=4096)(make)

    @wraps(make)
    def recalled(*args: P.args, **kwargs: P.kwargs) -> R:
        return remembered(*args, **kwargs)

    return torch.compiler.assume_constant_result(recalled)


@kept(256)
def ramp(length: int, device: torch.device) -> Tensor:
    """0, 1, 2, ... length - 1."""
    return torch.arange(length, device=device)


@kept(1024)
def sizes(grids: tuple[tuple[int, int], ...], device: torch.device) -> Tensor:
    """Rows and columns of each image: b 2."""
    return torch.tensor(grids, device=device)


@kept(1024)
def counts(grids: tuple[tuple[int, int], ...], most: int, device: torch.device) -> Tensor:
    """Level-0 cells of each image, ``most`` at the most: b 1."""
    count = [min(rows * cols, most) for rows, cols in grids]
    return torch.tensor(count, device=device)[:, None]
