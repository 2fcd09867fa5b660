"""`homunculus batch`: whole folders and archives."""

import argparse
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO

from homunculus.commands.command import Command
from homunculus.progress import progress


def flags(parser: argparse.ArgumentParser) -> None:
    """The flags of a job."""
    from homunculus.batch import command

    command.flags(parser)


def run(arguments: argparse.Namespace) -> int:
    from homunculus.batch import command

    with _own_stdout() as out, progress("batch") as shown:

        def say(line: str) -> None:
            if arguments.json:
                print(line, file=out, flush=True)

        code, text = command.run(arguments, say, shown)
    print(text, file=sys.stderr if arguments.json else sys.stdout)
    return code


@contextmanager
def _own_stdout() -> Generator[TextIO, None, None]:
    """Our output alone; what libraries and their processes print meanwhile goes to stderr."""
    try:
        number, elsewhere = sys.stdout.fileno(), sys.stderr.fileno()
    except (OSError, ValueError):  # no files, as in a test
        yield sys.stdout
        return
    sys.stdout.flush()
    with os.fdopen(os.dup(number), "w") as out:
        os.dup2(elsewhere, number)
        try:
            yield out
        finally:
            out.flush()
            os.dup2(out.fileno(), number)


COMMAND = Command(
    "batch",
    "plan, or answer, the pages of whole folders and archives, on one machine or many",
    'pages/ out/ --question "What is the total?" --tokens 64',
    flags,
    run,
)
