# pyright: basic
"""How far a long run is: a bar for a person at a terminal, plain lines for a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from homunculus.lazy import need

Tell = Callable[[int, str], None]
EVERY = 50
"""Steps between plain lines."""


@contextmanager
def progress(start: int, total: int, who: str) -> Iterator[Tell]:
    """Yields a function to call after each step with its number and a few words."""
    if sys.stderr.isatty():
        with _bar(start, total, who) as tell:
            yield tell
    else:
        yield _lines(start, total)


def _lines(start: int, total: int) -> Tell:
    began = time.monotonic()

    def tell(step: int, words: str) -> None:
        if step % EVERY == 0 or step == total:
            rate = (step - start) / max(time.monotonic() - began, 1e-9)
            left = (total - step) / rate / 60 if rate else 0.0
            sys.stderr.write(f"{step}/{total} {rate:.2f} steps/s, {left:.0f} min left, {words}\n")
            sys.stderr.flush()

    return tell


@contextmanager
def _bar(start: int, total: int, who: str) -> Iterator[Tell]:
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

        def tell(step: int, words: str) -> None:
            rate = (step - start) / max(time.monotonic() - began, 1e-9)
            bar.update(task, completed=step, words=f"{rate:.2f} steps/s {words}")

        yield tell
