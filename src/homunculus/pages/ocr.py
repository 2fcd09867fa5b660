"""OCR: words of pictures that have none, by an engine in a process of its own.

Engines are large libraries that may hang or crash on a picture. That costs the words of this
picture, and no more: its process is killed and the next page starts another.
"""

import atexit
import json
import os
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from itertools import islice
from threading import Lock
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from PIL import Image

from homunculus.cache import LRU
from homunculus.checks import check_number
from homunculus.lazy import need, not_found
from homunculus.pages import Picture, fitted, to_array
from homunculus.pages.child import Child, ChildFailed, start
from homunculus.pages.lines import MAX_WORDS, WordBox
from homunculus.pages.ocr_engines import ENGINES, tesseract_command
from homunculus.pages.ocr_worker import PAGE
from homunculus.pages.words import WordsError, given_lines
from homunculus.shapes import UInt8

SIDE = 1600
"""Pixels of the longer side of a picture as an engine sees it. With 1,024 DocVQA's answers are
found as often (pilot of reading); the small print of receipts and maps is not."""
SECONDS = 30.0
"""Seconds for a page, from when its engine begins; RapidOCR takes 3 to 5 on one core, and as long
again when it starts."""
MAX_ANSWER = 16 << 20
"""Bytes of an answer of an engine; a page of 20,000 words has 2 MB."""
CACHE_BYTES = 64 << 20
"""Bytes of words that are kept for pictures that are asked about again."""
WORD_BYTES = 256
"""Bytes of a word, with its box and what Python adds."""


@runtime_checkable
class Ocr(Protocol):
    """Reads pages. ``name`` says who read them: `Lines.source`."""

    name: str

    def __call__(self, pixels: UInt8[np.ndarray, "3 h w"]) -> Iterable[WordBox]:
        """Words, or lines of words, with boxes x0 y0 x1 y1 in pixels."""
        ...


Function = Callable[[Any], Iterable[WordBox]]
OcrLike = str | Ocr | Function
"""A name of `homunculus.pages.ocr_engines.ENGINES`, an `Ocr`, or any function like one."""


class OcrFailed(Exception):  # noqa: N818 - it is what happened
    """An engine did not read a page; the message is the end of a sentence."""


def get_ocr(ocr: Any) -> Ocr:
    """An OCR by its name, or from a function; functions run in this process.

    >>> get_ocr(lambda pixels: [("Total", (10, 10, 60, 20))]).name
    'ocr'
    """
    if isinstance(ocr, str):
        return _engine(ocr)
    if not callable(ocr):  # settings and flags may hold anything
        raise TypeError(
            f"ocr: expected {' or '.join(map(repr, ENGINES))}, or a function of pixels, got "
            f"{ocr!r:.80} ({type(ocr).__name__}). Leave it out to read nothing."
        )
    return cast("Ocr", ocr) if hasattr(ocr, "name") else _Named(cast("Function", ocr))


@cache
def _engine(name: str) -> "EngineOcr":
    engine = EngineOcr(name)
    atexit.register(engine.close)
    return engine


class _Named:
    """A function as an `Ocr`."""

    def __init__(self, function: Function) -> None:
        name = getattr(function, "__name__", "ocr")
        self.name = name if name.isidentifier() else "ocr"
        self.function = function

    def __call__(self, pixels: UInt8[np.ndarray, "3 h w"]) -> Any:
        return self.function(pixels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Named) and other.function is self.function

    def __hash__(self) -> int:
        return id(self.function)


# ---- pictures ------------------------------------------------------------------------------------

_KNOWN = LRU[tuple[Ocr, bytes], tuple[Any, ...]](
    CACHE_BYTES, lambda words: WORD_BYTES * (1 + len(words))
)


