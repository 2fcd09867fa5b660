"""How many tokens a model counts for a picture, by its size in pixels.

There are three kinds of rules, and views are bought differently with each (`planner.bill`):

    TokenRule    each token of a picture is billed
    PictureRule  every small picture has one price: tiles, or a flat price (`planner.tiles`)
    LevelRule    a parameter of the request sets the price

`planner.models` has a row for every model that we know.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, sqrt
from typing import NamedTuple

Size = tuple[int, int]
"""Height and width in pixels."""
DEFAULT_TOKENS = 273
"""The budget of a picture where none is named: that of DeepSeek-OCR's base mode."""
MAX_WINDOWS = 4
"""Windows beside the whole picture at most."""


@dataclass(frozen=True)
class Facts:
    """Where a rule comes from, and what else its provider says."""

    whose: str = ""
    """The models that count so."""
    source: str = ""
    """Where it was read."""
    date: str = ""
    """When, year and month."""
    sure: str = ""
    """`code`: the model's own processor, which a test compares; `documents`: the provider's;
    `measured`: others have measured it; `reported`: one source that is not the provider."""
    images: int = 0
    """Pictures that a request may have; 0 if it is not known."""
    note: str = ""
    """What to know before trusting the count."""
    windows: int = MAX_WINDOWS
    """Windows that views have at most beside the whole picture."""
    crowd: tuple[int, int] | None = None
    """A number of pictures, and the pixels a side that each may have in a request with more."""
    cheaper: str = ""
    """What lets small pictures cost less, where something does."""
    least_edge: int = 0
    """Pixels of a side below which the provider says that answers may be worse; 0 if it does not.
    It stands on the page of the source."""


@dataclass(frozen=True)
class Unit:
    """What views are sent as where a small picture has one price, however small it is."""

    side: int
    """Pixels along the longer side of a picture of this price."""
    tokens: int
    """Its price."""
    setting: tuple[str, str] | None = None
    """The parameter of a request, and its value, that makes it the price."""


class Level(NamedTuple):
    """A price that a parameter sets, whatever the picture's pixels."""

    setting: tuple[str, str]
    """The parameter and its value."""
    tokens: int


@dataclass(frozen=True)
class CountingRule(ABC):
    """How a model counts the tokens of a picture."""

    name: str
    side: int
    """Pixels along a token."""
    facts: Facts = field(default=Facts(), kw_only=True)

    @abstractmethod
    def count(self, size: Size) -> int:
        """Billed tokens of a picture."""

    @abstractmethod
    def seen(self, size: Size) -> Size:
        """The size at which the model looks at a picture; more pixels than these are lost."""

    def prices(self, sizes: Sequence[Size]) -> tuple[int, ...]:
        """Billed tokens of each of all pictures of a request."""
        return tuple(map(self.count, sizes))

    def largest(self, size: Size, tokens: int) -> Size:
        """The largest picture of this shape that costs at most ``tokens``, never enlarged.

        >>> TokenRule("32", 32).largest((1024, 1024), 64), TokenRule("32", 32).largest((90, 40), 9)
        ((256, 256), (90, 40))
        """
        return largest(self.seen(size), lambda small: self.count(small) <= tokens)

    def crowded(self, pictures: int) -> "CountingRule":
        """The rule in a request of that many pictures."""
        return self

    @property
    def lattice(self) -> "TokenRule":
        """What views are planned on: the same tokens, each billed once."""
        return TokenRule(self.name, self.side)

    @property
    def unit(self) -> Unit | None:
        """What views are sent as, if all small pictures have one price."""
        return None

    @property
    def token_px(self) -> int | None:
        """Pixels along a token, if a picture costs as many tokens as it has such squares."""
        return None

    @property
    def token(self) -> str:
        """The model that counts so, and how large its tokens are, in words."""
        size = f"of {self.token_px} px " if self.token_px else ""
        return f"tokens {size}({self.name})"


@dataclass(frozen=True)
class TokenRule(CountingRule):
    """Tokens with a fixed side in pixels; what sticks out is filled up to a token.

    >>> rule = TokenRule("mine", 32, factor=1.2, max_tokens=1000)
    >>> rule.count((100, 64)), rule.count((4000, 3000))
    (10, 1199)
    """

    factor: float = 1.0
    """Billed tokens to a token of the picture, rounded up for each picture."""
    max_tokens: int | None = None
    """Tokens of a picture, before they are multiplied; a larger one is reduced by the provider."""
    edge: int | None = None
    """Pixels of a picture's longer side, in the same way."""
    min_tokens: int = 1
    """Tokens of the smallest picture."""

    def count(self, size: Size) -> int:
        """Billed tokens of a picture."""
        return self.bill(self.cells(self.reduced(size)))

    def cells(self, size: Size) -> int:
        """Tokens of a picture as it is, before they are multiplied."""
        return ceil(size[0] / self.side) * ceil(size[1] / self.side)

    def bill(self, cells: int) -> int:
        """Billed tokens of a picture of that many tokens."""
        return ceil(self.factor * max(self.min_tokens, cells) - 1e-9)

    def reduced(self, size: Size) -> Size:
        """What the provider makes of a picture before it is counted."""
        return self.seen(size)

    def seen(self, size: Size) -> Size:
        """As large as the provider lets it be."""
        size = inside(size, self.edge) if self.edge else size
        limit = self.max_tokens
        return size if limit is None else largest(size, lambda small: self.cells(small) <= limit)

    def crowded(self, pictures: int) -> "TokenRule":
        """With the smaller edge that a provider has for many pictures."""
        if self.facts.crowd is None or pictures <= self.facts.crowd[0]:
            return self
        return replace(self, edge=min(self.edge or 10**6, self.facts.crowd[1]))

    @property
    def lattice(self) -> "TokenRule":
        """These tokens, each billed once."""
        return TokenRule(self.name, self.side, edge=self.edge)

    @property
    def token_px(self) -> int | None:
        """The side."""
        return self.side


