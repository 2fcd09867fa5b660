"""OpenAI's responses."""

from collections.abc import Mapping
from typing import Any

from homunculus.messages.adapter import JSON, Adapter, Picture, file_at, interleaved, picture_at
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
    if part.get("type") != "input_file":
        return None
    return file_at(
        part, part.get("file_data"), part.get("file_url"), part.get("file_id"), RESPONSES
    )


RESPONSES = Adapter(
    "responses", ("/responses", "/responses/input_tokens"), "input", read, parts,
    system=("instructions",), settings=frozenset({"detail"}),
)  # fmt: skip
