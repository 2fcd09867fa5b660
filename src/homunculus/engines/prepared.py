# pyright: basic
"""Prepared inputs: what a model's own `generate` and `forward` take, exactly K tokens an image."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor

from homunculus.engines import encode
from homunculus.engines.layout import Layout
from homunculus.engines.select import Choice
from homunculus.engines.talk import Shown

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
