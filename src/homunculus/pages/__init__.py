"""Images in, bounded and safe: they come from strangers.

The size a file declares is checked before anything is decoded; only the few decoders named here can
be reached; what a decoder throws becomes one error that says what to do. A TIFF is read from a file
that the caller names, never from bytes that someone sent: its decoder is the largest door for
mischief.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedIOBase
from math import sqrt
from numbers import Integral
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import IO, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.BmpImagePlugin import BmpImageFile
from PIL.GifImagePlugin import GifImageFile
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.TiffImagePlugin import TiffImageFile
from PIL.WebPImagePlugin import WebPImageFile

from homunculus.lazy import MissingExtra, need
from homunculus.pages.lines import Lines
from homunculus.pages.pillow import (
    count_frames,
    in_one_scan,
    orientation_of,
    plain,
    reopened,
    to_array,
    to_image,
    undecoded,
    upright,
)
from homunculus.pages.source import (
    CHUNK,
    MissingPictureError,
    PictureError,
    bounded,
    from_data_uri,
    open_path,
    open_source,
    read_file,
    to_data_uri,
)
from homunculus.pages.text_layer import count_parts, trusted_layer
from homunculus.pages.words import given_lines
from homunculus.shapes import Float, UInt8, as_array

__all__ = [
    "BYTES",
    "CHUNK",
    "SLIMMEST",
    "TIFF",
    "MissingPictureError",
    "Picture",
    "PictureError",
    "bounded",
    "count_pages",
    "fitted",
    "from_data_uri",
    "open_pdf",
    "open_picture",
    "read_file",
    "sheet_to_draw",
    "size_of",
    "size_of_sheet",
    "to_array",
    "to_data_uri",
    "to_image",
    "undecoded",
]

DECLARED = 400_000_000
"""Pixels a file may declare at all."""
DECODED = 120_000_000
"""Pixels that may be held decoded: half a gigabyte, twice that while alpha is removed. Half as many
for WebP and HEIC, whose decoders keep copies of their own."""
MAX_TIFF_PAGES = 10_000
"""Pages of a TIFF that are counted; a PDF says how many it has."""
SLIMMEST = 200
"""The longer side may be this many times the shorter one."""
BYTES = 512 * 2**20
"""Bytes a file may have."""
MAX_DRAWN = 1_000_000
"""Lines, pictures and pieces of text of a PDF page that is drawn: PDFium draws 100,000 short lines
in a second."""
MAX_NOTES = 4_000
"""Notes and fields of forms on a page that is drawn: PDFium needs seconds to load so many, and more
than four times as long for twice as many."""
DOTS = 200
"""Dots per inch of a rendered PDF page, unless that is too large."""

_DECODERS: dict[bytes, Callable[[Any], ImageFile]] = {  # how a file begins, and what may read it
    b"\x89PNG\r\n\x1a\n": PngImageFile,
    b"\xff\xd8\xff": JpegImageFile,
    b"GIF8": GifImageFile,
    b"BM": BmpImageFile,
    b"RIFF": WebPImageFile,
}
_HEIC = frozenset((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"))
"""Brands of HEIC files, bytes 8 to 12; a video or an AVIF names another."""
_FORMATS = "PNG, JPEG, WebP, GIF, BMP, HEIC, PDF, or TIFF by its path"
TIFF = (b"II*\x00", b"MM\x00*")
_TIFF_CODECS = frozenset(
    ("raw", "packbits", "tiff_lzw", "tiff_adobe_deflate", "tiff_ccitt", "group3", "group4", "jpeg")
)
"""What scanners write; the rarer codecs of TIFF are not let in."""
_PDFIUM = Lock()  # PDFium is not safe for threads


@dataclass(frozen=True, eq=False)
class Picture:
    """An upright RGB picture of bounded size."""

    pixels: UInt8[np.ndarray, "3 h w"]
    name: str
    original: tuple[int, int]
    """Height and width before reducing, upright; a PDF page is measured at 200 dpi."""
    page: int = 1
    """Which page of the file this is, or which frame of an animation; the first is 1."""
    pages: int = 1
    part: Literal["page", "frame"] = "page"
    """What is counted: pages of a PDF or a TIFF, or frames of an animation."""
    lines: Lines | None = None
    """The words on it with their boxes, in pixels as held here; None if nobody read it."""
    lines_note: str = ""
    """Why words that there are, or an OCR, were not used; a sentence, or empty."""

    @property
    def size(self) -> tuple[int, int]:
        """Height and width as held here."""
        return int(self.pixels.shape[1]), int(self.pixels.shape[2])

    def grid(self, patch: int) -> tuple[int, int]:
        """Rows and columns of cells of ``patch`` pixels; those at the border may stick out."""
        return -(-self.size[0] // patch), -(-self.size[1] // patch)

    def notes(self) -> list[str]:
        """Sentences on what a reader might not expect of the picture.

        >>> Picture(np.zeros((3, 4, 8), np.uint8), "a.pdf", (8, 16), 2, 3).notes()
        ['This is page 2 of 3.', 'The picture was reduced from 16x8 to 8x4 pixels.']
        """
        notes = list[str]()
        if self.pages > 1:
            where = " of an animation" if self.part == "frame" else ""
            notes.append(f"This is {self.part} {self.page} of {self.pages}{where}.")
        if self.size != self.original:
            (high, wide), (rows, cols) = self.original, self.size
            notes.append(f"The picture was reduced from {wide}x{high} to {cols}x{rows} pixels.")
        return notes + [self.lines_note] * bool(self.lines_note)

    def with_words(self, words: Any, source: str = "given") -> "Picture":
        """This picture with words that someone else read, in place of its own: `Lines`, or pairs of
        a text and its box x0 y0 x1 y1, in pixels of the original (`original`).

        >>> page = Picture(np.zeros((3, 40, 80), np.uint8), "a.png", (80, 160))
        >>> page.with_words([("Total", (20, 10, 60, 22))]).lines.boxes.tolist()
        [[10.0, 5.0, 30.0, 11.0]]
        """
        lines = given_lines(words, self.original, self.size, source)
        return replace(self, lines=lines, lines_note="")

    def image(self) -> Image.Image:
        """The pixels as a Pillow image."""
        return to_image(self.pixels)

    def unit(self) -> Float[np.ndarray, "1 3 h w"]:
        """The pixels as a batch of one, from 0 to 1."""
        return self.pixels[None].astype(np.float32) / 255


def open_picture(
    source: Any,
    page: int = 1,
    longest: int = 4096,
    area: int | None = None,
    words: Any = None,
) -> Picture:
    """Open a picture: a page of a PDF or a TIFF, a frame of an animation; the first is 1.

    ``source`` is a path, bytes, a base64 data URI, a binary file, a numpy array of uint8 (H W,
    H W 3 or H W 4), a tensor of uint8 or of floats from 0 to 1 (3 H W) or a Pillow image; it is
    left as it was. A TIFF is read by its path alone. The result has at most ``longest`` pixels on
    its longer side, and at most ``area`` in all. ``words`` are what `Picture.with_words` takes.

    >>> from PIL import Image
    >>> open_picture(Image.new("L", (640, 480)), longest=320).size
    (240, 320)
    """
    picture = _open(source, page, longest, area)
    return picture if words is None else picture.with_words(words)


def _open(source: Any, page: int, longest: int, area: int | None) -> Picture:
    _check_page(page)
    bounds = (_positive("longest", longest), _positive("area", area or longest * longest))
    if isinstance(source, np.ndarray):
        return _from_array(source, page, bounds)
    if hasattr(source, "__array__"):  # a tensor, of whatever framework
        return _from_array(_channels_last(as_array(source)), page, bounds)
    if isinstance(source, Image.Image):
        return _from_pillow(source, page, bounds)
    with open_source(source, BYTES) as (name, file):
        head = file.read(1024)
        file.seek(0)
        if _decoder(head) is None and b"%PDF-" in head:
            return _pdf(name, file, page, bounds)
        if head.startswith(TIFF) and _is_path(source):
            return _tiff(name, file, page, bounds)
        return _still_or_frame(name, _from_file(name, head, file), file, page, bounds)


def _from_array(array: NDArray[Any], page: int, bounds: tuple[int, int]) -> Picture:
    _no_page("array", page)
    shape = array.shape
    if array.dtype != np.uint8 or not (len(shape) == 2 or (len(shape) == 3 and shape[2] in (3, 4))):
        raise PictureError(
            "array: expected H x W, H x W x 3 or H x W x 4 of uint8, got "
            f"{' x '.join(map(str, shape)) or 'a number'} of {array.dtype.name}. "
            "Convert it, channels last, values 0 to 255."
        )
    _check_size("array", (shape[0], shape[1]), DECODED, "Make it smaller.")
    return _picture("array", Image.fromarray(array), bounds)


def _channels_last(tensor: NDArray[Any]) -> NDArray[np.uint8]:
    values = tensor
    if tensor.dtype.kind == "f" and bool(((tensor >= 0) & (tensor <= 1)).all()):
        values = (tensor * 255).round().astype(np.uint8)
    if values.dtype != np.uint8 or values.ndim != 3 or len(values) not in (1, 3, 4):
        shape = " x ".join(map(str, tensor.shape)) or "a number"
        raise PictureError(
            f"tensor: expected 3 x H x W of uint8, got {shape} of {tensor.dtype.name}. "
            "Convert it, channels first, values 0 to 255, or floats of 0 to 1."
        )
    return values[0] if len(values) == 1 else values.transpose(1, 2, 0)


def _is_path(source: Any) -> bool:
    return isinstance(source, PathLike) or (
        isinstance(source, str) and source[:5].lower() != "data:"
    )


def size_of(data: bytes) -> tuple[int, int]:
    """Height and width that a picture's file declares; nothing is decoded."""
    with open_source(data, BYTES) as (name, file):
        image = _from_file(name, data[:1024], file)
        size = (image.height, image.width)
        _check_size(name, size, DECLARED, "Nothing was decoded. Save it smaller.")
        return size


