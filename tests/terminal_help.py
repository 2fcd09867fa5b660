"""Run a command in a pseudo-terminal and see what a person at it would see."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from fcntl import ioctl
from pathlib import Path
from struct import pack
from termios import TIOCSWINSZ

CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
MOVES = re.compile(r"\r\n|\r|\n|\x1b\[\d*A")
"""What ends a line, or leaves it to draw another one."""


def terminal(arguments: Sequence[str], folder: Path, source: Path) -> tuple[int, list[str]]:
    """The exit code of `python ARGUMENTS`, and every line in the order it was drawn."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, pack("HHHH", 40, 120, 0, 0))
    environment = os.environ | {"PYTHONPATH": str(source), "TERM": "xterm"}
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_INTERACTIVE"):
        environment.pop(name, None)
    with subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs,
    ) as process:  # fmt: skip
        os.close(theirs)
        stream = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    pieces = MOVES.split(stream.decode(errors="replace"))
    lines = [CONTROL.sub("", piece).strip() for piece in pieces]
    return process.returncode, [line for line in lines if line]


def _read(stream: int) -> bytes:
    try:
        return os.read(stream, 65536)
    except OSError:  # Linux says so when the last writer has left
        return b""
