# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
"""vLLM's towers on chosen cells: each view of an image a sequence of its own."""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from vllm.model_executor.layers.attention.mm_encoder_attention import MMEncoderAttention

from homunculus.engines.part.packed import windowed


def encoded(
    tower: Any,
    pixels: Float[Tensor, "patches d"],
    views: Int[Tensor, "views 3"],
    cell: Int[Tensor, "k"],
) -> Float[Tensor, "k d2"]:
    """One row for each chosen cell, view after view."""
    unit, merge = tower.spatial_merge_size**2, tower.spatial_merge_size
    grids = [[1, rows * merge, cols * merge] for rows, cols, _ in views.tolist()]
    starts = torch.tensor([0, *(views[:, 0] * views[:, 1]).cumsum(0)[:-1]])
    cell = cell + starts.repeat_interleave(views[:, 2])
    patch = (cell[:, None] * unit + torch.arange(unit)).flatten()
    # as long as what is kept of each view: sequences, their lengths, all that hangs on backends
    told = tower.prepare_encoder_metadata([[1, merge, merge * many] for *_, many in views.tolist()])
    if hasattr(tower, "get_window_index_thw"):
        told |= _windows(tower, grids, cell)
    else:
        whole = tower.prepare_encoder_metadata(grids)
        for name in ("pos_embeds", "rotary_pos_emb_cos", "rotary_pos_emb_sin"):
            if name in whole:
                told[name] = whole[name][patch.to(whole[name].device)]
    return tower(pixels, None, encoder_metadata=told)


def _windows(
    tower: Any, grids: Sequence[Sequence[int]], cell: Int[Tensor, "k"]
) -> dict[str, Tensor]:
    """Cells in the order of their windows, each with its own turn, and where windows end."""
    unit, orders, ends, last = tower.spatial_merge_size**2, [], [torch.zeros(1).int()], 0
    turns = [tower.rotary_pos_emb_thw(*grid) for grid in grids]
    for grid in grids:
        order, end = tower.get_window_index_thw(*grid)
        orders.append(order + last)
        ends.append(end + unit * last)
        last += len(order)
    index, ends = windowed(torch.cat(orders), torch.cat(ends), cell, unit)
    device = turns[0][0].device
    mine = cell[index].to(device)
    cos, sin = (torch.cat(parts)[mine].flatten(0, 1) for parts in zip(*turns, strict=True))
    edges = ends.numpy()
    return {
        "rotary_pos_emb_cos": cos.to(tower.device),
        "rotary_pos_emb_sin": sin.to(tower.device),
        "window_index": index.to(tower.device),
        "reverse_indices": index.argsort().to(tower.device),
        "cu_window_seqlens": MMEncoderAttention.maybe_recompute_cu_seqlens(
            tower.attn_backend, edges, tower.hidden_size, tower.tp_size, tower.device,
            fp8_padded_hidden_size=tower.fp8_padded_hidden_size,
        ),
        "max_seqlen_window": torch.tensor(
            MMEncoderAttention.compute_max_seqlen(tower.attn_backend, edges), dtype=torch.int32
        ),
        "sequence_lengths_window": MMEncoderAttention.maybe_compute_seq_lens(
            tower.attn_backend, edges, tower.device
        ),
    }  # fmt: skip