def _decoder(head: bytes) -> Callable[[Any], ImageFile] | None:
    return next((kind for magic, kind in _DECODERS.items() if head.startswith(magic)), None)


def _from_file(name: str, head: bytes, file: BufferedIOBase) -> Image.Image:
    """A Pillow image that is not decoded yet, by one of the few decoders that can be reached."""
    if not head:
        raise PictureError(f"{name}: expected a picture, got 0 bytes. Save it again.")
    if head[4:8] == b"ftyp" and head[8:12] in _HEIC:
        decoder = _heif(name)
    elif (decoder := _decoder(head)) is None:
        raise PictureError(f"{name}: expected {_FORMATS}, got {_guess(head)}. Make it a PNG.")
    with _decoding(name):
        return decoder(file)


def _heif(name: str) -> Any:
    """The decoder of HEIC; where it is missing, a server tells its client so."""
    try:
        module: Any = need("pillow_heif", extra="heic", who="a HEIC picture")
    except MissingExtra as missing:
        raise PictureError(f"{name}: {missing}. Or save it as JPEG.") from missing
    return module.HeifImageFile


def fitted(size: tuple[int, int], longest: int, area: int) -> tuple[int, int]:
    """The largest size of the same shape within both bounds; never enlarged.

    >>> fitted((3000, 4000), 1000, 10**6), fitted((30, 40), 1000, 10**6)
    ((750, 1000), (30, 40))
    """
    scale = min(1.0, longest / max(size), sqrt(area / (size[0] * size[1])))
    return max(1, int(size[0] * scale + 1e-6)), max(1, int(size[1] * scale + 1e-6))


