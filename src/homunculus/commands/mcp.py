"""`homunculus mcp`: a tool for agents."""

import argparse
from pathlib import Path

from homunculus import DEFAULT_TOKENS, __version__
from homunculus.commands.command import Command, fail
from homunculus.commands.picture import ocr_flag
from homunculus.flags import count


def flags(mcp: argparse.ArgumentParser) -> None:
    add = mcp.add_argument
    about = "folders whose pictures may be looked at (the current one)"
    add("roots", nargs="*", type=Path, default=[Path()], metavar="FOLDER", help=about)
    about = "tokens of a call that names none (%(default)s)"
    add("--tokens", type=count, default=DEFAULT_TOKENS, help=about)
    add("--model", default="claude", help="model that looks: see `homunculus cost` (%(default)s)")
    ocr_flag(mcp)


def run(arguments: argparse.Namespace) -> int:
    from homunculus.pages.ocr import get_ocr
    from homunculus.planner.models import token_rule
    from homunculus.serve.tool import server

    token_rule(arguments.model)  # raises before a client waits
    if arguments.ocr:
        get_ocr(arguments.ocr)
    for root in arguments.roots:
        if not root.is_dir():
            return fail("mcp", f"{root}: no such folder. Name folders with pictures.")
    roots = [root.resolve() for root in arguments.roots]
    server(roots, arguments.tokens, arguments.model, __version__, arguments.ocr).run()
    return 0


COMMAND = Command("mcp", "offer agents a tool that looks at pictures (MCP)", "FOLDER", flags, run)
