"""Features of pages, kept in memory for further questions about the same page."""

import json
from hashlib import blake2b
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from homunculus.cache import LRU

PageFeatures = dict[str, NDArray[Any]]
"""What the word scout keeps of a page; they are shared, so nobody writes into them."""


def page_cache(limit: int = 256 * 2**20) -> LRU[str, PageFeatures]:
    """A cache of pages, bounded in bytes.

    >>> page_cache().used
    0
    """
    return LRU(limit, _bytes)


def _bytes(features: PageFeatures) -> int:
    return sum(value.nbytes for value in features.values())


def key(image: NDArray[np.generic], weights: str, **settings: str) -> str:
    """The name of what an image, a set of weights and their settings make.

    >>> key(np.zeros((2, 3)), "w1", how="float") == key(np.zeros((3, 2)), "w1", how="float")
    False
    """
    about = [list(image.shape), str(image.dtype), weights, settings]
    digest = blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=32)
    digest.update(_digest(image))
    return digest.hexdigest()


def _digest(image: NDArray[np.generic]) -> bytes:
    """A digest of all values; made once for an array that nobody can write into."""
    fixed = image.flags.owndata and not image.flags.writeable
    if fixed and (known := _DIGESTS.get(id(image))) and known[0]() is image:
        return known[1]
    values = np.ascontiguousarray(image).reshape(-1).view(np.uint8)
    digest = blake2b(values.data, digest_size=32).digest()
    if fixed:
        name = id(image)
        _DIGESTS[name] = (ref(image, lambda _: _DIGESTS.pop(name, None)), digest)
    return digest


_DIGESTS = dict[int, tuple[ref[NDArray[np.generic]], bytes]]()
"""Digests of arrays that are still there, by their ids: hashing a large page takes longer than all
the rest of a further question."""
