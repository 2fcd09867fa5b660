# pyright: basic
"""Lessons of the spread: what the net found on a page for its questions, and where the answers are.

The word net is done by then, so a page is read once. A lesson is a small file; those that a killed
run has made are there when it goes on.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.lazy import need
from homunculus.relevance.words import FRAME, WordScout
from homunculus.relevance.words.evidence import Found
from homunculus.relevance.words.question import ask

MOST = 16
"""Questions of one page."""
SHAPES = ((1024, 768), (1024, 720), (1024, 800), (768, 1024), (1024, 448))
Asks = tuple[str, Sequence[Sequence[float | int]]]
"""A question and the boxes x0 y0 x1 y1 of its answer, in pixels; none if the page has no answer."""


@dataclass
class Lesson:
    """What was found on a page for each question, and where its answer stands in the frame."""

    found: Found
    target: Float[Tensor, "q r c"]
    """1 in the answer, 0 elsewhere, between where a cell is partly covered."""

    @property
    def answered(self) -> list[int]:
        """Numbers of the questions that the page answers."""
        return self.target.flatten(1).any(1).nonzero()[:, 0].tolist()

    @property
    def strange(self) -> list[int]:
        """Numbers of those that were asked of another page."""
        return [at for at in range(len(self.target)) if at not in self.answered]

    def only(self, questions: Sequence[int]) -> tuple[Found, Float[Tensor, "q r c"]]:
        """Some of the questions, ready to learn from."""
        parts = {
            one.name: getattr(self.found, one.name)[list(questions)]
            for one in fields(Found)
            if one.name not in ("text", "kind")
        }
        page = {"text": self.found.text.float(), "kind": self.found.kind.float()}
        return Found(**parts, **page), self.target[list(questions)].float()


def lesson(scout: WordScout, image: Tensor, asked: Sequence[Asks]) -> Lesson:
    """From pixels and questions."""
    page = scout.read(image)
    rows, cols = page["text"].shape
    scale = FRAME / max(image.shape[1:]) / 8
    target = torch.zeros(len(asked), rows, cols)
    for at, (_, boxes) in enumerate(asked):
        for x0, y0, x1, y1 in boxes:
            across = _covered(x0 * scale, x1 * scale, cols)
            down = _covered(y0 * scale, y1 * scale, rows)
            target[at] = torch.maximum(target[at], down[:, None] * across)
    return Lesson(scout.found(page, [ask(question) for question, _ in asked]), target)


def _covered(start: float | int, stop: float | int, cells: int) -> Float[Tensor, "n"]:
    """How much of each cell lies between start and stop; a thin box counts in full where it is."""
    left = torch.arange(cells).float()
    share = (torch.clamp(left + 1, max=stop) - torch.clamp(left, min=start)).clamp(min=0)
    return share / share.max().clamp(min=1e-6)


# ---- rendered pages ------------------------------------------------------------------------------


@dataclass
class Drawn:
    """A rendered page as pixels and what it can be asked."""

    pixels: Tensor
    asked: list[Asks]


class Pages(torch.utils.data.Dataset[Drawn]):
    """Whole pages by their seeds; made by a process beside the one that reads them."""

    def __init__(
        self, render: Callable[..., Any], first: int, many: int, photos: Sequence[np.ndarray] = ()
    ) -> None:
        self.render, self.first, self.many, self.photos = render, first, many, photos

    def __len__(self) -> int:
        return self.many

    def __getitem__(self, at: int) -> Drawn:
        seed = self.first + at
        rng = Random(seed)
        high, wide = rng.choice(SHAPES)
        page = self.render(seed=seed, high=high, wide=wide, photos=self.photos, whole=True)
        facts = rng.sample(page.facts, min(MOST, len(page.facts)))
        asked: list[Asks] = [
            (fact.question, [_box(page.words[i]) for i in fact.answer]) for fact in facts
        ]
        pixels = torch.from_numpy(np.array(page.pixels))[None].expand(3, -1, -1).contiguous()
        return Drawn(pixels, asked)


def _box(word: Any) -> list[float]:
    low, top = word.quad.min(0), word.quad.max(0)
    return [float(low[0]), float(low[1]), float(top[0]), float(top[1])]


# ---- files ---------------------------------------------------------------------------------------


def store(path: Path, one: Lesson, stray: str) -> None:
    """Write a lesson, at once; ``stray`` is a question of this page for the next page's lesson."""
    files = need("safetensors.torch", "learn", "homunculus train")
    tensors = {each.name: getattr(one.found, each.name) for each in fields(Found)}
    tensors |= {"target": one.target}
    small = {name: _small(value).contiguous() for name, value in tensors.items()}
    partial = path.with_suffix(".partial")
    partial.write_bytes(files.save(small, metadata={"stray": json.dumps(stray)}))
    partial.replace(path)


def _small(value: Tensor) -> Tensor:
    return value.half() if value.is_floating_point() else value


def restore(path: Path) -> tuple[Lesson, str]:
    """A stored lesson and its stray question."""
    files = need("safetensors", "learn", "homunculus train")
    with files.safe_open(path, framework="pt") as opened:
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        stray = json.loads(opened.metadata()["stray"])
    for name in ("weight", "kinds"):
        tensors[name] = tensors[name].float()
    return Lesson(target=tensors.pop("target"), found=Found(**tensors)), stray
