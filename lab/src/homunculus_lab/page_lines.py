# pyright: basic
"""Where the words of a suite's pictures come from: a text layer, or an OCR that is remembered."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from PIL import Image

from homunculus.eyes.readers import Readings
from homunculus.pages import Picture, ocr_engines, to_array
from homunculus.pages.lines import Lines
from homunculus.pages.ocr import EngineOcr, Ocr, read_picture

SOURCES = ("layer", "rapidocr", "tesseract")
"""A PDF's text layer, and the two OCRs."""
SECONDS = 600.0
"""Seconds for a page: nobody waits for it, and a page without words would count as a miss."""

LineSource = Callable[[Path, Picture], Lines | None]
"""The words of a picture from that file, in pixels of the picture; None if there are none."""


def line_source(name: str, cache: Path | None = None) -> LineSource:
    """A source of words by name; ``cache`` is a folder that keeps what an OCR read."""
    return from_layer if name == "layer" else from_ocr(KeptOcr(EngineOcr(name, SECONDS), cache))


def from_layer(path: Path, picture: Picture) -> Lines | None:
    """The text layer of a PDF's page, as far as `open_picture` trusts it."""
    return picture.lines


def from_ocr(ocr: Ocr) -> LineSource:
    """What an OCR reads of a picture, whatever a text layer says."""

    def read(path: Path, picture: Picture) -> Lines | None:
        seen = read_picture(replace(picture, lines=None, lines_note=""), ocr)
        if seen.lines_note:
            raise RuntimeError(f"{path.name}: {seen.lines_note} Try it again.")
        return seen.lines

    return read


class KeptOcr:
    """An OCR whose words are kept on disk, until its library or our code around it changes."""

    def __init__(self, ocr: Ocr, folder: Path | None) -> None:
        self.ocr, self.name, self.readings = ocr, ocr.name, Readings(folder)
        code = blake2b(Path(ocr_engines.__file__).read_bytes(), digest_size=8).hexdigest()
        self.version = f"{ocr.name} {_version(ocr.name)} {code}"

    def __call__(self, pixels: Any) -> Any:
        """Words with boxes."""
        return self.readings.recall(self.version, "words", pixels, lambda: list(self.ocr(pixels)))


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:  # a command, or a function
        return ""


def resized(picture: Picture, side: int, grow: bool = True) -> Picture:
    """A picture whose longer side has so many pixels, with its lines; smaller ones stay as they are
    unless they may ``grow``. It then stands for the original: boxes are in its own pixels."""
    scale = side / max(picture.size)
    if scale > 1 and not grow:
        scale = 1.0
    height, width = (max(1, round(length * scale)) for length in picture.size)
    method = Image.Resampling.LANCZOS if scale < 1 else Image.Resampling.BICUBIC
    same = (height, width) == picture.size
    pixels = picture.pixels if same else to_array(picture.image().resize((width, height), method))
    across, down = width / picture.size[1], height / picture.size[0]
    lines = picture.lines and picture.lines.scaled(across, down)
    return replace(picture, pixels=pixels, original=(height, width), lines=lines)
