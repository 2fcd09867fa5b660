"""Documents: the pages of a PDF, a TIFF, a folder or a list of pictures, opened one by one.

A page of a PDF is known by its size and its text layer before it is drawn, which takes ten times as
long. What was read is kept on disk by content (`homunculus.pages.store`).
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from homunculus.cache import LRU
from homunculus.pages import (
    BYTES,
    TIFF,
    Picture,
    PictureError,
    fitted,
    lines,
    open_pdf,
    open_picture,
    sheet_to_draw,
    size_of_sheet,
    text_layer,
    trust,
)
from homunculus.pages.lines import Lines
from homunculus.pages.ocr import OcrLike, get_ocr, read_picture
from homunculus.pages.source import open_source
from homunculus.pages.store import Store
from homunculus.pages.text_layer import UnreadableLayer, read_text_layer
from homunculus.pages.trust import odd_letters, odd_places
from homunculus.shapes import UInt8

MAX_PAGES = 10_000
"""Pages of a document."""
MAX_EDGE = 8192
"""Pixels along the longer side that a page or a picture is reduced to at most."""
SMALL = 100
"""Dots per inch of a page that is drawn to see where it has print."""
SMALL_EDGE = 2 * MAX_EDGE / 9
"""Pixels along its longer side at most."""
TOGETHER = 32
"""Pages that are read while a PDF is open: other threads wait so long for it."""
DRAWN_BYTES = 128 << 20
"""Bytes of drawn pages that are kept."""
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".pdf")
"""Files of a folder that are pages of it."""

Progress = Callable[[int, int], None]
"""Called with the pages that are done, and all."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A page that need not be drawn yet."""

    size: tuple[int, int]
    """Height and width that it is drawn with."""
    original: tuple[int, int]
    """The same before very large pages are reduced."""
    lines: Lines | None = None
    """Its words in pixels of ``size``; None if nobody read any."""
    note: str = ""
    """Why a text layer, or an OCR, was not used."""

    def undrawn(self, page: int, pages: int) -> Picture:
        """The page as a white picture that takes no memory, to plan with."""
        white = np.broadcast_to(np.uint8(255), (3, *self.size))
        return Picture(
            white, f"page {page}", self.original, page, pages,
            lines=self.lines, lines_note=self.note,
        )  # fmt: skip


@runtime_checkable
class Source(Protocol):
    """Pages in order; the first is 1."""

    name: str
    count: int

    def sizes(self) -> list[tuple[int, int]]:
        """Height and width of each page, a PDF's at 200 dots per inch."""
        ...

    def sheets(self, pages: Sequence[int]) -> Iterator[Sheet]:
        """What is known of some pages without drawing those of a PDF."""
        ...

    def picture(self, page: int) -> Picture:
        """A page, drawn."""
        ...

    def small(self, pages: Sequence[int]) -> list[UInt8[np.ndarray, "3 _h _w"]]:
        """Some pages drawn small, to see where they have print."""
        ...

    def key(self, page: int) -> bytes:
        """What the page's words depend on: its content and its number."""
        ...


