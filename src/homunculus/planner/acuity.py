"""Acuity: how small a reader still reads.

A normal curve over the logarithm of the height: ``middle`` is the height of a line of text, in
pixels of the picture that the reader gets, at which it reads half of what it reads at all.
`homunculus eyetest` measures it.
"""

from dataclasses import dataclass
from math import sqrt

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Acuity:
    """P(read | height in pixels) of one reader."""

    name: str
    """Whose eyes these are."""
    middle: float
    """Height in pixels of a line that is read half of the time."""
    width: float
    """Octaves from there to where 84 % are read."""
    ceiling: float = 1.0
    """Share that is read however large it is."""

    def __post_init__(self) -> None:
        if not (self.middle > 0 and self.width > 0 and 0 < self.ceiling <= 1):
            raise ValueError(
                f"Acuity {self.name!r}: middle and width must be above 0 and ceiling within 0 to "
                f"1, got {self.middle}, {self.width} and {self.ceiling}."
            )

    def read(
        self, octaves: Float[Tensor, "*any"], blur: Float[Tensor, "*any"] | float = 0.0
    ) -> Float[Tensor, "*any"]:
        """P(read) at heights given as log2 of pixels, known up to ``blur`` octaves."""
        width = (torch.as_tensor(blur) ** 2 + self.width**2).sqrt()
        return self.ceiling * 0.5 * (1 + torch.erf((octaves - self.log_middle) / width / sqrt(2)))

    @property
    def log_middle(self) -> float:
        """``middle`` as log2 of pixels."""
        return float(torch.tensor(self.middle).log2())
