"""Whose token: how many tokens a model counts for a picture of so many pixels.

A row is a model; `token_rule` finds it by name, or takes the side of a token in pixels.
"""

from dataclasses import dataclass
from math import ceil

from homunculus.lazy import not_found

Size = tuple[int, int]
"""Height and width in pixels."""


@dataclass(frozen=True)
class TokenRule:
    """How one model counts the tokens of a picture."""

    name: str
    side: int
    """Pixels along a token."""
    whose: str = ""
    """The models that count so."""

    def count(self, size: Size) -> int:
        """Tokens of a picture; a side that is no multiple of a token is filled up to one."""
        return ceil(size[0] / self.side) * ceil(size[1] / self.side)

    def largest(self, size: Size, tokens: int) -> Size:
        """The largest picture of this shape that costs at most so many tokens, never enlarged.

        >>> TokenRule("32", 32).largest((1024, 1024), 64), TokenRule("32", 32).largest((90, 40), 9)
        ((256, 256), (90, 40))
        """
        if self.count(size) <= tokens:
            return size
        low, high = 0.0, 1.0
        for _ in range(20):  # a millionth: far less than a pixel
            middle = (low + high) / 2
            low, high = (middle, high) if self._fits(size, middle, tokens) else (low, middle)
        return _scale(size, low)

    def _fits(self, size: Size, scale: float, tokens: int) -> bool:
        return self.count(_scale(size, scale)) <= tokens


def _scale(size: Size, scale: float) -> Size:
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


_RULES = (
    TokenRule("qwen3-vl", 32, "Qwen3-VL"),
    TokenRule("qwen2.5-vl", 28, "Qwen2-VL and Qwen2.5-VL"),
)
RULES = {rule.name: rule for rule in _RULES}
"""By name."""


def token_rule(model: str | int) -> TokenRule:
    """The rule of a model, or that of tokens of so many pixels.

    >>> token_rule("qwen3-vl").count((64, 70)), token_rule(16).count((64, 70))
    (6, 20)
    """
    if isinstance(model, int):
        if not 1 <= model <= 256:
            raise ValueError(f"token_rule: a token has 1 to 256 pixels a side, got {model}")
        return TokenRule(f"{model} px", model)
    if model not in RULES:
        instead = f"There are {', '.join(RULES)}; or give the side of a token in pixels."
        raise ValueError(not_found("model", model, RULES, (), instead))
    return RULES[model]
