# pyright: basic
"""`homunculus serve`: vLLM's server with the right overrides; other flags pass through."""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence

from homunculus.engines.vllm.plugin import ARCHITECTURES, PREFIX
from homunculus.engines.vllm.serving import NAME, Serving
from homunculus.extra import need
from homunculus.flags import count

WHO = "homunculus serve"
PIXELS = 64_000_000
"""Of one image; a larger one is refused before it is decoded."""


def flags(parser: argparse.ArgumentParser) -> None:
    """What is ours; the rest is vLLM's."""
    usual, add = Serving(), parser.add_argument
    parser.allow_abbrev = False  # a flag of vLLM may begin like one of ours
    parser.epilog = "Every other flag goes to `vllm serve` as it is."
    add("model", help="a name on the hub or a folder")
    add("--tokens", type=count, default=usual.tokens, help="of every image (%(default)s)")
    add("--method", default=usual.method, help="see `homunculus methods` (%(default)s)")
    told = "before: encode chosen cells only; after: encode an image once for many questions"
    add("--where", choices=["before", "after"], default=usual.where, help=f"{told} (%(default)s)")
    told = "what an image's tokens are chosen by (%(default)s)"
    add("--question-from", choices=["last", "system", "none"], default="last", help=told)
    told = "choose again at each turn; by default an image keeps the tokens of its own turn"
    add("--no-pin", dest="pin", action="store_false", help=told)
    told = "requests may bring `mm_processor_kwargs: {homunculus: {tokens, question}}`"
    add("--allow-override", action="store_true", help=told)
    add("--max-images", type=count, default=usual.images, help="a request (%(default)s)")
    add("--max-pixels", type=count, default=PIXELS, help="an image (%(default)s)")
    told = "of features that a worker keeps of images, with --where after (%(default)s)"
    add("--feature-bytes", type=count, default=usual.memory, help=told)
    add("--dry-run", action="store_true", help="print vLLM's command, and do not run it")


def serve(arguments: argparse.Namespace, rest: Sequence[str]) -> int:
    """Become vLLM's server."""
    serving = Serving(
        tokens=arguments.tokens, method=arguments.method, where=arguments.where,
        question_from=arguments.question_from, pin=arguments.pin,
        override=arguments.allow_override, images=arguments.max_images,
        memory=arguments.feature_bytes,
    )  # fmt: skip
    command = ["serve", arguments.model, *told(arguments.model, serving, rest)]
    if arguments.dry_run:
        sys.stdout.write(f"vllm {shlex.join(command)}\n")
        return 0
    need("vllm", "vllm", WHO)
    surroundings = os.environ | {"VLLM_MAX_IMAGE_PIXELS": str(arguments.max_pixels)}
    surroundings.setdefault("VLLM_MEDIA_CONNECTOR", NAME)
    if allowed := surroundings.get("VLLM_PLUGINS"):
        surroundings["VLLM_PLUGINS"] = ",".join({*allowed.split(","), NAME})
    sys.stdout.flush()
    module = "vllm.entrypoints.cli.main"
    return os.execve(sys.executable, [sys.executable, "-m", module, *command], surroundings)


def told(model: str, serving: Serving, rest: Sequence[str]) -> list[str]:
    """vLLM's flags: those given, and ours among its overrides."""
    out, given = _taken(rest, "--hf-overrides")
    overrides = json.loads(given) if given else {}
    names = overrides.get("architectures") or architectures(model)
    known = [name.removeprefix(PREFIX) for name in names]
    if not (fit := [name for name in known if name in ARCHITECTURES]):
        raise ValueError(
            f"expected a model of {', '.join(ARCHITECTURES)}, got {', '.join(known) or 'none'}. "
            "docs/vllm.md says what others would take."
        )
    overrides |= {"architectures": [PREFIX + fit[0]], NAME: serving.overrides()}
    out += ["--hf-overrides", json.dumps(overrides)]
    if not any(flag.startswith("--limit-mm-per-prompt") for flag in rest):
        out += ["--limit-mm-per-prompt", json.dumps({"image": serving.images, "video": 0})]
    if not any(flag.startswith(("--tokenizer-mode", "--tokenizer_mode")) for flag in rest):
        out += ["--tokenizer-mode", NAME]
    if serving.override and "--trust-request-mm-kwargs" not in rest:
        out.append("--trust-request-mm-kwargs")
    return out


def architectures(model: str) -> list[str]:
    """What a model's config says that it is."""
    auto = need("transformers", "vllm", WHO).AutoConfig
    return list(auto.from_pretrained(model).architectures or [])


def _taken(rest: Sequence[str], flag: str) -> tuple[list[str], str | None]:
    """The flags without one of them, and what that one said."""
    out, value, words = [], None, iter(rest)
    for word in words:
        if word == flag:
            value = next(words, None)
        elif word.startswith(f"{flag}="):
            value = word.partition("=")[2]
        else:
            out.append(word)
    return out, value
