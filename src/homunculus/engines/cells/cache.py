"""Tensors that depend on sizes alone are made once and kept: geometry, counters, plans.

Read-only by agreement. They are ordinary tensors even when first asked for in inference mode, so
that a server and a training loop can share a process. A compiled graph makes its own.

All functions share one limit: at most `LIMIT` bytes and `ENTRIES` results are kept.

`cached` is not `cachetools.cached`, which takes a lock and moves the key at every hit: 1.24
microseconds a hit instead of 0.48 (cachetools 8.0, one thread of a CPU; a plan has 5 to 11 hits).
"""

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import is_dataclass
from functools import cached_property, lru_cache, wraps
from threading import RLock
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor

P = ParamSpec("P")
R = TypeVar("R")

LIMIT = 256 * 2**20
"""Bytes of tensors that are kept in all."""

ENTRIES = 4096
"""Results that are kept in all; bounds their keys, too, which are not counted in bytes."""

_KEYWORDS = object()


class _Entry:
    """A kept result, and where to find it when it has to go."""

    __slots__ = ("key", "size", "store", "used", "value")

    def __init__(self, store: dict[Hashable, Any], key: Hashable, value: Any, size: int) -> None:
        self.store, self.key, self.value, self.size = store, key, value, size
        self.used = False


class _Cache:
    """The results of every function in one queue, oldest first.

    A hit takes no lock, it only marks its entry. To make room, the oldest entry goes; if it was
    marked, it loses the mark and goes to the end of the queue instead.
    """

    def __init__(self) -> None:
        self.queue: deque[_Entry] = deque()
        self.size = 0
        self.lock = RLock()  # reentrant: a garbage collection inside may call a kept function

    def add(self, store: dict[Hashable, Any], key: Hashable, value: Any) -> None:
        """Keep a result unless it alone is over the limit; drop others to make room."""
        size = tensor_bytes(value)
        if size > LIMIT:
            return
        with self.lock:
            if key in store:  # another thread was faster
                return
            chances = len(self.queue)
            while self.queue and (self.size + size > LIMIT or len(self.queue) >= ENTRIES):
                oldest = self.queue.popleft()
                if oldest.used and chances > 0:
                    chances -= 1
                    oldest.used = False
                    self.queue.append(oldest)
                else:
                    del oldest.store[oldest.key]
                    self.size -= oldest.size
            store[key] = entry = _Entry(store, key, value, size)
            self.queue.append(entry)
            self.size += size


_cache = _Cache()


def held() -> int:
    """Bytes of tensors kept now, with all that kept fields may still add to themselves."""
    return _cache.size


def tensor_bytes(value: Any) -> int:
    """Bytes of memory behind a tensor, a tuple of tensors or a dataclass of tensors.

    A dataclass that grows tells by how much at most as ``growth``.
    """
    if isinstance(value, Tensor):
        return value.untyped_storage().nbytes()
    if isinstance(value, tuple):
        return sum(map(tensor_bytes, value))
    if is_dataclass(value):
        return sum(map(tensor_bytes, vars(value).values())) + getattr(value, "growth", 0)
    return 0


def cached(make: Callable[P, R]) -> Callable[P, R]:
    """Cache results of a function of hashable arguments, as long as there is room."""
    store: dict[Hashable, _Entry] = {}

    @wraps(make)
    def recalled(*args: P.args, **kwargs: P.kwargs) -> R:
        if torch.compiler.is_compiling():
            return make(*args, **kwargs)
        key = (*args, _KEYWORDS, *kwargs.items()) if kwargs else args
        entry = store.get(key)
        if entry is not None:
            entry.used = True
            return entry.value
        with torch.inference_mode(False):
            value = make(*args, **kwargs)
        _cache.add(store, key, value)
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
