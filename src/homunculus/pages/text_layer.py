# pyright: basic
# PDFium's functions have no types of their own.
"""The text layer of a PDF page: its words, and where they stand on the page as it is drawn."""

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from homunculus.pages.lines import Lines, WordBox
from homunculus.pages.trust import doubt
from homunculus.shapes import Bool, Float, Int, UInt8

SOURCE = "text layer"
"""Who reads it: `Lines.source`."""
MAX_CHARACTERS = 100_000
"""Characters of a page that are read: the first ones. A dense page has 6,000."""
MAX_OBJECTS = 50_000
"""Lines, pictures and pieces of text of a page above which its text is not read: PDFium needs
a second to draw so many, and as long to sort their letters."""
GAP = 0.6
"""Heights of a letter from which a gap parts two words, with or without a space between."""
LOW = 0.45
"""A word this low against its neighbour, such as a dash, is as high as its neighbour."""
SLOPE = 0.2
"""How far a line may rise or fall, in its length, before its words count as turned."""
INSIDE = 0.5
"""Share of a word that must lie on the page."""
UNIT = 1 << 20
"""Steps along each side of the page in which PDFium is asked where a point lies."""
HYPHEN = 2
"""What PDFium makes of a hyphen at the end of a line."""


class UnreadableLayer(Exception):  # noqa: N818 - it is what happened
    """A text layer that is not read; the message says why, as the end of a sentence."""


def trusted_layer(page: Any, pixels: UInt8[np.ndarray, "3 h w"]) -> tuple[Lines | None, str]:
    """The words of a page of pypdfium2 as it is drawn, or None and a sentence that says why not.

    No layer is no fault: then both are empty.
    """
    try:
        words = read_text_layer(page, (int(pixels.shape[1]), int(pixels.shape[2])))
        lines = Lines.of(words, SOURCE)
        reason = doubt(lines, pixels) if len(lines) else ""
    except UnreadableLayer as error:
        return None, note(str(error))
    except Exception:  # a stranger's file; the page itself has been drawn
        return None, note("it could not be read")
    return (None, note(reason)) if reason else (lines if len(lines) else None, "")


def note(reason: str) -> str:
    """Why a layer was not used, as a sentence."""
    return f"The text layer was not used: {reason}."


def read_text_layer(page: Any, size: tuple[int, int]) -> list[WordBox]:
    """The upright words of a page of pypdfium2, with boxes in pixels of the page drawn in a size.

    Words that nobody sees are read too: text behind a scan is how its OCR is kept. Turned words
    and words beside the page are left out. Raises `UnreadableLayer`.
    """
    if count_parts(page)[0] > MAX_OBJECTS:
        raise UnreadableLayer("it has too many parts")
    text = page.get_textpage()
    try:
        return _words(page, text, size)
    finally:
        text.close()


def count_parts(page: Any) -> tuple[int, int]:
    """Lines, pictures and pieces of text of a page of pypdfium2; and its notes and fields."""
    raw = _raw()
    return raw.FPDFPage_CountObjects(page.raw), raw.FPDFPage_GetAnnotCount(page.raw)


@cache
def _raw() -> Any:
    import pypdfium2.raw as raw

    return raw


@cache
def _quick() -> tuple[Any, Any]:
    """PDFium's functions of one letter, its code and its box, with addresses in place of objects:
    half as long for each of some thousand calls."""
    raw, address = _raw(), ctypes.c_void_p
    code: Any = ctypes.CFUNCTYPE(ctypes.c_uint, address, ctypes.c_int)
    box: Any = ctypes.CFUNCTYPE(ctypes.c_int, address, ctypes.c_int, *[address] * 4)
    functions = (raw.FPDFText_GetUnicode, raw.FPDFText_GetCharBox)
    places = [ctypes.cast(function, address).value for function in functions]
    return code(places[0]), box(places[1])


def _words(page: Any, text: Any, size: tuple[int, int]) -> list[WordBox]:
    count = min(text.count_chars(), MAX_CHARACTERS)
    handle = ctypes.cast(text.raw, ctypes.c_void_p).value
    code_of, box_of = _quick()
    codes = np.array([code_of(handle, index) for index in range(count)], np.int64)
    printed = np.flatnonzero(~_blank(codes))
    if not len(printed):
        return []
    boxes = np.zeros((len(printed), 4))  # left right bottom top
    row = boxes.ctypes.data
    for index in printed.tolist():
        box_of(handle, index, row, row + 8, row + 16, row + 24)
        row += 32
    corner, turn = _drawing(page, size)
    boxes = _drawn(boxes, corner, turn)
    first = _first_letters(printed, boxes)
    low = np.minimum.reduceat(boxes[:, :2], first)
    words = np.concatenate((low, np.maximum.reduceat(boxes[:, 2:], first)), 1)
    lines = np.cumsum((codes == 10) | (codes == 13))[printed[first]]
    _raise_low(words, lines)
    use = _on_page(words, size) & _upright(text.raw, printed[first], turn)
    letters = "".join(map(_letter, codes[printed].tolist()))
    ends = [*first[1:].tolist(), len(printed)]
    return [
        (letters[start:end], box)
        for start, end, box, used in zip(
            first.tolist(), ends, words.tolist(), use.tolist(), strict=True
        )
        if used
    ]


