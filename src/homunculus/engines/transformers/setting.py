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
    marks: Literal["free", "counted"] = "free"
    """Whether the text tokens that some families write between tiles count as well."""
    fast: bool = False
    """Whether patch embeddings are matrix products: faster on a CPU, equal but for rounding."""
    views: ViewOptions = field(default_factory=ViewOptions)
    """The scout, and what planned views go by."""

    def __post_init__(self) -> None:
        values: dict[str, Any] = vars(self)  # from a file they may be of any type
        check_count(self.tokens, "engine: tokens", "Pass what each image may cost: tokens=273.")
        if not isinstance(values["fast"], bool):
            raise ValueError(f"engine: fast must be True or False, got {values['fast']!r}.")
        allowed = {"where": ("before", "after"), "marks": ("free", "counted")}
        for name, options in allowed.items():
            if (got := values[name]) not in options:
                raise ValueError(f"engine: {name} must be {' or '.join(options)}, got {got!r}.")
