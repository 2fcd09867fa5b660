# pyright: basic
"""The loss of the word net: text, letters, codes, kinds, and above all the match."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor

from homunculus_lab.train.batch import Batch
from homunculus_lab.train.labels import IGNORE
from homunculus_lab.train.net import SLOTS, Features, WordNet

CELLS = 6000
"""Text cells of a batch that train letters, codes and kinds."""
MATCHED = 3000
"""Of these, cells that are matched with all words of the batch."""
BLANK = 400
"""Cells without text that must match no word."""
SHORTEST = 2
"""Letters of the shortest word that is matched."""


@dataclass(frozen=True)
class Loss:
    """Each part weighted, so that the total is their plain sum."""

    text: Float[Tensor, ""]
    letter: Float[Tensor, ""]
    code: Float[Tensor, ""]
    kind: Float[Tensor, ""]
    match: Float[Tensor, ""]

    def total(self) -> Float[Tensor, ""]:
        """The sum that is minimised."""
        return self.text + self.letter + self.code + self.kind + self.match

    def parts(self) -> dict[str, float]:
        """Plain numbers for the log."""
        return {name: float(getattr(self, name).detach()) for name in self.__dataclass_fields__}


def scaled(batch: Batch) -> Float[Tensor, "b 1 h w"]:
    """The batch's pixels as input of the net."""
    return batch.pixels[:, None].float() / 255


def loss(net: WordNet, batch: Batch, generator: torch.Generator) -> Loss:
    """The loss of one batch; `generator` samples the cells."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        features: Features = net(scaled(batch))
        word = batch.word.flatten()
        text = _text(features.text.flatten(), word)
        cells = _sample(word > 0, CELLS, generator)
        blank = _sample(word == 0, BLANK, generator)
        if not len(cells):
            zero = text * 0
            return Loss(text, zero, zero, zero, zero)
        letter = letters(net, features.letter.flatten(0, 2)[cells])
        hidden = net.hide(features.word.flatten(0, 2)[torch.cat([cells, blank])])
        target = batch.code.float()
        bits = net.code_head(hidden[: len(cells)]).float()
        kind = net.kind_head(hidden[: len(cells)]).float()
        matched = torch.cat([hidden[: min(len(cells), MATCHED)], hidden[len(cells) :]])
        embed, query = net.embed(matched), net.query(target)
    owner = torch.cat([word[cells[:MATCHED]], word[blank]])
    return Loss(
        text,
        F.cross_entropy(
            letter.flatten(0, 1), batch.letter.flatten(0, 2)[cells].flatten().long(),
            ignore_index=IGNORE,
        ),
        _bits(bits, target[word[cells] - 1]),
        0.3 * F.cross_entropy(kind, batch.kind.flatten()[cells]),
        _match(net.match(embed, query), owner, batch.words),
    )  # fmt: skip


def _sample(mask: Tensor, count: int, generator: torch.Generator) -> Int[Tensor, "n"]:
    """Up to ``count`` places of the mask, in random order."""
    place = mask.nonzero()[:, 0]
    return place[torch.randperm(len(place), generator=generator)[:count]]


def _text(logit: Float[Tensor, "n"], word: Int[Tensor, "n"]) -> Float[Tensor, ""]:
    sure = (word >= 0).float()
    each = F.binary_cross_entropy_with_logits(logit, (word > 0).float(), reduction="none")
    return 2 * (each * sure).sum() / sure.sum().clamp(min=1)


def _bits(logit: Float[Tensor, "n bits"], target: Float[Tensor, "n bits"]) -> Float[Tensor, ""]:
    each = F.binary_cross_entropy_with_logits(logit, target, reduction="sum")
    return each / len(logit) / 10


def _match(
    logit: Float[Tensor, "n words"], owner: Int[Tensor, "n"], words: list[str]
) -> Float[Tensor, ""]:
    """Every cell against every word, each pair a yes or a no (SigLIP: Zhai et al., 2023)."""
    long = torch.tensor([len(word) >= SHORTEST for word in words])
    yes = owner[:, None] == torch.arange(1, len(words) + 1)
    each = -F.logsigmoid(torch.where(yes, logit, -logit))
    return (each * long).sum() / len(logit)


def letters(
    net: WordNet, letter: Float[Tensor, "*cells d"]
) -> Float[Tensor, "*cells slots classes"]:
    """Logits of the character in each slot of the cells."""
    logit = net.letter_head(letter).float()
    return rearrange(logit, "... (slots classes) -> ... slots classes", slots=SLOTS)
