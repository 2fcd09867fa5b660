# pyright: basic, reportMissingImports=false
"""`python -m homunculus.engines.vllm.launch SETTING serve MODEL ...`: vLLM's server, checked first.

vLLM's own parser reads the command line, so that every spelling it knows (underscores, dotted keys,
a YAML file, abbreviations) means here what it means to `vllm serve`. Ours is added to what it read.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from homunculus.engines.vllm.compat import check_names, check_version
from homunculus.engines.vllm.overrides import Flags, merge
from homunculus.engines.vllm.serving import Serving

WHO = "homunculus serve"
FLAGS = {
    "overrides": "hf_overrides",
    "limits": "limit_mm_per_prompt",
    "trust": "trust_request_mm_kwargs",
    "mode": "tokenizer_mode",
}


def main(words: Sequence[str]) -> None:
    """Check, then become vLLM's server."""
    try:
        check_version()
        check_names()
        arguments, serving = prepare(words[1:], json.loads(words[0]))
        from homunculus.engines.vllm.selftest import self_test

        passed = self_test(arguments, serving)
    except (ValueError, OSError, ImportError) as error:
        sys.stderr.write(f"{WHO}: {error}\n")
        sys.exit(2)
    sys.stderr.write(f"homunculus: {passed}\n")
    sys.stderr.flush()
    arguments.dispatch_function(arguments)


def prepare(words: Sequence[str], setting: Mapping[str, Any]) -> tuple[argparse.Namespace, Serving]:
    """vLLM's arguments with ours among them, and our setting."""
    arguments = parse(words)
    _refuse(arguments)
    given = Flags(**{ours: getattr(arguments, name) for ours, name in FLAGS.items()})
    flags, serving = merge(given, setting, lambda: architectures(arguments))
    for ours, name in FLAGS.items():
        setattr(arguments, name, getattr(flags, ours))
    return arguments, serving


def parse(words: Sequence[str]) -> argparse.Namespace:
    """As `vllm WORDS` reads them; None for the flags that we share and nobody gave."""
    from vllm.entrypoints.cli.serve import ServeSubcommand
    from vllm.entrypoints.serve.utils.api_utils import cli_env_setup
    from vllm.logger import configure_logging_from_args
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    cli_env_setup()
    parser, verb = FlexibleArgumentParser(prog=WHO.split()[0]), ServeSubcommand()
    serve = verb.subparser_init(parser.add_subparsers(dest="subparser"))
    serve.usage = f"{WHO} MODEL [options]"
    serve.set_defaults(dispatch_function=verb.cmd, model=None, **dict.fromkeys(FLAGS.values()))
    try:
        arguments = parser.parse_args(list(words))
    except Exception as error:  # of many kinds: no such file, no YAML, no value for a dotted key
        raise ValueError(
            f"vLLM cannot read these flags: {error or type(error).__name__}"
        ) from error
    arguments.model = arguments.model_tag or arguments.model
    if arguments.model is None:
        raise ValueError(
            f"expected a model, got none. For example: {WHO} Qwen/Qwen3-VL-8B-Instruct"
        )
    configure_logging_from_args(arguments)
    verb.validate(arguments)
    return arguments


def _refuse(arguments: argparse.Namespace) -> None:
    """What would serve images past the plugin, or no images."""
    import vllm.envs as envs

    if envs.VLLM_USE_RUST_FRONTEND:
        raise ValueError(
            "VLLM_USE_RUST_FRONTEND starts a front end that runs no Python plugin. Unset it."
        )
    if arguments.grpc:
        raise ValueError("--grpc takes images that its clients prepared. Serve over HTTP instead.")
    if arguments.language_model_only:
        raise ValueError("--language-model-only allows no images. Use `vllm serve` instead.")


def architectures(arguments: argparse.Namespace) -> list[str]:
    """What the model's config says that it is, in the revision and format that were asked for."""
    from vllm.transformers_utils.config import get_config

    config = get_config(
        arguments.hf_config_path or arguments.model,
        arguments.trust_remote_code,
        arguments.revision,
        arguments.code_revision,
        arguments.config_format,
        token=arguments.hf_token,
    )
    return list(config.architectures or [])


if __name__ == "__main__":
    main(sys.argv[1:])
