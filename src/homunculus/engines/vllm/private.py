# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# Parts of vLLM that its authors do not promise have no types.
"""All that we use of vLLM without a promise of its authors, as seen in vLLM 0.32.

Names that begin with an underscore, and methods that our classes override. `check_names` looks for
each of them before a server starts.
"""

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from homunculus.lazy import need

WHO = "homunculus.engines.vllm"
TESTED, PIN = "0.32", "vllm>=0.32,<0.33"
_INFO = (
    "_get_vision_info _get_vision_size _merge_and_resolve_mm_processor_kwargs get_hf_config "
    "get_image_processor get_mm_max_tokens_per_item get_num_image_tokens parse_mm_data"
)
_PROCESSOR = (
    "_apply_hf_processor_main _get_cache_missing_processor_kwargs _get_mm_fields_config "
    "_get_mm_hashes _get_prompt_updates apply get_dummy_mm_inputs"
)
_MODEL = "_process_image_input embed_multimodal get_mrope_input_positions"
_MODELS = "vllm.model_executor.models"
NAMES = {
    # start-up
    "vllm": "AsyncEngineArgs ModelRegistry",
    "vllm.engine.arg_utils:AsyncEngineArgs": "create_model_config from_cli_args",
    "vllm.entrypoints.cli.serve:ServeSubcommand": "cmd subparser_init validate",
    "vllm.entrypoints.serve.utils.api_utils": "cli_env_setup",
    "vllm.logger": "configure_logging_from_args",
    "vllm.model_executor.model_loader": "get_model_architecture",
    "vllm.transformers_utils.config": "get_config",
    "vllm.utils.argparse_utils:FlexibleArgumentParser": "parse_args",
    # requests
    "vllm.multimodal": "MULTIMODAL_REGISTRY",
    "vllm.multimodal.image": "normalize_image",
    "vllm.multimodal.media": "MediaConnector MediaWithBytes",
    "vllm.multimodal.media.connector": "MEDIA_CONNECTOR_REGISTRY",
    "vllm.multimodal.media.connector:MediaConnector": (
        "fetch_image fetch_image_async load_from_url load_from_url_async"
    ),
    "vllm.multimodal.media.image:ImageMediaIO": "_convert_image_mode load_bytes",
    "vllm.multimodal.media.video": "VideoMediaIO",
    "vllm.multimodal.cache.base": "MultiModalCache MultiModalProcessorCacheItemMetadata",
    "vllm.multimodal.cache.lru:LruKeyReplicatedSenderCache": "cache_if_fits",
    "vllm.renderers.base:BaseRenderer": (
        "_process_multimodal clear_mm_cache mm_processor_cache render_chat_async"
    ),
    "vllm.renderers.hf:HfRenderer": "render_messages_async",
    "vllm.renderers.registry": "RENDERER_REGISTRY",
    "vllm.tokenizers.registry": "TokenizerRegistry",
    "vllm.utils.async_utils": "make_async",
    "vllm.utils.torch_utils": "set_default_torch_num_threads",
    "vllm.multimodal.hasher:MultiModalHasher": "hash_kwargs",
    "vllm.multimodal.inputs": "MultiModalFieldConfig PlaceholderRange",
    "vllm.multimodal.parse": "ImageProcessorItems MultiModalDataItems parse_mm_uuids",
    "vllm.multimodal.processing": "ProcessorInputs PromptReplacement PromptUpdateDetails",
    "vllm.multimodal.registry:MultiModalRegistry": "create_processor register_processor",
    f"{_MODELS}.qwen2_vl:Qwen2VLProcessingInfo": _INFO,
    f"{_MODELS}.qwen2_5_vl:Qwen2_5_VLProcessingInfo": _INFO,
    f"{_MODELS}.qwen3_vl:Qwen3VLProcessingInfo": _INFO,
    f"{_MODELS}.qwen2_vl:Qwen2VLMultiModalProcessor": _PROCESSOR,
    f"{_MODELS}.qwen2_5_vl:Qwen2_5_VLMultiModalProcessor": _PROCESSOR,
    f"{_MODELS}.qwen3_vl:Qwen3VLMultiModalProcessor": _PROCESSOR,
    # workers
    f"{_MODELS}.qwen2_vl:Qwen2VLForConditionalGeneration": _MODEL,
    f"{_MODELS}.qwen2_5_vl:Qwen2_5_VLForConditionalGeneration": _MODEL,
    f"{_MODELS}.qwen3_vl:Qwen3VLForConditionalGeneration": _MODEL,
    f"{_MODELS}.qwen2_vl:Qwen2VisionTransformer": "prepare_encoder_metadata",
    f"{_MODELS}.qwen2_5_vl:Qwen2_5_VisionTransformer": (
        "get_window_index_thw prepare_encoder_metadata rotary_pos_emb_thw"
    ),
    f"{_MODELS}.qwen3_vl:Qwen3_VisionTransformer": "prepare_encoder_metadata",
    "vllm.model_executor.layers.attention.mm_encoder_attention:MMEncoderAttention": (
        "compute_max_seqlen maybe_compute_seq_lens maybe_recompute_cu_seqlens"
    ),
}
"""Names that we call or override, by module or by module and class."""


