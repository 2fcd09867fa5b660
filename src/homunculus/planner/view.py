"""View: one of the pictures that are sent in place of a picture."""

from dataclasses import dataclass

from PIL import Image

from homunculus.box import Box
from homunculus.planner.counting import Size


@dataclass(frozen=True)
class View:
    """One of the pictures that are sent in place of a picture.

    >>> from homunculus import Box
    >>> View("window", box=Box(100, 200, 228, 264), size=(32, 64), tokens=2).scale
    0.5
    """

    name: str
    """`whole` or `window`, with a number where there are several."""
    box: Box
    """What it shows, in pixels of the original picture."""
    size: Size
    """Height and width in pixels, as it is sent; 0 and 0 of text alone."""
    tokens: int
    """What it costs."""
    page: int = 1
    """The page that it is of, in a document."""
    text: str = ""
    """The words that are printed there, where they are sent as well (``text=True``)."""

    @property
    def is_text(self) -> bool:
        """Whether it is sent as text alone, so that no picture of it is paid."""
        return not self.tokens

    @property
    def scale(self) -> float:
        """Pixels sent to a pixel of the picture, along its height."""
        return self.size[0] / self.box.height


def number_of_pictures(count: int) -> str:
    """A number of pictures, in words.

    >>> number_of_pictures(1), number_of_pictures(3)
    ('1 picture', '3 pictures')
    """
    return "1 picture" if count == 1 else f"{count} pictures"


def render(whole: Image.Image, view: View) -> Image.Image:
    """A view as a Pillow image: its box, in pixels of ``whole``, cut out and reduced."""
    part = whole.crop(view.box)
    size = (view.size[1], view.size[0])
    return part if part.size == size else part.resize(size, Image.Resampling.LANCZOS)
