"""Time and memory of each rival, beside `cut` and a bare top-K: in turns, on one thread.

Seconds of the processor, not of the clock: a greedy rule runs long enough to be interrupted.
"""

from collections.abc import Callable
from functools import partial
from statistics import median
from time import process_time
from typing import Any

import torch

from homunculus.engines.cells.methods import Method, get_method
from homunculus.eyes.provenance import provenance
from homunculus_lab.rivals import RIVALS
from homunculus_lab.rivals.encoder import Attention, EncoderMaterial
from homunculus_lab.timing import FRESH, one_thread, peak

GRID, CHANNELS, WORDS = (32, 32), 1024, 8
"""Cells of an image of LLaVA's or Qwen's size, their channels, and the words of a question."""
BUDGETS = (64, 273)
LEAST = 0.01
"""Seconds that a turn lasts at least."""
OURS = ("grid", "cut")


def measure(repeats: int = 5, progress: Callable[[str], None] | None = None) -> dict[str, Any]:
    """From features to a choice (lift and rule) as ratios to a bare top-K of as many scores."""
    rows: list[dict[str, Any]] = []
    with one_thread(), torch.inference_mode():
        source = provenance()
        given = _material()
        logits = [torch.randn(1, GRID[0] * GRID[1]) for _ in range(FRESH)]
        for name in (*OURS, *RIVALS):
            if progress:
                progress(name)
            for slots in BUDGETS:
                method = get_method(name)
                known = given if method.source == "model" else EncoderMaterial()
                run = partial(_choice, method, slots, logits, known)
                topk = partial(_topk, slots, logits)
                ours, bare = _seconds([run, topk], repeats)
                row = {"method": name, "tokens": slots, "ratio_topk": round(ours / bare, 1)}
                rows.append(row | {"peak_bytes": peak(partial(run, 0))[1]})
    return {
        "cells": GRID[0] * GRID[1],
        "channels": CHANNELS,
        "words": WORDS,
        "threads": 1,
        "repeats": repeats,
        "clock": "seconds of the processor",
        "rows": rows,
        **source,
    }


def _seconds(runs: list[Callable[[int], object]], repeats: int) -> list[float]:
    """Median seconds of the processor; short runs are repeated within a turn."""
    times: list[list[float]] = [[] for _ in runs]
    for turn in range(repeats + 1):
        for run, seconds in zip(runs, times, strict=True):
            start, many = process_time(), 0
            while many == 0 or process_time() - start < LEAST:
                run(turn + many)
                many += 1
            seconds.append((process_time() - start) / many)
    return [median(seconds[1:]) for seconds in times]


def _material() -> EncoderMaterial:
    cells = GRID[0] * GRID[1]
    feature, key = torch.randn(1, cells, CHANNELS), torch.randn(1, cells, 64)
    attention = Attention(torch.rand(1, cells), key, torch.rand(1, cells))
    return EncoderMaterial(feature, attention=attention, question=torch.rand(1, cells, WORDS))


def _choice(
    method: Method, slots: int, logits: list[torch.Tensor], given: EncoderMaterial, turn: int
) -> object:
    return method.plan([GRID], logits[turn % FRESH], slots, given)


def _topk(slots: int, logits: list[torch.Tensor], turn: int) -> object:
    return logits[turn % FRESH].topk(slots)
