# pyright: basic
"""The command `homunculus bench`."""

import argparse
import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

from homunculus_lab.text import text

REPEATS = {
    "batch": 5_000, "core": 60, "install": 2, "scout": 10, "transformers": 5, "views": 10,
    "vllm": 3,
}  # fmt: skip
"""Benchmarks, each a module of this folder, and how often they repeat what they measure."""


def run(
    arguments: argparse.Namespace, progress: Callable[[str], None]
) -> tuple[dict[str, Any], str]:
    """Run one benchmark; the result, and the same as text."""
    bench = import_module(f"{__package__}.{arguments.what}")
    repeats = arguments.repeats or REPEATS[arguments.what]
    more: dict[str, Any] = {}
    if arguments.what == "scout":
        more = {"weights": arguments.scout}
    elif arguments.what == "views":
        more = {"other": arguments.other}
    elif arguments.what == "install":
        more = {
            "wheels": arguments.wheel,
            "limits": arguments.constraint,
            "page": arguments.page,
            "over": arguments.litellm,
        }
    result = bench.measure(repeats, progress, **more)
    if arguments.out:
        arguments.out.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    return result, text(result)
