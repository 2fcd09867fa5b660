"""Files of weights, as the product loads them."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from torch import nn

from homunculus.scouts.words.net import VERSION


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
