"""Anthropic's messages."""

from collections.abc import Mapping
from typing import Any

from homunculus.messages.adapter import JSON, Adapter, Picture, interleaved, picture_at, string
from homunculus.messages.guard import PICTURE, kind_of
from homunculus.messages.pictures import Bundle, Encoded


def parts(bundle: Bundle) -> list[JSON]:
    """Parts of a message."""

    def picture(file: Encoded) -> JSON:
        source = {"type": "base64", "media_type": file.media, "data": file.text}
        return {"type": "image", "source": source}

    return interleaved(bundle, picture, type="text")


def read(part: Mapping[str, Any]) -> Picture | None:
    """A part with a source; a document is one if its source is a picture."""
    source = part.get("source")
    if not isinstance(source, Mapping) or part.get("type") not in ("image", "document", None):
        return None
    data = string(source.get("data"))
    if part.get("type") != "image" and kind_of(data) != PICTURE:
        return None
    if data and source.get("type") != "url":
        return Picture(part, data, "data", ANTHROPIC)
    return picture_at(part, source.get("url"), source.get("file_id"), ANTHROPIC)


ANTHROPIC = Adapter(
    "messages of Anthropic",
    ("/messages", "/messages/count_tokens", ":rawpredict", ":streamrawpredict"),  # Vertex
    "messages", read, parts, system=("system",),
)  # fmt: skip
