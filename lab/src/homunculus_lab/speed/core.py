"""Time of each method relative to a bare top-K and to an encoder pass, measured in turns."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from homunculus.engines.cells import lift
from homunculus.engines.cells.methods import Material, Method, list_methods
from homunculus.engines.cells.pack import pack
from homunculus.engines.cells.types import Field, Relevance
from homunculus.eyes.provenance import provenance
from homunculus_lab.timing import FRESH, one_thread, side_by_side

SLOTS = 273
BATCHES = (1, 8, 32)


@dataclass(frozen=True, eq=False)
class MethodCase:
    """One method on one batch, to compare with a bare top-K of ``cells`` scores per image."""

    method: Method
    batch: int
    cells: int
    field: Field
    score: list[Relevance]
    topk_scores: list[Tensor]

    def allocate(self, turn: int) -> object:
        """The method's allocation of the next scores."""
        return self.method.allocate(self.field, self.score[turn % FRESH], SLOTS)

    def allocate_and_pack(self, turn: int) -> object:
        """Allocation of the next scores, and the tokens it keeps."""
        return pack(self.field, self.method.allocate(self.field, self.score[turn % FRESH], SLOTS))

    def relevance_to_tokens(self, turn: int, feature: Tensor) -> object:
        """From relevance and features of level-0 cells to tokens: lift, spread, allocate, pack."""
        logit = self.topk_scores[turn % FRESH]
        return pack(*self.method.plan(self.field.grids, logit, SLOTS, Material(feature=feature)))

    def topk(self, turn: int) -> object:
        """Bare top-K of the same scores."""
        return self.topk_scores[turn % FRESH].topk(SLOTS)


def measure(repeats: int = 60, progress: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Each method against bare `torch.topk` on one thread; allocate + pack against an encoder."""
    with one_thread():
        source, rows = provenance(), []
        for method in list_methods().values():
            if progress:
                progress(method.name)
            rows += [
                _row(_case(method, batch, cells), repeats) for batch in BATCHES for cells in CELLS
            ]
        if progress:
            progress("encoder")
        return {
            "slots": SLOTS,
            "threads": 1,
            "repeats": repeats,
            "rows": rows,
            "encoder": _encoder(repeats),
            **source,
        }


CELLS = {4096: (64, 64), 5440: (64, 85)}


def _case(method: Method, batch: int, cells: int) -> MethodCase:
    """4,096: a 64 x 64 image. 5,440: its four-level pyramid, or a 64 x 85 image without one."""
    torch.manual_seed(cells + batch)
    grids = [(64, 64)] * batch
    field = method.field(grids, SLOTS, _material(batch, 4096))
    if cells == 5440 and field.level.shape[1] != cells:
        grids = [CELLS[cells]] * batch
        field = method.field(grids, SLOTS, _material(batch, cells))
    level0 = [torch.randn(batch, field.max_cells) for _ in range(FRESH)]
    score = [lift.spread(field, logit) for logit in level0]
    same = field.level.shape[1] == cells
    topk_scores = [relevance.logit for relevance in score] if same else level0
    return MethodCase(method, batch, cells, field, score, topk_scores)


def _material(batch: int, cells: int) -> Material:
    """Features, regions (all background, which is cut into blocks) and band energies."""
    feature, background = torch.randn(batch, cells, 8), torch.full((batch, cells), -1)
    return Material(feature, background, energy=torch.ones(batch, cells, 4))


def _row(case: MethodCase, repeats: int) -> dict[str, Any]:
    method, topk = side_by_side([case.allocate, case.topk], repeats)
    ratio = round(method / topk, 2)
    return {
        "method": case.method.name,
        "batch": case.batch,
        "cells": case.cells,
        "ratio_topk": ratio,
    }


def _encoder(repeats: int) -> dict[str, Any]:
    """Allocate + pack, and all from relevance to tokens, as shares of a ViT-L-sized encoder pass.

    Over the same 4,096 cells in bfloat16. One layer is timed and counted 24 times; its weights are
    random, which does not change its time.
    """
    width = 1024
    layer = torch.nn.TransformerEncoderLayer(width, 16, 4 * width, batch_first=True)
    layer = layer.to(torch.bfloat16).eval()
    share: dict[str, float] = {}
    whole: dict[str, float] = {}
    with torch.inference_mode():
        feature = torch.randn(1, 4096, width, dtype=torch.bfloat16)
        for name in ("grid", "stratified", "cut", "foveated", "log-polar"):
            method = list_methods()[name]
            field = method.field([(64, 64)], SLOTS, Material(feature=feature))
            score = [lift.spread(field, torch.randn(1, 4096)) for _ in range(FRESH)]

            case = MethodCase(method, 1, 4096, field, score, [torch.randn(1, 4096)] * FRESH)
            runs = [case.allocate_and_pack, partial(case.relevance_to_tokens, feature=feature)]
            part, all_, encoder = side_by_side([*runs, lambda _: layer(feature)], min(repeats, 5))
            share[name] = round(part / (24 * encoder), 5)
            whole[name] = round(all_ / (24 * encoder), 5)
    return {
        "shape": "ViT-L, 24 layers",
        "cells": 4096,
        "allocate_and_pack_share": share,
        "relevance_to_tokens_share": whole,
    }
