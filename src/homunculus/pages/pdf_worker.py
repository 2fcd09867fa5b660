"""A process that opens one PDF of a stranger's: `python -m homunculus.pages.pdf_worker`.

The first message is the PDF; further ones are JSON: what to do, and with which pages. Its memory
and its time of the processor are bounded.
"""

import json
import resource
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from homunculus.pages import PictureError
from homunculus.pages.child import LENGTH, serve
from homunculus.pages.document import Sheet, open_source_of_pages, sheet_to_bytes

MEMORY = 2 << 30
"""Bytes of addresses; a page of 8,192 x 8,192 pixels takes 1 GB while it is drawn."""
CPU_SECONDS = 120
"""For all that is asked of the PDF."""


def main() -> None:
    """Answer until stdin ends."""
    limits = (
        (resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, CPU_SECONDS), (resource.RLIMIT_CORE, 0),
    )  # fmt: skip
    for kind, most in limits:
        with suppress(ValueError, OSError):  # a lower limit holds already
            resource.setrlimit(kind, (most, most))
    serve(Worker().answer)


class Worker:
    """The PDF, once it is there."""

    def __init__(self) -> None:
        self.source: Any = None

    def answer(self, message: bytes) -> bytes:
        """Frames: nothing and a sentence if it failed, else what was asked for."""
        try:
            return frames(b"ok", *self._do(message))
        except PictureError as error:
            return frames(b"", str(error).encode())
        except Exception as error:  # a stranger's file
            return frames(b"", f"the PDF could not be read ({type(error).__name__}).".encode())

    def _do(self, message: bytes) -> list[bytes]:
        if self.source is None:
            self.source = open_source_of_pages(message)
            return [json.dumps(self.source.count).encode()]
        asked = json.loads(message)
        actions: dict[str, Callable[[list[int]], list[bytes]]] = {
            "sizes": lambda pages: [json.dumps(self.source.sizes()).encode()],
            "sheets": lambda pages: list(map(sheet_to_bytes, self.source.sheets(pages))),
            "picture": lambda pages: self._picture(pages[0]),
            "small": lambda pages: [
                part for drawn in self.source.small(pages) for part in pixels_to_bytes(drawn)
            ],
        }
        return actions[asked["do"]](asked["pages"])

    def _picture(self, page: int) -> list[bytes]:
        picture = self.source.picture(page)
        sheet = Sheet(picture.size, picture.original, picture.lines, picture.lines_note)
        return [sheet_to_bytes(sheet), *pixels_to_bytes(picture.pixels)]


def frames(*parts: bytes) -> bytes:
    """Parts behind each other, each with its length."""
    return b"".join(LENGTH.pack(len(part)) + part for part in parts)


def parts_of(data: bytes) -> list[bytes]:
    """What `frames` made."""
    parts, place = list[bytes](), 0
    while place < len(data):
        (size,) = LENGTH.unpack_from(data, place)
        place += LENGTH.size + size
        parts.append(data[place - size : place])
    return parts


def pixels_to_bytes(pixels: np.ndarray) -> list[bytes]:
    """A picture's shape and its pixels."""
    return [json.dumps(pixels.shape).encode(), np.ascontiguousarray(pixels).tobytes()]


def pixels_from_bytes(shape: bytes, data: bytes) -> np.ndarray:
    """What `pixels_to_bytes` made; raises ValueError of anything else."""
    three, high, wide = json.loads(shape)
    if three != 3:
        raise ValueError
    return np.frombuffer(data, np.uint8).reshape(3, high, wide)


if __name__ == "__main__":
    main()
