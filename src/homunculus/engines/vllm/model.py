# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""Qwen's model families in vLLM, with image features of the chosen tokens only."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from vllm.model_executor.layers.attention.mm_encoder_attention import MMEncoderAttention
from vllm.model_executor.models import qwen2_5_vl, qwen2_vl, qwen3_vl
from vllm.multimodal import MULTIMODAL_REGISTRY
from vllm.multimodal.inputs import PlaceholderRange

from homunculus.engines.families import merged_layouts
from homunculus.engines.qwen import order_by_window
from homunculus.engines.vllm import choose
from homunculus.engines.vllm.processor import InfoMixin, ProcessorMixin
from homunculus.engines.vllm.settings import ServerSettings

# ---- vision tower --------------------------------------------------------------------------------


PLACES = ("pos_embeds", "rotary_pos_emb_cos", "rotary_pos_emb_sin")
"""Metadata of a tower with one row for each patch of a grid."""


def encode_cells(
    tower: Any,
    pixels: Float[Tensor, "patches d"],
    views: Int[Tensor, "views 3"],
    cell: Int[Tensor, "k"],
) -> Float[Tensor, "k d2"]:
    """Encode the chosen cells of all views: one row each."""
    unit, merge = tower.spatial_merge_size**2, tower.spatial_merge_size
    grids = [[1, rows * merge, cols * merge] for rows, cols, _ in views.tolist()]
    starts = torch.tensor([0, *(views[:, 0] * views[:, 1]).cumsum(0)[:-1]])
    cell = cell + starts.repeat_interleave(views[:, 2])
    patch = (cell[:, None] * unit + torch.arange(unit)).flatten()
    # a sequence for each view, as long as its kept cells; what else it holds depends on backends
    metadata = tower.prepare_encoder_metadata(
        [[1, merge, merge * cells] for *_, cells in views.tolist()]
    )
    if hasattr(tower, "get_window_index_thw"):
        metadata |= _windows(tower, grids, cell)
    else:
        metadata |= _places(tower, grids, patch)
    return tower(pixels, None, encoder_metadata=metadata)


def _places(
    tower: Any, grids: Sequence[Sequence[int]], patch: Int[Tensor, "p"]
) -> dict[str, Tensor]:
    tables = [tower.prepare_encoder_metadata([list(grid)]) for grid in grids]
    names = [name for name in PLACES if name in tables[0]]
    whole = {name: torch.cat([table[name] for table in tables]) for name in names}
    return {name: table[patch.to(table.device)] for name, table in whole.items()}


def _windows(
    tower: Any, grids: Sequence[Sequence[int]], cell: Int[Tensor, "k"]
) -> dict[str, Tensor]:
    """Metadata of a tower with windows: cells in window order, rotations, ends of windows."""
    unit, first = tower.spatial_merge_size**2, 0
    orders, ends = [], [torch.zeros(1).int()]
    rotations = [tower.rotary_pos_emb_thw(*grid) for grid in grids]
    for grid in grids:
        order, end = tower.get_window_index_thw(*grid)
        orders.append(order + first)
        ends.append(end + unit * first)
        first += len(order)
    index, ends = order_by_window(torch.cat(orders), torch.cat(ends), cell, unit)
    device = rotations[0][0].device
    ordered = cell[index].to(device)
    cos, sin = (torch.cat(parts)[ordered].flatten(0, 1) for parts in zip(*rotations, strict=True))
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


# ---- model ---------------------------------------------------------------------------------------


