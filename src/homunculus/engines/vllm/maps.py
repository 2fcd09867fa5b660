# pyright: basic
"""Relevance that was made for a picture and a question, until the processor asks for it.

Looking for the question on a page takes most of the time of choosing. It is done ahead of the one
thread in which vLLM prepares all requests, and waits here.
"""

from collections import OrderedDict
from threading import Lock

from jaxtyping import Float
from torch import Tensor

BYTES = 64 << 20
"""Of all maps; a page's is about 40 KB."""


class Maps:
    """The last maps by the key of picture, question and setting; safe under threads."""

    def __init__(self, most: int = BYTES) -> None:
        self.most, self.bytes = most, 0
        self._maps: OrderedDict[str, Tensor] = OrderedDict()
        self._lock = Lock()

    def __contains__(self, key: str) -> bool:
        return self.get(key) is not None

    def get(self, key: str) -> Float[Tensor, "h w"] | None:
        """The map, or None."""
        with self._lock:
            if key in self._maps:
                self._maps.move_to_end(key)
            return self._maps.get(key)

    def put(self, key: str, value: Float[Tensor, "h w"]) -> None:
        """Keep a map, and drop those that were not used for longest."""
        with self._lock:
            if key in self._maps:
                return
            self._maps[key] = value
            self.bytes += value.nbytes
            while self.bytes > self.most:
                _, old = self._maps.popitem(last=False)
                self.bytes -= old.nbytes

    def clear(self) -> None:
        """Drop all."""
        with self._lock:
            self._maps.clear()
            self.bytes = 0
