"""Pages with and without words, and which words planners are given."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from PIL import Image

from homunculus.pages.lines import WordBox
from pdfs import LETTER

WORDS: Sequence[WordBox] = [("Total", (10, 10, 60, 30)), ("12.50", (80, 10, 130, 30))]
"""What the OCR of these tests finds on every page."""
LAYER = " ".join(LETTER).split()
"""The words of a letter's text layer."""


def png() -> bytes:
    """A picture without words."""
    out = BytesIO()
    Image.new("RGB", (900, 700), "white").save(out, "png")
    return out.getvalue()


def words(picture: Any) -> tuple[str, ...] | None:
    """The words that a picture brings."""
    return None if picture.lines is None else picture.lines.words
