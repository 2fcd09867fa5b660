"""The setting of an engine."""

from dataclasses import dataclass
from typing import Any, Literal

from homunculus.engines.plan import USUAL, Viewing


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
    scout: str = "auto"
    """Name or folder of the scout; "given" for an object."""
    viewing: Viewing = USUAL
    """What planned views go by."""

    def __post_init__(self) -> None:
        values: dict[str, Any] = vars(self)  # from a file they may be of any type
        tokens = values["tokens"]
        if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1:
            raise ValueError(
                f"engine: tokens is a whole number from 1 on, got {tokens!r}. "
                "Pass how many tokens each image may cost, such as tokens=273."
            )
        if not isinstance(values["fast"], bool):
            raise ValueError(f"engine: fast is true or false, got {values['fast']!r}.")
        allowed = {"where": ("before", "after"), "marks": ("free", "counted")}
        for name, options in allowed.items():
            if (got := values[name]) not in options:
                raise ValueError(f"engine: {name} is {' or '.join(options)}, got {got!r}.")
