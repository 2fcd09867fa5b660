"""Gemini's contents, whose fields may be written in snake case or in camel case."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from homunculus.messages.adapter import JSON, Adapter, Picture, file_at, interleaved, string
from homunculus.messages.guard import PICTURE, kind_of
from homunculus.messages.pictures import Bundle, Encoded

CAMEL = {
    "inline_data": "inlineData", "mime_type": "mimeType", "media_resolution": "mediaResolution",
    "file_data": "fileData", "file_uri": "fileUri",
}  # fmt: skip


def parts(bundle: Bundle) -> list[JSON]:
    """Parts of a content."""
    level = f"MEDIA_RESOLUTION_{bundle.level.upper()}" if bundle.level else ""
    resolution = {"media_resolution": {"level": level}} if level else {}

    def picture(file: Encoded) -> JSON:
        return {"inline_data": {"mime_type": file.media, "data": file.text}, **resolution}

    return interleaved(bundle, picture)


def camel_parts(bundle: Bundle) -> list[JSON]:
    """Parts of a content, spelled as most clients do."""

    def spelled(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {CAMEL.get(name, name): spelled(inner) for name, inner in value.items()}

    return [spelled(part) for part in parts(bundle)]


def read(part: Mapping[str, Any]) -> Picture | None:
    """A part with data in it, which may also be sound or a film; or the address of a PDF."""
    for name, adapter in (("inline_data", GEMINI), ("inlineData", GEMINI_CAMEL)):
        holder = part.get(name)
        if isinstance(holder, Mapping):
            data = string(holder.get("data"))
            form = PICTURE if _media(holder).startswith("image/") else kind_of(data)
            return Picture(part, data, "data", adapter, form) if form else None
    for name, adapter in (("file_data", GEMINI), ("fileData", GEMINI_CAMEL)):
        holder = part.get(name)
        if isinstance(holder, Mapping) and _media(holder) == "application/pdf":
            address = holder.get("file_uri") or holder.get("fileUri")
            return file_at(part, None, address, None, adapter)
    return None


def _media(holder: Mapping[str, Any]) -> str:
    return string(holder.get("mime_type") or holder.get("mimeType")).strip().lower()


def model_in(path: str) -> str | None:
    """The model that an address of Gemini's or of Vertex names, for requests do not.

    >>> model_in("/v1beta/models/gemini-3-pro:generateContent")
    'gemini-3-pro'
    """
    name = re.search(r"/models/([^/:]+):", path)
    return name and name[1]


GEMINI = Adapter(
    "contents of Gemini", (":generatecontent", ":streamgeneratecontent"), "contents", read, parts,
    system=("systemInstruction", "system_instruction"), settings=frozenset({"media_resolution"}),
)  # fmt: skip
GEMINI_CAMEL = replace(GEMINI, parts=camel_parts)
