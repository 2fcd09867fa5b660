"""The plugin for vLLM: registers its architectures, and checks the version of vLLM.

vLLM calls `register` in every process, perhaps more than once. It only registers names; nothing
changes in a process that does not use them.
"""

import logging
import re
from importlib import import_module
from typing import Any

from homunculus.lazy import need

WHO = "homunculus.engines.vllm"
PREFIX = "Homunculus"
NAME = "homunculus"
"""Our key in a model's config and in a request's `mm_processor_kwargs`, and the name of our media
connector (`VLLM_MEDIA_CONNECTOR`) and renderer (`--tokenizer-mode`)."""
ARCHITECTURES = {
    "Qwen3VLForConditionalGeneration": "model:Qwen3",
    "Qwen2_5_VLForConditionalGeneration": "model:Qwen25",
    "Qwen2VLForConditionalGeneration": "model:Qwen2",
}
"""vLLM's architectures, and the module and class that replace each of them."""


def register() -> None:
    """Register our architectures; their modules are imported when one of them is served.

    With an untested version of vLLM nothing is registered, and a warning is logged.
    """
    try:
        check_version()
    except ValueError as error:
        logging.getLogger("vllm.homunculus").warning("not registered: %s", error)
        return
    registry = need("vllm", "vllm", WHO).ModelRegistry
    supported = registry.get_supported_archs()
    for name, place in ARCHITECTURES.items():
        if PREFIX + name not in supported:
            registry.register_model(PREFIX + name, f"homunculus.engines.vllm.{place}")
    _register_connector()
    _register_renderer()


def _register_connector() -> None:
    from homunculus.engines.vllm.media import Connector

    media = need("vllm.multimodal.media.connector", "vllm", WHO)
    if NAME not in media.MEDIA_CONNECTOR_REGISTRY.name2class:
        media.MEDIA_CONNECTOR_REGISTRY.register(NAME)(Connector)


def _register_renderer() -> None:
    """Register a tokenizer mode, like vLLM's `cohere`: the usual tokenizer, another renderer."""
    renderers = need("vllm.renderers.registry", "vllm", WHO).RENDERER_REGISTRY
    tokenizers = need("vllm.tokenizers.registry", "vllm", WHO).TokenizerRegistry
    if NAME not in renderers.renderers:
        renderers.register(NAME, "homunculus.engines.vllm.renderer", "Renderer")
        tokenizers.register(NAME, "vllm.tokenizers.hf", "CachedHfTokenizer")


# ---- version of vLLM -----------------------------------------------------------------------------

TESTED, PIN = "0.32", "vllm>=0.32,<0.33"
_INFO = (
    "_get_vision_info _get_vision_size _merge_and_resolve_mm_processor_kwargs get_hf_config "
    "get_image_processor get_mm_max_tokens_per_item get_num_image_tokens parse_mm_data"
)
_PROCESSOR = (
    "_apply_hf_processor_main _get_cache_missing_processor_kwargs _get_mm_fields_config "
    "_get_mm_hashes _get_prompt_updates apply get_dummy_mm_inputs"
)
_MODEL = "_process_image_input embed_multimodal get_mrope_input_positions load_weights"
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
    "vllm.lora.layers": "BaseLayerWithLoRA",
    "vllm.v1.worker.gpu_worker:Worker": "reset_encoder_cache",
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
"""Names of vLLM that we call or override, by module or by module and class."""


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
