"""Rules that have one price for every small picture: a flat one, or that of a tile."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from homunculus.planner.counting import (
    CountingRule,
    Size,
    TokenRule,
    Unit,
    inside,
    largest,
    scaled,
)

UNIT_SPLIT = 16
"""Tokens along a side that a picture of one price is planned with, as if each were billed."""


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
