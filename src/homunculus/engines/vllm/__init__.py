"""What vLLM calls when it starts, in every process and perhaps more than once.

It only makes names known. Nothing changes in a process that does not ask for one of them.
"""

import logging
import re
from importlib import import_module

from homunculus.lazy import need

WHO = "homunculus.engines.vllm"
PREFIX = "Homunculus"
NAME = "homunculus"
"""Our place in a model's config and among a request's `mm_processor_kwargs`, and the name of our
media connector (`VLLM_MEDIA_CONNECTOR`) and renderer (`--tokenizer-mode`)."""
ARCHITECTURES = {
    "Qwen3VLForConditionalGeneration": "model:Qwen3",
    "Qwen2_5_VLForConditionalGeneration": "model:Qwen25",
    "Qwen2VLForConditionalGeneration": "model:Qwen2",
}
"""vLLM's architectures, and the class here that stands in for each one."""


def register() -> None:
    """Make our architectures known; their modules are imported when one of them is served.

    An untested vLLM may have other names than we know: it is left alone, with a word in its log.
    """
    try:
        check_version()
    except ValueError as error:
        logging.getLogger("vllm.homunculus").warning("not registered: %s", error)
        return
    registry = need("vllm", "vllm", WHO).ModelRegistry
    known = registry.get_supported_archs()
    for name, place in ARCHITECTURES.items():
        if PREFIX + name not in known:
            module, one = place.split(":")
            registry.register_model(PREFIX + name, f"homunculus.engines.vllm.{module}:{one}")
    _register_connector()
    _register_renderer()


def _register_connector() -> None:
    from homunculus.engines.vllm.media import Connector

    media = need("vllm.multimodal.media.connector", "vllm", WHO)
    if NAME not in media.MEDIA_CONNECTOR_REGISTRY.name2class:
        media.MEDIA_CONNECTOR_REGISTRY.register(NAME)(Connector)


def _register_renderer() -> None:
    """A mode of its own, as vLLM's `cohere` is one: the usual tokenizer with another renderer."""
    renderers = need("vllm.renderers.registry", "vllm", WHO).RENDERER_REGISTRY
    tokenizers = need("vllm.tokenizers.registry", "vllm", WHO).TokenizerRegistry
    if NAME not in renderers.renderers:
        renderers.register(NAME, "homunculus.engines.vllm.renderer", "Renderer")
        tokenizers.register(NAME, "vllm.tokenizers.hf", "CachedHfTokenizer")


# ---- which vLLM ----

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
    "vllm.renderers.base:BaseRenderer": "_process_multimodal clear_mm_cache",
    "vllm.renderers.hf:HfRenderer": "render_messages_async",
    "vllm.renderers.registry": "RENDERER_REGISTRY",
    "vllm.tokenizers.registry": "TokenizerRegistry",
    "vllm.utils.torch_utils": "set_default_torch_num_threads",
    "vllm.multimodal.hasher:MultiModalHasher": "hash_kwargs",
    "vllm.multimodal.inputs": "MultiModalFieldConfig PlaceholderRange",
    "vllm.multimodal.parse": "ImageProcessorItems MultiModalDataItems parse_mm_uuids",
    "vllm.multimodal.processing": "ProcessorInputs PromptReplacement",
    "vllm.multimodal.registry:MultiModalRegistry": "create_processor register_processor",
    f"{_MODELS}.qwen2_vl:Qwen2VLProcessingInfo": _INFO,
    f"{_MODELS}.qwen2_5_vl:Qwen2_5_VLProcessingInfo": _INFO,
    f"{_MODELS}.qwen3_vl:Qwen3VLProcessingInfo": _INFO,
    f"{_MODELS}.qwen2_vl:Qwen2VLMultiModalProcessor": _PROCESSOR,
    f"{_MODELS}.qwen2_5_vl:Qwen2_5_VLMultiModalProcessor": _PROCESSOR,
    f"{_MODELS}.qwen3_vl:Qwen3VLMultiModalProcessor": _PROCESSOR,
    # workers
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
"""By module, or module and class."""


def check_version() -> None:
    """Raise unless vLLM is of the minor version that was tested."""
    found = str(need("vllm", "vllm", WHO).__version__)
    if not re.match(rf"{re.escape(TESTED)}(?!\d)", found):
        raise ValueError(
            f"homunculus is tested with vLLM {TESTED}.x, found {found}. "
            f"Install the tested one: pip install '{PIN}'."
        )


def check_names() -> None:
    """Raise if a name that we call or override is gone."""
    gone = [f"{place}.{name}" for place, names in NAMES.items() for name in _missing(place, names)]
    if gone:
        found = need("vllm", "vllm", WHO).__version__
        raise ValueError(
            f"homunculus is tested with vLLM {TESTED}.x, found {found} without {', '.join(gone)}. "
            f"Install the tested one: pip install '{PIN}'."
        )


def _missing(place: str, names: str) -> list[str]:
    module, _, owner = place.partition(":")
    try:
        held = import_module(module)
    except ImportError:
        return names.split()
    held = getattr(held, owner, None) if owner else held
    return [name for name in names.split() if not hasattr(held, name)]
