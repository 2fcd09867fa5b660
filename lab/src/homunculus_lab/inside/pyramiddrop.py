# pyright: basic
"""PyramidDrop (Xing et al., CVPR 2025): a share less at a quarter, a half and three quarters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from homunculus_lab.inside.prompt import Prompt, attention
from homunculus_lab.inside.rule import InsideRule, Keep, best, last_row, spread

SHARES = (0.25, 0.5, 0.75)
"""Shares of the depth: layers 8, 16 and 24 of 32."""


@dataclass(frozen=True)
class PyramidDrop(InsideRule):
    """Rated at each stage by the last token, with queries and keys of the layer that follows."""

    name: ClassVar[str] = "pyramiddrop"

    def layers(self, depth: int) -> Sequence[int]:
        """A quarter, a half, three quarters."""
        return spread(depth, SHARES)

    def choose(self, layer: Any, prompt: Prompt, image: int, tokens: int) -> Keep:
        """The tokens that the last one attends to."""
        rows = prompt.rows(image)
        weight = attention(layer, prompt, last_row(prompt)).mean(0)[0, rows]
        return Keep(rows[best(weight, tokens)])
