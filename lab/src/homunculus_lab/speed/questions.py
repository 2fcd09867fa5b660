# pyright: basic
"""Many questions on one image: vLLM with the plugin compared with stock vLLM.

Each way is a server of its own; ways take turns, so that a ratio compares what ran at the same time
of day. Weights are random: only time is measured.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from homunculus_lab.speed.folder import write
from homunculus_lab.speed.load import page_requests, run
from homunculus_lab.speed.model import HALF, Scale
from homunculus_lab.speed.server import OURS, STOCK
from homunculus_lab.speed.vllm import LoadPlan, Progress, pixels, running, server_provenance

FEW_LAYERS = replace(
    HALF,
    name="Qwen3-VL-2B with 4 of its layers, 3 in the tower, and 32,000 words",
    text={**HALF.text, "num_hidden_layers": 4, "vocab_size": 32000},
    vision={**HALF.vision, "depth": 3, "deepstack_visual_indexes": [0, 1, 2]},
)
"""Small enough to start many servers; text and tower keep their proportion."""


@dataclass(frozen=True)
class QuestionPlan:
    """Questions, and the servers that get them."""

    ways: tuple[str, ...] = ("stock", "before", "none")
    """Servers that get many questions on one image, in every round."""
    bare: tuple[str, ...] = ("before_unkept", "stock_bare", "before_bare")
    """Those without one of vLLM's caches, in one round; `after` and so on can be added."""
    few: int = 64
    """Tokens of the image."""
    questions: int = 40
    readers: int = 8
    """Concurrent questions."""
    bare_questions: int = 16
    load: LoadPlan = field(default_factory=LoadPlan)
    """How servers run."""


def measure(
    repeats: int = 0,
    progress: Progress = None,
    scale: Scale = FEW_LAYERS,
    plan: QuestionPlan | None = None,
) -> dict[str, Any]:
    """All of it; ``repeats`` is the number of rounds."""
    plan = plan or QuestionPlan()
    with tempfile.TemporaryDirectory(prefix="bench-questions-") as temporary:
        folder = write(scale, Path(temporary) / "model")
        return {
            "shape": f"{scale.name}, random weights, {plan.load.dtype}",
            "native_tokens": plan.load.native[0] * plan.load.native[1],
            "one_image": _one_image(folder, scale, plan, repeats or 2, progress),
            **server_provenance(),
        }


# ---- one image, many questions -------------------------------------------------------------------

BARE = ("--no-enable-prefix-caching",)
"""Keys and values of the image are computed anew for each question."""
UNKEPT = ("--mm-processor-cache-gb", "0")
"""Pixels are prepared and sent to the worker anew, and so encoded anew where it has forgotten."""


def _ways(plan: QuestionPlan) -> dict[str, tuple[Sequence[str], tuple[str, ...]]]:
    """Programs and flags of the servers."""
    ours = ("--tokens", str(plan.few))
    ways: dict[str, tuple[Sequence[str], tuple[str, ...]]] = {
        "stock": (STOCK, ()),
        "before": (OURS, ours),
        "after": (OURS, (*ours, "--where", "after")),
        "none": (OURS, (*ours, "--question-from", "none")),
        "before_unkept": (OURS, (*ours, *UNKEPT)),
    }
    bare = {f"{name}_bare": (program, (*flags, *BARE)) for name, (program, flags) in ways.items()}
    return ways | bare


def _one_image(
    folder: Path, scale: Scale, plan: QuestionPlan, rounds: int, progress: Progress
) -> dict[str, Any]:
    rates: dict[str, list[float]] = {}
    turns = [*([*plan.ways] * rounds), *plan.bare]
    for name in turns:
        if progress:
            progress(f"one image, {name}")
        count = plan.bare_questions if name in plan.bare else plan.questions
        rates.setdefault(name, []).append(_ask(folder, scale, plan, name, count))
    return {
        "tokens": plan.few,
        "questions": plan.questions,
        "readers": plan.readers,
        "rates": rates,
        "against_stock": _against_stock(rates),
    }


def _ask(folder: Path, scale: Scale, plan: QuestionPlan, name: str, count: int) -> float:
    """Questions a second of one server."""
    large = pixels(scale, plan.load.native)
    program, flags = _ways(plan)[name]
    with running(program, folder, plan.load, *flags) as server:
        run(server.url, page_requests(1, *large, start=10**6), 1, plan.load.words)
        requests = page_requests(count, *large, pages=1, book=1)
        responses, seconds = run(server.url, requests, plan.readers, plan.load.words)
        assert all(response.status == 200 for response in responses)
        return round(len(responses) / seconds, 3)


def _against_stock(rates: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """Ratios of rates of the same round: median, lowest and highest."""
    out: dict[str, dict[str, float]] = {}
    for name, mine in rates.items():
        stock = rates.get("stock_bare" if name.endswith("_bare") else "stock", [])
        each = [a / b for a, b in zip(mine, stock, strict=False)]
        if each:
            edges = {"median": median(each), "low": min(each), "high": max(each)}
            out[name] = {key: round(value, 3) for key, value in edges.items()}
    return out
