# pyright: basic
"""The state of a training run in one file, replaced atomically: a killed run can resume."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from homunculus.scouts.words.net import WordNet

WHO = "homunculus train"


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
    return [one.detach() for one in net.state_dict().values() if one.is_floating_point()]


def store(
    path: Path,
    nets: Mapping[str, nn.Module],
    optimisers: Mapping[str, torch.optim.Optimizer],
    state: dict[str, Any],
) -> None:
    """Write all that the next step depends on; an optimiser has the name of its net."""
    files = import_module("safetensors.torch")
    tensors = {
        f"{part}.{name}": one
        for part, net in nets.items()
        for name, one in net.state_dict().items()
    }
    for part, optimiser in optimisers.items():
        for name, weight in nets[part].named_parameters():
            for moment, value in optimiser.state[weight].items():
                tensors[f"{part}:{moment}.{name}"] = value
    tensors = {name: one.detach().contiguous() for name, one in tensors.items()}
    partial = path.with_suffix(".partial")
    partial.write_bytes(files.save(tensors, metadata={"state": json.dumps(state)}))
    partial.replace(path)  # atomic: a reader gets the old state or the new one


def restore(
    path: Path, nets: Mapping[str, nn.Module], optimisers: Mapping[str, torch.optim.Optimizer]
) -> dict[str, Any]:
    """Restore nets and optimisers from a file; returns the stored dictionary."""
    files = import_module("safetensors")
    try:
        with files.safe_open(path, framework="pt") as opened:
            state = json.loads((opened.metadata() or {}).get("state", "null"))
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        for part, net in nets.items():
            net.load_state_dict(_strip_prefix(part, tensors))
        for part, optimiser in optimisers.items():
            _restore_optimiser(optimiser, nets[part], part, tensors)
        for name in ("step", "steps"):
            state[name] = int(state[name])
    except (files.SafetensorError, RuntimeError, KeyError, TypeError) as error:
        raise ValueError(
            f"train: {path} is not the state of such a run ({error}). "
            "Remove it to start again, or train into another folder."
        ) from error
    return state


def _restore_optimiser(
    optimiser: torch.optim.Optimizer, net: nn.Module, part: str, tensors: dict[str, Tensor]
) -> None:
    for name, weight in net.named_parameters():
        moments = {kind: tensors[f"{part}:{kind}.{name}"] for kind in ("exp_avg", "exp_avg_sq")}
        # the fused optimiser reads raw memory: moments need the layout of their weight
        copies = {kind: torch.empty_like(weight).copy_(one) for kind, one in moments.items()}
        optimiser.state[weight] = {"step": tensors[f"{part}:step.{name}"]} | copies


def _strip_prefix(part: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {k.removeprefix(f"{part}."): v for k, v in tensors.items() if k.startswith(f"{part}.")}
