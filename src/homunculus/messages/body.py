"""The body of a request, read by an adapter: its pictures, their questions, and views in place.

A picture may stand as another format writes it: servers and proxies that translate take both.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import is_
from typing import Any, NamedTuple

from homunculus.messages import ADAPTERS
from homunculus.messages.adapter import Adapter, Picture
from homunculus.messages.gemini import CAMEL
from homunculus.messages.guard import PICTURE
from homunculus.messages.pictures import Bundle, Part

MAX_DEPTH = 24
"""Lists and objects within each other that are looked into; real requests have nine."""
IN_PARTS = tuple(adapter for adapter in ADAPTERS if not adapter.bare)
OWN_FIELDS = {
    "type", "image_url", "source", "detail", "file", "file_data", "filename", "file_id", "file_url",
    "uuid",  # a server would cache a view by the picture's id
    *CAMEL, *CAMEL.values(),
}  # fmt: skip
"""Fields that are about the picture of a part; others are handed on with its views."""


class Question(NamedTuple):
    """What a turn asks of its pictures."""

    text: str
    from_user: bool = True
    """Whether a user said it; else it is what the system said for all turns."""


Show = Callable[[Picture, Question], list[Any]]
"""What stands in the place of a picture."""

# ---- pictures ------------------------------------------------------------------------------------


def picture_of(
    part: Any, adapter: Adapter | None = None, documents: bool = False
) -> Picture | None:
    """What a part holds, if it is a picture of any format; that of the route comes first.

    With ``documents`` it may be a document, too.

    >>> picture_of({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}).kind
    'address'
    """
    if adapter and adapter.bare:
        return adapter.read(part)
    if not isinstance(part, Mapping):
        return None
    readers = (adapter, *IN_PARTS) if adapter else IN_PARTS
    found = filter(None, (reader.read(part) for reader in readers))
    return next((each for each in found if documents or each.form == PICTURE), None)


def pictures_in(
    value: Any, adapter: Adapter | None, documents: bool = False, depth: int = MAX_DEPTH
) -> Iterator[Picture]:
    """All pictures among lists of parts, however deep."""
    if not depth:
        return
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from pictures_in(inner, adapter, documents, depth - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            if picture := picture_of(item, adapter, documents):
                yield picture
            else:
                yield from pictures_in(item, adapter, documents, depth - 1)


def count_pictures(
    body: Mapping[str, Any], adapter: Adapter | None, documents: bool = False
) -> int:
    """How many pictures a request has: in its turns, or anywhere if its format is not known."""
    fields = [body.get(field) for field in (*adapter.system, adapter.turns)] if adapter else [body]
    return sum(1 for value in fields for _ in pictures_in(value, adapter, documents))


def parts_for(picture: Picture, bundle: Bundle) -> list[Any]:
    """Views for the place of a picture.

    They are seen in the detail that it was, if their price sets none, and the last one has what
    else the part had: a mark of a cache, say.
    """
    if name := _name(picture):  # of a document: a request may have several
        label, file = bundle.parts[0]
        named = Part(f"{name}\n{label}".rstrip(), file)
        bundle = replace(bundle, parts=(named, *bundle.parts[1:]))
    parts = picture.adapter.parts(replace(bundle, detail=bundle.detail or picture.detail))
    if picture.adapter.bare:
        return parts
    own = OWN_FIELDS | picture.adapter.fields
    rest = {name: value for name, value in picture.part.items() if name not in own}
    *first, last = parts
    return [*first, {**last, **rest}]


def _name(picture: Picture) -> str:
    """What the sender calls a document, and says of it."""
    if picture.form == PICTURE:
        return ""
    holder = picture.part.get("file")
    holder = holder if isinstance(holder, Mapping) else picture.part
    texts = (holder.get(field) for field in ("filename", "title", "context"))
    return "\n".join(text for text in texts if isinstance(text, str) and text.strip())


def with_views(
    body: Mapping[str, Any], adapter: Adapter, show: Show, documents: bool = False
) -> dict[str, Any]:
    """The fields of a request that hold pictures, with what ``show`` puts in their place."""

    def replaced(part: Any, question: Question, depth: int = MAX_DEPTH) -> list[Any]:
        picture = picture_of(part, adapter, documents)
        return show(picture, question) if picture else [walk(part, question, depth)]

    def walk(value: Any, question: Question, depth: int = MAX_DEPTH) -> Any:
        """A copy with views; the same object if there are no pictures."""
        if not depth:
            return value
        if isinstance(value, Mapping):
            fields = {name: walk(inner, question, depth - 1) for name, inner in value.items()}
            return fields if any(fields[name] is not value[name] for name in value) else value
        if not isinstance(value, list | tuple):
            return value
        parts = [new for part in value for new in replaced(part, question, depth - 1)]
        return value if len(parts) == len(value) and all(map(is_, parts, value)) else parts

    changed, asked = dict[str, Any](), questions(body, adapter)
    turns = turns_in(body, adapter)
    shown = [
        new for turn, question in zip(turns, asked, strict=True) for new in replaced(turn, question)
    ]
    if not all(map(is_, shown, turns)):
        is_list = isinstance(body[adapter.turns], list | tuple)
        changed[adapter.turns] = shown if is_list else shown[0]
    first = next((question for question in asked if question.text), Question(""))
    for field in adapter.system:
        value = walk(body.get(field), first)
        if value is not body.get(field):
            changed[field] = value
    return changed


# ---- turns and questions -------------------------------------------------------------------------


def turns_in(body: Mapping[str, Any], adapter: Adapter) -> list[Any]:
    """The turns of a request; a single one may stand there without a list."""
    value = body.get(adapter.turns)
    if isinstance(value, Mapping):
        return [value]
    return list(value) if isinstance(value, list | tuple) else []


def questions(body: Mapping[str, Any], adapter: Adapter) -> list[Question]:
    """What each turn asks of its pictures.

    That is its own text; else, for a picture sent ahead of its question, the text of the user's
    very next turn; else what the user said last, or says first; else what the system said.
    """
    turns = turns_in(body, adapter)
    texts = [_text(turn) if _from_user(turn) else "" for turn in turns]  # not results of tools
    system = [_text(body.get(field)) for field in adapter.system]
    system += [
        _text(turn)
        for turn in turns
        if isinstance(turn, Mapping) and turn.get("role") in ("system", "developer")
    ]
    of_system = Question("\n".join(filter(None, system)), from_user=False)
    asked, last, first = list[Question](), "", next(filter(None, texts), "")
    for index, text in enumerate(texts):
        following = texts[index + 1 : index + 2] if _from_user(turns[index]) else []
        question = next(filter(None, (text, *following, last, first)), "")
        asked.append(Question(question) if question else of_system)
        last = text or last
    return asked


def _from_user(turn: Any) -> bool:
    if not isinstance(turn, Mapping):
        return False
    return turn.get("role") == "user" or ("parts" in turn and turn.get("role") is None)


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
