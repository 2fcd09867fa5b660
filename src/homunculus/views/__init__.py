"""Views: a picture or a document as a few ordinary pictures that cost at most K tokens.

Any model can look at them. `picture` plans one picture, `document` shares one budget over many
pages.
"""

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, Unpack, overload

from homunculus.checks import check_count
from homunculus.pages.document import MAX_EDGE, is_collection, several_pages
from homunculus.pages.ocr import OcrLike
from homunculus.planner.acuity import AcuityLike
from homunculus.planner.bill import least, too_few
from homunculus.planner.counting import DEFAULT_TOKENS, CountingRule
from homunculus.planner.labels import LabelLike
from homunculus.planner.models import token_rule
from homunculus.planner.options import ViewKeywords, ViewOptions
from homunculus.planner.view import View
from homunculus.scouts.registry import ScoutLike
from homunculus.views.document import Document, DocumentViews, PageViews
from homunculus.views.picture import (
    DEFAULT_LEGIBLE,
    METHOD,
    NeededTokens,
    Planner,
    Views,
)

__all__ = [
    "MAX_EDGE", "METHOD", "Document", "DocumentViews", "NeededTokens",
    "PageViews", "Planner", "View", "Views", "open", "views",
]  # fmt: skip


def open(  # noqa: A001
    source: Any, *, ocr: OcrLike | None = None, keep: bool = True, progress: bool = True
) -> Document:
    """Open a document to ask questions of: a PDF, a TIFF, a folder or a list of pictures.

    ``ocr`` reads pages that have no text layer, each once; without it the word scout looks for the
    question's words on them, which takes up to half a second a page. What was read is kept on disk
    unless ``keep`` is false (`HOMUNCULUS_CACHE` names the folder, or says `off`). A line on stderr
    says how far reading is, unless ``progress`` is false.

    >>> from PIL import Image
    >>> document = open([Image.new("RGB", (640, 480), "white")] * 3, keep=False)
    >>> len(document)
    3
    """
    return Document(source, ocr=ocr, keep=keep, progress=progress)


class ViewsKeywords(ViewKeywords, total=False):
    """All keywords of `views` but the page."""

    tokens: int | Literal["auto"]
    words: Any


@overload
def views(
    source: Any, question: str = "", *, page: int, **options: Unpack[ViewsKeywords]
) -> Views: ...
@overload
def views(
    source: Any, question: str = "", *, page: None = None, **options: Unpack[ViewsKeywords]
) -> Views | DocumentViews: ...
def views(
    source: Any,
    question: str = "",
    *,
    tokens: int | Literal["auto"] = DEFAULT_TOKENS,
    model: str | int | CountingRule = "qwen3-vl",
    acuity: AcuityLike = "vlm",
    scout: ScoutLike = "auto",
    ocr: OcrLike | None = None,
    context: float | int = 1 / 8,
    windows: int | None = None,
    legible: float | int | None = None,
    cap: int = 1024,
    page: int | None = None,
    words: Any = None,
    settings: Iterable[str] | None = None,
    label: LabelLike = "short",
    text: bool = False,
    numbered: bool = False,
    strict: bool = False,
) -> Views | DocumentViews:
    """A picture as ordinary pictures within a budget, spent where the question looks.

    A PDF or a TIFF of several pages, a folder or a list of pictures is a document: the budget is
    for all of it, and the result is a `DocumentViews`, unless ``page`` names one page. To ask more
    than one question of it, `open` it.

    ``model`` says how tokens are counted: its name, the side of a token in pixels, or a rule.
    ``acuity`` is how small its reader still reads: a name, a result of `homunculus eyetest`, or a
    curve.
    ``context`` is about the share of the tokens that is kept for a small picture of the whole; 0
    lets it be left out. ``windows`` is the most windows beside it: three for hosted models, which
    take few pictures, else four. With ``tokens="auto"`` the budget is the smallest one that makes
    the answer readable with probability ``legible`` (0.8), up to ``cap``; where that is too little,
    a warning and `Views.reached` say so. With a number of ``tokens``, ``legible`` is a fallback:
    where the estimate is below it, the budget is raised up to ``cap``, and where that is too little
    the picture stays as it is (`Views.original`). ``settings`` names the parameters that your
    request can have, such as `detail`, where not all: some prices go by one. ``page`` is a page of
    a PDF or a TIFF, or a frame of an animation, counted from 1; without it an animation is its
    first frame. ``words`` are the words of the
    picture, if you have them: pairs of a text and its box x0 y0 x1 y1, in pixels of the original,
    as `homunculus.read_words` reads them from files of OCR; a PDF has words of its own. ``ocr``
    reads a picture that has none: "rapidocr" or "tesseract", each in a process of its own, or a
    function of pixels (3 H W) that returns such pairs; it takes seconds.
    ``label`` says which line stands before each of several pictures: "short" ("Whole:", "Detail:"),
    "long" ("Detail, 10-30% across and 5-9% down:"), or False for none. Lines are paid from
    ``tokens``. ``text`` also sends the words of windows, where they are known as text: in place of
    a picture that costs more and shows nothing else, and beside others where ``tokens`` has room.
    ``numbered`` leaves room for "Picture 2, detail:" where a request has several.
    A budget that buys no picture of the model is raised to the price of its smallest, and
    `Views.message` says so; ``strict`` refuses it.

    >>> import numpy as np
    >>> from PIL import Image
    >>> page, diagonal = Image.new("RGB", (1024, 1024), "white"), np.eye(8) * 9
    >>> seen = views(page, "What is it?", tokens=32, model="qwen3-vl", scout=diagonal)
    >>> seen.tokens <= 32 < seen.to_json()["untouched"]
    True
    >>> [part["type"] for part in seen.openai()][:2]
    ['text', 'image_url']
    """
    options = ViewOptions(
        model=model, acuity=acuity, scout=scout, ocr=ocr, context=context, windows=windows,
        settings=settings, label=label, text=text, numbered=numbered, strict=strict,
        legible=legible, cap=cap,
    )  # fmt: skip
    if tokens != "auto":  # mistakes are told before the picture is opened
        check_count(tokens, "views: tokens", "Give an int, or 'auto'.")
        rule = token_rule(model)
        if strict and tokens < least(rule):
            raise too_few(rule, tokens)
    if page is None:
        source, several = several_pages(source)
        if several:
            if tokens == "auto" or words is not None:
                name = "words" if words is not None else 'tokens="auto"'
                raise ValueError(f"views: {name} is not for documents. Name a page.")
            document = Document(source, ocr=ocr)
            return document.views(question, tokens, options=replace(options, ocr=None))
    elif is_collection(source):
        source = Document(source).picture(page)
    planner = Planner(
        source, question, page=1 if page is None else page, words=words, options=options
    )
    return _enough(planner) if tokens == "auto" else planner.views_or_original(tokens)


def _enough(planner: "Planner") -> Views:
    """The views of the smallest budget that is enough; a warning where none is."""
    cap, legible = planner.options.cap, planner.options.legible
    legible = DEFAULT_LEGIBLE if legible is None else legible
    shown = replace(planner.views(planner.budget(legible, cap).tokens), wanted=float(legible))
    if not shown.reached:
        warnings.warn(
            f"views: {shown.limit} {shown.rule.token} do not reach legible={legible:g} "
            f"(cap={cap}). {shown.message} Raise cap, or lower legible.",
            stacklevel=3,
        )
    return shown