def _positive(what: str, value: int) -> int:
    if value < 1:
        raise PictureError(f"picture: {what} must be 1 pixel or more, got {value}")
    return value


@contextmanager
def _decoding(name: str) -> Generator[None, None, None]:
    """Whatever a decoder throws on a stranger's bytes (it may be anything) is a broken picture."""
    try:
        yield
    except PictureError:
        raise
    except (MemoryError, Image.DecompressionBombError) as error:
        raise PictureError(f"{name}: too large to decode. Save it smaller.") from error
    except Exception as error:  # its text stays in the cause: it may quote what the file holds
        if "password" in str(error).lower():  # as PDFium says
            raise PictureError(f"{name}: has a password. Save it without one.") from error
        raise PictureError(
            f"{name}: expected a whole picture, got a broken one. Save or download it again."
        ) from error


def _guess(head: bytes) -> str:
    if head.startswith(TIFF):
        return "a TIFF, which is read only from a file, by its path"
    if head[4:8] == b"ftyp":
        return "an AVIF or video file, which is not read"
    if head.lstrip()[:5].lower() in (b"<?xml", b"<svg ", b"<html", b"<!doc"):
        return "a web page or an SVG, which is not read"
    return "a file of another kind"  # none of its bytes: it may be anyone's secret


def _check_page(page: object) -> None:
    if isinstance(page, bool) or not isinstance(page, Integral) or page < 1:
        raise PictureError(
            f"page must be a whole number from 1, got {page!r:.80}. The first page is 1."
        )


