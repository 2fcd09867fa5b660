# pyright: basic
"""Training of the spread: from where a question's words stand to where its answer stands.

Pages are rendered with questions whose answers' boxes are known, and real ones may be mixed in.
The word net is done and stays as it is; its features of a page are made once. Three nets learn side
by side from the same pages: one that knows all, its blind twin and its prior twin.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from homunculus.learn.progress import progress
from homunculus.scout.cache import Features
from homunculus.scout.evidence import Found, Mode
from homunculus.scout.question import Asked, ask
from homunculus.scout.spread import Spread, save
from homunculus.scout.words import FRAME, WordScout

RATE = 3e-3
MODES: tuple[Mode, ...] = ("full", "blind", "prior")
WINDOW = 48
"""Cells along the side of what a net is shown at once."""
ASKED = 6
"""Questions of one page in a step."""
UNUSUAL = 0.1
"""Share of questions that are put to the wrong page: then no cell is the answer's."""


@dataclass
class Lesson:
    """A page that was read, its questions, and where their answers stand in the frame."""

    page: Features
    questions: list[Asked]
    target: Float[Tensor, "q r c"]
    """1 in the answer, 0 elsewhere, between where a cell is partly covered."""


def lesson(
    scout: WordScout, image: Tensor, asked: Sequence[tuple[str, Sequence[Sequence[float]]]]
) -> Lesson:
    """From pixels and questions with boxes x0 y0 x1 y1 in pixels."""
    page = scout.read(image)
    rows, cols = page["text"].shape
    scale = FRAME / max(image.shape[1:]) / 8
    target = torch.zeros(len(asked), rows, cols)
    for at, (_, boxes) in enumerate(asked):
        for x0, y0, x1, y1 in boxes:
            across = _covered(x0 * scale, x1 * scale, cols)
            down = _covered(y0 * scale, y1 * scale, rows)
            target[at] = torch.maximum(target[at], down[:, None] * across)
    return Lesson(page, [ask(question) for question, _ in asked], target)


def _covered(start: float, stop: float, cells: int) -> Float[Tensor, "n"]:
    """How much of each cell lies between start and stop; a thin box counts in full where it is."""
    left = torch.arange(cells).float()
    share = (torch.clamp(left + 1, max=stop) - torch.clamp(left, min=start)).clamp(min=0)
    return share / share.max().clamp(min=1e-6)


def rendered(scout: WordScout, render: Callable[..., Any], seed: int, most: int = 16) -> Lesson:
    """A whole page with up to so many of its questions."""
    rng = Random(seed)
    high, wide = rng.choice([(1024, 768), (1024, 720), (1024, 800), (768, 1024), (1024, 448)])
    page = render(seed=seed, high=high, wide=wide, whole=True)
    facts = rng.sample(page.facts, min(most, len(page.facts)))
    asked = [(fact.question, [_box(page.words[i]) for i in fact.answer]) for fact in facts]
    pixels = torch.from_numpy(np.array(page.pixels))[None].expand(3, -1, -1).contiguous()
    return lesson(scout, pixels, asked)


def _box(word: Any) -> list[float]:
    low, top = word.quad.min(0), word.quad.max(0)
    return [float(low[0]), float(low[1]), float(top[0]), float(top[1])]


