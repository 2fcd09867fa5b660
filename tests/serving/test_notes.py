"""What the API server notes of the engine's processor cache: never an image that is not there."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from vllm.multimodal.cache.lru import LruKeyReplicatedSenderCache

from homunculus.engines.vllm.renderer import HANDLER, NOTED, keep_sent, note_less

CONFIG = SimpleNamespace(
    get_multimodal_config=lambda: SimpleNamespace(mm_processor_cache_gb=0.5),
)


@pytest.fixture
def cache():
    cache = LruKeyReplicatedSenderCache(CONFIG)
    cache._cache = {"known": "note"}  # a plain dict: what a note holds is not our business
    return cache


def serve(cache, left_after=None, sending=0.3):
    """One request with a new image and a known one, whose client may leave: 0.2 s of processing in
    vLLM's one thread, then the way to the engine. Returns what is noted at the end."""
    thread = ThreadPoolExecutor(1)

    def process():
        time.sleep(0.2)
        cache._cache["new"] = "note"
        return {
            "mm_hashes": {"image": ["new", "known"]},
            "mm_kwargs": {"image": ["pixels", None]},
        }

    async def render():
        work = asyncio.get_running_loop().run_in_executor(thread, process)
        return await keep_sent(work, cache, thread)

    async def handle():
        HANDLER.set(asyncio.current_task())
        await asyncio.gather(render())  # a task of its own, as in vLLM
        await asyncio.sleep(sending)

    async def request():
        handler = asyncio.create_task(handle())
        await asyncio.wait([handler], timeout=left_after)
        handler.cancel()
        await asyncio.wait([handler])
        await asyncio.sleep(0.3)

    asyncio.run(request())
    thread.shutdown()
    return set(cache._cache)


@pytest.mark.parametrize("left_after", [0.05, 0.35], ids=["while it is processed", "then"])
def test_an_image_whose_client_left_before_it_was_sent_is_sent_to_the_next(cache, left_after):
    assert serve(cache, left_after) == {"known"}


def test_an_image_that_was_sent_is_not_sent_again(cache):
    assert serve(cache, sending=0) == {"known", "new"}


def test_a_request_that_cannot_be_processed_drops_nothing(cache):
    async def fail():
        raise ValueError("no picture")

    with ThreadPoolExecutor(1) as thread, pytest.raises(ValueError, match="no picture"):
        asyncio.run(keep_sent(fail(), cache, thread))
    assert set(cache._cache) == {"known"}


def test_the_engine_keeps_more_than_is_noted():
    cache = LruKeyReplicatedSenderCache(CONFIG)
    engine = cache._cache.maxsize
    note_less(cache, SimpleNamespace(model_config=CONFIG))
    assert cache._cache.maxsize == NOTED * engine < engine
