"""How a result comes about: command, commit, versions and hardware. Needs no extra."""

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from homunculus.nets import threads


def provenance() -> dict[str, Any]:
    """How a result comes about: the same four entries in every file of `results/`.

    To be called before a run: the checkout may change meanwhile.
    """
    torch = sys.modules.get("torch")  # where it is not loaded, it has no part in the result
    many = torch.get_num_threads() if torch else threads()
    return {
        "command": " ".join(["homunculus", *map(_public, sys.argv[1:])]),
        "commit": commit(),
        "versions": versions(),
        "hardware": f"{platform.machine()}, {many} thread{'s' if many > 1 else ''}",
    }


def _public(argument: str) -> str:
    """An argument without paths of this machine, which mean nothing on any other."""
    path, data = Path(argument), os.environ.get("HOMUNCULUS_DATA")
    if not path.is_absolute():
        return argument
    if data and path.is_relative_to(data):
        return f"$HOMUNCULUS_DATA/{path.relative_to(data)}"
    return path.name


def commit() -> str | None:
    """The checkout this runs from, if it is one; with a mark where files were changed."""
    try:
        process = subprocess.run(
            ["git", "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"],
            cwd=Path(__file__).parent, capture_output=True, text=True, timeout=20,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return process.stdout.strip() or None


def versions() -> dict[str, str]:
    """The versions of all packages that may move a number."""
    names = ("homunculus-vlm", "torch", "numpy", "pillow", "rapidocr", "onnxruntime", "anls")
    numbers = {"python": platform.python_version()}
    for name in names:
        try:
            numbers[name] = version(name)
        except PackageNotFoundError:
            continue
    return numbers
