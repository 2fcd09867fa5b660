# pyright: basic
"""Training of the word net: new crops in every step, a schedule by step, a resumable state."""

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from homunculus.progress import progress
from homunculus_lab.train.batch import Batch, CropDataset, Render, prefetch
from homunculus_lab.train.check import check
from homunculus_lab.train.defaults import CROPS, STEPS
from homunculus_lab.train.loss import loss
from homunculus_lab.train.net import FILE, NAME, WordNet
from homunculus_lab.train.state import WeightAverage, flush_denormals, restore, store
from homunculus_lab.train.storage import save_weights

RATE = 2e-3
WARM = 100
"""Steps until the learning rate has risen to its full height."""
LOWEST = 0.02
"""Share of the learning rate that is left at the end."""
STORED = 100
"""Steps between states on disk."""
CHECKED = 300
"""Steps between validations."""
HELD_OUT_BATCHES = 6


@dataclass
class TrainingRun:
    """One training run: the net, the average of its weights, the optimiser, the step."""

    out: Path
    steps: int
    seed: int = 0
    step: int = 0
    net: WordNet = field(init=False)
    average: WeightAverage = field(init=False)
    optimiser: torch.optim.AdamW = field(init=False)

    def __post_init__(self) -> None:
        torch.manual_seed(self.seed)
        self.net = WordNet().train()
        self.average = WeightAverage(self.net)
        self.optimiser = optimiser(self.net)

    @property
    def state(self) -> Path:
        """The file that a killed run resumes from."""
        return self.out / "state.pt"

    @property
    def nets(self) -> dict[str, nn.Module]:
        """The nets in the state."""
        return {"net": self.net, "shadow": self.average.net}

    def train_step(self, batch: Batch) -> dict[str, float]:
        """One training step; its random choices depend on the step's number alone."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate(self.step, self.steps)
        generator = torch.Generator().manual_seed(self.seed * 2**32 + self.step)
        losses = loss(self.net, batch, generator)
        self.optimiser.zero_grad(set_to_none=True)
        losses.total().backward()
        norm = nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        if norm.isfinite():  # one bad batch must not ruin the run
            self.optimiser.step()
        self.step += 1
        self.average.update(self.net, self.step)
        return losses.parts() | {"gradient": float(norm)}

    def store(self) -> None:
        """Write the state of the run."""
        about = {"step": self.step, "steps": self.steps, "seed": self.seed}
        store(self.state, self.nets, {"net": self.optimiser}, about)

    def resume(self) -> None:
        """Resume from the state on disk, if there is one, and drop what was logged after it."""
        if not self.state.exists():
            return
        self.step = restore(self.state, self.nets, {"net": self.optimiser})["step"]
        if self.log.exists():
            rows = [line for line in self.log.read_text("utf-8").splitlines() if _parse(line)]
            lines = [line for line in rows if _parse(line)["step"] <= self.step]
            self.log.write_text("".join(f"{line}\n" for line in lines), "utf-8")

    @property
    def log(self) -> Path:
        """One JSON object per line, for each validation."""
        return self.out / "log.jsonl"


def _parse(line: str) -> dict[str, Any]:
    try:
        return json.loads(line)
    except ValueError:  # the line that was being written when the run was killed
        return {}


def optimiser(net: WordNet) -> torch.optim.AdamW:
    """AdamW; weight decay of matrices only."""
    matrices = [weight for weight in net.parameters() if weight.ndim > 1]
    others = [weight for weight in net.parameters() if weight.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98), fused=True)


def rate(step: int, steps: int) -> float:
    """The learning rate: a short rise, then half a cosine; by step, so a resumed run agrees."""
    fall = 0.5 * (1 + math.cos(math.pi * min(step / max(steps, 1), 1.0)))
    return RATE * min(1.0, (step + 1) / WARM) * (LOWEST + (1 - LOWEST) * fall)


def train(
    out: Path,
    render: Render,
    steps: int = STEPS,
    workers: int = 1,
    photos: Path | None = None,
    crops: int = CROPS,
    seed: int = 0,
    threads: int | None = None,
) -> Path:
    """Train into a folder, or resume the run in it; returns the path of the weights."""
    out.mkdir(parents=True, exist_ok=True)
    if threads:
        torch.set_num_threads(threads)
    run = TrainingRun(out, steps, seed)
    run.resume()
    data = CropDataset(render, steps, photos, crops)
    try:
        with flush_denormals(), progress("training") as update:
            _train_steps(run, data, workers, update)
    except KeyboardInterrupt:
        run.store()
        raise
    path = out / FILE
    rows = run.log.read_text("utf-8").splitlines() if run.log.exists() else []
    last = _parse(rows[-1]) if rows else {}
    about = {"steps": run.step, "seed": seed, "crops": run.step * crops, "held_out": last}
    save_weights(run.average.net, path, NAME, about)
    return path


def _train_steps(run: TrainingRun, data: CropDataset, workers: int, update: Any) -> None:
    held_out: Sequence[Batch] = []
    began, mean = time.monotonic(), dict[str, float]()
    for batch in prefetch(data, run.step, workers):
        losses = run.train_step(batch)
        mean = {k: 0.98 * mean.get(k, v) + 0.02 * v for k, v in losses.items()}
        update(run.step, run.steps, " ".join(f"{name} {value:.3f}" for name, value in mean.items()))
        if run.step % STORED == 0:
            run.store()
        if run.step % CHECKED == 0 or run.step == run.steps:
            held_out = held_out or [data[~n] for n in range(HELD_OUT_BATCHES)]
            row = {"step": run.step, "seconds": round(time.monotonic() - began, 1)}
            row |= {f"train_{name}": round(value, 4) for name, value in mean.items()}
            row |= check(run.average.net, held_out)
            with run.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(row) + "\n")
    run.store()
