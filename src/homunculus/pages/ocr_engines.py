# pyright: basic
# OpenCV and the engines have no types of their own.
"""The engines of OCR: how they are made, and how each reads the words of a page.

They run in the process that calls them; `homunculus.pages.ocr` gives them one of their own.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image

from homunculus.lazy import need
from homunculus.pages.lines import WordBox
from homunculus.pages.pillow import to_image
from homunculus.shapes import UInt8

WHO = "ocr"
MIN_CONFIDENCE = 0.5
"""Words that an engine is less sure of are not read."""
TURNED = 2.0
"""A line of three letters or more that is so many times as high as wide is turned, and left out."""
TESSERACT_SECONDS = 60
"""Seconds after which the command is stopped, if whoever waits for it has not ended it before."""


def rapidocr_engine(who: str = WHO, settings: Mapping[str, Any] | None = None) -> Any:
    """RapidOCR on one thread; models come with the package."""
    need("cv2", "ocr", who).setNumThreads(1)
    threads = "EngineConfig.onnxruntime.{}_op_num_threads"
    usual = {threads.format(part): 1 for part in ("intra", "inter")} | {"Global.log_level": "error"}
    return need("rapidocr", "ocr", who).RapidOCR(params=usual | dict(settings or {}))


def blue_first(pixels: UInt8[np.ndarray, "3 h w"]) -> Any:
    """Pixels as OpenCV wants them: h w 3, blue green red."""
    return np.ascontiguousarray(pixels[::-1].transpose(1, 2, 0))


def tesseract_command() -> str:
    """Where the `tesseract` command is."""
    command = shutil.which("tesseract")
    if command is None:
        raise ValueError("no `tesseract` command. Install the package tesseract-ocr.")
    return command


def run_tesseract(
    command: str, pixels: UInt8[np.ndarray, "3 h w"], times: int, mode: str, *form: str
) -> str:
    """What the command prints about a picture that is enlarged so many times; ``mode`` is its page
    segmentation, and ``form`` the kind of its output."""
    picture = to_image(pixels)
    if times > 1:
        size = (picture.width * times, picture.height * times)
        picture = picture.resize(size, Image.Resampling.BICUBIC)
    stream = BytesIO()
    picture.save(stream, "PNG", compress_level=1)
    process = subprocess.run(
        [command, "stdin", "stdout", "--psm", mode, *form],
        input=stream.getvalue(), capture_output=True, check=True, timeout=TESSERACT_SECONDS,
        env=os.environ | {"OMP_THREAD_LIMIT": "1"},
    )  # fmt: skip
    return process.stdout.decode("utf-8", "replace")


# ---- whole pages ---------------------------------------------------------------------------------


@cache
def _rapidocr() -> Any:
    settings = {"Global.use_cls": False, "Global.return_word_box": True}
    return rapidocr_engine("the OCR rapidocr", settings)


def read_rapidocr(pixels: UInt8[np.ndarray, "3 h w"]) -> list[WordBox]:
    """The words of a page by RapidOCR."""
    result = _rapidocr()(blue_first(pixels))
    if result.boxes is None or not result.txts:
        return []
    scores = np.asarray(result.scores, float) >= MIN_CONFIDENCE
    lines = zip(result.txts, np.asarray(result.boxes).tolist(), strict=True)
    words = _rapidocr_words(lines, result.word_results or ())
    return [item for line, sure in zip(words, scores, strict=True) if sure for item in line]


def _rapidocr_words(
    lines: Iterable[tuple[str, Any]], pieces: Sequence[Any]
) -> Iterator[list[WordBox]]:
    """The words of each line with their boxes.

    RapidOCR gives pieces: it parts `1,284.50` at its marks, and leaves out lines without pieces.
    So the text of the line says which pieces are one word; where they are not those of the line,
    the line is one box, which is parted where its spaces are.
    """
    rest = iter(pieces)
    row = next(rest, None)
    for text, corners in lines:
        box = _around(corners)
        letters = "".join(text.split())
        if row is not None and "".join("".join(piece[0].split()) for piece in row) == letters:
            words = list[WordBox](_joined(text.split(), row))
            row = next(rest, None)
        else:
            words = list[WordBox]([(text, box)])
        turned = len(letters) > 2 and box[3] - box[1] > TURNED * (box[2] - box[0])
        yield [] if turned else words


def _joined(texts: Sequence[str], pieces: Iterable[Any]) -> Iterator[WordBox]:
    """Words from pieces whose letters are theirs, one after the other."""
    rest = ((len("".join(text.split())), _around(corners)) for text, _, corners in pieces)
    have, box = 0, None
    for text in texts:
        around = []
        missing = len(text)
        while missing > 0:
            if have == 0:
                have, box = next(rest)
                continue
            part = min(have, missing)
            have, missing = have - part, missing - part
            around.append(box)
        low = np.array(around)
        yield text, (*low[:, :2].min(0).tolist(), *low[:, 2:].max(0).tolist())


def _around(corners: Any) -> tuple[float, float, float, float]:
    points = np.asarray(corners, float)
    (x0, y0), (x1, y1) = points.min(0).tolist(), points.max(0).tolist()
    return x0, y0, x1, y1


def read_tesseract(pixels: UInt8[np.ndarray, "3 h w"]) -> list[WordBox]:
    """The words of a page by the `tesseract` command."""
    return tesseract_words(run_tesseract(tesseract_command(), pixels, 1, "3", "tsv"))


def tesseract_words(table: str) -> list[WordBox]:
    """The words of Tesseract's table: 12 columns, of which the last are box, confidence, text."""
    words = list[WordBox]()
    for row in table.splitlines()[1:]:
        fields = row.split("\t")
        if len(fields) == 12 and fields[11].strip() and float(fields[10]) >= 100 * MIN_CONFIDENCE:
            x, y, wide, high = map(float, fields[6:10])
            words.append((fields[11], (x, y, x + wide, y + high)))
    return words


ENGINES = {"rapidocr": read_rapidocr, "tesseract": read_tesseract}
"""Engines by name: pixels in, words with boxes out."""