def _no_page(name: str, page: int) -> None:
    if page > 1:
        raise PictureError(f"{name}: page {page} of a picture of one page. Leave page out.")


def _is_there(name: str, part: str, page: int, pages: int, kind: str) -> None:
    if page > pages:
        raise PictureError(
            f"{name}: no {part} {page}: this {kind} has {pages} {part}{'s' * (pages > 1)}, "
            "counted from 1."
        )


def _check_size(name: str, size: tuple[int, int], max_pixels: int, cure: str) -> None:
    """Refuse by the declared height and width alone."""
    high, wide = size
    if high < 1 or wide < 1:
        raise PictureError(f"{name}: expected at least one pixel, got {wide}x{high}.")
    if high * wide > max_pixels:
        raise PictureError(
            f"{name}: expected at most {max_pixels / 1e6:.0f} megapixels, got {wide}x{high} "
            f"({high * wide / 1e6:.0f}). {cure}"
        )
    if max(size) > SLIMMEST * min(size):
        raise PictureError(
            f"{name}: expected sides of at most {SLIMMEST}:1, got {wide}x{high}. Cut it up."
        )


def _from_pillow(image: Image.Image, page: int, bounds: tuple[int, int]) -> Picture:
    """A Pillow image of the caller's, which is never decoded or reduced in place."""
    name = Path(str(getattr(image, "filename", "") or "image")).name
    _no_page(name, page)
    if not undecoded(image):
        return _picture(name, image, bounds)
    # before it is opened again: some decoders take memory as soon as they are made
    max_pixels = DECLARED if image.format == "JPEG" else _max_decoded(image)
    size = (image.height, image.width)
    _check_size(name, size, max_pixels, "Nothing was decoded. Save it smaller.")
    with _decoding(name):
        image = reopened(name, image, BYTES)
    return _picture(name, image, bounds)


def _max_decoded(image: Image.Image) -> int:
    several = image.format in ("WEBP", "HEIF") and undecoded(image)
    return DECODED // 2 if several else DECODED


def _picture(name: str, image: Image.Image, bounds: tuple[int, int]) -> Picture:
    """Check, decode as small as the format allows, reduce, make plain RGB, turn upright."""
    size = (image.height, image.width)
    _check_size(name, size, DECLARED, "Nothing was decoded. Save it smaller.")
    target = fitted(size, *bounds)
    with _decoding(name):
        if image.format == "JPEG" and undecoded(image) and in_one_scan(image):
            image.draft(None, (target[1], target[0]))
        cure = "This format must be decoded whole. Save it smaller, or as a baseline JPEG."
        _check_size(name, (image.height, image.width), _max_decoded(image), cure)
        image.load()
        orientation = orientation_of(image)
        image = upright(plain(image, target), orientation)
    original = (size[1], size[0]) if orientation >= 5 else size
    return Picture(to_array(image), name, original)


def _tiff(name: str, file: BufferedIOBase, page: int, bounds: tuple[int, int]) -> Picture:
    """One page of a TIFF, if its codec is one that scanners use."""
    with _decoding(name):
        image = TiffImageFile(cast("IO[bytes]", file))
        pages = _tiff_pages(image)
        _is_there(name, "page", page, pages, "TIFF")
        image.seek(page - 1)
        if (codec := str(image.info.get("compression"))) not in _TIFF_CODECS:
            raise PictureError(
                f"{name}: expected a TIFF as scanners write it, got the codec {codec}. "
                "Save it as PNG."
            )
    return replace(_picture(_named(name, page), image, bounds), page=page, pages=pages)


