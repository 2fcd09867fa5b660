"""`homunculus serve`: a server on which every image costs K tokens."""

import argparse

from homunculus.commands.command import Command


def flags(parser: argparse.ArgumentParser) -> None:
    """The flags of our server; vLLM's are passed on."""
    from homunculus.engines.vllm import command

    command.flags(parser)


def run(arguments: argparse.Namespace) -> int:
    """Start vLLM with our plugin."""
    from homunculus.engines.vllm.command import serve

    return serve(arguments, arguments.rest)


COMMAND = Command(
    "serve",
    "start a server (vLLM) on which every image costs K tokens",
    "MODEL --tokens 273",
    flags,
    run,
    passes_flags_on=True,
)
