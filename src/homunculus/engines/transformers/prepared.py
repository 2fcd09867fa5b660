"""An answer, and what was looked at for it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, log2
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from homunculus.core import lift
from homunculus.core.types import Tokens
from homunculus.engines import encode
from homunculus.engines.families import Layout
from homunculus.engines.select import Choice
from homunculus.engines.transformers.conversation import Shown
from homunculus.engines.views import whole
from homunculus.image import Picture, open_picture
from homunculus.show import panels

FILL = {"attention_mask": 0, "token_type_ids": 0, "labels": -100}
"""What stands where a shorter prompt is filled up, at the left."""


Place = tuple[int, Int[Tensor, "_n"]]
"""The number of an image's sample and the columns of its placeholders."""


def located(image: Bool[Tensor, "b l"], layouts: Sequence[Layout]) -> list[Place]:
    """Where each image stands; ``image`` is true at placeholders."""
    sample, column = image.nonzero().cpu().unbind(1)
    total = sum(layout.total for layout in layouts)
    if len(sample) != total:
        raise ValueError(
            f"engine: the prompt has {len(sample)} image placeholders, its images {total} rows. "
            "Use the processor that belongs to the model, and do not cut the prompt short."
        )
    counts = [layout.total for layout in layouts]
    whole = zip(sample.split(counts), column.split(counts), strict=True)
    return [(int(one[0]), columns) for one, columns in whole]


def marks(places: Sequence[Place]) -> list[int]:
    """How many tokens stand between the first and the last placeholder of each image as marks."""
    return [int(at[-1] - at[0]) + 1 - len(at) for _, at in places]


def columns(
    text: Bool[Tensor, "b l"], places: Sequence[Place], choices: Sequence[Choice]
) -> list[Int[Tensor, "_l"]]:
    """For each sample the columns of the untouched prompt that the new one is made of, in order.

    Text stays; a token takes the column of its anchor, so two may take the same one.
    """
    kept = [[one.nonzero()[:, 0]] for one in text.cpu()]
    for (sample, at), choice in zip(places, choices, strict=True):
        kept[sample].append(at[choice.anchor])
    return [torch.cat(parts).sort(stable=True).values for parts in kept]


def gathered(value: Tensor, chosen: Sequence[Int[Tensor, "_"]], fill: int = 0) -> Tensor:
    """``value`` (b ... l) at the chosen columns of each sample, filled up at the left."""
    length = max(map(len, chosen))
    out = value.new_full((*value.shape[:-1], length), fill)
    for sample, at in enumerate(chosen):
        out[sample, ..., length - len(at) :] = value[sample][..., at.to(value.device)]
    return out


def pruned(
    inputs: Mapping[str, Any],
    positions: Tensor,
    chosen: Sequence[Int[Tensor, "_"]],
    pad: int,
) -> dict[str, Tensor]:
    """Everything of the prompt that has a value per token, at the chosen columns.

    ``positions`` are the untouched prompt's: (b, l), or (3, b, l) of time, row and column.
    """
    out = {"input_ids": gathered(inputs["input_ids"], chosen, pad)}
    for name, fill in FILL.items():
        if name in inputs:
            out[name] = gathered(inputs[name], chosen, fill)
    if positions.dim() == 2:
        return out | {"position_ids": gathered(positions, chosen)}
    moved = gathered(positions.transpose(0, 1), chosen).transpose(0, 1)
    count = (out["attention_mask"].long().cumsum(-1) - 1).clamp(min=0)
    return out | {"position_ids": torch.cat((count[None], moved))}


OTHERS = "engine: the pinned inputs show other images than these messages begin with."


@dataclass(frozen=True, eq=False)
class Look:
    """One image of a prompt: what was asked, where that looks, and what was kept."""

    shown: Shown
    layout: Layout
    relevance: Float[Tensor, "rows cols"]
    """Of the cells of the lattice."""
    origin: str
    """Where the relevance came from, in words."""
    choice: Choice
    marks: int
    """Tokens of text that stand between the image's own in the prompt."""

    def without_features(self) -> "Look":
        """What was kept, as places alone."""
        tokens = replace(self.choice.tokens, embed=None)
        return replace(self, choice=replace(self.choice, tokens=tokens, embed=None, gain=None))

    def check(self, shown: Shown, layout: Layout) -> None:
        """Refuse to be pinned to another image, or to the same one in another lattice."""
        mine = self.shown.image
        if mine is not shown.image and (
            mine.size != shown.image.size or mine.tobytes() != shown.image.tobytes()
        ):
            raise ValueError(OTHERS)
        if self.layout.grid != layout.grid:
            raise ValueError(
                f"engine: expected the pinned image's lattice of {self.layout.grid} cells, got "
                f"{layout.grid}: with this model an image is laid out otherwise when another one "
                "joins its conversation. Leave out the pinned inputs: all is computed anew."
            )


