# pyright: basic
"""What the verb `measure` takes and does: our own suites, or official tasks if a model is named."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from homunculus.measure import command as suites
from homunculus.measure.journal import fingerprint
from homunculus.official.run import Plan, carry_out


def flags(measure: argparse.ArgumentParser) -> None:
    """Those of our own suites, and of official tasks."""
    suites.flags(measure)
    measure.description = f"{measure.description} " + (
        "With --model the suites are tasks of lmms-eval (docvqa_val, textvqa_val, vqav2_val, "
        "chartqa, infovqa_val, ocrbench, ...), answered by that model."
    )
    add = measure.add_argument_group("official tasks").add_argument
    add("--model", help="a name on the hub or a folder: it answers official tasks")
    told = "transformers: here; openai: by a server that `homunculus serve` runs (%(default)s)"
    add("--engine", choices=["transformers", "openai"], default="transformers", help=told)
    add("--url", default="http://127.0.0.1:8000/v1", help="of the server (%(default)s)")
    add("--include", type=Path, metavar="DIR", help="further tasks, as lmms-eval writes them")
    add("--where", choices=["auto", "before", "after"], default="auto", help="see docs (auto)")
    add("--dtype", default="auto", help="of the weights, such as bfloat16 (%(default)s)")
    add("--device", help="such as cuda:1 (cuda if there is one)")


def measured(
    arguments: argparse.Namespace, progress: Callable[[int, int], None]
) -> tuple[dict[str, Any], Path]:
    """Measure what was asked for; the result and where it was written."""
    if arguments.model is None:
        return suites.measured(arguments, progress)
    asked = plan(arguments)
    folder = Path("results") if Path("results").is_dir() else Path()
    out = arguments.out or folder / f"official-{fingerprint(asked.config())[:8]}.json"
    if not out.parent.is_dir():
        raise ValueError(f"no folder {out.parent} to write {out.name} to. Make it, or use -o.")
    return carry_out(asked, out, progress), out


def plan(arguments: argparse.Namespace) -> Plan:
    """What flags ask for."""
    odd = [name for name in ("part", "side", "pages", "skip", "bench") if getattr(arguments, name)]
    if odd or arguments.quick or arguments.task != "legibility":
        named = odd[0] if odd else "quick" if arguments.quick else "task"
        raise ValueError(f"--{named} is for our own suites: an official task has its own ways.")
    tokens = [slots for some in arguments.tokens or [] for slots in some]
    return Plan(
        tasks=tuple(arguments.suite),
        model=arguments.model,
        methods=tuple(arguments.methods or ["foveated"]),
        tokens=tuple(tokens or ([] if arguments.engine == "openai" else [64, 128, 273, 512])),
        without=tuple(arguments.without or ()),
        engine=arguments.engine,
        url=arguments.url,
        include=arguments.include,
        limit=arguments.limit,
        seed=arguments.seed or 0,
        where=arguments.where,
        dtype=arguments.dtype,
        device=arguments.device,
    )
