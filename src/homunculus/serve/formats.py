"""Formats of requests: which route has which, where its turns stand, and what a picture looks like.

A format is chosen by the route of a request, never by which fields its body has.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from homunculus.pages import PictureError, from_data_uri
from homunculus.planner.messages import Bundle, anthropic, gemini, openai, responses
from homunculus.serve.guard import PICTURE, kind_of

MAX_BYTES = 64 << 20
"""Of one picture."""
DEPTH = 24
"""Lists and objects within each other that are looked into; real requests have nine."""
ELSEWHERE = "the picture is not in the request: only its address or its id is"

Shape = Callable[[Bundle], list[dict[str, Any]]]
"""Makes the parts of a message from views."""


@dataclass(frozen=True)
class Format:
    """A format of requests.

    >>> format_of("/v1/chat/completions").turns, format_of("/v1/files")
    (('messages',), None)
    """

    name: str
    turns: tuple[str, ...]
    """The fields that hold turns."""
    system: tuple[str, ...] = ()
    """The fields that hold what is said for all turns."""


CHAT = Format("chat completions", ("messages",))
RESPONSES = Format("responses", ("input",), ("instructions",))
ANTHROPIC = Format("messages of Anthropic", ("messages",), ("system",))
GEMINI = Format("contents of Gemini", ("contents",), ("systemInstruction", "system_instruction"))
ANY = Format(
    "any",
    ("messages", "input", "contents"),
    ("system", "instructions", "systemInstruction", "system_instruction"),
)
"""For callers that have a body and no route: all fields that any format has."""

ROUTES: dict[str, Format] = {
    "/chat/completions": CHAT,
    "/responses": RESPONSES,
    "/responses/input_tokens": RESPONSES,
    "/messages": ANTHROPIC,
    "/messages/count_tokens": ANTHROPIC,
    ":generatecontent": GEMINI,
    ":streamgeneratecontent": GEMINI,
}
"""What the address of a request ends in, in small letters."""
PLAIN_ROUTES = (
    "/completions", "/embeddings", "/moderations", "/tokenize", "/detokenize", "/rerank", "/score",
    "/classify", "/pooling", "/audio/speech", ":embedcontent", ":batchembedcontents",
)  # fmt: skip
"""Routes whose bodies are only checked: they may hold text, and no pictures."""


def format_of(path: str) -> Format | None:
    """The format that a route has, or None if it is not one of those that we rewrite."""
    end = path.rstrip("/").lower()
    return next((kind for route, kind in ROUTES.items() if end.endswith(route)), None)


def model_in(path: str) -> str | None:
    """The model that an address of Gemini's names, for its requests do not.

    >>> model_in("/v1beta/models/gemini-3-pro:generateContent")
    'gemini-3-pro'
    """
    name = re.search(r"/models/([^/:]+):", path)
    return name and name[1]


def is_plain(path: str) -> bool:
    """Whether a route is one that holds text alone."""
    return path.rstrip("/").lower().endswith(PLAIN_ROUTES)


# ---- pictures ------------------------------------------------------------------------------------

CAMEL = {
    "inline_data": "inlineData", "mime_type": "mimeType", "media_resolution": "mediaResolution",
}  # fmt: skip
"""Names of Gemini's fields, which may be written either way."""