class Prepared(Mapping[str, Any]):
    """What `model.generate(**inputs)` and `model(**inputs)` take; may be used again and again.

    Calls write into `mm_encoder_outputs`, so each gets its own.
    """

    def __init__(
        self,
        plain: dict[str, Any],
        encoded: encode.Encoded,
        looks: Sequence[Look],
        image: int,
        causal: bool = True,
    ) -> None:
        # all rows of the tower are not kept alive by the few that were chosen
        self._encoded = encode.Encoded(encode.hollow(encoded).output, [])
        self._plain, self._image = plain, image
        self._causal, self.looks = causal, list(looks)

    @property
    def _features(self) -> bool:
        return bool(self.looks) and self.looks[0].choice.embed is not None

    def __getitem__(self, name: str) -> Any:
        if name != "mm_encoder_outputs" or not self._features:
            return self._plain[name]
        rows = [look.choice.embed for look in self.looks]
        return encode.wrapped(self._encoded, rows)  # pyright: ignore[reportArgumentType]

    def __iter__(self) -> Iterator[str]:
        yield from self._plain
        if self._features:
            yield "mm_encoder_outputs"

    def __len__(self) -> int:
        return len(self._plain) + self._features

    def without_features(self) -> "Prepared":
        """Ids, masks, positions and what was kept of each image: small enough to be stored."""
        looks = [look.without_features() for look in self.looks]
        return Prepared(self._plain, self._encoded, looks, self._image, self._causal)

    def of(self, talk: int) -> list[Look]:
        """The images of one conversation."""
        return [look for look in self.looks if look.shown.talk == talk]

    def upon(self, ids: Int[Tensor, "l"], cache: Any) -> dict[str, Any]:
        """The same inputs upon the cache that a prompt and its answer left: the rest is computed.

        For one conversation, and images that are pinned to those of ``ids``. What both begin with
        is taken from the cache, if there is one and the model can; if not, these are the inputs
        for all of it.
        """
        mine = self._plain["input_ids"]
        if len(mine) != 1:
            raise ValueError(f"engine: a cache goes on with one conversation, got {len(mine)}.")
        if not self._causal or cache is None:
            return dict(self)
        # another turn may have gone on from this answer, and its images may be others: only what
        # all three begin with is the same
        said = getattr(cache, "said", ids)
        least = min(mine.shape[1] - 1, len(ids), len(said), cache.get_seq_length())
        equal = (mine[0, :least] == ids[:least]) & (mine[0, :least] == said[:least])
        same = int(equal.long().cumprod(0).sum())
        image = (mine[0] == self._image).long()
        done, looks = int(image[:same].sum()), list(self.looks)
        while looks and done >= len(looks[0].choice.anchor):
            done -= len(looks.pop(0).choice.anchor)
        if done:
            raise ValueError(
                "engine: the cache ends inside an image. Pin the earlier turn's inputs."
            )
        if not same or (looks and "token_type_ids" in self._plain):
            return dict(self)  # transformers lays new types at the cache's beginning
        if same < cache.get_seq_length():
            try:
                cache.crop(same - cache.get_seq_length())
            except (RuntimeError, ValueError, NotImplementedError):
                return dict(self)  # a window that slid on cannot go back: compute all
        cache.said = mine[0]
        rest = Prepared(self._plain, self._encoded, looks, self._image)
        return {**rest, "past_key_values": cache}


CELL = 16
"""Pixels of a cell in a drawing."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What the model said about a conversation's images.

    Features of images and the KV cache stay with the engine, so that many answers can be kept.
    """

    text: str
    ids: Int[Tensor, "l"]
    """Prompt and answer."""
    prepared: "Prepared"
    """Inputs of the model, without features."""
    looks: "list[Look]"
    """One for each image of the conversation."""
    _cache: Callable[[], Any] | None = field(default=None, repr=False)
    """A weak reference."""

    @property
    def cache(self) -> Any:
        """Keys and values of all that was computed, while the engine keeps them; else None.

        It does for its latest answer, and for the ones that this answer went on from.
        """
        return None if self._cache is None else self._cache()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": None}  # weak references cannot be pickled

    @property
    def tokens(self) -> tuple[Tokens, ...]:
        """What was kept of each image."""
        return tuple(look.choice.tokens for look in self.looks)

    def show(self, image: int = 0) -> Any:
        """Four panels as a Pillow image: picture, relevance, kept cells, what is left to read."""
        look = self.looks[image]
        rows, cols = look.layout.grid
        picture = _cut(look)
        tokens = look.choice.tokens
        kept, total = len(look.choice.anchor), look.layout.total
        plain = whole(tokens, look.layout.grid)
        side = float((tokens.box[0, :, 2:] - tokens.box[0, :, :2]).max())
        coarsest = int(tokens.level.max()) if plain else ceil(log2(max(1.0, side)))
        return panels.draw_panels(
            lift.mips(picture.unit(), 1 + coarsest),
            (rows * CELL, cols * CELL),
            look.relevance.detach().cpu(),
            tokens,
            patch=CELL,
            plain=plain,
            question=look.shown.question,
            caption=f"{kept} of {total} tokens, relevance: {look.origin}. Answer: {self.text}",
            origin=look.origin,
        )


def _cut(look: "Look") -> Picture:
    """The part of the image that the model sees, as large as its cells."""
    rows, cols = look.layout.grid
    y0, x0, y1, x1 = look.layout.window
    image = look.shown.image
    box = [x0 * image.width, y0 * image.height, x1 * image.width, y1 * image.height]
    return open_picture(
        image.crop([round(side) for side in box]).resize((cols * CELL, rows * CELL))
    )
