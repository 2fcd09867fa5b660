# pyright: basic
"""The command `homunculus bench`."""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

from homunculus_lab.text import text

REPEATS = {
    "batch": 5_000, "core": 60, "scout": 10, "transformers": 5, "vllm": 3,
}  # fmt: skip
"""Benchmarks, each a module of this folder, and how often they repeat what they measure."""


def run(
    arguments: argparse.Namespace, progress: Callable[[str], None]
) -> tuple[dict[str, Any], str]:
    """Run one benchmark; the result, and the same as text."""
    bench = import_module(f"{__package__}.{arguments.what}")
    repeats = arguments.repeats or REPEATS[arguments.what]
    weights = {"weights": arguments.scout} if arguments.what == "scout" else {}
    result = bench.measure(repeats, progress, **weights)
    return result, text(result)
