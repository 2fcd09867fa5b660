# pyright: basic
"""`homunculus.attach`: from a loaded model to an engine, or a plain word on why not."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from homunculus.engines.family import FAMILIES, family
from homunculus.engines.setting import Setting
from homunculus.engines.transformers import Engine, Relevance
from homunculus.extra import need
from homunculus.method import Method
from homunculus.method import method as named

LEAST = (5, 18)
"""The first transformers that takes `mm_encoder_outputs`."""


def attach(
    model: Any,
    processor: Any,
    *,
    tokens: int = 273,
    method: str | Method = "foveated",
    where: Literal["auto", "before", "after"] = "auto",
    marks: Literal["free", "counted"] = "free",
    relevance: Relevance | None = None,
    saved: str | Path | None = None,
) -> Engine:
    """An engine for a model and its processor, both loaded as always.

    ``where`` tokens are chosen: before the encoder, which then sees only those, or after it;
    "auto" takes before where the family can. ``saved`` is a folder with a setting that was saved
    there, in place of ``tokens``, ``method``, ``where`` and ``marks``.
    """
    check_version()
    kind = family(model)
    if saved is not None:
        told = Setting.load(saved)
        return attach(model, processor, relevance=relevance, **asdict(told))
    way = ("before" if kind.before else "after") if where == "auto" else where
    if way == "before" and not kind.before:
        able = [name for name, one in FAMILIES.items() if one.before]
        raise ValueError(
            f"attach: {kind.name} cannot be cut before its encoder, {', '.join(able)} can. "
            'Use where="after".'
        )
    chosen = named(method) if isinstance(method, str) else method
    setting = Setting(tokens=tokens, method=chosen.name, where=way, marks=marks)
    return Engine(model, processor, setting, chosen, kind, relevance)


def check_version() -> None:
    """An older transformers has no door for features; say so before anything goes wrong."""
    here = need("transformers", "transformers", "homunculus.attach").__version__
    parts = tuple(int(part) for part in here.split(".")[:2])
    if parts < LEAST:
        least = ".".join(map(str, LEAST))
        raise ImportError(
            f"attach: expected transformers {least} or newer, got {here}. "
            f"pip install 'transformers>={least}'"
        )
