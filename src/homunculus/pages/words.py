"""Words that others read: from hOCR, ALTO, the JSON of cloud services, and docling.

Files are bounded before they are read, no entity of an XML file is expanded, and a file takes as
long as it is large.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from math import sqrt
from os import PathLike
from typing import Any

from homunculus.checks import check_count
from homunculus.errors import HomunculusError
from homunculus.pages.lines import Lines, WordBox
from homunculus.pages.source import open_path, read_file

BYTES = 64 * 2**20
"""Bytes that a file of words may have: a page of hOCR has some 100 KB."""
MAX_ITEMS = 100_000
"""Words of a page that are read from a file; of more, the first."""
HEAD = 10_000
"""Characters in which a file says what it is."""
DOTS = 200
"""Dots per inch at which a PDF page is measured: `Picture.original`."""
WIDTH_OF_LETTER = 0.5
"""Width of a letter in heights of a line, where only the box of a paragraph is known."""
FORMATS = "hOCR, ALTO XML, or JSON of Google Vision, Azure Read, AWS Textract or docling"

XYXY = tuple[float, float, float, float]


class WordsError(HomunculusError, ValueError):
    """Words that cannot be used; the message says why and what to do.

    >>> from homunculus import read_words
    >>> try: read_words(b"{}")
    ... except WordsError as error: print(error)
    words: expected hOCR, ALTO XML, or JSON of Google Vision, Azure Read, AWS Textract or docling, \
