"""`homunculus bench`: time and memory, as ratios."""

import argparse
import json
from pathlib import Path

from homunculus.commands.command import Command
from homunculus.flags import count, json_flag
from homunculus.progress import progress


def flags(bench: argparse.ArgumentParser) -> None:
    about = "batch: rows a second of `homunculus batch`; "
    about += "core: every rule against plain top-K; kills: rows that `homunculus batch` loses when "
    about += "it is killed or its disk is full; memory: of a proxy that meets ever new pictures; "
    about += "plan: planning views against an encoder; "
    about += "prefill: fewer tokens before, after and inside a model of real size; "
    about += "proxy: LiteLLM with our hook against the same without it; "
    about += "questions: many questions on one image, vLLM with our plugin and without; "
    about += "rivals: other people's methods against plain top-K; "
    about += "scout: a page and its questions against an encoder; soak: a server under mixed load, "
    about += "up to an hour; things: a photo and its questions against an encoder; transformers: "
    about += "requests to a "
    about += "model of real size against the same untouched; vllm: servers under load"
    what = ["batch", "core", "kills", "memory", "plan", "prefill", "proxy", "questions", "rivals"]
    what += ["scout", "soak", "things", "transformers", "vllm"]
    bench.add_argument("what", choices=what, help=about)
    about = "runs per number (60; 20 for plan and things, 10 for scout, 5 for rivals and "
    about += "transformers, 3 for prefill; rounds: 5 for proxy, 2 for questions, 200 for soak, "
    about += "3 for vllm; rows: 5,000 for batch; kills: 30; pictures: 300 for memory)"
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
