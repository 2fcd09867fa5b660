"""Pictures as files for messages: encoded, marked as views, each with its line of text.

They carry the mark, so that no views are made of views, and nothing else that the original held.
"""

from base64 import b64encode
from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageChops, ImageStat, PngImagePlugin

from homunculus.scouts.sight import Basis

MARK = "homunculus view"
"""In a picture that is a view already."""
MARK_BYTES = 4096
"""The first bytes of a file, within which the mark stands."""
JPEG_QUALITY = 95
MAX_DIFFERENCE = 2.0
"""Root mean square by which JPEG may differ from the picture, of 255: too little to blur print."""


class Encoded(NamedTuple):
    """A picture as a file."""

    data: bytes
    media: str
    """`image/png` or `image/jpeg`."""

    @property
    def text(self) -> str:
        """In base64."""
        return b64encode(self.data).decode()

    @property
    def url(self) -> str:
        """As a data URL."""
        return f"data:{self.media};base64,{self.text}"


class Part(NamedTuple):
    """One picture and its line, which may be empty, or a line alone."""

    label: str
    picture: Encoded | None


@dataclass(frozen=True)
class Bundle:
    """Views as files, ready for any API."""

    parts: tuple[Part, ...]
    tokens: int
    """What the pictures cost."""
    detail: str | None = None
    """OpenAI's parameter, where the price goes by it."""
    level: str | None = None
    """Gemini's `media_resolution`, in the same way."""
    label_tokens: int = 0
    """What the lines cost at most, with the passages that they quote."""
    value: float | None = None
    """The estimated probability that the answer can be read from them; None if it is not known."""
    basis: Basis = "unknown"
    """What they rest on (`Views.basis`)."""
    untouched: int = 0
    """What all pages would cost, of a document."""


def encode(image: Image.Image) -> Encoded:
    """A Pillow image as PNG, or as JPEG where that is smaller and looks the same."""
    image = image.convert("RGB")
    png = BytesIO()
    image.save(png, "png", pnginfo=mark(), optimize=True)
    jpeg = BytesIO()
    image.save(jpeg, "jpeg", quality=JPEG_QUALITY, subsampling=0, comment=MARK.encode())
    smaller = len(jpeg.getvalue()) < len(png.getvalue())
    if smaller and _difference(image, jpeg) <= MAX_DIFFERENCE:
        return Encoded(jpeg.getvalue(), "image/jpeg")
    return Encoded(png.getvalue(), "image/png")


def mark() -> PngImagePlugin.PngInfo:
    """What tells a view of ours from other PNG files."""
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", MARK)
    return info


def _difference(image: Image.Image, file: BytesIO) -> float:
    with Image.open(file) as other:
        return max(ImageStat.Stat(ImageChops.difference(image, other.convert("RGB"))).rms)


def is_view(data: bytes) -> bool:
    """Whether a picture's file is one of ours."""
    return MARK.encode() in data[:MARK_BYTES]
