"""What a verb of the command line is; other packages offer theirs as `homunculus.commands`."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """A verb: its help, its flags, and what it does.

    ``flags`` and ``run`` are called only for the verb that was given, so what is heavy is imported
    inside of them.
    """

    name: str
    help: str
    example: str
    flags: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    passes_flags_on: bool = False
    """Whether flags that it does not know belong to a program that it starts."""


def fail(verb: str, message: str, code: int = 2) -> int:
    """Print an error of a verb, and return its exit code."""
    message = message.removeprefix(f"{verb}: ")  # the function of that name says so, too
    print(f"homunculus {verb}: {message}", file=sys.stderr)
    return code