def largest(size: Size, fits: Callable[[Size], bool]) -> Size:
    """The largest picture of this shape that fits, never enlarged.

    The scale is found by halving, so a rule may not be cheaper for a larger picture.
    """
    if fits(size):
        return size
    low, high = 0.0, 1.0
    for _ in range(20):  # a millionth: far less than a pixel
        middle = (low + high) / 2
        low, high = (middle, high) if fits(scaled(size, middle)) else (low, middle)
    return scaled(size, low)


def inside(size: Size, side: int) -> Size:
    """A picture reduced until its longer side has at most ``side`` pixels."""
    return size if max(size) <= side else scaled(size, side / max(size))


def scaled(size: Size, scale: float) -> Size:
    """A size times a scale, in whole pixels."""
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


@dataclass(frozen=True)
class PatchRule(TokenRule):
    """OpenAI's patches: a picture beyond the cap is reduced until whole patches fit it."""

    def reduced(self, size: Size) -> Size:
        """As documented: by area, then to a whole number of patches along one side.

        >>> PatchRule("mini", 32, max_tokens=1536).count((2400, 1800))
        1452
        """
        high, wide = size = inside(size, self.edge) if self.edge else size
        if self.max_tokens is None or self.cells(size) <= self.max_tokens:
            return size
        scale = sqrt(self.side**2 * self.max_tokens / (high * wide))
        rows, cols = high * scale / self.side, wide * scale / self.side
        scale *= min(max(1, floor(rows)) / rows, max(1, floor(cols)) / cols)
        return max(1, floor(high * scale + 1e-6)), max(1, floor(wide * scale + 1e-6))


@dataclass(frozen=True)
class RoundRule(TokenRule):
    """Qwen's: sides are rounded to the nearest token, within the least and the most tokens."""

    def reduced(self, size: Size) -> Size:
        """Sides in whole tokens, as the processors resize.

        >>> RoundRule("qwen", 28, min_tokens=4, max_tokens=16384).count((100, 100))
        16
        """
        (high, wide), side = size, self.side
        rows, cols = round(high / side), round(wide / side)
        if self.max_tokens and rows * cols > self.max_tokens:
            shrink = sqrt(high * wide / (self.max_tokens * side**2))
            rows, cols = (max(1, floor(long / shrink / side)) for long in size)
        elif rows * cols < self.min_tokens:
            grow = sqrt(self.min_tokens * side**2 / (high * wide))
            rows, cols = (ceil(long * grow / side) for long in size)
        return rows * side, cols * side


@dataclass(frozen=True)
class RowRule(TokenRule):
    """Pixtral's: a picture has one token more for each of its rows."""

    def reduced(self, size: Size) -> Size:
        """Rounded down, as its processor does."""
        over = max(size) / self.edge if self.edge else 0.0
        if over <= 1:
            return size
        return max(1, floor(size[0] / over)), max(1, floor(size[1] / over))

    def cells(self, size: Size) -> int:
        """Tokens of a picture, and those that end its rows."""
        return ceil(size[0] / self.side) * (ceil(size[1] / self.side) + 1)


@dataclass(frozen=True)
class AreaRule(TokenRule):
    """A price that is known for some areas, and taken to be straight between them."""

    known: tuple[tuple[int, int], ...] = ()
    """Pixels and tokens, smallest first."""

    def count(self, size: Size) -> int:
        """Billed tokens; below the smallest known area in proportion to it."""
        area, (before, price) = size[0] * size[1], (0, 0)
        for pixels, tokens in self.known:
            if area <= pixels:
                return ceil(price + (tokens - price) * (area - before) / (pixels - before))
            before, price = pixels, tokens
        return ceil(price * area / before)

    @property
    def token_px(self) -> None:
        """How large a token is, is not known."""
        return None


@dataclass(frozen=True)
class LevelRule(CountingRule):
    """A price that a parameter sets, whatever the picture's pixels."""

    values: tuple[tuple[str, int], ...] = ()
    """Values of the parameter and their prices, cheapest first."""
    usual: str = ""
    """The value that holds if a request has none."""
    setting: str = ""
    """The parameter's name."""
    each: bool = True
    """Whether it is set for each picture, and not for the whole request."""

    def count(self, size: Size) -> int:
        """Billed tokens at the usual value."""
        return dict(self.values)[self.usual]

    def seen(self, size: Size) -> Size:
        """What the tokens of the usual value show, by the pixels of a token."""
        return self.lattice.largest(size, self.count(size))

    @property
    def levels(self) -> tuple[Level, ...]:
        """Each value with its price."""
        return tuple(Level((self.setting, value), tokens) for value, tokens in self.values)