@runtime_checkable
class Keeper(Protocol):
    """Where what was read of pages is kept."""

    def get(self, key: bytes) -> bytes | None:
        """The value of a key, if it is kept."""
        ...

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value."""
        ...


def open_source_of_pages(source: Any) -> Source:
    """The pages of a PDF, a TIFF by its path, a folder, a list, or a single picture."""
    if isinstance(source, Source):
        return source
    if isinstance(source, list | tuple):
        return _Several("list", [open_source_of_pages(each) for each in source])
    if is_collection(source):
        files = [path for path in Path(source).iterdir() if path.suffix.lower() in SUFFIXES]
        files.sort(key=_natural)
        if not files:
            kinds = ", ".join(sorted({suffix[1:] for suffix in SUFFIXES}))
            raise PictureError(f"{source}: a folder without pages. They end in {kinds}.")
        return _Several(Path(source).name, [open_source_of_pages(path) for path in files])
    source = _read_once(source)
    if isinstance(source, str | bytes | bytearray | memoryview | Path) or hasattr(source, "read"):
        with open_source(source, BYTES) as (name, file):
            head = file.read(1024)
            if b"%PDF-" in head:
                file.seek(0)
                return _Pdf(name, file.read())
    return _Pictures(source)


def _read_once(source: Any) -> Any:
    """A file that may be readable only once, as one that can be read again."""
    if not hasattr(source, "read"):
        return source
    with open_source(source, BYTES) as (name, file):
        again = BytesIO(file.read())
    again.name = name
    return again


def several_pages(source: Any) -> tuple[Any, bool]:
    """Whether a source has several pages; and the source itself, which can be read once more.

    >>> several_pages([b"one", b"two"])[1], several_pages(np.zeros((8, 8), np.uint8))[1]
    (True, False)
    """
    if is_collection(source):
        return source, True
    readable, source = hasattr(source, "read"), _read_once(source)
    if not readable and not isinstance(source, str | bytes | bytearray | memoryview | Path):
        return source, False
    with open_source(source, BYTES) as (name, file):
        head = file.read(1024)
        file.seek(0)
        if b"%PDF-" in head:
            with open_pdf(name, file) as document:
                return source, len(document) > 1
        if head.startswith(TIFF) and not readable and not isinstance(source, bytes):
            return source, open_picture(source, longest=MAX_EDGE).pages > 1
    return source, False


def is_collection(source: Any) -> bool:
    """Whether a source is a list or a folder."""
    return isinstance(source, list | tuple) or (
        isinstance(source, str | Path) and _is_folder(source)
    )


def _is_folder(source: str | Path) -> bool:
    try:
        return str(source)[:5].lower() != "data:" and Path(source).is_dir()
    except (OSError, ValueError):
        return False


def _natural(path: Path) -> list[tuple[bool, int, str]]:
    """Page 10 comes behind page 9."""
    parts = re.split(r"(\d{1,18})", path.name)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def check_count_of_pages(name: str, count: int) -> int:
    """Refuse more pages than that."""
    if count > MAX_PAGES:
        raise PictureError(
            f"{name}: expected at most {MAX_PAGES:,} pages, got {count:,}. Split it."
        )
    if count < 1:
        raise PictureError(f"{name}: has no pages. Save it again.")
    return count


class _Pdf:
    """A PDF, held as bytes, so that a file that changes stays what it was."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.data = name, data
        with open_pdf(name, BytesIO(data)) as document:
            self.count = check_count_of_pages(name, len(document))

    @cached_property
    def _digest(self) -> bytes:
        return blake2b(self.data, digest_size=16).digest()

    def sizes(self) -> list[tuple[int, int]]:
        with open_pdf(self.name, BytesIO(self.data)) as document:
            return [
                size_of_sheet(f"{self.name} page {place + 1}", document.get_page_size(place))
                for place in range(self.count)
            ]

    def key(self, page: int) -> bytes:
        return self._digest + page.to_bytes(4, "big")

    def sheets(self, pages: Sequence[int]) -> Iterator[Sheet]:
        for start in range(0, len(pages), TOGETHER):
            with open_pdf(self.name, BytesIO(self.data)) as document:
                sheets = [self._sheet(document, page) for page in pages[start : start + TOGETHER]]
            yield from sheets

    def _sheet(self, document: Any, page: int) -> Sheet:
        sheet = document[page - 1]
        try:
            original = size_of_sheet(f"{self.name} page {page}", sheet.get_size())
            size = fitted(original, MAX_EDGE, MAX_EDGE * MAX_EDGE)
            try:
                words = Lines.of(read_text_layer(sheet, size), text_layer.SOURCE)
                reason = odd_letters(words) if len(words) else ""
            except UnreadableLayer as error:
                words, reason = None, str(error)
            except Exception:  # a stranger's file
                words, reason = None, "it could not be read"
        finally:
            sheet.close()
        if reason:
            return Sheet(size, original, None, text_layer.note(reason))
        return Sheet(size, original, words or None)

    def picture(self, page: int) -> Picture:
        return open_picture(self.data, page, longest=MAX_EDGE)

    def small(self, pages: Sequence[int]) -> list[UInt8[np.ndarray, "3 _h _w"]]:
        with open_pdf(self.name, BytesIO(self.data)) as document:
            names = {page: f"{self.name} page {page}" for page in pages}
            sheets = (sheet_to_draw(names[page], document, page) for page in pages)
            return [_drawn_small(sheet) for sheet in sheets]


