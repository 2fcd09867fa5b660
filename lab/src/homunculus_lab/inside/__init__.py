"""Rivals that drop image tokens inside the language model: FastV, PyramidDrop, SparseVLM.

    from homunculus_lab.inside import FastV, Dropping

    with Dropping(model, FastV(tokens=64)) as dropping:
        model.generate(**inputs)
    dropping.mean_tokens  # of an image in a layer: more than 64, early layers hold all

For Qwen2.5-VL, Qwen3-VL, LLaVA and LLaVA-OneVision of transformers, by hooks: no class is changed,
and outside the `with` the model is untouched. See docs/rivals.md.
"""

from homunculus_lab.inside.budget import mean_tokens, same_cost
from homunculus_lab.inside.fastv import FastV
from homunculus_lab.inside.hooks import Dropping
from homunculus_lab.inside.pyramiddrop import PyramidDrop
from homunculus_lab.inside.rule import InsideRule
from homunculus_lab.inside.sparsevlm import SparseVLM

INSIDE: dict[str, type[InsideRule]] = {
    "fastv": FastV,
    "pyramiddrop": PyramidDrop,
    "sparsevlm": SparseVLM,
}
"""The rules by name."""

__all__ = [
    "INSIDE",
    "Dropping",
    "FastV",
    "InsideRule",
    "PyramidDrop",
    "SparseVLM",
    "mean_tokens",
    "same_cost",
]
