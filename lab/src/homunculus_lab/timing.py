"""Timing of runs that take turns on one thread, and peak memory."""

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
"""Different scores taken in turn: on repeated scores the processor predicts the branches of a
sort, and bare top-K looks faster than it is."""


@contextmanager
def one_thread() -> Generator[None]:
    """One thread of torch: barriers between threads would measure the load of the machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def side_by_side(runs: list[Callable[[int], object]], repeats: int) -> list[float]:
    """Median seconds of each run, in turns so that other load on the machine slows all alike."""
    times: list[list[float]] = [[] for _ in runs]
    with torch.inference_mode():  # as a server runs them
        for turn in range(repeats + 3):
            for run, seconds in zip(runs, times, strict=True):
                start = perf_counter()
                run(turn)
                seconds.append(perf_counter() - start)
    return [median(seconds[3:]) for seconds in times]


def peak(run: Callable[[], Any]) -> tuple[Any, int | None]:
    """What a run returns, and its peak memory in bytes; None where the system does not tell."""
    try:
        ctypes.CDLL(None).malloc_trim(0)  # free memory not yet returned would hide allocations
        (SELF / "clear_refs").write_text("5")  # resets the peak
        before = _status("VmRSS")
    except (OSError, AttributeError):
        return run(), None
    result = run()
    return result, _status("VmHWM") - before


def resident() -> int:
    """Bytes of this process that are in memory now."""
    return _status("VmRSS")


def _status(name: str) -> int:
    lines = (SELF / "status").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith(f"{name}:")]
    return int(line.split()[1]) * 1024
