"""Where a question looks: scouts, and the maps of pixels and places that they are made from."""

from homunculus.scouts.combine import MIX, mix, rank
from homunculus.scouts.pixels import contrast, information, orientations
from homunculus.scouts.places import hint

__all__ = [
    "MIX",
    "contrast",
    "hint",
    "information",
    "mix",
    "orientations",
    "rank",
]
