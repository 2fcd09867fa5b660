# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""Between a request and vLLM's engine: questions are read, cells chosen, placeholders counted.

The question is part of what an image is known by, in every cache: no request can meet tokens that
were chosen for another one's question.
"""

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from time import perf_counter
from typing import Any, Generic, TypeVar

from torch import Tensor
from transformers import BatchFeature
from vllm.multimodal.hasher import MultiModalHasher
from vllm.multimodal.inputs import MultiModalFieldConfig
from vllm.multimodal.parse import ImageProcessorItems, MultiModalDataItems
from vllm.multimodal.processing import PromptReplacement

from homunculus.engines.select import search, version
from homunculus.engines.vllm import choose as fields
from homunculus.engines.vllm.choose import Eyes, Marks, chosen, questions
from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.settings import NAME, Serving, check_images, check_options

Key = TypeVar("Key", bound=Hashable)


class Recent(Generic[Key]):
    """What was not used for longest goes first; safe under threads."""

    def __init__(self, most: int) -> None:
        self.most, self.bytes = most, 0
        self._held: OrderedDict[Key, Tensor] = OrderedDict()
        self._lock = Lock()

    def __contains__(self, key: Key) -> bool:
        return self.get(key) is not None

    def get(self, key: Key) -> Tensor | None:
        """The tensor, now the last to go; None if it is not here."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def put(self, key: Key, value: Tensor) -> None:
        """Keep a copy, unless the key is known or it is larger than all that may be kept."""
        with self._lock:
            if key in self._held or value.nbytes > self.most:
                return
            self._held[key] = value.clone()  # not a view of a whole batch
            self.bytes += value.nbytes
            while self.bytes > self.most:
                _, old = self._held.popitem(last=False)
                self.bytes -= old.nbytes

    def clear(self) -> None:
        """Let go of all."""
        with self._lock:
            self._held.clear()
            self.bytes = 0


BYTES = 64 << 20
"""Of all maps; a page's is about 40 KB."""


class Maps(Recent[str]):
    """By the key of picture, question and setting."""

    def __init__(self, most: int = BYTES) -> None:
        super().__init__(most)


QUESTIONS, SERVING, KEYS = f"{NAME}_questions", f"{NAME}_serving", f"{NAME}_keys"
"""Keys under which `apply` hands on what it read, and which nobody outside ever sends."""
OURS = (NAME, QUESTIONS, SERVING, KEYS)


def plain(told: Mapping[str, Any]) -> dict[str, Any]:
    """Options without ours: what the family's own processor may see."""
    return {key: value for key, value in told.items() if key not in OURS}


