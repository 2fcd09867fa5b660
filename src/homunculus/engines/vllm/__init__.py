"""The plugin for vLLM: registers its architectures, and checks the version of vLLM.

vLLM calls `register` in every process, perhaps more than once. It only registers names; nothing
changes in a process that does not use them.
"""

import logging

from homunculus.engines.vllm.private import WHO, check_names, check_version
from homunculus.lazy import need

__all__ = ["ARCHITECTURES", "NAME", "PREFIX", "check_names", "check_version", "register"]

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
