"""What tests of the transformers engine share: models, conversations, the untouched model."""

from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import pytest
import torch
from torch import Tensor

import homunculus
from homunculus import Sight
from homunculus.engines import families as table
from homunculus.engines.transformers.engine import Engine
from homunculus.engines.transformers.inputs import Prepared
from tiny import FAMILIES, load, picture

__all__ = ["BEFORE", "FAMILIES", "LARGE", "MARK", "SMALL", "TALL", "picture"]

MARK = pytest.mark.filterwarnings("ignore::DeprecationWarning:transformers")
BEFORE = [name for name, one in table.FAMILIES.items() if one.before]
LARGE, TALL, SMALL = (192, 256), (150, 90), (40, 40)
"""Sizes of images. Of LARGE every family makes 117 rows or more."""
ALL = 10**6
GREEDY = {"do_sample": False}
"""Options of `generate`."""
FIRST = GREEDY | {"max_new_tokens": 1, "output_logits": True, "return_dict_in_generate": True}


@cache
def loaded(family: str) -> SimpleNamespace:
    """The family's model and processor, the same for all tests: leave them as they are."""
    return load(family)


def rolled(image: Tensor, question: str, grid: tuple[int, int]) -> Sight:
    """Relevance by lot: another map for another question or another size."""
    seed = crc32(f"{question} {tuple(image.shape)}".encode())
    logit = torch.randn(24, 24, generator=torch.Generator().manual_seed(seed))
    return Sight(logit, sure=1.0)


def attached(family: str | SimpleNamespace, tokens: int = ALL, **options: Any) -> Engine:
    """An engine that keeps every row unless told otherwise, after the encoder."""
    tiny = loaded(family) if isinstance(family, str) else family
    usual = {"where": "after", "method": "grid", "scout": rolled}
    return homunculus.attach(tiny.model, tiny.processor, tokens=tokens, **usual | options)


def turn(*parts: Any, role: str = "user") -> dict[str, Any]:
    """A turn of text and images."""
    told = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image", "image": part}
        for part in parts
    ]
    return {"role": role, "content": told}


def untouched(engine: Engine, talks: Sequence[Any], prompt: bool = True) -> dict[str, Any]:
    """What the model gets without homunculus."""
    inputs = engine.processor.apply_chat_template(
        talks, add_generation_prompt=prompt, tokenize=True, return_dict=True,
        return_tensors="pt", processor_kwargs={"padding": True},
    )  # fmt: skip
    return {name: value for name, value in inputs.items() if name != "labels"}  # none wanted


def counted(engine: Engine, mask: Tensor) -> dict[str, Tensor]:
    """Positions that do not count padding, as `generate` makes them; Qwen makes its own."""
    if hasattr(engine.model.base_model, "get_rope_index"):
        return {}
    at = (mask.cumsum(-1) - 1).clamp(min=0)
    return {"position_ids": at + engine.family.first}


def unlabelled(prepared: Prepared) -> dict[str, Any]:
    """Inputs without labels, which ask for a loss."""
    return {name: value for name, value in prepared.items() if name != "labels"}


def images(engine: Engine, ids: Tensor) -> Tensor:
    """Where an image's placeholders are."""
    return ids == engine.model.config.image_token_id


def unsaid(engine: Engine) -> list[int]:
    """Ids that no answer may hold: its end, and placeholders that would ask for an image."""
    config = engine.model.config
    return [config.image_token_id, engine.processor.tokenizer.eos_token_id]


def extended(engine: Engine, prepared: Prepared, new: Tensor) -> dict[str, Any]:
    """Inputs of `forward` for a prompt made for `generate` and what was said upon it."""
    inputs, family = unlabelled(prepared), engine.family
    one = torch.ones_like(new)
    # text is of type 0; a family that sees its prompt both ways marks its causal answer by 1
    prefix = family.name == "paligemma"
    grown = {"input_ids": new, "attention_mask": one, "token_type_ids": one * prefix}
    for name in [name for name in grown if name in inputs]:
        inputs[name] = torch.cat((inputs[name], grown[name]), 1)
    at = inputs["position_ids"]
    ahead = at[..., -1:] + 1 + torch.arange(new.shape[1])
    return inputs | {"position_ids": torch.cat((at, ahead), -1) + family.first}


@torch.no_grad()
def stepwise(engine: Engine, prepared: Prepared, steps: int) -> Tensor:
    """Greedy decoding without any cache: the whole sequence anew for every token."""
    new = prepared["input_ids"][:, :0]
    for _ in range(steps):
        told = extended(engine, prepared, new)
        logits = engine.model(**told, use_cache=False).logits[:, -1]
        logits[:, unsaid(engine)] = -torch.inf
        new = torch.cat((new, logits.argmax(-1, keepdim=True)), 1)
    return new
