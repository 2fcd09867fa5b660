"""Files of weights: safetensors in half precision, with what is known about them."""

import json
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from torch import nn

WEIGHTS = Path(__file__).parent / "weights"
"""The weights that the shipped nets were made from."""
VERSION = "1"
"""The version of the weights' layout; files of another one are refused."""


def save_weights(net: nn.Module, path: Path, name: str, about: dict[str, Any]) -> None:
    """Write weights in half precision, with what is known about them in the file's header."""
    files = import_module("safetensors.torch")
    weights = {
        key: (weight.half() if weight.is_floating_point() else weight).contiguous()
        for key, weight in net.state_dict().items()
    }
    header = {"homunculus": json.dumps({"net": name, "version": VERSION} | about)}
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(files.save(weights, metadata=header))
    partial.replace(path)


def load_weights(net: nn.Module, path: Path, name: str) -> dict[str, Any]:
    """Fill the net from a file; returns what the file says about itself."""
    files = import_module("safetensors")
    try:
        with files.safe_open(path, framework="pt") as opened:
            header = opened.metadata() or {}
            weights = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118
    except files.SafetensorError as error:
        raise ValueError(f"{name}: {path} is no safetensors file ({error}).") from error
    about = _about(header, path, name)
    try:
        net.load_state_dict(weights)
    except RuntimeError as error:  # it lists what is missing, unknown or of another shape
        raise ValueError(f"{name}: {path} was made by another version: {error}.") from error
    if broken := [key for key, weight in weights.items() if not weight.isfinite().all()]:
        raise ValueError(f"{name}: {broken[0]} in {path} is not finite. Take another file.")
    net.eval()
    return about


def _about(header: dict[str, str], path: Path, name: str) -> dict[str, Any]:
    try:
        content: object = json.loads(header.get("homunculus", "null"))
    except ValueError:
        content = None
    about = cast(dict[str, Any], content) if isinstance(content, dict) else {}
    if about.get("net") != name or about.get("version") != VERSION:
        raise ValueError(
            f"{name}: expected weights of `{name}` version {VERSION}, but {path} says "
            f"{about.get('net')!r} version {about.get('version')!r}. "
            "Train it again with `homunculus train word-scout`."
        )
    return about


def digest(path: Path) -> str:
    """The hash of a file: nets name by it what they were made from."""
    return sha256(path.read_bytes()).hexdigest()
