"""Time of the word scout by stage, its net as it is used and in floats, and of the planner."""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import torch

from homunculus.eyes.provenance import provenance
from homunculus.planner.acuity import ACUITIES
from homunculus.planner.belief import believe, scout_cells
from homunculus.planner.models import token_rule
from homunculus.planner.search import find_views
from homunculus.scouts.sight import Pixels
from homunculus.scouts.words import FILE, WordScout, load
from homunculus_lab.timing import one_thread

PAGE = (1024, 800)
TOKENS = 64
FIRST = 2 * 10**8
"""Seeds of the pages: no training run has seen them."""
QUESTIONS = ("What is the total amount of invoice {}?", "On which date was letter {} signed?")


def measure(
    repeats: int = 10,
    progress: Callable[[str], None] | None = None,
    weights: Path | None = None,
) -> dict[str, Any]:
    """Rendered pages of 1,024 x 800, each read with both nets, asked twice and planned for.

    On one thread, in seconds of the processor, which other load on the machine hardly changes. The
    nets take turns on each page, beside a layer of a ViT-L-sized encoder over the same page.
    """
    scouts = {"floats": load(weights, precision="float"), "now": load(weights)}
    seconds: dict[str, list[float]] = {}
    with one_thread(), torch.inference_mode():
        source = provenance()
        layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True).eval()
        feature = torch.randn(1, 64 * 50, 1024)
        for turn in range(-1, repeats):  # the first page warms up
            for name, took in _page(scouts, turn).items():
                seconds.setdefault(name, []).append(took)
            if turn < min(repeats, 2):
                seconds.setdefault("encoder", []).append(_timed(lambda: layer(feature))[1])
    middle = {name: median(some[1:]) for name, some in seconds.items()}
    later = middle["question"] + middle["plan"]
    first, encoder = middle["now"] + later, 24 * middle["encoder"]
    return {
        "page": list(PAGE),
        "tokens": TOKENS,
        "threads": 1,
        "repeats": repeats,
        "pages": "rendered documents, each new",
        "how": "float" if scouts["now"].scanner.net.path.name == FILE else "int8",
        "encoder": "ViT-L, 24 layers, 3,200 cells, float32",
        "milliseconds": {
            "read_in_floats": round(1000 * middle["floats"], 1),
            "read": round(1000 * middle["now"], 1),
            "question": round(1000 * middle["question"], 1),
            "plan": round(1000 * middle["plan"], 1),
        },
        "read_times_as_fast": round(middle["floats"] / middle["now"], 2),
        "first_question_share": round(first / encoder, 4),
        "second_question_share": round(later / encoder, 5),
        **source,
    }


def _page(scouts: dict[str, WordScout], turn: int) -> dict[str, float]:
    """Seconds of each stage for one new page."""
    page, took = _render(turn), dict[str, float]()
    for name, scout in scouts.items():
        took[name] = _timed(lambda scout=scout: scout.read(page))[1]
    grid, (first, second) = scout_cells(PAGE)[0], QUESTIONS
    now = scouts["now"]
    now(page, first.format(turn), grid)
    sight, took["question"] = _timed(lambda: now(page, second.format(turn), grid))
    acuity, rule = ACUITIES["rapidocr"], token_rule("qwen3-vl").lattice
    took["plan"] = _timed(
        lambda: find_views(believe(sight, PAGE, acuity), PAGE, TOKENS, rule, acuity)
    )[1]
    return took


def _render(turn: int) -> Pixels:
    from homunculus_lab.train.pages import render  # here: it needs Pillow

    high, wide = PAGE
    grey = render(seed=FIRST + turn, high=high, wide=wide, photos=(), whole=True).pixels
    return np.repeat(grey[None], 3, 0)


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    start = process_time()
    return run(), process_time() - start
