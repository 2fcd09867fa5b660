"""Pack: the only place that gathers features. Reading order, positions, boxes."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.engines.cells.check import check_plan
from homunculus.engines.cells.types import Allocation, Field, Tokens


def pack(field: Field, allocation: Allocation) -> Tokens:
    """Turn a plan into tokens: each slot the weighted mean of its cells, sorted for reading.

    A slot's box has the centre and the spread of what it reads: the cell itself where it reads
    one, the whole block where it is the mean of a block.

    >>> import torch
    >>> from homunculus import get_method, pack
    >>> tokens = pack(*get_method("grid").plan([(2, 2)], torch.tensor([[0.0, 3, 1, 2]]), 2))
    >>> tokens.box[0].tolist()  # y0 x0 y1 x1 of the two most relevant cells
    [[0.0, 1.0, 1.0, 2.0], [1.0, 1.0, 2.0, 2.0]]
    """
    check_plan(field, allocation, "pack")
    box = footprint(field, allocation)
    main = allocation.index.gather(2, allocation.weight.argmax(2, keepdim=True))[..., 0]
    level = field.level.gather(1, main)
    order = reading_order(box, level, allocation.valid)
    index, weight = (_rows(part, order) for part in (allocation.index, allocation.weight))
    valid = allocation.valid.gather(1, order)
    box = _rows(box, order) * valid[..., None]
    return Tokens(
        embed=None if field.feature is None else gather(field.feature, index, weight),
        position=(box[..., :2] + box[..., 2:]) / 2,
        box=box,
        level=level.gather(1, order) * valid,
        valid=valid,
    )


def _rows(part: Float[Tensor, "b k m"] | Int[Tensor, "b k m"], order: Int[Tensor, "b k"]) -> Tensor:
    return part.gather(1, order[..., None].expand(-1, -1, part.shape[2]))


def footprint(field: Field, allocation: Allocation) -> Float[Tensor, "b k 4"]:
    """The rectangle with the same centre and the same variance as the weighted cells."""
    images, slots, fan = allocation.index.shape
    index = allocation.index.reshape(images, -1, 1).expand(-1, -1, 4)
    box = field.box.gather(1, index)
    if fan == 1:
        return box
    # double, then 4096ths of a cell: the same however far a batch pads the fan-in
    box = box.view(images, slots, fan, 4).double()
    weight = allocation.weight.detach().double()[..., None]
    middle, side = (box[..., :2] + box[..., 2:]) / 2, box[..., 2:] - box[..., :2]
    centre = (middle * weight).sum(2)
    spread = ((middle - centre[:, :, None]).square() + side.square() / 12) * weight
    half = (3 * spread.sum(2)).sqrt()
    return ((torch.cat((centre - half, centre + half), -1) * 4096).round() / 4096).float()


def reading_order(
    box: Float[Tensor, "b k 4"], level: Int[Tensor, "b k"], valid: Bool[Tensor, "b k"]
) -> Int[Tensor, "b k"]:
    """By the box's upper edge, then left to right, coarse before fine; padding last."""
    # eighths of a cell tell lattice points apart; two coordinates and a level fill 62 bits
    place = (box[..., :2] * 8).round().long()
    row = place[..., 0].masked_fill(~valid, 2**27 + 1)
    return ((row << 35) + (place[..., 1] << 7) - level).argsort(dim=1, stable=True)


def gather(
    feature: Float[Tensor, "b n d"], index: Int[Tensor, "b k m"], weight: Float[Tensor, "b k m"]
) -> Float[Tensor, "b k d"]:
    """Weighted means of cells' features without ever holding b x k x m x d of them."""
    images, cells, channels = feature.shape
    first = torch.arange(images, device=index.device)[:, None, None] * cells
    embed = F.embedding_bag(
        (index + first).flatten(0, 1),
        feature.reshape(-1, channels),
        per_sample_weights=weight.flatten(0, 1).to(feature.dtype),
        mode="sum",
    )
    return embed.view(images, -1, channels)
