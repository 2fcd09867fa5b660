"""`homunculus serve`: vLLM's server with our settings; other flags are passed on to vLLM."""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from homunculus.engines.cells.methods import DEFAULT_OF_CELLS
from homunculus.engines.vllm import NAME
from homunculus.engines.vllm.settings import ServerSettings
from homunculus.engines.vllm.stock import ViewSettings
from homunculus.flags import count
from homunculus.lazy import need

WHO = "homunculus serve"
PIXELS = 64_000_000
"""Pixels of one image; a larger one is refused before it is decoded."""
MAX_PIXELS, PLUGINS = "VLLM_MAX_IMAGE_PIXELS", "VLLM_PLUGINS"
CONNECTOR = "VLLM_MEDIA_CONNECTOR"
LAUNCHER = "homunculus.engines.vllm.launch"
SETTINGS = (
    "tokens", "method", "where", "question_from", "pin", "override", "images", "pixels", "seconds",
    "threads", "scout", "acuity", "context", "ocr",
)  # fmt: skip
"""Flags that are settings of the server; those that were not given and have no default are None."""


def flags(parser: argparse.ArgumentParser) -> None:
    """Add our flags; all others are vLLM's."""
    usual, add = ServerSettings(), parser.add_argument
    parser.allow_abbrev = False  # a flag of vLLM may begin like one of ours
    parser.usage = "%(prog)s MODEL [options of homunculus] [options of `vllm serve`]"
    parser.epilog = (
        "MODEL is a name on the hub or a folder. Every other option is one of `vllm serve`."
    )
    add("--tokens", type=count, default=usual.tokens, help="tokens per image (%(default)s)")
    text = f"see `homunculus methods` ({usual.method}, or {DEFAULT_OF_CELLS} after the encoder)"
    add("--method", default="", help=text)
    text = "choose tokens before the encoder, which then sees no others, or after it"
    add("--where", choices=["before", "after"], default=usual.where, help=f"{text} (%(default)s)")
    text = "how relevance is rated: auto, words, things, pixels, none, or a folder with weights"
    add("--scout", default=usual.scout, metavar="NAME|DIR", help=f"{text} (%(default)s)")
    text = "an OCR that reads images: rapidocr or tesseract; not with Qwen's models (none)"
    add("--ocr", metavar="NAME", help=text)
    text = "with --method views: how small the model still reads"
    add("--acuity", default=usual.acuity, metavar="NAME", help=f"{text} (%(default)s)")
    text = "with --method views: the least share of tokens for the whole picture, 0 to 1"
    add("--context", type=float, default=usual.context, help=f"{text} (%(default)s)")
    text = "the question: the user's last turn, the system prompt, or none (%(default)s)"
    add("--question-from", choices=["last", "system", "none"], default="last", help=text)
    text = "choose again at each turn; by default images keep the tokens of their own turn"
    add("--no-pin", dest="pin", action="store_false", help=text)
    text = "requests may set `mm_processor_kwargs: {homunculus: {tokens, question}}`"
    add("--allow-override", dest="override", action="store_true", help=text)
    text = f"images per request ({usual.images}, or as --limit-mm-per-prompt says)"
    add("--max-images", type=count, dest="images", help=text)
    text = f"pixels per image ({PIXELS}, or as {MAX_PIXELS} says)"
    add("--max-pixels", type=count, help=text)
    text = f"pixels of all images of a request, with Qwen's models ({usual.pixels})"
    add("--max-request-pixels", type=count, dest="pixels", help=text)
    text = "seconds that a request waits for its search; then images are shown whole"
    add("--max-search-seconds", type=count, dest="seconds", help=f"{text} ({_both('seconds')})")
    text = "threads of an API server for searches"
    add("--search-threads", type=count, dest="threads", help=f"{text} ({_both('threads')})")
    add("--dry-run", action="store_true", help="print the command, and do not run it")


def _both(name: str) -> str:
    """A default of Qwen's models, and of families that vLLM's own classes serve."""
    return f"{getattr(ServerSettings(), name)}, or {getattr(ViewSettings(), name)} for others"


def serve(arguments: argparse.Namespace, rest: Sequence[str]) -> int:
    """Replace this process by vLLM's server, after the launcher's self-test."""
    given = {name: getattr(arguments, name) for name in SETTINGS}
    setting = {name: value for name, value in given.items() if value is not None}
    ServerSettings(**setting)  # raises before anything is loaded
    if not rest:
        raise ValueError(
            f"expected a model, got none. For example: {WHO} Qwen/Qwen3-VL-8B-Instruct"
        )
    variables = environment(arguments.max_pixels, os.environ)
    command = [sys.executable, "-m", LAUNCHER, json.dumps(setting), "serve", *rest]
    if arguments.dry_run:
        assignments = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
        sys.stdout.write(" ".join([*assignments, shlex.join(command)]) + "\n")
        return 0
    if find_spec("vllm") is None:  # before a request to the hub
        need("vllm", "vllm", WHO)
    sys.stdout.flush()
    return os.execve(sys.executable, command, os.environ | variables)


def environment(max_pixels: int | None, current: Mapping[str, str]) -> dict[str, str]:
    """Environment variables that vLLM needs besides the current ones."""
    variables: dict[str, str] = {}
    pixels, plugins = current.get(MAX_PIXELS), current.get(PLUGINS)
    if max_pixels is not None or pixels is None:
        variables[MAX_PIXELS] = str(max_pixels or PIXELS)
    elif not pixels.strip().lstrip("-").isdecimal():
        raise ValueError(
            f"{MAX_PIXELS}: expected a whole number, got {pixels!r}. Unset it, or use --max-pixels."
        )
    if CONNECTOR not in current:
        variables[CONNECTOR] = NAME
    if plugins is not None and NAME not in plugins.split(","):
        variables[PLUGINS] = ",".join([*filter(None, plugins.split(",")), NAME])
    return variables
