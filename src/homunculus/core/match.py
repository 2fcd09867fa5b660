"""What a scout looked for by name, and what became of it."""

from dataclasses import dataclass
from typing import Literal

Box = tuple[float, float, float, float]
FOUND, PERHAPS = 0.6, 0.4
"""A match is said to be found, or perhaps found, from these probabilities on. A map already follows
what is perhaps found: on the page that a question is about most of that is right. On any other page
nearly all of it is wrong, and most of what scores more is right."""

State = Literal["found", "perhaps", "missing"]
"""What became of something that a scout looked for by name."""
OF_THING = " (thing)"
"""What follows the name of a match that is a thing, not a word."""


@dataclass(frozen=True)
class Match:
    """Something that a scout looked for by name, and where it most likely is.

    >>> Match("total", probability=0.87, box=(0.62, 0.68, 0.7, 0.7)).places
    1.0
    """

    text: str
    probability: float
    box: Box
    """x0 y0 x1 y1, as fractions of the image."""
    places: float = 1.0
    """On how many places it stands, softly counted."""

    @property
    def state(self) -> State:
        """Whether it was found, perhaps found, or not.

        >>> [Match("total", score, (0.0, 0.0, 1.0, 1.0)).state for score in (0.87, 0.5, 0.1)]
        ['found', 'perhaps', 'missing']
        """
        if self.probability >= FOUND:
            return "found"
        return "perhaps" if self.probability >= PERHAPS else "missing"

    @property
    def label(self) -> str:
        """Its name in a drawing."""
        return f"{self.text} (perhaps)" if self.state == "perhaps" else self.text
