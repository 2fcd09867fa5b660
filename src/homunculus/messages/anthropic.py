"""Anthropic's messages."""

from collections.abc import Mapping
from typing import Any

from homunculus.messages.adapter import (
    JSON,
    Adapter,
    Picture,
    file_at,
    interleaved,
    picture_at,
    string,
)
from homunculus.messages.guard import PICTURE, kind_of
from homunculus.messages.pictures import Bundle, Encoded


def parts(bundle: Bundle) -> list[JSON]:
    """Parts of a message."""

    def picture(file: Encoded) -> JSON:
        source = {"type": "base64", "media_type": file.media, "data": file.text}
        return {"type": "image", "source": source}

    return interleaved(bundle, picture, type="text")


def read(part: Mapping[str, Any]) -> Picture | None:
    """A part with a source; that of a document may also be text, which stays."""
    source, kind = part.get("source"), part.get("type")
    if not isinstance(source, Mapping) or kind not in ("image", "document", None):
        return None
    data = string(source.get("data"))
    if kind == "document":
        text = source.get("type") in ("text", "content")
        place = (None, None) if text else (source.get("url"), source.get("file_id"))
        return file_at(part, data, *place, ANTHROPIC)
    if kind is None and kind_of(data) != PICTURE:
        return None
    if data and source.get("type") != "url":
        return Picture(part, data, "data", ANTHROPIC)
    return picture_at(part, source.get("url"), source.get("file_id"), ANTHROPIC)


ANTHROPIC = Adapter(
    "messages of Anthropic",
    ("/messages", "/messages/count_tokens", ":rawpredict", ":streamrawpredict"),  # Vertex
    "messages", read, parts, system=("system",),
    fields=frozenset({"title", "context", "citations"}),
)  # fmt: skip