def _blank(codes: Int[np.ndarray, "letters"]) -> Bool[np.ndarray, "letters"]:
    kinds, kind = np.unique(codes, return_inverse=True)
    blank = [code != HYPHEN and (code <= 32 or _letter(code).isspace()) for code in kinds.tolist()]
    return np.array(blank, bool)[kind]


def _letter(code: int) -> str:
    """A letter; what is none, such as half a pair of UTF-16, becomes the sign for that."""
    if code == HYPHEN:
        return "-"
    return "\ufffd" if 0xD800 <= code < 0xE000 or not 0 < code < 0x110000 else chr(code)


def _drawing(
    page: Any, size: tuple[int, int]
) -> tuple[Float[np.ndarray, "2"], Float[np.ndarray, "2 2"]]:
    """Where points of the page lie when it is drawn: point @ turn + corner, in pixels.

    PDFium is asked, since it draws: about crop boxes, turned pages and units it cannot disagree.
    """
    left, bottom, right, top = page.get_bbox()
    down, across = ctypes.c_int(), ctypes.c_int()

    def drawn(x: float, y: float) -> Sequence[float]:
        _raw().FPDF_PageToDevice(
            page.raw, 0, 0, UNIT, UNIT, 0, x, y, ctypes.byref(across), ctypes.byref(down)
        )
        return across.value * size[1] / UNIT, down.value * size[0] / UNIT

    start, right_of, above = (
        np.array(drawn(x, y)) for x, y in ((left, bottom), (right, bottom), (left, top))
    )
    turn = np.stack(((right_of - start) / (right - left), (above - start) / (top - bottom)))
    return start - np.array((left, bottom)) @ turn, turn


def _drawn(
    boxes: Float[np.ndarray, "letters 4"],
    corner: Float[np.ndarray, "2"],
    turn: Float[np.ndarray, "2 2"],
) -> Float[np.ndarray, "letters 4"]:
    """Boxes left right bottom top of the page as x0 y0 x1 y1 of its drawing."""
    here, there = boxes[:, [0, 2]] @ turn + corner, boxes[:, [1, 3]] @ turn + corner
    return np.concatenate((np.minimum(here, there), np.maximum(here, there)), 1)


def _first_letters(
    printed: Int[np.ndarray, "letters"], boxes: Float[np.ndarray, "letters 4"]
) -> Int[np.ndarray, "words"]:
    """Which letters begin a word: after a blank, a wide gap on either side, or in another row."""
    x0, y0, x1, y1 = boxes.T
    high = np.maximum(y1 - y0, 1e-3)
    gap = np.maximum(x0[1:] - x1[:-1], x0[:-1] - x1[1:])  # of writing from the right, the latter
    far = gap > GAP * np.maximum(high[1:], high[:-1])
    apart = np.maximum(y0[1:], y0[:-1]) > np.minimum(y1[1:], y1[:-1]) + np.maximum(
        high[1:], high[:-1]
    )
    begins = (np.diff(printed) > 1) | far | apart
    return np.concatenate(([0], np.flatnonzero(begins) + 1))


def _raise_low(words: Float[np.ndarray, "words 4"], lines: Int[np.ndarray, "words"]) -> None:
    """Dashes and dots become as high as a word beside them, in place; else they would make lines of
    their own."""
    high = words[:, 3] - words[:, 1]
    for near in (-1, 1):
        other = np.arange(len(words)) + near
        other = other.clip(0, len(words) - 1)
        middle = (words[:, 1] + words[:, 3]) / 2
        low = (lines == lines[other]) & (high < LOW * high[other])
        low &= (words[other, 1] < middle + high[other]) & (middle - high[other] < words[other, 3])
        words[low, 1] = np.minimum(words[low, 1], words[other[low], 1])
        words[low, 3] = np.maximum(words[low, 3], words[other[low], 3])
        high = words[:, 3] - words[:, 1]


def _on_page(
    words: Float[np.ndarray, "words 4"], size: tuple[int, int]
) -> Bool[np.ndarray, "words"]:
    """Which words lie on the page for the most part."""
    x0, y0, x1, y1 = words.T
    across = np.minimum(x1, size[1]) - np.maximum(x0, 0)
    down = np.minimum(y1, size[0]) - np.maximum(y0, 0)
    inside = across.clip(0) * down.clip(0)
    return inside > INSIDE * (x1 - x0) * (y1 - y0)


def _upright(
    handle: Any, first: Int[np.ndarray, "words"], turn: Float[np.ndarray, "2 2"]
) -> Bool[np.ndarray, "words"]:
    """Which words run from left to right on the page as drawn."""
    raw = _raw()
    matrix = raw.FS_MATRIX()
    place, get = ctypes.byref(matrix), raw.FPDFText_GetMatrix
    ways = np.zeros((len(first), 2))
    for number, index in enumerate(first.tolist()):
        get(handle, index, place)
        ways[number] = matrix.a, matrix.b
    across, down = (ways @ turn).T
    return (across > 0) & (np.abs(down) <= SLOPE * across)
