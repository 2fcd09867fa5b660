# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""vLLM's renderer with a queue of relevance searches before its processor.

vLLM processes all requests in one thread, and its caches rely on their order. Requests whose images
need a search wait in the queue, and do not delay others.

vLLM has two processor caches: the API server only notes which images the engine has, and does not
send them again. What is noted here must be there, or the next request for it fails. So an image is
noted when its request is over, unless the client left, and fewer are noted than the engine keeps.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from weakref import ReferenceType, ref

import numpy as np
from vllm.multimodal.cache.lru import LruKeyReplicatedSenderCache
from vllm.multimodal.parse import parse_mm_uuids
from vllm.multimodal.processing import ProcessorInputs
from vllm.renderers.hf import HfRenderer
from vllm.utils.async_utils import make_async
from vllm.utils.torch_utils import set_default_torch_num_threads

from homunculus.engines import select
from homunculus.engines.vllm.media import ALLOWANCE, Allowance
from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.private import limit_notes, put_note, take_note
from homunculus.engines.vllm.processor import ProcessorMixin, Search
from homunculus.engines.vllm.settings import ServerSettings

PAGE, QUESTION = np.full((256, 256, 3), 255, np.uint8), "What is the total?"
"""What the scout is warmed up with."""
NOTED = 3 / 4
"""The share of the engine's processor cache that the API server counts on. Requests reach the
engine in another order than they are noted in, so it drops some images earlier."""
HANDLER: "ContextVar[ReferenceType[asyncio.Task[Any]] | None]" = ContextVar("HANDLER", default=None)
"""The task of a request: it is cancelled when the client leaves. Weak, because a task that its own
context holds stays in memory, with all of the request, until the garbage collector comes."""


