"""What the core costs, as ratios measured side by side in one run; never a bare time."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import torch
from torch import Tensor

from homunculus import lift
from homunculus.method import Material, Method, methods
from homunculus.pack import pack
from homunculus.scout.words import WordScout
from homunculus.types import Field, Relevance

SLOTS = 273
BATCHES = (1, 8, 32)
FRESH = 16
"""Different scores taken in turn: on the same scores again and again a processor learns the
branches of a sort by heart, and bare top-K looks faster than it is."""


@dataclass(frozen=True, eq=False)
class Case:
    """One method on one batch, beside a bare top-K of ``cells`` scores an image."""

    method: Method
    batch: int
    cells: int
    field: Field
    score: list[Relevance]
    bare: list[Tensor]

    def rule(self, turn: int) -> object:
        """Our rule on the next scores."""
        return self.method.allocate(self.field, self.score[turn % FRESH], SLOTS)

    def spend(self, turn: int) -> object:
        """Our rule on the next scores, and the tokens it chose."""
        return pack(self.field, self.method.allocate(self.field, self.score[turn % FRESH], SLOTS))

    def whole(self, turn: int, feature: Tensor) -> object:
        """From relevance and features of level-0 cells to tokens: lift, spread, rule, pack."""
        logit = self.bare[turn % FRESH]
        return pack(*self.method.plan(self.field.grids, logit, SLOTS, Material(feature=feature)))

    def top(self, turn: int) -> object:
        """Bare top-K on the same scores."""
        return self.bare[turn % FRESH].topk(SLOTS)


def core(repeats: int = 60, progress: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Each rule against bare `torch.topk` on one thread; allocate + pack against an encoder."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        rows = []
        for method in methods().values():
            if progress:
                progress(method.name)
            rows += [
                _row(_case(method, batch, cells), repeats) for batch in BATCHES for cells in CELLS
            ]
        if progress:
            progress("encoder")
        versions = {"torch": torch.__version__, "python": platform.python_version()}
        return {
            "slots": SLOTS,
            "threads": 1,
            "repeats": repeats,
            "versions": versions,
            "hardware": platform.machine(),
            "rows": rows,
            "encoder": _encoder(repeats),
        }
    finally:
        torch.set_num_threads(threads)


PARTS = ("allocate_and_pack", "relevance_to_tokens")
CELLS = {4096: (64, 64), 5440: (64, 85)}


def _case(method: Method, batch: int, cells: int) -> Case:
    """4,096: a 64 x 64 image. 5,440: its four-level pyramid, or a 64 x 85 image without one."""
    torch.manual_seed(cells + batch)
    grids = [(64, 64)] * batch
    field = method.field(grids, SLOTS, Material(feature=torch.randn(batch, 4096, 8)))
    if cells == 5440 and field.level.shape[1] != cells:
        grids = [CELLS[cells]] * batch
        field = method.field(grids, SLOTS, Material(feature=torch.randn(batch, cells, 8)))
    level0 = [torch.randn(batch, field.most) for _ in range(FRESH)]
    score = [lift.spread(field, logit) for logit in level0]
    same = field.level.shape[1] == cells
    bare = [relevance.logit for relevance in score] if same else level0
    return Case(method, batch, cells, field, score, bare)


def _row(case: Case, repeats: int) -> dict[str, Any]:
    rule, top = _side_by_side([case.rule, case.top], repeats)
    ratio = round(rule / top, 2)
    return {
        "method": case.method.name,
        "batch": case.batch,
        "cells": case.cells,
        "ratio_topk": ratio,
    }


def _side_by_side(runs: list[Callable[[int], object]], repeats: int) -> list[float]:
    """Median seconds of each, taken in turns so that a noisy neighbour disturbs all alike."""
    times: list[list[float]] = [[] for _ in runs]
    with torch.inference_mode():  # as a server runs them, ours and theirs alike
        for turn in range(repeats + 3):
            for run, taken in zip(runs, times, strict=True):
                start = perf_counter()
                run(turn)
                taken.append(perf_counter() - start)
    return [median(taken[3:]) for taken in times]


def _encoder(repeats: int) -> dict[str, Any]:
    """Allocate + pack, and all from relevance to tokens, as shares of a ViT-L-sized encoder pass.

    Over the same 4,096 cells in bfloat16. One layer is timed and counted 24 times; its weights are
    random, which time does not see.
    """
    width = 1024
    layer = torch.nn.TransformerEncoderLayer(width, 16, 4 * width, batch_first=True)
    layer = layer.to(torch.bfloat16).eval()
    share: dict[str, float] = {}
    whole: dict[str, float] = {}
    with torch.inference_mode():
        feature = torch.randn(1, 4096, width, dtype=torch.bfloat16)
        for name in ("grid", "stratified", "cut", "foveated", "log-polar"):
            method = methods()[name]
            field = method.field([(64, 64)], SLOTS, Material(feature=feature))
            score = [lift.spread(field, torch.randn(1, 4096)) for _ in range(FRESH)]

            case = Case(method, 1, 4096, field, score, [torch.randn(1, 4096)] * FRESH)
            runs = [case.spend, partial(case.whole, feature=feature)]
            ours, all_, theirs = _side_by_side([*runs, lambda _: layer(feature)], min(repeats, 5))
            share[name] = round(ours / (24 * theirs), 5)
            whole[name] = round(all_ / (24 * theirs), 5)
    return {
        "shape": "ViT-L, 24 layers",
        "cells": 4096,
        "allocate_and_pack_share": share,
        "relevance_to_tokens_share": whole,
    }


def scout(seer: WordScout, repeats: int = 10) -> dict[str, Any]:
    """A scout and the cut on a page of 1,024 x 800 pixels, as shares of a ViT-L-sized pass over it.

    On one thread. First question: read the page, match, spread, allocate. Second: all but reading.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True)
        layer = layer.to(torch.bfloat16).eval()
        feature = torch.randn(1, 64 * 50, 1024, dtype=torch.bfloat16)
        pages = [torch.randint(0, 256, (3, 1024, 800), dtype=torch.uint8) for _ in range(FRESH)]
        cut = methods()["cut"]

        def ask(turn: int, fresh: bool) -> object:
            page = pages[turn % FRESH].clone() if fresh else pages[0]
            page[0, 0, 0] = turn % 256 if fresh else 0  # a page no cache has seen
            sight = seer([page], [f"What is the total amount of invoice {turn}?"])[0]
            return cut.plan([(64, 50)], sight.logit.reshape(1, -1), SLOTS)

        first, second, theirs = _side_by_side(
            [partial(ask, fresh=True), partial(ask, fresh=False), lambda _: layer(feature)], repeats
        )
        return {
            "page": [1024, 800],
            "threads": 1,
            "repeats": repeats,
            "encoder": "ViT-L, 24 layers, 3,200 cells, bfloat16",
            "first_question_share": round(first / (24 * theirs), 4),
            "second_question_share": round(second / (24 * theirs), 5),
            "versions": {"torch": torch.__version__, "python": platform.python_version()},
            "hardware": platform.machine(),
        }
    finally:
        torch.set_num_threads(threads)


