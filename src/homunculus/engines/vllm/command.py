"""`homunculus serve`: vLLM's server with our settings; other flags are passed on to vLLM."""

import argparse
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from homunculus.engines.cells.methods import DEFAULT_OF_CELLS
from homunculus.engines.vllm import NAME
from homunculus.engines.vllm.settings import (
    LIMITS,
    MODE,
    OVERRIDES,
    TRUST,
    Flags,
    ServerSettings,
    merge,
)
from homunculus.engines.vllm.stock import (
    FAMILIES,
    MIDDLEWARE,
    OPTIONS,
    VARIABLE,
    raise_limit,
    stock_family,
    view_settings,
)
from homunculus.flags import count
from homunculus.lazy import need

WHO = "homunculus serve"
PIXELS = 64_000_000
"""Pixels of one image; a larger one is refused before it is decoded."""
MAX_PIXELS, PLUGINS = "VLLM_MAX_IMAGE_PIXELS", "VLLM_PLUGINS"
CONNECTOR = "VLLM_MEDIA_CONNECTOR"
LAUNCHER = "homunculus.engines.vllm.launch"


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
    text = "choose tokens before the encoder, or after it to reuse an image's features"
    add("--where", choices=["before", "after"], default=usual.where, help=f"{text} (%(default)s)")
    text = "how relevance is rated: auto, words, things, pixels, none, or a folder with weights"
    add("--scout", default=usual.scout, metavar="NAME|DIR", help=f"{text} (%(default)s)")
    text = "with --method views: how small the model still reads"
    add("--acuity", default=usual.acuity, metavar="NAME", help=f"{text} (%(default)s)")
    text = "with --method views: the least share of tokens for the whole picture, 0 to 1"
    add("--context", type=float, default=usual.context, help=f"{text} (%(default)s)")
    text = "with --method views: tokens stand in the whole image, or views are separate images"
    add("--positions", choices=["whole", "separate"], default=usual.positions, help=text)
    text = "the question: the user's last turn, the system prompt, or none (%(default)s)"
    add("--question-from", choices=["last", "system", "none"], default="last", help=text)
    text = "choose again at each turn; by default images keep the tokens of their own turn"
    add("--no-pin", dest="pin", action="store_false", help=text)
    text = "requests may set `mm_processor_kwargs: {homunculus: {tokens, question}}`"
    add("--allow-override", action="store_true", help=text)
    text = f"images per request ({usual.images}, or as --limit-mm-per-prompt says)"
    add("--max-images", type=count, help=text)
    text = f"pixels per image ({PIXELS}, or as {MAX_PIXELS} says)"
    add("--max-pixels", type=count, help=text)
    text = "pixels of all images of a request (%(default)s)"
    add("--max-request-pixels", type=count, default=usual.pixels, help=text)
    text = "seconds that a request waits for its search; then images are shown whole (%(default)s)"
    add("--max-search-seconds", type=count, default=usual.seconds, help=text)
    text = "threads of an API server for searches (%(default)s)"
    add("--search-threads", type=count, default=usual.threads, help=text)
    text = "after this many questions about an image, all later ones share one choice of its tokens"
    add("--share-after", type=count, default=0, metavar="N", help=f"{text} (never)")
    text = "with --share-after: tokens of that choice (four times --tokens)"
    add("--share-tokens", type=count, default=0, metavar="N", help=text)
    text = "bytes of image features that a worker keeps, with --where after (%(default)s)"
    add("--feature-bytes", type=count, default=usual.memory, help=text)
    add("--dry-run", action="store_true", help="print vLLM's command, and do not run it")


