# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""vLLM's renderer with a queue of relevance searches before its processor.

vLLM processes all requests in one thread, and its caches rely on their order. Requests whose images
need a search wait in the queue, and do not delay others.

vLLM has two processor caches: the API server only notes which images the engine has, and does not
send them again. What is noted here must be there, or the next request for it fails. So images of
clients that left before they were sent are not noted, and fewer are noted than the engine keeps.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from vllm.multimodal.cache.base import MultiModalCache, MultiModalProcessorCacheItemMetadata
from vllm.multimodal.cache.lru import LruKeyReplicatedSenderCache
from vllm.multimodal.parse import parse_mm_uuids
from vllm.multimodal.processing import ProcessorInputs
from vllm.renderers.hf import HfRenderer
from vllm.utils.torch_utils import set_default_torch_num_threads

from homunculus.engines.select import search
from homunculus.engines.vllm.media import ALLOWANCE, Allowance
from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.processor import ProcessorMixin, Search
from homunculus.engines.vllm.settings import ServerSettings

PAGE, QUESTION = np.full((256, 256, 3), 255, np.uint8), "What is the total?"
"""What the scout is warmed up with."""
NOTED = 7 / 8
"""The share of the engine's processor cache that the API server counts on. Requests may reach the
engine in another order than they were noted in, and then it drops images a little earlier."""
HANDLER: "ContextVar[asyncio.Task[Any] | None]" = ContextVar("HANDLER", default=None)
"""The task of a request: it is cancelled when the client leaves."""


class Renderer(HfRenderer):
    """vLLM's renderer of Hugging Face models, which searches before it processes a request."""

    def __init__(self, config: Any, tokenizer: Any) -> None:
        super().__init__(config, tokenizer)
        self._queue = Queue(_threads(self.mm_processor))
        self._resources.callback(self._queue.close)
        note_less(self.mm_processor_cache, config)
        process = self._process_multimodal_async

        async def search_and_process(prompt: Any, mm_data: Any, **options: Any) -> Any:
            late = await self._search(prompt, mm_data, options)
            work = process(prompt, mm_data, **options)
            if not late:
                return await keep_sent(work, self.mm_processor_cache, self._mm_executor)
            METER.count_late(len(late))
            self.mm_processor.late.update(late)  # counted: others may wait for the same
            try:
                return await keep_sent(work, self.mm_processor_cache, self._mm_executor)
            finally:
                self.mm_processor.late -= Counter(late)  # what is at 0 goes

        self._process_multimodal_async = search_and_process

    async def render_chat_async(self, *arguments: Any, **options: Any) -> Any:
        """Remember whose request it is; parts of it run in tasks of their own."""
        HANDLER.set(asyncio.current_task())
        return await super().render_chat_async(*arguments, **options)

    async def render_messages_async(self, messages: Any, params: Any) -> Any:
        """Set the pixel limit of a request before any of its images is decoded."""
        if isinstance(self.mm_processor, ProcessorMixin):
            ALLOWANCE.set(Allowance(self.mm_processor.info.server_settings.pixels))
        return await super().render_messages_async(messages, params)

    def clear_mm_cache(self) -> None:
        """Clear relevance maps and plans with vLLM's own cache."""
        super().clear_mm_cache()
        if isinstance(self.mm_processor, ProcessorMixin):
            self.mm_processor.forget()

    def warmup_mm(self) -> None:
        """Load the scout's weights with the rest, not with the first question."""
        if isinstance(self.mm_processor, ProcessorMixin) and not self._mm_warmup_done:
            warm(self.mm_processor.info.server_settings)
        super().warmup_mm()

    async def _search(
        self, prompt: Any, mm_data: Any, options: Mapping[str, Any]
    ) -> frozenset[str]:
        """Run the searches that a request needs; the keys of those that are late."""
        processor = self.mm_processor
        if not isinstance(processor, ProcessorMixin):
            return frozenset()
        loop = asyncio.get_running_loop()
        searches = await loop.run_in_executor(
            self._executor, lambda: processor.searches(_inputs(processor, prompt, mm_data, options))
        )
        return await self._queue.run_all(searches)


