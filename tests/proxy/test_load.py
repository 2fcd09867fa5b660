"""The proxy under load, with the hook and without: no errors, and its event loop is not late."""

import asyncio
import random
import time
from pathlib import Path

import httpx
import pytest

from homunculus.pages import to_data_uri
from homunculus_lab.speed.load import png
from homunculus_lab.speed.model import page
from proxy.conftest import config
from proxy.process import HOOK, ProxyProcess
from recorder import url

REQUESTS, AT_ONCE, KNOWN, NEW_EVERY = 60, 16, 4, 15
SIZE = (500, 400)
NAP = 0.01
"""Seconds that the watch in the event loop sleeps."""
WATCH = f"""
import asyncio, time
from litellm.integrations.custom_logger import CustomLogger

async def run():
    while True:
        begin = time.monotonic()
        await asyncio.sleep({NAP})
        late = time.monotonic() - begin - {NAP}
        with open("lag.txt", "a") as file:
            file.write(f"{{late:.5f}}\\n")

class Watch(CustomLogger):
    task = None

    async def async_pre_call_hook(self, user_api_key_dict, cache, data, call_type):
        Watch.task = Watch.task or asyncio.create_task(run())

watch = Watch()
"""
"""A callback beside the config: how late a task of the event loop wakes."""


@pytest.fixture(params=["hook", "plain"])
def loaded(request, provider, tmp_path):
    """A proxy with the watch, and with the hook or without it."""
    (tmp_path / "watch.py").write_text(WATCH)
    settings = config("watch.watch", url(provider))
    settings["litellm_settings"]["callbacks"] = ["watch.watch", *[HOOK] * (request.param == "hook")]
    proxy = ProxyProcess(tmp_path, settings, HOMUNCULUS_SECONDS="120")
    try:
        yield proxy.wait()
    finally:
        proxy.stop()


def body(picture: int, question: int) -> dict:
    content = [
        {"type": "image_url", "image_url": {"url": to_data_uri(png(page(*SIZE), str(picture)))}},
        {"type": "text", "text": f"What is the total? ({question})"},
    ]
    return {"model": "gpt", "messages": [{"role": "user", "content": content}]}


async def send(proxy: ProxyProcess, bodies: list[dict]) -> list[float]:
    """Seconds until each answer, some requests at a time; every answer is a good one."""
    gate, headers = asyncio.Semaphore(AT_ONCE), {"authorization": f"Bearer {proxy.key}"}
    async with httpx.AsyncClient(base_url=proxy.url, timeout=600, headers=headers) as client:

        async def ask(body: dict) -> float:
            async with gate:
                start = time.perf_counter()
                answer = await client.post("/v1/chat/completions", json=body)
                assert answer.status_code == 200, answer.text
                return time.perf_counter() - start

        return list(await asyncio.gather(*map(ask, bodies)))


def lags(folder: Path) -> list[float]:
    return sorted(float(line) for line in (folder / "lag.txt").read_text().splitlines())


def test_the_event_loop_is_not_late_and_memory_stays(loaded) -> None:
    known = [body(at % KNOWN, at % KNOWN) for at in range(REQUESTS)]
    asyncio.run(send(loaded, known[: 2 * KNOWN]))  # LiteLLM loads half of itself only now
    (loaded.folder / "lag.txt").write_text("")
    before = loaded.resident() >> 20
    new = [body(100 + at, at) for at in range(REQUESTS // NEW_EVERY)]
    bodies = [*known, *new]
    random.Random(0).shuffle(bodies)
    begin = time.monotonic()
    asyncio.run(send(loaded, bodies))
    seconds = time.monotonic() - begin
    late = lags(loaded.folder)
    assert sum(late) + NAP * len(late) > 0.5 * seconds  # the watch ran all the time
    assert late[int(0.99 * len(late))] < 0.75  # in the loop itself, views take seconds
    assert late[-1] < 2
    assert loaded.resident() >> 20 < before + 300
    calm = sorted(asyncio.run(send(loaded, [request]))[0] for request in known[:10])
    assert calm[5] < 1