def cost(result: dict[str, Any]) -> str:
    """What a scout costs, as text."""
    first, second = (result[f"{turn}_question_share"] for turn in ("first", "second"))
    lines = ["share of a ViT-L-sized encoder pass over the same page, scout and cut together"]
    lines += [f"  first question {first:>11.2%}", f"  second question{second:>11.3%}"]
    return "\n".join(lines)


def table(result: dict[str, Any]) -> str:
    """The rows as text, a method a line."""
    heads = [(batch, cells) for batch in BATCHES for cells in CELLS]
    lines = ["time / bare top-K".ljust(20) + "".join(f"{f'B{b} n{n}':>12}" for b, n in heads)]
    by_name: dict[str, dict[tuple[int, int], float]] = {}
    for row in result["rows"]:
        by_name.setdefault(row["method"], {})[row["batch"], row["cells"]] = row["ratio_topk"]
    for name, cell in by_name.items():
        lines.append(name.ljust(20) + "".join(f"{cell[head]:>12.2f}" for head in heads))
    share, whole = (result["encoder"][f"{part}_share"] for part in PARTS)
    lines.append(
        "share of a ViT-L-sized encoder pass: allocate + pack, all from relevance to tokens"
    )
    lines += [f"  {name:<18}{share[name]:>10.3%}{whole[name]:>10.3%}" for name in share]
    return "\n".join(lines)
