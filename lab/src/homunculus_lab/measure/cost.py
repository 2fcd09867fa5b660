# pyright: basic
"""What a request costs, as shares of the untouched request: never a bare time.

One thread, in turns. Encoder and language model have the size of a ViT-L and of a decoder of two
billion weights, at random, which do not change the time; one layer of each is timed and multiplied.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from statistics import median
from time import process_time
from typing import Any

import torch

from homunculus.planner.acuity import ACUITIES
from homunculus.planner.belief import believe
from homunculus.scouts.sight import Scout, Sight
from homunculus_lab.measure.row import Map, Row, row
from homunculus_lab.measure.spend import Sheet, saliency, spend_slots
from homunculus_lab.measure.views import buy_views, page_size
from homunculus_lab.timing import FRESH, one_thread, peak

SHAPES = {"encoder": (24, 1024, 16, 4096, 0), "prefill": (28, 2048, 16, 9216, 22)}
"""Layers, width, heads, width between (a gated one of 6,144 has as many weights), words besides."""
QUESTION = "What is the total amount of invoice {}?"


def cost(
    sheet: Sheet,
    names: Sequence[str],
    tokens: Sequence[int],
    scorers: Mapping[str, Scout],
    repeats: int = 3,
) -> dict[str, Any]:
    """Scout, choice (allocation and packing), encoder and prefill, beside the untouched request.

    `ratio` is their sum. Only chosen cells are encoded.
    """
    with one_thread(), torch.inference_mode():
        cells = sheet.page.grid[0] * sheet.page.grid[1]
        counts = {slots: min(slots, cells) for slots in tokens}
        passes, peaks = _model([cells, *counts.values()], repeats)
        encoder, whole = passes[cells]["encoder"], sum(passes[cells].values())
        scout = {name: value / whole for name, value in _scout(sheet, scorers, repeats).items()}
        table: dict[str, Any] = {"full": {"all": _cell(passes[cells], whole, cells, peaks[cells])}}
        for table_row in (row(name, scorers) for name in names):
            scouting = whole * scout.get(_scout_cost(table_row) or "", 0.0)
            for slots, count in counts.items():
                spend = _timed(partial(_spend, table_row, sheet, slots, _maps(sheet)), repeats)
                parts = passes[count] | {"scout": scouting, "choice": spend}
                cell = _cell(parts, whole, count, peaks[count])
                table.setdefault(table_row.name, {})[str(slots)] = cell
    return {
        "unit": "a request on the whole image: encoder and prefill",
        "model": {name: dict(zip(_NAMES, shape, strict=True)) for name, shape in SHAPES.items()},
        "cells": cells,
        "scout": {name: round(value, 5) for name, value in scout.items()},
        "scout_to_encoder": {
            name: round(value * whole / encoder, 5) for name, value in scout.items()
        },
        "repeats": repeats,
        "threads": 1,
        "clock": "seconds of the processor",
        "table": table,
    }


_NAMES = ("layers", "width", "heads", "between", "words")


def _model(
    counts: Sequence[int], repeats: int
) -> tuple[dict[int, dict[str, float]], dict[int, int | None]]:
    """Seconds of encoder and prefill by count of cells, and bytes at the peak of either."""
    passes: dict[int, dict[str, float]] = {count: {} for count in counts}
    peaks: dict[int, int | None] = dict.fromkeys(counts)
    for name, (layers, width, heads, between, words) in SHAPES.items():
        layer = torch.nn.TransformerEncoderLayer(width, heads, between, batch_first=True)
        layer = layer.to(torch.bfloat16).eval()
        for count in passes:
            run = partial(_pass, layer, count + words, width)
            passes[count][name] = layers * _timed(run, repeats)
            most = peak(partial(run, 0))[1]
            peaks[count] = max(most, peaks[count] or 0) if most is not None else None
    return passes, peaks


@lru_cache(maxsize=1)
def _maps(sheet: Sheet) -> list[Map]:
    lot = torch.Generator().manual_seed(0)
    return [torch.randn(*sheet.page.grid, generator=lot) for _ in range(FRESH)]


def _cell(parts: Mapping[str, float], whole: float, count: int, most: int | None) -> dict[str, Any]:
    shares = {name: round(value / whole, 5) for name, value in parts.items()}
    ratio = round(sum(parts.values()) / whole, 5)
    return {"ratio": ratio} | shares | {"tokens": count, "peak_bytes": most}


def _timed(run: Any, repeats: int) -> float:
    """Median seconds of the processor; the first run warms up."""
    taken = []
    for turn in range(repeats + 1):
        start = process_time()
        run(turn)
        taken.append(process_time() - start)
    return median(taken[1:])


def _pass(layer: torch.nn.Module, cells: int, width: int, turn: int) -> object:
    return layer(torch.zeros(1, cells, width, dtype=torch.bfloat16))


def _scout(sheet: Sheet, scorers: Mapping[str, Scout], repeats: int) -> dict[str, float]:
    """The first question of a page, which reads it, the second, which does not; and saliency."""
    page = sheet.page.pixels.copy()
    bold = _timed(lambda _: saliency(page, sheet.page.grid), repeats)
    if "scout" not in scorers:
        return {"first": 0.0, "second": 0.0, "saliency": bold}

    def ask(turn: int, fresh: bool) -> object:
        page[0, 0, 0] = turn % 256 if fresh else 0  # a page no memory has seen
        return scorers["scout"](page, QUESTION.format(turn), sheet.page.grid)

    first, second = (_timed(partial(ask, fresh=fresh), repeats) for fresh in (True, False))
    return {"first": first, "second": second, "saliency": bold}


def _scout_cost(row: Row) -> str | None:
    """Which part of the scout's cost a row has; a row given the answer's box has none."""
    if row.scorer == "saliency":
        return "saliency"
    return None if row.scorer in (None, "answer") else "first"


def _spend(row: Row, sheet: Sheet, slots: int, maps: Sequence[Map], turn: int) -> object:
    """Choose tokens from a map; `resize` costs nothing, since every processor shrinks images."""
    if row.context is not None:
        return _plan(row, sheet, slots, maps[turn % FRESH])
    if not row.methods:
        return None
    return spend_slots(row, 0, sheet, slots, maps[turn % FRESH])


def _plan(row: Row, sheet: Sheet, slots: int, logit: Map) -> object:
    """The planner's part, on a map as a scout would give it."""
    belief = believe(Sight(logit.numpy(), 0.97, size=16.0), page_size(sheet), ACUITIES["vlm"])
    return buy_views(sheet, slots, belief, ACUITIES["rapidocr"], row)
