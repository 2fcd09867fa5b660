# pyright: basic
"""What the verb `bench` does between the command line and the measuring."""

import argparse
from collections.abc import Callable
from typing import Any

from homunculus.lab.speed import core, scout, transformers, vllm
from homunculus.relevance.words import load

REPEATS = {"core": 60, "scout": 10, "transformers": 5, "vllm": 3}


def measured(
    arguments: argparse.Namespace, progress: Callable[[str], None]
) -> tuple[dict[str, Any], str]:
    """Measure what was asked for; the result, and the same as text."""
    many = arguments.repeats or REPEATS[arguments.what]
    if arguments.what == "core":
        result = core.core(many, progress)
        return result, core.table(result)
    if arguments.what == "scout":
        result = scout.scout(load(arguments.scout), many)
        return result, scout.cost(result)
    if arguments.what == "vllm":
        result = vllm.served(many, progress)
        return result, vllm.table(result)
    result = transformers.requests(many, progress)
    return result, transformers.table(result)
