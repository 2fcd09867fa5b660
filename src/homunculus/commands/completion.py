"""`homunculus completion`: a script for the shell."""

import argparse

from homunculus.commands.command import Command
from homunculus.flags import SHELLS, completion
from homunculus.lazy import MissingExtra, need_torch


def flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="whose script")


def run(arguments: argparse.Namespace) -> int:
    parser = arguments.whole_parser()
    print(completion(parser, parser.verbs.values(), arguments.shell, _values()))
    return 0


def _values() -> dict[str, list[str]]:
    from homunculus.pages.ocr_engines import ENGINES
    from homunculus.planner.acuity import ACUITIES
    from homunculus.planner.models import MODELS
    from homunculus.scouts.registry import list_scouts

    methods = _methods()
    rows = {"--method": methods, "--methods": ["all", *methods], "--scout": list(list_scouts())}
    return rows | {
        "--model": list(MODELS),
        "--token-size": list(MODELS),
        "--acuity": list(ACUITIES),
        "--ocr": list(ENGINES),
    }


def _methods() -> list[str]:
    from homunculus.views import METHOD

    try:
        need_torch("any other method")
    except MissingExtra:
        return [METHOD]
    from homunculus.engines.cells.methods import list_methods

    return [METHOD, *list_methods()]


COMMAND = Command(
    "completion",
    "print a script that lets a shell complete verbs and flags",
    "bash > ~/.local/share/bash-completion/completions/homunculus",
    flags,
    run,
)
