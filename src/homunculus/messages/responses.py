"""OpenAI's responses."""

from collections.abc import Mapping
from typing import Any

from homunculus.messages.adapter import JSON, Adapter, Picture, interleaved, picture_at, string
from homunculus.messages.guard import PICTURE, kind_of
from homunculus.messages.pictures import Bundle


def parts(bundle: Bundle) -> list[JSON]:
    """Parts of a message."""
    detail = bundle.detail or "auto"
    return interleaved(
        bundle,
        lambda file: {"type": "input_image", "image_url": file.url, "detail": detail},
        type="input_text",
    )


def read(part: Mapping[str, Any]) -> Picture | None:
    """A part with an address or a data URI, or a file."""
    if part.get("type") == "input_image":
        value = part.get("image_url")
        holder = value if isinstance(value, Mapping) else {"url": value}
        file = holder.get("file_id") or part.get("file_id")
        return picture_at(part, holder.get("url"), file, RESPONSES)
    data = string(part.get("file_data")) if part.get("type") == "input_file" else ""
    return Picture(part, data, "data", RESPONSES) if kind_of(data) == PICTURE else None


RESPONSES = Adapter(
    "responses", ("/responses", "/responses/input_tokens"), "input", read, parts,
    system=("instructions",), settings=frozenset({"detail"}),
)  # fmt: skip
