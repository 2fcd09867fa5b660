# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""Qwen's families under vLLM."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property, wraps
from typing import Any
from weakref import WeakSet

import torch
from jaxtyping import Float, Int
from torch import Tensor
from vllm.model_executor.layers.attention.mm_encoder_attention import MMEncoderAttention
from vllm.model_executor.models import qwen2_5_vl, qwen2_vl, qwen3_vl
from vllm.multimodal import MULTIMODAL_REGISTRY
from vllm.multimodal.inputs import PlaceholderRange

from homunculus.engines.families import merged
from homunculus.engines.qwen import windowed
from homunculus.engines.vllm import choose as fields
from homunculus.engines.vllm.processor import Choosing, Recent, Sized
from homunculus.engines.vllm.settings import Serving


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


class Kept:
    """Of a family's model. Videos, and features that came in place of images, pass through."""

    supports_mm_device_do_normalize = False  # means of pixels are no bytes
    supports_encoder_cudagraph = False  # its graphs are captured for whole images

    @cached_property
    def serving(self) -> Serving:
        """The operator's choice."""
        return Serving.of(self.config)

    @cached_property
    def _seen(self) -> "Seen":
        reset_with_encoder_cache()
        return Seen(self.serving.memory)

    def load_weights(self, *args: Any, **more: Any) -> Any:
        """Features of other weights are worth nothing."""
        self._seen.clear()
        return super().load_weights(*args, **more)

    # ---- features --------------------------------------------------------------------------------

    def embed_multimodal(self, **kwargs: Any) -> Any:
        """Rows for the placeholders of each image."""
        if fields.SIZES not in kwargs:
            return super().embed_multimodal(**kwargs)
        mine = {name: kwargs[name] for name in kwargs if name.startswith("kept_")}
        rows, grids = kwargs["pixel_values"], kwargs["image_grid_thw"]
        return self._whole(rows, grids, mine) if fields.MAP in mine else self._parts(rows, mine)

    def _parts(self, rows: Tensor, mine: dict[str, Tensor]) -> tuple[Tensor, ...]:
        """Only what is kept is encoded."""
        found = encoded(self.visual, rows, mine[fields.PARTS], mine[fields.CELL])
        many = mine[fields.SIZES][:, 0].tolist()
        pairs = zip(found.split(many), mine[fields.ORDER].split(many), strict=True)
        return tuple(own[order.to(own.device)] for own, order in pairs)

    def _whole(self, rows: Tensor, grids: Tensor, mine: dict[str, Tensor]) -> tuple[Tensor, ...]:
        """All of an image is encoded once; tokens are chosen from what is known of it."""
        merge = self.visual.spatial_merge_size
        layouts = merged(grids.tolist(), merge)
        counts = [len(layout.row) for layout in layouts]
        keys = [bytes(key.tolist()) for key in mine[fields.KEY]]
        pixels = dict(zip(keys, rows.split([merge**2 * many for many in counts]), strict=True))
        known = {key: found for key in pixels if (found := self._seen.get(key)) is not None}
        new = {key: own for key, own in pixels.items() if key not in known}
        if new:
            at = [keys.index(key) for key in new]
            found = super()._process_image_input(
                {
                    "type": "pixel_values",
                    "pixel_values": torch.cat(list(new.values())),
                    "image_grid_thw": grids[at],
                }
            )
            known |= dict(zip(new, found, strict=True))
        for key in known:
            self._seen.put(key, known[key])
        every = [known[key] for key in keys]
        choices = fields.choose_again(mine, layouts, self.serving.rule, every)
        pairs = zip(choices, every, strict=True)
        return tuple(choice.embed.to(own.dtype) for choice, own in pairs)  # pyright: ignore[reportOptionalMemberAccess]

    # ---- places ----------------------------------------------------------------------------------

    def get_mrope_input_positions(
        self, input_tokens: list[int], mm_features: list[Any]
    ) -> tuple[Tensor, int]:
        """A token keeps the place that it would have had in the untouched prompt."""
        whole, features, columns = untouched(input_tokens, mm_features, self._unit)
        places, _ = super().get_mrope_input_positions(whole, features)
        mine = places[:, columns]
        return mine, int(places.max()) + 1 - len(input_tokens)

    @property
    def _unit(self) -> int:
        return self.config.vision_config.spatial_merge_size**2


