"""Cells with attention and similarity to words, besides their features."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells.check import check_cells
from homunculus.engines.cells.lift import Lift, Material, grid
from homunculus.engines.cells.types import Field


@dataclass(frozen=True, eq=False)
class Attention:
    """What an encoder attends to, on level-0 cells."""

    late: Float[Tensor, "b n"]
    """The share of attention each cell gets, in a layer near the end."""
    key: Float[Tensor, "b n c"] | None = None
    """What that layer compares cells by; None for their features."""
    first: Float[Tensor, "b n"] | None = None
    """The attention of the first layer, to a small view of the whole where there is one."""
    tile: Int[Tensor, "b n"] | None = None
    """The tile that each cell was encoded in; None if there is one for all."""

    def to(self, device: torch.device) -> "Attention":
        """Move all tensors to another device."""
        rest = (self.key, self.first, self.tile)
        moved = [None if part is None else part.to(device) for part in rest]
        return Attention(self.late.to(device), *moved)


@dataclass(frozen=True, eq=False)
class EncoderMaterial(Material):
    """Features of an encoder, its attention, and how like the question's words they are."""

    attention: Attention | None = None
    question: Float[Tensor, "b n w"] | None = None
    """Cosine of each cell with each word of the question, where both are vectors of one model;
    -inf behind an image's last word."""


@dataclass(frozen=True, eq=False)
class EncoderField(Field):
    """Cells with what their encoder and the question tell of them."""

    attention: Attention | None = None
    question: Float[Tensor, "b n w"] | None = None


def with_attention(
    field: Field, attention: Attention | None, question: Float[Tensor, "b n w"] | None = None
) -> EncoderField:
    """Add attention and similarity to words to the cells of a field."""
    known = {part.name: getattr(field, part.name) for part in fields(field)}
    return EncoderField(**known, attention=attention, question=question)


def attention_of(field: Field) -> Attention:
    """The attention that `on_encoder` put into a field."""
    assert isinstance(field, EncoderField)
    assert field.attention is not None
    return field.attention


def question_of(field: Field) -> Float[Tensor, "b n w"]:
    """The likeness to words that `on_encoder` put into a field."""
    assert isinstance(field, EncoderField)
    assert field.question is not None
    return field.question


def _encoded(grids: Sequence[Grid], slots: int, material: Material) -> Field:
    """Level-0 cells with all that their encoder and the question tell of them."""
    field = grid(grids)
    if material.feature is not None:
        field = replace(field.to(material.feature.device), feature=material.feature)
    if not isinstance(material, EncoderMaterial):
        return field
    if material.attention is not None:
        check_cells(material.attention.late, grids, "attention")
    if material.question is not None:
        check_cells(material.question, grids, "question", dims=3)
    return with_attention(field, material.attention, material.question)


on_encoder = Lift("encoder", _encoded)
