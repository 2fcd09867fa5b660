"""What a client sends: turns with images in them."""

import base64
import io
from typing import Any

WORDS = ("What is the total?", "When was it?", "Who signed the letter?", "name of the shop")


def packed(image: Any, kind: str = "PNG", **options: Any) -> bytes:
    """An image as a file."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def part(file: bytes, mime: str = "image/png") -> dict[str, Any]:
    """A file as part of a message."""
    url = f"data:{mime};base64,{base64.b64encode(file).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def turn(question: str, *images: Any) -> dict[str, Any]:
    """A user's message: images, then a question."""
    parts = [part(packed(image)) for image in images]
    return {"role": "user", "content": [*parts, {"type": "text", "text": question}]}


def page(high: int, wide: int, seed: int = 0) -> Any:
    """Lines of print, other ones for each seed."""
    import random

    from PIL import Image, ImageDraw

    chance = random.Random(seed)
    image = Image.new("RGB", (wide, high), "white")
    draw = ImageDraw.Draw(image)
    words = ["total", "date", "name", "shop", "signed", "letter", "amount", "12.50", "2019", "Ann"]
    for y in range(4, high - 12, 18):
        draw.text((4, y), " ".join(chance.sample(words, 5)), fill=(chance.randrange(90),) * 3)
    return image
