"""`homunculus demo`: two pictures that come with the package."""

import argparse
from pathlib import Path

from homunculus.commands.command import Command
from homunculus.progress import progress


def flags(demo: argparse.ArgumentParser) -> None:
    about = "folder for the two pictures and the two drawings (%(default)s)"
    demo.add_argument("-o", "--out", type=Path, default=Path("demo"), metavar="FOLDER", help=about)


def run(arguments: argparse.Namespace) -> int:
    from homunculus.show.demo import EXAMPLES, write_demo
    from homunculus.show.views import facts

    for example in EXAMPLES:
        with progress(f"looking at {example.path.name}"):
            copy, drawing, seen = write_demo(example, arguments.out)
        print(f"wrote {copy}, asked: {seen.question}")
        print(f"wrote {drawing}, resized and as views")
        print("\n".join(f"  {line}" for line in facts(seen)))
    return 0


COMMAND = Command("demo", "see it work on two pictures that come with the package", "", flags, run)