def _drawn_small(sheet: Any) -> UInt8[np.ndarray, "3 h w"]:
    """A page of pypdfium2 as it was rendered: a copy in another order would take as long."""
    scale = min(SMALL / 72, SMALL_EDGE / max(sheet.get_size()))
    blue_first = sheet.render(scale=scale).to_numpy()[..., :3]
    sheet.close()
    return blue_first[..., ::-1].transpose(2, 0, 1)


class _Pictures:
    """A picture, or the pages of a TIFF that a caller names."""

    def __init__(self, source: Any) -> None:
        self.source = source
        first = open_picture(source, longest=MAX_EDGE)
        self.name = first.name
        self.count = 1 if first.part == "frame" else check_count_of_pages(first.name, first.pages)

    def sizes(self) -> list[tuple[int, int]]:
        return [self.picture(page).original for page in range(1, self.count + 1)]

    def key(self, page: int) -> bytes:
        picture = self.picture(page)
        digest = blake2b(repr(picture.pixels.shape).encode(), digest_size=16)
        digest.update(np.ascontiguousarray(picture.pixels).data)
        return digest.digest()

    def sheets(self, pages: Sequence[int]) -> Iterator[Sheet]:
        for page in pages:
            picture = self.picture(page)
            yield Sheet(picture.size, picture.original, picture.lines, picture.lines_note)

    def picture(self, page: int) -> Picture:
        return open_picture(self.source, page, longest=MAX_EDGE)

    def small(self, pages: Sequence[int]) -> list[UInt8[np.ndarray, "3 _h _w"]]:
        return [self.picture(page).pixels for page in pages]


class _Several:
    """Documents one after the other."""

    def __init__(self, name: str, sources: Sequence[Source]) -> None:
        self.name, self.sources = name, sources
        self.places = [(source, page) for source in sources for page in range(1, source.count + 1)]
        self.count = check_count_of_pages(name, len(self.places))

    def sizes(self) -> list[tuple[int, int]]:
        return [size for source in self.sources for size in source.sizes()]

    def key(self, page: int) -> bytes:
        source, own = self.places[page - 1]
        return source.key(own)

    def sheets(self, pages: Sequence[int]) -> Iterator[Sheet]:
        for page in pages:
            source, own = self.places[page - 1]
            yield from source.sheets([own])

    def picture(self, page: int) -> Picture:
        source, own = self.places[page - 1]
        return replace(source.picture(own), page=page, pages=self.count, part="page")

    def small(self, pages: Sequence[int]) -> list[UInt8[np.ndarray, "3 _h _w"]]:
        places = [self.places[page - 1] for page in pages]
        return [drawn for source, own in places for drawn in source.small([own])]


# ---- pages that were read ------------------------------------------------------------------------