got other JSON. Give (text, (x0, y0, x1, y1)) pairs.
    """


@dataclass
class _Page:
    """The words of a page in units of its file."""

    size: tuple[float, float] | None = None
    """Width and height of the page in these units."""
    pixel: float | None = 1.0
    """Pixels of a unit, of a page at 200 dots an inch; None if units are parts of the page."""
    words: list[WordBox] = field(default_factory=list[WordBox])
    lines: list[WordBox] = field(default_factory=list[WordBox])
    """Used where there are no words."""


def read_words(source: Any, page: int = 1, size: tuple[int, int] | None = None) -> list[WordBox]:
    """The words of a page and their boxes, x0 y0 x1 y1, for `homunculus.views(..., words=...)`.

    ``source`` is a file of hOCR, of ALTO XML, or of JSON as Google Vision, Azure Read, AWS Textract
    and docling write it: a path, its bytes, an open file, or the JSON as a dict. ``page`` counts
    from 1. ``size`` is the height and width of the picture in pixels (`Picture.original`); without
    it, boxes are in pixels of the picture that was read, or of a PDF page at 200 dots an inch.

    >>> read_words(b"<alto><Page><String CONTENT='Sum' HPOS='10' VPOS='5' WIDTH='40' HEIGHT='9'/>")
    [('Sum', (10.0, 5.0, 50.0, 14.0))]
    """
    check_count(page, "words: page")
    value = source if isinstance(source, Mapping) else _parsed(_content(source))
    found = _of_json(value, page) if isinstance(value, Mapping) else _of_xml(value, page)
    items = islice(found.words or found.lines, MAX_ITEMS)
    if size is not None and found.size is not None:
        across, down = size[1] / found.size[0], size[0] / found.size[1]
    elif found.pixel is not None:
        across = down = found.pixel
    else:
        raise WordsError(
            "words: boxes are parts of the page, and its size in pixels is not known. Give "
            "size=(height, width)."
        )
    return [
        (text, (x0 * across, y0 * down, x1 * across, y1 * down)) for text, (x0, y0, x1, y1) in items
    ]


def given_lines(
    words: Any, original: tuple[int, int], size: tuple[int, int], source: str = "given"
) -> Lines:
    """A caller's words as lines of the picture as held: `Lines`, or pairs of a text and its box in
    pixels of the original picture."""
    (high, wide), (rows, cols) = original, size
    lines = words if isinstance(words, Lines) else Lines.of(_pairs(words), source)
    middle = (lines.boxes[:, :2] + lines.boxes[:, 2:]) / 2
    inside = ((middle >= 0) & (middle < (wide, high))).all(1)
    if 2 * int(inside.sum()) < len(lines):
        raise WordsError(
            f"words: expected boxes in pixels of the picture, {wide}x{high}, got "
            f"{1 - inside.mean():.0%} of them beside it. Scale them; a PDF page is measured at "
            f"{DOTS} dots an inch."
        )
    return lines.scaled(cols / wide, rows / high)


def _pairs(words: Any) -> Iterator[WordBox]:
    if isinstance(words, str | bytes | Mapping) or not isinstance(words, Iterable):
        raise WordsError(
            "words: expected Lines or pairs (text, (x0, y0, x1, y1)), got "
            f"{type(words).__name__}. `homunculus.read_words` reads files of others."
        )
    for item in islice(words, MAX_ITEMS):
        try:
            text, box = item
            x0, y0, x1, y1 = map(float, box)
            if not isinstance(text, str):
                raise TypeError
        except (TypeError, ValueError):
            raise WordsError(
                f"words: expected pairs (text, (x0, y0, x1, y1)), got {item!r:.80}. Give the box "
                "in pixels of the picture."
            ) from None
        yield text, (x0, y0, x1, y1)


# ---- files ---------------------------------------------------------------------------------------


def _content(source: Any) -> bytes:
    if isinstance(source, bytes | bytearray | memoryview):
        data, name = bytes(source), "words"
    elif isinstance(source, str | PathLike):
        with open_path(source, BYTES) as (name, file):
            data = file.read(BYTES + 1)
    elif hasattr(source, "read"):
        name = "words"
        data = read_file(name, source, BYTES)
    else:
        raise WordsError(
            f"words: expected a path, bytes, an open file or a dict, got {type(source).__name__}. "
            f"Name a file of {FORMATS}."
        )
    if len(data) > BYTES:
        raise WordsError(
            f"{name}: expected at most {BYTES >> 20} MiB, got more. Give the file of one page."
        )
    return data


def _parsed(data: bytes) -> Any:
    """JSON as a mapping, or the text of an XML file."""
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    text = text.lstrip("\ufeff \t\r\n")
    if not text.startswith(("{", "[")):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WordsError("words: expected whole JSON, got broken JSON. Save it again.") from error
    return {"responses": value} if isinstance(value, list) else value  # as Google saves several


def _unknown(what: str) -> WordsError:
    return WordsError(
        f"words: expected {FORMATS}, got {what}. Give (text, (x0, y0, x1, y1)) pairs."
    )


def _no_page(page: int, pages: int) -> WordsError:
    has = "no page" if not pages else f"{pages} page{'s' * (pages > 1)}, counted from 1"
    return WordsError(f"words: no page {page}: the file has {has}.")


def _chosen(pages: Sequence[Any], page: int) -> Any:
    if page > len(pages):
        raise _no_page(page, len(pages))
    return pages[page - 1]


# ---- hOCR and ALTO -------------------------------------------------------------------------------

_TAG = re.compile(r"""<(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+>""")
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]++)\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'>]++)""")
"""Neither ever goes back, nor beyond the next <, so broken files take as long as whole ones."""
_BBOX = re.compile(r"\bbbox\s+(-?[\d.]+)\s+(-?[\d.]+)\s+(-?[\d.]+)\s+(-?[\d.]+)")
_UNITS = {"mm10": DOTS / 254, "inch1200": DOTS / 1200}
"""Pixels of ALTO's units other than pixels."""


