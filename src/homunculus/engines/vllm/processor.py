# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
"""Between a request and vLLM's engine: questions are read, cells chosen, placeholders counted.

The question is part of what an image is known by, in every cache: no request can meet tokens that
were chosen for another one's question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from time import perf_counter
from typing import Any

from transformers import BatchFeature
from vllm.multimodal.hasher import MultiModalHasher
from vllm.multimodal.inputs import MultiModalFieldConfig
from vllm.multimodal.parse import ImageProcessorItems, MultiModalDataItems
from vllm.multimodal.processing import PromptReplacement

from homunculus.engines.vllm import chosen as fields
from homunculus.engines.vllm.asked import Marks, questions
from homunculus.engines.vllm.chosen import Eyes, chosen
from homunculus.engines.vllm.meter import METER
from homunculus.engines.vllm.serving import NAME, Serving

QUESTIONS, SERVING = f"{NAME}_questions", f"{NAME}_serving"
"""Keys under which `apply` hands on what it read, and which nobody outside ever sends."""


def plain(told: Mapping[str, Any]) -> dict[str, Any]:
    """Options without ours: what the family's own processor may see."""
    return {key: value for key, value in told.items() if key not in (NAME, QUESTIONS, SERVING)}


class Sized:
    """Of a family's information: an image has at most K tokens."""

    @cached_property
    def serving(self) -> Serving:
        """The operator's choice."""
        return Serving.of(self.get_hf_config())

    def get_mm_max_tokens_per_item(self, seq_len: int, mm_counts: Any) -> dict[str, int]:
        """What memory is set aside for."""
        out = dict(super().get_mm_max_tokens_per_item(seq_len, mm_counts) or {})
        if "image" in out:
            out["image"] = min(out["image"], self.serving.tokens)
        return out


