# pyright: basic
"""Exactly K tokens of each image, as the tensors that go from vLLM's processor to its worker.

Everything here is a pure function of an image, its question and the setting.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.engines.layout import Layout, merged, onto
from homunculus.engines.part.late import unfinished, unfolded
from homunculus.engines.part.packed import pixels
from homunculus.engines.part.views import Part, by_image, parts, placed
from homunculus.engines.select import Choice, select
from homunculus.engines.sought import sought
from homunculus.engines.vllm.serving import Serving
from homunculus.types import Budget

ANCHOR = "kept_anchor"
"""Of every token the row of the untouched image whose place in the prompt it takes."""
SIZES = "kept_sizes"
"""Of every image how many tokens it keeps, and of how many views."""
PARTS = "kept_parts"
"""Of every view its rows and columns of cells, and how many of them are kept."""
CELL = "kept_cell"
"""The kept cells of all views, as numbers in reading order of their view."""
ORDER = "kept_order"
"""The order of the prompt, as numbers of kept cells."""
MAP = "kept_map"
"""Relevance of an image's cells, for those who choose after the encoder."""
KEY = "kept_key"
"""What an image is known by: a digest of its pixels, as 16 bytes."""


@dataclass(frozen=True)
class Eyes:
    """What an image becomes before the tower: the family's processor, and what it is told."""

    config: Any
    processor: Any
    options: dict[str, Any]
    dtype: torch.dtype

    @property
    def cell(self) -> tuple[int, int]:
        """Patches of a cell's side, pixels of a patch's side."""
        sight = self.config.vision_config
        return sight.spatial_merge_size, sight.patch_size

    def inputs(self, images: Sequence[Any]) -> dict[str, Any]:
        """Grids, and pixels that are made into patches when it is known which."""
        late = unfinished(self.processor)
        told = dict(self.options, images=list(images), return_tensors="pt")
        if late is None:
            return dict(self.processor(**told))
        made = dict(late(**told))
        return made | {"pixel_values": unfolded(made, self.processor)}


def chosen(
    eyes: Eyes,
    images: Sequence[Any],
    asked: Sequence[str],
    serving: Serving,
    known: Sequence[Float[Tensor, "_h _w"] | None] | None = None,
) -> dict[str, Tensor]:
    """Fields of all images, one after the other; ``known`` is relevance that was made ahead."""
    inputs = eyes.inputs(images)
    layouts, method = merged(inputs["image_grid_thw"].tolist(), eyes.cell[0]), serving.rule
    maps = [
        _map(*one, serving)
        for one in zip(images, asked, layouts, known or [None] * len(images), strict=True)
    ]
    slots = [Budget(tokens=serving.tokens).slots(layout.total) for layout in layouts]
    choices = select(layouts, maps, slots, method)
    out = {
        "image_grid_thw": torch.as_tensor(inputs["image_grid_thw"]),
        ANCHOR: torch.cat([choice.anchor for choice in choices]),
    }
    if serving.where == "after":
        return out | _whole(eyes, inputs, layouts, choices, maps)
    return out | _parts(eyes, inputs, layouts, choices, serving)


def _map(
    image: Any,
    question: str,
    layout: Layout,
    known: Float[Tensor, "h w"] | None,
    serving: Serving,
) -> Float[Tensor, "rows cols"]:
    """Relevance of an image's cells; where all are kept, nobody looks."""
    if layout.total <= serving.tokens:
        return torch.zeros(layout.grid)
    if known is None:
        known = sought(image, question, serving.rule)[0]
    return onto(known, layout)


def _parts(
    eyes: Eyes,
    inputs: dict[str, Any],
    layouts: Sequence[Layout],
    choices: Sequence[Choice],
    serving: Serving,
) -> dict[str, Tensor]:
    """Patches of the kept cells alone, view by view."""
    views = parts(layouts, choices, serving.rule.rule)
    mine = dict(by_image(views))
    orders = [placed(mine[at])[choice.order] for at, choice in enumerate(choices)]
    sizes = [[len(choice.anchor), len(mine[at])] for at, choice in enumerate(choices)]
    return {
        "pixel_values": pixels(inputs, *eyes.cell, views).to(eyes.dtype),
        SIZES: torch.tensor(sizes),
        PARTS: torch.tensor([[*view.grid, len(view.cell)] for view in views]),
        CELL: torch.cat([view.cell for view in views]),
        ORDER: torch.cat(orders),
    }


def _whole(
    eyes: Eyes,
    inputs: dict[str, Any],
    layouts: Sequence[Layout],
    choices: Sequence[Choice],
    maps: Sequence[Float[Tensor, "_r _c"]],
) -> dict[str, Tensor]:
    """All patches, and what the worker needs to choose the same tokens again."""
    views = [
        Part(at, layout.grid, torch.arange(len(layout.row)), torch.arange(len(layout.row)))
        for at, layout in enumerate(layouts)
    ]
    rows = pixels(inputs, *eyes.cell, views).to(eyes.dtype)
    counts = [len(layout.row) * eyes.cell[0] ** 2 for layout in layouts]
    keys = [_key(own, layout) for own, layout in zip(rows.split(counts), layouts, strict=True)]
    return {
        "pixel_values": rows,
        SIZES: torch.tensor([[len(choice.anchor), 1] for choice in choices]),
        MAP: torch.cat([one.flatten() for one in maps]).float(),
        KEY: torch.stack(keys),
    }


def _key(rows: Float[Tensor, "n d"], layout: Layout) -> Tensor:
    digest = blake2b(rows.view(torch.uint8).numpy().data, digest_size=16)
    digest.update(repr(layout.grid).encode())
    return torch.frombuffer(bytearray(digest.digest()), dtype=torch.uint8)
