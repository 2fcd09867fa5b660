"""Conversations: which images they show, and what is asked about each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from homunculus.image import SLIMMEST, open_picture, undecoded
from homunculus.lazy import need

Message = Mapping[str, Any]
Talk = Sequence[Message]
"""One conversation: messages with a role and a content, as chat templates take them."""
EXAMPLE = 'Write {"role": "user", "content": "..."}.'
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


def pairs(image: Any, question: Any) -> list[tuple[Any, str]]:
    """One image and one question, or as many of each; anything else is refused."""
    many, one = _listed(question), _alone(image)
    count = len(question) if many else 1
    if many and one:
        raise ValueError(
            f"engine: got one image and {count} questions. Pass a list of as many images; "
            f"[image] * {count} asks all of them about one."
        )
    if not many and not one:
        raise ValueError(
            "engine: got several images and one question. Pass a list of questions, one for each "
            "image, or use `chat` with all images in one message."
        )
    images, questions = (list(image), list(question)) if many else ([image], [question])
    if len(images) != len(questions):
        raise ValueError(
            f"engine: got {len(images)} images and {len(questions)} questions. "
            "Pass one question for each image."
        )
    for text in questions:
        if not isinstance(text, str):
            raise ValueError(
                f'engine: a question is a str, got {type(text).__name__}. Pass "" to ask nothing.'
            )
    return list(zip(images, questions, strict=True))


def _listed(value: Any) -> bool:
    words = str | bytes | bytearray | memoryview
    return isinstance(value, Sequence) and not isinstance(value, words)


def _alone(image: Any) -> bool:
    """Whether this is one image; the attributes of its class, since its own may decode it."""
    kind: Any = type(image)
    single = (str, bytes, bytearray, memoryview, PathLike, Mapping)
    if isinstance(image, single) or hasattr(kind, "read") or hasattr(kind, "__array_interface__"):
        return True
    return not hasattr(kind, "__iter__")


def talks(messages: Any) -> list[list[Message]]:
    """One conversation or a batch of them, as a batch; every message has a role and a content."""
    if not _listed(messages):
        raise ValueError(
            f"engine: expected a list of messages, got {type(messages).__name__}. {EXAMPLE}"
        )
    batch: Any = [messages] if messages and isinstance(messages[0], Mapping) else messages
    for talk in batch or [[]]:
        if not _listed(talk) or not talk:
            got = type(talk).__name__ if talk else "none"
            raise ValueError(
                f"engine: expected messages with a role and a content, got {got}. {EXAMPLE}"
            )
        for message in talk:
            _check(message)
    return [list(talk) for talk in batch]


def _check(message: Any) -> None:
    """Refuse a message that a chat template could not write."""
    if not isinstance(message, Mapping):
        raise ValueError(
            "engine: expected a message with a role and a content, got "
            f"{type(message).__name__}. {EXAMPLE}"
        )
    for name in ("role", "content"):
        if message.get(name) is None:
            raise ValueError(f"engine: a message has no {name}. {EXAMPLE}")
    content = message["content"]
    if not isinstance(content, str) and not _listed(content):
        raise ValueError(
            "engine: the content of a message is a str or a list of parts, got "
            f"{type(content).__name__}. {EXAMPLE}"
        )


def opened(batch: Sequence[Talk]) -> tuple[list[list[dict[str, Any]]], list[Shown]]:
    """The same conversations with every image opened and bounded, and these images in order.

    The question of an image is what the last user's turn says.
    """
    plain, shown = [], []
    for at, talk in enumerate(batch):
        images, told = [], []
        for message in talk:
            content = message["content"]
            if not isinstance(content, str):
                content = [_part(part) for part in content]
                images += [part["image"] for part in content if part["type"] == "image"]
            told.append({**message, "content": content})
        plain.append(told)
        question = asked(told)
        shown += [Shown(image, question, at) for image in images]
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


def _part(part: Any) -> dict[str, Any]:
    """A part of a message, its image opened."""
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return dict(part)
    if kind == "text":
        got = type(part.get("text")).__name__
        raise ValueError(f"engine: a text part needs `text`, a str, got {got}. Leave it out.")
    if kind == "image_url":
        return {"type": "image", "image": picture(_data_uri(part))}
    if kind != "image":
        raise ValueError(_unknown(part, kind))
    source = next((part[name] for name in ("image", "path", "url") if name in part), None)
    if source is None:
        raise ValueError(
            "engine: an image part needs `image`. Pass a path, bytes, a data URI, a binary file, "
            "a numpy array or a Pillow image."
        )
    return {"type": "image", "image": picture(source)}


def _unknown(part: Any, kind: Any) -> str:
    """Why a part is refused, and what to send instead."""
    got = repr(kind) if isinstance(part, Mapping) else type(part).__name__
    if isinstance(kind, str) and "video" in kind:
        cure = "Video is not supported: send its frames as images."
    else:
        cure = "Other parts are not supported: leave them out."
    return f"engine: expected parts of type text, image or image_url, got {got}. {cure}"


def _data_uri(part: Mapping[str, Any]) -> str:
    """What an `image_url` part shows; nothing is fetched, and no file is opened by its name."""
    address = part.get("image_url")
    address = address.get("url") if isinstance(address, Mapping) else address
    if isinstance(address, str) and address[:5].lower() == "data:":
        return address
    got = repr(address[:30]) if isinstance(address, str) else type(address).__name__
    raise ValueError(
        f"engine: an image_url is a data URI, data:image/...;base64,..., got {got}. Download the "
        'image first and send {"type": "image", "image": path}.'
    )


def picture(source: Any) -> Any:
    """Any source of `open_picture` as a bounded Pillow image in RGB.

    One that is already decoded, RGB, upright and small enough is passed on as it is.
    """
    images = need("PIL.Image", "transformers", "homunculus.attach")
    if isinstance(source, images.Image) and _ready(source):
        return source
    pixels = open_picture(source, longest=10**6, area=PIXELS).pixels
    return images.fromarray(pixels.permute(1, 2, 0).numpy())


def _ready(image: Any) -> bool:
    """Whether opening this image would give the same one."""
    short, long = sorted(image.size)
    return (
        not undecoded(image)
        and image.mode == "RGB"
        and 0 < short * long <= PIXELS
        and long <= SLIMMEST * short
        and not image.has_transparency_data
        and not image.getexif()
    )