def _tags(text: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Tags of XML or HTML in order: kind (`start`, `single`, `end`, `text`), name, attributes.

    Of text, the name is the text. Declarations are passed over, so no entity has a meaning but
    those of HTML.
    """
    place = 0
    while (start := text.find("<", place)) >= 0:
        if start > place:
            yield "text", unescape(text[place:start]), {}
        if text.startswith("<!--", start):
            end = text.find("-->", start)
            place = end + 3 if end >= 0 else len(text)
            continue
        tag = _TAG.match(text, start)
        place = tag.end() if tag else start + 1
        if tag is None or text[start + 1] in "!?":
            continue
        body = text[start + 1 : place - 1]
        name = re.split(r"[\s/>]", body.lstrip("/"), maxsplit=1)[0].rpartition(":")[2].lower()
        if body.startswith("/"):
            yield "end", name, {}
        else:
            kind = "single" if body.endswith("/") else "start"
            yield (
                kind,
                name,
                {
                    match[1].rpartition(":")[2].lower(): unescape(match[2].strip("\"'"))
                    for match in _ATTRIBUTE.finditer(body)
                },
            )


def _of_xml(text: str, page: int) -> _Page:
    """A page of hOCR or ALTO."""
    if not text.startswith("<"):
        raise _unknown("a file of another kind")
    reader = _XmlReader()
    for kind, name, values in _tags(text):
        if kind == "text":
            reader.text(name)
        elif kind == "end":
            reader.end(name)
        else:
            reader.start(name, values, single=kind == "single")
        if len(reader.pages) > page:  # all of it is read
            break
    head = text[:HEAD].lower()
    if not reader.pages and "<alto" not in head and "ocr_" not in head:
        raise _unknown("other XML or HTML")
    return _chosen(reader.pages, page)


@dataclass
class _Span:
    """A span of hOCR that is open."""

    kind: str
    """`word`, `line` or nothing."""
    box: XYXY | None
    text: list[str] = field(default_factory=list[str])


class _XmlReader:
    """Collects pages from tags. hOCR's words are spans, ALTO's are tags named String."""

    def __init__(self) -> None:
        self.pages = list[_Page]()
        self.spans = list[_Span]()
        self.open: dict[str, _Span] = {}
        """The word and the line that are open."""
        self.inside, self.unit = "", 1.0

    def text(self, text: str) -> None:
        for span in self.open.values():
            span.text.append(text)
        if self.inside == "measurementunit":
            self.unit = _UNITS.get(text.strip().lower(), 1.0)

    def start(self, name: str, values: Mapping[str, str], single: bool) -> None:
        self.inside = "" if single else name
        classes, box = values.get("class", ""), _hocr_box(values)
        if name == "page":
            self.pages.append(_Page(_pair(values, "width", "height"), self.unit))
        elif "ocr_page" in classes:
            size = (box[2] - box[0], box[3] - box[1]) if box else (0.0, 0.0)
            self.pages.append(_Page(size if min(size) > 0 else None))
        elif name == "string" and self.pages:
            if box := _alto_box(values):
                self.pages[-1].words.append((values.get("content", ""), box))
        elif name == "span" and not single:
            kind = "word" if "ocrx_word" in classes or "ocr_word" in classes else ""
            kind = "line" if "ocr_line" in classes else kind
            span = _Span(kind, box)
            self.spans.append(span)
            if kind:
                self.open.setdefault(kind, span)

    def end(self, name: str) -> None:
        self.inside = ""
        if name != "span" or not self.spans:
            return
        span = self.spans.pop()
        if span.kind and self.open.get(span.kind) is span:
            del self.open[span.kind]
            if span.box and self.pages:
                text, found = " ".join("".join(span.text).split()), self.pages[-1]
                (found.words if span.kind == "word" else found.lines).append((text, span.box))


def _pair(values: Mapping[str, Any], *names: str) -> tuple[float, float] | None:
    """Two positive numbers of some fields, if they are there."""
    try:
        wide, high = (float(values[name]) for name in names)
    except (KeyError, TypeError, ValueError):
        return None
    return (wide, high) if 0 < wide < 1e7 and 0 < high < 1e7 else None


def _alto_box(values: Mapping[str, str]) -> XYXY | None:
    try:
        x, y, wide, high = (float(values[name]) for name in ("hpos", "vpos", "width", "height"))
    except (KeyError, ValueError):
        return None
    return x, y, x + wide, y + high


def _hocr_box(values: Mapping[str, str]) -> XYXY | None:
    match = _BBOX.search(values.get("title", ""))
    if match is None:
        return None
    try:
        x0, y0, x1, y1 = map(float, match.groups())
    except ValueError:  # two points in a number
        return None
    return x0, y0, x1, y1


# ---- JSON ----------------------------------------------------------------------------------------


def _of_json(value: Mapping[str, Any], page: int) -> _Page:
    """A page of whichever service wrote it; what is broken inside is said so."""
    readers = {
        "responses": _of_google, "fullTextAnnotation": _of_google, "textAnnotations": _of_google,
        "analyzeResult": _of_azure, "readResult": _of_azure, "Blocks": _of_textract,
        "texts": _of_docling,
    }  # fmt: skip
    reader = next((readers[name] for name in readers if name in value), None)
    if reader is None:
        raise _unknown("other JSON")
    try:
        return reader(value, page)
    except WordsError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise _unknown(f"JSON that is not whole ({type(error).__name__})") from error


def _around(points: Iterable[Sequence[float]]) -> XYXY:
    """The box around some corners."""
    xs, ys = zip(*islice(points, 64), strict=True)
    return float(min(xs)), float(min(ys)), float(max(xs)), float(max(ys))


def _corners(points: Sequence[Any]) -> XYXY:
    """The box around corners that are mappings, or numbers one after the other."""
    if points and isinstance(points[0], Mapping):
        return _around([(point.get("x", 0), point.get("y", 0)) for point in points])
    return _around(list(zip(points[::2], points[1::2], strict=True)))


def _of_google(value: Mapping[str, Any], page: int) -> _Page:
    """Google Vision; of a picture without text there is an empty annotation."""
    responses = value.get("responses", [value])
    if len(responses) == 1 or "responses" not in value:
        response, number = responses[0], page
    else:  # one a page
        response, number = _chosen(responses, page), 1
    pages = response.get("fullTextAnnotation", {}).get("pages")
    if pages:
        return _google_page(_chosen(pages, number))
    _chosen([response], number)
    words = response.get("textAnnotations", [])[1:]  # the first is the text of all
    return _Page(
        words=[(word["description"], _corners(word["boundingPoly"]["vertices"])) for word in words]
    )


def _google_page(page: Mapping[str, Any]) -> _Page:
    """Words of a picture are in pixels; those of a PDF in parts of a page that is so many points
    wide and high."""
    found, parts = _Page(_pair(page, "width", "height")), False
    words = [
        word
        for block in page.get("blocks", [])
        for paragraph in block.get("paragraphs", [])
        for word in paragraph.get("words", [])
    ]
    wide, high = found.size or (1.0, 1.0)
    for word in words:
        text = "".join(symbol.get("text", "") for symbol in word.get("symbols", []))
        if vertices := word["boundingBox"].get("vertices"):
            found.words.append((text, _corners(vertices)))
            continue
        x0, y0, x1, y1 = _corners(word["boundingBox"]["normalizedVertices"])
        found.words.append((text, (x0 * wide, y0 * high, x1 * wide, y1 * high)))
        parts = True
    if parts:
        found.pixel = DOTS / 72 if found.size else None
        found.size = wide, high
    return found


def _of_azure(value: Mapping[str, Any], page: int) -> _Page:
    """Azure Read 3, Document Intelligence, and Image Analysis 4."""
    if "readResult" in value:
        lines = [line for block in value["readResult"].get("blocks", []) for line in block["lines"]]
        _chosen([lines], page)
        size = _pair(value.get("metadata", {}), "width", "height")
        return _Page(size, words=_azure_words(word for line in lines for word in line["words"]))
    result = value["analyzeResult"]
    pages = result.get("readResults") or result.get("pages") or []
    chosen = _chosen(pages, page)
    pixel = float(DOTS) if chosen.get("unit") == "inch" else 1.0
    words = chosen.get("words") or [
        word for line in chosen.get("lines", []) for word in line.get("words", [line])
    ]
    return _Page(_pair(chosen, "width", "height"), pixel, _azure_words(words))


def _azure_words(words: Iterable[Mapping[str, Any]]) -> list[WordBox]:
    names = ("polygon", "boundingBox", "boundingPolygon")
    return [
        (
            word["content"] if "content" in word else word["text"],
            _corners(word[next((name for name in names if name in word), names[0])]),
        )
        for word in words
    ]


def _of_textract(value: Mapping[str, Any], page: int) -> _Page:
    """AWS Textract, whose boxes are parts of the page."""
    words, pages = list[WordBox](), 1
    for block in value["Blocks"]:
        number = block.get("Page", 1)
        pages = max(pages, number)
        if block.get("BlockType") == "WORD" and number == page:
            box = block["Geometry"]["BoundingBox"]
            x, y = float(box["Left"]), float(box["Top"])
            right, low = x + float(box["Width"]), y + float(box["Height"])
            words.append((block["Text"], (x, y, right, low)))
    if page > pages:
        raise _no_page(page, pages)
    return _Page((1.0, 1.0), None, words)


def _of_docling(value: Mapping[str, Any], page: int) -> _Page:
    """docling: texts and cells of tables, in points, most of them counted from the bottom."""
    pages = value.get("pages") or {}
    about = pages.get(str(page), {}) if isinstance(pages, Mapping) else {}
    if pages and not about:
        raise _no_page(page, len(pages))
    found = _Page(_pair(about.get("size", {}), "width", "height"), DOTS / 72)
    high = found.size[1] if found.size else 0.0
    for item in value["texts"]:
        for place in item.get("prov", []):
            if place["page_no"] == page:
                box = _docling_box(place["bbox"], high)
                text = item["text"]
                if len(item["prov"]) > 1 and "charspan" in place:
                    text = text[slice(*place["charspan"])]
                found.words += _paragraph(text, box)
    for table in value.get("tables", []):
        if any(place["page_no"] == page for place in table.get("prov", [])):
            for cell in table.get("data", {}).get("table_cells", []):
                if cell.get("bbox"):
                    found.words += _paragraph(cell["text"], _docling_box(cell["bbox"], high))
    return found


def _docling_box(box: Mapping[str, Any], high: float) -> XYXY:
    left, top, right, low = (float(box[name]) for name in ("l", "t", "r", "b"))
    if str(box.get("coord_origin", "TOPLEFT")).upper().endswith("BOTTOMLEFT"):
        if not high:
            raise WordsError(
                "words: docling counts from the bottom of the page, and its JSON does not say how "
                "high that is. Save it with its `pages`."
            )
        top, low = high - top, high - low
    return left, top, right, low


def _paragraph(text: str, box: XYXY) -> Iterator[WordBox]:
    """A text of several lines as pieces that are about where its lines are."""
    x0, y0, x1, y1 = box
    letters = max(1, len(text))
    line = sqrt(max(0.0, (x1 - x0) * (y1 - y0)) / (WIDTH_OF_LETTER * letters))
    rows = max(1, min(letters, round((y1 - y0) / line))) if line > 0 else 1
    step, length = (y1 - y0) / rows, -(-letters // rows)
    place = 0
    for row in range(rows):
        end = letters if row == rows - 1 else text.rfind(" ", place, place + length + 1)
        end = end if end > place else min(letters, place + length)
        part = text[place:end]
        right = x0 + (x1 - x0) * min(1.0, len(part) / length)
        yield part, (x0, y0 + row * step, right, y0 + (row + 1) * step)
        place = end
