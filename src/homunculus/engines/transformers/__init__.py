"""`homunculus.attach`: from a loaded model to an engine, or a plain word on why not."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from homunculus.core.methods import Method, get_method
from homunculus.engines.families import FAMILIES, Family, family
from homunculus.engines.transformers.engine import Engine, Setting
from homunculus.engines.views import refuse, single
from homunculus.lazy import need
from homunculus.relevance.scout import ScoutLike, scout_for

GIVEN = "given"
"""Stands for a scout that has no name: it cannot be saved."""
LEAST = (5, 18)
"""The first transformers that takes `mm_encoder_outputs`."""


def attach(
    model: Any,
    processor: Any = None,
    *,
    tokens: int = 273,
    method: str | Method = "foveated",
    where: Literal["auto", "before", "after"] = "auto",
    marks: Literal["free", "counted"] = "free",
    fast: bool = False,
    scout: ScoutLike = "auto",
    saved: str | Path | None = None,
) -> Engine:
    """An engine for a model and its processor, both loaded as always.

    ``where`` tokens are chosen: before the encoder, which then sees only those, or after it;
    "auto" takes before where the family and the method can. ``scout`` says where the question
    looks: a name (`homunculus.scouts`), a folder with weights of the word scout, a map of logits,
    or a function of (image, question, grid). ``fast`` makes patch embeddings
    matrix products, several times quicker in bf16 on a CPU and equal but for rounding. ``saved``
    is a folder with a saved setting; it overrides all other arguments but an own scout.
    """
    check_version()
    if isinstance(model, str | Path):
        raise ValueError(
            f"attach: expected a loaded model, got its name {str(model)!r}. Load it first: "
            "AutoModelForImageTextToText.from_pretrained(name)."
        )
    kind = family(model)
    check_processor(processor, kind)
    if saved is not None:
        setting = asdict(Setting.load(saved))
        if not isinstance(scout, str) or scout != "auto":
            setting["scout"] = scout
        elif setting["scout"] == GIVEN:
            raise ValueError(
                f"attach: the setting in {saved} was saved with a scout of your own, which is not "
                "part of it. Pass it again as scout=."
            )
        return attach(model, processor, **setting)
    chosen = get_method(method) if isinstance(method, str) else method
    best = "before" if kind.before and single(chosen) else "after"
    way = best if where == "auto" else where
    if way == "before" and not kind.before:
        able = [name for name, one in FAMILIES.items() if one.before]
        raise ValueError(
            f"attach: {kind.name} cannot be cut before its encoder, {', '.join(able)} can. "
            'Use where="after".'
        )
    if way == "before":
        refuse(chosen)
    name = str(scout) if isinstance(scout, str | Path) else GIVEN
    setting = Setting(tokens, chosen.name, way, marks, fast, name)
    return Engine(model, processor, setting, chosen, kind, scout_for(chosen, scout))


def check_processor(processor: Any, kind: Family) -> None:
    """Refuse what cannot write prompts with images, and the processor of another family."""
    needed = ("apply_chat_template", "image_processor")
    if any(getattr(processor, name, None) is None for name in needed):
        raise ValueError(
            f"attach: expected the processor of the model, got {_named(processor)}. "
            "Load it with AutoProcessor.from_pretrained(name)."
        )
    *path, _ = type(processor).__module__.split(".")
    other = FAMILIES.get(path[-1]) if path[:2] == ["transformers", "models"] else kind
    if other is None or other.layouts is not kind.layouts:
        raise ValueError(
            f"attach: expected a processor of {kind.name}, got {_named(processor)}. Load the one "
            "that belongs to the model with AutoProcessor.from_pretrained(name)."
        )


def _named(value: Any) -> str:
    return "None" if value is None else type(value).__name__


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
