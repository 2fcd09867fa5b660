# pyright: basic
"""Where a question looks on an image: the same for every engine."""

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from typing import Any

from jaxtyping import Float
from torch import Tensor

from homunculus.method import Method
from homunculus.picture import open_picture
from homunculus.relevance import reason, shipped
from homunculus.scout import WEIGHTS

SCOUTED = 1664
"""Pixels of the longer side of what relevance is made from."""


def sought(image: Any, question: str, method: Method) -> tuple[Float[Tensor, "h w"], str]:
    """A map of logits over an opened image, for a method, and where it came from."""
    small = open_picture(image, longest=SCOUTED)
    why = reason(method.source, small, small.unit(), question)
    return why.logit, why.origin


@cache
def version() -> str:
    """What decides where a question looks, besides the picture: our code and the scout's weights.

    Part of the key of whatever is kept of a choice beyond this process.
    """
    digest = sha256()
    try:
        digest.update(installed("homunculus-vlm").encode())
    except PackageNotFoundError:  # run from a source tree that was never installed
        digest.update(b"source")
    if shipped() is not None:
        for file in sorted(WEIGHTS.glob("*.safetensors")):
            digest.update(file.name.encode() + sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
