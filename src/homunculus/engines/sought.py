# pyright: basic
"""Where a question looks on an image: the same for every engine."""

from typing import Any

from jaxtyping import Float
from torch import Tensor

from homunculus.method import Method
from homunculus.picture import open_picture
from homunculus.relevance import reason

SCOUTED = 1664
"""Pixels of the longer side of what relevance is made from."""


def sought(image: Any, question: str, method: Method) -> tuple[Float[Tensor, "h w"], str]:
    """A map of logits over an opened image, for a method, and where it came from."""
    small = open_picture(image, longest=SCOUTED)
    why = reason(method.source, small, small.unit(), question)
    return why.logit, why.origin
