# pyright: basic
"""What vLLM calls when it starts, in every process and perhaps more than once."""

from typing import Any

from homunculus.extra import need

PREFIX = "Homunculus"
ARCHITECTURES = {
    "Qwen3VLForConditionalGeneration": "qwen:Qwen3",
    "Qwen2_5_VLForConditionalGeneration": "qwen:Qwen25",
    "Qwen2VLForConditionalGeneration": "qwen:Qwen2",
}
"""vLLM's architectures, and the class here that stands in for each one."""


def register() -> None:
    """Make our architectures known; their modules are imported when one of them is served."""
    registry = need("vllm", "vllm", "homunculus.engines.vllm").ModelRegistry
    _bounded()
    known = registry.get_supported_archs()
    for name, place in ARCHITECTURES.items():
        if PREFIX + name not in known:
            module, one = place.split(":")
            registry.register_model(PREFIX + name, f"homunculus.engines.vllm.{module}:{one}")


def _bounded() -> None:
    """vLLM bounds an image by its header, with a word to the client; Pillow's own, looser bound
    comes first and ends as a fault of the server. Where there is the one, the other is not needed.
    """
    if need("vllm.envs", "vllm", "homunculus.engines.vllm").VLLM_MAX_IMAGE_PIXELS > 0:
        images: Any = need("PIL.Image", "vllm", "homunculus.engines.vllm")
        images.MAX_IMAGE_PIXELS = None
