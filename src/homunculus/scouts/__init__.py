"""Where a question looks: scouts, and the maps of pixels and places that they are made from."""

from homunculus.scouts.combine import MIX, Dials, mix, rank
from homunculus.scouts.pixels import contrast, information, orientations
from homunculus.scouts.places import answer, hint

__all__ = [
    "MIX",
    "Dials",
    "answer",
    "contrast",
    "hint",
    "information",
    "mix",
    "orientations",
    "rank",
]
