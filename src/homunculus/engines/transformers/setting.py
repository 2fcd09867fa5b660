"""The setting of an engine."""

from dataclasses import dataclass, field
from typing import Any, Literal

from homunculus.checks import check_count
from homunculus.planner.options import ViewOptions


@dataclass(frozen=True)
class Setting:
    """How an engine treats every image."""

    tokens: int
    method: str
    where: Literal["before", "after"]
    fast: bool = False
    """Whether patch embeddings are matrix products: faster on a CPU, equal but for rounding."""
    views: ViewOptions = field(default_factory=ViewOptions)
    """The scout, and what planned views go by."""

    def __post_init__(self) -> None:
        where: Any = self.where  # from a file they may be of any type
        fast: Any = self.fast
        check_count(self.tokens, "engine: tokens", "Pass what each image may cost: tokens=273.")
        if where not in ("before", "after"):
            raise ValueError(f"engine: where must be before or after, got {where!r}.")
        if not isinstance(fast, bool):
            raise ValueError(f"engine: fast must be True or False, got {fast!r}.")
