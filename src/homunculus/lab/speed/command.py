# pyright: basic
"""The command `homunculus bench`."""

import argparse
from collections.abc import Callable
from typing import Any

from homunculus.lab.speed import core, plan, proxy, scout, things, transformers, vllm
from homunculus.relevance.words import load

REPEATS = {
    "core": 60,
    "plan": 20,
    "proxy": 5,
    "scout": 10,
    "things": 20,
    "transformers": 5,
    "vllm": 3,
}


def run(
    arguments: argparse.Namespace, progress: Callable[[str], None]
) -> tuple[dict[str, Any], str]:
    """Run one benchmark; the result, and the same as text."""
    repeats = arguments.repeats or REPEATS[arguments.what]
    if arguments.what == "core":
        result = core.measure(repeats, progress)
        return result, core.table(result)
    if arguments.what == "scout":
        result = scout.measure(load(arguments.scout), repeats)
        return result, scout.table(result)
    if arguments.what == "plan":
        result = plan.measure(repeats)
        return result, plan.table(result)
    if arguments.what == "proxy":
        result = proxy.measure(repeats, progress)
        return result, proxy.table(result)
    if arguments.what == "things":
        result = things.measure(repeats)
        return result, things.table(result)
    if arguments.what == "vllm":
        result = vllm.measure(repeats, progress)
        return result, vllm.table(result)
    result = transformers.measure(repeats, progress)
    return result, transformers.table(result)
