# pyright: basic
"""Where a picture's bytes come from: a path, bytes, a data URI, an open file, a Pillow image.

Whatever the caller passed stays as it was: files are read to a bound and keep their position, and
a Pillow image that is not decoded yet is opened a second time instead of being decoded in place.
"""

import binascii
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase, BytesIO
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any

CHUNK = 1 << 20
"""Bytes of an open file that are read at a time."""
SHAPES = "H x W, H x W x 3 or H x W x 4"

_READING = Lock()  # an open file has one position: threads that share it take turns


class PictureError(ValueError):
    """The picture cannot be used; the message says why and what to do."""


@contextmanager
def stream(source: Any, most: int) -> Iterator[tuple[str, BufferedIOBase]]:
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
            "open_picture: expected a path, bytes, a data URI, a binary file, a numpy array or a "
            f"Pillow image, got {type(source).__name__}. Convert it to one of these."
        )


def bounded(name: str, size: int, most: int) -> None:
    """Refuse more bytes than that."""
    if size > most:
        raise PictureError(
            f"{name}: expected at most {most >> 20} MiB, got {size >> 20} MiB. Save it smaller."
        )


@contextmanager
def opened_path(source: str | PathLike[Any], most: int) -> Iterator[tuple[str, BufferedIOBase]]:
    """A regular file of bounded size."""
    if "://" in str(source)[:12]:
        raise PictureError(f"{source}: expected a file, got an address. Download it first.")
    try:
        path = Path(source)
        if not path.exists():
            raise PictureError(f"{path}: no such file. Check the path and the current folder.")
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
