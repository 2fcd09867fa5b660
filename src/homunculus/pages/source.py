"""Where a picture's bytes come from: a path, bytes, a data URI or an open file, never too many."""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Generator
from contextlib import contextmanager
from io import BufferedIOBase, BytesIO
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any

from homunculus.errors import HomunculusError

CHUNK = 1 << 20
"""Bytes of an open file that are read at a time."""

_READING = Lock()  # an open file has one position: threads that share it take turns


class PictureError(HomunculusError, ValueError):
    """The picture cannot be used; the message says why and what to do.

    >>> from homunculus import views
    >>> try: views(b"no picture")
    ... except PictureError as error: print(error)
    bytes: expected PNG, JPEG, WebP, GIF, BMP, HEIC, PDF, or TIFF by its path, got a file of \
another kind. Make it a PNG.
    """


class MissingPictureError(PictureError, FileNotFoundError):
    """There is no such file."""


@contextmanager
def open_source(source: Any, max_bytes: int) -> Generator[tuple[str, BufferedIOBase], None, None]:
    """A name for messages and the bytes behind a source, at most ``max_bytes``."""
    if isinstance(source, bytes | bytearray | memoryview):
        bounded("bytes", memoryview(source).nbytes, max_bytes)
        yield "bytes", BytesIO(source)
    elif isinstance(source, str) and source[:5].lower() == "data:":
        yield "data URI", BytesIO(from_data_uri(source, max_bytes))
    elif isinstance(source, str | PathLike):
        with open_path(source, max_bytes) as (name, file):
            yield name, file
    elif hasattr(source, "read"):
        name = getattr(source, "name", None)
        name = Path(name).name if isinstance(name, str) and name else "file"
        yield name, BytesIO(read_file(name, source, max_bytes))
    else:
        raise PictureError(
            "picture: expected a path, bytes, a data URI, a binary file, a numpy array, a "
            f"tensor or a Pillow image, got {type(source).__name__}. Convert it to one of these."
        )


def bounded(name: str, size: int, max_bytes: int) -> None:
    """Refuse more bytes than that."""
    if size > max_bytes:
        raise PictureError(
            f"{name}: expected at most {max_bytes >> 20} MiB, got {size >> 20} MiB. "
            "Save it smaller."
        )


@contextmanager
def open_path(
    source: str | PathLike[Any], max_bytes: int
) -> Generator[tuple[str, BufferedIOBase], None, None]:
    """A regular file of bounded size."""
    if "://" in str(source)[:12]:
        raise PictureError(f"{source}: expected a file, got an address. Download it first.")
    try:
        path = Path(source)
        if not path.exists():
            order = " The picture comes first, then the question." if " " in path.name else ""
            raise MissingPictureError(
                f"{path}: no such file. Check the path and the current folder.{order}"
            )
        if not path.is_file():
            raise PictureError(f"{path}: expected a picture file, got a folder or a device.")
        bounded(path.name, path.stat().st_size, max_bytes)
        file = path.open("rb")
    except (OSError, ValueError) as error:
        if isinstance(error, PictureError):
            raise
        raise PictureError(f"{source}: cannot be opened ({error}).") from error
    with file:
        yield path.name, file


def from_data_uri(uri: str, max_bytes: int) -> bytes:
    """The bytes of a base64 data URI; its length is checked before it is decoded."""
    head, comma, body = uri.partition(",")
    if not comma or not head.lower().endswith(";base64"):
        raise PictureError(
            f"data URI: expected data:image/...;base64,..., got {head[:40]!r}. Encode it in base64."
        )
    bounded("data URI", len(body) * 3 // 4, max_bytes)
    try:
        return b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise PictureError(f"data URI: broken base64 ({error}). Encode it again.") from error


def to_data_uri(data: bytes, kind: str = "png") -> str:
    """A picture's file as a base64 data URI."""
    return f"data:image/{kind};base64,{b64encode(data).decode()}"


def read_file(name: str, file: Any, max_bytes: int) -> bytes:
    """All bytes of an open file, from its beginning if it can seek; its position stays."""
    try:
        if not _seekable(file):
            return _all(name, file, max_bytes)
        with _READING:
            position = file.tell()
            try:
                file.seek(0)
                return _all(name, file, max_bytes)
            finally:
                file.seek(position)
    except PictureError:
        raise
    except Exception as error:  # it is the caller's own class: anything may come
        raise PictureError(f"{name}: cannot be read ({error}). Open it again.") from error


def _seekable(file: Any) -> bool:
    if hasattr(file, "seekable"):
        return bool(file.seekable())
    return hasattr(file, "seek") and hasattr(file, "tell")


def _all(name: str, file: Any, max_bytes: int) -> bytes:
    parts, size = [], 0
    while part := file.read(CHUNK):
        if not isinstance(part, bytes | bytearray | memoryview):
            raise PictureError(
                f"{name}: expected a file of bytes, got one of {type(part).__name__}. "
                'Open it in binary mode, "rb".'
            )
        size += len(part)
        bounded(name, size, max_bytes)
        parts.append(part)
    return b"".join(parts)
