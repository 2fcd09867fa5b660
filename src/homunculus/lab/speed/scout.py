"""Time of a scout relative to a pass of the encoder that it guides."""

import platform
from functools import partial
from typing import Any

import torch

from homunculus.core.methods import methods
from homunculus.core.pipeline import spend
from homunculus.lab.speed.core import SLOTS
from homunculus.lab.speed.timing import FRESH, one_thread, side_by_side
from homunculus.relevance.words import WordScout


def measure(seer: WordScout, repeats: int = 10) -> dict[str, Any]:
    """A scout and the cut on a page of 1,024 x 800 pixels, as shares of a ViT-L-sized pass over it.

    On one thread. First question: read the page, match, spread, allocate. Second: all but reading.
    """
    with one_thread():
        layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True)
        layer = layer.to(torch.bfloat16).eval()
        feature = torch.randn(1, 64 * 50, 1024, dtype=torch.bfloat16)
        pages = [torch.randint(0, 256, (3, 1024, 800), dtype=torch.uint8) for _ in range(FRESH)]
        cut = methods()["cut"]

        def ask(turn: int, fresh: bool) -> object:
            page = pages[turn % FRESH].clone() if fresh else pages[0]
            page[0, 0, 0] = turn % 256 if fresh else 0  # a page that no cache holds
            sight = seer(page, f"What is the total amount of invoice {turn}?", (64, 50))
            return spend(cut, [(64, 50)], sight.logit.reshape(1, -1), SLOTS)

        first, second, encoder = side_by_side(
            [partial(ask, fresh=True), partial(ask, fresh=False), lambda _: layer(feature)], repeats
        )
        return {
            "page": [1024, 800],
            "threads": 1,
            "repeats": repeats,
            "encoder": "ViT-L, 24 layers, 3,200 cells, bfloat16",
            "first_question_share": round(first / (24 * encoder), 4),
            "second_question_share": round(second / (24 * encoder), 5),
            "versions": {"torch": torch.__version__, "python": platform.python_version()},
            "hardware": platform.machine(),
        }


def table(result: dict[str, Any]) -> str:
    """The shares as text."""
    first, second = (result[f"{turn}_question_share"] for turn in ("first", "second"))
    lines = ["share of a ViT-L-sized encoder pass over the same page, scout and cut together"]
    lines += [f"  first question {first:>11.2%}", f"  second question{second:>11.3%}"]
    return "\n".join(lines)
