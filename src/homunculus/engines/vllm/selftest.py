# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
"""Before the engine starts: one picture through vLLM's own processor, and its tokens counted.

It needs the model's config, tokenizer and image processor; no weights and no accelerator.
"""

import argparse
import math
from typing import Any

from homunculus.engines.vllm.meter import METER
from homunculus.engines.vllm.plugin import PREFIX
from homunculus.engines.vllm.serving import Serving

QUESTION = "What is the total?"


def self_test(arguments: argparse.Namespace, serving: Serving) -> str:
    """A line for the log; raises if images would not cost what they should."""
    from vllm import AsyncEngineArgs, ModelRegistry

    engine = AsyncEngineArgs.from_cli_args(arguments)  # loads vLLM's plugins, as every worker does
    (name,) = arguments.hf_overrides["architectures"]
    if name not in ModelRegistry.get_supported_archs():
        raise ValueError(
            f"self-test: expected vLLM to know {name}, which the plugin `homunculus` registers, "
            "but the plugin was not loaded. Install homunculus-vlm into vLLM's environment."
        )
    config = engine.create_model_config()
    check_config(config, serving)
    expected, found, native = counts(config, serving)
    if found != expected:
        raise ValueError(
            f"self-test: expected {expected} tokens of an image that has {native}, got {found}. "
            "Look for flags or plugins that replace the model's processor."
        )
    known = name.removeprefix(PREFIX)
    return f"{known}, {serving.tokens} tokens per image, self-test passed ({found} of {native})"


def check_config(config: Any, serving: Serving) -> None:
    """That vLLM took our class, and that our setting reaches it."""
    from vllm.model_executor.model_loader import get_model_architecture

    from homunculus.engines.vllm.model import Kept

    found, _ = get_model_architecture(config)
    if not issubclass(found, Kept):
        raise ValueError(
            f"self-test: expected vLLM to serve the model by a class of homunculus, got "
            f"{found.__module__}.{found.__name__}. Drop flags that choose another one, such as "
            "--model-impl."
        )
    if Serving.of(config.hf_config) != serving:
        raise ValueError(
            f"self-test: expected {serving} in the model's config, got "
            f"{Serving.of(config.hf_config)}. Look for plugins that change it."
        )


def counts(config: Any, serving: Serving) -> tuple[int, int, int]:
    """Tokens that a test image should cost, does cost, and would cost without us."""
    from PIL import Image
    from vllm.multimodal import MULTIMODAL_REGISTRY

    processor = MULTIMODAL_REGISTRY.create_processor(config)
    info, sight = processor.info, config.hf_config.vision_config
    # twice the budget, where the model's largest image allows that
    side = sight.patch_size * sight.spatial_merge_size * math.ceil(math.sqrt(2 * serving.tokens))
    size, native = info._get_vision_info(
        image_width=side,
        image_height=side,
        image_processor=info.get_image_processor(),
        mm_kwargs={},
        modality="image",
    )
    cell = sight.patch_size * sight.spatial_merge_size
    expected = serving.rule.count((size.height // cell, size.width // cell), serving.tokens)
    picture = Image.radial_gradient("L").resize((side, side)).convert("RGB")
    prompt = processor.dummy_inputs.get_dummy_text({"image": 1}) + QUESTION
    try:
        with METER.paused():  # this is no request
            made = processor(prompt, info.parse_mm_data({"image": picture}))
    except Exception as error:
        raise ValueError(
            f"self-test: expected {serving.tokens} tokens of a test image, got "
            f"{type(error).__name__}: {error}. Every request with an image would fail like this."
        ) from error
    found = made["prompt_token_ids"].count(config.hf_config.image_token_id)
    return expected, found, native