def serve(arguments: argparse.Namespace, rest: Sequence[str]) -> int:
    """Replace this process by vLLM's server, after the launcher's self-test."""
    setting = {
        "tokens": arguments.tokens, "method": arguments.method, "where": arguments.where,
        "question_from": arguments.question_from, "pin": arguments.pin,
        "override": arguments.allow_override, "memory": arguments.feature_bytes,
        "pixels": arguments.max_request_pixels, "seconds": arguments.max_search_seconds,
        "threads": arguments.search_threads, "share_after": arguments.share_after,
        "share_tokens": arguments.share_tokens,
        "scout": arguments.scout, "acuity": arguments.acuity, "context": arguments.context,
        "positions": arguments.positions,
    }  # fmt: skip
    if arguments.max_images is not None:
        setting["images"] = arguments.max_images
    ServerSettings(**setting)  # raises before anything is loaded
    if not rest:
        raise ValueError(
            f"expected a model, got none. For example: {WHO} Qwen/Qwen3-VL-8B-Instruct"
        )
    variables = environment(arguments.max_pixels, os.environ)
    if arguments.dry_run:
        command, own = vllm_command(rest, setting)
        assignments = [f"{name}={shlex.quote(value)}" for name, value in (variables | own).items()]
        words = shlex.join(["vllm", *command])
        sys.stdout.write(" ".join([*assignments, words]) + "\n")
        return 0
    if find_spec("vllm") is None:  # before a request to the hub
        need("vllm", "vllm", WHO)
    sys.stdout.flush()
    command = [sys.executable, "-m", LAUNCHER, json.dumps(setting), "serve", *rest]
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


# ---- dry run -------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Parses some of vLLM's flags; like vLLM's parser it takes abbreviations."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"vLLM cannot read these flags: {message}")


def vllm_command(
    words: Sequence[str], setting: Mapping[str, Any]
) -> tuple[list[str], dict[str, str]]:
    """The command line of `vllm`, with our flags added to the operator's, and variables for it."""
    model, words = _model(list(_with_dashes(words)))
    about, _ = _model_flags().parse_known_args(words)
    file = _read_config(about.config) if about.config else {}
    all_words = [word for key in file for word in _words(key, file[key])] + words
    about, _ = _model_flags().parse_known_args(all_words)
    if model and "--model" in words:
        raise ValueError(f"expected one model, got {model} and --model {about.model}.")
    if (model := model or about.model) is None:
        raise ValueError(f"expected a model as the first word, got {words[0]}.")
    shared, _ = _shared_flags().parse_known_args(_join_dotted(all_words))
    _, rest = _shared_flags().parse_known_args(_join_dotted(words))
    own: list[str] | None = (
        shared.overrides.get("architectures") if isinstance(shared.overrides, dict) else None
    )
    names = list(own or architectures(model, about))
    if name := stock_family(names):
        added, variables = _views_flags(shared, setting, name, all_words)
        return ["serve", model, *rest, *added], variables
    flags, _ = merge(Flags(**vars(shared)), setting, lambda: names)
    rest += [OVERRIDES, json.dumps(flags.overrides), LIMITS, json.dumps(flags.limits)]
    rest += [MODE, str(flags.mode)]
    return ["serve", model, *rest, *([TRUST] if flags.trust else [])], {}