class ModelMixin:
    """For the model of a family: image features of chosen tokens, at their native positions.

    Videos, and embeddings instead of images, are left to the family.
    """

    supports_mm_device_do_normalize = False  # coarse cells are means, not bytes
    supports_encoder_cudagraph = False  # graphs are captured for whole images

    @cached_property
    def server_settings(self) -> ServerSettings:
        """The settings in the model's config."""
        return ServerSettings.of(self.config)

    # ---- features --------------------------------------------------------------------------------

    def embed_multimodal(self, **kwargs: Any) -> Any:
        """Features for the placeholders of each image."""
        if choose.SIZES not in kwargs:
            return super().embed_multimodal(**kwargs)
        fields = {name: kwargs[name] for name in kwargs if name.startswith("kept_")}
        patches, grids = kwargs["pixel_values"], kwargs["image_grid_thw"]
        if choose.MAP in fields:
            return self._embed_after(patches, grids, fields)
        return self._embed_before(patches, fields)

    def _embed_before(self, patches: Tensor, fields: dict[str, Tensor]) -> tuple[Tensor, ...]:
        views, cell = fields[choose.PARTS], fields[choose.CELL]
        rows = encode_cells(self.visual, patches, views, cell)
        counts = fields[choose.SIZES][:, 0].tolist()
        pairs = zip(rows.split(counts), fields[choose.ORDER].split(counts), strict=True)
        return tuple(own[order.to(own.device)] for own, order in pairs)

    def _embed_after(
        self, patches: Tensor, grids: Tensor, fields: dict[str, Tensor]
    ) -> tuple[Tensor, ...]:
        layouts = merged_layouts(grids.tolist(), self.visual.spatial_merge_size)
        features = super()._process_image_input(
            {"type": "pixel_values", "pixel_values": patches, "image_grid_thw": grids}
        )
        method = self.server_settings.method_object
        choices = choose.choose_again(fields, layouts, method, features)
        embeds: list[Tensor] = []
        for choice, own in zip(choices, features, strict=True):
            assert choice.embed is not None
            embeds.append(choice.embed.to(own.dtype))
        return tuple(embeds)

    # ---- positions -------------------------------------------------------------------------------

    def get_mrope_input_positions(
        self, input_tokens: list[int], mm_features: list[Any]
    ) -> tuple[Tensor, int]:
        """Positions of tokens in the untouched prompt."""
        native, features, columns = untouched(input_tokens, mm_features, self._unit)
        positions, _ = super().get_mrope_input_positions(native, features)
        return positions[:, columns], int(positions.max()) + 1 - len(input_tokens)

    @property
    def _unit(self) -> int:
        return self.config.vision_config.spatial_merge_size**2


def untouched(
    tokens: Sequence[int], features: Sequence[Any], unit: int
) -> tuple[list[int], list[Any], Tensor]:
    """The untouched prompt and its features, and for each of our tokens its column there."""
    native: list[int] = []
    moved, columns, done = [], [], 0
    for feature in sorted(features, key=lambda feature: feature.mm_position.offset):
        start, length = feature.mm_position.offset, feature.mm_position.length
        if feature.data is None or choose.ANCHOR not in feature.data:
            position = replace(feature.mm_position, offset=len(native) + start - done)
            moved.append(replace(feature, mm_position=position))
            continue
        columns.append(torch.arange(start - done) + len(native))
        native += tokens[done:start]
        total = int(feature.data["image_grid_thw"].data.prod()) // unit
        moved.append(replace(feature, mm_position=PlaceholderRange(len(native), total)))
        columns.append(feature.data[choose.ANCHOR].data + len(native))
        native += [tokens[start]] * total
        done = start + length
    columns.append(torch.arange(len(tokens) - done) + len(native))
    return [*native, *tokens[done:]], moved, torch.cat(columns)


# ---- families ------------------------------------------------------------------------------------


class Qwen3Info(InfoMixin, qwen3_vl.Qwen3VLProcessingInfo):
    """Processing info of Qwen3-VL."""


class Qwen3Processor(ProcessorMixin, qwen3_vl.Qwen3VLMultiModalProcessor):
    """Multimodal processor of Qwen3-VL."""


@MULTIMODAL_REGISTRY.register_processor(
    Qwen3Processor, info=Qwen3Info, dummy_inputs=qwen3_vl.Qwen3VLDummyInputsBuilder
)
class Qwen3(ModelMixin, qwen3_vl.Qwen3VLForConditionalGeneration):
    """Qwen3-VL; DeepStack channels follow the embedding in each row."""


class Qwen25Info(InfoMixin, qwen2_5_vl.Qwen2_5_VLProcessingInfo):
    """Processing info of Qwen2.5-VL."""


class Qwen25Processor(ProcessorMixin, qwen2_5_vl.Qwen2_5_VLMultiModalProcessor):
    """Multimodal processor of Qwen2.5-VL."""


@MULTIMODAL_REGISTRY.register_processor(
    Qwen25Processor, info=Qwen25Info, dummy_inputs=qwen2_5_vl.Qwen2_5_VLDummyInputsBuilder
)
class Qwen25(ModelMixin, qwen2_5_vl.Qwen2_5_VLForConditionalGeneration):
    """Qwen2.5-VL; kept cells attend to kept cells of the same window."""


class Qwen2Info(InfoMixin, qwen2_vl.Qwen2VLProcessingInfo):
    """Processing info of Qwen2-VL."""


class Qwen2Processor(ProcessorMixin, qwen2_vl.Qwen2VLMultiModalProcessor):
    """Multimodal processor of Qwen2-VL."""


@MULTIMODAL_REGISTRY.register_processor(
    Qwen2Processor, info=Qwen2Info, dummy_inputs=qwen2_vl.Qwen2VLDummyInputsBuilder
)
class Qwen2(ModelMixin, qwen2_vl.Qwen2VLForConditionalGeneration):
    """Qwen2-VL."""