def untouched(
    tokens: Sequence[int], features: Sequence[Any], unit: int
) -> tuple[list[int], list[Any], Tensor]:
    """The prompt as it would be, and for each token of ours its column there."""
    whole: list[int] = []
    grown, columns, done = [], [], 0
    for one in sorted(features, key=lambda feature: feature.mm_position.offset):
        if one.data is None or fields.ANCHOR not in one.data:
            at = len(whole) + one.mm_position.offset - done
            grown.append(replace(one, mm_position=replace(one.mm_position, offset=at)))
            continue
        start, many = one.mm_position.offset, one.mm_position.length
        columns.append(torch.arange(start - done) + len(whole))
        whole += tokens[done:start]
        native = int(one.data["image_grid_thw"].data.prod()) // unit
        grown.append(replace(one, mm_position=PlaceholderRange(len(whole), native)))
        columns.append(one.data[fields.ANCHOR].data + len(whole))
        whole += [tokens[start]] * native
        done = start + many
    columns.append(torch.arange(len(tokens) - done) + len(whole))
    return [*whole, *tokens[done:]], grown, torch.cat(columns)


_SEEN: "WeakSet[Seen]" = WeakSet()


@cache
def reset_with_encoder_cache() -> None:
    """Whoever empties the worker's encoder cache empties our features, too.

    vLLM tells a model nothing of it, so the worker's method is wrapped, once, and only in a process
    that serves one of our models.
    """
    from vllm.v1.worker.gpu_worker import Worker  # heavy, and the API server never needs it

    reset = Worker.reset_encoder_cache

    @wraps(reset)
    def both(worker: Any) -> None:
        reset(worker)
        for one in _SEEN:
            one.clear()

    Worker.reset_encoder_cache = both


class Seen(Recent[bytes]):
    """Features of images; emptied with the worker's encoder cache."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        _SEEN.add(self)


class Qwen3Info(Sized, qwen3_vl.Qwen3VLProcessingInfo):
    """Sizes of Qwen3-VL."""


class Qwen3Processor(Choosing, qwen3_vl.Qwen3VLMultiModalProcessor):
    """Requests to Qwen3-VL."""


@MULTIMODAL_REGISTRY.register_processor(
    Qwen3Processor, info=Qwen3Info, dummy_inputs=qwen3_vl.Qwen3VLDummyInputsBuilder
)
class Qwen3(Kept, qwen3_vl.Qwen3VLForConditionalGeneration):
    """Qwen3-VL; what goes in deeper (DeepStack) stands behind each row's embedding."""


class Qwen25Info(Sized, qwen2_5_vl.Qwen2_5_VLProcessingInfo):
    """Sizes of Qwen2.5-VL."""


class Qwen25Processor(Choosing, qwen2_5_vl.Qwen2_5_VLMultiModalProcessor):
    """Requests to Qwen2.5-VL."""


@MULTIMODAL_REGISTRY.register_processor(
    Qwen25Processor, info=Qwen25Info, dummy_inputs=qwen2_5_vl.Qwen2_5_VLDummyInputsBuilder
)
class Qwen25(Kept, qwen2_5_vl.Qwen2_5_VLForConditionalGeneration):
    """Qwen2.5-VL; cells of a window see each other, as many as are kept of it."""


class Qwen2Info(Sized, qwen2_vl.Qwen2VLProcessingInfo):
    """Sizes of Qwen2-VL."""


class Qwen2Processor(Choosing, qwen2_vl.Qwen2VLMultiModalProcessor):
    """Requests to Qwen2-VL."""


@MULTIMODAL_REGISTRY.register_processor(
    Qwen2Processor, info=Qwen2Info, dummy_inputs=qwen2_vl.Qwen2VLDummyInputsBuilder
)
class Qwen2(Kept, qwen2_vl.Qwen2VLForConditionalGeneration):
    """Qwen2-VL."""
