"""Prepared inputs and answers: prompts cut to the chosen tokens, ready for the model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.engines import encode
from homunculus.engines.border import tensor
from homunculus.engines.cells import lift
from homunculus.engines.cells.types import Tokens
from homunculus.engines.families import Layout
from homunculus.engines.parts import are_cells
from homunculus.engines.select import Choice
from homunculus.engines.transformers.conversation import ImageQuestion
from homunculus.pages import Picture, open_picture
from homunculus.scouts.sight import Sight
from homunculus.shapes import as_array
from homunculus.show import panels

FILL = {"attention_mask": 0, "token_type_ids": 0, "labels": -100}
"""What pads shorter prompts, at the left."""
CELL = 16
"""Side of a cell in drawings, in pixels."""
OTHER_CONVERSATION = (
    "engine: `upon` (or `pinned`) comes from another conversation: its images are not the first "
    "ones of these messages. Leave it out."
)

# ---- prompts -------------------------------------------------------------------------------------

Place = tuple[int, Int[Tensor, "_n"]]
"""The index of an image's sample, and the columns of its placeholders."""


def locate(image: Bool[Tensor, "b l"], layouts: Sequence[Layout]) -> list[Place]:
    """The place of each image; ``image`` is true at placeholders."""
    sample, column = image.nonzero().cpu().unbind(1)
    total = sum(layout.total for layout in layouts)
    if len(sample) != total:
        raise ValueError(
            f"engine: the prompt has {len(sample)} image placeholders, its images {total} rows. "
            "Use the processor that belongs to the model, and do not cut the prompt short."
        )
    counts = [layout.total for layout in layouts]
    by_image = zip(sample.split(counts), column.split(counts), strict=True)
    return [(int(samples[0]), columns) for samples, columns in by_image]


def kept_columns(
    text: Bool[Tensor, "b l"], places: Sequence[Place], choices: Sequence[Choice]
) -> list[Int[Tensor, "_l"]]:
    """For each sample, the columns of the untouched prompt that the new one consists of.

    All text stays; an image token takes the column of its anchor, so two may share a column.
    """
    columns = [[own.nonzero()[:, 0]] for own in text.cpu()]
    for (sample, placeholders), choice in zip(places, choices, strict=True):
        columns[sample].append(placeholders[choice.anchor])
    return [torch.cat(parts).sort(stable=True).values for parts in columns]


def gather_columns(value: Tensor, columns: Sequence[Int[Tensor, "_"]], fill: int = 0) -> Tensor:
    """``value`` (b ... l) at the given columns of each sample, padded at the left."""
    length = max(map(len, columns))
    gathered = value.new_full((*value.shape[:-1], length), fill)
    for sample, own in enumerate(columns):
        gathered[sample, ..., length - len(own) :] = value[sample][..., own.to(value.device)]
    return gathered


def cut_prompt(
    inputs: Mapping[str, Any],
    positions: Tensor,
    columns: Sequence[Int[Tensor, "_"]],
    pad: int,
) -> dict[str, Tensor]:
    """All inputs with a value per token, cut to the given columns.

    ``positions`` are those of the untouched prompt: (b, l), or (3, b, l) of time, row and column.
    """
    cut = {"input_ids": gather_columns(inputs["input_ids"], columns, pad)}
    for name, fill in FILL.items():
        if name in inputs:
            cut[name] = gather_columns(inputs[name], columns, fill)
    if positions.dim() == 2:
        return cut | {"position_ids": gather_columns(positions, columns)}
    moved = gather_columns(positions.transpose(0, 1), columns).transpose(0, 1)
    count = (cut["attention_mask"].long().cumsum(-1) - 1).clamp(min=0)
    return cut | {"position_ids": torch.cat((count[None], moved))}


