"""Tensors that depend on sizes alone are made once and kept: geometry, counters, plans.

Read-only by agreement. They are ordinary tensors even when first asked for in inference mode, so
that a server and a training loop can share a process. A compiled graph makes its own.
"""

from collections.abc import Callable, Hashable
from dataclasses import is_dataclass
from functools import cached_property, lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import torch
from torch import Tensor

from homunculus.cache import LRU

P = ParamSpec("P")
R = TypeVar("R")

LIMIT = 256 * 2**20
"""Bytes of tensors that all functions together keep."""
LEAST = 2**14
"""Bytes that a result counts for at least: the number of results is bounded as well."""


def tensor_bytes(value: Any) -> int:
    """Bytes of memory behind a tensor or an array, a tuple of them or a dataclass of them.

    A dataclass that grows tells by how much at most as ``growth``.
    """
    if isinstance(value, Tensor):
        return value.untyped_storage().nbytes()
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple):
        return sum(map(tensor_bytes, value))
    if is_dataclass(value):
        return sum(map(tensor_bytes, vars(value).values())) + getattr(value, "growth", 0)
    return 0


def results_cache(limit: int = LIMIT) -> LRU[Hashable, Any]:
    """A cache of results, bounded in bytes."""
    return LRU(limit, lambda value: max(LEAST, tensor_bytes(value)))


RESULTS = results_cache()


def cached(make: Callable[P, R]) -> Callable[P, R]:
    """Cache results of a function of hashable arguments, as long as there is room."""

    @wraps(make)
    def recalled(*args: P.args, **kwargs: P.kwargs) -> R:
        if torch.compiler.is_compiling():
            return make(*args, **kwargs)
        key = (make, args, tuple(kwargs.items()))
        value = RESULTS.get(key)
        if value is None:
            with torch.inference_mode(False):
                value = make(*args, **kwargs)
            RESULTS.put(key, value)
        return value

    return recalled


def once(make: Callable[[Any], R]) -> "cached_property[R]":
    """A property made at the first asking and kept with its owner."""

    @wraps(make)
    def made(owner: Any) -> R:
        if torch.compiler.is_compiling():
            return make(owner)
        with torch.inference_mode(False):
            return make(owner)

    return cached_property(made)


def constant(make: Callable[P, R]) -> Callable[P, R]:
    """Cache a function of plain integers; a compiler takes its result for the constant it is."""
    remembered = lru_cache(maxsize=4096)(make)

    @wraps(make)
    def recalled(*args: P.args, **kwargs: P.kwargs) -> R:
        return remembered(*args, **kwargs)

    # what torch.compiler.assume_constant_result does, without importing torch._dynamo: that would
    # double the time of `import homunculus`; tests/test_compile.py sees whether it still works
    recalled._dynamo_marked_constant = True  # pyright: ignore[reportAttributeAccessIssue]
    return recalled


@cached
def ramp(length: int, device: torch.device) -> Tensor:
    """0, 1, 2, ... length - 1."""
    return torch.arange(length, device=device)


@cached
def sizes(grids: tuple[tuple[int, int], ...], device: torch.device) -> Tensor:
    """Rows and columns of each image: b 2."""
    return torch.tensor(grids, device=device)


@cached
def counts(grids: tuple[tuple[int, int], ...], most: int, device: torch.device) -> Tensor:
    """Level-0 cells of each image, ``most`` at the most: b 1."""
    count = [min(rows * cols, most) for rows, cols in grids]
    return torch.tensor(count, device=device)[:, None]
