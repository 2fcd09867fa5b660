"""What scouts keep in the memory of a process that runs for long: bounds for all of it."""

import ctypes
import os

MEMORY = "HOMUNCULUS_SCOUT_MEMORY"
"""The variable that says how many megabytes of pages the word scout keeps for further questions."""
LARGE_BLOCKS = -3
"""glibc's number for the size from which blocks of memory are not part of its heap."""


def bound_memory(pages: int = 64) -> None:
    """Keep a process that meets pictures of many sizes from growing with their number.

    Call it before the first picture, in a process that is yours: it changes how all of it gets its
    memory. ``pages`` are megabytes of pages that the word scout keeps for further questions, unless
    the environment says so already.
    """
    return_large_blocks()
    os.environ.setdefault(MEMORY, str(pages))


def return_large_blocks(least: int = 1 << 17) -> None:
    """Return blocks of memory to the system as soon as they are free.

    Otherwise glibc keeps ever larger ones, a heap for each thread, and pictures of many sizes leave
    holes between them.
    """
    change = getattr(ctypes.CDLL(None), "mallopt", None)  # other systems have none
    if change:
        change(LARGE_BLOCKS, least)
