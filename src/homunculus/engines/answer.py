# pyright: basic
"""An answer, and what was looked at for it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, log2
from typing import TYPE_CHECKING, Any

from jaxtyping import Int
from torch import Tensor

from homunculus import lift, view
from homunculus.engines.part.views import whole
from homunculus.picture import Picture, open_picture
from homunculus.types import Tokens

if TYPE_CHECKING:
    from homunculus.engines.prepared import Look, Prepared

CELL = 16
"""Pixels of a cell in a drawing."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What the model said about a conversation's images.

    Features of images and the KV cache stay with the engine, so that many answers can be kept.
    """

    text: str
    ids: Int[Tensor, "l"]
    """Prompt and answer."""
    prepared: "Prepared"
    """Inputs of the model, without features."""
    looks: "list[Look]"
    """One for each image of the conversation."""
    _cache: Callable[[], Any] | None = field(default=None, repr=False)
    """A weak reference."""

    @property
    def cache(self) -> Any:
        """Keys and values of all that was computed, while the engine keeps them; else None.

        It does for its latest answer, and for the ones that this answer went on from.
        """
        return None if self._cache is None else self._cache()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": None}  # weak references cannot be pickled

    @property
    def tokens(self) -> tuple[Tokens, ...]:
        """What was kept of each image."""
        return tuple(look.choice.tokens for look in self.looks)

    def show(self, image: int = 0) -> Any:
        """Four panels as a Pillow image: picture, relevance, kept cells, what is left to read."""
        look = self.looks[image]
        rows, cols = look.layout.grid
        picture = _cut(look)
        tokens = look.choice.tokens
        kept, total = len(look.choice.anchor), look.layout.total
        plain = whole(tokens, look.layout.grid)
        side = float((tokens.box[0, :, 2:] - tokens.box[0, :, :2]).max())
        coarsest = int(tokens.level.max()) if plain else ceil(log2(max(1.0, side)))
        return view.panels(
            lift.mips(picture.unit(), 1 + coarsest),
            (rows * CELL, cols * CELL),
            look.relevance.detach().cpu(),
            tokens,
            patch=CELL,
            plain=plain,
            question=look.shown.question,
            caption=f"{kept} of {total} tokens, relevance: {look.origin}. Answer: {self.text}",
            origin=look.origin,
        )


def _cut(look: "Look") -> Picture:
    """The part of the image that the model sees, as large as its cells."""
    rows, cols = look.layout.grid
    y0, x0, y1, x1 = look.layout.window
    image = look.shown.image
    box = [x0 * image.width, y0 * image.height, x1 * image.width, y1 * image.height]
    return open_picture(
        image.crop([round(side) for side in box]).resize((cols * CELL, rows * CELL))
    )
