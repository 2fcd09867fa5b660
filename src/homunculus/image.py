"""Images in, bounded and safe: they come from strangers.

The size a file declares is checked before anything is decoded; only the few decoders named here can
be reached; what a decoder throws becomes one error that says what to do. A TIFF is read from a file
that the caller names, never from bytes that someone sent: its decoder is the largest door for
mischief.
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedIOBase, BytesIO
from math import sqrt
from numbers import Integral
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from jaxtyping import Float, UInt8
from torch import Tensor

from homunculus.lazy import need

CHUNK = 1 << 20
"""Bytes of an open file that are read at a time."""
SHAPES = "H x W, H x W x 3 or H x W x 4"

_READING = Lock()  # an open file has one position: threads that share it take turns


class PictureError(ValueError):
    """The picture cannot be used; the message says why and what to do."""


class MissingPictureError(PictureError, FileNotFoundError):
    """There is no such file."""


@contextmanager
def stream(source: Any, most: int) -> Generator[tuple[str, BufferedIOBase], None, None]:
    """A name for messages and the bytes behind a source, at most ``most``."""
    if isinstance(source, bytes | bytearray | memoryview):
        bounded("bytes", memoryview(source).nbytes, most)
        yield "bytes", BytesIO(source)
    elif isinstance(source, str) and source[:5].lower() == "data:":
        yield "data URI", BytesIO(from_data_uri(source, most))
    elif isinstance(source, str | PathLike):
        with opened_path(source, most) as (name, file):
            yield name, file
    elif hasattr(source, "read"):
        name = getattr(source, "name", None)
        name = Path(name).name if isinstance(name, str) and name else "file"
        yield name, BytesIO(read_file(name, source, most))
    else:
        raise PictureError(
            "picture: expected a path, bytes, a data URI, a binary file, a numpy array, a "
            f"tensor or a Pillow image, got {type(source).__name__}. Convert it to one of these."
        )


def bounded(name: str, size: int, most: int) -> None:
    """Refuse more bytes than that."""
    if size > most:
        raise PictureError(
            f"{name}: expected at most {most >> 20} MiB, got {size >> 20} MiB. Save it smaller."
        )


@contextmanager
def opened_path(
    source: str | PathLike[Any], most: int
) -> Generator[tuple[str, BufferedIOBase], None, None]:
    """A regular file of bounded size."""
    if "://" in str(source)[:12]:
        raise PictureError(f"{source}: expected a file, got an address. Download it first.")
    try:
        path = Path(source)
        if not path.exists():
            first = " The picture comes first, then the question." if " " in path.name else ""
            raise MissingPictureError(
                f"{path}: no such file. Check the path and the current folder.{first}"
            )
        if not path.is_file():
            raise PictureError(f"{path}: expected a picture file, got a folder or a device.")
        bounded(path.name, path.stat().st_size, most)
        file = path.open("rb")
    except (OSError, ValueError) as error:
        if isinstance(error, PictureError):
            raise
        raise PictureError(f"{source}: cannot be opened ({error}).") from error
    with file:
        yield path.name, file


def from_data_uri(uri: str, most: int) -> bytes:
    """The bytes of a base64 data URI; its length is checked before it is decoded."""
    head, comma, body = uri.partition(",")
    if not comma or not head.lower().endswith(";base64"):
        raise PictureError(
            f"data URI: expected data:image/...;base64,..., got {head[:40]!r}. Encode it in base64."
        )
    bounded("data URI", len(body) * 3 // 4, most)
    try:
        return b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise PictureError(f"data URI: broken base64 ({error}). Encode it again.") from error


def to_data_uri(data: bytes, kind: str = "png") -> str:
    """A picture's file as a base64 data URI."""
    return f"data:image/{kind};base64,{b64encode(data).decode()}"


def read_file(name: str, file: Any, most: int) -> bytes:
    """All bytes of an open file, from its beginning if it can seek; its position stays."""
    try:
        if not _seekable(file):
            return _all(name, file, most)
        with _READING:
            here = file.tell()
            try:
                file.seek(0)
                return _all(name, file, most)
            finally:
                file.seek(here)
    except PictureError:
        raise
    except Exception as error:  # it is the caller's own class: anything may come
        raise PictureError(f"{name}: cannot be read ({error}). Open it again.") from error