def _views_flags(
    shared: argparse.Namespace, setting: Mapping[str, Any], name: str, words: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """Flags of vLLM and variables for a model that vLLM's own class serves."""
    limits, settings = raise_limit(shared.limits, view_settings(setting, name))
    added = [LIMITS, json.dumps(limits), "--middleware", MIDDLEWARE]
    for flag, value in ((OVERRIDES, shared.overrides), (MODE, shared.mode)):
        if value:
            added += [flag, value if isinstance(value, str) else json.dumps(value)]
    added += [TRUST] if shared.trust else []
    # the operator's own options replace those of the family
    own = any(word.partition("=")[0].partition(".")[0] == OPTIONS for word in words)
    if not own and (options := FAMILIES[name].options):
        added += [OPTIONS, json.dumps(options)]
    return added, {VARIABLE: json.dumps(asdict(settings))}


def architectures(model: str, about: argparse.Namespace) -> list[str]:
    """The architectures in a model's config."""
    auto = need("transformers", "vllm", WHO).AutoConfig
    options = {"revision": about.revision, "code_revision": about.code_revision}
    options |= {"token": about.hf_token, "trust_remote_code": about.trust_remote_code}
    options = {name: value for name, value in options.items() if value is not None}
    return list(auto.from_pretrained(about.hf_config_path or model, **options).architectures or [])


def _shared_flags() -> argparse.ArgumentParser:
    """A parser of the flags that carry our settings."""
    parser = _Parser(add_help=False)
    parser.add_argument(OVERRIDES, dest="overrides", type=_json)
    parser.add_argument(LIMITS, dest="limits", type=_json)
    parser.add_argument(TRUST, dest="trust", action=argparse.BooleanOptionalAction)
    parser.add_argument(MODE, dest="mode")
    return parser


def _model_flags() -> argparse.ArgumentParser:
    """A parser of the flags that say which model it is."""
    parser = _Parser(add_help=False)
    for name in ("--model", "--config", "--revision", "--code-revision", "--hf-config-path"):
        parser.add_argument(name)
    parser.add_argument("--hf-token", nargs="?", const=True)
    parser.add_argument("--trust-remote-code", action=argparse.BooleanOptionalAction)
    return parser


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"expected JSON, got {text!r} ({error})") from error


def _model(words: list[str]) -> tuple[str | None, list[str]]:
    """The model, which is the first word unless a flag names it, and the other words."""
    if words and not words[0].startswith("-"):
        return words[0], words[1:]
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("--model")
    arguments, rest = parser.parse_known_args(words)
    return arguments.model, rest


def _with_dashes(words: Sequence[str]) -> Iterator[str]:
    """Replace underscores of flags by dashes, up to the first dot of a dotted key."""
    for word in words:
        if not word.startswith("--"):
            yield word
            continue
        flag, equals, value = word.partition("=")
        name, dot, keys = flag.partition(".")
        yield name.replace("_", "-") + dot + keys + equals + value


def _join_dotted(words: Sequence[str]) -> list[str]:
    """Join dotted keys (`--hf-overrides.text_config.x 1`) to one JSON object at the end."""
    others: list[str] = []
    objects: dict[str, dict[str, Any]] = {}
    remaining = iter(words)
    for word in remaining:
        flag, equals, value = word.partition("=")
        name, *keys = flag.split(".")
        if not keys or name not in (OVERRIDES, LIMITS):
            others.append(word)
            continue
        value = value if equals else next(remaining, None)
        if value is None:
            raise ValueError(f"vLLM cannot read these flags: {flag} has no value.")
        _put(objects.setdefault(name, {}), keys, value)
    return others + [part for name, value in objects.items() for part in (name, json.dumps(value))]


def _put(target: dict[str, Any], keys: Sequence[str], text: str) -> None:
    *path, last = keys
    for key in path:
        target = target.setdefault(key, {})
    if last.endswith("+"):
        target.setdefault(last[:-1], []).extend(text.split(","))
    else:
        target[last] = _value(text)


def _value(text: str) -> Any:
    """A JSON value, a number such as 32k, or else the text itself."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    if not (number := re.fullmatch(r"(\d+(?:\.\d+)?)([kKmMgGtT])", text.strip())):
        return text
    digits, unit = number.groups()
    power = 1 + "kmgt".index(unit.lower())
    return int(float(digits) * 1000**power) if unit.islower() else int(digits) * 1024**power


def _read_config(path: str) -> dict[str, Any]:
    """The flags in a YAML file for `--config`."""
    yaml = need("yaml", "vllm", WHO)
    try:
        flags = yaml.safe_load(Path(path).read_text("utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"--config: expected YAML in {path}: {error}") from error
    if not isinstance(flags, dict):
        raise ValueError(f"--config: expected flags and their values in {path}.")
    return flags


def _words(key: str, value: Any) -> list[str]:
    """A flag of the file as words of a command line."""
    flag = f"--{key.replace('_', '-')}"
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag[2:]}"]
    if isinstance(value, list):
        return [flag, *map(str, value)]
    return [flag, json.dumps(value) if isinstance(value, dict) else str(value)]
