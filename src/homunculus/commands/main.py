"""The parser of the command line: finds a verb, adds its flags, runs it, explains its errors."""

import argparse
import re
import sys
from collections.abc import Sequence
from traceback import print_exception
from typing import Any, NoReturn

from homunculus import __version__
from homunculus.commands import (
    batch,
    budget,
    completion,
    cost,
    demo,
    eyetest,
    mcp,
    methods,
    serve,
    show,
    studio,
    views,
)
from homunculus.commands.command import Command, fail
from homunculus.commands.errors import explain
from homunculus.lazy import how_to_install, load_plugins, not_found

COMMANDS = tuple(
    module.COMMAND
    for module in (
        demo, show, views, cost, budget, batch, serve, studio, mcp, eyetest, methods, completion,
    )
)  # fmt: skip
LABORATORY_VERBS = ("measure", "decide", "train", "bench")
LABORATORY_HINT = f"this verb comes with the laboratory: {how_to_install('', 'lab')}."
DEBUG = "show where an error was raised, for reports of bugs"
_failed: list[tuple[str, str]] = []
"""Entry points of other packages that could not be loaded, and why."""


class _Parser(argparse.ArgumentParser):
    command: Command | None = None
    """The verb whose flags are still to be added: once it is called."""
    verbs: dict[str, "_Parser"]

    def add_flags(self) -> None:
        """The flags of the verb."""
        if self.command:
            command, self.command = self.command, None
            self.set_defaults(run=command.run, passes_flags_on=command.passes_flags_on)
            command.flags(self)

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """Parse arguments after the flags of the verb were added."""
        self.add_flags()
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """One line and the way to help, not a page of usage."""
        if choice := re.match(r"argument VERB: invalid choice: '(.*?)'", message):
            if choice[1] in LABORATORY_VERBS:
                self.exit(2, f"{self.prog} {choice[1]}: {LABORATORY_HINT}\n")
            message = not_found("command", choice[1], self.verbs, _failed, "").strip()
        self.exit(2, f"{self.prog}: {message}\nTry `{self.prog} --help`.\n")

    def refuse_words(self, image: str, words: Sequence[str], advice: str = "") -> NoReturn:
        """A question came as one argument a word."""
        self.error(
            f"a question of {len(words)} arguments. Put quotes around it:\n"
            f'  {self.prog} {image} "{" ".join(words)}"{advice}'
        )

    def refuse(self, rest: Sequence[str], arguments: argparse.Namespace) -> NoReturn:
        """Say which of these arguments do not exist."""
        flags = [word for word in rest if word.startswith("-")]
        if not flags:
            if question := getattr(arguments, "question", None):
                self.refuse_words(arguments.image, [question, *rest])
            self.error(f"unexpected {', '.join(map(repr, rest))}.")
        known = [flag for action in self._actions for flag in action.option_strings]
        self.error(not_found("flag", flags[0].partition("=")[0], known, [], "").strip())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 is well, 2 is a mistake of the user, 1 is a failure or a bug."""
    try:
        arguments = _parse(argv)
    except SystemExit as stop:  # argparse leaves this way
        return stop.code if isinstance(stop.code, int) else 0
    try:
        return arguments.run(arguments)
    except BrokenPipeError:  # the reader of our output has left, as `| head` does
        sys.stdout = None
        return 0
    except KeyboardInterrupt:
        return fail(arguments.verb, "stopped.", code=130)
    except Exception as error:
        if arguments.debug:
            print_exception(error)
        code, message = explain(error, sys.argv[1:] if argv is None else argv)
        return fail(arguments.verb, message, code)


def check(argv: Sequence[str]) -> int:
    """Whether a command could be run: 0 if its verb and its flags exist, else as `main`."""
    try:
        _parse(argv)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return 0


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    argv = sys.argv[1:] if argv is None else argv
    parser = _parser(argv)
    if not argv:
        parser.print_help()
        parser.exit()
    arguments, rest = parser.parse_known_args(argv)
    rest = _late_questions(arguments, rest)
    if rest and not arguments.passes_flags_on:
        parser.verbs[arguments.verb].refuse(rest, arguments)
    if _unquoted(words := getattr(arguments, "question", "")):
        advice = "\nSeveral questions of one word each end with question marks: total? date?"
        parser.verbs[arguments.verb].refuse_words(arguments.image, words, advice)
    arguments.rest = rest
    arguments.whole_parser = whole_parser  # `completion` prints it
    return arguments


def _unquoted(questions: str | Sequence[str]) -> bool:
    """Whether several questions are the words of one."""
    if isinstance(questions, str) or len(questions) < 2:
        return False
    words = all(len(question.split()) == 1 for question in questions)
    return words and not all(question.endswith("?") for question in questions)


def _late_questions(arguments: argparse.Namespace, rest: list[str]) -> list[str]:
    """Take questions behind flags, which argparse leaves over. Returns the other words."""
    question = getattr(arguments, "question", None)
    if question is None or any(word.startswith("-") for word in rest):
        return rest
    if isinstance(question, list):
        arguments.question = question + rest
        return []
    if rest and not question:
        arguments.question, *rest = rest
    return rest


def _parser(words: Sequence[str]) -> _Parser:
    """The parser of all verbs; other packages are asked for theirs unless the verb is ours."""
    parser = _Parser(
        prog="homunculus",
        description="Give every image a fixed number of tokens, and spend them where the question "
        "looks.",
        epilog="Begin with `homunculus demo`. `homunculus VERB --help` explains a verb.",
    )
    parser.add_argument("--version", action="version", version=f"homunculus {__version__}")
    parser.add_argument("--debug", action="store_true", help=DEBUG)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    parser.verbs = verbs.choices

    def add(command: Command) -> None:
        verb = verbs.add_parser(
            command.name,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            epilog=f"Example:  homunculus {command.name} {command.example}".rstrip(),
            allow_abbrev=False,  # a flag means one thing, whatever is added beside it
        )
        # before the verb or behind it; a default here would undo the one before it
        verb.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=DEBUG)
        verb.command = command

    for command in COMMANDS:
        add(command)
    if next((word for word in words if not word.startswith("-")), None) in parser.verbs:
        return parser

    def add_plugin(_: str, command: object) -> None:
        if not isinstance(command, Command):
            raise TypeError(f"it must be a Command, got {type(command).__name__}")
        if command.name in parser.verbs:
            raise ValueError(f"there is already a verb {command.name!r}, rename yours")
        add(command)

    _failed[:] = load_plugins("homunculus.commands", add_plugin)
    return parser


def whole_parser() -> _Parser:
    """The parser with all flags of all verbs, for a shell to complete."""
    parser = _parser([])
    for verb in parser.verbs.values():
        verb.add_flags()
    return parser
