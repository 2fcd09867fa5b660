"""Questions of a prompt and tokens of its images, as tensors from vLLM's processor to its worker.

Everything here is a pure function of images, questions and settings, and needs no vLLM.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.engines.cells.methods import Material, Method
from homunculus.engines.cells.types import Budget
from homunculus.engines.families import Layout, merged_layouts
from homunculus.engines.parts import Part, by_image, parts, row_order
from homunculus.engines.plan import SeenImage, choose_before
from homunculus.engines.qwen import pixels, resize_images_only, resized_images
from homunculus.engines.select import Choice, material_for, search, select
from homunculus.engines.vllm.settings import ServerSettings
from homunculus.scouts.sight import Sight

# ---- questions -----------------------------------------------------------------------------------

LETTERS = 2000
"""Characters of a question that are used."""


@dataclass(frozen=True)
class Marks:
    """The tokens that mark turns and images in a prompt."""

    tokenizer: Any
    start: int | None
    """The token that starts a turn; the role follows, up to a newline."""
    image: int
    """The placeholder of images."""

    @staticmethod
    def of(tokenizer: Any, image: int, start: str = "<|im_start|>") -> "Marks":
        """Marks of a tokenizer, by the text of the token that starts a turn."""
        return Marks(tokenizer, tokenizer.get_vocab().get(start), image)


@dataclass(frozen=True)
class Turn:
    """One message of a prompt."""

    role: str
    text: str
    images: int
    """How many images it has."""


def turns(ids: Sequence[int], marks: Marks) -> list[Turn]:
    """The messages of a prompt; a prompt without marks is one turn of the user."""
    starts = [place for place, token in enumerate(ids) if token == marks.start]
    if not starts:
        return [Turn("user", _text(ids, marks).strip(), _images(ids, marks))]
    messages: list[Turn] = []
    for start, end in zip(starts, [*starts[1:], len(ids)], strict=True):
        part = ids[start + 1 : end]
        role, _, text = _text(part, marks).partition("\n")
        messages.append(Turn(role.strip(), text.strip(), _images(part, marks)))
    return messages


def _text(ids: Sequence[int], marks: Marks) -> str:
    return marks.tokenizer.decode(list(ids), skip_special_tokens=True)


def _images(ids: Sequence[int], marks: Marks) -> int:
    image = [token == marks.image for token in ids]
    return sum(here and not before for before, here in zip([False, *image], image, strict=False))


def questions(ids: Sequence[int], marks: Marks, images: int, settings: ServerSettings) -> list[str]:
    """The question about each image, cut to the characters that are used."""
    if settings.question is not None:
        return [settings.question[:LETTERS]] * images
    if settings.question_from == "none":
        return [""] * images
    messages = turns(ids, marks)
    if settings.question_from == "system":
        text = " ".join(turn.text for turn in messages if turn.role == "system")
        return [text[:LETTERS]] * images
    users = [turn for turn in messages if turn.role == "user"] or messages
    last = users[-1].text[:LETTERS]
    if not settings.pin:
        return [last] * images
    own: list[str] = []
    for number, turn in enumerate(users):
        # an image without text belongs to the next turn that has some
        text = next((later.text for later in users[number:] if later.text), "")
        own += [text[:LETTERS]] * turn.images
    # images outside the user's turns, or a prompt with other marks
    return own if len(own) == images else [last] * images


# ---- fields: tensors from the processor to the worker --------------------------------------------

ANCHOR = "kept_anchor"
"""For each token, the row of the untouched image whose place in the prompt it takes."""
SIZES = "kept_sizes"
"""For each image, how many tokens it keeps, and of how many views."""
PARTS = "kept_parts"
"""For each view, its rows and columns of cells, and how many cells are kept."""
CELL = "kept_cell"
"""Indices of the kept cells of all views, in reading order of their view."""
ORDER = "kept_order"
"""The order of the prompt, as indices of kept cells."""
MAP = "kept_map"
"""Relevance of an image's cells, for a choice after the encoder."""
MATERIAL = {"kept_colour": "feature", "kept_region": "label", "kept_energy": "energy"}
"""Fields of the material that a method needs after the encoder, and their names in `Material`."""


# ---- tokens --------------------------------------------------------------------------------------

NOTHING = Sight(np.zeros((1, 1), np.float32), sure=0.0)
"""What is known of an image whose search was not ready in time."""


@dataclass(frozen=True)
class ImageInputs:
    """How images become inputs of the vision tower."""

    config: Any
    """The model's config."""
    processor: Any
    """The family's image processor."""
    options: dict[str, Any]
    """Options of its call."""
    dtype: torch.dtype

    @property
    def cell(self) -> tuple[int, int]:
        """Side of a cell in patches, and of a patch in pixels."""
        vision = self.config.vision_config
        return vision.spatial_merge_size, vision.patch_size

    def prepare(self, images: Sequence[Any]) -> dict[str, Any]:
        """Grids and pixels; where possible, only chosen cells are cut into patches later."""
        processor = resize_images_only(self.processor)
        arguments = dict(self.options, images=list(images), return_tensors="pt")
        if processor is None:
            return dict(self.processor(**arguments))
        inputs = dict(processor(**arguments))
        return inputs | {"pixel_values": resized_images(inputs, self.processor)}


