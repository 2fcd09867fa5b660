"""What the verbs about one picture share: its source, its pages, and the planner's flags."""

import argparse
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from homunculus.flags import page_number

IMAGE = "PNG, JPEG, WebP, GIF, BMP, HEIC, TIFF or PDF; - reads it from stdin"
DOCUMENT = f"{IMAGE}; a PDF or a folder of several pages is one document"


def planner_flags(verb: argparse.ArgumentParser, document: bool = False) -> None:
    """What views are planned by."""
    add = verb.add_argument
    add("--model", default="qwen3-vl", help="model that looks: see `homunculus cost` (%(default)s)")
    acuity_flag(verb)
    page_flag(verb, document)
    about = "which scout says where to look: as in `homunculus show` (%(default)s)"
    add("--scout", default="auto", metavar="NAME|DIR", help=about)
    words_flags(verb)


def words_flags(verb: argparse.ArgumentParser) -> None:
    """Where the words of a picture come from, if not from its PDF."""
    about = "its words: a file of hOCR, of ALTO, or of JSON of a cloud OCR or docling"
    verb.add_argument("--words", metavar="FILE", help=about)
    ocr_flag(verb)


def ocr_flag(verb: argparse.ArgumentParser) -> None:
    about = "read pictures that have no words by an OCR: rapidocr or tesseract; takes seconds"
    verb.add_argument("--ocr", metavar="NAME", help=about)


def with_words(arguments: argparse.Namespace, source: Any, page: int) -> Any:
    """What to look at: the source, or its page with the words that ``--words`` names."""
    if arguments.words is None:
        return source
    from homunculus.pages import open_picture
    from homunculus.pages.words import read_words
    from homunculus.views import MAX_EDGE

    picture = open_picture(source, page, longest=MAX_EDGE)
    return picture.with_words(read_words(arguments.words, page, picture.original))


def acuity_flag(verb: argparse.ArgumentParser) -> None:
    about = "how small the model reads: a name, or a result of `homunculus eyetest` (%(default)s)"
    verb.add_argument("--acuity", default="vlm", help=about)


def text_flag(verb: argparse.ArgumentParser) -> None:
    about = "also send the words of windows as text, where that is cheaper or there is room"
    verb.add_argument("--text", action="store_true", help=about)


def page_flag(verb: argparse.ArgumentParser, document: bool = False) -> None:
    about = "page of a PDF or a TIFF, or frame of an animation, counted from 1, or all"
    usual = "the whole document" if document else "1"
    default = None if document else 1
    verb.add_argument("--page", type=page_number, default=default, metavar="N|all",
                      help=f"{about} ({usual})")  # fmt: skip


def the_document(arguments: argparse.Namespace, source: Any) -> Any:
    """The document that is meant, if no page is named and there are several; else None."""
    if arguments.page is not None:
        return None
    from homunculus.pages.document import several_pages

    arguments.page = 1
    if arguments.words is not None or not several_pages(source)[1]:
        return None
    from homunculus.views import Document

    return Document(source, ocr=arguments.ocr)


def each_page(chosen: int | Literal["all"], use: Callable[[int], int]) -> None:
    """Use one page, or all; ``use`` takes a page and returns how many there are."""
    if chosen != "all":
        use(chosen)
        return
    page, pages = 0, 1
    while page < pages:
        page += 1
        pages = use(page)


def page_lines(arguments: argparse.Namespace, picture: Any) -> list[str]:
    """What one might not expect of the picture, and how to see the rest of it."""
    lines = picture.notes()
    if picture.pages > 1 and arguments.page != "all":
        part = picture.part
        lines.append(f"Other {part}s: --page 1 to --page {picture.pages}, or --page all.")
    return lines


def open_source(image: str) -> tuple[str, Any]:
    """The name of a picture, and what to open: its path, or what comes in on stdin."""
    if image != "-":
        return Path(image).name, image
    from homunculus.pages import BYTES, read_file

    if sys.stdin.isatty():
        raise ValueError("expected a picture on stdin, as `< page.png` gives one. Or name a file.")
    file = BytesIO(read_file("stdin", sys.stdin.buffer, BYTES))
    file.name = "stdin"
    return "stdin", file
