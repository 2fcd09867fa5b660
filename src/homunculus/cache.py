"""A cache with a bound that several threads may use."""

from collections.abc import Callable, Hashable
from contextlib import suppress
from threading import Lock
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LRU(Generic[K, V]):
    """The `LRUCache` of cachetools, safe under threads; the first value of a key stays.

    ``size`` says how much of ``limit`` a value takes, such as its bytes; by default values are
    counted. A value over the limit is not kept.
    """

    def __init__(self, limit: int, size: Callable[[V], int] | None = None) -> None:
        self._settings = limit, size
        self._values: LRUCache[K, V] = LRUCache(limit, size)
        self._lock = Lock()

    def __contains__(self, key: K) -> bool:
        return self.get(key) is not None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._settings  # a copy starts empty: values may be large

    @property
    def used(self) -> int:
        """How much of the limit is taken."""
        return int(self._values.currsize)

    def get(self, key: K) -> V | None:
        """The value, which is now the most recently used; None if there is none."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Keep a value, unless the key is known or the value alone is over the limit."""
        with self._lock, suppress(ValueError):  # cachetools: value too large
            if key not in self._values:
                self._values[key] = value

    def clear(self) -> None:
        """Drop all values."""
        with self._lock:
            self._values.clear()
