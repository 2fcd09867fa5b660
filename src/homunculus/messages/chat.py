"""OpenAI's chat completions, and all servers that speak alike."""

from collections.abc import Mapping
from typing import Any

from homunculus.messages.adapter import JSON, Adapter, Picture, file_at, interleaved, picture_at
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
    if not isinstance(holder, Mapping):
        return None
    return file_at(part, holder.get("file_data"), None, holder.get("file_id"), CHAT)


CHAT = Adapter(
    "chat completions", ("/chat/completions",), "messages", read, parts,
    settings=frozenset({"detail"}),
)  # fmt: skip
