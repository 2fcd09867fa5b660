# pyright: basic
"""Requests to a server: so many at a time, each with its own time to the first token."""

import asyncio
import base64
import io
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from homunculus.lab.speed.model import page
from homunculus.lab.speed.server import NAME
from homunculus.lazy import need

ASKED = (
    "What is the total amount due?", "Which year is it?", "What is the number of the invoice?",
    "Who pays?", "How much is due in line 5?", "What stands in the last line?",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One request: a PNG and a question."""

    file: bytes
    question: str


@dataclass(frozen=True)
class Answered:
    """What became of it; seconds since it was sent."""

    status: int
    first: float
    whole: float
    prompt: int
    """Tokens of the prompt, as the server counts them."""


def cases(
    many: int, high: int, wide: int, start: int = 0, pages: int | None = None, book: int = 0
) -> list[Case]:
    """Questions from a number on, each on a page of its own, or on so many pages of a book."""
    sheet, files, out = page(high, wide), {}, []
    for at in range(start, start + many):
        which = f"{book}.{at if pages is None else at % pages}"
        if which not in files:
            files[which] = _printed(sheet, which)
        out.append(Case(files[which], question(at)))
    return out


def _printed(sheet: Any, name: str) -> bytes:
    """A page that differs from all others in one pixel."""
    one, file, chance = sheet.copy(), io.BytesIO(), random.Random(name)
    one.putpixel((0, 0), tuple(chance.randrange(256) for _ in range(3)))
    one.save(file, "PNG", compress_level=1)
    return file.getvalue()


def question(number: int) -> str:
    """No two are the same."""
    return f"{ASKED[number % len(ASKED)]} ({number})"


def run(url: str, wanted: Sequence[Case], at_once: int, words: int) -> tuple[list[Answered], float]:
    """All of them, so many at a time; what became of each, and seconds for all."""
    return asyncio.run(_run(url, wanted, at_once, words))


async def _run(
    url: str, wanted: Sequence[Case], at_once: int, words: int
) -> tuple[list[Answered], float]:
    http = need("httpx", "vllm", "homunculus bench vllm")
    gate = asyncio.Semaphore(at_once)
    bodies = [_body(case, words) for case in wanted]  # made before the clock runs
    async with http.AsyncClient(base_url=url, timeout=3600) as client:

        async def one(body: bytes) -> Answered:
            async with gate:
                return await _one(client, body)

        start = perf_counter()
        found = await asyncio.gather(*(one(body) for body in bodies))
        return list(found), perf_counter() - start


def _body(case: Case, words: int) -> bytes:
    url = f"data:image/png;base64,{base64.b64encode(case.file).decode()}"
    parts = [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "text", "text": case.question},
    ]
    told = {
        "model": NAME, "messages": [{"role": "user", "content": parts}], "max_tokens": words,
        "temperature": 0, "ignore_eos": True, "stream": True,
        "stream_options": {"include_usage": True},
    }  # fmt: skip
    return json.dumps(told).encode()


async def _one(client: Any, body: bytes) -> Answered:
    start, first, prompt = perf_counter(), 0.0, 0
    kind = {"Content-Type": "application/json"}
    async with client.stream("POST", "/v1/chat/completions", content=body, headers=kind) as answer:
        async for line in answer.aiter_lines():
            if not line.startswith("data: {"):
                continue
            told = json.loads(line[6:])
            if told.get("usage"):
                prompt = told["usage"]["prompt_tokens"]
            if told.get("choices") and not first:
                first = perf_counter() - start
        return Answered(answer.status_code, first, perf_counter() - start, prompt)
