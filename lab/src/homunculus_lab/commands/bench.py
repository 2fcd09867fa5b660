"""`homunculus bench`: time and memory, as ratios."""

import argparse
import json
from pathlib import Path

from homunculus.commands.command import Command, fail
from homunculus.flags import count, json_flag
from homunculus.progress import progress


def flags(bench: argparse.ArgumentParser) -> None:
    about = (
        "batch: rows a second of `homunculus batch`; core: every rule against plain top-K; "
        "install: what a wheel costs to install, import and run; scout: a page and its questions "
        "against an encoder; transformers: requests to a model of real size against the same "
        "untouched; views: new pages and further questions; vllm: servers under load"
    )
    what = ["batch", "core", "install", "scout", "transformers", "views", "vllm"]
    bench.add_argument("what", choices=what, help=about)
    about = (
        "runs per number (60; 10 for scout and views, 5 for transformers, 2 for install); rounds "
        "(3) or rows (5,000)"
    )
    bench.add_argument("--repeats", type=count, help=about)
    bench.add_argument("--scout", type=Path, metavar="DIR", help="other weights than the shipped")
    about = "views: the interpreter of another installation, to be measured beside this one"
    bench.add_argument("--other", type=Path, metavar="PYTHON", help=about)
    of_install = bench.add_argument_group("install")
    about = "wheels to install: the product, then what it needs that is on no index"
    of_install.add_argument("--wheel", type=Path, nargs="+", metavar="FILE", help=about)
    about = "limits for pip, such as constraints.txt"
    of_install.add_argument(
        "--constraint", type=Path, nargs="*", default=[], metavar="FILE", help=about
    )
    about = "the picture that is looked at (%(default)s)"
    default = Path("docs/invoice.png")
    of_install.add_argument("--page", type=Path, default=default, metavar="FILE", help=about)
    about = "an interpreter that has LiteLLM's proxy (it is installed, which takes minutes)"
    of_install.add_argument("--litellm", type=Path, metavar="PYTHON", help=about)
    bench.add_argument("-o", "--out", type=Path, metavar="FILE", help="also write it as JSON")
    json_flag(bench)


def run(arguments: argparse.Namespace) -> int:
    from homunculus_lab.speed import command

    if arguments.what == "install" and not arguments.wheel:
        return fail(
            "bench install", "no wheel. Make one with `python -m build`, name it by --wheel."
        )
    with progress("measuring") as shown:
        result, text = command.run(arguments, shown.say)
    print(json.dumps(result, indent=2) if arguments.json else text)
    return 0


COMMAND = Command("bench", "measure time and memory, as ratios", "core", flags, run)