def choose_tokens(
    image_inputs: ImageInputs,
    images: Sequence[Any],
    image_questions: Sequence[str],
    settings: ServerSettings,
    sights: Sequence[Sight | None] | None = None,
) -> dict[str, Tensor]:
    """Fields of all images, one after the other.

    ``sights`` are those of images for which the search is done already.
    """
    inputs, method = image_inputs.prepare(images), settings.method_object
    layouts = merged_layouts(inputs["image_grid_thw"].tolist(), image_inputs.cell[0])
    known = sights or [None] * len(images)
    requests = zip(images, image_questions, layouts, known, strict=True)
    seen = [
        SeenImage(image, size_of(image), layout, _sight(image, question, layout, sight, settings))
        for image, question, layout, sight in requests
    ]
    slots = [Budget(tokens=settings.tokens).slots(layout.total) for layout in layouts]
    material = [material_for(image.image, method, image.layout) for image in seen]
    cell = prod(image_inputs.cell)
    choices = choose_before(seen, material, slots, method, settings.views, cell)
    fields = {
        "image_grid_thw": torch.as_tensor(inputs["image_grid_thw"]),
        ANCHOR: torch.cat([choice.anchor for choice in choices]),
    }
    if settings.where == "after":
        maps = [image.relevance for image in seen]
        fields |= _fields_after(image_inputs, inputs, layouts, choices, maps)
        return fields | _material_fields(material)
    return fields | _fields_before(image_inputs, inputs, layouts, choices, method)


def size_of(image: Any) -> tuple[int, int]:
    """Height and width of a Pillow image or an array."""
    if hasattr(image, "height"):
        return image.height, image.width
    return image.shape[0], image.shape[1]


def _sight(
    image: Any, question: str, layout: Layout, sight: Sight | None, settings: ServerSettings
) -> Sight:
    """What the scout makes of an image; it is not asked if all cells are kept."""
    if layout.total <= settings.tokens:
        return Sight(np.zeros(layout.grid, np.float32), sure=0.0)
    if sight is not None:
        return sight
    return search(image, question, settings.method_object, settings.scout_object)


def _fields_before(
    image_inputs: ImageInputs,
    inputs: dict[str, Any],
    layouts: Sequence[Layout],
    choices: Sequence[Choice],
    method: Method,
) -> dict[str, Tensor]:
    """Patches of the kept cells alone, view by view."""
    views = parts(layouts, choices, method.rule)
    own = [image_parts for _, image_parts in by_image(views)]
    pairs = list(zip(choices, own, strict=True))
    orders = [row_order(image_parts)[choice.order] for choice, image_parts in pairs]
    sizes = [[len(choice.anchor), len(image_parts)] for choice, image_parts in pairs]
    return {
        "pixel_values": pixels(inputs, *image_inputs.cell, views).to(image_inputs.dtype),
        SIZES: torch.tensor(sizes),
        PARTS: torch.tensor([[*view.grid, len(view.cell)] for view in views]),
        CELL: torch.cat([view.cell for view in views]),
        ORDER: torch.cat(orders),
    }


def _fields_after(
    image_inputs: ImageInputs,
    inputs: dict[str, Any],
    layouts: Sequence[Layout],
    choices: Sequence[Choice],
    maps: Sequence[Float[Tensor, "_r _c"]],
) -> dict[str, Tensor]:
    """All patches, and what the worker needs to choose the same tokens again."""
    views = [
        Part(image, layout.grid, torch.arange(len(layout.row)), torch.arange(len(layout.row)))
        for image, layout in enumerate(layouts)
    ]
    rows = pixels(inputs, *image_inputs.cell, views).to(image_inputs.dtype)
    return {
        "pixel_values": rows,
        SIZES: torch.tensor([[len(choice.anchor), 1] for choice in choices]),
        MAP: torch.cat([relevance.flatten() for relevance in maps]).float(),
    }


def _material_fields(material: Sequence[Material]) -> dict[str, Tensor]:
    values = {name: [getattr(own, part) for own in material] for name, part in MATERIAL.items()}
    return {name: torch.cat(parts, 1)[0] for name, parts in values.items() if parts[0] is not None}


def choose_again(
    fields: Mapping[str, Tensor],
    layouts: Sequence[Layout],
    method: Method,
    rows: Sequence[Float[Tensor, "_n d"]],
) -> list[Choice]:
    """In the worker: choose the same tokens from the fields, now with features of all rows."""
    counts = [len(layout.row) for layout in layouts]
    pairs = zip(fields[MAP].split(counts), layouts, strict=True)
    maps = [own.view(layout.grid) for own, layout in pairs]
    values = {part: fields[name].split(counts) for name, part in MATERIAL.items() if name in fields}
    material: list[Material] = []
    for image in range(len(layouts)):
        own: dict[str, Any] = {part: split[image][None] for part, split in values.items()}
        if "label" in own:
            own["labels"] = int(own["label"].max()) + 1
        material.append(Material(**own))
    return select(layouts, maps, fields[SIZES][:, 0].tolist(), method, rows, material)
