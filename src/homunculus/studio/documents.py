"""A document, one question, one budget: which of a stranger's pages are shown, and what is sent.

Nothing here knows the browser. A page that is asked about alone is a picture like any other
(`homunculus.studio.compare`).
"""

import numpy as np

from homunculus.pages import PictureError
from homunculus.studio.compare import Request
from homunculus.views import Document, DocumentViews

PAGES = 600
"""Pages of a document whose words are read: about 10 seconds."""
SCANS = 40
"""Pages of a document without words, on which the word scout looks for half a second each."""
SHEET = 16_000_000
"""Pixels of a page as it is drawn: A2 at 200 dots per inch. Up to twelve pages are drawn."""
ALONE = "Ask about one page alone."
"""What is possible with any document that is refused."""


def is_document(part: str, pages: int) -> bool:
    """Whether a file is asked as a whole; frames of an animation are not."""
    return part == "page" and pages > 1


def open_document(data: bytes) -> Document:
    """A stranger's PDF, read; nothing of it is kept on disk. A TIFF is refused: its decoder is not
    for strangers' bytes (SECURITY.md)."""
    document = Document(data, keep=False)
    count = len(document)
    if count > PAGES:
        raise PictureError(
            f"This document has {count:,} pages; the studio reads up to {PAGES}. {ALONE}"
        )
    sizes = [document.picture_size(page) for page in range(1, count + 1)]
    largest = max(range(count), key=lambda place: sizes[place][0] * sizes[place][1])
    high, wide = sizes[largest]
    if high * wide > SHEET:
        raise PictureError(
            f"Page {largest + 1} has {high * wide / 1e6:.0f} megapixels ({wide} x {high}); pages "
            f"of a document may have up to {SHEET / 1e6:.0f}. {ALONE}"
        )
    unread = int(np.count_nonzero(document.ranker.unread))
    if unread > SCANS:
        raise PictureError(
            f"{unread} pages of this document have no text layer; the studio looks for words on up "
            f"to {SCANS}. Put one in with an OCR such as ocrmypdf. {ALONE}"
        )
    return document


def ask_document(document: Document, request: Request) -> DocumentViews:
    """The pages that are likely to answer, at one budget for all of them."""
    return document.views(request.question, request.tokens, model=request.model)
