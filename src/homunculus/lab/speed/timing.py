"""Runs that take turns on one thread: a noisy neighbour disturbs all alike. Peaks of memory."""

import ctypes
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import torch

SELF = Path("/proc/self")
FRESH = 16
"""Different scores taken in turn: on the same scores again and again a processor learns the
branches of a sort by heart, and bare top-K looks faster than it is."""


@contextmanager
def one_thread() -> Generator[None]:
    """Barriers between threads would measure who else is on the machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def side_by_side(runs: list[Callable[[int], object]], repeats: int) -> list[float]:
    """Median seconds of each, taken in turns so that a noisy neighbour disturbs all alike."""
    times: list[list[float]] = [[] for _ in runs]
    with torch.inference_mode():  # as a server runs them, ours and theirs alike
        for turn in range(repeats + 3):
            for run, taken in zip(runs, times, strict=True):
                start = perf_counter()
                run(turn)
                taken.append(perf_counter() - start)
    return [median(taken[3:]) for taken in times]


def peak(run: Callable[[], Any]) -> tuple[Any, int | None]:
    """What a run returns, and bytes it needs beyond what was there; None if a system is silent."""
    try:
        ctypes.CDLL(None).malloc_trim(0)  # what is free but not given back would hide what is asked
        (SELF / "clear_refs").write_text("5")  # the highest mark starts anew
        before = _status("VmRSS")
    except (OSError, AttributeError):
        return run(), None
    made = run()
    return made, _status("VmHWM") - before


def _status(name: str) -> int:
    lines = (SELF / "status").read_text().splitlines()
    (found,) = [line for line in lines if line.startswith(f"{name}:")]
    return int(found.split()[1]) * 1024
