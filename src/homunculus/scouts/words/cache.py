"""Features of pages, kept in memory for further questions about the same page."""

import json
from hashlib import blake2b

import torch
from torch import Tensor

from homunculus.cache import LRU

PageFeatures = dict[str, Tensor]
"""What the word scout keeps of a page; they are shared, so nobody writes into them."""


def page_cache(limit: int = 256 * 2**20) -> LRU[str, PageFeatures]:
    """A cache of pages, bounded in bytes.

    >>> page_cache().used
    0
    """
    return LRU(limit, _bytes)


def _bytes(features: PageFeatures) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in features.values())


def key(image: Tensor, weights: str, **settings: str) -> str:
    """The name of what an image, a set of weights and their settings make.

    >>> key(torch.zeros(2, 3), "w1", how="float") == key(torch.zeros(3, 2), "w1", how="float")
    False
    """
    about = [list(image.shape), str(image.dtype), weights, settings]
    digest = blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=32)
    digest.update(image.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
