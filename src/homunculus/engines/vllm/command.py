"""`homunculus serve`: vLLM's server with the right overrides; other flags pass through."""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from homunculus.engines.vllm import selftest as dry_run
from homunculus.engines.vllm.settings import NAME, Serving
from homunculus.flags import count
from homunculus.lazy import need

WHO = "homunculus serve"
PIXELS = 64_000_000
"""Of one image; a larger one is refused before it is decoded."""
MAX_PIXELS, PLUGINS = "VLLM_MAX_IMAGE_PIXELS", "VLLM_PLUGINS"
CONNECTOR = "VLLM_MEDIA_CONNECTOR"
LAUNCHER = "homunculus.engines.vllm.launch"


def flags(parser: argparse.ArgumentParser) -> None:
    """What is ours; the rest is vLLM's."""
    usual, add = Serving(), parser.add_argument
    parser.allow_abbrev = False  # a flag of vLLM may begin like one of ours
    parser.usage = "%(prog)s MODEL [options of homunculus] [options of `vllm serve`]"
    parser.epilog = (
        "MODEL is a name on the hub or a folder. Every other option is one of `vllm serve`."
    )
    add("--tokens", type=count, default=usual.tokens, help="tokens per image (%(default)s)")
    add("--method", default=usual.method, help="see `homunculus methods` (%(default)s)")
    told = "before: encode chosen cells only; after: encode an image once for many questions"
    add("--where", choices=["before", "after"], default=usual.where, help=f"{told} (%(default)s)")
    told = "what says where a question looks: auto, words, pixels, or a folder with weights"
    add("--scout", default=usual.scout, metavar="NAME|DIR", help=f"{told} (%(default)s)")
    told = "what an image's tokens are chosen by (%(default)s)"
    add("--question-from", choices=["last", "system", "none"], default="last", help=told)
    told = "choose again at each turn; by default an image keeps the tokens of its own turn"
    add("--no-pin", dest="pin", action="store_false", help=told)
    told = "requests may bring `mm_processor_kwargs: {homunculus: {tokens, question}}`"
    add("--allow-override", action="store_true", help=told)
    told = f"images per request ({usual.images}, or as --limit-mm-per-prompt says)"
    add("--max-images", type=count, help=told)
    told = f"pixels per image ({PIXELS}, or as {MAX_PIXELS} says)"
    add("--max-pixels", type=count, help=told)
    told = "pixels of all images of a request (%(default)s)"
    add("--max-request-pixels", type=count, default=usual.pixels, help=told)
    told = "seconds that looking for the question may take per request (%(default)s)"
    add("--max-search-seconds", type=count, default=usual.seconds, help=told)
    told = "of features that a worker keeps of images, with --where after (%(default)s)"
    add("--feature-bytes", type=count, default=usual.memory, help=told)
    add("--dry-run", action="store_true", help="print vLLM's command, and do not run it")


def serve(arguments: argparse.Namespace, rest: Sequence[str]) -> int:
    """Become vLLM's server, through the launcher that checks it first."""
    setting = {
        "tokens": arguments.tokens, "method": arguments.method, "where": arguments.where,
        "question_from": arguments.question_from, "pin": arguments.pin,
        "override": arguments.allow_override, "memory": arguments.feature_bytes,
        "scout": arguments.scout, "pixels": arguments.max_request_pixels,
        "seconds": arguments.max_search_seconds,
    }  # fmt: skip
    if arguments.max_images is not None:
        setting["images"] = arguments.max_images
    Serving(**setting)  # a mistake in it is found before anything is loaded
    if not rest:
        raise ValueError(
            f"expected a model, got none. For example: {WHO} Qwen/Qwen3-VL-8B-Instruct"
        )
    variables = environment(arguments.max_pixels, os.environ)
    if arguments.dry_run:
        before = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
        words = shlex.join(["vllm", *dry_run.command(rest, setting)])
        sys.stdout.write(" ".join([*before, words]) + "\n")
        return 0
    if find_spec("vllm") is None:  # before anything asks the hub
        need("vllm", "vllm", WHO)
    sys.stdout.flush()
    command = [sys.executable, "-m", LAUNCHER, json.dumps(setting), "serve", *rest]
    return os.execve(sys.executable, command, os.environ | variables)


def environment(max_pixels: int | None, current: Mapping[str, str]) -> dict[str, str]:
    """The variables that vLLM needs besides those that are set."""
    out, pixels, plugins = {}, current.get(MAX_PIXELS), current.get(PLUGINS)
    if max_pixels is not None or pixels is None:
        out[MAX_PIXELS] = str(max_pixels or PIXELS)
    elif not pixels.strip().lstrip("-").isdecimal():
        raise ValueError(
            f"{MAX_PIXELS}: expected a whole number, got {pixels!r}. Unset it, or use --max-pixels."
        )
    if CONNECTOR not in current:
        out[CONNECTOR] = NAME
    if plugins is not None and NAME not in plugins.split(","):
        out[PLUGINS] = ",".join([*filter(None, plugins.split(",")), NAME])
    return out
