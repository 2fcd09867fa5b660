"""Time to plan the views of a page relative to the encoder's pass over them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from homunculus.eyes.provenance import provenance
from homunculus.planner.acuity import ACUITIES
from homunculus.planner.belief import FINE_CELLS, Belief
from homunculus.planner.counting import Size
from homunculus.planner.models import token_rule
from homunculus.planner.search import find_views
from homunculus_lab.timing import FRESH, one_thread, side_by_side

PAGES: tuple[Size, ...] = ((1024, 800), (4096, 3200))
BUDGETS = (16, 64, 273)
LARGEST = max(BUDGETS)
LAYERS = 24


def measure(repeats: int = 20, progress: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Planning with several budgets, beside a ViT-L-sized pass over the largest; on one thread."""
    rule, acuity = token_rule("qwen3-vl"), ACUITIES["rapidocr"]
    with one_thread():
        source = provenance()
        layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True).eval()
        feature = torch.randn(1, 4 * LARGEST, 1024)  # four patches make a token

        def plan(turn: int, size: Size, tokens: int) -> object:
            return find_views(_belief(turn % FRESH, size), size, tokens, rule, acuity)

        cases = [(size, tokens) for size in PAGES for tokens in BUDGETS]
        runs = [partial(plan, size=size, tokens=tokens) for size, tokens in cases]
        *seconds, encoder = side_by_side([*runs, lambda _: layer(feature)], repeats)
    rows = [
        {
            "page": list(size),
            "tokens": tokens,
            "milliseconds": round(1000 * second, 2),
            "share_of_encoder": round(second / (LAYERS * encoder), 5),
        }
        for (size, tokens), second in zip(cases, seconds, strict=True)
    ]
    return {
        "threads": 1,
        "repeats": repeats,
        "token": rule.side,
        "acuity": acuity.name,
        "encoder": f"ViT-L, {LAYERS} layers, {4 * LARGEST:,} patches, float32",
        "rows": rows,
        **source,
    }


def _belief(seed: int, size: Size) -> Belief:
    """Five places where an answer may stand, and print of 10 to 30 px on a page of 1,024."""
    lot = torch.Generator().manual_seed(seed)
    cell = max(size) / FINE_CELLS
    grid = round(size[0] / cell), round(size[1] / cell)
    place = torch.full(grid, 0.03 / (grid[0] * grid[1]))
    for weight in torch.rand(5, generator=lot).softmax(0).tolist():
        y, x = (int(torch.randint(0, side - 8, (), generator=lot)) for side in grid)
        place[y : y + 2, x : x + 8] += 0.97 * weight / 16
    height = (10 + 20 * torch.rand((), generator=lot)) * max(size) / 1024
    return Belief(place, height.log2().expand(grid), 0.6)
