# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""vLLM's multimodal processor: reads questions, chooses tokens, and counts placeholders.

The question is part of the key of an image in every cache, so that no request gets tokens that were
chosen for another question.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from transformers import BatchFeature
from vllm.multimodal.hasher import MultiModalHasher
from vllm.multimodal.inputs import MultiModalFieldConfig
from vllm.multimodal.parse import ImageProcessorItems, MultiModalDataItems
from vllm.multimodal.processing import PromptReplacement

from homunculus.cache import LRU
from homunculus.engines.cells.cache import tensor_bytes
from homunculus.engines.select import search
from homunculus.engines.vllm import NAME, choose
from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.private import image_options, vision_info
from homunculus.engines.vllm.settings import ServerSettings, check_images, check_options
from homunculus.planner.acuity import get_acuity
from homunculus.scouts.sight import Sight
from homunculus.scouts.version import scout_version

QUESTIONS, SETTINGS, KEYS = f"{NAME}_questions", f"{NAME}_settings", f"{NAME}_keys"
"""Options under which `apply` hands on what it read; requests may not set them."""
OURS = (NAME, QUESTIONS, SETTINGS, KEYS)
MAP_BYTES = 64 << 20
"""Bytes of relevance maps that are kept; the map of a page has about 40 KB."""
LATE = "-late"
"""The end of the key of an image whose search was not ready in time."""

Sights = LRU[str, Sight]
"""Relevance maps, and how sure they are, by the key of image, question and settings."""


def without_images(items: Mapping[str, Any]) -> dict[str, Any]:
    """All but the images of a request."""
    return {modality: own for modality, own in items.items() if modality != "image"}


