"""The second half of the way from a picture to tokens: which cells a budget keeps.

    sight = ask(method, scout, image, question, grid)     where the question looks
    spent = spend(method, [grid], logit, slots)           which cells that keeps

`look` and both engines go this way and no other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from homunculus.checks import Grid
from homunculus.engines.cells import lift
from homunculus.engines.cells.lift import Material
from homunculus.engines.cells.methods import Method
from homunculus.engines.cells.pack import pack
from homunculus.engines.cells.types import Allocation, Field, Relevance, Tokens


@dataclass(frozen=True, eq=False)
class Spent:
    """Images with their budget spent."""

    field: Field
    """Everything that could be a token."""
    relevance: Relevance
    """The relevance of every cell of the field."""
    allocation: Allocation
    tokens: Tokens


def spend(
    method: Method,
    grids: Sequence[Grid],
    logit: Float[Tensor, "b n"],
    slots: int,
    material: Material | None = None,
    *,
    feature: Float[Tensor, "b n d"] | None = None,
) -> Spent:
    """Exactly `Method.count` tokens per image, from the relevance of its level-0 cells.

    ``feature`` is what the tokens are made of, if that is not what the cells are chosen by
    (``material``).
    """
    field, relevance = method.lay(grids, logit, slots, material)
    allocation = method.allocate(field, relevance, slots)
    if feature is not None and (material is None or material.feature is not feature):
        field = lift.with_feature(field, feature)
    tokens = pack(field, allocation)
    check_counts(method, field, tokens, slots)
    return Spent(field, relevance, allocation, tokens)


def check_counts(method: Method, field: Field, tokens: Tokens, slots: int) -> None:
    """Refuse a rule that keeps another number than it counts: a prompt has a place for each."""
    expected = [method.count(grid, slots) for grid in field.grids]
    counts = tokens.valid.sum(1).tolist()
    if counts != expected:
        raise ValueError(
            f"{method.name}: its rule must keep exactly {expected} cells of these images, got "
            f"{counts}. homunculus.engines.cells.testing.check_method finds such a rule in a test."
        )
