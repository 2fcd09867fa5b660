# pyright: basic
"""Rows of image features from a model's own tower, and back into the shape its forward wants."""

import copy
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.engines.layout import Layout, split


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
