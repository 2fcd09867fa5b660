# pyright: basic
"""Prefill with fewer image tokens, side by side: before the encoder, after it, inside the model.

The model has the shape of a real one, random weights and fewer layers; its weights are float32,
because processors without bfloat16 instructions would make its time no model's. A request runs from
a decoded image to the first token.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, median
from typing import Any

import torch

from homunculus.eyes.provenance import provenance
from homunculus_lab.inside import INSIDE, Dropping, FastV, InsideRule, same_cost
from homunculus_lab.rivals import RIVALS
from homunculus_lab.speed.model import HALF, QUESTION, QWEN3_VL_2B, Scale, build, page, processor
from homunculus_lab.speed.profile import Request, Stopwatch
from homunculus_lab.speed.transformers import TimedModel
from homunculus_lab.timing import one_thread

SHAPE = replace(
    HALF,
    name="Qwen3-VL-2B with half its layers (14, and 12 in the tower) and 32,000 words",
    text={**HALF.text, "vocab_size": 32000},
    tokens=32,
    natives=((16, 16),),
)
OURS = ("cut", "views")
Run = Callable[[int], tuple[Request, list[int]]]
"""A request at a turn; and the tokens of its image in each layer."""


def measure(
    repeats: int = 3, progress: Callable[[str], None] | None = None, scale: Scale = SHAPE
) -> dict[str, Any]:
    """Each method at K tokens; those inside the model also at K tokens a layer on average."""
    with one_thread(), torch.inference_mode():
        source = provenance()
        bench = _bench(scale)
        runs = _runs(bench)
        times: dict[Any, list[tuple[Request, list[int]]]] = {name: [] for name in runs}
        for turn in range(repeats):
            for name, run in runs.items():
                if progress:
                    progress(f"turn {turn + 1} of {repeats}, {' '.join(name)}")
                times[name].append(run(turn))
        ((high, wide),) = scale.natives
        return {
            "shape": f"{scale.name}, float32, random weights",
            "native_tokens": high * wide,
            "tokens": scale.tokens,
            "text_tokens": QUESTION + 2,
            "threads": 1,
            "repeats": repeats,
            "clock": "seconds of the processor, one thread, as ratios to the untouched model",
            "rows": [_row(bench, name, some, times[UNTOUCHED]) for name, some in times.items()],
            **source,
        }


def _bench(scale: Scale) -> TimedModel:
    watch, model = Stopwatch(), build(scale, torch.float32)
    watch.time_tower(model.base_model.visual)
    return TimedModel(scale, model, processor(scale, watch), watch)


UNTOUCHED = ("full", "untouched", "")


def _runs(bench: TimedModel) -> dict[tuple[str, str, str], Run]:
    """By method, where it cuts, and what of it equals K."""
    ((high, wide),) = bench.scale.natives
    image = page(high * bench.cell, wide * bench.cell)
    depth, slots = bench.scale.text["num_hidden_layers"], bench.scale.tokens
    runs: dict[tuple[str, str, str], Run] = {UNTOUCHED: partial(_plain, bench, image, depth)}
    for name in OURS:
        engine = bench.engine(name, "before", fast=True)
        runs[name, "before", "all layers"] = partial(_engine, bench, engine, image, depth)
    for name in RIVALS:
        engine = bench.engine(name, "after", fast=False)
        runs[name, "after", "all layers"] = partial(_engine, bench, engine, image, depth)
    for name in INSIDE:
        for equal in ("last layer", "mean"):
            rule = _rule(name, slots, equal == "mean", depth)
            runs[name, "inside", equal] = partial(_inside, bench, rule, image)
    return runs


def _rule(name: str, tokens: int, mean: bool, depth: int) -> InsideRule:
    """FastV's two layers are as many of this depth as they are of the whole model's."""
    whole = QWEN3_VL_2B.text["num_hidden_layers"]
    if name == "fastv":
        return FastV(tokens, mean, layer=max(1, round(2 * depth / whole)))
    return INSIDE[name](tokens, mean)


def _plain(bench: TimedModel, image: Any, depth: int, turn: int) -> tuple[Request, list[int]]:
    request = bench.untouched(image, turn)
    return request, [request.kept] * depth


def _engine(
    bench: TimedModel, engine: Any, image: Any, depth: int, turn: int
) -> tuple[Request, list[int]]:
    request = bench.with_engine(engine, image, turn)
    return request, [request.kept] * depth


def _inside(
    bench: TimedModel, rule: InsideRule, image: Any, turn: int
) -> tuple[Request, list[int]]:
    with Dropping(bench.model, rule) as dropping:
        request = bench.untouched(image, turn)
    (counts,) = dropping.counts
    return request, counts


def _row(
    bench: TimedModel,
    name: tuple[str, str, str],
    some: Sequence[tuple[Request, list[int]]],
    untouched: Sequence[tuple[Request, list[int]]],
) -> dict[str, Any]:
    method, where, equal = name
    counts, text = some[0][1], bench.scale.text

    def of(these: Sequence[tuple[Request, list[int]]], part: str) -> float:
        return median(getattr(request, part) for request, _ in these)

    return {
        "method": method, "where": where, "equal": equal, "last_tokens": counts[-1],
        "mean_tokens": round(fmean(counts), 1),
        "same_cost": same_cost(
            counts, QUESTION + 2, text["hidden_size"], text["intermediate_size"]
        ),
        "prefill_ratio": round(of(some, "prefill") / of(untouched, "prefill"), 3),
        "request_ratio": round(of(some, "total") / of(untouched, "total"), 3),
        "choice_ratio": round(of(some, "choice") / of(untouched, "total"), 3),
        "tower_ratio": round(of(some, "tower") / of(untouched, "total"), 3),
        "kv_bytes": some[0][0].cache,
    }  # fmt: skip
