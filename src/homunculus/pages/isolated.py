"""A PDF of a stranger's, opened in a process of its own, which is killed if it takes too long.

PDFium is a large library in C: a file that was made for it may crash it, or keep it busy for hours.
In a server that costs the file, not the server.
"""

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from struct import error as StructError
from time import monotonic
from types import TracebackType
from typing import Any

import numpy as np

from homunculus.pages import Picture, PictureError
from homunculus.pages.child import Child, ChildFailed, start
from homunculus.pages.document import TOGETHER, Sheet, check_count_of_pages, sheet_from_bytes
from homunculus.pages.pdf_worker import parts_of, pixels_from_bytes
from homunculus.shapes import UInt8

SECONDS = 20.0
"""For each message: to open the PDF, to read 32 pages, or to draw one."""
MAX_ANSWER = 256 << 20
"""Bytes of an answer; a page of 8,192 x 8,192 pixels has 192 MB."""
HEAD = 1024
"""Bytes within which a PDF says that it is one."""


class IsolatedPdf:
    """A source of pages for `homunculus.open`; close it, or use it in a `with` statement."""

    def __init__(self, data: bytes, seconds: float | int = SECONDS, name: str = "PDF") -> None:
        """The time for all that is asked of it is ``seconds``."""
        if b"%PDF-" not in data[:HEAD]:
            raise PictureError(
                f"{name}: expected a PDF, got something else. Send pages as pictures."
            )
        self.name, self._digest = name, blake2b(data, digest_size=16).digest()
        self._until = monotonic() + seconds
        self._child = Child(start("homunculus.pages.pdf_worker", OPENBLAS_NUM_THREADS="1"))
        try:
            (count,) = self._ask(data, 1)
            self.count = check_count_of_pages(name, _checked(json.loads, count))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "IsolatedPdf":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._child.end()

    def sizes(self) -> list[tuple[int, int]]:
        """Height and width of each page."""
        (data,) = self._do(1, "sizes")
        sizes = _checked(_sizes, data)
        if len(sizes) != self.count:
            raise _unread(self.name)
        return sizes

    def key(self, page: int) -> bytes:
        """As of the same file that is opened here."""
        return self._digest + page.to_bytes(4, "big")

    def sheets(self, pages: Sequence[int]) -> Iterator[Sheet]:
        """What is known of some pages, read a few at a time."""
        for first in range(0, len(pages), TOGETHER):
            some = pages[first : first + TOGETHER]
            for answer in self._do(len(some), "sheets", *some):
                yield _checked(_sheet, answer)

    def picture(self, page: int) -> Picture:
        """A page, drawn."""
        sheet, shape, data = self._do(3, "picture", page)
        known, pixels = _checked(_sheet, sheet), _checked(pixels_from_bytes, shape, data)
        return Picture(
            pixels, f"{self.name} page {page}", known.original, page, self.count,
            lines=known.lines, lines_note=known.note,
        )  # fmt: skip

    def small(self, pages: Sequence[int]) -> list[UInt8[np.ndarray, "3 _h _w"]]:
        """Some pages drawn small, to see where they have print."""
        parts = iter(self._do(2 * len(pages), "small", *pages))
        return [_checked(pixels_from_bytes, shape, next(parts)) for shape in parts]

    def _do(self, count: int, action: str, *pages: int) -> list[bytes]:
        return self._ask(json.dumps({"do": action, "pages": pages}).encode(), count)

    def _ask(self, message: bytes, count: int) -> list[bytes]:
        """The parts of an answer, which are so many."""
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError(f"{self.name}: it was not read in time. Send fewer pages.")
        try:
            answer = self._child.ask(message, seconds=min(left, SECONDS), most=MAX_ANSWER)
            state, *parts = _checked(parts_of, answer) or [b""]
        except ChildFailed as error:
            raise PictureError(f"{self.name}: {error}. Save it again, or send pages.") from error
        if state != b"ok":
            raise PictureError(
                b"".join(parts).decode("utf-8", "replace") or str(_unread(self.name))
            )
        if len(parts) != count:
            raise _unread(self.name)
        return parts


def _sizes(data: bytes) -> list[tuple[int, int]]:
    return [(int(high), int(wide)) for high, wide in json.loads(data)]


def _sheet(data: bytes) -> Sheet:
    sheet = sheet_from_bytes(data)
    if sheet is None:
        raise ValueError
    return sheet


def _checked(read: Any, *data: bytes) -> Any:
    """What an answer says; a process that a stranger's file took over may say anything."""
    try:
        return read(*data)
    except (ValueError, TypeError, LookupError, OverflowError, StructError) as error:
        raise _unread("PDF") from error


def _unread(name: str) -> PictureError:
    return PictureError(f"{name}: it could not be read. Save it again, or send its pages.")
