"""The rule that keeps the most relevant cells."""

from dataclasses import dataclass

from homunculus.engines.cells.allocate.order import best, check_slots, finish, keys, lags
from homunculus.engines.cells.types import Allocation, Field, Relevance, Rule


def flat(field: Field, who: str) -> None:
    """Refuse fields with coarse cells where a rule knows only the grid."""
    if field.levels != 1 or field.copies != 1:
        raise ValueError(f"{who}: needs a grid of level-0 cells, got {field.levels} levels")


@dataclass(frozen=True)
class TopK(Rule):
    """The most relevant cells of all levels.

    ``level_weight`` is added per level: above 0 it favours coarse cells. A level-0 cell and its
    ancestors may both be kept: this rule promises no coverage.
    """

    level_weight: float = 0.0

    def __call__(self, field: Field, relevance: Relevance, slots: int) -> Allocation:
        check_slots(slots)
        lag = lags(field, relevance)
        if self.level_weight:
            coarsest = field.level.amax(1, keepdim=True)
            height = field.level if self.level_weight < 0 else field.level - coarsest
            lag = lag - self.level_weight * height  # never below zero, as keys need it
        key = keys(lag, None if field.full else field.valid)
        index = best(key, min(slots, field.max_cells))
        return finish(field, index[..., None], slots)
