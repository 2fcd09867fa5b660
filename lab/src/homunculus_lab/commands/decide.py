"""`homunculus decide`: GO or NO-GO from results of `measure`."""

import argparse
import json

from homunculus.commands.command import Command
from homunculus.progress import progress


def flags(parser: argparse.ArgumentParser) -> None:
    """The flags of its room."""
    from homunculus_lab.decide import command

    command.flags(parser)


def run(arguments: argparse.Namespace) -> int:
    from homunculus_lab.decide import command

    with progress("computing intervals"):
        decision, outputs = command.run(arguments)
    print(json.dumps(decision) if arguments.json else command.summary(decision, outputs))
    return 0


COMMAND = Command(
    "decide",
    "compare results of `measure`, and report GO or NO-GO",
    "run.json -o report.html",
    flags,
    run,
)
