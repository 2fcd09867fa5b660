"""Image features: rows from a model's own vision tower, and back into its `mm_encoder_outputs`."""

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

from homunculus.engines.families import Layout, split_rows

_LOCK = RLock()


@contextmanager
def fast_patches(model: Any, enabled: bool = True) -> Generator[None, None, None]:
    """Compute the patch embeddings of a model as matrix products while the context is open.

    Relative to the largest embedding value, results differ by at most 2**-7 in bf16 and 1e-5 in
    float32. Only instances are patched, one thread at a time; calls of the model from other
    threads use the linear form meanwhile.
    """
    if not enabled:
        yield
        return
    with _LOCK:
        convolutions = [module for module in model.modules() if _embeds_patches(module)]
        try:
            for module in convolutions:
                module.forward = partial(linear, module)
            yield
        finally:
            for module in convolutions:
                del module.forward


def _embeds_patches(module: nn.Module) -> bool:
    """Whether a module is a convolution of patches whose `forward` is not replaced already."""
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
    """A convolution of patches, computed as one matrix product."""
    kernel = conv.kernel_size
    for axis, side in enumerate(kernel, 2):
        pixels = pixels.narrow(axis, 0, pixels.shape[axis] // side * side)
        pixels = pixels.unflatten(axis, (-1, side)).movedim(axis + 1, -1)
    # n c, places, kernel -> n, places, c kernel
    patch = pixels.movedim(1, 1 + len(kernel)).flatten(1 + len(kernel))
    return F.linear(patch, conv.weight.flatten(1), conv.bias).movedim(-1, 1)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Features of all images; a row holds the embedding and its DeepStack channels."""

    output: Any
    """The output of `get_image_features`, whose class `mm_encoder_outputs` expects."""
    rows: list[Float[Tensor, "_n d"]]
    """For each image its rows; DeepStack channels follow those of the embedding."""
    observed: Sequence[Any] = ()
    """For each image what `Method.observe` saw meanwhile, if the method has it."""


def without_tensors(encoded: Encoded) -> Encoded:
    """Features without the tensors of ``output``, of which only the class is needed later."""
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


def encode_images(model: Any, inputs: Mapping[str, Any], layouts: Sequence[Layout]) -> Encoded:
    """Encode all images as a whole."""
    call = model.base_model.get_image_features
    names = inspect.signature(call).parameters
    output = call(**{name: inputs[name] for name in names if name in inputs}, return_dict=True)
    return without_tensors(Encoded(output, split_rows(stack_rows(output), layouts)))


def stack_rows(output: Any) -> Float[Tensor, "n d"]:
    """Rows of all images; DeepStack channels follow those of the embedding."""
    parts = [output.pooler_output, *(getattr(output, "deepstack_features", None) or [])]
    return torch.cat([_flat(part) for part in parts], -1)


def _flat(parts: Any) -> Float[Tensor, "n d"]:
    return torch.cat([part.reshape(-1, part.shape[-1]) for part in parts])


def encoder_outputs(encoded: Encoded, rows: Sequence[Float[Tensor, "_k d"]]) -> dict[str, Any]:
    """Rows as `mm_encoder_outputs`; a new dict for each call of the model, which writes into it."""
    output = copy.copy(encoded.output)
    deep = getattr(output, "deepstack_features", None) or []
    width = rows[0].shape[-1] // (1 + len(deep))
    parts = [
        [own[:, first : first + width] for own in rows]
        for first in range(0, width * (1 + len(deep)), width)
    ]
    if isinstance(encoded.output.pooler_output, Tensor):  # by tiles, of which only rows are left
        output.pooler_output = torch.cat(parts[0])[:, None]
    else:
        output.pooler_output = tuple(parts[0])
    if deep:
        output.deepstack_features = [tuple(part) for part in parts[1:]]
    return {"image": output}
