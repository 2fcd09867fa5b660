# pyright: basic
"""An answer, and what was looked at for it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jaxtyping import Int
from torch import Tensor

from homunculus import lift, view
from homunculus.picture import Picture, open_picture
from homunculus.types import Tokens

if TYPE_CHECKING:
    from homunculus.engines.prepared import Look, Prepared

CELL = 16
"""Pixels of a cell in a drawing."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What the model said about a conversation's images."""

    text: str
    ids: Int[Tensor, "l"]
    """Prompt and answer."""
    prepared: "Prepared"
    looks: "list[Look]"
    """One for each image of the conversation."""
    cache: Any = None
    """Keys and values of all that was computed, if it was one conversation with one answer."""

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
        coarsest = int(tokens.level.max())
        return view.panels(
            lift.mips(picture.unit(), 1 + coarsest),
            (rows * CELL, cols * CELL),
            look.relevance.detach().cpu(),
            tokens,
            patch=CELL,
            plain=True,
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
