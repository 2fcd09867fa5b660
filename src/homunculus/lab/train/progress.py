# pyright: basic
"""Progress of a long run: a bar on a terminal, plain lines in a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from homunculus.lazy import need

Update = Callable[[int, str], None]
EVERY = 50
"""Steps between plain lines."""


@contextmanager
def progress(start: int, total: int, who: str) -> Iterator[Update]:
    """Yields a function to call after each step with its number and a few words."""
    if sys.stderr.isatty():
        with _bar(start, total, who) as update:
            yield update
    else:
        yield _lines(start, total)


def _lines(start: int, total: int) -> Update:
    began = time.monotonic()

    def update(step: int, words: str) -> None:
        if step % EVERY == 0 or step == total:
            rate = (step - start) / max(time.monotonic() - began, 1e-9)
            left = (total - step) / rate / 60 if rate else 0.0
            sys.stderr.write(f"{step}/{total} {rate:.2f} steps/s, {left:.0f} min left, {words}\n")
            sys.stderr.flush()

    return update


@contextmanager
def _bar(start: int, total: int, who: str) -> Iterator[Update]:
    rich = need("rich.progress", "learn", who)
    columns = (
        rich.BarColumn(), rich.MofNCompleteColumn(), rich.TimeElapsedColumn(),
        rich.TimeRemainingColumn(), rich.TextColumn("{task.fields[words]}"),
    )  # fmt: skip
    began = time.monotonic()
    with rich.Progress(
        *columns, console=need("rich.console", "learn", who).Console(stderr=True)
    ) as bar:
        task = bar.add_task("train", total=total, completed=start, words="")

        def update(step: int, words: str) -> None:
            rate = (step - start) / max(time.monotonic() - began, 1e-9)
            bar.update(task, completed=step, words=f"{rate:.2f} steps/s {words}")

        yield update