def _named(name: str, page: int, part: str = "page") -> str:
    return f"{name} {part} {page}" if page > 1 else name


def _tiff_pages(image: Image.Image) -> int:
    """Pages of a TIFF, up to a bound: each is found through the one before it."""
    for page in range(MAX_TIFF_PAGES):
        try:
            image.seek(page)
        except EOFError:
            return page
    return MAX_TIFF_PAGES


def _still_or_frame(
    name: str, image: Image.Image, file: BufferedIOBase, page: int, bounds: tuple[int, int]
) -> Picture:
    """A picture, or one frame of an animation."""
    frames = count_frames(image, file)
    if frames == 1:
        _no_page(name, page)
        return _picture(name, image, bounds)
    _is_there(name, "frame", page, frames, "animation")
    if page > 1:  # seeking decodes
        _check_size(name, (image.height, image.width), _max_decoded(image), "Save it smaller.")
        if image.height * image.width * page > DECLARED:
            raise PictureError(
                f"{name}: frame {page} is decoded after all frames before it, and together they "
                f"have more than {DECLARED / 1e6:.0f} megapixels. Choose an earlier one."
            )
        with _decoding(name):
            image.seek(page - 1)
    opened = _picture(_named(name, page, "frame"), image, bounds)
    return replace(opened, page=page, pages=frames, part="frame")


@contextmanager
def open_pdf(name: str, file: BufferedIOBase) -> Generator[Any, None, None]:
    """A document of pypdfium2, which only one thread at a time can have."""
    import pypdfium2 as pdfium  # half a second, which other pictures need not wait for

    with _PDFIUM, _decoding(name):
        document = pdfium.PdfDocument(file.read())
        try:
            yield document
        finally:
            document.close()


def _pdf(name: str, file: BufferedIOBase, page: int, bounds: tuple[int, int]) -> Picture:
    """One page drawn at 200 dots per inch, or as large as the bounds allow."""
    with open_pdf(name, file) as document:
        pages = len(document)
        _is_there(name, "page", page, pages, "PDF")
        sheet = sheet_to_draw(_named(name, page), document, page)
        high, wide = size_of_sheet(name, sheet.get_size())
        target = fitted((high, wide), *bounds)
        scale = min(target[0] / high, target[1] / wide) * DOTS / 72
        pixels = to_array(plain(sheet.render(scale=scale).to_pil(), target))
        lines, note = trusted_layer(sheet, pixels)
    return Picture(
        pixels, _named(name, page), (high, wide), page, pages, lines=lines, lines_note=note
    )


def sheet_to_draw(name: str, document: Any, page: int) -> Any:
    """A page of pypdfium2 with what was filled into a form on it, if it can be drawn in time."""
    sheet = document[page - 1]
    objects, notes = count_parts(sheet)
    _at_most(name, objects, MAX_DRAWN, "lines, pictures and pieces of text")
    _at_most(name, notes, MAX_NOTES, "notes and fields")
    if notes:  # what was filled into a form stays invisible in pages loaded before
        sheet.close()
        document.init_forms()
        sheet = document[page - 1]
    return sheet


def _at_most(name: str, count: int, most: int, what: str) -> None:
    if count > most:
        raise PictureError(
            f"{name}: expected at most {most:,} {what} on a page, got {count:,}. "
            "Save the page as a picture."
        )


def size_of_sheet(name: str, points: tuple[float, float]) -> tuple[int, int]:
    """Height and width of a page that is so many points wide and high, at 200 dots per inch."""
    wide, high = (round(side * DOTS / 72) for side in points)
    _check_size(name, (high, wide), DECLARED * 100, "Print it on a smaller page.")
    return high, wide


def count_pages(path: str | PathLike[Any]) -> int:
    """Pages of a PDF file, without drawing any of them."""
    with open_path(path, BYTES) as (name, file), open_pdf(name, file) as document:
        return len(document)
