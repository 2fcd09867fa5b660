# pyright: basic
# Pillow, OpenCV and the readers have no types of their own.
"""Readers of a line of print, and a memory of what they read.

A reading depends on the pixels and the reader alone, so it is kept on disk and never made twice.
"""

import json
import os
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import blake2b
from importlib.metadata import version
from math import ceil
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from homunculus.lazy import need, not_found
from homunculus.pages.ocr_engines import (
    blue_first,
    rapidocr_engine,
    run_tesseract,
    tesseract_command,
)
from homunculus.scouts.sight import Pixels

LineBox = tuple[float, float, float, float]
"""x0 y0 x1 y1 of a line, in pixels and parts of them."""
WHO = "homunculus eyetest"


@runtime_checkable
class Reader(Protocol):
    """Reads text. ``name`` carries the version: another version is another reader."""

    name: str

    def line(self, crop: Pixels) -> str:
        """The one line of text in a crop."""
        ...


class Readings:
    """Readings by reader, pixels and kind of reading, in one file that processes may share."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = Path(folder) if folder else default_folder()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.base = sqlite3.connect(self.folder / "readings.sqlite", timeout=60)
        self.base.isolation_level = None
        self.base.execute("pragma journal_mode = wal")
        self.base.execute("pragma synchronous = off")  # a lost reading is read again
        self.base.execute("create table if not exists reading (key blob primary key, value text)")

    def recall(self, who: str, kind: str, pixels: Pixels, make: Callable[[], Any]) -> Any:
        """What was read of these pixels before, or is read now."""
        name = f"{who}|{kind}|{tuple(pixels.shape)}|".encode()
        key = blake2b(name + pixels.tobytes(), digest_size=16).digest()
        row = self.base.execute("select value from reading where key = ?", (key,)).fetchone()
        if row:
            return json.loads(row[0])
        value = json.dumps(make())
        self.base.execute("insert or replace into reading values (?, ?)", (key, value))
        return json.loads(value)

    def close(self) -> None:
        """Close the file."""
        self.base.close()


def default_folder() -> Path:
    """Where readings are kept: a folder under the user's cache."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "homunculus" / "readings"


class RapidOCR:
    """PP-OCRv6 through onnxruntime, on one thread; models come with the package."""

    def __init__(self, readings: Readings) -> None:
        self.readings = readings
        need("rapidocr", "ocr", WHO)
        engine = version("onnxruntime")
        self.name = f"rapidocr {version('rapidocr')} PP-OCRv6 small, onnxruntime {engine}"

    @cached_property
    def engine(self) -> Any:
        """The library's own reader, with its recogniser loaded."""
        engine = rapidocr_engine(WHO)
        engine._load_rec_model()
        return engine

    def line(self, crop: Pixels) -> str:
        """The recogniser alone, one crop at a time: batch mates would change the padding."""
        return self.readings.recall(self.name, "line", crop, lambda: self.read_line(crop)[0])

    def read_line(self, crop: Pixels) -> tuple[str, float]:
        """The text of a crop, and how sure the recogniser is of it; nothing is remembered."""
        inputs = need("rapidocr.ch_ppocr_rec", "ocr", WHO).TextRecInput(img=blue_first(crop))
        result = self.engine.text_rec(inputs)
        return (result.txts[0], float(result.scores[0])) if result.txts else ("", 0.0)


class Tesseract:
    """The `tesseract` command: a second reader, so that no ranking depends on a single one.

    It is made for print of some 30 pixels, so small crops are enlarged for it.
    """

    def __init__(self, readings: Readings) -> None:
        self.readings = readings
        command = tesseract_command()
        self.command = command
        process = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
        self.name = process.stdout.splitlines()[0]

    def line(self, crop: Pixels) -> str:
        """Page segmentation 7: a single line."""
        times = max(1, -(-48 // crop.shape[1]))
        return self.readings.recall(
            self.name, "line", crop, lambda: " ".join(self.run(crop, times, "7").split())
        )

    def run(self, pixels: Pixels, times: int, mode: str, *form: str) -> str:
        """What the command prints about a picture that is enlarged so many times."""
        return run_tesseract(self.command, pixels, times, mode, *form)


READERS: Mapping[str, Callable[[Readings], Reader]] = {
    "rapidocr": RapidOCR,
    "tesseract": Tesseract,
}


def get_reader(name: str, folder: str | Path | None = None, instead: str = "") -> Reader:
    """The reader of that name, with its readings in a folder.

    ``instead`` is what the message on a name that there is not adds.
    """
    if name not in READERS:
        there_are = f"There are {' and '.join(READERS)}{instead}."
        raise ValueError(not_found("reader", name, READERS, [], there_are))
    return READERS[name](Readings(folder))


def crop(pixels: Pixels, box: LineBox) -> Pixels:
    """The box with an eighth of its height around it."""
    pad = max(2.0, 0.12 * (box[3] - box[1]))
    high, wide = int(pixels.shape[1]), int(pixels.shape[2])
    left, top = int(max(0, box[0] - pad)), int(max(0, box[1] - pad))
    right, bottom = min(wide, ceil(box[2] + pad)), min(high, ceil(box[3] + pad))
    return pixels[:, top:bottom, left:right]


def fold(text: str) -> str:
    """Lower case, no spaces."""
    return "".join(text.lower().split())


def distance(wanted: str, text: str, inside: bool = False) -> int:
    """Edits from one text to the other, or to the nearest piece of it.

    >>> distance("kitten", "sitting"), distance("9.00", "total 9.08 rm", inside=True)
    (3, 1)
    """
    row = [0] * (len(text) + 1) if inside else list(range(len(text) + 1))
    for line, letter in enumerate(wanted, 1):
        above, row = row, [line]
        for place, other in enumerate(text, 1):
            swap = above[place - 1] + (letter != other)
            row.append(min(above[place] + 1, row[-1] + 1, swap))
    return min(row) if inside else row[-1]
