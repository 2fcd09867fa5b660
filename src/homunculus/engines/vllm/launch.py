"""`python -m homunculus.engines.vllm.launch SETTING serve MODEL ...`: self-test, then the server.

vLLM's own parser reads the command line, so that every spelling (underscores, dotted keys, a YAML
file, abbreviations) means the same as for `vllm serve`. Our settings are added to its result.
"""

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from homunculus.engines.vllm import check_names, check_version
from homunculus.engines.vllm.settings import Flags, ServerSettings, merge
from homunculus.lazy import need

WHO = "homunculus serve"
FAULTS = (ValueError, OSError, ImportError)
"""Errors with a message for the operator; anything else is a bug, with its traceback."""
FLAGS = {
    "overrides": "hf_overrides",
    "limits": "limit_mm_per_prompt",
    "trust": "trust_request_mm_kwargs",
    "mode": "tokenizer_mode",
}


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


def _test(arguments: argparse.Namespace, settings: ServerSettings) -> None:
    try:
        check_names()
        from homunculus.engines.vllm.selftest import self_test

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
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        work()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # exit handlers of the parent must not run here


def prepare(
    words: Sequence[str], setting: Mapping[str, Any]
) -> tuple[argparse.Namespace, ServerSettings]:
    """vLLM's arguments with ours added, and our settings."""
    arguments = parse(words)
    _check_flags(arguments)
    given = Flags(**{ours: getattr(arguments, name) for ours, name in FLAGS.items()})
    flags, settings = merge(given, setting, lambda: architectures(arguments))
    for ours, name in FLAGS.items():
        setattr(arguments, name, getattr(flags, ours))
    return arguments, settings


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line of `vllm`; flags that carry our settings are None if not given."""
    need("vllm.entrypoints.serve.utils.api_utils", "vllm", WHO).cli_env_setup()
    flexible = need("vllm.utils.argparse_utils", "vllm", WHO).FlexibleArgumentParser
    parser = flexible(prog=WHO.split()[0])
    verb = need("vllm.entrypoints.cli.serve", "vllm", WHO).ServeSubcommand()
    serve = verb.subparser_init(parser.add_subparsers(dest="subparser"))
    serve.usage = f"{WHO} MODEL [options]"
    serve.set_defaults(dispatch_function=verb.cmd, model=None, **dict.fromkeys(FLAGS.values()))
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


if __name__ == "__main__":
    main(sys.argv[1:])
