"""Views as parts of a message: for OpenAI, Anthropic, Gemini, Ollama, and as files.

Each picture stands behind a line that says what it shows. Pictures carry a mark, so that nobody
makes views of views, and nothing else that the original held.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from homunculus.checks import check_kind, is_whole
from homunculus.planner.counting import LevelRule, TokenRule
from homunculus.planner.labels import LARGEST, Label, numbered_line

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
TEXT = {"type": "text"}
"""What most APIs say of a part that is text."""


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
    image = image.convert("RGB")
    png = BytesIO()
    image.save(png, "png", pnginfo=mark(), optimize=True)
    jpeg = BytesIO()
    image.save(jpeg, "jpeg", quality=QUALITY, subsampling=0, comment=MARK.encode())
    smaller = len(jpeg.getvalue()) < len(png.getvalue())
    if smaller and _difference(image, jpeg) <= ALIKE:
        return Encoded(jpeg.getvalue(), "image/jpeg")
    return Encoded(png.getvalue(), "image/png")


def mark() -> Any:
    """What tells a view of ours from other PNG files."""
    info: Any = import_module("PIL.PngImagePlugin").PngInfo()
    info.add_text("Comment", MARK)
    return info


def _difference(image: Any, file: BytesIO) -> float:
    pillow: Any = import_module("PIL.Image")
    chops: Any = import_module("PIL.ImageChops")
    stat: Any = import_module("PIL.ImageStat")
    with pillow.open(file) as other:
        return max(stat.Stat(chops.difference(image, other.convert("RGB"))).rms)


def is_view(data: bytes) -> bool:
    """Whether a picture's file is one of ours."""
    return MARK.encode() in data[:HEAD]


def labels(views: "Views", number: int | None = None) -> list[str]:
    """A line for each picture, or none if the plan has no room for them.

    A ``number`` says which of several pictures it is; then a single view has a line, too.
    """
    if number is not None:
        _check_number(views.label, number)
    if not views.label_tokens or (len(views) == 1 and number is None):
        return []
    lines = [_line(view, views) if len(views) > 1 else "" for view in views]
    return lines if number is None else [numbered_line(line, number) for line in lines]


def _check_number(label: Label, number: int) -> None:
    if not is_whole(number) or not 1 <= number <= LARGEST:
        raise ValueError(f"number: expected 1 to {LARGEST}, got {number!r:.80}.")
    if label.style != "none" and not label.numbered:
        raise ValueError(
            "number: these views were planned without numbers, whose tokens would not be counted. "
            "Plan them with views(..., numbered=True)."
        )


def _line(view: "View", views: "Views") -> str:
    high, wide = views.picture.size
    x0, x1 = (round(100 * side / wide) for side in view.box[0::2])
    y0, y1 = (round(100 * side / high) for side in view.box[1::2])
    return views.label.line(view.name == "whole", f"{x0}-{x1}%", f"{y0}-{y1}%")


class Part(NamedTuple):
    """One picture and its line, which may be empty."""

    label: str
    picture: Encoded


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
    """What the lines cost at most."""


def bundle(views: "Views", label: bool = True, number: int | None = None) -> Bundle:
    """The files of views, each with the line that was planned; without ``label`` with none.

    ``number`` says which of several pictures of a request it is, if the views were planned so.
    """
    cure = 'Lines are chosen when views are planned: views(..., label="long").'
    check_kind(label, bool, "label", cure)
    lines = (labels(views, number) if label else []) or [""] * len(views)
    parts = [Part(one, encode(image)) for one, image in zip(lines, views.images(), strict=True)]
    name, value = views.bill.setting or ("", "")
    cheap = views.rule.unit.setting if views.rule.unit else None
    dear = "high" if cheap == ("detail", "low") else None  # the price of a whole picture
    return Bundle(
        tuple(parts),
        views.tokens,
        detail=value if name == "detail" else dear,
        level=value if name == "media_resolution" and _for_each(views.rule) else None,
        label_tokens=views.label_tokens if any(lines) else 0,
    )


def _for_each(rule: TokenRule) -> bool:
    """Whether a level can be set for a single picture."""
    return isinstance(rule, LevelRule) and rule.each


def openai(some: Bundle) -> list[dict[str, Any]]:
    """Parts of a message for OpenAI's chat completions, and all who speak alike."""
    how = {"detail": some.detail} if some.detail else {}

    def image(picture: Encoded) -> dict[str, Any]:
        return {"type": "image_url", "image_url": {"url": picture.url, **how}}

    return _parts(some, image)


def responses(some: Bundle) -> list[dict[str, Any]]:
    """Parts of a message for OpenAI's responses."""

    def image(picture: Encoded) -> dict[str, Any]:
        return {
            "type": "input_image",
            "image_url": picture.url,
            "detail": some.detail or "auto",
        }

    return _parts(some, image, {"type": "input_text"})


def anthropic(some: Bundle) -> list[dict[str, Any]]:
    """Parts of a message for Anthropic's messages."""

    def image(picture: Encoded) -> dict[str, Any]:
        source = {"type": "base64", "media_type": picture.media, "data": picture.text}
        return {"type": "image", "source": source}

    return _parts(some, image)


def gemini(some: Bundle) -> list[dict[str, Any]]:
    """Parts of a content for Gemini."""
    level = f"MEDIA_RESOLUTION_{some.level.upper()}" if some.level else ""
    how = {"media_resolution": {"level": level}} if level else {}

    def image(picture: Encoded) -> dict[str, Any]:
        return {"inline_data": {"mime_type": picture.media, "data": picture.text}, **how}

    return _parts(some, image, {})


def _parts(
    some: Bundle, image: Callable[[Encoded], dict[str, Any]], text: Mapping[str, str] = TEXT
) -> list[dict[str, Any]]:
    """Each picture behind its line, which is a part of its own that looks like ``text``."""
    found = list[dict[str, Any]]()
    for line, picture in some.parts:
        found += [{**text, "text": line}] if line else []
        found.append(image(picture))
    return found


def ollama(some: Bundle) -> dict[str, Any]:
    """`content` and `images` of a message for Ollama; your question goes behind the content."""
    lines = [part.label for part in some.parts if part.label]
    return {"content": "\n".join(lines), "images": [part.picture.text for part in some.parts]}
