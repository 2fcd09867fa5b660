"""Time and memory of the thing scout: a new photo, a further question, and its start."""

import os
import platform
from functools import partial
from time import perf_counter
from typing import Any

import torch

from homunculus.scouts.things import EfficientDet, ThingScout
from homunculus_lab.speed.timing import FRESH, one_thread, peak, side_by_side

Size = tuple[int, int]
PHOTO: Size = (480, 640)
LARGE: Size = (3024, 4032)
QUESTION = "What colour is the dog to the left of the car?"


def measure(repeats: int = 20) -> dict[str, Any]:
    """Milliseconds on one thread, beside a ViT-L-sized pass over the same photo."""
    with one_thread():
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
        "versions": {"torch": torch.__version__, "python": platform.python_version()},
        "hardware": platform.machine(),
    }


def _first() -> ThingScout:
    """Load the detector and look at one photo."""
    scout = ThingScout(EfficientDet())
    scout(_noise(PHOTO, 1)[0], QUESTION, (30, 40))
    return scout


def _noise(size: Size, many: int) -> list[torch.Tensor]:
    return [torch.randint(0, 256, (3, *size), dtype=torch.uint8) for _ in range(many)]


def table(result: dict[str, Any]) -> str:
    """The figures as text."""
    high, wide = result["photo"]
    return "\n".join(
        [
            f"thing scout, one thread, load {result['load'][0]}",
            f"  a new photo of {wide} x {high}{result['new_photo_ms']:>11.1f} ms"
            f"  {result['new_photo_share']:.2%} of a ViT-L-sized pass over it",
            f"  a new photo of 12 MP  {result['new_photo_of_12_megapixels_ms']:>12.1f} ms",
            f"  a further question    {result['further_question_ms']:>12.2f} ms",
            f"  start                 {result['start_ms']:>12} ms, {result['memory_mb']} MB",
        ]
    )