class Choosing:
    """Of a family's processor."""

    # ---- the request -----------------------------------------------------------------------------

    def apply(self, inputs: Any, timing_ctx: Any) -> Any:
        """Read what is asked of each image, then go on as always."""
        told = dict(inputs.hf_processor_mm_kwargs)
        if SERVING in told or QUESTIONS in told:
            raise ValueError(f"homunculus: {SERVING} and {QUESTIONS} are no options of a request.")
        serving = self.info.serving.asked(told.pop(NAME, None) or {})
        many = inputs.mm_data_items.get_count("image", strict=False)
        if many > serving.images:
            raise ValueError(f"homunculus: at most {serving.images} images a request, got {many}.")
        if many and _pictures(inputs.mm_data_items) is not None:
            asked = questions(inputs.prompt, self._marks, many, serving)
            told |= {SERVING: serving, QUESTIONS: asked}
        return super().apply(replace(inputs, hf_processor_mm_kwargs=told), timing_ctx)

    @cached_property
    def _marks(self) -> Marks:
        config = self.info.get_hf_config()
        return Marks.of(self.info.get_tokenizer(), config.image_token_id)

    # ---- caches ----------------------------------------------------------------------------------

    def _get_mm_hashes(self, inputs: Any) -> Any:
        """What every cache knows an image by: its own content, its question and its budget.

        Names that a client gives to images are not believed where the image itself is there.
        """
        told = inputs.hf_processor_mm_kwargs
        if QUESTIONS not in told:
            return super()._get_mm_hashes(inputs)
        here = all(one is not None for one in inputs.mm_data_items["image"].data)
        uuids = dict(inputs.mm_uuid_items or {})
        if here:
            uuids.pop("image", None)
        bare = replace(inputs, hf_processor_mm_kwargs=plain(told), mm_uuid_items=uuids or None)
        out, serving = dict(super()._get_mm_hashes(bare)), told[SERVING]
        way = self.info.ctx.get_mm_config().mm_hasher_algorithm
        out["image"] = [
            MultiModalHasher.hash_kwargs(
                way, image=known, question=question, tokens=serving.tokens,
                method=serving.method, where=serving.where,
            )
            for known, question in zip(out["image"], told[QUESTIONS], strict=True)
        ]  # fmt: skip
        return out

    def _get_cache_missing_processor_kwargs(self, inputs: Any, mm_is_cached: Any) -> Any:
        """Options for the images that no cache holds: with their questions only."""
        told = inputs.hf_processor_mm_kwargs
        if QUESTIONS not in told:
            return super()._get_cache_missing_processor_kwargs(inputs, mm_is_cached)
        bare = replace(inputs, hf_processor_mm_kwargs=plain(told))
        out = dict(super()._get_cache_missing_processor_kwargs(bare, mm_is_cached))
        known = mm_is_cached.get("image", [])
        missing = [one for one, hit in zip(told[QUESTIONS], known, strict=True) if not hit]
        METER.reused(sum(known))
        return out | {SERVING: told[SERVING], QUESTIONS: missing}

    # ---- tensors ---------------------------------------------------------------------------------

    def _apply_hf_processor_main(self, mm_items: Any, hf_kwargs: Mapping[str, Any]) -> Any:
        """Images by us, all else by the family."""
        bare, pictures = plain(hf_kwargs), _pictures(mm_items)
        if QUESTIONS not in hf_kwargs or pictures is None:
            return super()._apply_hf_processor_main(mm_items, bare)
        others = {name: items for name, items in mm_items.items() if name != "image"}
        out = BatchFeature()
        if others:
            out = super()._apply_hf_processor_main(MultiModalDataItems(others), bare)
        start = perf_counter()
        mine = chosen(self._eyes(bare), pictures, hf_kwargs[QUESTIONS], hf_kwargs[SERVING])
        METER.chose(mine, self._unit, perf_counter() - start)
        out.update(mine)
        return out

    def _eyes(self, told: Mapping[str, Any]) -> Eyes:
        merged = self.info._merge_and_resolve_mm_processor_kwargs(told)
        config = self.info.get_hf_config()
        dtype = self.info.ctx.model_config.dtype
        eye = self.info.get_image_processor()
        options = dict(merged.get("images_kwargs", {}))
        if options.keys() & {"size", "min_pixels", "max_pixels"}:
            options["size"] = self.info._get_vision_size(options, default_size=eye.size)
        return Eyes(config, eye, options, dtype)

    @property
    def _unit(self) -> int:
        return self.info.get_hf_config().vision_config.spatial_merge_size ** 2

    def _get_mm_fields_config(self, hf_inputs: Any, hf_processor_mm_kwargs: Any) -> Any:
        """Which rows of each field belong to which image."""
        out = dict(super()._get_mm_fields_config(hf_inputs, plain(hf_processor_mm_kwargs)))
        if fields.SIZES not in hf_inputs:
            return out
        tokens, views = hf_inputs[fields.SIZES].unbind(1)
        cells = hf_inputs["image_grid_thw"].prod(-1) // self._unit
        whole = fields.MAP in hf_inputs
        rows = {
            "pixel_values": (cells if whole else tokens) * self._unit,
            fields.ANCHOR: tokens, fields.ORDER: tokens, fields.CELL: tokens,
            fields.PARTS: views, fields.MAP: cells,
        }  # fmt: skip
        for name, many in rows.items():
            if name in hf_inputs:
                on_cpu = name != "pixel_values"
                out[name] = MultiModalFieldConfig.flat_from_sizes("image", many, keep_on_cpu=on_cpu)
        for name in (fields.SIZES, fields.KEY):
            if name in hf_inputs:
                out[name] = MultiModalFieldConfig.batched("image", keep_on_cpu=True)
        return out

    # ---- the prompt ------------------------------------------------------------------------------

    def _get_prompt_updates(
        self, mm_items: Any, hf_processor_mm_kwargs: Any, out_mm_kwargs: Any
    ) -> Sequence[Any]:
        """As many placeholders as an image keeps."""
        bare = plain(hf_processor_mm_kwargs)
        updates = super()._get_prompt_updates(mm_items, bare, out_mm_kwargs)

        def counted(whole: Any, item: int) -> Any:
            mine = out_mm_kwargs["image"][item]
            if fields.ANCHOR not in mine:
                return whole(item)
            return whole(item)[:1] * len(mine[fields.ANCHOR].data)

        return [
            PromptReplacement(
                modality="image",
                target=update.target,
                replacement=lambda item, whole=update.replacement: counted(whole, item),
            )
            if update.modality == "image"
            else update
            for update in updates
        ]


def _pictures(items: Any) -> list[Any] | None:
    """The images of a request; None where there are none, or features in their place."""
    mine = items.get("image")
    if not isinstance(mine, ImageProcessorItems) or not len(mine):
        return None
    return [mine.get(at) for at in range(len(mine))]
