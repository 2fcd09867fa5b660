"""Pages that a question names: by number, by place, or by a figure or a table that stands there."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from homunculus.pages.lines import Lines
from homunculus.scouts.reading.match import spelled
from homunculus.shapes import Float

MARGIN_LINES = 2
"""Lines from the top and from the bottom of a page among which its number stands."""
LEAST_NUMBERED, NUMBERED_SHARE = 3, 0.3
"""Pages whose printed number must be as far from their place, and which share of all."""
_PAGE = r"(?:page|slide|sheet|seite|folie|página|diapositive)"
_NUMBER = re.compile(rf"\b(?:{_PAGE}|pg\.?|p\.)\s*(?:no\.?|number)?\s*\(?(\d{{1,4}})\b", re.I)
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
_ORDINAL = re.compile(rf"\b({'|'.join(_ORDINALS)}|\d{{1,4}}(?:st|nd|rd|th))\s+{_PAGE}\b", re.I)
_FIRST = re.compile(
    rf"\b(?:cover|title|front) (?:{_PAGE}|sheet)\b|\b(?:titelseite|deckblatt)\b", re.IGNORECASE
)
_LAST = re.compile(rf"\b(?:last|final|back|letzte[nr]?)\s+(?:{_PAGE}|cover)\b", re.I)
_LAST_BUT_ONE = re.compile(r"\b(?:second[- ](?:to[- ])?last|last but one|vorletzte[nr]?)\b", re.I)
_OF_DOCUMENT = re.compile(
    r"\b(?:title|author|authors|published|publisher|publication|link|doi|isbn|version|name) "
    r"(?:of|for) (?:this|the) (?:document|paper|report|book|guide|guidebook|manual|article"
    r"|presentation|brochure|slides?)\b"
    r"|\bthis (?:document|paper|report|guide|manual|article|case|presentation)\b.*\b(?:published"
    r"|written|author|title|called|about)\b"
    r"|\bwho (?:wrote|published|authored)\b",
    re.IGNORECASE,
)
"""Questions about the document as a whole, whose answer stands on its first page."""
_NAMED = re.compile(
    r"\b(figure|fig|table|section|chapter|appendix|item|part|exhibit|note|example|equation|step"
    r"|question|chart|box|case|article|rule|schedule|abbildung|tabelle|kapitel|abschnitt)\.?\s+"
    r"(\d+(?:\.\d+)*|[IVX]+|[A-Z])\b",
    re.IGNORECASE,
)
_PRINTED = re.compile(r"(?:page\s*)?[-–]?\s*(\d{1,4})\s*[-–]?(?:\s*(?:/|of)\s*\d+)?", re.IGNORECASE)


def named_parts(question: str) -> Iterator[tuple[str, str]]:
    """Figures, tables and sections that a question names, as they are spelled.

    >>> list(named_parts("What is the last row of Table 3 and Fig. 2?"))
    [('table', '3'), ('figure', '2')]
    """
    for match in _NAMED.finditer(question):
        kind = spelled(match[1])
        yield ("figure" if kind == "fig" else kind), spelled(match[2])


def of_document(question: str) -> bool:
    """Whether a question is about the document as a whole, such as its title."""
    return _OF_DOCUMENT.search(question) is not None


def printed_shift(pages: Sequence[Lines | None]) -> int:
    """How many pages stand before the one that is printed as page 1, if pages are numbered."""
    shifts = Counter[int]()
    for place, page in enumerate(pages):
        if page is not None and page.count:
            order = np.argsort(page.line_boxes[:, 1] + page.line_boxes[:, 3], kind="stable")
            edge = {*order[:MARGIN_LINES].tolist(), *order[-MARGIN_LINES:].tolist()}
            numbers = [_PRINTED.fullmatch(page.texts[line].strip()) for line in sorted(edge)]
            found = next((int(match[1]) for match in numbers if match), None)
            if found is not None:
                shifts[place + 1 - found] += 1
    if not shifts:
        return 0
    shift, count = min(shifts.items(), key=lambda item: (-item[1], item[0]))
    return shift if count >= max(LEAST_NUMBERED, NUMBERED_SHARE * len(pages)) else 0


def referred(question: str, count: int, shift: int) -> Float[np.ndarray, "pages"]:
    """Which pages a question names, by number or by place: shares that add up to 1, or zeros.

    Where pages are numbered from a later one, a number may mean either.

    >>> referred("What is on page 2?", 4, 0).tolist(), referred("the last page", 3, 0).tolist()
    ([0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    """
    pages = np.zeros(count, np.float32)
    numbers = [int(match[1]) for match in _NUMBER.finditer(question)]
    for number in numbers:
        for page in (number, number + shift) if shift else (number,):
            if 1 <= page <= count:
                pages[page - 1] += 1
    for match in _ORDINAL.finditer(question):
        word = match[1].lower()
        number = _ORDINALS.index(word) + 1 if word in _ORDINALS else int(word[:-2])
        if 1 <= number <= count:
            pages[number - 1] += 1
    if _FIRST.search(question):
        pages[0] += 1
    if _LAST_BUT_ONE.search(question):
        pages[max(0, count - 2)] += 1
    elif _LAST.search(question):
        pages[-1] += 1
    return pages / max(1.0, float(pages.sum()))
