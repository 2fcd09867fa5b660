"""Ollama's chat: a message has one text, and its pictures beside it as base64."""

from typing import Any

from homunculus.messages.adapter import JSON, Adapter, Picture
from homunculus.messages.guard import PICTURE, kind_of
from homunculus.messages.pictures import Bundle


def message(bundle: Bundle) -> JSON:
    """`content` and `images` of a message; your question goes behind the content."""
    lines = [part.label for part in bundle.parts if part.label]
    return {"content": "\n".join(lines), "images": parts(bundle)}


def parts(bundle: Bundle) -> list[str]:
    """The pictures alone."""
    return [part.picture.text for part in bundle.parts if part.picture]


def read(part: Any) -> Picture | None:
    """A string in a list that begins like a picture."""
    if isinstance(part, str) and kind_of(part) == PICTURE:
        return Picture(part, part, "data", OLLAMA)
    return None


OLLAMA = Adapter("chat of Ollama", ("/api/chat",), "messages", read, parts, bare=True)