def _seekable(file: Any) -> bool:
    if hasattr(file, "seekable"):
        return bool(file.seekable())
    return hasattr(file, "seek") and hasattr(file, "tell")


def _all(name: str, file: Any, most: int) -> bytes:
    parts, size = [], 0
    while part := file.read(CHUNK):
        if not isinstance(part, bytes | bytearray | memoryview):
            raise PictureError(
                f"{name}: expected a file of bytes, got one of {type(part).__name__}. "
                'Open it in binary mode, "rb".'
            )
        size += len(part)
        bounded(name, size, most)
        parts.append(part)
    return b"".join(parts)


def checked_array(array: Any) -> Any:
    """A numpy array as Pillow takes it; others than 8-bit pictures are refused."""
    shape = array.shape
    if array.dtype.name != "uint8" or not (
        len(shape) == 2 or (len(shape) == 3 and shape[2] in (3, 4))
    ):
        raise PictureError(
            f"array: expected {SHAPES} of uint8, got {' x '.join(map(str, shape)) or 'a number'} "
            f"of {array.dtype.name}. Convert it, channels last, values 0 to 255."
        )
    return array


# ---- images of Pillow ----------------------------------------------------------------------------


def undecoded(image: Any) -> bool:
    """Whether a Pillow image has no pixels in memory: its file is open and not read, or closed."""
    return type(image._im).__name__ != "ImagingCore" or bool(getattr(image, "tile", None))


def _readable(file: Any) -> bool:
    try:
        return hasattr(file, "read") and not getattr(file, "closed", False)
    except ValueError:  # what Pillow leaves in place of a closed file raises at any attribute
        return False


def reopened(name: str, image: Any, most: int) -> Any:
    """The same image from the same open file, so that decoding leaves the caller's as it is."""
    file = image.fp if getattr(image, "fp", None) is not None else getattr(image, "_fp", None)
    if not _readable(file):
        raise PictureError(
            f"{name}: the file of this Pillow image was closed before it was read. "
            "Call load() on it before closing."
        )
    again = type(image)(BytesIO(read_file(name, file, most)))
    if frame := image.tell():
        again.seek(frame)
    if (again.size, again.mode) != (image.size, image.mode):
        again.draft(image.mode, image.size)  # as the caller did
    if (again.size, again.mode) != (image.size, image.mode):
        return image  # of a state that cannot be made again: its pixels are what counts
    again.info = dict(image.info)
    return again


DECLARED = 400_000_000
"""Pixels a file may declare at all."""
DECODED = 120_000_000
"""Pixels that may be held decoded: half a gigabyte, twice that while alpha is removed. Half as many
for WebP, whose decoder keeps two canvases of its own."""
MOST_PAGES = 10_000
"""Pages of a TIFF that are counted; a PDF says how many it has."""
SLIMMEST = 200
"""The longer side may be this many times the shorter one."""
BYTES = 512 * 2**20
"""Bytes a file may have."""
DOTS = 200
"""Dots per inch of a rendered PDF page, unless that is too large."""

_PLUGINS = (  # how a file begins, and the one decoder that may read it
    (b"\x89PNG\r\n\x1a\n", "PngImagePlugin", "PngImageFile"),
    (b"\xff\xd8\xff", "JpegImagePlugin", "JpegImageFile"),
    (b"GIF8", "GifImagePlugin", "GifImageFile"),
    (b"BM", "BmpImagePlugin", "BmpImageFile"),
    (b"RIFF", "WebPImagePlugin", "WebPImageFile"),
)
_FORMATS = "PNG, JPEG, WebP, GIF, BMP, PDF, or TIFF by its path"
_TIFF = (b"II*\x00", b"MM\x00*")
_TIFF_CODECS = frozenset(
    ("raw", "packbits", "tiff_lzw", "tiff_adobe_deflate", "tiff_ccitt", "group3", "group4", "jpeg")
)
"""What scanners write; the rarer codecs of TIFF are not let in."""
_TURNS = {  # EXIF orientation -> what makes the picture upright
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}
_PDFIUM = Lock()  # PDFium is not safe for threads