def read_picture(picture: Picture, ocr: OcrLike) -> Picture:
    """A picture with the words that an OCR finds on it.

    Where the OCR fails there are no words, and `Picture.lines_note` says so.
    """
    reader = get_ocr(ocr)
    name = str(getattr(reader, "name", "ocr"))[:80]
    try:
        pixels = _reduced(picture)
        words = _words(reader, pixels)
        lines = given_lines(words, (pixels.shape[1], pixels.shape[2]), picture.size, name)
    except (OcrFailed, WordsError) as error:
        return _without(picture, f"The OCR {name} failed: {str(error).rstrip('.')}.")
    except Exception as error:  # it is someone else's code: a request goes on without its words
        return _without(picture, f"The OCR {name} failed: {type(error).__name__}.")
    return replace(picture, lines=lines, lines_note="")


def _without(picture: Picture, note: str) -> Picture:
    return replace(picture, lines=None, lines_note=f"{picture.lines_note} {note}".lstrip())


def _reduced(picture: Picture) -> UInt8[np.ndarray, "3 h w"]:
    high, wide = fitted(picture.size, SIDE, SIDE * SIDE)
    if (high, wide) == picture.size:
        return picture.pixels
    return to_array(picture.image().resize((wide, high), Image.Resampling.LANCZOS, reducing_gap=3))


def _words(reader: Ocr, pixels: UInt8[np.ndarray, "3 h w"]) -> tuple[Any, ...]:
    """What a reader says of some pixels, or said before; it may be someone else's code."""
    digest = blake2b(repr(pixels.shape).encode(), digest_size=16)
    digest.update(np.ascontiguousarray(pixels).data)
    key = (reader, digest.digest())
    if (known := _KNOWN.get(key)) is not None:
        return known
    found = tuple(islice(reader(pixels), MAX_WORDS))
    _KNOWN.put(key, found)
    return found


# ---- engines -------------------------------------------------------------------------------------


class EngineOcr:
    """An engine in a process of its own, which is started when it is needed.

    Threads take turns. The process is killed after ``seconds`` for a page, ends with this one, and
    a process that is forked from this one starts its own.
    """

    def __init__(self, name: str, seconds: float | int = SECONDS) -> None:
        if name not in ENGINES:
            there_are = f"There are {' and '.join(ENGINES)}, or pass a function of pixels."
            raise ValueError(not_found("OCR", name, ENGINES, [], there_are))
        self.seconds = check_number(seconds, "ocr: seconds", 0.01, 3600)
        if name == "tesseract":
            tesseract_command()
        elif name == "rapidocr" and find_spec("rapidocr") is None:
            need("rapidocr", "ocr", "the OCR rapidocr")
        self.name = name
        self._lock = Lock()
        self._child: Child | None = None
        self._owner = os.getpid()

    def __repr__(self) -> str:
        return f"<EngineOcr {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.seconds)

    def __call__(self, pixels: UInt8[np.ndarray, "3 h w"]) -> Iterable[WordBox]:
        """Words with boxes in pixels; raises `OcrFailed`."""
        if self._owner != os.getpid():  # forked: the process and the lock are the parent's
            self._owner, self._lock, self._child = os.getpid(), Lock(), None
        if not self._lock.acquire(timeout=self.seconds):
            raise OcrFailed(f"it was busy for {self.seconds:g} seconds")
        try:
            return self._read(pixels)
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process; a further page starts another."""
        if self._owner == os.getpid():
            with self._lock:
                self._end()

    def __del__(self) -> None:
        if getattr(self, "_child", None) and self._owner == os.getpid():
            self._end()

    def _read(self, pixels: UInt8[np.ndarray, "3 h w"]) -> list[WordBox]:
        if self._child is None or self._child.ended:
            self._end()
            self._child = Child(_started(self.name))
        page = PAGE.pack(pixels.shape[1], pixels.shape[2]), np.ascontiguousarray(pixels)
        try:
            answer = json.loads(self._child.ask(*page, seconds=self.seconds, most=MAX_ANSWER))
        except ChildFailed as error:
            raise OcrFailed(str(error)) from error
        if "error" in answer:
            raise OcrFailed(str(answer["error"]))
        return [(text, tuple(box)) for text, box in answer["words"]]

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


def _started(name: str) -> "subprocess.Popen[bytes]":
    return start("homunculus.pages.ocr_worker", name)
