# pyright: basic
"""Training of the spread: from where a question's words stand to where its answer stands.

Three nets are trained on the same samples: `full`, and the controls `blind` (no question) and
`prior` (no pixels). Samples of real pages may be mixed in.
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

from homunculus.progress import progress
from homunculus.scouts.words.evidence import Mode, WordEvidence
from homunculus_lab.train import state
from homunculus_lab.train.defaults import SPREAD_STEPS
from homunculus_lab.train.samples import Sample, restore
from homunculus_lab.train.spread_net import MODES, Spread
from homunculus_lab.train.state import flush_denormals
from homunculus_lab.train.storage import save_weights

RATE = 3e-3
WINDOW = 48
"""Cells along the side of a training window."""
QUESTIONS = 6
"""Questions of one page in a step."""
STORED = 200
"""Steps between states on disk."""
UNANSWERABLE = 0.1
"""Share of steps with a question of another page, which no cell answers."""


@dataclass
class Trainer:
    """One of the three nets and its optimiser."""

    mode: Mode
    net: Spread
    optimiser: torch.optim.AdamW

    @staticmethod
    def new(mode: Mode, seed: int) -> "Trainer":
        """A new net and optimiser."""
        torch.manual_seed(seed)
        net = Spread(mode).to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]
        return Trainer(mode, net, torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=1e-4))

    def step(self, evidence: WordEvidence, target: Tensor, rate: float, rng: Random) -> float:
        """One training step; `blind` answers once for all questions of a page."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        if self.mode == "blind":
            evidence, target = _first_question(evidence), target.mean(0, keepdim=True)
        maps, question = self.net.inputs(evidence)
        loss = torch.zeros(())
        for places, count in windows(target, rng):
            window = crop(maps, places).contiguous(
                memory_format=torch.channels_last
            )  # 1.5 x faster
            logit = self.net.over(window, question)
            loss = loss + window_loss(logit, crop(target, places), count, target)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimiser.step()
        return float(loss.detach())


def _first_question(evidence: WordEvidence) -> WordEvidence:
    return WordEvidence(
        evidence.match[:1], evidence.valid[:1], evidence.weight[:1], evidence.kinds[:1],
        evidence.buckets[:1], evidence.text, evidence.kind,
    )  # fmt: skip


WindowPlace = tuple[int, int, int]
"""Number of the question, first row and first column of a window."""


def windows(
    target: Float[Tensor, "q r c"], rng: Random
) -> list[tuple[list[WindowPlace], Float[Tensor, "q r2 c2"]]]:
    """For each question a window that holds its answer, and a random tile of the page.

    With them the weight of each cell. A tile stands for all tiles, and cells of the first window
    weigh nothing in it, so that on average the loss is that of the whole page.
    """
    questions, rows, cols = target.shape
    near = [(question, *_answer_window(target[question], rng)) for question in range(questions)]
    first = [(near, torch.ones(questions, min(rows, WINDOW), min(cols, WINDOW)))]
    down, across = _tiles(rows), _tiles(cols)
    if len(down) * len(across) == 1:
        return first
    far = [(question, rng.choice(down), rng.choice(across)) for question in range(questions)]
    count = (_tile_weight(down, rows)[:, None] * _tile_weight(across, cols)).repeat(questions, 1, 1)
    for question, y, x in near:
        count[question, y : y + WINDOW, x : x + WINDOW] = 0
    return [*first, (far, crop(count, far))]


def _answer_window(target: Float[Tensor, "r c"], rng: Random) -> tuple[int, int]:
    """First row and column of a window around a cell of the answer, or anywhere without one."""
    rows, cols = target.shape
    cells = target.flatten().nonzero()[:, 0].tolist() or range(rows * cols)
    y, x = divmod(rng.choice(cells), cols)
    y, x = y - rng.randrange(WINDOW), x - rng.randrange(WINDOW)
    return min(max(y, 0), max(0, rows - WINDOW)), min(max(x, 0), max(0, cols - WINDOW))


def _tiles(cells: int) -> list[int]:
    """Where windows side by side begin; the last one is moved back onto the page."""
    return [min(start, max(0, cells - WINDOW)) for start in range(0, cells, WINDOW)]


