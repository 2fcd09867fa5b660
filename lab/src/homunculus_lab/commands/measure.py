"""`homunculus measure`: what can still be read from the tokens that are kept."""

import argparse
import json
import sys
from contextlib import nullcontext

from homunculus.commands.command import Command
from homunculus.progress import Progress, progress


def flags(parser: argparse.ArgumentParser) -> None:
    """The flags of its room."""
    from homunculus_lab.official import flags

    flags.flags(parser)


def run(arguments: argparse.Namespace) -> int:
    from homunculus_lab.measure.command import ahead, table
    from homunculus_lab.official.command import dry_run, is_official, measure

    if arguments.dry_run:
        from homunculus_lab.official.bakeoff import dry_text

        cost = dry_run(arguments)
        print(json.dumps(cost) if arguments.json else dry_text(cost))
        return 0
    if not is_official(arguments) and (notice := ahead(arguments)):
        print(f"homunculus measure: {notice}", file=sys.stderr)
    theirs = nullcontext(Progress("measuring"))  # lmms-eval draws its own
    with theirs if is_official(arguments) else progress("measuring") as tell:
        known = arguments.out is not None and arguments.out.exists()
        result, out = measure(arguments, tell)
    print(json.dumps(result) if arguments.json else table(result))
    replaced = " (replaced)" if known else ""
    print(f"wrote {out}{replaced}", file=sys.stderr if arguments.json else sys.stdout)
    return 0


COMMAND = Command(
    "measure",
    "measure what can still be read from the tokens that are kept",
    "SUITE --methods all",
    flags,
    run,
)
