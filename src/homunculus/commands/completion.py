"""`homunculus completion`: a script for the shell."""

import argparse

from homunculus.commands.command import Command
from homunculus.flags import SHELLS, completion


def flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="whose script")


def run(arguments: argparse.Namespace) -> int:
    parser = arguments.whole_parser()
    print(completion(parser, parser.verbs.values(), arguments.shell, _values()))
    return 0


def _values() -> dict[str, list[str]]:
    from homunculus.engines.cells.methods import PLANNED, list_methods
    from homunculus.planner.acuity import ACUITIES
    from homunculus.planner.models import MODELS
    from homunculus.scouts.registry import list_scouts

    methods = [*PLANNED, *list_methods()]
    rows = {"--method": methods, "--methods": ["all", *methods], "--scout": list(list_scouts())}
    return rows | {
        "--model": list(MODELS),
        "--token-size": list(MODELS),
        "--acuity": list(ACUITIES),
    }


COMMAND = Command(
    "completion",
    "print a script that lets a shell complete verbs and flags",
    "bash > ~/.local/share/bash-completion/completions/homunculus",
    flags,
    run,
)
