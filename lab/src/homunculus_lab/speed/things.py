"""Time and memory of the thing scout: a new photo, a further question, and its start."""

import os
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import torch

from homunculus.eyes.provenance import provenance
from homunculus.scouts.things import EfficientDet, ThingScout
from homunculus_lab.timing import FRESH, one_thread, peak, side_by_side

Size = tuple[int, int]
PHOTO: Size = (480, 640)
LARGE: Size = (3024, 4032)
QUESTION = "What colour is the dog to the left of the car?"


def measure(repeats: int = 20, progress: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Milliseconds on one thread, beside a ViT-L-sized pass over the same photo."""
    with one_thread():
        source = provenance()
        start = perf_counter()
        scout, memory = peak(_first)
        cold = perf_counter() - start
        layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True).eval()
        feature = torch.randn(1, (PHOTO[0] // 16) * (PHOTO[1] // 16), 1024)
        pages = {PHOTO: _noise(PHOTO, FRESH), LARGE: _noise(LARGE, 2)}

        def ask(turn: int, size: Size, fresh: bool) -> object:
            photo = pages[size][turn % len(pages[size])] if fresh else pages[size][0]
            if fresh:
                photo[:, :64, :64] = turn % 256  # a photo that no cache holds
            return scout(photo, f"{QUESTION} {turn}", (30, 40))

        new, known, large, encoder = side_by_side(
            [
                partial(ask, size=PHOTO, fresh=True),
                partial(ask, size=PHOTO, fresh=False),
                partial(ask, size=LARGE, fresh=True),
                lambda _: layer(feature),
            ],
            repeats,
        )
    return {
        "photo": list(PHOTO),
        "threads": 1,
        "repeats": repeats,
        "new_photo_ms": round(1000 * new, 1),
        "new_photo_of_12_megapixels_ms": round(1000 * large, 1),
        "further_question_ms": round(1000 * known, 2),
        "start_ms": round(1000 * cold),
        "memory_mb": None if memory is None else round(memory / 2**20, 1),
        "encoder": "ViT-L, 24 layers, 1,200 cells, float32",
        "new_photo_share": round(new / (24 * encoder), 4),
        "further_question_share": round(known / (24 * encoder), 5),
        "load": [round(one, 2) for one in os.getloadavg()],
        **source,
    }


def _first() -> ThingScout:
    """Load the detector and look at one photo."""
    scout = ThingScout(EfficientDet())
    scout(_noise(PHOTO, 1)[0], QUESTION, (30, 40))
    return scout


def _noise(size: Size, many: int) -> list[torch.Tensor]:
    return [torch.randint(0, 256, (3, *size), dtype=torch.uint8) for _ in range(many)]
