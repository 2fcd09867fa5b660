"""How many tokens a model counts for a picture, by its size in pixels.

A rule bills each token of a picture (`TokenRule` and its kin), has one price for every small
picture (`PictureRule`: tiles, or a flat price), or a price that a parameter sets (`LevelRule`).
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
UNIT_SPLIT = 16
"""Tokens along a side that a picture of one price is planned with, as if each were billed."""


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
    """How a model counts the tokens of a picture.

    One of three says how views are priced: `squares`, `unit` or `levels`.
    """

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
    def squares(self) -> "TokenRule | None":
        """The rule itself, if each token of a picture is billed."""
        return None

    @property
    def unit(self) -> Unit | None:
        """The price of a small picture, if all have the same."""
        return None

    @property
    def levels(self) -> tuple[Level, ...]:
        """The prices that a parameter sets, cheapest first."""
        return ()

    @property
    def set_by_picture(self) -> bool:
        """Whether a parameter that sets the price holds for a picture, not for its request."""
        return True

    @property
    def token_px(self) -> int | None:
        """Pixels along a token, if a picture costs as many tokens as it has such squares."""
        return None

    @property
    def token(self) -> str:
        """Whose tokens these are, and how large, in words."""
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
        """The same tokens, each billed once."""
        return TokenRule(self.name, self.side, edge=self.edge)

    @property
    def squares(self) -> "TokenRule":
        """Each token is billed."""
        return self

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


# ---- a price for a picture, or for a tile of it -------------------------------------------------


@dataclass(frozen=True)
class PictureRule(CountingRule):
    """One price for every small picture, however small it is: its `unit`."""

    @property
    @abstractmethod
    def unit(self) -> Unit:
        """What views are sent as."""

    @property
    def lattice(self) -> TokenRule:
        """A picture of this price, as if it had tokens that are billed."""
        return TokenRule(self.name, self.unit.side // UNIT_SPLIT, edge=self.unit.side)


@dataclass(frozen=True)
class FlatRule(PictureRule):
    """Every picture costs the same, whatever its pixels."""

    price: int = 256
    pixels: int = 896
    """Along the side that the model looks at."""

    def count(self, size: Size) -> int:
        """Billed tokens."""
        return self.price

    def seen(self, size: Size) -> Size:
        """Fewer pixels would cost the same."""
        return inside(size, self.pixels)

    @property
    def unit(self) -> Unit:
        """One picture."""
        return Unit(self.pixels, self.price)


def inside(size: Size, side: int) -> Size:
    """A picture reduced until its longer side has at most ``side`` pixels."""
    return size if max(size) <= side else scaled(size, side / max(size))


@dataclass(frozen=True)
class TileRule(PictureRule):
    """OpenAI's tiles: a base, and a price for every tile; `detail: low` costs the base alone."""

    base: int = 85
    tile: int = 170
    square: int = 2048
    """The picture is reduced to fit this square,"""
    short: int = 768
    """then until its shorter side is this,"""
    pixels: int = 512
    """and then cut into tiles with this many pixels a side."""

    def count(self, size: Size) -> int:
        """Billed tokens with `detail: high`.

        >>> rule = TileRule("gpt-4o", 32)
        >>> rule.count((1024, 1024)), rule.count((4096, 2048))
        (765, 1105)
        """
        high, wide = self.seen(size)
        return self.base + self.tile * ceil(high / self.pixels) * ceil(wide / self.pixels)

    def seen(self, size: Size) -> Size:
        """First inside the square, then no wider than the short side."""
        size = inside(size, self.square)
        return scaled(size, self.short / min(size)) if min(size) > self.short else size

    @property
    def unit(self) -> Unit:
        """A picture as large as a tile, at `detail: low`."""
        return Unit(self.pixels, self.base, ("detail", "low"))


@dataclass(frozen=True)
class CoverRule(PictureRule):
    """As many tiles as cover the picture, which is reduced to a limit; the whole is one more."""

    pixels: int = 448
    tile: int = 256
    tiles: int = 6

    def count(self, size: Size) -> int:
        """Billed tokens."""
        return self.tile * (self._tiles(self.seen(size)) + 1)

    def seen(self, size: Size) -> Size:
        """As large as the most tiles cover."""
        return largest(size, lambda small: self._tiles(small) <= self.tiles)

    def _tiles(self, size: Size) -> int:
        return ceil(size[0] / self.pixels) * ceil(size[1] / self.pixels)

    @property
    def unit(self) -> Unit:
        """A picture of one tile."""
        return Unit(self.pixels, 2 * self.tile)


@dataclass(frozen=True)
class CanvasRule(PictureRule):
    """InternVL's: tiles on the canvas of nearest shape, and a small whole beside several."""

    pixels: int = 448
    """Along a tile."""
    tile: int = 256
    """Tokens of a tile."""
    tiles: int = 12
    """At most."""
    marks: int = 2
    """Tokens around a picture."""
    one_tile: tuple[str, str] | None = None
    """The parameter that keeps a picture in one tile."""

    def count(self, size: Size) -> int:
        """Billed tokens."""
        rows, cols = self.canvas(size)
        tiles = rows * cols
        return self.marks + self.tile * (tiles + 1 if tiles > 1 else 1)

    def seen(self, size: Size) -> Size:
        """As it fits the canvas."""
        rows, cols = self.canvas(size)
        scale = min(rows * self.pixels / size[0], cols * self.pixels / size[1])
        return scaled(size, min(1.0, scale))

    def canvas(self, size: Size) -> Size:
        """Rows and columns of tiles: of two shapes alike the larger, if it is half full."""
        best, near = (1, 1), float("inf")
        for rows, cols in canvases(self.tiles):
            off = abs(size[1] / size[0] - cols / rows)
            half = size[0] * size[1] > 0.5 * self.pixels**2 * rows * cols
            if off < near or (off == near and half):
                best, near = (rows, cols), off
        return best

    @property
    def unit(self) -> Unit:
        """A picture of one tile."""
        return Unit(self.pixels, self.marks + self.tile, self.one_tile)


