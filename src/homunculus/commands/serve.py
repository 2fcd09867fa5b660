"""`homunculus serve`: a server on which every image costs K tokens."""

import argparse

from homunculus.commands.command import Command
from homunculus.lazy import MissingExtra, need


def flags(parser: argparse.ArgumentParser) -> None:
    """The flags of our server; vLLM's are passed on."""
    try:
        from homunculus.engines.vllm import command
    except MissingExtra:
        return  # `run` says so: a shell may complete the other verbs

    command.flags(parser)


def run(arguments: argparse.Namespace) -> int:
    """Start vLLM with our plugin."""
    need("torch", "vllm", "homunculus serve")
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