def check_version() -> None:
    """Raise unless vLLM has the minor version that was tested."""
    version = str(need("vllm", "vllm", WHO).__version__)
    if not re.match(rf"{re.escape(TESTED)}(?!\d)", version):
        raise ValueError(
            f"homunculus is tested with vLLM {TESTED}.x, found {version}. "
            f"Install the tested one: pip install '{PIN}'."
        )


def check_names() -> None:
    """Raise if vLLM lacks a name that we call or override."""
    missing = [
        f"{place}.{name}" for place, names in NAMES.items() for name in _missing(place, names)
    ]
    if missing:
        version = need("vllm", "vllm", WHO).__version__
        raise ValueError(
            f"homunculus is tested with vLLM {TESTED}.x, found {version} "
            f"without {', '.join(missing)}. Install the tested one: pip install '{PIN}'."
        )


def _missing(place: str, names: str) -> list[str]:
    module, _, owner = place.partition(":")
    try:
        holder: Any = import_module(module)
    except ImportError:
        return names.split()
    holder = getattr(holder, owner, None) if owner else holder
    return [name for name in names.split() if not hasattr(holder, name)]


# ---- processing info of a family -----------------------------------------------------------------


def vision_info(info: Any, width: int, height: int) -> Any:
    """The size at which the model sees an untouched image, and its tokens."""
    return info._get_vision_info(
        image_width=width,
        image_height=height,
        image_processor=info.get_image_processor(),
        mm_kwargs={},
        modality="image",
    )


def image_options(info: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the family's image processor, from those of a request and of the server."""
    merged = info._merge_and_resolve_mm_processor_kwargs(options)
    options = dict(merged.get("images_kwargs", {}))
    if options.keys() & {"size", "min_pixels", "max_pixels"}:
        size = info.get_image_processor().size
        options["size"] = info._get_vision_size(options, default_size=size)
    return options


# ---- the API server's notes of the engine's processor cache --------------------------------------


def limit_notes(cache: Any, gigabytes: float) -> None:
    """Let the API server note fewer images than the engine keeps."""
    library = need("vllm.multimodal.cache.base", "vllm", WHO)
    kind = library.MultiModalProcessorCacheItemMetadata
    cache._cache = library.MultiModalCache.get_lru_cache(gigabytes, kind)


def take_note(cache: Any, key: str) -> Any:
    """Remove a note and return it; None if there is none."""
    return cache._cache.pop(key, None)


def put_note(cache: Any, key: str, note: Any) -> None:
    """Put a note back."""
    cache.cache_if_fits(cache._cache, key, note)
