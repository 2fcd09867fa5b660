# pyright: basic
"""What vLLM calls when it starts, in every process and perhaps more than once."""

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
    known = registry.get_supported_archs()
    for name, place in ARCHITECTURES.items():
        if PREFIX + name not in known:
            module, one = place.split(":")
            registry.register_model(PREFIX + name, f"homunculus.engines.vllm.{module}:{one}")
