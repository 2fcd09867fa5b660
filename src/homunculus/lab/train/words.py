# pyright: basic
"""Training of the word scout: fresh crops, one schedule by step, a state that survives a kill."""

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from homunculus.lab.train.batch import Batch, Crops, Render, ahead
from homunculus.lab.train.check import check
from homunculus.lab.train.defaults import CROPS, STEPS
from homunculus.lab.train.loss import loss
from homunculus.lab.train.progress import progress
from homunculus.lab.train.state import Shadow, flushed, restore, store
from homunculus.relevance.words.net import WordNet, save

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
class Run:
    """One training run: the net, its shadow, the optimiser, and how far it is."""

    out: Path
    steps: int
    seed: int = 0
    step: int = 0
    net: WordNet = field(init=False)
    shadow: Shadow = field(init=False)
    optimiser: torch.optim.AdamW = field(init=False)

    def __post_init__(self) -> None:
        torch.manual_seed(self.seed)
        self.net = WordNet().train()
        self.shadow = Shadow(self.net)
        self.optimiser = optimiser(self.net)

    @property
    def state(self) -> Path:
        """The file that a killed run goes on from."""
        return self.out / "state.safetensors"

    @property
    def nets(self) -> dict[str, nn.Module]:
        """What a state holds."""
        return {"net": self.net, "shadow": self.shadow.net}

    def learn(self, batch: Batch) -> dict[str, float]:
        """One step down; what it saw is decided by the number of the step alone."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate(self.step, self.steps)
        luck = torch.Generator().manual_seed(self.seed * 2**32 + self.step)
        now = loss(self.net, batch, luck)
        self.optimiser.zero_grad(set_to_none=True)
        now.total().backward()
        norm = nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        if norm.isfinite():  # one wild batch must not cost the whole run
            self.optimiser.step()
        self.step += 1
        self.shadow.follow(self.net, self.step)
        return now.parts() | {"gradient": float(norm)}

    def keep(self) -> None:
        """Write the state of the run."""
        about = {"step": self.step, "steps": self.steps, "seed": self.seed}
        store(self.state, self.nets, {"net": self.optimiser}, about)

    def resume(self) -> None:
        """Go on from the state on disk, if there is one, and forget what was logged after it."""
        if not self.state.exists():
            return
        self.step = restore(self.state, self.nets, {"net": self.optimiser})["step"]
        if self.log.exists():
            rows = [line for line in self.log.read_text("utf-8").splitlines() if _read(line)]
            kept = [line for line in rows if _read(line)["step"] <= self.step]
            self.log.write_text("".join(f"{line}\n" for line in kept), "utf-8")

    @property
    def log(self) -> Path:
        """One JSON object a line: a validation each."""
        return self.out / "log.jsonl"


def _read(line: str) -> dict[str, Any]:
    try:
        return json.loads(line)
    except ValueError:  # the line that was being written when the run was killed
        return {}


def optimiser(net: WordNet) -> torch.optim.AdamW:
    """AdamW; only matrices decay."""
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
    """Train into a folder, or go on with the run that is there; returns the weights' path."""
    out.mkdir(parents=True, exist_ok=True)
    if threads:
        torch.set_num_threads(threads)
    run = Run(out, steps, seed)
    run.resume()
    data = Crops(render, steps, photos, crops)
    start = run.step
    try:
        with flushed(), progress(start, steps, "homunculus train") as tell:
            _go(run, data, workers, tell)
    except KeyboardInterrupt:
        run.keep()
        raise
    path = out / "word-scout.safetensors"
    rows = run.log.read_text("utf-8").splitlines() if run.log.exists() else []
    last = _read(rows[-1]) if rows else {}
    save(run.shadow.net, path, {"steps": run.step, "seed": seed, "crops": run.step * crops,
                                "held_out": last})  # fmt: skip
    return path


def _go(run: Run, data: Crops, workers: int, tell: Any) -> None:
    held_out: Sequence[Batch] = []
    began, mean = time.monotonic(), dict[str, float]()
    for batch in ahead(data, run.step, workers):
        now = run.learn(batch)
        mean = {k: 0.98 * mean.get(k, v) + 0.02 * v for k, v in now.items()}
        tell(run.step, " ".join(f"{name} {value:.3f}" for name, value in mean.items()))
        if run.step % STORED == 0:
            run.keep()
        if run.step % CHECKED == 0 or run.step == run.steps:
            held_out = held_out or [data[~n] for n in range(HELD_OUT_BATCHES)]
            row = {"step": run.step, "seconds": round(time.monotonic() - began, 1)}
            row |= {f"train_{name}": round(value, 4) for name, value in mean.items()}
            row |= check(run.shadow.net, held_out)
            with run.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(row) + "\n")
    run.keep()
