"""Conversations: messages are checked, and their images opened and paired with questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from homunculus.lazy import need
from homunculus.pages import SLIMMEST, open_picture, to_image, undecoded

Message = Mapping[str, Any]
Conversation = Sequence[Message]
"""Messages with a role and a content, as chat templates take them."""
ImageSource = Any
"""Whatever `homunculus.pages.open_picture` takes: a path, bytes, a Pillow image, an array, ..."""
Questions = list[str] | tuple[str, ...]
EXAMPLE = 'Write {"role": "user", "content": "..."}.'
PIXELS = 64_000_000
"""Larger images are reduced before the processor sees them."""


@dataclass(frozen=True, eq=False)
class ImageQuestion:
    """An image of a conversation, and the question about it."""

    image: Any
    """A Pillow image, RGB."""
    question: str
    conversation: int
    """Index of its conversation in the batch."""

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        return self.image.height, self.image.width


def pairs(image: Any, question: Any) -> list[tuple[ImageSource, str]]:
    """Pair one image with one question, or a list of images with as many questions."""
    several_questions, single_image = _is_list(question), _is_image(image)
    if several_questions and single_image:
        count = len(question)
        raise ValueError(
            f"engine: got one image and {count} questions. Pass a list of as many images; "
            f"[image] * {count} asks all of them about one."
        )
    if not several_questions and not single_image:
        raise ValueError(
            "engine: got several images and one question. Pass a list of questions, one for each "
            "image, or use `chat` with all images in one message."
        )
    images = list(image) if several_questions else [image]
    questions = list(question) if several_questions else [question]
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


def _is_list(value: Any) -> bool:
    words = str | bytes | bytearray | memoryview
    return isinstance(value, Sequence) and not isinstance(value, words)


def _is_image(image: Any) -> bool:
    """Whether a value is one image; looks at its class, since its own attributes may decode it."""
    kind: Any = type(image)
    single = (str, bytes, bytearray, memoryview, PathLike, Mapping)
    if isinstance(image, single) or hasattr(kind, "read") or hasattr(kind, "__array_interface__"):
        return True
    return not hasattr(kind, "__iter__")


def as_batch(messages: Any) -> list[list[Message]]:
    """One conversation or a batch of them, as a batch of checked conversations."""
    if not _is_list(messages):
        raise ValueError(
            f"engine: expected a list of messages, got {type(messages).__name__}. {EXAMPLE}"
        )
    batch: Any = [messages] if messages and isinstance(messages[0], Mapping) else messages
    for conversation in batch or [[]]:
        if not _is_list(conversation) or not conversation:
            got = type(conversation).__name__ if conversation else "none"
            raise ValueError(
                f"engine: expected messages with a role and a content, got {got}. {EXAMPLE}"
            )
        for message in conversation:
            _check(message)
    return [list(conversation) for conversation in batch]


def _check(message: Any) -> None:
    """Raise if a chat template could not write the message."""
    if not isinstance(message, Mapping):
        raise ValueError(
            "engine: expected a message with a role and a content, got "
            f"{type(message).__name__}. {EXAMPLE}"
        )
    for name in ("role", "content"):
        if message.get(name) is None:
            raise ValueError(f"engine: a message has no {name}. {EXAMPLE}")
    content = message["content"]
    if not isinstance(content, str) and not _is_list(content):
        raise ValueError(
            "engine: the content of a message is a str or a list of parts, got "
            f"{type(content).__name__}. {EXAMPLE}"
        )


def open_images(
    batch: Sequence[Conversation],
) -> tuple[list[list[dict[str, Any]]], list[ImageQuestion]]:
    """Conversations with every image opened, and the images in order.

    The question about an image is the text of the last user's turn.
    """
    conversations: list[list[dict[str, Any]]] = []
    questions: list[ImageQuestion] = []
    for number, conversation in enumerate(batch):
        messages: list[dict[str, Any]] = []
        images: list[Any] = []
        for message in conversation:
            content = message["content"]
            if not isinstance(content, str):
                content = [_part(part) for part in content]
                images += [part["image"] for part in content if part["type"] == "image"]
            messages.append({**message, "content": content})
        conversations.append(messages)
        question = last_question(messages)
        questions += [ImageQuestion(image, question, number) for image in images]
    return conversations, questions


def last_question(conversation: Conversation) -> str:
    """The text of the user's last turn."""
    turns = [message["content"] for message in conversation if message["role"] == "user"]
    if not turns:
        return ""
    last = turns[-1]
    if isinstance(last, str):
        return last
    return " ".join(part["text"] for part in last if part.get("type") == "text")


def _part(part: Any) -> dict[str, Any]:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return dict(part)
    if kind == "text":
        got = type(part.get("text")).__name__
        raise ValueError(f"engine: a text part needs `text`, a str, got {got}. Leave it out.")
    if kind == "image_url":
        return {"type": "image", "image": pil_image(_data_uri(part))}
    if kind != "image":
        raise ValueError(_unknown(part, kind))
    source = next((part[name] for name in ("image", "path", "url") if name in part), None)
    if source is None:
        raise ValueError(
            "engine: an image part needs `image`. Pass a path, bytes, a data URI, a binary file, "
            "a numpy array or a Pillow image."
        )
    return {"type": "image", "image": pil_image(source)}


def _unknown(part: Any, kind: Any) -> str:
    got = repr(kind) if isinstance(part, Mapping) else type(part).__name__
    if isinstance(kind, str) and "video" in kind:
        advice = "Video is not supported: send its frames as images."
    else:
        advice = "Other parts are not supported: leave them out."
    return f"engine: expected parts of type text, image or image_url, got {got}. {advice}"


def _data_uri(part: Mapping[str, Any]) -> str:
    """The data URI of an `image_url` part; nothing is fetched, and no file is opened."""
    address = part.get("image_url")
    address = address.get("url") if isinstance(address, Mapping) else address
    if isinstance(address, str) and address[:5].lower() == "data:":
        return address
    got = repr(address[:30]) if isinstance(address, str) else type(address).__name__
    raise ValueError(
        f"engine: an image_url is a data URI, data:image/...;base64,..., got {got}. Download the "
        'image first and send {"type": "image", "image": path}.'
    )


def pil_image(source: Any) -> Any:
    """Any source of `open_picture` as a bounded Pillow image in RGB.

    An image that is decoded, RGB, upright and small enough is returned as it is.
    """
    images = need("PIL.Image", "transformers", "homunculus.attach")
    if isinstance(source, images.Image) and _ready(source):
        return source
    pixels = open_picture(source, longest=10**6, area=PIXELS).pixels
    return to_image(pixels)


def _ready(image: Any) -> bool:
    short, long = sorted(image.size)
    return (
        not undecoded(image)
        and image.mode == "RGB"
        and 0 < short * long <= PIXELS
        and long <= SLIMMEST * short
        and not image.has_transparency_data
        and not image.getexif()
    )
