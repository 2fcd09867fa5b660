# pyright: basic
"""Conversations: which images they show, and what is asked about each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homunculus.extra import need
from homunculus.picture import open_picture

Message = Mapping[str, Any]
Talk = Sequence[Message]
"""One conversation: messages with a role and a content, as chat templates take them."""
PIXELS = 64_000_000
"""An image that is larger is reduced before the processor sees it."""


@dataclass(frozen=True, eq=False)
class Shown:
    """An image of a conversation and the question that is asked about it."""

    image: Any
    """A Pillow image, RGB."""
    question: str
    talk: int
    """Number of its conversation in the batch."""

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        return self.image.height, self.image.width


def talks(messages: Talk | Sequence[Talk]) -> list[list[Message]]:
    """One conversation or a batch of them, as a batch."""
    if not messages:
        raise ValueError("engine: expected messages with a role and a content, got none.")
    batch: Any = [messages] if isinstance(messages[0], Mapping) else messages
    return [list(talk) for talk in batch]


def opened(batch: Sequence[Talk]) -> tuple[list[list[dict[str, Any]]], list[Shown]]:
    """The same conversations with every image opened and bounded, and these images in order.

    The question of an image is what the last user's turn says.
    """
    plain, shown = [], []
    for at, talk in enumerate(batch):
        question = asked(talk)
        told = []
        for message in talk:
            content = message["content"]
            if not isinstance(content, str):
                content = [_part(part) for part in content]
                images = [part["image"] for part in content if part["type"] == "image"]
                shown += [Shown(image, question, at) for image in images]
            told.append({**message, "content": content})
        plain.append(told)
    return plain, shown


def asked(talk: Talk) -> str:
    """What the last turn of the user says, without its images."""
    turns = [message["content"] for message in talk if message["role"] == "user"]
    if not turns:
        return ""
    last = turns[-1]
    if isinstance(last, str):
        return last
    return " ".join(part["text"] for part in last if part.get("type") == "text")


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    """A part of a message, its image opened."""
    kind = part.get("type")
    if kind == "text":
        return dict(part)
    if kind != "image":
        raise ValueError(
            f"engine: expected parts of type text and image, got {kind!r}. Video is not supported: "
            "send its frames as images, or use the model without homunculus."
        )
    source = next((part[name] for name in ("image", "path", "url") if name in part), None)
    if source is None:
        raise ValueError("engine: an image part needs `image`: a path, bytes or a Pillow image.")
    return {"type": "image", "image": picture(source)}


def picture(source: Any) -> Any:
    """A path, bytes or a Pillow image as a bounded Pillow image in RGB.

    One that is already RGB and small enough is passed on as it is.
    """
    images = need("PIL.Image", "transformers", "homunculus.attach")
    if isinstance(source, images.Image) and source.mode == "RGB" and not source.getexif():
        return source if source.width * source.height <= PIXELS else _reduced(source)
    return _reduced(source)


def _reduced(source: Any) -> Any:
    images = need("PIL.Image", "transformers", "homunculus.attach")
    pixels = open_picture(source, longest=10**6, area=PIXELS).pixels
    return images.fromarray(pixels.permute(1, 2, 0).numpy())
