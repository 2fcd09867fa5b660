"""`homunculus.attach`: an engine for a loaded Hugging Face model."""

from pathlib import Path
from typing import Any, Literal

from homunculus.engines.cells.ask import scout_for
from homunculus.engines.cells.methods import Method, get_method
from homunculus.engines.families import FAMILIES, Family, family
from homunculus.engines.parts import check_before, default_method, works_before
from homunculus.engines.transformers.engine import Engine
from homunculus.engines.transformers.setting import Setting
from homunculus.lazy import need
from homunculus.planner.acuity import AcuityLike, get_acuity
from homunculus.planner.counting import DEFAULT_TOKENS
from homunculus.planner.options import ViewOptions
from homunculus.scouts.registry import ScoutLike

LEAST = (5, 18)
"""The first version of transformers with `mm_encoder_outputs`."""


def attach(
    model: Any,
    processor: Any = None,
    *,
    tokens: int = DEFAULT_TOKENS,
    method: str | Method | None = None,
    where: Literal["auto", "before", "after"] = "auto",
    fast: bool = False,
    scout: ScoutLike = "auto",
    acuity: AcuityLike = "vlm",
    context: float | int = 1 / 8,
) -> Engine:
    """Attach an engine to a loaded model and its processor.

    ``model``, ``processor``: what `from_pretrained` returns.
    ``tokens``: what an image costs at most.
    ``method``: what chooses them; "views" before the encoder and "cut" after it, if you name none.
    ``where``: "before" the encoder, which then encodes nothing else, or "after" it; "auto" means
    before if the family and the method support it.
    ``fast``: compute patch embeddings as matrix products, which is several times faster in bf16 on
    a CPU and differs only by rounding.
    ``scout``: what rates the relevance of cells to a question: a name (`homunculus.list_scouts`), a
    folder with weights of the word scout, a map of logits, or a function of image, question, grid.

    The method "views" shows an image as a few pictures, its whole made small and windows of it:

    ``acuity``: how small the model still reads.
    ``context``: the least share of the tokens that the whole gets.

    >>> import torch
    >>> from PIL import Image
    >>> engine = attach(model, processor, tokens=16, scout=torch.eye(4))
    >>> answer = engine.generate(Image.new("RGB", (640, 480)), "What is it?", max_new_tokens=2)
    >>> [int(tokens.valid.sum()) for tokens in answer.tokens]
    [16]
    """
    check_version()
    check_model(model)
    kind = family(model)
    check_processor(processor, kind)
    if method is None:
        method = default_method(before=bool(kind.before) and where != "after")
    method = get_method(method) if isinstance(method, str) else method
    if where == "auto":
        where = "before" if kind.before and works_before(method) else "after"
    if method.rule.planned and where == "after":
        raise ValueError(
            f'attach: views are encoded by themselves, which {kind.name} with where="after" '
            f'cannot do. Use where="before", which {_before_families()} can, or method="resize".'
        )
    if where == "before":
        check_family(kind)
        check_before(method)
    options = ViewOptions(acuity=get_acuity(acuity), scout=scout, context=context)
    setting = Setting(tokens, method.name, where, fast, options)
    return Engine(model, processor, setting, method, kind, scout_for(method, scout))


def check_model(model: Any) -> None:
    """Raise unless this is a loaded model."""
    advice = "Load it first: AutoModelForImageTextToText.from_pretrained(name)."
    if isinstance(model, str | Path):
        raise ValueError(f"attach: expected a loaded model, got its name {str(model)!r}. {advice}")
    if not hasattr(model, "config"):
        raise TypeError(
            f"attach: expected a loaded model of transformers, got {model!r:.80} "
            f"({type(model).__name__}). {advice}"
        )


def check_family(kind: Family) -> None:
    """Raise if tokens of this family cannot be chosen before the encoder."""
    if not kind.before:
        raise ValueError(
            f"attach: {kind.name} cannot be cut before its encoder, {_before_families()} can. "
            'Use where="after".'
        )


def _before_families() -> str:
    return ", ".join(name for name, row in FAMILIES.items() if row.before)


def check_processor(processor: Any, kind: Family) -> None:
    """Raise unless this is a processor for images, of the model's family or the user's own."""
    needed = ("apply_chat_template", "image_processor")
    if any(getattr(processor, name, None) is None for name in needed):
        raise ValueError(
            f"attach: expected the processor of the model, got {_named(processor)}. "
            "Load it with AutoProcessor.from_pretrained(name)."
        )
    *path, _ = type(processor).__module__.split(".")
    if path[:2] == ["transformers", "models"] and path[-1] not in kind.processors:
        raise ValueError(
            f"attach: expected a processor of {kind.name}, got {_named(processor)}. Load the one "
            "that belongs to the model with AutoProcessor.from_pretrained(name)."
        )


def _named(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def check_version() -> None:
    """Raise if transformers is too old to take features."""
    version = need("transformers", "transformers", "homunculus.attach").__version__
    if tuple(int(part) for part in version.split(".")[:2]) < LEAST:
        least = ".".join(map(str, LEAST))
        raise ImportError(
            f"attach: expected transformers {least} or newer, got {version}. "
            f"pip install 'transformers>={least}'"
        )
