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
from homunculus.learn.state import flushed
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
    scout: WordScout, image: Tensor, asked: Sequence[tuple[str, Sequence[Sequence[float | int]]]]
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


def _covered(start: float | int, stop: float | int, cells: int) -> Float[Tensor, "n"]:
    """How much of each cell lies between start and stop; a thin box counts in full where it is."""
    left = torch.arange(cells).float()
    share = (torch.clamp(left + 1, max=stop) - torch.clamp(left, min=start)).clamp(min=0)
    return share / share.max().clamp(min=1e-6)


def rendered(
    scout: WordScout,
    render: Callable[..., Any],
    seed: int,
    photos: Sequence[np.ndarray] = (),
    most: int = 16,
) -> Lesson:
    """A whole page with up to so many of its questions."""
    rng = Random(seed)
    high, wide = rng.choice([(1024, 768), (1024, 720), (1024, 800), (768, 1024), (1024, 448)])
    page = render(seed=seed, high=high, wide=wide, photos=photos, whole=True)
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
        for places, count in windows(target, rng):
            logit = self.net.over(cut(maps, places), question)
            cost = cost + price(logit, cut(target, places), count, target)
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
"""Number of the question, first row and first column of a window."""


def windows(
    target: Float[Tensor, "q r c"], rng: Random
) -> list[tuple[list[Place], Float[Tensor, "q r2 c2"]]]:
    """For each question a window that holds its answer, and a tile of the page for all the rest.

    With them what each cell counts. A tile speaks for all tiles, and says nothing of cells that the
    first window holds, so that on average the loss is that of the whole page.
    """
    questions, rows, cols = target.shape
    near = [(at, *_near(target[at], rng)) for at in range(questions)]
    shown = [(near, torch.ones(questions, min(rows, WINDOW), min(cols, WINDOW)))]
    down, across = _tiles(rows), _tiles(cols)
    if len(down) * len(across) == 1:
        return shown
    far = [(at, rng.choice(down), rng.choice(across)) for at in range(questions)]
    count = (_worth(down, rows)[:, None] * _worth(across, cols)).repeat(questions, 1, 1)
    for at, y, x in near:
        count[at, y : y + WINDOW, x : x + WINDOW] = 0
    return [*shown, (far, cut(count, far))]


def _near(target: Float[Tensor, "r c"], rng: Random) -> tuple[int, int]:
    """First row and column of a window around a cell of the answer, or anywhere without one."""
    rows, cols = target.shape
    cells = target.flatten().nonzero()[:, 0].tolist() or range(rows * cols)
    y, x = divmod(rng.choice(cells), cols)
    y, x = y - rng.randrange(WINDOW), x - rng.randrange(WINDOW)
    return min(max(y, 0), max(0, rows - WINDOW)), min(max(x, 0), max(0, cols - WINDOW))


def _tiles(cells: int) -> list[int]:
    """Where windows side by side begin; the last one is moved back onto the page."""
    return [min(start, max(0, cells - WINDOW)) for start in range(0, cells, WINDOW)]


def _worth(starts: Sequence[int], cells: int) -> Float[Tensor, "n"]:
    """What a cell counts when one of the tiles is drawn: a cell of two tiles is drawn twice."""
    held = torch.zeros(cells)
    for start in starts:
        held[start : start + WINDOW] += 1
    return len(starts) / held


def cut(maps: Float[Tensor, "q *f r c"], places: Sequence[Place]) -> Float[Tensor, "q *f r2 c2"]:
    """The windows of the maps, one for each question."""
    return torch.stack([maps[at, ..., y : y + WINDOW, x : x + WINDOW] for at, y, x in places])


def price(
    logit: Float[Tensor, "q r c"],
    wanted: Float[Tensor, "q r c"],
    count: Float[Tensor, "q r c"],
    whole: Float[Tensor, "q r2 c2"],
) -> Float[Tensor, ""]:
    """Cross-entropy of a window's cells; a large answer does not outweigh a small one."""
    each = F.binary_cross_entropy_with_logits(logit, wanted, count, reduction="none").sum((1, 2))
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
    if not usable:
        raise ValueError("train: no rendered page with a question. Render more pages.")
    others = [question for one in usable for question in one.questions]
    mean: dict[str, float] = {}
    began = time.monotonic()
    with flushed(), progress(0, steps, "homunculus train") as tell:
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