def without_ours(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that the family's own processor may see."""
    return {key: value for key, value in options.items() if key not in OURS}


@dataclass(frozen=True, eq=False)
class Search:
    """The relevance search for one image and its question, which can run ahead of the processor."""

    key: str
    image: Any
    question: str
    settings: ServerSettings
    maps: Sights
    """Where the relevance map is put."""

    def run(self) -> None:
        """Search, unless the map is there already."""
        if self.key not in self.maps:
            settings = self.settings
            sight = search(self.image, self.question, settings.method_object, settings.scout_object)
            self.maps.put(self.key, light(sight))


def light(sight: Sight) -> Sight:
    """What a choice needs of a sight; views of larger arrays would keep those in memory."""
    facts = vars(sight).items()
    maps = {name: value.copy() for name, value in facts if isinstance(value, np.ndarray)}
    return replace(sight, **maps, trained=None, facts={})


class InfoMixin:
    """For the processing info of a family: an image has at most K tokens."""

    @cached_property
    def server_settings(self) -> ServerSettings:
        """The settings in the model's config."""
        return ServerSettings.of(self.get_hf_config())

    def get_mm_max_tokens_per_item(self, seq_len: int, mm_counts: Any) -> dict[str, int]:
        """The most tokens of an item, for which vLLM reserves memory."""
        out = dict(super().get_mm_max_tokens_per_item(seq_len, mm_counts) or {})
        if "image" in out:
            out["image"] = min(out["image"], self.server_settings.tokens)
        return out


class ProcessorMixin:
    """For the multimodal processor of a family: images become K tokens."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.maps: Sights = LRU(MAP_BYTES, tensor_bytes)
        self.late: Counter[str] = Counter()
        METER.expose()

    # ---- requests --------------------------------------------------------------------------------

    def apply(self, inputs: Any, timing_ctx: Any) -> Any:
        """Read the question about each image, then process the request as usual."""
        return super().apply(self._read(inputs), timing_ctx)

    def searches(self, inputs: Any) -> list[Search]:
        """The searches for a request's images whose relevance maps are not there yet."""
        options = self._read(inputs).hf_processor_mm_kwargs
        if QUESTIONS not in options:
            return []
        settings, images = options[SETTINGS], inputs.mm_data_items["image"]
        if settings.method_object.source == "nothing":
            return []
        return [
            Search(key, images.get(image), question, settings, self.maps)
            for image, (key, question) in enumerate(
                zip(options[KEYS], options[QUESTIONS], strict=True)
            )
            if key not in self.maps and self._vision_info(images, image)[1] > settings.tokens
        ]

    def get_dummy_mm_inputs(self, *args: Any, **more: Any) -> Any:
        """Dummy images of vLLM at start-up, which metrics do not count."""
        with METER.paused():
            return super().get_dummy_mm_inputs(*args, **more)

    def _read(self, inputs: Any) -> Any:
        """Checked inputs, with the settings, questions and keys of their images as options."""
        options = dict(inputs.hf_processor_mm_kwargs)
        check_options(inputs, self.info.ctx.get_mm_config())
        settings = self.info.server_settings.for_request(options.pop(NAME, None) or {})
        images = inputs.mm_data_items.get_count("image", strict=False)
        if not images or not isinstance(inputs.mm_data_items["image"], ImageProcessorItems):
            return replace(inputs, hf_processor_mm_kwargs=options)
        check_images(inputs.mm_data_items["image"], settings)
        contents = self._contents(replace(inputs, hf_processor_mm_kwargs=options))
        questions = choose.questions(inputs.prompt, self._marks, images, settings)
        keys = self._keys(contents, questions, settings)
        options |= {SETTINGS: settings, QUESTIONS: questions, KEYS: keys}
        return replace(inputs, hf_processor_mm_kwargs=options)

    def _vision_info(self, images: Any, image: int) -> Any:
        size = images.get_image_size(image)
        return vision_info(self.info, size.width, size.height)

    @cached_property
    def _marks(self) -> choose.Marks:
        config = self.info.get_hf_config()
        # a copy, because prompts are read in several threads
        return choose.Marks.of(deepcopy(self.info.get_tokenizer()), config.image_token_id)

    def _sight(self, key: str) -> Sight | None:
        """What a search found, if there was one; nothing, for a search that is late."""
        return choose.NOTHING if key.endswith(LATE) else self.maps.get(key)

    # ---- caches ----------------------------------------------------------------------------------

    def _get_mm_hashes(self, inputs: Any) -> Any:
        options = inputs.hf_processor_mm_kwargs
        if KEYS not in options:
            return super()._get_mm_hashes(inputs)
        bare = replace(
            inputs,
            mm_data_items=MultiModalDataItems(without_images(inputs.mm_data_items)),
            hf_processor_mm_kwargs=without_ours(options),
        )
        return dict(super()._get_mm_hashes(bare)) | {"image": options[KEYS]}

    def _contents(self, inputs: Any) -> list[str]:
        """For each image, a digest of its pixels. UUIDs that a client gives are not trusted."""
        options, images = inputs.hf_processor_mm_kwargs, inputs.mm_data_items["image"]
        bare = replace(
            inputs,
            mm_data_items=MultiModalDataItems({"image": images}),
            hf_processor_mm_kwargs=without_ours(options),
            mm_uuid_items=without_images(inputs.mm_uuid_items or {}) or None,
        )
        return list(super()._get_mm_hashes(bare)["image"])

    def _keys(
        self, contents: Sequence[str], questions: Sequence[str], settings: ServerSettings
    ) -> list[str]:
        """For each image, a digest of its pixels, its question, the settings and the scout."""
        same = {
            "tokens": settings.tokens, "method": settings.method, "where": settings.where,
            "views": f"{get_acuity(settings.acuity)} {settings.context}",
            "version": scout_version(settings.scout),
        }  # fmt: skip
        keys = [
            self._hash(image=content, question=question, **same)
            for content, question in zip(contents, questions, strict=True)
        ]
        return [key + LATE if self.late[key] else key for key in keys]

    def _hash(self, **values: Any) -> str:
        algorithm = self.info.ctx.get_mm_config().mm_hasher_algorithm
        return MultiModalHasher.hash_kwargs(algorithm, **values)

    def _get_cache_missing_processor_kwargs(self, inputs: Any, mm_is_cached: Any) -> Any:
        """Options for the images that are not cached, with their questions only."""
        options = inputs.hf_processor_mm_kwargs
        if QUESTIONS not in options:
            return super()._get_cache_missing_processor_kwargs(inputs, mm_is_cached)
        bare = replace(inputs, hf_processor_mm_kwargs=without_ours(options))
        out = dict(super()._get_cache_missing_processor_kwargs(bare, mm_is_cached))
        cached = mm_is_cached.get("image", [])
        METER.count("images_reused", sum(cached))
        for name in (QUESTIONS, KEYS):
            out[name] = [own for own, hit in zip(options[name], cached, strict=True) if not hit]
        return out | {SETTINGS: options[SETTINGS]}

    # ---- tensors ---------------------------------------------------------------------------------

    def _apply_hf_processor_main(self, mm_items: Any, hf_kwargs: Mapping[str, Any]) -> Any:
        bare, images = without_ours(hf_kwargs), _images(mm_items)
        if images is None or QUESTIONS not in hf_kwargs:
            return super()._apply_hf_processor_main(mm_items, bare)
        out = BatchFeature()
        if others := without_images(mm_items):
            out = super()._apply_hf_processor_main(MultiModalDataItems(others), bare)
        start = perf_counter()
        sights = [self._sight(key) for key in hf_kwargs[KEYS]]
        fields = choose.choose_tokens(
            self._image_inputs(bare), images, hf_kwargs[QUESTIONS], hf_kwargs[SETTINGS], sights
        )
        native = int(fields["image_grid_thw"].prod(-1).sum()) // self._unit
        tokens = len(fields[choose.ANCHOR])
        METER.count_choice(len(images), tokens, native, perf_counter() - start)
        out.update(fields)
        return out

    def _image_inputs(self, options: Mapping[str, Any]) -> choose.ImageInputs:
        return choose.ImageInputs(
            self.info.get_hf_config(),
            self.info.get_image_processor(),
            image_options(self.info, options),
            self.info.ctx.model_config.dtype,
        )

    @property
    def _unit(self) -> int:
        return self.info.get_hf_config().vision_config.spatial_merge_size ** 2

    def _get_mm_fields_config(self, hf_inputs: Any, hf_processor_mm_kwargs: Any) -> Any:
        """How the rows of each field belong to images."""
        out = dict(super()._get_mm_fields_config(hf_inputs, without_ours(hf_processor_mm_kwargs)))
        if choose.SIZES not in hf_inputs:
            return out
        tokens, views = hf_inputs[choose.SIZES].unbind(1)
        cells = hf_inputs["image_grid_thw"].prod(-1) // self._unit
        whole = choose.MAP in hf_inputs
        rows = {
            "pixel_values": (cells if whole else tokens) * self._unit,
            choose.ANCHOR: tokens, choose.ORDER: tokens, choose.CELL: tokens,
            choose.PARTS: views, choose.MAP: cells, **dict.fromkeys(choose.MATERIAL, cells),
        }  # fmt: skip
        for name, sizes in rows.items():
            if name in hf_inputs:
                on_cpu = name != "pixel_values"
                out[name] = MultiModalFieldConfig.flat_from_sizes(
                    "image", sizes, keep_on_cpu=on_cpu
                )
        out[choose.SIZES] = MultiModalFieldConfig.batched("image", keep_on_cpu=True)
        return out

    # ---- prompts ---------------------------------------------------------------------------------

    def _get_prompt_updates(
        self, mm_items: Any, hf_processor_mm_kwargs: Any, out_mm_kwargs: Any
    ) -> Sequence[Any]:
        """As many placeholders as an image keeps tokens."""
        bare = without_ours(hf_processor_mm_kwargs)
        updates = super()._get_prompt_updates(mm_items, bare, out_mm_kwargs)

        def placeholders(native: Any, item: int) -> Any:
            fields = out_mm_kwargs["image"][item]
            if choose.ANCHOR not in fields:
                return native(item)
            return native(item)[:1] * len(fields[choose.ANCHOR].data)

        return [
            PromptReplacement(
                modality="image",
                target=update.target,
                replacement=lambda item, native=update.replacement: placeholders(native, item),
            )
            if update.modality == "image"
            else update
            for update in updates
        ]


def _images(items: Any) -> list[Any] | None:
    """The images of a request; None if it has none, or embeddings instead."""
    images = items.get("image")
    if not isinstance(images, ImageProcessorItems) or not len(images):
        return None
    return [images.get(image) for image in range(len(images))]
