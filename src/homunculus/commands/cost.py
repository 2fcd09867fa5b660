"""`homunculus cost`: what a picture costs with each model."""

import argparse
import json

from homunculus import DEFAULT_TOKENS
from homunculus.commands.command import Command
from homunculus.flags import count, json_flag


def flags(cost: argparse.ArgumentParser) -> None:
    add = cost.add_argument
    add("image", help="a picture, a document, or the size of a picture in pixels: 4032x3024")
    add("--model", default="all", help="one model, or all (%(default)s)")
    add("--tokens", type=count, default=DEFAULT_TOKENS, help="budget for views (%(default)s)")
    json_flag(cost)


def run(arguments: argparse.Namespace) -> int:
    from homunculus.planner.cost import costs, table

    rows = costs(arguments.image, arguments.model, arguments.tokens)
    print(json.dumps({"costs": rows}, indent=2) if arguments.json else table(rows))
    return 0


COMMAND = Command("cost", "say what a picture costs with each model", "4032x3024", flags, run)
