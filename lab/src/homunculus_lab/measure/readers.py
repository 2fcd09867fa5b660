# pyright: basic
# OpenCV and the readers have no types of their own.
"""Readers of whole pages: the eye test's readers, which also find the lines of print."""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from homunculus.eyes.readers import (
    WHO,
    LineBox,
    RapidOCR,
    Reader,
    Readings,
    Tesseract,
)
from homunculus.lazy import need, not_found
from homunculus.pages.ocr_engines import blue_first
from homunculus.scouts.sight import Pixels

Lines = list[tuple[str, LineBox]]
"""The text and the box of each line found."""
MIN_CONFIDENCE = 0.5
"""A line the reader is less sure of than this is not read."""


@runtime_checkable
class PageReader(Reader, Protocol):
    """Reads a line, or a whole page."""

    def page(self, pixels: Pixels) -> Lines:
        """Lines found on a whole page."""
        ...


class RapidOCRPages(RapidOCR):
    """PP-OCRv6 with its detector."""

    @cached_property
    def engine(self) -> Any:
        """The library's own reader, with detector and recogniser loaded."""
        engine = super().engine
        engine._load_det_model()
        return engine

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
        result = self.engine.text_det(blue_first(pixels))
        return [] if result.boxes is None else result.boxes.tolist()

    def _quad(self, pixels: Pixels, corners: list[list[float]]) -> tuple[str, float]:
        """The text between four corners, and how sure the recogniser is of it."""
        cut = need("rapidocr.utils.process_img", "ocr", WHO).get_rotate_crop_image
        crop = cut(blue_first(pixels), np.array(corners, dtype=np.float32))
        flat = np.ascontiguousarray(crop[:, :, ::-1].transpose(2, 0, 1))
        text, sure = self.readings.recall(self.name, "sure", flat, lambda: self.read_line(flat))
        return text, float(sure)


class TesseractPages(Tesseract):
    """The `tesseract` command; pages are enlarged for it."""

    def page(self, pixels: Pixels) -> Lines:
        """Page segmentation 11: as much text as can be found, in no order."""
        lines = self.readings.recall(self.name, "page", pixels, lambda: self._lines(pixels))
        return [(text, (box[0], box[1], box[2], box[3])) for text, box in lines]

    def _lines(self, pixels: Pixels) -> list[tuple[str, list[float]]]:
        table = [row.split("\t") for row in self.run(pixels, 2, "11", "tsv").splitlines()[1:]]
        lines: dict[tuple[str, ...], list[list[str]]] = {}
        for row in table:
            if len(row) == 12 and row[11].strip() and float(row[10]) >= 100 * MIN_CONFIDENCE:
                lines.setdefault(tuple(row[1:5]), []).append(row)
        return [(" ".join(row[11] for row in words), _around(words)) for words in lines.values()]


def _around(words: list[list[str]]) -> list[float]:
    """The box of a line from those of its words, back in pixels of the page."""
    edges = [[float(side) / 2 for side in row[6:10]] for row in words]
    return [
        min(left for left, _, _, _ in edges),
        min(top for _, top, _, _ in edges),
        max(left + wide for left, _, wide, _ in edges),
        max(top + high for _, top, _, high in edges),
    ]


READERS: Mapping[str, Callable[[Readings], PageReader]] = {
    "rapidocr": RapidOCRPages,
    "tesseract": TesseractPages,
}


def get_reader(name: str, folder: str | Path | None = None) -> PageReader:
    """The reader of that name, with its readings in a folder."""
    if name not in READERS:
        there_are = f"There are {' and '.join(READERS)}."
        raise ValueError(not_found("reader", name, READERS, [], there_are))
    return READERS[name](Readings(folder))
