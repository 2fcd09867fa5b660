"""Before the encoder: only the chosen cells go through the tower, each view of an image by itself.

A coarse cell is a cell of the shrunken image, encoded as the tower would encode that image: cells
of one level see each other, and none of another level.
"""

from homunculus.engines.part.packed import qwen
from homunculus.engines.part.siglip import onevision, shuffled
from homunculus.engines.part.views import refuse, single

__all__ = ["onevision", "qwen", "refuse", "shuffled", "single"]
