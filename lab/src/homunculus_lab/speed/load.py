# pyright: basic
"""Concurrent requests to a server, each with its time to the first token."""

import asyncio
import io
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from homunculus.lazy import need
from homunculus.pages import to_data_uri
from homunculus_lab.speed.model import page
from homunculus_lab.speed.server import NAME

QUESTIONS = (
    "What is the total amount due?", "Which year is it?", "What is the number of the invoice?",
    "Who pays?", "How much is due in line 5?", "What stands in the last line?",
)  # fmt: skip


@dataclass(frozen=True)
class PageRequest:
    """One request: a PNG and a question."""

    png: bytes
    question: str

    @property
    def url(self) -> str:
        """The PNG as a data URL."""
        return to_data_uri(self.png)


@dataclass(frozen=True)
class Response:
    """Status and times of a request, in seconds since it was sent."""

    status: int
    first: float
    whole: float
    prompt: int
    """Tokens of the prompt, as the server counts them."""


def page_requests(
    count: int, high: int, wide: int, start: int = 0, pages: int | None = None, book: int = 0
) -> list[PageRequest]:
    """Questions numbered from ``start``, each on its own page, or on ``pages`` pages of a book."""
    picture, files, requests = page(high, wide), {}, []
    for number in range(start, start + count):
        name = f"{book}.{number if pages is None else number % pages}"
        if name not in files:
            files[name] = png(picture, name)
        requests.append(PageRequest(files[name], question(number)))
    return requests


def png(picture: Any, name: str) -> bytes:
    """A page that differs from all others in one pixel."""
    changed, file, rng = picture.copy(), io.BytesIO(), random.Random(name)
    changed.putpixel((0, 0), tuple(rng.randrange(256) for _ in range(3)))
    changed.save(file, "PNG", compress_level=1)
    return file.getvalue()


def question(number: int) -> str:
    """A question that no other number has."""
    return f"{QUESTIONS[number % len(QUESTIONS)]} ({number})"


def run(
    url: str, requests: Sequence[PageRequest], at_once: int, words: int
) -> tuple[list[Response], float]:
    """Send all, ``at_once`` at a time; the responses, and the seconds for all."""
    return asyncio.run(_run(url, requests, at_once, words))


async def _run(
    url: str, requests: Sequence[PageRequest], at_once: int, words: int
) -> tuple[list[Response], float]:
    http = need("httpx", "vllm", "homunculus bench vllm")
    gate = asyncio.Semaphore(at_once)
    bodies = [_body(request, words) for request in requests]  # built before the timing
    async with http.AsyncClient(base_url=url, timeout=3600) as client:

        async def send(body: bytes) -> Response:
            async with gate:
                return await _stream(client, body)

        start = perf_counter()
        responses = await asyncio.gather(*map(send, bodies))
        return list(responses), perf_counter() - start


def _body(request: PageRequest, words: int) -> bytes:
    parts = [
        {"type": "image_url", "image_url": {"url": request.url}},
        {"type": "text", "text": request.question},
    ]
    body = {
        "model": NAME, "messages": [{"role": "user", "content": parts}], "max_tokens": words,
        "temperature": 0, "ignore_eos": True, "stream": True,
        "stream_options": {"include_usage": True},
    }  # fmt: skip
    return json.dumps(body).encode()


async def _stream(client: Any, body: bytes) -> Response:
    start, first, prompt = perf_counter(), 0.0, 0
    kind = {"Content-Type": "application/json"}
    async with client.stream("POST", "/v1/chat/completions", content=body, headers=kind) as answer:
        async for line in answer.aiter_lines():
            if not line.startswith("data: {"):
                continue
            event = json.loads(line[6:])
            if event.get("usage"):
                prompt = event["usage"]["prompt_tokens"]
            if event.get("choices") and not first:
                first = perf_counter() - start
        return Response(answer.status_code, first, perf_counter() - start, prompt)
