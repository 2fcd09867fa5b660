"""Views as parts of a message: for OpenAI, Anthropic, Gemini, Ollama, and as files.

Each picture stands behind a line that says what it shows. Pictures carry a mark, so that nobody
makes views of views, and nothing else that the original held.
"""

from base64 import b64encode
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from homunculus.lazy import need

if TYPE_CHECKING:
    from homunculus.planner import View, Views

MARK = "homunculus view"
"""In a picture that is a view already."""
QUALITY = 95
"""Of JPEG."""
ALIKE = 2.0
"""Root mean square by which JPEG may differ from the picture, of 255: too little to blur print."""
HEAD = 4096
"""Bytes of a file within which the mark stands."""


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


def encode(image: Any) -> Encoded:
    """A Pillow image as PNG, or as JPEG where that is smaller and looks the same."""
    info: Any = need("PIL.PngImagePlugin", extra="view", who="homunculus.views").PngInfo()
    info.add_text("Comment", MARK)
    image = image.convert("RGB")
    png = BytesIO()
    image.save(png, "png", pnginfo=info, optimize=True)
    jpeg = BytesIO()
    image.save(jpeg, "jpeg", quality=QUALITY, subsampling=0, comment=MARK.encode())
    smaller = len(jpeg.getvalue()) < len(png.getvalue())
    if smaller and _difference(image, jpeg) <= ALIKE:
        return Encoded(jpeg.getvalue(), "image/jpeg")
    return Encoded(png.getvalue(), "image/png")


def _difference(image: Any, file: BytesIO) -> float:
    pillow: Any = need("PIL.Image", extra="view", who="homunculus.views")
    chops: Any = need("PIL.ImageChops", extra="view", who="homunculus.views")
    stat: Any = need("PIL.ImageStat", extra="view", who="homunculus.views")
    with pillow.open(file) as other:
        return max(stat.Stat(chops.difference(image, other.convert("RGB"))).rms)


def is_view(data: bytes) -> bool:
    """Whether a picture's file is one of ours."""
    return MARK.encode() in data[:HEAD]


def labels(views: "Views") -> list[str]:
    """A line for each picture, or none if there is only one."""
    if len(views) < 2:
        return []
    return [_label(number, view, views) for number, view in enumerate(views, 1)]


def _label(number: int, view: "View", views: "Views") -> str:
    if view.name == "whole":
        return f"Image {number}: the whole picture, reduced."
    high, wide = views.picture.size
    x0, x1 = (round(100 * side / wide) for side in view.box[0::2])
    y0, y1 = (round(100 * side / high) for side in view.box[1::2])
    whole = "image 1" if views.views[0].name == "whole" else "the picture"
    return f"Image {number}: part of {whole}, enlarged: {x0}-{x1}% across, {y0}-{y1}% down."


class Part(NamedTuple):
    """One picture and its line, which may be empty."""

    label: str
    picture: Encoded


def parts(views: "Views", label: bool = True) -> list[Part]:
    """The pictures in order."""
    told = labels(views) if label else []
    told = told or [""] * len(views)
    return [Part(one, encode(image)) for one, image in zip(told, views.images(), strict=True)]


def detail(views: "Views") -> str | None:
    """OpenAI's `detail`, where the price goes by it."""
    setting = views.bill.setting
    if setting and setting[0] == "detail":
        return setting[1]
    return "high" if views.rule.unit and views.rule.unit.setting == ("detail", "low") else None


def openai(views: "Views", label: bool = True) -> list[dict[str, Any]]:
    """Parts of a message for OpenAI's chat completions, and all who speak alike."""
    how = {"detail": detail(views)} if detail(views) else {}
    found = list[dict[str, Any]]()
    for text, picture in parts(views, label):
        found += [{"type": "text", "text": text}] if text else []
        found.append({"type": "image_url", "image_url": {"url": picture.url, **how}})
    return found


def responses(views: "Views", label: bool = True) -> list[dict[str, Any]]:
    """Parts of a message for OpenAI's responses."""
    how = {"detail": detail(views) or "auto"}
    found = list[dict[str, Any]]()
    for text, picture in parts(views, label):
        found += [{"type": "input_text", "text": text}] if text else []
        found.append({"type": "input_image", "image_url": picture.url, **how})
    return found


def anthropic(views: "Views", label: bool = True) -> list[dict[str, Any]]:
    """Parts of a message for Anthropic's messages."""
    found = list[dict[str, Any]]()
    for text, picture in parts(views, label):
        found += [{"type": "text", "text": text}] if text else []
        source = {"type": "base64", "media_type": picture.media, "data": picture.text}
        found.append({"type": "image", "source": source})
    return found


def gemini(views: "Views", label: bool = True) -> list[dict[str, Any]]:
    """Parts of a content for Gemini."""
    setting = dict([views.bill.setting]) if views.bill.setting else {}
    level = setting.get("media_resolution")
    how = {"media_resolution": {"level": f"MEDIA_RESOLUTION_{level.upper()}"}} if level else {}
    found = list[dict[str, Any]]()
    for text, picture in parts(views, label):
        found += [{"text": text}] if text else []
        found.append({"inline_data": {"mime_type": picture.media, "data": picture.text}, **how})
    return found


def ollama(views: "Views", label: bool = True) -> dict[str, Any]:
    """`content` and `images` of a message for Ollama; your question goes behind the content."""
    every = parts(views, label)
    lines = [part.label for part in every if part.label]
    return {"content": "\n".join(lines), "images": [part.picture.text for part in every]}
