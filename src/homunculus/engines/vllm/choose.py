"""Exactly K tokens of each image, as the tensors that go from vLLM's processor to its worker.

Everything here is a pure function of an image, its question and the setting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.core.methods import Material, Method
from homunculus.core.types import Budget
from homunculus.engines.families import Layout, merged, onto
from homunculus.engines.qwen import pixels, unfinished, unfolded
from homunculus.engines.select import Choice, lattice_material, search, select
from homunculus.engines.views import Part, by_image, parts, placed
from homunculus.engines.vllm.settings import Serving


@dataclass(frozen=True)
class Marks:
    """How a prompt's turns and images are marked."""

    tokenizer: Any
    start: int | None
    """The token that opens a turn; its role follows, up to a newline."""
    image: int

    @staticmethod
    def of(tokenizer: Any, image: int, start: str = "<|im_start|>") -> "Marks":
        """By the text of the opening token; a tokenizer without it knows no turns."""
        return Marks(tokenizer, tokenizer.get_vocab().get(start), image)


@dataclass(frozen=True)
class Turn:
    """One message."""

    role: str
    text: str
    images: int


def turns(ids: Sequence[int], marks: Marks) -> list[Turn]:
    """The messages of a prompt; a prompt without marks is one turn of the user."""
    cuts = [at for at, one in enumerate(ids) if one == marks.start]
    if not cuts:
        return [Turn("user", _text(ids, marks).strip(), _images(ids, marks))]
    out = []
    for start, end in zip(cuts, [*cuts[1:], len(ids)], strict=True):
        part = ids[start + 1 : end]
        role, _, text = _text(part, marks).partition("\n")
        out.append(Turn(role.strip(), text.strip(), _images(part, marks)))
    return out


def _text(ids: Sequence[int], marks: Marks) -> str:
    return marks.tokenizer.decode(list(ids), skip_special_tokens=True)


def _images(ids: Sequence[int], marks: Marks) -> int:
    """Runs of their placeholder."""
    image = [one == marks.image for one in ids]
    return sum(here and not before for before, here in zip([False, *image], image, strict=False))


def questions(ids: Sequence[int], marks: Marks, images: int, serving: Serving) -> list[str]:
    """One for each image, cut to what is read of it."""
    if serving.question is not None:
        return [serving.question[: serving.letters]] * images
    if serving.question_from == "none":
        return [""] * images
    talk = turns(ids, marks)
    if serving.question_from == "system":
        said = " ".join(turn.text for turn in talk if turn.role == "system")
        return [said[: serving.letters]] * images
    users = [turn for turn in talk if turn.role == "user"] or talk
    last = users[-1].text[: serving.letters]
    if not serving.pin:
        return [last] * images
    out: list[str] = []
    for at, turn in enumerate(users):
        # an image without words belongs to what is said next
        own = next((later.text for later in users[at:] if later.text), "")
        out += [own[: serving.letters]] * turn.images
    # images outside the user's turns, or a prompt whose marks are not these
    return out if len(out) == images else [last] * images


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
MATERIAL = {"kept_colour": "feature", "kept_region": "label", "kept_energy": "energy"}
"""The material of an image's cells that the method needs, for the same; and what it is there."""
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
    ready: Sequence[Float[Tensor, "_h _w"] | None] | None = None,
) -> dict[str, Tensor]:
    """Fields of all images, one after the other; ``ready`` is relevance that was made ahead."""
    inputs = eyes.inputs(images)
    layouts, method = merged(inputs["image_grid_thw"].tolist(), eyes.cell[0]), serving.rule
    maps = [
        _map(*one, serving)
        for one in zip(images, asked, layouts, ready or [None] * len(images), strict=True)
    ]
    slots = [Budget(tokens=serving.tokens).slots(layout.total) for layout in layouts]
    pairs = zip(images, layouts, strict=True)
    materials = [lattice_material(image, method.needs, layout) for image, layout in pairs]
    choices = select(layouts, maps, slots, method, material=materials)
    out = {
        "image_grid_thw": torch.as_tensor(inputs["image_grid_thw"]),
        ANCHOR: torch.cat([choice.anchor for choice in choices]),
    }
    if serving.where == "after":
        return out | _whole(eyes, inputs, layouts, choices, maps) | _sent(materials)
    return out | _parts(eyes, inputs, layouts, choices, serving)


def _map(
    image: Any,
    question: str,
    layout: Layout,
    ready: Float[Tensor, "h w"] | None,
    serving: Serving,
) -> Float[Tensor, "rows cols"]:
    """Relevance of an image's cells; where all are kept, nobody looks."""
    if layout.total <= serving.tokens:
        return torch.zeros(layout.grid)
    if ready is None:
        ready = search(image, question, serving.rule, serving.eyes).logit
    return onto(ready, layout)


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


def _sent(known: Sequence[Material]) -> dict[str, Tensor]:
    """The material of all images, cell by cell."""
    found = {name: [getattr(one, part) for one in known] for name, part in MATERIAL.items()}
    return {name: torch.cat(own, 1)[0] for name, own in found.items() if own[0] is not None}


def choose_again(
    mine: Mapping[str, Tensor],
    layouts: Sequence[Layout],
    method: Method,
    rows: Sequence[Float[Tensor, "_n d"]],
) -> list[Choice]:
    """In the worker: the tokens that were chosen before, now with features of all rows."""
    counts = [len(layout.row) for layout in layouts]
    pairs = zip(mine[MAP].split(counts), layouts, strict=True)
    maps = [own.view(layout.grid) for own, layout in pairs]
    parts = {part: mine[name].split(counts) for name, part in MATERIAL.items() if name in mine}
    known = []
    for at in range(len(layouts)):
        own: dict[str, Any] = {part: split[at][None] for part, split in parts.items()}
        if "label" in own:
            own["labels"] = int(own["label"].max()) + 1
        known.append(Material(**own))
    return select(layouts, maps, mine[SIZES][:, 0].tolist(), method, rows, known)


def _key(rows: Float[Tensor, "n d"], layout: Layout) -> Tensor:
    digest = blake2b(rows.view(torch.uint8).numpy().data, digest_size=16)
    digest.update(repr(layout.grid).encode())
    return torch.frombuffer(bytearray(digest.digest()), dtype=torch.uint8)
