"""Scouts: where on a page a question looks, told before any token is spent."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from jaxtyping import UInt8
from torch import Tensor

from homunculus.scout.sight import Sight, Word
from homunculus.scout.words import WEIGHTS, WordScout, load

__all__ = ["WEIGHTS", "Scout", "Sight", "Word", "WordScout", "load"]


@runtime_checkable
class Scout(Protocol):
    """Whoever tells from pixels and questions where the answers may stand."""

    @property
    def name(self) -> str:
        """In a word, for captions."""
        ...

    def __call__(
        self, images: Sequence[UInt8[Tensor, "3 _ _"]], questions: Sequence[str], patch: int = 16
    ) -> list[Sight]:
        """A sight for each image and its question: log-probabilities of its level-0 cells."""
        ...
