# pyright: basic
"""What a look costs, as shares of the encoder that it spares: never a bare time.

One thread, in turns. The encoder has the size of a ViT-L and random weights, which time does not
see; one layer is timed and counted 24 times.
"""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import torch

from homunculus.clock import FRESH, one_thread, peak
from homunculus.measure.row import Map, Row, Scorer, row
from homunculus.measure.spend import Sheet, planned, saliency
from homunculus.pack import pack

LAYERS, WIDTH = 24, 1024
QUESTION = "What is the total amount of invoice {}?"


def cost(
    sheet: Sheet,
    names: Sequence[str],
    tokens: Sequence[int],
    scorers: Mapping[str, Scorer],
    repeats: int = 3,
) -> dict[str, Any]:
    """Scout, allocation and packing, and the encoder over what is kept, beside the whole encoder.

    `ratio` is their sum: a request's encoder side over that of the untouched image.
    """
    with one_thread(), torch.inference_mode():
        layer = torch.nn.TransformerEncoderLayer(WIDTH, 16, 4 * WIDTH, batch_first=True)
        layer = layer.to(torch.bfloat16).eval()
        rows, cols = sheet.page.grid
        counts = dict.fromkeys([rows * cols, *(min(slots, rows * cols) for slots in tokens)])
        encoder = {cells: _timed(partial(_pass, layer, cells), repeats) for cells in counts}
        peaks = {cells: peak(partial(_pass, layer, cells, 0))[1] for cells in counts}
        whole = LAYERS * encoder[rows * cols]
        scout = {name: value / whole for name, value in _scout(sheet, scorers, repeats).items()}
        lot = torch.Generator().manual_seed(0)
        maps = [torch.randn(rows, cols, generator=lot) for _ in range(FRESH)]
        full = _cell((1.0, 0.0, 0.0), rows * cols, peaks[rows * cols])
        table: dict[str, Any] = {"full": {"all": full}}
        for one in (row(name, scorers) for name in names):
            looks = scout.get(_eyes(one) or "", 0.0)
            for slots in tokens:
                spend = _timed(partial(_spend, one, sheet, slots, maps), repeats) / whole
                kept = min(slots, rows * cols)
                share = LAYERS * encoder[kept] / whole
                cell = _cell((share, looks, spend), kept, peaks[kept])
                table.setdefault(one.name, {})[str(slots)] = cell
    return {
        "unit": "a ViT-L-sized encoder pass over the whole image",
        "encoder": {"layers": LAYERS, "width": WIDTH, "cells": rows * cols, "dtype": "bfloat16"},
        "scout": {name: round(value, 5) for name, value in scout.items()},
        "repeats": repeats,
        "threads": 1,
        "clock": "seconds of the processor",
        "table": table,
    }


def _cell(parts: tuple[float, float, float], kept: int, most: int | None) -> dict[str, Any]:
    told = {"ratio": sum(parts)} | dict(zip(("encoder", "scout", "choice"), parts, strict=True))
    return {name: round(value, 5) for name, value in told.items()} | {
        "tokens": kept,
        "peak_bytes": most,
    }


def _timed(run: Any, repeats: int) -> float:
    """Median seconds of the processor; the first run warms up."""
    taken = []
    for turn in range(repeats + 1):
        start = process_time()
        run(turn)
        taken.append(process_time() - start)
    return median(taken[1:])


def _pass(layer: torch.nn.Module, cells: int, turn: int) -> object:
    return layer(torch.zeros(1, cells, WIDTH, dtype=torch.bfloat16))


def _scout(sheet: Sheet, scorers: Mapping[str, Scorer], repeats: int) -> dict[str, float]:
    """The first question of a page, which reads it, the second, which does not; and saliency."""
    page = sheet.page.pixels.clone()
    bold = _timed(lambda _: saliency(page), repeats)
    if "scout" not in scorers:
        return {"first": 0.0, "second": 0.0, "saliency": bold}

    def ask(turn: int, fresh: bool) -> object:
        page[0, 0, 0] = turn % 256 if fresh else 0  # a page no memory has seen
        return scorers["scout"](page, QUESTION.format(turn))

    first, second = (_timed(partial(ask, fresh=fresh), repeats) for fresh in (True, False))
    return {"first": first, "second": second, "saliency": bold}


def _eyes(one: Row) -> str | None:
    """What of the scout's cost a row bears; whoever is told the answer looks at nothing."""
    if one.scorer in ("saliency", "deviation"):
        return "saliency"
    return None if one.scorer in (None, "answer") else "first"


def _spend(one: Row, sheet: Sheet, slots: int, maps: Sequence[Map], turn: int) -> object:
    """From a map to tokens; `resize` only shrinks, which every processor does anyway."""
    if not one.methods:
        return None
    laid, plan = planned(one, 0, sheet, slots, maps[turn % FRESH])
    return pack(laid, plan)


def engine(path: Path) -> dict[str, Any]:
    """What a request costs with a real engine, from a file of `homunculus bench transformers`."""
    told = json.loads(path.read_text("utf-8"))
    if not {"rows", "shape", "commit"} <= told.keys():
        raise ValueError(f"{path.name} is no result of `homunculus bench transformers --json`.")
    return {"file": path.name} | {name: told[name] for name in ("shape", "commit", "rows")}
