"""Box: a rectangle of a picture."""

from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle of a picture in pixels; unpacks as x0 y0 x1 y1, as Pillow and JSON take it.

    >>> box = Box(100, 200, 228, 264)
    >>> box.width, box.height, box.area
    (128, 64, 8192)
    """

    x0: int
    y0: int
    x1: int
    """One past the last column."""
    y1: int
    """One past the last row."""

    @property
    def width(self) -> int:
        """Columns of pixels."""
        return self.x1 - self.x0

    @property
    def height(self) -> int:
        """Rows of pixels."""
        return self.y1 - self.y0

    @property
    def area(self) -> int:
        """How many pixels it covers."""
        return self.width * self.height

    def scaled(self, across: float, down: float) -> "Box":
        """Where the rectangle lies after its picture was resized by these factors."""
        x0, x1 = round(self.x0 * across), round(self.x1 * across)
        return Box(x0, round(self.y0 * down), x1, round(self.y1 * down))
