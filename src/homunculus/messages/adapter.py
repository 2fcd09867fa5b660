"""A format of requests: its routes, its fields, and what a picture looks like in it.

An adapter is chosen by the route of a request or by who calls, never by the fields of a body.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from homunculus.messages.pictures import Bundle, Encoded
from homunculus.pages import PictureError, from_data_uri

MAX_BYTES = 64 << 20
"""Of one picture."""
ELSEWHERE = "the picture is not in the request: only its address or its id is"
JSON = dict[str, Any]


@dataclass(frozen=True)
class Adapter:
    """A format of requests."""

    name: str
    routes: tuple[str, ...]
    """What the addresses of its requests end in, in small letters."""
    turns: str
    """The field that holds turns."""
    read: Callable[[Any], "Picture | None"]
    """A part of a message as a picture, if it is one that this format has."""
    parts: Callable[[Bundle], list[Any]]
    """Views as parts of a message."""
    system: tuple[str, ...] = ()
    """The fields that hold what is said for all turns."""
    settings: frozenset[str] = frozenset()
    """Parameters that a picture can have, and prices may go by."""
    fields: frozenset[str] = frozenset()
    """Fields of a picture's part that no other format has; all others are handed on with views."""
    bare: bool = False
    """Whether pictures stand as bare base64, beside the text, so that none has a line before it."""


class Picture(NamedTuple):
    """A part of a request that is a picture."""

    part: Any
    text: str
    """What stands there: a data URI, base64, an address, or the id of a file."""
    kind: Literal["data", "address", "id"]
    adapter: Adapter
    """Makes parts that may take its place."""

    def file(self) -> bytes:
        """The picture's file, if it came with the request."""
        if self.kind != "data":
            raise PictureError(ELSEWHERE)
        text = "".join(self.text.split())  # some encoders break lines
        return from_data_uri(text if is_data_uri(text) else f"data:;base64,{text}", MAX_BYTES)

    @property
    def detail(self) -> Any:
        """The detail in which its user wants it seen."""
        if not isinstance(self.part, Mapping):
            return None
        holder = self.part.get("image_url")
        return (holder if isinstance(holder, Mapping) else self.part).get("detail")


def picture_at(part: Any, url: Any, file: Any, adapter: Adapter) -> Picture:
    """A picture by a data URI or an address, or by the id of a file."""
    text = string(url)
    if not text.strip():
        return Picture(part, string(file), "id", adapter)
    return Picture(part, text, "data" if is_data_uri(text) else "address", adapter)


def is_data_uri(text: str) -> bool:
    """Whether a text begins as a data URI does."""
    return text.lstrip()[:5].lower() == "data:"


def string(value: Any) -> str:
    """A field of a stranger's, or nothing if it is no string."""
    return value if isinstance(value, str) else ""


def interleaved(bundle: Bundle, picture: Callable[[Encoded], JSON], **text: str) -> list[JSON]:
    """Each picture behind its line, which is a part of its own with what ``text`` says of it."""
    parts = list[JSON]()
    for label, file in bundle.parts:
        parts += [{**text, "text": label}] if label else []
        parts += [picture(file)] if file else []
    return parts