@dataclass
class Pupil:
    """One of the three nets and its optimiser."""

    mode: Mode
    net: Spread
    optimiser: torch.optim.AdamW

    @staticmethod
    def new(mode: Mode, seed: int) -> "Pupil":
        """A fresh one."""
        torch.manual_seed(seed)
        net = Spread(mode)
        return Pupil(mode, net, torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=1e-4))

    def learn(self, found: Found, target: Tensor, rate: float, rng: Random) -> float:
        """One step; the blind twin answers once for all questions of a page."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        if self.mode == "blind":
            found, target = _one(found), target.mean(0, keepdim=True)
        maps, question = self.net.seen(found)
        cost = torch.zeros(())
        for weight, places in windows(target, rng):
            cut = torch.stack([maps[at, :, y : y + WINDOW, x : x + WINDOW] for at, y, x in places])
            wanted = torch.stack(
                [target[at, y : y + WINDOW, x : x + WINDOW] for at, y, x in places]
            )
            cost = cost + weight * price(self.net.over(cut, question), wanted, target)
        self.optimiser.zero_grad(set_to_none=True)
        cost.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimiser.step()
        return float(cost.detach())


def _one(found: Found) -> Found:
    return Found(
        found.match[:1], found.valid[:1], found.weight[:1], found.kinds[:1], found.buckets[:1],
        found.text, found.kind,
    )  # fmt: skip


Place = tuple[int, int, int]


def windows(target: Float[Tensor, "q r c"], rng: Random) -> list[tuple[float, list[Place]]]:
    """For each question a window that holds its answer, and one anywhere for all the rest.

    The second counts for all cells outside the first, so that the loss is that of the whole page.
    """
    questions, rows, cols = target.shape
    high, wide = max(0, rows - WINDOW), max(0, cols - WINDOW)
    near: list[Place] = []
    for at in range(questions):
        cells = target[at].flatten().nonzero()[:, 0].tolist()
        y, x = (
            divmod(rng.choice(cells), cols) if cells else (rng.randrange(rows), rng.randrange(cols))
        )
        y, x = y - rng.randrange(WINDOW), x - rng.randrange(WINDOW)
        near.append((at, min(max(y, 0), high), min(max(x, 0), wide)))
    far = [(at, rng.randint(0, high), rng.randint(0, wide)) for at in range(questions)]
    window = min(rows, WINDOW) * min(cols, WINDOW)
    return [(1.0, near), (max(0.0, rows * cols / window - 1), far)]


def price(
    logit: Float[Tensor, "q r c"], wanted: Float[Tensor, "q r c"], whole: Float[Tensor, "q r2 c2"]
) -> Float[Tensor, ""]:
    """Cross-entropy of a window's cells; a large answer does not outweigh a small one."""
    each = F.binary_cross_entropy_with_logits(logit, wanted, reduction="none").sum((1, 2))
    return (each / whole.sum((1, 2)).clamp(min=4)).mean()


def chosen(
    scout: WordScout, one: Lesson, rng: Random, others: Sequence[Asked]
) -> tuple[Found, Tensor]:
    """Some questions of a page; now and then one that the page does not answer."""
    at = rng.sample(range(len(one.questions)), min(ASKED, len(one.questions)))
    questions, target = [one.questions[i] for i in at], one.target[at].clone()
    if others and rng.random() < UNUSUAL:
        questions[0], target[0] = rng.choice(others), 0.0
    return scout.found(one.page, questions), target


def train(
    out: Path, scout: WordScout, lessons: Sequence[Lesson], real: Sequence[Lesson] = (),
    steps: int = 2000, seed: int = 0, share: float = 0.3,
) -> dict[str, float]:  # fmt: skip
    """Train the three nets into a folder; the last losses."""
    rng, pupils = Random(seed), [Pupil.new(mode, seed) for mode in MODES]
    usable = [one for one in lessons if one.questions]
    others = [question for one in usable for question in one.questions]
    mean: dict[str, float] = {}
    began = time.monotonic()
    with progress(0, steps, "homunculus train") as tell:
        for step in range(steps):
            pool = real if real and rng.random() < share else usable
            found, target = chosen(scout, rng.choice(pool), rng, others)
            rate = RATE * min(1.0, (step + 1) / 50) * (1 - step / steps) ** 0.5
            for pupil in pupils:
                cost = pupil.learn(found, target, rate, rng)
                mean[pupil.mode] = 0.98 * mean.get(pupil.mode, cost) + 0.02 * cost
            tell(step + 1, " ".join(f"{name} {value:.3f}" for name, value in mean.items()))
    about = {"steps": steps, "seed": seed, "pages": len(usable), "real": len(real)}
    about |= {"seconds": round(time.monotonic() - began)}
    for pupil in pupils:
        save(
            pupil.net, out / f"spread-{pupil.mode}.safetensors", about | {"loss": mean[pupil.mode]}
        )
    (out / "spread.json").write_text(json.dumps(about | mean) + "\n", "utf-8")
    return mean
