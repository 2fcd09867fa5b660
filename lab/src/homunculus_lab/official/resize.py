# pyright: basic
"""The control that a budget must beat: the whole image, shrunk until it has no more tokens."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

from PIL import Image

from homunculus.engines.transformers.conversation import pil_image

STEPS = 9
"""Halvings of the range in which the largest size is sought."""


class Fit:
    """Sizes at which a model's own processor makes so many tokens of an image."""

    def __init__(self, processor: Any, image: int) -> None:
        """``image`` is the id of the placeholder of an image's token."""
        self.processor, self.image = processor, image
        self._count: dict[tuple[int, int], int] = {}

    def count(self, wide: int, high: int) -> int:
        """Tokens of an image of that size, as the processor itself writes them."""
        if (wide, high) not in self._count:
            part = {"type": "image", "image": Image.new("RGB", (wide, high))}
            made = self.processor.apply_chat_template(
                [{"role": "user", "content": [part]}],
                tokenize=True, return_dict=True, return_tensors="pt",
            )  # fmt: skip
            self._count[wide, high] = int((made["input_ids"] == self.image).sum())
        return self._count[wide, high]

    def shrunk(
        self, conversation: Sequence[Mapping[str, Any]], tokens: int
    ) -> tuple[list[dict[str, Any]], list[int]]:
        """Return the conversation with smaller images, and the tokens of each original image."""
        native: list[int] = []
        messages = []
        for message in conversation:
            content = message["content"]
            if not isinstance(content, str):
                content = [self._part(part, tokens, native) for part in content]
            messages.append({**message, "content": content})
        return messages, native

    def _part(self, part: Mapping[str, Any], tokens: int, native: list[int]) -> Mapping[str, Any]:
        if part.get("type") != "image":
            return part
        image = pil_image(part["image"])
        native.append(self.count(*image.size))
        return {**part, "image": self.one(image, tokens)}

    def one(self, image: Any, tokens: int) -> Any:
        """The largest that has at most so many tokens; one that has no more stays as it is."""
        native = self.count(*image.size)
        if native <= tokens:
            return image
        about = sqrt(tokens / native)
        low, high = about / 2, min(1.0, 1.5 * about)
        if self.count(*_sized(image, low)) > tokens:
            raise ValueError(
                f"resize: this model makes {native} tokens of an image of {image.width} x "
                f"{image.height} pixels, and more than {tokens} of a smaller one. Leave out "
                "`resize`, or take a larger budget."
            )
        for _ in range(STEPS):
            middle = (low + high) / 2
            fits = self.count(*_sized(image, middle)) <= tokens
            low, high = (middle, high) if fits else (low, middle)
        return image.resize(_sized(image, low), Image.Resampling.BICUBIC)


def _sized(image: Any, scale: float) -> tuple[int, int]:
    return max(1, round(image.width * scale)), max(1, round(image.height * scale))
