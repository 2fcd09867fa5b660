"""Weights on disk: tensors and a few facts in a safetensors file, never code.

Half precision; whoever loads says which net the file must be of, and gets an error that explains.
"""

import json
from pathlib import Path
from typing import Any, cast

from torch import Tensor, nn

from homunculus.extra import need

VERSION = "1"
"""Of the weights' layout; files of another version are refused."""


def save(net: nn.Module, path: Path, name: str, about: dict[str, Any]) -> None:
    """Write weights in half precision, with what is known about them in the file's header."""
    files = need("safetensors.torch", "scout", name)
    weights = {
        key: (weight.half() if weight.is_floating_point() else weight).contiguous()
        for key, weight in net.state_dict().items()
    }
    header = {"homunculus": json.dumps({"net": name, "version": VERSION} | about)}
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(files.save(weights, metadata=header))
    partial.replace(path)


def load(net: nn.Module, path: Path, name: str) -> dict[str, Any]:
    """Fill the net from a file; returns what the file says about itself."""
    files = need("safetensors", "scout", name)
    try:
        with files.safe_open(path, framework="pt") as opened:
            header = opened.metadata() or {}
            weights = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118
    except files.SafetensorError as error:
        raise ValueError(f"{name}: {path} is no safetensors file ({error}).") from error
    about = _about(header, path, name)
    _check(weights, net.state_dict(), path, name)
    net.load_state_dict(weights)
    net.eval()
    return about


def _about(header: dict[str, str], path: Path, name: str) -> dict[str, Any]:
    try:
        about = cast(object, json.loads(header.get("homunculus", "null")))
    except ValueError:
        about = None
    found = cast(dict[str, Any], about) if isinstance(about, dict) else {}
    if found.get("net") != name or found.get("version") != VERSION:
        raise ValueError(
            f"{name}: expected weights of `{name}` version {VERSION}, but {path} says "
            f"{found.get('net')!r} version {found.get('version')!r}. "
            "Train anew with `homunculus train word-scout`."
        )
    return found


def _check(weights: dict[str, Tensor], own: dict[str, Tensor], path: Path, name: str) -> None:
    strange, missing = sorted(weights.keys() - own.keys()), sorted(own.keys() - weights.keys())
    if strange or missing:
        raise ValueError(
            f"{name}: {path} does not fit this net: missing {missing[:3]} ({len(missing)}), "
            f"unknown {strange[:3]} ({len(strange)}). Was it made by another version?"
        )
    for key, weight in weights.items():
        if weight.shape != own[key].shape:
            raise ValueError(
                f"{name}: {key} in {path} has shape {tuple(weight.shape)}, expected "
                f"{tuple(own[key].shape)}. Was it made by another version?"
            )
        if not weight.isfinite().all():
            raise ValueError(f"{name}: {key} in {path} is not finite. Take another file.")