def gemini_camel(some: Bundle) -> list[dict[str, Any]]:
    """Parts of a content for Gemini, as most clients spell them."""

    def spelled(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {CAMEL.get(name, name): spelled(inner) for name, inner in value.items()}

    return [spelled(part) for part in gemini(some)]


class Found(NamedTuple):
    """A part of a request that is a picture."""

    text: str
    """What stands there: a data URI, base64, an address, or the id of a file."""
    kind: Literal["data", "address", "id"]
    shape: Shape
    """Makes parts that may take its place."""

    def file(self) -> bytes:
        """The picture's file, if it came with the request."""
        if self.kind != "data":
            raise PictureError(ELSEWHERE)
        text = "".join(self.text.split())  # some encoders break lines
        return from_data_uri(text if _is_uri(text) else f"data:;base64,{text}", MAX_BYTES)


def picture_of(part: Any) -> Found | None:
    """What a part holds, if it is a picture of any API.

    >>> picture_of({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}).kind
    'address'
    """
    if not isinstance(part, Mapping):
        return None
    finders = (_by_url, _by_source, _inline, _by_file)
    return next((found for find in finders if (found := find(part)) is not None), None)


def _is_uri(text: str) -> bool:
    return text.lstrip()[:5].lower() == "data:"


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _by_url(part: Mapping[str, Any]) -> Found | None:
    """OpenAI's two shapes, and those that leave out the type."""
    kind, value = part.get("type"), part.get("image_url")
    if kind not in ("image_url", "input_image") and (kind is not None or value is None):
        return None
    shape = responses if kind == "input_image" else openai
    holder = value if isinstance(value, Mapping) else {"url": value}
    return _at(holder.get("url"), holder.get("file_id") or part.get("file_id"), shape)


def _at(url: Any, file: Any, shape: Shape) -> Found:
    """A picture by a data URI or an address, or by the id of a file."""
    text = _string(url)
    if not text.strip():
        return Found(_string(file), "id", shape)
    return Found(text, "data" if _is_uri(text) else "address", shape)


def _by_source(part: Mapping[str, Any]) -> Found | None:
    """Anthropic's."""
    source = part.get("source")
    if not isinstance(source, Mapping) or part.get("type") not in ("image", "document", None):
        return None
    data = _string(source.get("data"))
    if part.get("type") != "image" and kind_of(data) != PICTURE:
        return None
    if data and source.get("type") != "url":
        return Found(data, "data", anthropic)
    return _at(source.get("url"), source.get("file_id"), anthropic)


def _inline(part: Mapping[str, Any]) -> Found | None:
    """Gemini's, which may also hold sound or a film."""
    for name, shape in (("inline_data", gemini), ("inlineData", gemini_camel)):
        holder = part.get(name)
        if not isinstance(holder, Mapping):
            continue
        media = holder.get("mime_type") or holder.get("mimeType")
        data = _string(holder.get("data"))
        if _string(media).strip().lower().startswith("image/") or kind_of(data) == PICTURE:
            return Found(data, "data", shape)
    return None


def _by_file(part: Mapping[str, Any]) -> Found | None:
    """A file of OpenAI's that is a picture."""
    new = part.get("type") == "input_file"
    holder = part if new else part.get("file")
    data = _string(holder.get("file_data")) if isinstance(holder, Mapping) else ""
    if kind_of(data) != PICTURE:
        return None
    return Found(data, "data", responses if new else openai)


# ---- turns ---------------------------------------------------------------------------------------


def turns_in(body: Mapping[str, Any], field: str) -> list[Any]:
    """The turns that a field of a request holds; a single one may stand there without a list."""
    value = body.get(field)
    if isinstance(value, Mapping):
        return [value]
    return list(value) if isinstance(value, list | tuple) else []


def pictures_in(value: Any, depth: int = DEPTH) -> Iterator[Found]:
    """All pictures among lists of parts, however deep."""
    if not depth:
        return
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from pictures_in(inner, depth - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            if found := picture_of(item):
                yield found
            else:
                yield from pictures_in(item, depth - 1)


def count_pictures(body: Mapping[str, Any], form: Format) -> int:
    """How many pictures the turns of a request have."""
    fields = (body.get(field) for field in (*form.system, *form.turns))
    return sum(1 for value in fields for _ in pictures_in(value))


class Question(NamedTuple):
    """What a turn asks of its pictures."""

    text: str
    from_user: bool = True
    """Whether a user said it; else it is what the system said for all turns."""
    number: int | None = None
    """Which picture of the request it is asked of, if lines are to say so."""


def questions(body: Mapping[str, Any], form: Format, field: str) -> list[Question]:
    """What each turn asks of its pictures.

    That is its own text; else, for a picture sent ahead of its question, the text of the user's
    very next turn; else what the user said last, or says first; else what the system said.
    """
    turns = turns_in(body, field)
    own = [_said(turn) for turn in turns]
    system = [_text(body.get(name)) for name in form.system]
    system += [_text(turn) for turn in turns if _role(turn) in ("system", "developer")]
    said = Question("\n".join(filter(None, system)), from_user=False)
    found, last, first = list[Question](), "", next(filter(None, own), "")
    for number, text in enumerate(own):
        ahead = own[number + 1] if number + 1 < len(own) and _from_user(turns[number]) else ""
        asked = text or ahead or last or first
        found.append(Question(asked) if asked else said)
        last = text or last
    return found


def _role(turn: Any) -> Any:
    return turn.get("role") if isinstance(turn, Mapping) else None


def _from_user(turn: Any) -> bool:
    if not isinstance(turn, Mapping):
        return False
    return turn.get("role") == "user" or ("parts" in turn and turn.get("role") is None)


def _said(turn: Any) -> str:
    """The text of a user's turn, without results of tools."""
    return _text(turn) if _from_user(turn) else ""


def _text(value: Any) -> str:
    """The text of a turn, of a list of parts, or a text itself."""
    if isinstance(value, Mapping):
        value = value.get("content", value.get("parts"))
    if isinstance(value, str):
        return value.strip()
    parts = value if isinstance(value, list | tuple) else []
    kinds = ("text", "input_text", None)  # Gemini's have no type
    texts = [
        part.get("text")
        for part in parts
        if isinstance(part, Mapping) and part.get("type") in kinds
    ]
    return "\n".join(text for text in texts if isinstance(text, str)).strip()
