"""What things a picture shows, and where: the protocol of a detector, and one of 80 names.

Bring another by writing a class with the same two members; `zero_shot` has one for any words.
"""

import os
import zipfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from homunculus.cache import LRU
from homunculus.lazy import need
from homunculus.scouts.sight import FractionBox, Pixels, weighted_sums
from homunculus.scouts.words.cache import key
from homunculus.shapes import Int, UInt8

WEIGHTS = Path(__file__).parent / "weights"
FILE = "efficientdet-lite0.tflite"
MIN_SCORE = 0.1
"""Score from which a thing counts as seen at all."""
PICTURES = 256
"""Pictures whose things are kept."""


class Thing(NamedTuple):
    """Something that a detector sees."""

    name: str
    score: float
    """From 0 to 1."""
    box: FractionBox


@runtime_checkable
class Detector(Protocol):
    """Finds things in pictures."""

    @property
    def names(self) -> Sequence[str] | None:
        """What it can find; None if it looks for whatever words it is given."""
        ...

    def __call__(self, image: Pixels, words: Sequence[str], /) -> Sequence[Thing]:
        """Things of a picture; ``words`` are what the question names."""
        ...


# ---- 80 names ------------------------------------------------------------------------------------


class EfficientDet:
    """EfficientDet-Lite of TensorFlow, which finds the 80 things of COCO; one picture at a time."""

    def __init__(self, path: str | Path | None = None) -> None:
        """Lite0 as it comes with this package, or the file of a larger one."""
        runtime: Any = need("ai_edge_litert.interpreter", extra="things", who="the thing scout")
        self.path = Path(path or WEIGHTS / FILE)
        self.names: Sequence[str] = _labels(self.path)
        with _quiet():
            self._net = runtime.Interpreter(str(self.path), num_threads=1)
            self._net.allocate_tensors()
        (self._input,) = self._net.get_input_details()
        self._lock = Lock()
        self._known = LRU[str, tuple[Thing, ...]](PICTURES)

    def __call__(self, image: Pixels, words: Sequence[str] = ()) -> Sequence[Thing]:
        """All things of a picture, the surest first; a known picture costs nothing."""
        name = key(image, self.path.name)
        things = self._known.get(name)
        if things is None:
            _, high, wide, _ = self._input["shape"]
            things = self._look(_resize(image, int(high), int(wide)))
            self._known.put(name, things)
        return things

    def _look(self, small: UInt8[np.ndarray, "_h _w 3"]) -> tuple[Thing, ...]:
        with self._lock:  # an interpreter has one set of buffers
            self._net.set_tensor(self._input["index"], small[None])
            self._net.invoke()
            out = [self._net.get_tensor(row["index"]) for row in self._net.get_output_details()]
        boxes, classes, scores = (output[0] for output in out[:3])
        things = [
            Thing(self.names[int(label)], float(score), (x0, y0, x1, y1))
            for (y0, x0, y1, x1), label, score in zip(
                boxes.clip(0, 1).tolist(), classes, scores, strict=True
            )
            if score >= MIN_SCORE and x1 > x0 and y1 > y0
        ]
        return tuple(sorted(things, key=lambda thing: -thing.score))


CHATTER = b"INFO: Created TensorFlow Lite XNNPACK delegate for CPU."
"""What the runtime writes to stderr whenever a net is loaded; it has no switch for that."""


@contextmanager
def _quiet() -> Generator[None, None, None]:
    """Keep the runtime's greeting off the terminal; whatever else is written comes afterwards."""
    try:
        before = os.dup(2)
    except OSError:  # there is no stderr
        yield
        return
    with TemporaryFile() as file, os.fdopen(before, "wb", buffering=0) as stderr:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(before, 2)
            file.seek(0)
            rest = [line for line in file.readlines() if line.strip() != CHATTER]
            stderr.write(b"".join(rest))


def _labels(path: Path) -> list[str]:
    """Names by number, from the file itself, which is also an archive."""
    with zipfile.ZipFile(path) as file:
        return [line.strip() for line in file.read("labelmap.txt").decode().splitlines()]


def _resize(image: Pixels, high: int, wide: int) -> UInt8[np.ndarray, "high wide 3"]:
    step = max(1, min(image.shape[1] // (2 * high), image.shape[2] // (2 * wide)))
    some = image[:, ::step, ::step]  # else a large picture takes longer than the net
    small = _along(_along(some, -1, wide), -2, high)
    return np.ascontiguousarray(small.transpose(1, 2, 0))


def _along(image: Pixels, axis: int, want: int) -> Pixels:
    """Other rows (-2) or columns (-1): triangles around their middles, in whole numbers.

    What the net sees is to the bit what torch makes of a picture, as when its results were
    measured: one grey more or less may move the score of a thing.
    """
    have = image.shape[axis]
    if have == want:
        return image
    cells, weights, bits = _weights(have, want)
    exact = weighted_sums(image, axis, cells, weights)
    return ((exact + (1 << (bits - 1))) >> bits).clip(0, 255).astype(np.uint8)


@lru_cache(maxsize=64)
def _weights(
    have: int, want: int
) -> tuple[Int[np.ndarray, "most want"], Int[np.ndarray, "most want"], int]:
    """Which of ``have`` pixels make each of ``want``, their shares as whole numbers, and of how
    many bits one is: as many as 16 hold."""
    scale = have / want
    reach = max(scale, 1.0)
    middle = scale * (np.arange(want) + 0.5)
    first = (middle - reach + 0.5).astype(int).clip(0)
    last = (middle + reach + 0.5).astype(int).clip(max=have)
    cells = first + np.arange((last - first).max())[:, None]
    share = (1 - np.abs((cells - middle + 0.5) / reach)).clip(0)
    share[cells >= last] = 0
    share /= share.sum(0)
    bits = next(bits for bits in range(22) if int(0.5 + share.max() * 2 ** (bits + 1)) >= 1 << 15)
    return cells.clip(max=have - 1), (0.5 + share * 2**bits).astype(np.int32), bits


def available() -> bool:
    """Whether the detector of this package can be loaded; nothing is."""
    return (WEIGHTS / FILE).exists() and find_spec("ai_edge_litert") is not None


@lru_cache(maxsize=1)
def shipped() -> EfficientDet:
    """The detector of this package."""
    return EfficientDet()