def canvases(tiles: int) -> list[Size]:
    """Rows and columns of up to ``tiles`` tiles, fewest tiles first, then fewest columns."""
    every = [(rows, cols) for cols in range(1, tiles + 1) for rows in range(1, tiles // cols + 1)]
    return sorted(every, key=lambda canvas: canvas[0] * canvas[1])


@dataclass(frozen=True)
class FitRule(CanvasRule):
    """Llama 4's: the canvas that enlarges a picture least, else reduces it least."""

    def count(self, size: Size) -> int:
        """Billed tokens with the marks of tiles and rows."""
        rows, cols = self.canvas(size)
        split = rows * cols * self.tile + rows * (cols - 1) + rows if rows * cols > 1 else 0
        return self.marks + self.tile + split

    def canvas(self, size: Size) -> Size:
        """Of canvases that scale alike the smallest."""

        def order(canvas: Size) -> tuple[bool, float, int]:
            rows, cols = canvas
            scale = min(rows * self.pixels / size[0], cols * self.pixels / size[1])
            return scale < 1, scale if scale >= 1 else -scale, rows * cols

        return min(canvases(self.tiles), key=order)


@dataclass(frozen=True)
class SplitRule(CanvasRule):
    """SmolVLM's and Idefics3's: every picture is enlarged or reduced to one length, then split."""

    length: int = 2048
    """Pixels of the longer side."""

    def count(self, size: Size) -> int:
        """Billed tokens with the marks of tiles and rows."""
        rows, cols = self.canvas(size)
        split = rows * (cols * (self.tile + 2) + 1) if rows * cols > 1 else 0
        return self.marks + self.tile + split

    def seen(self, size: Size) -> Size:
        """Its longer side has one length."""
        return inside(size, self.length)

    def canvas(self, size: Size) -> Size:
        """Rows and columns of tiles that cover the picture."""
        high, wide = size
        if wide >= high:
            high, wide = int(self.length / (wide / high)), self.length
            high += high % 2
        else:
            high, wide = self.length, int(self.length * (wide / high))
            wide += wide % 2
        return ceil(max(1, high) / self.pixels), ceil(max(1, wide) / self.pixels)


@dataclass(frozen=True)
class AnyResolutionRule(PictureRule):
    """LLaVA-OneVision's: one small picture, and if it is the only one also its tiles."""

    pixels: int = 384
    cells_per_tile: int = 27
    """Along a side."""
    tiles: int = 6
    """Along a side, at most."""
    limit: int = 9
    """Tiles whose tokens are not reduced."""
    one_base: bool = True
    """Whether each of several pictures is its small picture alone; vLLM tiles all of them."""

    def count(self, size: Size) -> int:
        """Billed tokens of the small picture, of the tiles and of the ends of their rows."""
        high, wide = self._unpadded(size)
        over = sqrt(high * wide / (self.limit * self.cells_per_tile**2))
        if over > 1.1:
            high, wide = int(high // over), int(wide // over)
        return high * wide + high + self.cells_per_tile**2

    def prices(self, sizes: Sequence[Size]) -> tuple[int, ...]:
        """Billed tokens of each; most engines do not tile several pictures.

        >>> AnyResolutionRule("vllm", 14, one_base=False).prices([(384, 384)] * 2)
        (1485, 1485)
        """
        if self.one_base and len(sizes) > 1:
            return (self.cells_per_tile**2,) * len(sizes)
        return super().prices(sizes)

    def seen(self, size: Size) -> Size:
        """As it fits the canvas, and no more than the tiles whose tokens are kept."""
        rows, cols = self.canvas(size)
        scale = min(rows * self.pixels / size[0], cols * self.pixels / size[1])
        keep = sqrt(self.limit * self.pixels**2 / (size[0] * size[1]))
        return scaled(size, min(1.0, scale, keep))

    def _unpadded(self, size: Size) -> Size:
        """Tokens of the canvas that the picture covers."""
        rows, cols = self.canvas(size)
        high, wide = rows * self.cells_per_tile, cols * self.cells_per_tile
        if size[1] / size[0] > wide / high:
            high -= (high - int(round(size[0] * (wide / size[1]), 7))) // 2 * 2
        else:
            wide -= (wide - int(round(size[1] * (high / size[0]), 7))) // 2 * 2
        return high, wide

    def canvas(self, size: Size) -> Size:
        """Rows and columns of tiles that show most pixels, and of those alike waste least."""
        high, wide = size

        def order(canvas: Size) -> tuple[int, int]:
            down, across = canvas[0] * self.pixels, canvas[1] * self.pixels
            scale = min(across / wide, down / high)
            shown = min(int(wide * scale) * int(high * scale), wide * high)
            return -shown, down * across - shown

        every = range(1, self.tiles + 1)
        return min(((rows, cols) for rows in every for cols in every), key=order)

    @property
    def unit(self) -> Unit:
        """One of several pictures; in tiles, at most one beside the small picture."""
        cells = self.cells_per_tile
        return Unit(self.pixels, cells**2 if self.one_base else 2 * cells**2 + cells)


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

    @property
    def set_by_picture(self) -> bool:
        """As the provider has it."""
        return self.each
