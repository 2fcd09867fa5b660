"""Runs that take turns on one thread: a noisy neighbour disturbs all of them alike."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from statistics import median
from time import perf_counter

import torch

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
