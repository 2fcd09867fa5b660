# pyright: basic
"""The prompt with fewer image tokens: ids, masks and positions, gathered from the untouched one."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from homunculus.engines.layout import Layout
from homunculus.engines.select import Choice

FILL = {"attention_mask": 0, "token_type_ids": 0, "labels": -100}
"""What stands where a shorter prompt is filled up, at the left."""


Place = tuple[int, Int[Tensor, "_n"]]
"""The number of an image's sample and the columns of its placeholders."""


def located(image: Bool[Tensor, "b l"], layouts: Sequence[Layout]) -> list[Place]:
    """Where each image stands; ``image`` is true at placeholders."""
    sample, column = image.nonzero().cpu().unbind(1)
    total = sum(layout.total for layout in layouts)
    if len(sample) != total:
        raise ValueError(
            f"engine: the prompt has {len(sample)} image placeholders, its images {total} rows. "
            "Use the processor that belongs to the model, and do not cut the prompt short."
        )
    counts = [layout.total for layout in layouts]
    whole = zip(sample.split(counts), column.split(counts), strict=True)
    return [(int(one[0]), columns) for one, columns in whole]


def marks(places: Sequence[Place]) -> list[int]:
    """How many tokens stand between the first and the last placeholder of each image as marks."""
    return [int(at[-1] - at[0]) + 1 - len(at) for _, at in places]


def columns(
    text: Bool[Tensor, "b l"], places: Sequence[Place], choices: Sequence[Choice]
) -> list[Int[Tensor, "_l"]]:
    """For each sample the columns of the untouched prompt that the new one is made of, in order.

    Text stays; a token takes the column of its anchor, so two may take the same one.
    """
    kept = [[one.nonzero()[:, 0]] for one in text.cpu()]
    for (sample, at), choice in zip(places, choices, strict=True):
        kept[sample].append(at[choice.anchor])
    return [torch.cat(parts).sort(stable=True).values for parts in kept]


def gathered(value: Tensor, chosen: Sequence[Int[Tensor, "_"]], fill: int = 0) -> Tensor:
    """``value`` (b ... l) at the chosen columns of each sample, filled up at the left."""
    length = max(map(len, chosen))
    out = value.new_full((*value.shape[:-1], length), fill)
    for sample, at in enumerate(chosen):
        out[sample, ..., length - len(at) :] = value[sample][..., at.to(value.device)]
    return out


def pruned(
    inputs: Mapping[str, Any],
    positions: Tensor,
    chosen: Sequence[Int[Tensor, "_"]],
    pad: int,
) -> dict[str, Tensor]:
    """Everything of the prompt that has a value per token, at the chosen columns.

    ``positions`` are the untouched prompt's: (b, l), or (3, b, l) of time, row and column.
    """
    out = {"input_ids": gathered(inputs["input_ids"], chosen, pad)}
    for name, fill in FILL.items():
        if name in inputs:
            out[name] = gathered(inputs[name], chosen, fill)
    if positions.dim() == 2:
        return out | {"position_ids": gathered(positions, chosen)}
    moved = gathered(positions.transpose(0, 1), chosen).transpose(0, 1)
    count = (out["attention_mask"].long().cumsum(-1) - 1).clamp(min=0)
    return out | {"position_ids": torch.cat((count[None], moved))}
