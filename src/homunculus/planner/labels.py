"""The lines of text before pictures: what they say, and what they cost at most.

No tokenizer is needed: the lines consist of a few common English words, digits and marks, and the
estimate counts each of these as a token. Tokenizers take fewer, as a test with those of LiteLLM
shows. A passage, which is a line's quotation of what is printed, may hold any words of any script,
so its letters are counted.
"""

import re
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal
from unicodedata import normalize

from homunculus.checks import is_whole
from homunculus.planner.plan import NO_FEES, Fees

LabelLike = Literal["short", "long"] | bool
"""What `views` takes: False for no lines, True for long ones."""
Style = Literal["short", "long", "none"]
LARGEST = 999
"""The largest number of a picture that the estimate covers."""
_WHOLE: dict[Style, str] = {"short": "Whole:", "long": "The whole picture, reduced:"}
_DETAIL: dict[Style, str] = {"short": "Detail:", "long": "Detail, {} across and {} down:"}
_INTRODUCED = '\nText of this part:\n"{}"'
_SHARE = "100-100%"
"""The longest that a line may say."""
_PIECE = re.compile(r"[A-Za-z]+|\d|[^\w\s]|\s(?=\d)")
_RUN = re.compile(r" ?([A-Z]?[a-z]+)| ?([A-Z]+)|(.)", re.DOTALL)
"""A word, capitals, or any other character; a space belongs to the letters behind it."""


def text_tokens(line: str) -> int:
    """An upper estimate of a line's tokens: its words, digits and marks, spaces before digits, and
    a line break.

    >>> text_tokens("Whole:"), text_tokens("Detail, 10-30% across and 5-9% down:")
    (3, 19)
    """
    return len(_PIECE.findall(line)) + 1


def passage_line(line: str, passage: str) -> str:
    """A line that quotes what is printed on the part that it is about.

    >>> print(passage_line("Detail:", "Total due 1,284.50"))
    Detail:
    Text of this part:
    "Total due 1,284.50"
    """
    return f"{line}{_INTRODUCED.format(passage)}".lstrip("\n")


def passage_tokens(passage: str) -> int:
    """An upper estimate of what a passage adds to a line, in tokens of text.

    Of letters it counts two tokens for three: tokenizers know nearly all pairs of small letters, so
    no two letters beside each other stay alone. Capitals, digits and marks count one each, letters
    of other scripts one for each byte. English takes about 0.4 of that.

    >>> passage_tokens("Total due 1,284.50"), passage_tokens("Größe")
    (31, 23)
    """
    return written_tokens(_INTRODUCED.format(passage))


def written_tokens(text: str) -> int:
    """An upper estimate of any text's tokens, as `passage_tokens` counts them.

    >>> written_tokens("Total due")
    6
    """
    return sum(_most(*run) for run in _RUN.findall(text))


def _most(word: str, capitals: str, other: str) -> int:
    if other > "\x7f":  # some tokenizers write ½ as 1/2 first
        forms = (other, normalize("NFKC", other))
        return max(len(form.encode("utf-8", "surrogatepass")) for form in forms)
    return ceil(2 * len(word) / 3) + len(capitals) + len(other)


def numbered_line(line: str, number: int) -> str:
    """A line of one of several pictures.

    >>> numbered_line("Whole:", 2), numbered_line("", 3)
    ('Picture 2, whole:', 'Picture 3:')
    """
    if not line:
        return f"Picture {number}:"
    return f"Picture {number}, {line[0].lower()}{line[1:]}"


def page_line(line: str, page: int, number: int | None = None) -> str:
    """A line of a picture of a document's page; ``number`` says which document it is.

    >>> page_line("Detail:", 12), page_line("", 3, number=2)
    ('Page 12, detail:', 'Document 2, page 3:')
    """
    paged = numbered_line(line, page).removeprefix("Picture")
    return f"Page{paged}" if number is None else f"Document {number}, page{paged}"


@dataclass(frozen=True)
class Label:
    """Which lines stand before the pictures of a plan.

    >>> Label("short").fees, Label("short", page=12).fees
    (Fees(alone=0, whole=3, window=3), Fees(alone=6, whole=8, window=8))
    """

    style: Style = "short"
    numbered: bool = False
    """Whether a request has several pictures, so that lines begin with the picture's number; of a
    document's page, with that of the document."""
    page: int = 0
    """The page of a document that the pictures are of; then each of them has a line."""

    @staticmethod
    def of(label: Any, numbered: bool = False) -> "Label":
        """What a caller means.

        >>> Label.of(False).style, Label.of(True).style
        ('none', 'long')
        """
        styles: dict[Any, Style] = {"short": "short", "long": "long", True: "long", False: "none"}
        if not isinstance(label, str | bool) or label not in styles:
            raise ValueError(
                f'views: label must be "short", "long" or False for no lines, got {label!r:.80}.'
            )
        return Label(styles[label], numbered)

    def check_number(self, number: int) -> None:
        """Refuse the number of a picture if lines were not planned to have one."""
        if not is_whole(number) or not 1 <= number <= LARGEST:
            raise ValueError(f"number: expected 1 to {LARGEST}, got {number!r:.80}.")
        if self.style != "none" and not self.numbered:
            raise ValueError(
                "number: these views were planned without numbers, whose tokens would not be "
                "counted. Plan them with views(..., numbered=True)."
            )

    def line(self, whole: bool, across: str = _SHARE, down: str = _SHARE) -> str:
        """The line of one of several views, before it is numbered."""
        if self.style == "none":
            return ""
        return _WHOLE[self.style] if whole else _DETAIL[self.style].format(across, down)

    @property
    def fees(self) -> Fees:
        """What lines cost at most."""
        if self.style == "none":
            return NO_FEES
        lines = ["", self.line(whole=True), self.line(whole=False)]
        if self.page:
            number = LARGEST if self.numbered else None
            lines = [page_line(line, self.page, number) for line in lines]
        elif self.numbered:
            lines = [numbered_line(line, LARGEST) for line in lines]
        return Fees(*(text_tokens(line) if line else 0 for line in lines))


NO_LABEL = Label("none")
"""Pictures without lines."""
