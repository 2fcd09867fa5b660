"""A digest of the code that a number depends on: what is kept from before is then sound."""

from functools import cache
from hashlib import blake2b
from pathlib import Path

import homunculus
from homunculus.scouts.version import scout_version

ROOMS = ("planner", "scouts", "views", "nets.py", "cache.py", "box.py")
"""The parts of the product that decide which views are shown of a picture without lines."""
OF_LINES = "reading"
"""The room of scouts that only lines are given to: it changes nothing without them."""


@cache
def planning_code(*files: str) -> str:
    """A digest of the shipped scout and its weights, of the planner, and of further files."""
    product = Path(homunculus.__file__).parent
    digest = blake2b(scout_version("auto").encode(), digest_size=8)
    for room in (product / name for name in ROOMS):
        for file in sorted(room.rglob("*.py")) if room.is_dir() else [room]:
            if OF_LINES not in file.relative_to(product).parts:
                digest.update(file.read_bytes())
    for file in files:
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()
