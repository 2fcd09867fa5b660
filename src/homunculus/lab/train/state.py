# pyright: basic
"""The state of a training run in one file, replaced at once: a killed run goes on where it was."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from homunculus.lazy import need
from homunculus.relevance.words.net import WordNet

WHO = "homunculus train"


@contextmanager
def flushed() -> Iterator[None]:
    """Meanwhile tiny numbers are 0: on the CPU a denormal costs a hundred times a number."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


class Shadow:
    """A running average of the weights: smoother than the weights, and what is shipped."""

    def __init__(self, net: WordNet, decay: float = 0.998) -> None:
        self.decay, self.net = decay, WordNet()
        self.net.load_state_dict(net.state_dict())
        self.net.eval().requires_grad_(False)

    def follow(self, net: WordNet, step: int) -> None:
        """One step nearer to the net; the first steps are forgotten fast."""
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
    files = need("safetensors.torch", "learn", WHO)
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
    partial.replace(path)  # at once: whoever reads meets the old state or the new one


def restore(
    path: Path, nets: Mapping[str, nn.Module], optimisers: Mapping[str, torch.optim.Optimizer]
) -> dict[str, Any]:
    """Bring everything back to where the file left it; returns what was stored beside."""
    files = need("safetensors", "learn", WHO)
    try:
        with files.safe_open(path, framework="pt") as opened:
            state = json.loads((opened.metadata() or {}).get("state", "null"))
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        for part, net in nets.items():
            net.load_state_dict(_under(part, tensors))
        for part, optimiser in optimisers.items():
            _recall(optimiser, nets[part], part, tensors)
        for name in ("step", "steps"):
            state[name] = int(state[name])
    except (files.SafetensorError, RuntimeError, KeyError, TypeError) as error:
        raise ValueError(
            f"train: {path} is not the state of such a run ({error}). "
            "Remove it to begin anew, or train into another folder."
        ) from error
    return state


def _recall(
    optimiser: torch.optim.Optimizer, net: nn.Module, part: str, tensors: dict[str, Tensor]
) -> None:
    for name, weight in net.named_parameters():
        moments = {kind: tensors[f"{part}:{kind}.{name}"] for kind in ("exp_avg", "exp_avg_sq")}
        # the fused optimiser walks raw memory: moments must lie there as their weight does
        laid = {kind: torch.empty_like(weight).copy_(one) for kind, one in moments.items()}
        optimiser.state[weight] = {"step": tensors[f"{part}:step.{name}"]} | laid


def _under(part: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {k.removeprefix(f"{part}."): v for k, v in tensors.items() if k.startswith(f"{part}.")}
