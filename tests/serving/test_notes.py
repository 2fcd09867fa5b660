"""What the API server notes of the engine's processor cache: never an image that is not there."""

import asyncio
import gc
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import SimpleNamespace

import pytest
from vllm.multimodal.cache.base import MultiModalProcessorCacheItemMetadata
from vllm.multimodal.cache.lru import LruKeyReplicatedSenderCache

from homunculus.engines.vllm.renderer import NOTED, Notes, remember_handler

LIMITS = SimpleNamespace(get_multimodal_config=lambda: SimpleNamespace(mm_processor_cache_gb=0.5))
CONFIG = SimpleNamespace(model_config=LIMITS)


def note():
    made = MultiModalProcessorCacheItemMetadata.__new__(MultiModalProcessorCacheItemMetadata)
    made.item_size, made.prompt_updates = 1000, ()
    return made


class Server:
    """vLLM's cache and thread, and requests for one new image and one that is known."""

    def __init__(self):
        self.cache, self.thread = LruKeyReplicatedSenderCache(LIMITS), ThreadPoolExecutor(1)
        self.notes = Notes(self.cache, CONFIG, self.thread)
        self.cache._cache["known"] = note()

    def process(self):
        """Takes 0.2 s; returns the request, and whether the new image is sent to the engine."""
        time.sleep(0.2)
        sent = not self.cache.is_cached_item("new")
        if sent:
            self.cache._cache["new"] = note()
        items = ["pixels" if sent else None, None]
        done = {"mm_hashes": {"image": ["new", "known"]}, "mm_kwargs": {"image": items}}
        return sent, self.notes.take(done)

    async def render(self):
        loop = asyncio.get_running_loop()
        sent, notes = await loop.run_in_executor(self.thread, self.process)
        self.notes.put_when_over(notes)
        return sent

    async def handle(self, sending):
        remember_handler()
        (sent,) = await asyncio.gather(self.render())  # a task of its own, as in vLLM
        with suppress(asyncio.CancelledError):  # vLLM makes an answer of it that nobody reads
            await asyncio.sleep(sending)
        return sent

    def serve(self, left_after=None, sending=0.0):
        """One request, whose client may leave; returns what is noted afterwards."""

        async def request():
            handler = asyncio.create_task(self.handle(sending))
            await asyncio.wait([handler], timeout=left_after)
            handler.cancel()
            await asyncio.wait([handler])

        asyncio.run(request())
        return self.noted()

    def noted(self):
        return self.thread.submit(lambda: set(self.cache._cache)).result()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.thread.shutdown()


@pytest.mark.parametrize("left_after", [0.05, 0.3], ids=["while it is processed", "then"])
def test_an_image_whose_client_left_before_it_was_sent_is_not_noted(server, left_after):
    assert server.serve(left_after, sending=0.4) == {"known"}


def test_an_image_that_was_sent_is_noted(server):
    assert server.serve() == {"known", "new"}


def test_while_a_request_is_on_its_way_its_image_is_sent_with_others_too(server):
    async def both():
        return await asyncio.gather(server.handle(0.5), server.handle(0.5))

    assert asyncio.run(both()) == [True, True]
    assert server.noted() == {"known", "new"}
    assert not asyncio.run(server.handle(0))


def test_a_request_that_is_over_is_not_kept_in_memory(server):
    async def request():
        gone = asyncio.create_task(server.handle(0))
        await gone
        server.noted()
        return weakref.ref(gone)

    gc.disable()
    try:
        assert asyncio.run(request())() is None
    finally:
        gc.enable()


def test_what_was_cleared_meanwhile_is_not_noted(server):
    async def request():
        handler = asyncio.create_task(server.handle(0.3))
        await asyncio.sleep(0.3)
        server.cache.clear_cache()
        server.notes.clear()
        await handler

    asyncio.run(request())
    assert server.noted() == set()


def test_the_engine_keeps_more_than_is_noted(server):
    engine = LruKeyReplicatedSenderCache(LIMITS)._cache.maxsize
    assert server.cache._cache.maxsize == NOTED * engine < engine


def test_other_caches_of_vllm_are_left_alone():
    notes = Notes(None, CONFIG, ThreadPoolExecutor(1))
    assert notes.take({"mm_hashes": {"image": ["a"]}, "mm_kwargs": {"image": ["pixels"]}}) == {}
