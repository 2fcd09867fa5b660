"""Keys of a model's weights: what was computed with other weights must not be used again."""

from hashlib import blake2b
from typing import Any

import torch
from torch import Tensor, nn

SWITCHES = ("training", "_disable_adapters", "_active_adapter", "merged_adapters", "scaling")
"""Attributes of a module; those of adapters are what peft's layers call them."""


def weights_key(
    model: nn.Module, without: nn.Module | None = None, contents: bool = True
) -> str | None:
    """A digest that changes with the weights of a model and the switches of its adapters.

    Modules of ``without`` are left out. torch counts the changes of a tensor, but not those through
    `.data`, by which averages of weights are swapped in and adapters are merged; so the
    ``contents`` are summed as well, which takes as long as reading them once. None if they cannot
    be read, such as those of a model that is not in memory.

    >>> layer = nn.Linear(2, 2)
    >>> before = weights_key(layer)
    >>> layer.weight.data += 1
    >>> weights_key(layer) == before
    False
    """
    left_out = set(without.modules()) if without is not None else set[nn.Module]()
    known, tensors = list[Any](), list[Tensor]()
    for name, module in model.named_modules():
        if module not in left_out:
            known.append((name, _switches(module)))
            tensors += [*module.parameters(recurse=False), *module.buffers(recurse=False)]
    try:
        known += [(tensor.data_ptr(), _changes(tensor)) for tensor in tensors]
        sums = [_sum(tensor) for tensor in tensors] if contents else []
        known += map(int, sums)  # after all of them: a device need not be waited for each time
    except (RuntimeError, NotImplementedError):  # meta tensors, some quantised ones
        return None
    return blake2b(repr(known).encode(), digest_size=16).hexdigest()


def _switches(module: nn.Module) -> list[Any]:
    """What decides over its result besides weights."""
    return [getattr(module, name, None) for name in SWITCHES]


def _changes(tensor: Tensor) -> int:
    """How often it was changed, as far as torch counts: a private number, as in torch 2.13."""
    counted = not tensor.is_inference()
    return tensor._version if counted else 0  # pyright: ignore[reportPrivateUsage]


def _sum(tensor: Tensor) -> Tensor:
    """The sum of its bits, eight bytes at a time: exact, so that any one change is seen."""
    raw = tensor.detach().contiguous().view(-1).view(torch.uint8)
    if raw.storage_offset() % 8:
        raw = raw.clone()
    whole = len(raw) // 8 * 8
    return raw[:whole].view(torch.int64).sum() + raw[whole:].sum()
