# pyright: basic
# PDFium has no types of its own.
"""Words of a PDF's page with the boxes of their glyphs, for the truth of a suite.

The product reads text layers by its own code. What is measured must not also say what is right, so
this is another one: PDFium's characters one by one, with the boxes of what is drawn.
"""

from collections.abc import Iterator
from ctypes import byref, c_double, c_int
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homunculus.pages import DOTS
from homunculus.pages.lines import Lines

FINE = 16
"""PDFium places points on whole pixels: of so many times finer pages."""
MAX_CHARACTERS = 60_000
"""Characters of a page that are read."""
LINE_END = 0x02
"""What PDFium puts in the place of a hyphen at the end of a line."""


@dataclass(frozen=True, eq=False)
class PrintedPage:
    """A page of a PDF: its size, and its words, all in pixels at 200 dots per inch."""

    size: tuple[int, int]
    """Height and width."""
    lines: Lines


def printed_page(path: Path, page: int) -> PrintedPage:
    """One page of a PDF, counted from 1."""
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    try:
        sheet = document[page - 1]
        width, height = (round(side * DOTS / 72) for side in sheet.get_size())
        words = Lines.of(_words(sheet, (width * FINE, height * FINE)), "text layer")
        return PrintedPage((height, width), words)
    finally:
        document.close()


def _words(sheet: Any, fine: tuple[int, int]) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Words as they stand in the file, with boxes on the page of 200 dots per inch."""
    from pypdfium2 import raw

    layer = sheet.get_textpage()
    letters, corners = list[str](), list[tuple[float, float]]()
    for index in range(min(layer.count_chars(), MAX_CHARACTERS) + 1):
        code = raw.FPDFText_GetUnicode(layer, index) if index < layer.count_chars() else 0
        letter = "" if code in (0, LINE_END, 0xFFFE, 0xFFFF) else chr(code)
        if letter.strip():
            letters.append(letter)
            corners += _corners(layer, sheet, fine, index)
        elif letters:
            if corners:
                yield "".join(letters), _around(corners)
            letters, corners = [], []


def _corners(
    layer: Any, sheet: Any, fine: tuple[int, int], index: int
) -> Iterator[tuple[float, float]]:
    """Two corners of what is drawn of a character; none if nothing is."""
    from pypdfium2 import raw

    left, right, bottom, top = (c_double() for _ in range(4))
    raw.FPDFText_GetCharBox(layer, index, byref(left), byref(right), byref(bottom), byref(top))
    if left.value >= right.value or bottom.value >= top.value:
        return
    for x, y in ((left, top), (right, bottom)):
        across, down = c_int(), c_int()
        raw.FPDF_PageToDevice(sheet, 0, 0, *fine, 0, x, y, byref(across), byref(down))
        yield across.value / FINE, down.value / FINE


def _around(corners: list[tuple[float, float]]) -> tuple[float, float, float, float]:
    across, down = zip(*corners, strict=True)
    return min(across), min(down), max(across), max(down)
