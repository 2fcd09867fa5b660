"""Work in processes of their own: if it crashes or hangs, this process goes on.

`multiprocessing` is not used: its processes import the main module of their parent again, which may
be a whole server, or a script that would run twice. A child reads work from its standard input
and ends when that closes, however its parent ended.
"""

import os
import pickle
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, LifoQueue, SimpleQueue
from threading import TIMEOUT_MAX, Thread, Timer
from time import monotonic
from typing import Any, TypeVar

R = TypeVar("R")

START = 300.0
"""Seconds that a new process may take for its imports and weights."""
BOOT = "import sys; sys.path[:] = sys.argv[1:]; from homunculus.serve.child import main; main()"
"""What a child runs. Modules are found where its parent finds them, in that order."""
LATE = "views were not ready in time"


class ChildError(RuntimeError):
    """The process that did the work has ended."""


class Children:
    """A few processes, each with one piece of work at a time. They start with the first work."""

    def __init__(
        self, processes: int, seconds: float = TIMEOUT_MAX, first: Callable[[], Any] | None = None
    ) -> None:
        """A process that works for longer than ``seconds`` is ended.

        ``first`` is what a new process does before its work, such as loading weights.
        """
        self.processes, self.seconds, self.first = processes, seconds, first
        self._fill()

    def _fill(self) -> None:
        self._owner, self._idle = os.getpid(), LifoQueue[_Child]()
        for _ in range(self.processes):
            self._idle.put(_Child())

    def run(self, work: Callable[[], R], until: float = float("inf")) -> R:
        """The result of ``work``, which must be something that pickle takes.

        What it raises is raised. `ChildError` says that its process has ended: the next work gets a
        new one. If no process is free by ``until``, a time of the monotonic clock, it is not begun.
        """
        if os.getpid() != self._owner:  # a fork of ours: two must not read the same answers
            self._fill()
        try:
            child = self._idle.get(timeout=min(max(0.0, until - monotonic()), TIMEOUT_MAX))
        except Empty:
            raise TimeoutError(LATE) from None
        try:
            self._ready(child)
            if monotonic() > until:
                raise TimeoutError(LATE)
            return child.run(work, self.seconds)
        finally:
            self._idle.put(child)

    def start(self) -> None:
        """Start all processes that do not run yet."""
        some = [self._idle.get() for _ in range(self.processes)]
        for child in some:
            with suppress(Exception):  # the first work will say what is wrong
                self._ready(child)
            self._idle.put(child)

    def _ready(self, child: "_Child") -> None:
        if child.alive():
            return
        child.start()
        if self.first:
            try:
                child.run(self.first, max(START, self.seconds))
            except ChildError:
                raise
            except Exception:
                return  # the same will happen to its work, whose owner can be told


class _Child:
    """One process. Only one thread uses it at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], Any] | None = None

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        self.stop()
        command = [sys.executable, "-c", BOOT, *map(str, sys.path)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe)
        self._end = weakref.finalize(self, _end, self._process, os.getpid())

    def run(self, work: Callable[[], R], seconds: float) -> R:
        """The result of some work; the process is ended if that takes too long."""
        data = pickle.dumps(work)
        process: Any = self._process
        timer = Timer(min(seconds, TIMEOUT_MAX), process.kill)
        timer.daemon = True
        timer.start()
        try:
            pickle.dump(data, process.stdin)
            process.stdin.flush()
            good, value = pickle.load(process.stdout)
        except BaseException as error:
            self.stop()  # else its answer would be taken for that of the next work
            if not isinstance(error, Exception):
                raise
            raise ChildError("the process that makes views has ended") from None
        finally:
            timer.cancel()
        if good:
            return value
        raise value

    def stop(self) -> None:
        if self._end:
            self._end()
        self._process = self._end = None


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """End a process, unless it is that of another one of which this is a fork."""
    if os.getpid() == owner:
        process.kill()
        with suppress(OSError):  # what was not sent is not sent any more
            process.communicate()


# ---- in the child --------------------------------------------------------------------------------


def main() -> None:
    """Do what standard input asks for until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the parent decides
    os.environ["HOMUNCULUS_PROCESSES"] = "0"  # whatever the work imports, it has no children
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not be taken for an answer
    work = SimpleQueue[bytes]()
    Thread(target=_read, args=(work,), daemon=True).start()
    with suppress(OSError):  # the parent has ended
        while True:
            answers.write(_answer(work.get()))
            answers.flush()
    os._exit(0)


def _read(work: SimpleQueue[bytes]) -> None:
    """A thread, so that the end of the parent is seen during work, too."""
    try:
        while True:
            work.put(pickle.load(sys.stdin.buffer))
    finally:
        os._exit(0)


def _answer(data: bytes) -> bytes:
    try:
        return pickle.dumps((True, pickle.loads(data)()))
    except Exception as error:
        return _error(error)


def _error(error: Exception) -> bytes:
    """An error for the parent; its sentence alone if it cannot be sent as it is."""
    try:
        data = pickle.dumps((False, error))
        pickle.loads(data)
        return data
    except Exception:
        return pickle.dumps((False, RuntimeError(str(error) or type(error).__name__)))
