# pyright: basic
"""Training samples of the spread: the word net's evidence for the questions of a page, and targets.

The word net is trained by then, so a page is read once. A sample is a small file, and a resumed run
reuses the files that are there.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from homunculus.scouts.sight import Pixels
from homunculus.scouts.words import FRAME, WordScout
from homunculus.scouts.words.evidence import WordEvidence
from homunculus.scouts.words.question import parse

MOST = 16
"""Questions of one page."""
SHAPES = ((1024, 768), (1024, 720), (1024, 800), (768, 1024), (1024, 448))
PageQuestion = tuple[str, Sequence[Sequence[float | int]]]
"""A question and the boxes x0 y0 x1 y1 of its answer, in pixels; none if the page has no answer."""


@dataclass
class Sample:
    """The evidence on a page for each question, and where its answer stands in the frame."""

    evidence: WordEvidence
    target: Float[Tensor, "q r c"]
    """1 in the answer, 0 elsewhere, between where a cell is partly covered."""

    @property
    def answerable(self) -> list[int]:
        """Numbers of the questions that the page answers."""
        return self.target.flatten(1).any(1).nonzero()[:, 0].tolist()

    @property
    def unanswerable(self) -> list[int]:
        """Numbers of the questions that belong to another page."""
        return [number for number in range(len(self.target)) if number not in self.answerable]

    def select(self, questions: Sequence[int]) -> tuple[WordEvidence, Float[Tensor, "q r c"]]:
        """Evidence and targets of some of the questions, ready to train on."""
        parts = {
            field.name: getattr(self.evidence, field.name)[list(questions)]
            for field in fields(WordEvidence)
            if field.name not in ("text", "kind")
        }
        parts |= {"text": self.evidence.text, "kind": self.evidence.kind}
        floats = {name: _single(value) for name, value in parts.items()}
        return WordEvidence(**floats), self.target[list(questions)].float()


def make_sample(scout: WordScout, image: Pixels, questions: Sequence[PageQuestion]) -> Sample:
    """A sample from pixels and questions."""
    page = scout.read(image)
    rows, cols = page["text"].shape
    scale = FRAME / max(image.shape[1:]) / 8
    target = torch.zeros(len(questions), rows, cols)
    for number, (_, boxes) in enumerate(questions):
        for x0, y0, x1, y1 in boxes:
            across = _covered(x0 * scale, x1 * scale, cols)
            down = _covered(y0 * scale, y1 * scale, rows)
            target[number] = torch.maximum(target[number], down[:, None] * across)
    return Sample(scout.evidence(page, [parse(question) for question, _ in questions]), target)


def _single(value: NDArray[Any]) -> NDArray[Any]:
    """Floats in single precision, whole numbers as they are."""
    return value.astype(np.float32) if value.dtype == np.float16 else value


def _covered(start: float | int, stop: float | int, cells: int) -> Float[Tensor, "n"]:
    """How much of each cell lies between start and stop; a thin box counts in full where it is."""
    left = torch.arange(cells).float()
    share = (torch.clamp(left + 1, max=stop) - torch.clamp(left, min=start)).clamp(min=0)
    return share / share.max().clamp(min=1e-6)


# ---- rendered pages ------------------------------------------------------------------------------


@dataclass
class QuestionPage:
    """A rendered page as pixels, and its questions."""

    pixels: Pixels
    questions: list[PageQuestion]


class PageDataset(torch.utils.data.Dataset[QuestionPage]):
    """Whole pages by their seeds; rendered in worker processes."""

    def __init__(
        self, render: Callable[..., Any], first: int, many: int, photos: Sequence[np.ndarray] = ()
    ) -> None:
        self.render, self.first, self.many, self.photos = render, first, many, photos

    def __len__(self) -> int:
        return self.many

    def __getitem__(self, number: int) -> QuestionPage:
        seed = self.first + number
        rng = Random(seed)
        high, wide = rng.choice(SHAPES)
        page = self.render(seed=seed, high=high, wide=wide, photos=self.photos, whole=True)
        facts = rng.sample(page.facts, min(MOST, len(page.facts)))
        questions: list[PageQuestion] = [
            (fact.question, [_box(page.words[i]) for i in fact.answer]) for fact in facts
        ]
        pixels = np.repeat(np.asarray(page.pixels)[None], 3, axis=0)
        return QuestionPage(pixels, questions)


def _box(word: Any) -> list[float]:
    low, top = word.quad.min(0), word.quad.max(0)
    return [float(low[0]), float(low[1]), float(top[0]), float(top[1])]


# ---- files ---------------------------------------------------------------------------------------


def store(path: Path, sample: Sample, stray: str) -> None:
    """Write a sample; ``stray`` is a question of this page for the next page's sample."""
    files = import_module("safetensors.torch")
    arrays = {each.name: getattr(sample.evidence, each.name) for each in fields(WordEvidence)}
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    tensors |= {"target": sample.target}
    small = {name: _half(value).contiguous() for name, value in tensors.items()}
    partial = path.with_suffix(".partial")
    partial.write_bytes(files.save(small, metadata={"stray": json.dumps(stray)}))
    partial.replace(path)


def _half(value: Tensor) -> Tensor:
    return value.half() if value.is_floating_point() else value


def restore(path: Path) -> tuple[Sample, str]:
    """A stored sample and its stray question."""
    files = import_module("safetensors")
    with files.safe_open(path, framework="pt") as opened:
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        stray = json.loads(opened.metadata()["stray"])
    target = tensors.pop("target")
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    arrays |= {name: _single(arrays[name]) for name in ("weight", "kinds")}
    return Sample(WordEvidence(**arrays), target), stray
