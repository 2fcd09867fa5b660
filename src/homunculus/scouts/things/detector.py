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

import torch
import torch.nn.functional as F
from einops import rearrange

from homunculus.cache import LRU
from homunculus.lazy import need
from homunculus.scouts.sight import FractionBox, Pixels
from homunculus.scouts.words.cache import key

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
        _, high, wide, _ = self._input["shape"]
        small = _resize(image, int(high), int(wide))
        name = key(small, self.path.name)  # of what it looks at: the picture may be large
        things = self._known.get(name)
        if things is None:
            things = self._look(small)
            self._known.put(name, things)
        return things

    def _look(self, small: Pixels) -> tuple[Thing, ...]:
        pixels = rearrange(small, "c h w -> 1 h w c").contiguous()
        with self._lock:  # an interpreter has one set of buffers
            self._net.set_tensor(self._input["index"], pixels.numpy())
            self._net.invoke()
            out = [self._net.get_tensor(row["index"]) for row in self._net.get_output_details()]
        boxes, classes, scores = (torch.from_numpy(output[0]) for output in out[:3])
        things = [
            Thing(self.names[int(label)], float(score), (x0, y0, x1, y1))
            for (y0, x0, y1, x1), label, score in zip(
                boxes.clamp(0, 1).tolist(), classes, scores, strict=True
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


def _resize(image: Pixels, high: int, wide: int) -> Pixels:
    step = max(1, min(image.shape[1] // (2 * high), image.shape[2] // (2 * wide)))
    some = image[None, :, ::step, ::step]  # else a large picture takes longer than the net
    return F.interpolate(some, (high, wide), mode="bilinear", antialias=True)[0]


def available() -> bool:
    """Whether the detector of this package can be loaded; nothing is."""
    return (WEIGHTS / FILE).exists() and find_spec("ai_edge_litert") is not None


@lru_cache(maxsize=1)
def shipped() -> EfficientDet:
    """The detector of this package."""
    return EfficientDet()