def note_less(cache: Any, config: Any) -> None:
    """Count on fewer images in the engine's cache than it has room for."""
    if isinstance(cache, LruKeyReplicatedSenderCache):
        size = NOTED * config.model_config.get_multimodal_config().mm_processor_cache_gb
        cache._cache = MultiModalCache.get_lru_cache(size, MultiModalProcessorCacheItemMetadata)


async def keep_sent(work: Awaitable[Any], cache: Any, thread: Executor) -> Any:
    """Wait until a request is processed; if its client leaves, drop the notes of its new images.

    They may have been sent nevertheless; then they are sent once more. ``thread`` is the one that
    may write to the cache.
    """
    task = asyncio.ensure_future(work)

    def drop(_: Any) -> None:
        if cache is not None and not task.cancelled() and task.exception() is None:
            for one in new_images(task.result()):
                thread.submit(cache.invalidate, one)

    try:
        done = await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(drop)
        raise
    if handler := HANDLER.get():
        handler.add_done_callback(lambda one: drop(one) if one.cancelled() else None)
    return done


def new_images(done: Mapping[str, Any]) -> list[str]:
    """Hashes of what is sent to the engine, and not only named."""
    return [
        key
        for kind, keys in done["mm_hashes"].items()
        for key, item in zip(keys, done["mm_kwargs"][kind], strict=True)
        if item is not None
    ]


def warm(settings: ServerSettings) -> None:
    """Search on a small page once."""
    if settings.method_object.source != "nothing":
        with set_default_torch_num_threads():
            search(PAGE, QUESTION, settings.method_object, settings.scout_object)


def _threads(processor: Any) -> int:
    ours = isinstance(processor, ProcessorMixin)
    return processor.info.server_settings.threads if ours else 1


def _inputs(processor: Any, prompt: Any, mm_data: Any, options: Mapping[str, Any]) -> Any:
    """The inputs that `_process_multimodal` makes, without a cache."""
    return ProcessorInputs(
        prompt,
        processor.info.parse_mm_data(mm_data),
        parse_mm_uuids(options.get("mm_uuids")),
        hf_processor_mm_kwargs=options.get("mm_processor_kwargs") or {},
        media_io_kwargs=options.get("media_io_kwargs") or {},
    )


@dataclass
class Job:
    """A search that is queued or running, and how many requests wait for it."""

    future: "asyncio.Future[float]"
    waiting: int = 0


class Queue:
    """Threads for searches; equal searches that are queued at the same time run once."""

    def __init__(self, threads: int = 1) -> None:
        self._thread = ThreadPoolExecutor(threads, thread_name_prefix="homunculus-search")
        self._open: dict[str, Job] = {}

    async def run_all(self, searches: Sequence[Search]) -> frozenset[str]:
        """Run the searches of one request one after the other, so that requests take turns.

        Those that are not done when the request has waited for long enough are given up; returns
        their keys.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + min((one.settings.seconds for one in searches), default=0)
        for at, one in enumerate(searches):
            try:
                await asyncio.wait_for(self.run(one), until - loop.time())
            except TimeoutError:
                return frozenset(late.key for late in searches[at:])
        return frozenset()

    async def run(self, search: Search) -> float:
        """Wait for a search and return its seconds, without those in the queue."""
        job = self._open.get(search.key) or self._start(search)
        job.waiting += 1
        try:
            # a cancelled request must not cancel the search for others
            return await asyncio.shield(job.future)
        finally:
            job.waiting -= 1
            if not job.waiting:  # all are cancelled: if it has not started, it never does
                job.future.cancel()

    def _start(self, search: Search) -> Job:
        METER.observe("queue_depth", len(self._open))
        loop = asyncio.get_running_loop()
        job = Job(loop.run_in_executor(self._thread, self._timed, search, perf_counter()))
        self._open[search.key] = job
        job.future.add_done_callback(lambda _: self._open.pop(search.key, None))
        return job

    def _timed(self, search: Search, arrival: float) -> float:
        start = perf_counter()
        METER.observe("queue_seconds", start - arrival)
        with set_default_torch_num_threads():
            search.run()
        seconds = perf_counter() - start
        METER.observe("search_seconds", seconds)
        return seconds

    def close(self) -> None:
        """Start no more searches."""
        self._thread.shutdown(wait=False, cancel_futures=True)
