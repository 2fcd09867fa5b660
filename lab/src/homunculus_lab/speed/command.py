# pyright: basic
"""The command `homunculus bench`."""

import argparse
from collections.abc import Callable
from typing import Any

from homunculus.scouts.words import load
from homunculus_lab.speed import (
    batch,
    core,
    kills,
    memory,
    plan,
    prefill,
    proxy,
    questions,
    rivals,
    scout,
    soak,
    things,
    transformers,
    vllm,
)

BENCHES: dict[str, tuple[Any, int]] = {
    "batch": (batch, 5_000),
    "core": (core, 60),
    "kills": (kills, 30),
    "memory": (memory, 300),
    "plan": (plan, 20),
    "prefill": (prefill, 3),
    "proxy": (proxy, 5),
    "questions": (questions, 2),
    "rivals": (rivals, 5),
    "scout": (scout, 10),
    "soak": (soak, 200),
    "things": (things, 20),
    "transformers": (transformers, 5),
    "vllm": (vllm, 3),
}
"""Modules, and how often each repeats what it measures if nobody says."""
QUICK = (plan, things)
"""Those that tell no progress."""


def run(
    arguments: argparse.Namespace, progress: Callable[[str], None]
) -> tuple[dict[str, Any], str]:
    """Run one benchmark; the result, and the same as text."""
    bench, usual = BENCHES[arguments.what]
    repeats = arguments.repeats or usual
    if bench is scout:
        result = bench.measure(load(arguments.scout), repeats)
    elif bench in QUICK:
        result = bench.measure(repeats)
    else:
        result = bench.measure(repeats, progress)
    return result, bench.table(result)
