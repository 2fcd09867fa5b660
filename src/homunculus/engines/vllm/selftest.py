"""Before the engine starts: one picture through vLLM's own processor, and its tokens counted.

It needs the model's config, tokenizer and image processor; no weights and no accelerator.
"""

import argparse
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from homunculus.engines.vllm import PREFIX
from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.settings import LIMITS, MODE, OVERRIDES, TRUST, Flags, Serving, merge
from homunculus.lazy import need

SERVE = "homunculus serve"


class _Reader(argparse.ArgumentParser):
    """Of some of vLLM's flags; like vLLM's own it takes abbreviations."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"vLLM cannot read these flags: {message}")


def command(words: Sequence[str], setting: Mapping[str, Any]) -> list[str]:
    """`vllm`'s words: the operator's, with ours among them."""
    model, words = _model(list(_spelled(words)))
    about, _ = _about().parse_known_args(words)
    filed = _filed(about.config) if about.config else {}
    more = [word for key in filed for word in _words(key, filed[key])]
    about, _ = _about().parse_known_args([*more, *words])
    if model and "--model" in words:
        raise ValueError(f"expected one model, got {model} and --model {about.model}.")
    if (model := model or about.model) is None:
        raise ValueError(f"expected a model as the first word, got {words[0]}.")
    shared, _ = _shared().parse_known_args(_collected([*more, *words]))
    _, rest = _shared().parse_known_args(_collected(words))
    flags, _ = merge(Flags(**vars(shared)), setting, lambda: architectures(model, about))
    rest += [OVERRIDES, json.dumps(flags.overrides), LIMITS, json.dumps(flags.limits)]
    rest += [MODE, str(flags.mode)]
    return ["serve", model, *rest, *([TRUST] if flags.trust else [])]


def architectures(model: str, about: argparse.Namespace) -> list[str]:
    """What a model's config says that it is."""
    auto = need("transformers", "vllm", SERVE).AutoConfig
    told = {"revision": about.revision, "code_revision": about.code_revision}
    told |= {"token": about.hf_token, "trust_remote_code": about.trust_remote_code}
    told = {name: value for name, value in told.items() if value is not None}
    return list(auto.from_pretrained(about.hf_config_path or model, **told).architectures or [])


def _shared() -> argparse.ArgumentParser:
    """The flags that we have a part in."""
    out = _Reader(add_help=False)
    out.add_argument(OVERRIDES, dest="overrides", type=_json)
    out.add_argument(LIMITS, dest="limits", type=_json)
    out.add_argument(TRUST, dest="trust", action=argparse.BooleanOptionalAction)
    out.add_argument(MODE, dest="mode")
    return out


def _about() -> argparse.ArgumentParser:
    """The flags that say which model it is."""
    out = _Reader(add_help=False)
    for name in ("--model", "--config", "--revision", "--code-revision", "--hf-config-path"):
        out.add_argument(name)
    out.add_argument("--hf-token", nargs="?", const=True)
    out.add_argument("--trust-remote-code", action=argparse.BooleanOptionalAction)
    return out


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"expected JSON, got {text!r} ({error})") from error


def _model(words: list[str]) -> tuple[str | None, list[str]]:
    """The model, which comes first if no flag names it, and the other words."""
    if words and not words[0].startswith("-"):
        return words[0], words[1:]
    out = _Reader(add_help=False, allow_abbrev=False)
    out.add_argument("--model")
    found, rest = out.parse_known_args(words)
    return found.model, rest


def _spelled(words: Sequence[str]) -> Iterator[str]:
    """Flags with dashes in place of underscores, up to the first dot of a dotted key."""
    for word in words:
        if not word.startswith("--"):
            yield word
            continue
        flag, equals, value = word.partition("=")
        name, dot, keys = flag.partition(".")
        yield name.replace("_", "-") + dot + keys + equals + value


def _collected(words: Sequence[str]) -> list[str]:
    """Dotted keys (`--hf-overrides.text_config.x 1`) as one JSON object behind all else."""
    out: list[str] = []
    found: dict[str, dict[str, Any]] = {}
    later = iter(words)
    for word in later:
        flag, equals, value = word.partition("=")
        name, *keys = flag.split(".")
        if not keys or name not in (OVERRIDES, LIMITS):
            out.append(word)
            continue
        value = value if equals else next(later, None)
        if value is None:
            raise ValueError(f"vLLM cannot read these flags: {flag} has no value.")
        _put(found.setdefault(name, {}), keys, value)
    return out + [part for name, value in found.items() for part in (name, json.dumps(value))]


def _put(target: dict[str, Any], keys: Sequence[str], text: str) -> None:
    *path, last = keys
    for key in path:
        target = target.setdefault(key, {})
    if last.endswith("+"):
        target.setdefault(last[:-1], []).extend(text.split(","))
    else:
        target[last] = _value(text)


def _value(text: str) -> Any:
    """JSON, a number such as 32k, or else the text itself."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    if not (number := re.fullmatch(r"(\d+(?:\.\d+)?)([kKmMgGtT])", text.strip())):
        return text
    digits, unit = number.groups()
    power = 1 + "kmgt".index(unit.lower())
    return int(float(digits) * 1000**power) if unit.islower() else int(digits) * 1024**power


def _filed(path: str) -> dict[str, Any]:
    """The flags in vLLM's YAML file."""
    yaml = need("yaml", "vllm", SERVE)
    try:
        found = yaml.safe_load(Path(path).read_text("utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"--config: expected YAML in {path}: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"--config: expected flags and their values in {path}.")
    return found


def _words(key: str, value: Any) -> list[str]:
    """A flag of the file as on the command line."""
    flag = f"--{key.replace('_', '-')}"
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag[2:]}"]
    if isinstance(value, list):
        return [flag, *map(str, value)]
    return [flag, json.dumps(value) if isinstance(value, dict) else str(value)]


QUESTION = "What is the total?"


def self_test(arguments: argparse.Namespace, serving: Serving) -> str:
    """A line for the log; raises if images would not cost what they should."""
    vllm = need("vllm", "vllm", SERVE)
    # loads vLLM's plugins, as every worker does
    engine = vllm.AsyncEngineArgs.from_cli_args(arguments)
    (name,) = arguments.hf_overrides["architectures"]
    if name not in vllm.ModelRegistry.get_supported_archs():
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
    base = need("homunculus.engines.vllm.model", "vllm", SERVE).Kept
    loader = need("vllm.model_executor.model_loader", "vllm", SERVE)
    found, _ = loader.get_model_architecture(config)
    if not issubclass(found, base):
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
    images = need("PIL.Image", "vllm", SERVE)
    processor = need("vllm.multimodal", "vllm", SERVE).MULTIMODAL_REGISTRY.create_processor(config)
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
    picture = images.radial_gradient("L").resize((side, side)).convert("RGB")
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
