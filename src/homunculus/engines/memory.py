"""What an engine keeps between calls, safe for threads: features of images, one KV cache."""

from collections import OrderedDict
from threading import Lock
from typing import Any


class Memory:
    """Features of the last few sets of images, and the KV cache of the latest answer."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._features: OrderedDict[str, Any] = OrderedDict()
        self._cache: Any = None

    def __reduce__(self) -> tuple[type["Memory"], tuple[()]]:
        return Memory, ()  # a copy starts empty: locks cannot be copied, and caches are large

    def features(self, key: str) -> Any:
        """What was kept under this key, now the last to go; None if there is nothing."""
        with self._lock:
            if key in self._features:
                self._features.move_to_end(key)
            return self._features.get(key)

    def keep_features(self, key: str, features: Any, most: int) -> None:
        """Keep it; of more than ``most``, those go that were used longest ago."""
        with self._lock:
            self._features[key] = features
            self._features.move_to_end(key)
            while len(self._features) > most:
                self._features.popitem(last=False)

    def take_cache(self, cache: Any) -> Any:
        """This cache if it is the one kept, for the caller alone; else None. None is kept then."""
        with self._lock:
            kept, self._cache = self._cache, None
        return kept if kept is cache else None

    def keep_cache(self, cache: Any) -> None:
        """Keep it in place of the one before."""
        with self._lock:
            self._cache = cache

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._features.clear()
            self._cache = None