@dataclass(frozen=True, eq=False)
class Search:
    """Looking for one question on one picture: what takes long, and can be done ahead."""

    key: str
    image: Any
    question: str
    serving: Serving
    maps: Maps

    def run(self) -> None:
        """Make the relevance, and leave it for the processor; once, whoever else asks for it."""
        if self.key not in self.maps:
            sight = search(self.image, self.question, self.serving.rule, self.serving.eyes)
            self.maps.put(self.key, sight.logit)


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

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.maps = Maps()
        METER.expose()

    # ---- the request -----------------------------------------------------------------------------

    def apply(self, inputs: Any, timing_ctx: Any) -> Any:
        """Read what is asked of each image, then go on as always."""
        return super().apply(self._read(inputs), timing_ctx)

    def searches(self, inputs: Any) -> list[Search]:
        """What is to be looked for on a request's images and was not looked for before."""
        told = self._read(inputs).hf_processor_mm_kwargs
        if QUESTIONS not in told:
            return []
        serving, images = told[SERVING], inputs.mm_data_items["image"]
        large = [at for at in range(len(images)) if self._native(images, at) > serving.tokens]
        return [
            Search(key, images.get(at), told[QUESTIONS][at], serving, self.maps)
            for at in large
            if serving.rule.source != "nothing" and (key := told[KEYS][at]) not in self.maps
        ]

    def get_dummy_mm_inputs(self, *args: Any, **more: Any) -> Any:
        """vLLM's own pictures, at start-up: they are not counted."""
        with METER.paused():
            return super().get_dummy_mm_inputs(*args, **more)

    def _read(self, inputs: Any) -> Any:
        """Inputs with the setting, the questions and the keys of their images, once checked."""
        told = dict(inputs.hf_processor_mm_kwargs)
        check_options(inputs, self.info.ctx.get_mm_config())
        serving = self.info.serving.for_request(told.pop(NAME, None) or {})
        images = inputs.mm_data_items.get_count("image", strict=False)
        if not images or not isinstance(inputs.mm_data_items["image"], ImageProcessorItems):
            return replace(inputs, hf_processor_mm_kwargs=told)
        check_images(inputs.mm_data_items["image"], serving)
        told |= {SERVING: serving}
        told[QUESTIONS] = questions(inputs.prompt, self._marks, images, serving)
        inputs = replace(inputs, hf_processor_mm_kwargs=told)
        return replace(inputs, hf_processor_mm_kwargs=told | {KEYS: self._keys(inputs)})

    def _native(self, images: Any, at: int) -> int:
        """Tokens that an image would cost, from its size alone."""
        size = images.get_image_size(at)
        return self.info.get_num_image_tokens(
            image_width=size.width, image_height=size.height,
            image_processor=self.info.get_image_processor(), mm_kwargs={},
        )  # fmt: skip

    @cached_property
    def _marks(self) -> Marks:
        config = self.info.get_hf_config()
        # a copy: prompts are read in several threads, and vLLM's own is set anew at each use
        return Marks.of(deepcopy(self.info.get_tokenizer()), config.image_token_id)

    # ---- caches ----------------------------------------------------------------------------------

    def _get_mm_hashes(self, inputs: Any) -> Any:
        """What every cache knows an image by: see `_keys`."""
        told = inputs.hf_processor_mm_kwargs
        if KEYS not in told:
            return super()._get_mm_hashes(inputs)
        others = {name: one for name, one in inputs.mm_data_items.items() if name != "image"}
        bare = replace(
            inputs,
            mm_data_items=MultiModalDataItems(others),
            hf_processor_mm_kwargs=plain(told),
        )
        return dict(super()._get_mm_hashes(bare)) | {"image": told[KEYS]}

    def _keys(self, inputs: Any) -> list[str]:
        """Of each image its content, its question, the setting, and what looks for the question.

        Names that a client gives to images are not believed.
        """
        told, images = inputs.hf_processor_mm_kwargs, inputs.mm_data_items["image"]
        uuids = {name: one for name, one in (inputs.mm_uuid_items or {}).items() if name != "image"}
        bare = replace(
            inputs,
            mm_data_items=MultiModalDataItems({"image": images}),
            hf_processor_mm_kwargs=plain(told),
            mm_uuid_items=uuids or None,
        )
        serving, way = told[SERVING], self.info.ctx.get_mm_config().mm_hasher_algorithm
        return [
            MultiModalHasher.hash_kwargs(
                way, image=known, question=question, tokens=serving.tokens,
                method=serving.method, where=serving.where,
                version=version(serving.scout),
            )
            for known, question in zip(
                super()._get_mm_hashes(bare)["image"], told[QUESTIONS], strict=True
            )
        ]  # fmt: skip

    def _get_cache_missing_processor_kwargs(self, inputs: Any, mm_is_cached: Any) -> Any:
        """Options for the images that no cache holds: with their questions only."""
        told = inputs.hf_processor_mm_kwargs
        if QUESTIONS not in told:
            return super()._get_cache_missing_processor_kwargs(inputs, mm_is_cached)
        bare = replace(inputs, hf_processor_mm_kwargs=plain(told))
        out = dict(super()._get_cache_missing_processor_kwargs(bare, mm_is_cached))
        known = mm_is_cached.get("image", [])
        METER.reused(sum(known))
        for name in (QUESTIONS, KEYS):
            out[name] = [one for one, hit in zip(told[name], known, strict=True) if not hit]
        return out | {SERVING: told[SERVING]}

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
        maps = [self.maps.get(key) for key in hf_kwargs[KEYS]]
        eyes, asked = self._eyes(bare), hf_kwargs[QUESTIONS]
        mine = chosen(eyes, pictures, asked, hf_kwargs[SERVING], maps)
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
            fields.PARTS: views, fields.MAP: cells, **dict.fromkeys(fields.MATERIAL, cells),
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
