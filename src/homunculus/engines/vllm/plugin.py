# pyright: basic
"""What vLLM calls when it starts, in every process and perhaps more than once.

It only makes names known. Nothing changes in a process that does not ask for one of them.
"""

import logging

from homunculus.engines.vllm.compat import WHO, check_version
from homunculus.extra import need

PREFIX = "Homunculus"
NAME = "homunculus"
"""Our place in a model's config and among a request's `mm_processor_kwargs`, and the name of our
media connector (`VLLM_MEDIA_CONNECTOR`) and renderer (`--tokenizer-mode`)."""
ARCHITECTURES = {
    "Qwen3VLForConditionalGeneration": "qwen:Qwen3",
    "Qwen2_5_VLForConditionalGeneration": "qwen:Qwen25",
    "Qwen2VLForConditionalGeneration": "qwen:Qwen2",
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
