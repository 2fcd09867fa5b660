# pyright: basic
"""FastV (Chen et al., ECCV 2024): after two layers, the tokens that the last token attends to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from homunculus_lab.inside.prompt import Prompt, attention
from homunculus_lab.inside.rule import InsideRule, Keep, best, last_row


@dataclass(frozen=True)
class FastV(InsideRule):
    """Rated once, by the attention of the layer before the drop, a mean of its heads."""

    layer: int = 2
    """The first layer without the dropped tokens."""

    name: ClassVar[str] = "fastv"
    before: ClassVar[int] = 1

    def layers(self, depth: int) -> Sequence[int]:
        """The one layer at which tokens are dropped."""
        if not 0 < self.layer < depth:
            raise ValueError(f"fastv: layer is 1 to {depth - 1} in this model, got {self.layer}.")
        return [self.layer]

    def choose(self, layer: Any, prompt: Prompt, image: int, tokens: int) -> Keep:
        """The tokens that the last one attends to."""
        rows = prompt.rows(image)
        weight = attention(layer, prompt, last_row(prompt)).mean(0)[0, rows]
        return Keep(rows[best(weight, tokens)])