class Renderer(HfRenderer):
    """vLLM's renderer of Hugging Face models, which searches before it processes a request."""

    def __init__(self, config: Any, tokenizer: Any) -> None:
        super().__init__(config, tokenizer)
        self._queue = Queue(_threads(self.mm_processor))
        self._resources.callback(self._queue.close)
        self._notes = Notes(self.mm_processor_cache, config, self._mm_executor)
        process = make_async(self._process, executor=self._mm_executor)

        async def search_and_process(prompt: Any, mm_data: Any, **options: Any) -> Any:
            late = await self._search(prompt, mm_data, options)
            if late:
                METER.count_late(len(late))
                self.mm_processor.late.update(late)  # counted: others may wait for the same
            try:
                done, notes = await process(prompt, mm_data, **options)
            finally:
                if late:
                    self.mm_processor.late -= Counter(late)  # what is at 0 goes
            self._notes.put_when_over(notes)
            return done

        self._process_multimodal_async = search_and_process

    async def render_chat_async(self, *arguments: Any, **options: Any) -> Any:
        """Remember whose request it is; parts of it run in tasks of their own."""
        remember_handler()
        return await super().render_chat_async(*arguments, **options)

    async def render_messages_async(self, messages: Any, params: Any) -> Any:
        """Set the pixel limit of a request before any of its images is decoded."""
        if isinstance(self.mm_processor, ProcessorMixin):
            ALLOWANCE.set(Allowance(self.mm_processor.info.server_settings.pixels))
        return await super().render_messages_async(messages, params)

    def clear_mm_cache(self) -> None:
        """Clear relevance maps with vLLM's own cache."""
        super().clear_mm_cache()
        self._notes.clear()
        if isinstance(self.mm_processor, ProcessorMixin):
            self.mm_processor.maps.clear()

    def warmup_mm(self) -> None:
        """Load the scout's weights with the rest, not with the first question."""
        if isinstance(self.mm_processor, ProcessorMixin) and not self._mm_warmup_done:
            warm(self.mm_processor.info.server_settings)
        super().warmup_mm()

    def _process(self, *arguments: Any, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Process a request; also returns the notes of its images, which are no longer cached."""
        done = self._process_multimodal(*arguments, **options)
        return done, self._notes.take(done)

    async def _search(
        self, prompt: Any, mm_data: Any, options: Mapping[str, Any]
    ) -> frozenset[str]:
        processor = self.mm_processor
        if not isinstance(processor, ProcessorMixin):
            return frozenset()
        loop = asyncio.get_running_loop()
        searches = await loop.run_in_executor(
            self._executor, lambda: processor.searches(_inputs(processor, prompt, mm_data, options))
        )
        return await self._queue.run_all(searches)


def remember_handler() -> None:
    """Call the task that runs now the one of the request."""
    task = asyncio.current_task()
    HANDLER.set(ref(task) if task else None)


def find_handler() -> "asyncio.Task[Any] | None":
    """The task of the request, or else the one that runs now."""
    known = HANDLER.get()
    return (known and known()) or asyncio.current_task()


class Notes:
    """The API server's notes of the engine's processor cache.

    Only the one thread of vLLM's processor reads and writes them.
    """

    def __init__(self, cache: Any, config: Any, thread: Executor) -> None:
        self._sender = cache if isinstance(cache, LruKeyReplicatedSenderCache) else None
        self._thread, self._clears = thread, 0
        if self._sender:
            size = config.model_config.get_multimodal_config().mm_processor_cache_gb
            limit_notes(self._sender, NOTED * size)

    def take(self, done: Mapping[str, Any]) -> dict[str, Any]:
        """Take the notes of what a processed request sends to the engine, by hash."""
        if not self._sender:
            return {}
        notes = {key: take_note(self._sender, key) for key in new_images(done)}
        return {key: note for key, note in notes.items() if note is not None}

    def put_when_over(self, notes: Mapping[str, Any]) -> None:
        """Put them back when the request is over, unless its client has left."""
        handler, clears = find_handler(), self._clears

        def over(task: "asyncio.Task[Any]") -> None:
            if not task.cancelling():
                with suppress(RuntimeError):  # the server is shutting down
                    self._thread.submit(self._put, notes, clears)

        if notes and handler:
            handler.add_done_callback(over)

    def _put(self, notes: Mapping[str, Any], clears: int) -> None:
        if self._sender and clears == self._clears:
            for key, note in notes.items():
                put_note(self._sender, key, note)

    def clear(self) -> None:
        """Both caches are empty now: put back no notes from before."""
        self._clears += 1


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
            select.search(PAGE, QUESTION, settings.method_object, settings.scout_object)


def _threads(processor: Any) -> int:
    ours = isinstance(processor, ProcessorMixin)
    return processor.info.server_settings.threads if ours else 1


def _inputs(processor: Any, prompt: Any, mm_data: Any, options: Mapping[str, Any]) -> Any:
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

    work: "Future[float]"
    """In its thread."""
    result: "asyncio.Future[float]"
    """What the event loop waits for."""
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
        seconds = min((search.settings.seconds for search in searches), default=0)
        until = loop.time() + seconds
        for number, search in enumerate(searches):
            try:
                await asyncio.wait_for(self.run(search), until - loop.time())
            except TimeoutError:
                return frozenset(late.key for late in searches[number:])
        return frozenset()

    async def run(self, search: Search) -> float:
        """Wait for a search and return its seconds, without those in the queue."""
        job = self._open.get(search.key) or self._start(search)
        job.waiting += 1
        try:
            # a cancelled request must not cancel the search for others
            return await asyncio.shield(job.result)
        finally:
            job.waiting -= 1
            # a search that runs cannot be stopped, so it stays open for whoever asks for it next
            if not job.waiting and job.work.cancel():
                self._close(search.key, job)

    def _start(self, search: Search) -> Job:
        METER.observe("queue_depth", len(self._open))
        work = self._thread.submit(self._timed, search, perf_counter())
        job = self._open[search.key] = Job(work, asyncio.wrap_future(work))
        job.result.add_done_callback(lambda _: self._close(search.key, job))
        return job

    def _close(self, key: str, job: Job) -> None:
        """Let no other request join a job; its key may have a newer one by now."""
        if self._open.get(key) is job:
            del self._open[key]

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