@dataclass(frozen=True, eq=False)
class Picture:
    """An upright RGB picture of bounded size."""

    pixels: UInt8[Tensor, "3 h w"]
    name: str
    original: tuple[int, int]
    """Height and width before reducing, upright; a PDF page is measured at 200 dpi."""
    pages: int = 1  # of a PDF or a TIFF

    @property
    def size(self) -> tuple[int, int]:
        """Height and width as held here."""
        return int(self.pixels.shape[1]), int(self.pixels.shape[2])

    def grid(self, patch: int) -> tuple[int, int]:
        """Rows and columns of cells of ``patch`` pixels; those at the border may stick out."""
        return -(-self.size[0] // patch), -(-self.size[1] // patch)

    def unit(self) -> Float[Tensor, "1 3 h w"]:
        """The pixels as a batch of one, from 0 to 1."""
        return self.pixels[None].float() / 255


def open_picture(
    source: Any, page: int = 0, longest: int = 4096, area: int | None = None
) -> Picture:
    """Open a picture; a page if it is a PDF or a TIFF, the first frame if it moves.

    ``source`` is a path, bytes, a base64 data URI, a binary file, a numpy array of uint8 (H W,
    H W 3 or H W 4), a tensor of uint8 or of floats from 0 to 1 (3 H W) or a Pillow image; it is
    left as it was. A TIFF is read by its path alone. The result has at most ``longest`` pixels on
    its longer side, and at most ``area`` in all.
    """
    _check_page(page)
    bounds = (_positive("longest", longest), _positive("area", area or longest * longest))
    if isinstance(source, Tensor):
        source = _channels_last(source)
    if isinstance(source, _numpy().ndarray):
        _no_page("array", page)
        size = checked_array(source).shape[:2]
        _check("array", size, DECODED, "Make it smaller.")
        return _picture("array", _pillow().fromarray(source), bounds)
    if isinstance(source, _pillow().Image):
        return _from_pillow(source, page, bounds)
    with stream(source, BYTES) as (name, file):
        head = file.read(1024)
        file.seek(0)
        if not any(head.startswith(row[0]) for row in _PLUGINS) and b"%PDF-" in head:
            return _pdf(name, file, page, bounds)
        if head.startswith(_TIFF) and _is_path(source):
            return _tiff(name, file, page, bounds)
        image = _from_file(name, head, file)
        _no_page(name, page)
        return _picture(name, image, bounds)


def _channels_last(tensor: Tensor) -> Any:
    """A picture of torch as an array of numpy."""
    tensor, kind = tensor.detach().cpu(), str(tensor.dtype).removeprefix("torch.")
    if tensor.is_floating_point() and bool(((tensor >= 0) & (tensor <= 1)).all()):
        tensor = (tensor * 255).round().to(torch.uint8)
    if tensor.dtype != torch.uint8 or tensor.ndim != 3 or tensor.shape[0] not in (1, 3, 4):
        shape = " x ".join(map(str, tensor.shape)) or "a number"
        raise PictureError(
            f"tensor: expected 3 x H x W of uint8, got {shape} of {kind}. "
            "Convert it, channels first, values 0 to 255, or floats of 0 to 1."
        )
    array = tensor.permute(1, 2, 0).contiguous().numpy()
    return array[:, :, 0] if tensor.shape[0] == 1 else array


def _is_path(source: Any) -> bool:
    return isinstance(source, PathLike) or (
        isinstance(source, str) and source[:5].lower() != "data:"
    )


def size_of(data: bytes) -> tuple[int, int]:
    """Height and width that a picture's file declares; nothing is decoded."""
    with stream(data, BYTES) as (name, file):
        image = _from_file(name, data[:1024], file)
        size = (int(image.height), int(image.width))
        _check(name, size, DECLARED, "Nothing was decoded. Save it smaller.")
        return size


def _from_file(name: str, head: bytes, file: BufferedIOBase) -> Any:
    """A Pillow image that is not decoded yet, by one of the few decoders that can be reached."""
    if not head:
        raise PictureError(f"{name}: expected a picture, got 0 bytes. Save it again.")
    plugin = next((row for row in _PLUGINS if head.startswith(row[0])), None)
    if plugin is None:
        raise PictureError(f"{name}: expected {_FORMATS}, got {_guess(head)}. Make it a PNG.")
    decoder = need(f"PIL.{plugin[1]}", extra="view", who="homunculus.image")
    with _decoding(name):
        return getattr(decoder, plugin[2])(file)


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
    except (MemoryError, _pillow().DecompressionBombError) as error:
        raise PictureError(f"{name}: too large to decode ({error}). Save it smaller.") from error
    except Exception as error:
        raise PictureError(
            f"{name}: expected a whole picture, got a broken one "
            f"({str(error) or type(error).__name__}). Save or download it again."
        ) from error


def _guess(head: bytes) -> str:
    """What an unreadable file seems to be."""
    if head.startswith(_TIFF):
        return "a TIFF, which is read only from a file, by its path"
    if head[4:8] == b"ftyp":
        return "a HEIC, AVIF or video file, which is not read"
    if head.lstrip()[:5].lower() in (b"<?xml", b"<svg ", b"<html", b"<!doc"):
        return "a web page or an SVG, which is not read"
    return f"something that begins with {head[:8]!r}"


def _check_page(page: object) -> None:
    if isinstance(page, bool) or not isinstance(page, Integral) or page < 0:
        raise PictureError(
            f"page must be a whole number from 0, got {page!r:.80}. The first page is 0."
        )


def _no_page(name: str, page: int) -> None:
    if page:
        raise PictureError(f"{name}: page {page} of a picture of one page. Leave page out.")


def _check(name: str, size: tuple[int, int], most: int, cure: str) -> None:
    """Refuse by the declared height and width alone."""
    high, wide = size
    if high < 1 or wide < 1:
        raise PictureError(f"{name}: expected at least one pixel, got {wide}x{high}.")
    if high * wide > most:
        raise PictureError(
            f"{name}: expected at most {most / 1e6:.0f} megapixels, got {wide}x{high} "
            f"({high * wide / 1e6:.0f}). {cure}"
        )
    if max(size) > SLIMMEST * min(size):
        raise PictureError(
            f"{name}: expected sides of at most {SLIMMEST}:1, got {wide}x{high}. Cut it up."
        )


def _from_pillow(image: Any, page: int, bounds: tuple[int, int]) -> Picture:
    """A Pillow image of the caller's, which is never decoded or reduced in place."""
    name = Path(str(getattr(image, "filename", "") or "image")).name
    _no_page(name, page)
    if not undecoded(image):
        return _picture(name, image, bounds)
    # before it is opened again: some decoders take memory as soon as they are made
    most = DECLARED if image.format == "JPEG" else _most(image)
    _check(name, (image.height, image.width), most, "Nothing was decoded. Save it smaller.")
    with _decoding(name):
        image = reopened(name, image, BYTES)
    return _picture(name, image, bounds)


def _most(image: Any) -> int:
    """Pixels of an image that may be decoded."""
    return DECODED // 2 if image.format == "WEBP" and undecoded(image) else DECODED


def _picture(name: str, image: Any, bounds: tuple[int, int]) -> Picture:
    """Check, decode as small as the format allows, reduce, make plain RGB, turn upright."""
    size = (image.height, image.width)
    _check(name, size, DECLARED, "Nothing was decoded. Save it smaller.")
    target = fitted(size, *bounds)
    with _decoding(name):
        if image.format == "JPEG" and undecoded(image) and _one_scan(image):
            image.draft(None, target[::-1])
        cure = "This format must be decoded whole. Save it smaller, or as a baseline JPEG."
        _check(name, (image.height, image.width), _most(image), cure)
        image.load()
        orientation = _orientation(image)
        image = _plain(image, target)
        if orientation in _TURNS:
            image = image.transpose(_pillow().Transpose[_TURNS[orientation]])
    return Picture(_tensor(image), name, size[::-1] if orientation >= 5 else size)


def _tiff(name: str, file: BufferedIOBase, page: int, bounds: tuple[int, int]) -> Picture:
    """One page of a TIFF, if its codec is one that scanners use."""
    decoder = need("PIL.TiffImagePlugin", extra="view", who="homunculus.image")
    with _decoding(name):
        image = decoder.TiffImageFile(file)
        pages = _count_pages(image)
        if not 0 <= page < pages:
            raise PictureError(
                f"{name}: page {page} of a TIFF of {pages} pages. Pages count from 0."
            )
        image.seek(page)
        if (codec := str(image.info.get("compression"))) not in _TIFF_CODECS:
            raise PictureError(
                f"{name}: expected a TIFF as scanners write it, got the codec {codec}. "
                "Save it as PNG."
            )
    opened = _picture(f"{name} page {page}" if page else name, image, bounds)
    return replace(opened, pages=pages)


def _count_pages(image: Any) -> int:
    """Pages of a TIFF, up to a bound: each is found through the one before it."""
    for page in range(MOST_PAGES):
        try:
            image.seek(page)
        except EOFError:
            return page
    return MOST_PAGES


def _one_scan(image: Any) -> bool:
    """Whether a JPEG comes in one pass; otherwise all its coefficients stay in memory at once."""
    if image.info.get("progressive"):
        return False
    stream, here = image.fp, image.fp.tell()
    try:
        stream.seek(2)
        while (head := stream.read(4)) and len(head) == 4 and head[0] == 0xFF:
            if head[1] == 0xDA:  # start of scan: how many components it holds comes first
                return stream.read(1) == bytes([image.layers])
            stream.seek(int.from_bytes(head[2:], "big") - 2, 1)
        return False
    finally:
        stream.seek(here)


def _numpy() -> Any:
    return need("numpy", extra="view", who="homunculus.image")


def _pillow() -> Any:
    return need("PIL.Image", extra="view", who="homunculus.image")


def _orientation(image: Any) -> int:
    try:
        tag = int(image.getexif().get(0x0112, 1))
    except Exception:  # broken EXIF is no reason to refuse a good picture
        return 1
    return tag if tag in _TURNS else 1


def _plain(image: Any, size: tuple[int, int]) -> Any:
    """RGB of the given height and width; alpha is laid on white."""
    pil = _pillow()
    if image.mode.startswith("I"):  # 16 bits a pixel: the upper eight
        deep = _numpy().asarray(image).clip(0, 65535).astype("uint16")
        image = pil.fromarray((deep >> 8).astype("uint8"))
    if image.mode == "F":
        raise PictureError("Pillow image of mode F: the range is unknown. Convert it to L or RGB.")
    clear = image.has_transparency_data
    if image.mode in ("1", "P", "PA") or (clear and image.mode in ("L", "RGB")):
        image = image.convert("RGBA" if clear else "RGB")
    if image.size != size[::-1]:
        image = image.resize(size[::-1], pil.Resampling.LANCZOS, reducing_gap=3.0)
    if not clear:
        return image.convert("RGB")
    white = pil.new("RGBA", image.size, "white")
    return pil.alpha_composite(white, image.convert("RGBA")).convert("RGB")


def _tensor(image: Any) -> UInt8[Tensor, "3 h w"]:
    return torch.from_numpy(_numpy().array(image)).permute(2, 0, 1).contiguous()


def _pdf(name: str, stream: BufferedIOBase, page: int, bounds: tuple[int, int]) -> Picture:
    """One page drawn at 200 dots per inch, or as large as the bounds allow."""
    pdfium = need("pypdfium2", extra="view", who="homunculus.image")
    with _PDFIUM, _decoding(name):
        document = pdfium.PdfDocument(stream.read())
        try:
            if not 0 <= page < len(document):
                raise PictureError(
                    f"{name}: page {page} of a PDF of {len(document)} pages. Pages count from 0."
                )
            document.init_forms()  # without it, what was filled into a form stays invisible
            sheet = document[page]
            wide, high = (round(side * DOTS / 72) for side in sheet.get_size())
            _check(name, (high, wide), DECLARED * 100, "Print it on a smaller page.")
            target = fitted((high, wide), *bounds)
            scale = min(target[0] / high, target[1] / wide) * DOTS / 72
            image, pages = _plain(sheet.render(scale=scale).to_pil(), target), len(document)
        finally:
            document.close()
    return Picture(_tensor(image), f"{name} page {page}" if page else name, (high, wide), pages)


def count_pages(path: str | PathLike[Any]) -> int:
    """Pages of a PDF file, without drawing any of them."""
    pdfium = need("pypdfium2", extra="view", who="homunculus.image")
    with opened_path(path, BYTES) as (name, file), _PDFIUM, _decoding(name):
        document = pdfium.PdfDocument(file.read())
        try:
            return len(document)
        finally:
            document.close()
