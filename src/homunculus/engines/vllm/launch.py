"""`python -m homunculus.engines.vllm.launch SETTING serve MODEL ...`: self-test, then the server.

vLLM's own parser reads the command line, so that every spelling (underscores, dotted keys, a YAML
file, abbreviations) means the same as for `vllm serve`. Our settings are added to its result.
"""

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from multiprocessing import get_context
from typing import Any, NoReturn

from homunculus.engines.vllm import PREFIX, check_names, check_version
from homunculus.engines.vllm.private import vision_info
from homunculus.engines.vllm.settings import Flags, ServerSettings, limit_images, merge
from homunculus.engines.vllm.stock import (
    MIDDLEWARE,
    STOCK_FAMILIES,
    VARIABLE,
    WINDOWS,
    ViewSettings,
    describe,
    find_rule,
    stock_family,
    view_settings,
)
from homunculus.lazy import need

WHO = "homunculus serve"
QUESTION = "What is the total?"
"""Asked of the test image; no weights and no accelerator are needed to count its tokens."""
FAULTS = (ValueError, OSError, ImportError)
"""Errors with a message for the operator; anything else is a bug, with its traceback."""
FLAGS = [field.name for field in fields(Flags)]


def main(words: Sequence[str]) -> None:
    """Check the flags, run the self-test, then run vLLM's server."""
    try:
        check_version()
        arguments, settings = prepare(words[1:], json.loads(words[0]))
    except FAULTS as error:
        _fail(error)
    code = run_in_child(lambda: _test(arguments, settings))
    if code < 0:
        _fail(RuntimeError(f"the self-test was killed by signal {-code}. Is there enough memory?"))
    if code:
        sys.exit(code)
    arguments.dispatch_function(arguments)


def _test(arguments: argparse.Namespace, settings: ServerSettings | ViewSettings) -> None:
    try:
        check_names()
        if isinstance(settings, ViewSettings):
            passed = count_views(arguments, settings)
        else:
            passed = self_test(arguments, settings)
    except FAULTS as error:
        _fail(error)
    sys.stderr.write(f"homunculus: {passed}\n")


def _fail(error: Exception) -> NoReturn:
    sys.stderr.write(f"{WHO}: {error}\n")
    sys.exit(2)


def run_in_child(work: Callable[[], None]) -> int:
    """Run a function in a forked process and return the exit code.

    What the self-test loads, 150 MB, does not stay in the server's memory.
    """
    child = get_context("fork").Process(target=work)
    child.start()
    child.join()
    return child.exitcode or 0


def prepare(
    words: Sequence[str], setting: Mapping[str, Any]
) -> tuple[argparse.Namespace, ServerSettings | ViewSettings]:
    """vLLM's arguments with ours added, and our settings."""
    arguments = parse(words)
    _check_flags(arguments)
    given = Flags(*(getattr(arguments, name) for name in FLAGS))
    overrides = given.hf_overrides if isinstance(given.hf_overrides, Mapping) else {}
    names = list(overrides.get("architectures") or architectures(arguments))
    if name := stock_family(names):
        return arguments, _prepare_views(arguments, setting, name)
    flags, settings = merge(given, setting, lambda: names)
    vars(arguments).update(vars(flags))
    return arguments, settings


def _prepare_views(
    arguments: argparse.Namespace, setting: Mapping[str, Any], name: str
) -> ViewSettings:
    arguments.limit_mm_per_prompt, images = limit_images(
        arguments.limit_mm_per_prompt, setting.get("images"), WINDOWS + 1
    )
    settings = view_settings({**setting, "images": images}, name)
    usual = {"hf_overrides": {}, "trust_request_mm_kwargs": False, "tokenizer_mode": "auto"}
    for flag, value in usual.items():
        setattr(arguments, flag, getattr(arguments, flag) or value)
    options = arguments.mm_processor_kwargs or {}
    arguments.mm_processor_kwargs = {**STOCK_FAMILIES[name].options, **options} or None
    arguments.middleware = [*arguments.middleware, MIDDLEWARE]
    os.environ[VARIABLE] = json.dumps(asdict(settings))
    return settings


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line of `vllm`; flags that carry our settings are None if not given."""
    need("vllm.entrypoints.serve.utils.api_utils", "vllm", WHO).cli_env_setup()
    flexible = need("vllm.utils.argparse_utils", "vllm", WHO).FlexibleArgumentParser
    parser = flexible(prog=WHO.split()[0])
    verb = need("vllm.entrypoints.cli.serve", "vllm", WHO).ServeSubcommand()
    serve = verb.subparser_init(parser.add_subparsers(dest="subparser"))
    serve.usage = f"{WHO} MODEL [options]"
    serve.set_defaults(dispatch_function=verb.cmd, model=None, **dict.fromkeys(FLAGS))
    try:
        arguments = parser.parse_args(list(words))
    except Exception as error:  # no such file, no YAML, no value for a dotted key, ...
        raise ValueError(
            f"vLLM cannot read these flags: {error or type(error).__name__}"
        ) from error
    arguments.model = arguments.model_tag or arguments.model
    if arguments.model is None:
        raise ValueError(
            f"expected a model, got none. For example: {WHO} Qwen/Qwen3-VL-8B-Instruct"
        )
    need("vllm.logger", "vllm", WHO).configure_logging_from_args(arguments)
    verb.validate(arguments)
    return arguments


def _check_flags(arguments: argparse.Namespace) -> None:
    """Raise on flags that would bypass the plugin, or allow no images."""
    if need("vllm.envs", "vllm", WHO).VLLM_USE_RUST_FRONTEND:
        raise ValueError(
            "VLLM_USE_RUST_FRONTEND starts a front end without Python plugins. Unset it."
        )
    for flag in ("grpc", "enable_scale_out", "tokens_only"):
        if getattr(arguments, flag):
            raise ValueError(
                f"--{flag.replace('_', '-')} takes images that clients have prepared, without "
                "a question. Leave it out."
            )
    if arguments.language_model_only:
        raise ValueError("--language-model-only allows no images. Use `vllm serve` instead.")


def architectures(arguments: argparse.Namespace) -> list[str]:
    """The architectures in the model's config, in the given revision and format."""
    config = need("vllm.transformers_utils.config", "vllm", WHO).get_config(
        arguments.hf_config_path or arguments.model,
        arguments.trust_remote_code,
        arguments.revision,
        arguments.code_revision,
        arguments.config_format,
        token=arguments.hf_token,
    )
    return list(config.architectures or [])


# ---- the self-test: one image through vLLM's own processor ---------------------------------------


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


def count_views(arguments: argparse.Namespace, settings: ViewSettings) -> str:
    """Raise unless a rule says what images of any size cost; returns a line for the log."""
    engine = need("vllm", "vllm", WHO).AsyncEngineArgs.from_cli_args(arguments)
    rule = find_rule(engine.create_model_config())
    return f"{describe(rule, settings)}, self-test passed"


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
    size, native = vision_info(info, side, side)
    expected = settings.method_object.count(
        (size.height // cell, size.width // cell), settings.tokens
    )
    from homunculus.engines.vllm.metrics import METER  # in the child alone

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


if __name__ == "__main__":
    main(sys.argv[1:])
