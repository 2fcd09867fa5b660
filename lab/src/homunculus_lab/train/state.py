# pyright: basic
"""The state of a training run in one file, replaced atomically: a killed run can resume."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor, nn

from homunculus_lab.train.net import WordNet


@contextmanager
def flush_denormals() -> Iterator[None]:
    """Treat denormals as 0 meanwhile: on a CPU they are a hundred times slower."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


class WeightAverage:
    """A running average of the weights: smoother, and what is saved in the end."""

    def __init__(self, net: WordNet, decay: float = 0.998) -> None:
        self.decay, self.net = decay, WordNet()
        self.net.load_state_dict(net.state_dict())
        self.net.eval().requires_grad_(False)

    def update(self, net: WordNet, step: int) -> None:
        """Move one step towards the net; the first steps decay fast."""
        decay = min(self.decay, (1 + step) / (10 + step))
        for own, other in zip(floats(self.net), floats(net), strict=True):
            own.lerp_(other, 1 - decay)


def floats(net: WordNet) -> list[Tensor]:
    """Weights and running statistics, without the counters of batches."""
    return [part.detach() for part in net.state_dict().values() if part.is_floating_point()]


def store(
    path: Path,
    nets: Mapping[str, nn.Module],
    optimisers: Mapping[str, torch.optim.Optimizer],
    state: dict[str, Any],
) -> None:
    """Write all that the next step depends on."""
    parts = {"nets": nets, "optimisers": optimisers}
    content = {
        part: {name: module.state_dict() for name, module in modules.items()}
        for part, modules in parts.items()
    }
    partial = path.with_suffix(".partial")
    torch.save(content | {"state": state}, partial)
    partial.replace(path)  # atomic: a reader gets the old state or the new one


def restore(
    path: Path, nets: Mapping[str, nn.Module], optimisers: Mapping[str, torch.optim.Optimizer]
) -> dict[str, Any]:
    """Restore nets and optimisers from a file; returns the stored dictionary."""
    try:
        content = torch.load(path, weights_only=True)
        for name, net in nets.items():
            net.load_state_dict(content["nets"][name])
        for name, optimiser in optimisers.items():
            optimiser.load_state_dict(content["optimisers"][name])
        return content["state"] | {key: int(content["state"][key]) for key in ("step", "steps")}
    except (UnpicklingError, EOFError, RuntimeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"train: {path} is not the state of such a run ({error}). "
            "Remove it to start again, or train into another folder."
        ) from error