class Pages:
    """The pages of a document: their sheets, which are read once, and pictures of them."""

    def __init__(
        self, source: Any, ocr: OcrLike | None = None, keep: "bool | Keeper" = True
    ) -> None:
        self.source = open_source_of_pages(source)
        self.name, self.count = self.source.name, self.source.count
        self.ocr = None if ocr is None else get_ocr(ocr)
        # a function has no version by which to know its words again
        named = ocr is None or isinstance(ocr, str)
        usual = Store.usual() if keep is True else keep or None
        self.store: Keeper | None = usual if named else None
        self._sheets = dict[int, Sheet]()
        self._checked = set[int]()
        self._drawn = LRU[int, Picture](DRAWN_BYTES, lambda picture: picture.pixels.nbytes)

    @cached_property
    def sizes(self) -> list[tuple[int, int]]:
        """Height and width of each page."""
        return self.source.sizes()

    def sheet(self, page: int) -> Sheet:
        """What is known of a page."""
        return self.sheets([page])[0]

    def sheets(
        self, pages: Sequence[int] | None = None, progress: Progress | None = None
    ) -> list[Sheet]:
        """What is known of some pages, or of all."""
        pages = range(1, self.count + 1) if pages is None else pages
        missing = [page for page in pages if page not in self._sheets]
        known = len(pages) - len(missing)
        for done, (page, sheet) in enumerate(self._read(missing), known + 1):
            self._sheets[page] = sheet
            if progress:
                progress(done, len(pages))
        return [self._sheets[page] for page in pages]

    def _read(self, pages: Sequence[int]) -> Iterator[tuple[int, Sheet]]:
        """Sheets from the store, or read now."""
        unknown = list[int]()
        for page in pages:
            kept = None if self.store is None else self.store.get(self._key(page))
            sheet = sheet_from_bytes(kept) if kept else None
            if sheet is None:
                unknown.append(page)
            else:
                yield page, sheet
        for page, sheet in zip(unknown, self.source.sheets(unknown), strict=True):
            if sheet.lines is None and self.ocr is not None:
                sheet = self._by_ocr(page, sheet)
            failed = self.ocr is not None and sheet.lines is None
            if self.store is not None and not failed:
                self.store.put(self._key(page), sheet_to_bytes(sheet))
            yield page, sheet

    def _by_ocr(self, page: int, sheet: Sheet) -> Sheet:
        assert self.ocr is not None
        read = read_picture(replace(self.picture(page), lines=None), self.ocr)
        return replace(sheet, lines=read.lines, note=read.lines_note)

    def _key(self, page: int) -> bytes:
        reader = "" if self.ocr is None else self.ocr.name
        return blake2b(
            self.source.key(page) + reader.encode() + code_version(), digest_size=16
        ).digest()

    def picture(self, page: int) -> Picture:
        """A page as a picture."""
        if (known := self._drawn.get(page)) is None:
            known = self.source.picture(page)
            self._drawn.put(page, known)
        return known

    def untrusted(self, pages: Iterable[int]) -> list[int]:
        """The pages whose words do not stand where they have print: these are forgotten.

        Each page is drawn small for that, once.
        """
        new = [page for page in pages if page not in self._checked and self._layered(page)]
        self._checked.update(new)
        drawn = self.source.small(new) if new else []
        return [page for page, pixels in zip(new, drawn, strict=True) if self._odd(page, pixels)]

    def _layered(self, page: int) -> bool:
        """Whether the words of a page are those of its text layer."""
        words = self.sheet(page).lines
        return words is not None and words.source == text_layer.SOURCE

    def _odd(self, page: int, drawn: UInt8[np.ndarray, "3 h w"]) -> bool:
        """Whether the words of a page stand elsewhere than its print; then they are forgotten."""
        sheet = self.sheet(page)
        assert sheet.lines is not None
        (high, wide), (rows, cols) = drawn.shape[1:], sheet.size
        reason = odd_places(sheet.lines.scaled(wide / cols, high / rows), drawn)
        if reason:
            bare = replace(sheet, lines=None, note=text_layer.note(reason))
            self._sheets[page] = bare if self.ocr is None else self._by_ocr(page, bare)
        return bool(reason)


@cache
def code_version() -> bytes:
    """A digest of the code by which words are read: another version reads anew."""
    digest = blake2b(digest_size=8)
    for file in (text_layer.__file__, lines.__file__, trust.__file__, __file__):
        digest.update(Path(str(file)).read_bytes())
    return digest.digest()


def sheet_to_bytes(sheet: Sheet) -> bytes:
    """A sheet for the store: a line of JSON, and arrays behind it."""
    facts = {"size": sheet.size, "original": sheet.original, "note": sheet.note}
    arrays = list[bytes]()
    if (words := sheet.lines) is not None:
        facts |= {"words": words.words, "source": words.source, "slope": words.slope}
        arrays = [words.boxes.astype("<f4").tobytes(), words.line.astype("<i4").tobytes()]
    return b"\n".join([json.dumps(facts).encode(), b"".join(arrays)])


def sheet_from_bytes(data: bytes) -> Sheet | None:
    """What `sheet_to_bytes` made; None of anything else."""
    head, _, arrays = data.partition(b"\n")
    try:
        facts = json.loads(head)
        words = None
        if "words" in facts:
            count = len(facts["words"])
            boxes = np.frombuffer(arrays, "<f4", 4 * count).reshape(count, 4).copy()
            line = np.frombuffer(arrays, "<i4", count, 16 * count).astype(int)
            words = Lines(tuple(facts["words"]), boxes, line, facts["source"], facts["slope"])
        (high, wide), (rows, cols) = facts["original"], facts["size"]
        return Sheet((rows, cols), (high, wide), words, facts["note"])
    except (ValueError, KeyError, TypeError):
        return None
