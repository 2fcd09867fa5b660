"""Rows of image features from a model's own tower, and back into the shape its forward wants."""

import copy
import inspect
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import prod
from threading import RLock
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from homunculus.engines.families import Layout, split

_LOCK = RLock()


@contextmanager
def fast(model: Any, wanted: bool = True) -> Generator[None, None, None]:
    """Within, patch embeddings of this model are linear; after it they are what they were.

    Of the largest value of the embeddings they differ by at most 2**-7 in bf16 and 1e-5 in float32.
    Only instances are touched, one thread at a time; whoever calls the model meanwhile from
    another thread gets the linear form too.
    """
    if not wanted:
        yield
        return
    with _LOCK:
        swapped = [one for one in model.modules() if _alike(one)]
        try:
            for one in swapped:
                one.forward = partial(linear, one)
            yield
        finally:
            for one in swapped:
                del one.forward


def _alike(module: nn.Module) -> bool:
    """A convolution of patches, whose `forward` nobody else has taken."""
    return (
        isinstance(module, nn.Conv2d | nn.Conv3d)
        and tuple(module.stride) == tuple(module.kernel_size)
        and prod(module.kernel_size) > 1
        and module.groups == 1
        and not any(module.padding if isinstance(module.padding, tuple) else ())
        and module.padding != "same"
        and set(module.dilation) == {1}
        and "forward" not in module.__dict__
    )


def linear(conv: Any, pixels: Tensor) -> Tensor:
    """What the convolution makes of n x channels x sides, as one matrix product."""
    kernel = conv.kernel_size
    for axis, side in enumerate(kernel, 2):
        pixels = pixels.narrow(axis, 0, pixels.shape[axis] // side * side)
        pixels = pixels.unflatten(axis, (-1, side)).movedim(axis + 1, -1)
    # n c, places, kernel -> n, places, c kernel
    patch = pixels.movedim(1, 1 + len(kernel)).flatten(1 + len(kernel))
    out = F.linear(patch, conv.weight.flatten(1), conv.bias)
    return out.movedim(-1, 1)


@dataclass(frozen=True, eq=False)
class Encoded:
    """What a tower made of all images: each row is the embedding and all that goes in deeper."""

    output: Any
    """As `get_image_features` returned it: its class is what `mm_encoder_outputs` wants."""
    rows: list[Float[Tensor, "_n d"]]
    """For each image its rows; deeper channels (DeepStack) stand behind the embedding's."""


def hollow(encoded: Encoded) -> Encoded:
    """The same without the tower's tensors in ``output``: only its form is needed later."""
    if encoded.output is None:
        return encoded
    deep = getattr(encoded.output, "deepstack_features", None) or []
    pooled = encoded.output.pooler_output
    fields: dict[str, Any] = {
        "pooler_output": pooled.new_empty(0) if isinstance(pooled, Tensor) else ()
    }
    if deep:
        fields["deepstack_features"] = [() for _ in deep]
    return Encoded(type(encoded.output)(**fields), encoded.rows)


def everything(model: Any, inputs: Mapping[str, Any], layouts: Sequence[Layout]) -> Encoded:
    """All rows of all images."""
    call = model.base_model.get_image_features
    wanted = {name: inputs[name] for name in inspect.signature(call).parameters if name in inputs}
    output = call(**wanted, return_dict=True)
    return hollow(Encoded(output, split(stacked(output), layouts)))


def stacked(output: Any) -> Float[Tensor, "n d"]:
    """Rows of all images; what goes in deeper stands behind the embedding."""
    parts = [output.pooler_output, *(getattr(output, "deepstack_features", None) or [])]
    return torch.cat([_flat(part) for part in parts], -1)


def _flat(parts: Any) -> Float[Tensor, "n d"]:
    return torch.cat([part.reshape(-1, part.shape[-1]) for part in parts])


def wrapped(encoded: Encoded, rows: Sequence[Float[Tensor, "_k d"]]) -> dict[str, Any]:
    """The chosen rows as `mm_encoder_outputs`; one dict for one call, since calls write into it."""
    out = copy.copy(encoded.output)
    deep = getattr(out, "deepstack_features", None) or []
    width = rows[0].shape[-1] // (1 + len(deep))
    parts = [[row[:, at * width : (at + 1) * width] for row in rows] for at in range(1 + len(deep))]
    if isinstance(encoded.output.pooler_output, Tensor):  # by tiles, which are no longer whole
        out.pooler_output = torch.cat(parts[0])[:, None]
    else:
        out.pooler_output = tuple(parts[0])
    if deep:
        out.deepstack_features = [tuple(part) for part in parts[1:]]
    return {"image": out}
