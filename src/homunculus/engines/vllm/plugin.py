# pyright: basic
"""What vLLM calls when it starts, in every process and perhaps more than once.

It only makes names known. Nothing changes in a process that does not ask for one of them.
"""

import logging
from typing import Any

from homunculus.engines.vllm.compat import check_version
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
    registry = _vllm("vllm").ModelRegistry
    known = registry.get_supported_archs()
    for name, place in ARCHITECTURES.items():
        if PREFIX + name not in known:
            module, one = place.split(":")
            registry.register_model(PREFIX + name, f"homunculus.engines.vllm.{module}:{one}")
    _register_connector()
    _register_renderer()


def _register_connector() -> None:
    connectors = _vllm("vllm.multimodal.media.connector").MEDIA_CONNECTOR_REGISTRY
    if NAME not in connectors.name2class:
        connectors.register(NAME)(_vllm("homunculus.engines.vllm.media").Connector)


def _register_renderer() -> None:
    """A mode of its own, as vLLM's `cohere` is one: the usual tokenizer with another renderer."""
    renderers = _vllm("vllm.renderers.registry").RENDERER_REGISTRY
    tokenizers = _vllm("vllm.tokenizers.registry").TokenizerRegistry
    if NAME not in renderers.renderers:
        renderers.register(NAME, "homunculus.engines.vllm.renderer", "Renderer")
        tokenizers.register(NAME, "vllm.tokenizers.hf", "CachedHfTokenizer")


def _vllm(module: str) -> Any:
    return need(module, "vllm", "homunculus.engines.vllm")
