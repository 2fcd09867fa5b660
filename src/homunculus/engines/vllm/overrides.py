# pyright: basic
"""What the operator gave among vLLM's flags, joined with our setting. The operator's word wins."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homunculus.engines.vllm.plugin import ARCHITECTURES, PREFIX
from homunculus.engines.vllm.serving import NAME, Serving

OVERRIDES, LIMITS = "--hf-overrides", "--limit-mm-per-prompt"
TRUST, MODE = "--trust-request-mm-kwargs", "--tokenizer-mode"


@dataclass(frozen=True)
class Flags:
    """The flags of vLLM that we have a part in; None where the operator gave none."""

    overrides: Any = None
    """`--hf-overrides`"""
    limits: Any = None
    """`--limit-mm-per-prompt`"""
    trust: bool | None = None
    """`--trust-request-mm-kwargs`"""
    mode: str | None = None
    """`--tokenizer-mode`: ours searches new pages beside vLLM's processor, not inside it."""


def merge(
    given: Flags, setting: Mapping[str, Any], architectures: Callable[[], Sequence[str]]
) -> tuple[Flags, Serving]:
    """Complete flags, and the setting they carry.

    ``setting`` has the fields of `Serving` that `homunculus serve` was given; ``architectures``
    reads the model's config, and is called only if the operator names no architecture.
    """
    overrides, limits = _object(OVERRIDES, given.overrides), _object(LIMITS, given.limits)
    if NAME in overrides:
        raise ValueError(
            f"{OVERRIDES} has an entry `{NAME}`, which `homunculus serve` writes itself. "
            "Use its flags, such as --tokens."
        )
    images = _images(limits, setting.get("images"))
    serving = Serving(**dict(setting, images=images))
    name = _architecture(overrides.get("architectures") or architectures())
    if serving.override and given.trust is False:
        raise ValueError(f"--allow-override needs {TRUST}, which is switched off. Drop one.")
    own = limits.get("image")
    counted = dict(own, count=images) if isinstance(own, Mapping) else images
    return Flags(
        overrides | {"architectures": [PREFIX + name], NAME: serving.overrides()},
        {"video": 0} | limits | {"image": counted},
        bool(given.trust) or serving.override,
        given.mode or NAME,
    ), serving


def _object(flag: str, value: Any) -> dict[str, Any]:
    if value is None or isinstance(value, Mapping):
        return dict(value or {})
    raise ValueError(f"{flag}: expected a JSON object, got {value!r}.")


def _images(limits: Mapping[str, Any], asked: int | None) -> int:
    """Images of a request: as vLLM's flag says, or ours."""
    own = limits.get("image")
    count = own.get("count") if isinstance(own, Mapping) else own
    if count is None:
        return Serving().images if asked is None else asked
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(
            f"{LIMITS}: expected at least 1 image, got {count!r}. For text alone use `vllm serve`."
        )
    if asked not in (None, count):
        raise ValueError(f"--max-images is {asked}, but {LIMITS} allows {count}. Give one of them.")
    return count


def _architecture(names: Sequence[str]) -> str:
    known = [name.removeprefix(PREFIX) for name in names]
    for name in known:
        if name in ARCHITECTURES:
            return name
    raise ValueError(
        f"expected a model of {', '.join(ARCHITECTURES)}, got {', '.join(known) or 'none'}. "
        "docs/vllm.md lists the supported families."
    )
