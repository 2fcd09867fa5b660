"""The self-test before a server starts: one image through vLLM's own processor.

It needs the model's config, tokenizer and image processor; no weights and no accelerator.
"""

import argparse
import math
from typing import Any

from homunculus.engines.vllm import PREFIX
from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.settings import ServerSettings
from homunculus.lazy import need

WHO = "homunculus serve"
QUESTION = "What is the total?"


def self_test(arguments: argparse.Namespace, settings: ServerSettings) -> str:
    """Raise unless a test image costs exactly K tokens; returns a line for the log."""
    vllm = need("vllm", "vllm", WHO)
    # this loads vLLM's plugins, as in every worker
    engine = vllm.AsyncEngineArgs.from_cli_args(arguments)
    (name,) = arguments.hf_overrides["architectures"]
    if name not in vllm.ModelRegistry.get_supported_archs():
        raise ValueError(
            f"self-test: vLLM does not know {name}, because the plugin was not loaded. "
            "Install homunculus-vlm into vLLM's environment."
        )
    config = engine.create_model_config()
    check_config(config, settings)
    expected, count, native = count_tokens(config, settings)
    if count != expected:
        raise ValueError(
            f"self-test: expected {expected} tokens of an image that has {native}, got {count}. "
            "Look for flags or plugins that replace the model's processor."
        )
    model = name.removeprefix(PREFIX)
    return f"{model}, {settings.tokens} tokens per image, self-test passed ({count} of {native})"


def check_config(config: Any, settings: ServerSettings) -> None:
    """Raise unless vLLM serves the model with our class and our settings."""
    from homunculus.engines.vllm.model import ModelMixin  # imports vLLM

    loader = need("vllm.model_executor.model_loader", "vllm", WHO)
    kind, _ = loader.get_model_architecture(config)
    if not issubclass(kind, ModelMixin):
        raise ValueError(
            f"self-test: expected vLLM to serve the model by a class of homunculus, got "
            f"{kind.__module__}.{kind.__name__}. Leave out flags that choose another one, such as "
            "--model-impl."
        )
    if ServerSettings.of(config.hf_config) != settings:
        raise ValueError(
            f"self-test: expected {settings} in the model's config, got "
            f"{ServerSettings.of(config.hf_config)}. Look for plugins that change it."
        )


def count_tokens(config: Any, settings: ServerSettings) -> tuple[int, int, int]:
    """Tokens of a test image: expected, actual, and without homunculus."""
    images = need("PIL.Image", "vllm", WHO)
    processor = need("vllm.multimodal", "vllm", WHO).MULTIMODAL_REGISTRY.create_processor(config)
    info, vision = processor.info, config.hf_config.vision_config
    cell = vision.patch_size * vision.spatial_merge_size
    # twice the budget, where the model's largest image allows that
    side = cell * math.ceil(math.sqrt(2 * settings.tokens))
    size, native = info._get_vision_info(
        image_width=side,
        image_height=side,
        image_processor=info.get_image_processor(),
        mm_kwargs={},
        modality="image",
    )
    expected = settings.method_object.count(
        (size.height // cell, size.width // cell), settings.tokens
    )
    picture = images.radial_gradient("L").resize((side, side)).convert("RGB")
    prompt = processor.dummy_inputs.get_dummy_text({"image": 1}) + QUESTION
    try:
        with METER.paused():  # it is not a request
            inputs = processor(prompt, info.parse_mm_data({"image": picture}))
    except Exception as error:
        raise ValueError(
            f"self-test: expected {settings.tokens} tokens of a test image, got "
            f"{type(error).__name__}: {error}. Every request with an image would fail like this."
        ) from error
    count = inputs["prompt_token_ids"].count(config.hf_config.image_token_id)
    return expected, count, native
