# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""Ahead of the processor: questions are looked for on new images, one image at a time.

vLLM prepares all requests in one thread, whose order its caches rely on. A request whose images
need no search goes there at once; others wait here, and do not hold it up.
"""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from vllm.multimodal.parse import parse_mm_uuids
from vllm.multimodal.processing import ProcessorInputs
from vllm.renderers.hf import HfRenderer
from vllm.utils.torch_utils import set_default_torch_num_threads

from homunculus.engines.vllm.media import ALLOWANCE, Allowance
from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.processor import Choosing, Search


class Renderer(HfRenderer):
    """vLLM's renderer of Hugging Face models, with a queue of searches before its processor."""

    def __init__(self, config: Any, tokenizer: Any) -> None:
        super().__init__(config, tokenizer)
        self._queue = Queue()
        self._resources.callback(self._queue.close)
        process = self._process_multimodal_async

        async def searched(prompt: Any, mm_data: Any, **options: Any) -> Any:
            await self._search(prompt, mm_data, options)
            return await process(prompt, mm_data, **options)

        self._process_multimodal_async = searched

    async def render_messages_async(self, messages: Any, params: Any) -> Any:
        """The images of a request share its pixels, before any of them is decoded."""
        if isinstance(self.mm_processor, Choosing):
            ALLOWANCE.set(Allowance(self.mm_processor.info.serving.pixels))
        return await super().render_messages_async(messages, params)

    def clear_mm_cache(self) -> None:
        """Relevance goes with vLLM's own cache."""
        super().clear_mm_cache()
        if isinstance(self.mm_processor, Choosing):
            self.mm_processor.maps.clear()

    async def _search(self, prompt: Any, mm_data: Any, options: Mapping[str, Any]) -> None:
        """Look for what the request asks, if nobody did before."""
        processor = self.mm_processor
        if not isinstance(processor, Choosing):
            return
        loop = asyncio.get_running_loop()
        searches = await loop.run_in_executor(
            self._executor, lambda: processor.searches(_inputs(processor, prompt, mm_data, options))
        )
        await self._queue.run_all(searches)


def _inputs(processor: Any, prompt: Any, mm_data: Any, options: Mapping[str, Any]) -> Any:
    """As `_process_multimodal` makes them, without a cache."""
    return ProcessorInputs(
        prompt,
        processor.info.parse_mm_data(mm_data),
        parse_mm_uuids(options.get("mm_uuids")),
        hf_processor_mm_kwargs=options.get("mm_processor_kwargs") or {},
        media_io_kwargs=options.get("media_io_kwargs") or {},
    )


@dataclass
class Job:
    """A search that waits or runs, and how many requests wait for it."""

    future: "asyncio.Future[float]"
    waiting: int = 0


class Queue:
    """One thread for searches; the same search asked for twice at once is made once."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="homunculus-search")
        self._open: dict[str, Job] = {}

    async def run_all(self, searches: Sequence[Search]) -> None:
        """Those of one request, one after the other, so that requests take turns."""
        spent = 0.0
        for search in searches:
            if spent > search.serving.seconds:
                raise ValueError(
                    f"homunculus: looking for the question on {len(searches)} images took longer "
                    f"than {search.serving.seconds} s. Send fewer images in one request."
                )
            spent += await self.run(search)

    async def run(self, search: Search) -> float:
        """Wait for a search; how many seconds it took, its turn not counted."""
        job = self._open.get(search.key) or self._begin(search)
        job.waiting += 1
        try:
            # whoever leaves does not take the search away from others who wait for it
            return await asyncio.shield(job.future)
        finally:
            job.waiting -= 1
            if not job.waiting:  # all have left: what has not begun never does
                job.future.cancel()

    def _begin(self, search: Search) -> Job:
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
        """Nothing more is begun."""
        self._thread.shutdown(wait=False, cancel_futures=True)
