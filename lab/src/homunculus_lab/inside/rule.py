# pyright: basic
"""What a rival inside the language model decides: at which layers, how many, and which tokens."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import check_count
from homunculus_lab.inside.budget import Stage, shrink, shrink_to_mean
from homunculus_lab.inside.prompt import Prompt


@dataclass(frozen=True, eq=False)
class Keep:
    """What stays of an image."""

    rows: Int[Tensor, "k"]
    """Rows of the prompt, in order."""
    hidden: Float[Tensor, "k d"] | None = None
    """What they hold from now on, if that is not what they held."""


@dataclass(frozen=True)
class InsideRule(ABC):
    """One way to drop tokens of images between the layers of a language model."""

    tokens: int
    """How many tokens of an image are left in the last layers."""
    mean: bool = False
    """Whether ``tokens`` is the mean over all layers instead, so that it costs what K would."""

    name: ClassVar[str] = ""
    before: ClassVar[int] = 0
    """1 if the layer before the drop rates the tokens, 0 if the layer after it does."""

    def __post_init__(self) -> None:
        check_count(self.tokens, f"{self.name}: tokens")

    @abstractmethod
    def layers(self, depth: int) -> Sequence[int]:
        """The layers before which tokens are dropped."""

    @abstractmethod
    def choose(self, layer: Any, prompt: Prompt, image: int, tokens: int) -> Keep:
        """The tokens of an image that stay; ``prompt`` is the input of ``layer``."""

    def stages(self, native: int, depth: int) -> list[Stage]:
        """When an image of ``native`` tokens is cut to how many."""
        layers = self.layers(depth)
        if self.tokens >= native:
            return [(layer, native) for layer in layers]
        if self.mean:
            return shrink_to_mean(native, self.tokens, layers, depth)
        return shrink(native, self.tokens, layers)


def spread(depth: int, shares: Sequence[float]) -> list[int]:
    """Layers at these shares of the depth, each after the one before it, none the first.

    >>> spread(32, [0.25, 0.5, 0.75]), spread(4, [0.1, 0.2, 0.5])
    ([8, 16, 24], [1, 2, 3])
    """
    layers: list[int] = []
    for share in shares:
        layers.append(max(round(depth * share), layers[-1] + 1 if layers else 1))
    if layers[-1] >= depth:
        raise ValueError(f"{depth} layers are too few for {len(shares)} stages, each in its own.")
    return layers


def best(score: Float[Tensor, "n"], count: int) -> Int[Tensor, "k"]:
    """The places of the highest scores, in order; of equal ones the first."""
    return score.sort(descending=True, stable=True).indices[:count].sort().values


def last_row(prompt: Prompt) -> Tensor:
    """The last token of the prompt, as the one that rates."""
    mask = torch.zeros(len(prompt.hidden), dtype=torch.bool, device=prompt.hidden.device)
    mask[-1] = True
    return mask
