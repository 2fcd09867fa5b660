# pyright: basic
"""Requests of lmms-eval as conversations: what a document asks, and by which images it is known."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from homunculus.engines.transformers.conversation import last_question, pil_image
from homunculus_lab.shuffle import derange

Key = tuple[str, int]
"""A task and the number of a document in it."""


@dataclass(frozen=True)
class Document:
    """What is known of a document without its pixels."""

    question: str
    images: tuple[str, ...]
    """Digests of pixels: they do not reveal the image, and are the same in every run."""

    @property
    def image(self) -> str:
        """One id for all of them: questions on the same images belong together."""
        content = "".join(self.images) or self.question
        return self.images[0] if len(self.images) == 1 else _digest(content.encode())


def key(request: Any) -> Key:
    """Which document a request is about."""
    *_, number, task, _ = request.args
    return task, number


def talk(request: Any, documents: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A request as chat messages; the task itself writes them."""
    _, messages, _, number, task, split = request.args
    return [
        {"role": message["role"], "content": [_part(part) for part in message["content"]]}
        for message in messages(documents[task][split][number])
    ]


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    """lmms-eval calls an image's source `url`, whatever it is."""
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    if part["type"] == "image":
        return {"type": "image", "image": pil_image(part["url"])}
    raise ValueError(
        f"homunculus chooses tokens of images, got a document with {part['type']}. "
        "Leave this task out."
    )


def document(conversation: Sequence[Mapping[str, Any]]) -> Document:
    """What is kept of a conversation."""
    parts = [
        part for message in conversation for part in message["content"] if part["type"] == "image"
    ]
    pixels = [part["image"] for part in parts]
    digests = [_digest(repr(picture.size).encode() + picture.tobytes()) for picture in pixels]
    return Document(last_question(conversation), tuple(digests))


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=6).hexdigest()


def others(documents: Mapping[Key, Document], keys: Iterable[Key]) -> dict[Key, str]:
    """For every document the question of one with another image; tasks are not mixed."""
    by_task: dict[str, list[Key]] = {}
    for known_key in keys:
        by_task.setdefault(known_key[0], []).append(known_key)
    questions: dict[Key, str] = {}
    for same in by_task.values():
        group = [documents[key] for key in same]
        wrong = derange([known.question for known in group], [known.image for known in group])
        questions |= dict(zip(same, wrong, strict=True))
    return questions


def cut(text: str, options: Mapping[str, Any]) -> str:
    """An answer up to the first word at which its task ends it.

    >>> cut("12.50\\n\\nThat is", {"until": ["\\n\\n"]})
    '12.50'
    """
    until = options.get("until") or []
    for end in [until] if isinstance(until, str) else until:
        text = text.split(end)[0] if end else text
    return text
