# pyright: basic
# Pillow, OpenCV and the readers have no types of their own.
"""Readers: a line from a crop, or the lines of a whole page; and a memory of what they read.

A reading depends on the pixels and the reader alone, so it is kept on disk and never made twice.
"""

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import blake2b
from importlib.metadata import version
from io import BytesIO
from math import ceil
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from einops import rearrange
from PIL import Image

from homunculus.lazy import need, not_found
from homunculus.scouts.sight import Pixels

LineBox = tuple[float, float, float, float]
"""x0 y0 x1 y1 of a line, in pixels and parts of them."""
Lines = list[tuple[str, LineBox]]
"""The text and the box of each line found."""
WHO = "homunculus eyetest"
MIN_CONFIDENCE = 0.5
"""A line the reader is less sure of than this is not read."""


@runtime_checkable
class Reader(Protocol):
    """Reads text. ``name`` carries the version: another version is another reader."""

    name: str

    def line(self, crop: Pixels) -> str:
        """The one line of text in a crop."""
        ...

    def page(self, pixels: Pixels) -> Lines:
        """Lines found on a whole page."""
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
        key = blake2b(name + pixels.contiguous().numpy().tobytes(), digest_size=16).digest()
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
    """Under the user's cache."""
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
    def _engine(self) -> Any:
        need("cv2", "ocr", WHO).setNumThreads(1)
        threads = "EngineConfig.onnxruntime.{}_op_num_threads"
        settings = {threads.format(part): 1 for part in ("intra", "inter")}
        engine = need("rapidocr", "ocr", WHO).RapidOCR(
            params=settings | {"Global.log_level": "error"}
        )
        engine._load_det_model()
        engine._load_rec_model()
        return engine

    def line(self, crop: Pixels) -> str:
        """The recogniser alone, one crop at a time: batch mates would change the padding."""
        return self.readings.recall(self.name, "line", crop, lambda: self._line(crop)[0])

    def _line(self, crop: Pixels) -> tuple[str, float]:
        inputs = need("rapidocr.ch_ppocr_rec", "ocr", WHO).TextRecInput(img=_blue_first(crop))
        result = self._engine.text_rec(inputs)
        return (result.txts[0], float(result.scores[0])) if result.txts else ("", 0.0)

    def page(self, pixels: Pixels) -> Lines:
        """The detector over the whole page, then the recogniser on each line."""
        lines: Lines = []
        for corners in self.readings.recall(self.name, "find", pixels, lambda: self._find(pixels)):
            across, down = [x for x, _ in corners], [y for _, y in corners]
            box = (float(min(across)), float(min(down)), float(max(across)), float(max(down)))
            text, sure = self._quad(pixels, corners)
            if text.strip() and sure >= MIN_CONFIDENCE:
                lines.append((text, box))
        return lines

    def _find(self, pixels: Pixels) -> list[list[list[float]]]:
        """Corners of the text lines, as the detector turns them."""
        result = self._engine.text_det(_blue_first(pixels))
        return [] if result.boxes is None else result.boxes.tolist()

    def _quad(self, pixels: Pixels, corners: list[list[float]]) -> tuple[str, float]:
        """The text between four corners, and how sure the recogniser is of it."""
        cut = need("rapidocr.utils.process_img", "ocr", WHO).get_rotate_crop_image
        crop = cut(_blue_first(pixels), np.array(corners, dtype=np.float32))
        flat = torch.from_numpy(np.ascontiguousarray(crop[:, :, ::-1].transpose(2, 0, 1)))
        text, sure = self.readings.recall(self.name, "sure", flat, lambda: self._line(flat))
        return text, float(sure)


def _blue_first(pixels: Pixels) -> Any:
    """As OpenCV wants it: h w 3, blue green red."""
    return rearrange(pixels.flip(0), "c h w -> h w c").contiguous().numpy()


class Tesseract:
    """The `tesseract` command: a second reader, so that no ranking depends on a single one.

    It is made for print of some 30 pixels, so pages and small crops are enlarged for it.
    """

    def __init__(self, readings: Readings) -> None:
        self.readings = readings
        command = shutil.which("tesseract")
        if command is None:
            raise ValueError("no `tesseract` command. Install the package tesseract-ocr.")
        self.command = command
        process = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
        self.name = process.stdout.splitlines()[0]

    def line(self, crop: Pixels) -> str:
        """Page segmentation 7: a single line."""
        times = max(1, -(-48 // crop.shape[1]))
        return self.readings.recall(
            self.name, "line", crop, lambda: " ".join(self._run(crop, times, "7").split())
        )

    def page(self, pixels: Pixels) -> Lines:
        """Page segmentation 11: as much text as can be found, in no order."""
        lines = self.readings.recall(self.name, "page", pixels, lambda: self._lines(pixels))
        return [(text, (box[0], box[1], box[2], box[3])) for text, box in lines]

    def _lines(self, pixels: Pixels) -> list[tuple[str, list[float]]]:
        table = [row.split("\t") for row in self._run(pixels, 2, "11", "tsv").splitlines()[1:]]
        lines: dict[tuple[str, ...], list[list[str]]] = {}
        for row in table:
            if len(row) == 12 and row[11].strip() and float(row[10]) >= 100 * MIN_CONFIDENCE:
                lines.setdefault(tuple(row[1:5]), []).append(row)
        return [(" ".join(row[11] for row in words), _around(words)) for words in lines.values()]

    def _run(self, pixels: Pixels, times: int, mode: str, *form: str) -> str:
        picture = Image.fromarray(rearrange(pixels, "c h w -> h w c").contiguous().numpy())
        size = (picture.width * times, picture.height * times)
        stream = BytesIO()
        picture.resize(size, Image.Resampling.BICUBIC).save(stream, "PNG", compress_level=1)
        process = subprocess.run(
            [self.command, "stdin", "stdout", "--psm", mode, *form],
            input=stream.getvalue(), capture_output=True, check=True,
            env=os.environ | {"OMP_THREAD_LIMIT": "1"},
        )  # fmt: skip
        return process.stdout.decode("utf-8", "replace")


def _around(words: list[list[str]]) -> list[float]:
    """The box of a line from those of its words, back in pixels of the page."""
    edges = [[float(side) / 2 for side in row[6:10]] for row in words]
    return [
        min(left for left, _, _, _ in edges),
        min(top for _, top, _, _ in edges),
        max(left + wide for left, _, wide, _ in edges),
        max(top + high for _, top, _, high in edges),
    ]


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