def _tile_weight(starts: Sequence[int], cells: int) -> Float[Tensor, "n"]:
    """Weight of a cell when one of the tiles is drawn: a cell of two tiles is drawn twice."""
    tiles = torch.zeros(cells)
    for start in starts:
        tiles[start : start + WINDOW] += 1
    return len(starts) / tiles


def crop(
    maps: Float[Tensor, "q *f r c"], places: Sequence[WindowPlace]
) -> Float[Tensor, "q *f r2 c2"]:
    """The windows of the maps, one for each question."""
    return torch.stack(
        [maps[question, ..., y : y + WINDOW, x : x + WINDOW] for question, y, x in places]
    )


def window_loss(
    logit: Float[Tensor, "q r c"],
    target: Float[Tensor, "q r c"],
    count: Float[Tensor, "q r c"],
    whole: Float[Tensor, "q r2 c2"],
) -> Float[Tensor, ""]:
    """Cross-entropy of a window's cells; a large answer does not outweigh a small one."""
    each = F.binary_cross_entropy_with_logits(logit, target, count, reduction="none").sum((1, 2))
    return (each / whole.sum((1, 2)).clamp(min=4)).mean()


def sample_questions(sample: Sample, rng: Random) -> tuple[WordEvidence, Float[Tensor, "q r c"]]:
    """Some questions of a page; at times one that the page does not answer."""
    numbers = rng.sample(sample.answerable, min(QUESTIONS, len(sample.answerable)))
    if sample.unanswerable and rng.random() < UNANSWERABLE:
        numbers[0] = rng.choice(sample.unanswerable)
    return sample.select(numbers)


def train(
    out: Path, samples: Sequence[Path], real: Sequence[Path] = (), steps: int = SPREAD_STEPS,
    seed: int = 0, share: float = 0.3,
) -> dict[str, float]:  # fmt: skip
    """Train the three nets into a folder, or resume the run in it; returns the last losses.

    ``samples`` are files with at least one question that is answered, ``share`` the part of steps
    that ``real`` ones get.
    """
    if not samples:
        raise ValueError("train: no rendered page with a question. Render more pages.")
    trainers = [Trainer.new(mode, seed) for mode in MODES]
    file = out / "spread-state.pt"
    start, mean = _resume(file, trainers)
    began = time.monotonic()
    with flush_denormals(), progress("training") as update:
        for step in range(start, steps):
            rng = Random(seed * 2**32 + step)  # by step alone, so that a resumed run agrees
            pool = real if real and rng.random() < share else samples
            evidence, target = sample_questions(restore(rng.choice(pool))[0], rng)
            for trainer in trainers:
                loss = trainer.step(evidence, target, rate(step, steps), rng)
                mean[trainer.mode] = 0.98 * mean.get(trainer.mode, loss) + 0.02 * loss
            update(step + 1, steps, " ".join(f"{name} {value:.3f}" for name, value in mean.items()))
            if (step + 1) % STORED == 0:
                _store(file, trainers, {"step": step + 1, "steps": steps, "mean": mean})
    about = {"steps": steps, "seed": seed, "pages": len(samples), "real": len(real)}
    for trainer in trainers:
        name = f"spread-{trainer.mode}"
        save_weights(
            trainer.net, out / f"{name}.safetensors", name, about | {"loss": mean[trainer.mode]}
        )
    about |= {"from_step": start, "seconds": round(time.monotonic() - began)}
    (out / "spread.json").write_text(json.dumps(about | mean) + "\n", "utf-8")
    return mean


def rate(step: int, steps: int) -> float:
    """The learning rate of a step: a short rise, then a square root down to 0."""
    return RATE * min(1.0, (step + 1) / 50) * (1 - step / steps) ** 0.5


def _store(path: Path, trainers: Sequence[Trainer], about: dict[str, Any]) -> None:
    state.store(
        path, {p.mode: p.net for p in trainers}, {p.mode: p.optimiser for p in trainers}, about
    )


def _resume(path: Path, trainers: Sequence[Trainer]) -> tuple[int, dict[str, float]]:
    """The step to resume from and the mean losses until then."""
    if not path.exists():
        return 0, {}
    nets = {p.mode: p.net for p in trainers}
    about = state.restore(path, nets, {p.mode: p.optimiser for p in trainers})
    return about["step"], about["mean"]
