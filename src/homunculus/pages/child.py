"""A process that works for this one: a message goes in, an answer comes out, or it is killed.

What reads strangers' files may hang, crash, or take all memory; here it costs that file alone. A
message and an answer are a length of 4 bytes and that many bytes. The process ends with its parent.
"""

import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread, Timer
from typing import Any, BinaryIO

LENGTH = struct.Struct(">I")
POLL = 1.0
"""Seconds between two looks at whether the parent is still there."""


class ChildFailed(Exception):  # noqa: N818 - it is what happened
    """No answer came; the message is the end of a sentence."""


class Child:
    """A process that answers messages, one after the other."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    @property
    def ended(self) -> bool:
        """Whether it answers no more."""
        return self.process.poll() is not None

    def ask(self, *parts: Any, seconds: float | int, most: int) -> bytes:
        """The answer to a message, of at most ``most`` bytes, within ``seconds``.

        Whatever goes wrong ends the process: what is still in its pipes belongs to this message.
        """
        killed = Event()
        late = Timer(seconds, lambda: (killed.set(), _kill(self.process)))
        late.daemon = True
        late.start()
        try:
            return self._answer(parts, most)
        except BaseException as error:
            self.end()
            if killed.is_set():
                raise ChildFailed(f"it took more than {seconds:.3g} seconds") from error
            if isinstance(error, OSError | ValueError):
                raise ChildFailed("its process ended") from error
            raise
        finally:
            late.cancel()

    def _answer(self, parts: tuple[Any, ...], most: int) -> bytes:
        sent, answers = self.process.stdin, self.process.stdout
        if sent is None or answers is None:
            raise OSError
        views = [memoryview(part).cast("B") for part in parts]
        sent.write(LENGTH.pack(sum(view.nbytes for view in views)))
        for view in views:
            sent.write(view)
        sent.flush()
        return _message(answers, most)

    def end(self) -> None:
        """Kill it, and what it has started."""
        _kill(self.process)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()


def start(module: str, *arguments: str, **variables: str) -> "subprocess.Popen[bytes]":
    """A process that runs a module, with some variables of the environment besides."""
    # -P: the current folder is no place to import from
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, start_new_session=True, env={**os.environ, **variables},
    )  # fmt: skip


def serve(answer: Callable[[bytes], bytes]) -> None:
    """Answer messages until no more come: what a process of ours does."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get between
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with suppress(OSError):
        while True:
            data = answer(_message(sys.stdin.buffer))
            answers.write(LENGTH.pack(len(data)) + data)
            answers.flush()


def _message(pipe: BinaryIO | Any, most: int = 1 << 32) -> bytes:
    """The next message of a pipe; raises OSError or ValueError if it is not whole, or too long."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise OSError
    (size,) = LENGTH.unpack(head)
    if size > most:
        raise ValueError
    data = pipe.read(size)
    if len(data) < size:
        raise OSError
    return data


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and what it has started, such as the `tesseract` command."""
    if process.poll() is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


def _end_with(parent: int) -> None:
    """End when the parent is no more, even in the middle of a message."""
    while os.getppid() == parent:
        time.sleep(POLL)
    os._exit(1)
