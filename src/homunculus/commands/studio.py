"""`homunculus studio`: methods side by side in the browser."""

import argparse

from homunculus.commands.command import Command
from homunculus.flags import count, whole


def flags(studio: argparse.ArgumentParser) -> None:
    add = studio.add_argument
    add("--port", type=whole, default=7860, help="port of the page; 0 for any (%(default)s)")
    add("--host", default="127.0.0.1", help="address of the page (%(default)s: this machine alone)")
    about = "let other machines reach the page, where --host does; it asks for no password"
    add("--allow-remote", action="store_true", help=about)
    add("--tokens", type=count, default=64, help="budget to begin with (%(default)s)")
    about = "model that looks, to begin with: see `homunculus cost` (%(default)s)"
    add("--model", default="qwen3-vl", help=about)
    about = "also show the answers of a model behind an OpenAI-compatible server: its address"
    add("--server", metavar="URL", help=f"{about}, such as http://127.0.0.1:8000/v1")
    add("--server-model", metavar="NAME", help="model of the server (the first that it lists)")


def run(arguments: argparse.Namespace) -> int:
    from homunculus.planner.models import token_rule
    from homunculus.serve.chat import Chat
    from homunculus.studio.compare import Request
    from homunculus.studio.page import check_host, serve

    check_host(arguments.host, arguments.allow_remote)
    token_rule(arguments.model)
    Request(tokens=arguments.tokens)  # both raise before anything is started
    chat = Chat(arguments.server, arguments.server_model) if arguments.server else None

    def ready(address: str) -> None:
        answers = f", with answers of {chat.model}" if chat else ""
        print(f"Studio: {address}{answers}. Stop it with Ctrl+C.", flush=True)

    serve(arguments.host, arguments.port, chat, arguments.tokens, arguments.model, ready)
    return 0


COMMAND = Command("studio", "compare methods on your own picture, in the browser", "", flags, run)
