# pyright: basic
"""Tensors by key, the last ones used, up to so many bytes: relevance maps, features of images."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from torch import Tensor

Key = TypeVar("Key", bound=Hashable)


class Recent(Generic[Key]):
    """What was not used for longest goes first; safe under threads."""

    def __init__(self, most: int) -> None:
        self.most, self.bytes = most, 0
        self._held: OrderedDict[Key, Tensor] = OrderedDict()
        self._lock = Lock()

    def __contains__(self, key: Key) -> bool:
        return self.get(key) is not None

    def get(self, key: Key) -> Tensor | None:
        """The tensor, now the last to go; None if it is not here."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def put(self, key: Key, value: Tensor) -> None:
        """Keep a copy, unless the key is known or it is larger than all that may be kept."""
        with self._lock:
            if key in self._held or value.nbytes > self.most:
                return
            self._held[key] = value.clone()  # not a view of a whole batch
            self.bytes += value.nbytes
            while self.bytes > self.most:
                _, old = self._held.popitem(last=False)
                self.bytes -= old.nbytes

    def clear(self) -> None:
        """Let go of all."""
        with self._lock:
            self._held.clear()
            self.bytes = 0
