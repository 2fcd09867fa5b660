"""How far a long command is: one line on stderr, which moves at a terminal.

Elsewhere, in a log, a line comes every few seconds. There is one display at a time: work inside
other work speaks through the display that is there.

rich draws the line, but not with `rich.progress`, which writes nothing to a log before the end,
and draws at once, also for work that ends before anybody has waited.
"""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from time import monotonic

PATIENCE = 2.0
"""Seconds before work that may end soon is spoken of at a terminal."""
EVERY, LATER = 5.0, 30.0
"""Seconds between two lines in a log, and after the first minute."""
BAR = 30
"""Characters of a full bar."""


@dataclass
class Progress:
    """What a command is doing; call it after each step, or say a few words."""

    what: str
    words: str = ""
    done: int = 0
    total: int = 0
    """0 where it is unknown."""
    start: float = field(default_factory=monotonic)
    first: int | None = None
    """The step at which the work began: a run may be resumed."""
    changed: Event = field(default_factory=Event)

    def __call__(self, done: int, total: int, words: str = "") -> None:
        """That many steps of all are done."""
        if self.first is None or total != self.total or done < self.done:
            self.first, self.start = done, monotonic()
        self.done, self.total, self.words = done, total, words
        self.changed.set()

    def say(self, words: str) -> None:
        """What is done now."""
        self.words = words

    def line(self, bar: bool = False) -> str:
        """All of it in a line."""
        if not self.total:
            return f"{self.what}: {self.words}" if self.words else self.what
        full = round(BAR * min(1.0, self.done / self.total))
        bar_text = f"{'━' * full}{'╌' * (BAR - full)} " if bar else ""
        parts = [part for part in (self._left(), self.words) if part]
        return ", ".join([f"{self.what} {bar_text}{self.done}/{self.total}", *parts])

    def _left(self) -> str:
        steps = self.done - (self.first or 0)
        if steps < 1 or self.done >= self.total:
            return ""
        return f"{lasting((monotonic() - self.start) / steps * (self.total - self.done))} left"


def lasting(seconds: float | int) -> str:
    """Seconds for people.

    >>> lasting(7.2), lasting(140), lasting(4000)
    ('7 s', '2 min', '1 h 7 min')
    """
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


_current: list[Progress] = []  # the work that is shown, if there is any
_lock = Lock()


@contextmanager
def progress(what: str) -> Generator[Progress, None, None]:
    """Show how far a piece of work is, as long as it lasts."""
    with _lock:
        inner = bool(_current)
        if not inner:
            _current.append(Progress(what))
        work = _current[0]
    if inner:
        yield work
        return
    end = Event()
    drawer = Thread(target=_draw, args=(work, end), daemon=True)
    drawer.start()
    try:
        yield work
    finally:
        end.set()
        work.changed.set()
        drawer.join()
        _current.clear()


@contextmanager
def counted(what: str, shown: bool = True) -> Generator[Callable[[int, int], None], None, None]:
    """Show steps of a piece of work; inside other work, in words behind its own."""
    if not shown:
        yield lambda done, total: None
        return
    with progress(what) as work:
        if work.what == what:
            yield work
        else:
            yield lambda done, total: work.say(f"{what} {done}/{total}")


def _draw(work: Progress, end: Event) -> None:
    if not sys.stderr.isatty():
        _write_lines(work, end)
        return
    work.changed.wait(PATIENCE)  # a first step is drawn at once: there will be more
    if end.is_set() and not work.total:
        return
    from rich.console import Console  # here, as they take a fifth of a second to load
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    def line() -> Text:
        return Text(work.line(bar=True), overflow="ellipsis", no_wrap=True)

    spinner, console = Spinner("dots", line()), Console(stderr=True)
    with Live(spinner, console=console, transient=True, redirect_stdout=False):
        while not end.wait(0.1):  # what is printed meanwhile stays on stdout
            spinner.update(text=line())
        spinner.update(text=line())  # drawn once more as it ends


def _write_lines(work: Progress, end: Event) -> None:
    began = monotonic()
    while not end.wait(EVERY if monotonic() - began < 60 else LATER):
        passed = lasting(monotonic() - began)
        sys.stderr.write(f"{work.line()} ({passed})\n")
        sys.stderr.flush()
