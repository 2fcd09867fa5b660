"""What an error of a command means: a mistake of the user, a failure of the machine, or a bug."""

import platform
import shlex
from collections.abc import Sequence
from dis import opname
from json import JSONDecodeError

from homunculus import __version__
from homunculus.lazy import MissingExtra

MISTAKE, FAILURE = 2, 1
"""Exit codes: what the user can mend, and what not."""
OF_USERS = (
    MissingExtra, FileNotFoundError, FileExistsError, PermissionError, NotADirectoryError,
    IsADirectoryError,
)  # fmt: skip
"""Something is not installed, or a path that the user named does not fit."""
OF_CONTENTS = (JSONDecodeError, UnicodeDecodeError)
"""A library read what the user gave, and could not."""


def raised_on_purpose(error: BaseException) -> bool:
    """Whether a `raise` in this package made the error, so that its text is written for users.

    Not so where a library raised it, or a builtin in a line of ours, as `int("a")` does.

    >>> from homunculus.planner.models import token_rule
    >>> try: token_rule("qwen-3vl")
    ... except ValueError as error: print(raised_on_purpose(error))
    True
    >>> try: int("a")
    ... except ValueError as error: print(raised_on_purpose(error))
    False
    """
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    if trace is None:
        return False
    room = str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0]
    instruction = opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]]
    return room in ("homunculus", "homunculus_lab") and instruction == "RAISE_VARARGS"


def explain(error: Exception, command: Sequence[str]) -> tuple[int, str]:
    """The exit code of a command that failed, and what to tell its user."""
    refused = isinstance(error, ValueError) and raised_on_purpose(error)
    if refused or isinstance(error, OF_USERS):
        return MISTAKE, str(error)
    if isinstance(error, OF_CONTENTS):
        return MISTAKE, f"expected JSON or text in UTF-8, got something else ({error})."
    if isinstance(error, OSError | MemoryError):
        return FAILURE, str(error) or "there is not enough memory."
    versions = f"homunculus {__version__}, Python {platform.python_version()}"
    return FAILURE, (
        f"{type(error).__name__}: {error}\n"
        "This is a bug in homunculus, please report it, with the command and the versions:\n"
        f"  homunculus {shlex.join(command)}\n"
        f"  {versions}, {platform.platform()}\n"
        "With --debug, the command says where it happened."
    )
