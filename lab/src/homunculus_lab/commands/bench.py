"""`homunculus bench`: time and memory, as ratios."""

import argparse
import json
from pathlib import Path

from homunculus.commands.command import Command
from homunculus.flags import count, json_flag
from homunculus.progress import progress


def flags(bench: argparse.ArgumentParser) -> None:
    about = (
        "batch: rows a second of `homunculus batch`; core: every rule against plain top-K; scout: "
        "a page and its questions against an encoder; transformers: requests to a model of real "
        "size against the same untouched; vllm: servers under load"
    )
    what = ["batch", "core", "scout", "transformers", "vllm"]
    bench.add_argument("what", choices=what, help=about)
    about = "runs per number (60; 10 for scout, 5 for transformers); rounds (3) or rows (5,000)"
    bench.add_argument("--repeats", type=count, help=about)
    bench.add_argument("--scout", type=Path, metavar="DIR", help="other weights than the shipped")
    json_flag(bench)


def run(arguments: argparse.Namespace) -> int:
    from homunculus_lab.speed import command

    with progress("measuring") as shown:
        result, text = command.run(arguments, shown.say)
    print(json.dumps(result, indent=2) if arguments.json else text)
    return 0


COMMAND = Command("bench", "measure time and memory, as ratios", "core", flags, run)
