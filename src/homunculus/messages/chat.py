"""OpenAI's chat completions, and all servers that speak alike."""

from collections.abc import Mapping
from typing import Any

from homunculus.messages.adapter import JSON, Adapter, Picture, interleaved, picture_at, string
from homunculus.messages.guard import PICTURE, kind_of
from homunculus.messages.pictures import Bundle


def parts(bundle: Bundle) -> list[JSON]:
    """Parts of a message."""
    detail = {"detail": bundle.detail} if bundle.detail else {}
    return interleaved(
        bundle,
        lambda file: {"type": "image_url", "image_url": {"url": file.url, **detail}},
        type="text",
    )


def read(part: Mapping[str, Any]) -> Picture | None:
    """A part with an address or a data URI, which may leave out its type, or a file in it."""
    kind, value = part.get("type"), part.get("image_url")
    if kind == "image_url" or (kind is None and value is not None):
        holder = value if isinstance(value, Mapping) else {"url": value}
        return picture_at(
            part, holder.get("url"), holder.get("file_id") or part.get("file_id"), CHAT
        )
    holder = part.get("file") if kind not in ("input_image", "input_file") else None
    data = string(holder.get("file_data")) if isinstance(holder, Mapping) else ""
    return Picture(part, data, "data", CHAT) if kind_of(data) == PICTURE else None


CHAT = Adapter(
    "chat completions", ("/chat/completions",), "messages", read, parts,
    settings=frozenset({"detail"}),
)  # fmt: skip