# ---- inputs of the model -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ImageTokens:
    """One image of a prompt: its question, its relevance map and the tokens it keeps."""

    source: ImageQuestion
    layout: Layout
    relevance: Float[Tensor, "rows cols"]
    """Relevance of the layout's cells."""
    sight: Sight
    """What the scout made of the image, as a map of its own."""
    choice: Choice

    @property
    def origin(self) -> str:
        """Where the relevance comes from, in words."""
        return self.sight.origin

    def without_features(self) -> "ImageTokens":
        """A copy without features."""
        tokens = replace(self.choice.tokens, embed=None)
        return replace(self, choice=replace(self.choice, tokens=tokens, embed=None, gain=None))

    def check(self, image: Any, layout: Layout) -> None:
        """Raise unless the tokens are those of this image in the same layout."""
        own = self.source.image
        if own is not image and (own.size != image.size or own.tobytes() != image.tobytes()):
            raise ValueError(OTHER_CONVERSATION)
        if self.layout.grid != layout.grid:
            raise ValueError(
                f"engine: an image of `upon` (or `pinned`) had {self.layout.grid} cells, now it "
                f"has {layout.grid}: this model changes the layout of an image when another one "
                "joins its conversation. Leave out `upon` to choose its tokens again."
            )


class Prepared(Mapping[str, Any]):
    """Inputs for `model.generate(**inputs)` and `model(**inputs)`; may be used several times.

    Each call gets its own `mm_encoder_outputs`, because the model writes into it.
    """

    def __init__(
        self,
        plain: dict[str, Any],
        encoded: encode.Encoded,
        images: Sequence[ImageTokens],
    ) -> None:
        # the few chosen rows must not keep all rows of the tower alive
        self._encoded = encode.Encoded(encode.without_tensors(encoded).output, [])
        self._plain, self.images = plain, list(images)

    @property
    def _features(self) -> bool:
        return bool(self.images) and self.images[0].choice.embed is not None

    def __getitem__(self, name: str) -> Any:
        if name != "mm_encoder_outputs" or not self._features:
            return self._plain[name]
        rows = [image.choice.embed for image in self.images if image.choice.embed is not None]
        return encode.encoder_outputs(self._encoded, rows)

    def __iter__(self) -> Iterator[str]:
        yield from self._plain
        if self._features:
            yield "mm_encoder_outputs"

    def __len__(self) -> int:
        return len(self._plain) + self._features

    def without_features(self) -> "Prepared":
        """A copy without features, small enough to keep."""
        images = [image.without_features() for image in self.images]
        return Prepared(self._plain, self._encoded, images)

    def of(self, conversation: int) -> list[ImageTokens]:
        """The images of one conversation."""
        return [image for image in self.images if image.source.conversation == conversation]


# ---- answers -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer of the model in one conversation.

    It holds no image features and no KV cache, so that many answers can be kept.
    """

    text: str
    ids: Int[Tensor, "l"]
    """Token ids of prompt and answer."""
    prepared: Prepared
    """Inputs of the model, without features."""
    images: list[ImageTokens]
    """The images of the conversation."""

    @property
    def tokens(self) -> tuple[Tokens, ...]:
        """The tokens of each image."""
        return tuple(image.choice.tokens for image in self.images)

    def show(self, image: int = 0) -> Any:
        """Three panels as a Pillow image: relevance, kept cells, what the tokens show."""
        shown = self.images[image]
        rows, cols = shown.layout.grid
        tokens = shown.choice.tokens
        count, total = len(shown.choice.anchor), shown.layout.total
        plain = are_cells(tokens, shown.layout.grid)
        side = float((tokens.box[0, :, 2:] - tokens.box[0, :, :2]).max())
        coarsest = int(tokens.level.max()) if plain else ceil(log2(max(1.0, side)))
        return panels.draw_panels(
            lift.mips(tensor(_crop(shown).unit()), 1 + coarsest),
            (rows * CELL, cols * CELL),
            as_array(shown.relevance),
            tokens,
            patch=CELL,
            plain=plain,
            question=shown.source.question,
            caption=f"{count} of {total} tokens, relevance: {shown.origin}. Answer: {self.text}",
            origin=shown.origin,
        )


def _crop(tokens: ImageTokens) -> Picture:
    """The part of the image that the model sees, at the size of its cells."""
    rows, cols = tokens.layout.grid
    y0, x0, y1, x1 = tokens.layout.window
    image = tokens.source.image
    box = [x0 * image.width, y0 * image.height, x1 * image.width, y1 * image.height]
    return open_picture(
        image.crop([round(side) for side in box]).resize((cols * CELL, rows * CELL))
    )
