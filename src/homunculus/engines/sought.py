# pyright: basic
"""What engines know of an image before it is encoded: where a question looks, and its material."""

from collections.abc import Collection
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from typing import Any

from einops import rearrange
from jaxtyping import Float
from torch import Tensor

from homunculus.engines.layout import Layout, averaged, majority
from homunculus.material import material
from homunculus.method import Material, Method, Need
from homunculus.picture import open_picture
from homunculus.relevance import available, reason
from homunculus.scout import WEIGHTS

SCOUTED = 1664
"""Pixels of the longer side of what relevance is made from."""
PATCH = 16
"""Pixels of a cell's side there."""


def sought(image: Any, question: str, method: Method) -> tuple[Float[Tensor, "h w"], str]:
    """A map of logits over an opened image, for a method, and where it came from."""
    if method.source == "answer":
        raise ValueError(
            f"engine: {method.name} is given the answer's box, which a question does not bring. "
            "Use another method, or pass relevance."
        )
    small = open_picture(image, longest=SCOUTED)
    why = reason(method.source, small, small.unit(), question, PATCH)
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
    if available():
        for file in sorted(WEIGHTS.glob("*.safetensors")):
            digest.update(file.name.encode() + sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def lattice_material(image: Any, needs: Collection[Need], layout: Layout) -> Material:
    """What a method needs to know of an image, brought to the cells of a lattice.

    Regions go by majority, colours and energies by their mean. Of an image whose own cells are
    the lattice it is what `look` uses.
    """
    if not needs:
        return Material()
    small = open_picture(image, longest=SCOUTED)
    found, grid = material(small.pixels, needs, PATCH), small.grid(PATCH)

    def mean(value: Float[Tensor, "1 n c"] | None) -> Float[Tensor, "1 m c"] | None:
        if value is None:
            return None
        shaped = rearrange(value[0], "(h w) c -> c h w", h=grid[0])
        return rearrange(averaged(shaped, layout), "c h w -> 1 (h w) c")

    label = None if found.label is None else majority(found.label[0].view(grid), layout)
    return Material(
        feature=mean(found.feature),
        label=None if label is None else label.reshape(1, -1),
        labels=0 if label is None else int(label.max()) + 1,
        energy=mean(found.energy),
    )
