# pyright: basic
"""Training of the spread: from where a question's words stand to where its answer stands.

Three nets learn side by side from the same lessons: one that knows all, its blind twin and its
prior twin. Lessons of real pages may be mixed in.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from homunculus.lab.train import state
from homunculus.lab.train.defaults import SPREAD_STEPS
from homunculus.lab.train.progress import progress
from homunculus.lab.train.samples import Lesson, restore
from homunculus.lab.train.state import flushed
from homunculus.relevance.words.evidence import Found, Mode, Spread, save

RATE = 3e-3
MODES: tuple[Mode, ...] = ("full", "blind", "prior")
WINDOW = 48
"""Cells along the side of what a net is shown at once."""
ASKED = 6
"""Questions of one page in a step."""
STORED = 200
"""Steps between states on disk."""
UNUSUAL = 0.1
"""Share of steps with a question put to the wrong page: then no cell is the answer's."""


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
        net = Spread(mode).to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]
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
            shown = cut(maps, places).contiguous(memory_format=torch.channels_last)  # 1.5 x faster
            logit = self.net.over(shown, question)
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


def chosen(one: Lesson, rng: Random) -> tuple[Found, Float[Tensor, "q r c"]]:
    """Some questions of a page; now and then one that the page does not answer."""
    at = rng.sample(one.answered, min(ASKED, len(one.answered)))
    if one.strange and rng.random() < UNUSUAL:
        at[0] = rng.choice(one.strange)
    return one.only(at)


def train(
    out: Path, lessons: Sequence[Path], real: Sequence[Path] = (), steps: int = SPREAD_STEPS,
    seed: int = 0, share: float = 0.3,
) -> dict[str, float]:  # fmt: skip
    """Train the three nets into a folder, or go on with what is there; the last losses.

    ``lessons`` are files with at least one question that is answered, ``share`` the part of steps
    that ``real`` ones get.
    """
    if not lessons:
        raise ValueError("train: no rendered page with a question. Render more pages.")
    pupils = [Pupil.new(mode, seed) for mode in MODES]
    file = out / "spread-state.safetensors"
    start, mean = _resumed(file, pupils)
    began = time.monotonic()
    with flushed(), progress(start, steps, "homunculus train") as tell:
        for step in range(start, steps):
            rng = Random(seed * 2**32 + step)  # by step alone, so a resumed run agrees
            pool = real if real and rng.random() < share else lessons
            found, target = chosen(restore(rng.choice(pool))[0], rng)
            for pupil in pupils:
                cost = pupil.learn(found, target, rate(step, steps), rng)
                mean[pupil.mode] = 0.98 * mean.get(pupil.mode, cost) + 0.02 * cost
            tell(step + 1, " ".join(f"{name} {value:.3f}" for name, value in mean.items()))
            if (step + 1) % STORED == 0:
                _keep(file, pupils, {"step": step + 1, "steps": steps, "mean": mean})
    about = {"steps": steps, "seed": seed, "pages": len(lessons), "real": len(real)}
    for pupil in pupils:
        save(
            pupil.net, out / f"spread-{pupil.mode}.safetensors", about | {"loss": mean[pupil.mode]}
        )
    about |= {"from_step": start, "seconds": round(time.monotonic() - began)}
    (out / "spread.json").write_text(json.dumps(about | mean) + "\n", "utf-8")
    return mean


def rate(step: int, steps: int) -> float:
    """The learning rate of a step: a short rise, then a root down to nothing."""
    return RATE * min(1.0, (step + 1) / 50) * (1 - step / steps) ** 0.5


def _keep(path: Path, pupils: Sequence[Pupil], about: dict[str, Any]) -> None:
    state.store(path, {p.mode: p.net for p in pupils}, {p.mode: p.optimiser for p in pupils}, about)


def _resumed(path: Path, pupils: Sequence[Pupil]) -> tuple[int, dict[str, float]]:
    """The step to go on from and the mean losses until there."""
    if not path.exists():
        return 0, {}
    nets = {p.mode: p.net for p in pupils}
    about = state.restore(path, nets, {p.mode: p.optimiser for p in pupils})
    return about["step"], about["mean"]
