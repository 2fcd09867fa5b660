"""Counters and histograms for vLLM's /metrics page, and a line in its log."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock, local
from typing import Any

from homunculus.lazy import need

LOG = logging.getLogger("vllm.homunculus")
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60)
DEPTHS = (0, 1, 2, 4, 8, 16, 32, 64, 128)
COUNTERS = {
    "images": "Images whose tokens were chosen",
    "tokens_kept": "Tokens kept of them",
    "tokens_native": "Tokens that they have without homunculus",
    "images_reused": "Images whose tokens were cached for the same question",
    "images_late": "Images shown as a whole because their search was not ready in time",
    "images_left": "Images that could not be shown as views",
    "requests_refused": "Requests refused because an image could not be shown as views",
}
HISTOGRAMS = {
    "selection_seconds": ("Time to choose the tokens of a request's images", SECONDS),
    "search_seconds": ("Time of the relevance search on an image", SECONDS),
    "queue_seconds": ("Time that an image waits for its search", SECONDS),
    "queue_depth": ("Searches that wait or run when another one arrives", DEPTHS),
}


class Meter:
    """Prometheus metrics of tokens, cache hits and times."""

    def __init__(self) -> None:
        self._thread, self._lock = local(), Lock()
        self._counters: dict[str, Any] = {}
        self._histograms: dict[str, Any] = {}

    @contextmanager
    def paused(self) -> Generator[None, None, None]:
        """Count nothing that this thread does inside the context."""
        self._thread.paused = True
        try:
            yield
        finally:
            self._thread.paused = False

    def expose(self) -> None:
        """Register all metrics, so that they are listed before the first request."""
        with self._lock:
            if self._counters:
                return
            library = need("prometheus_client", "vllm", "homunculus.engines.vllm")
            for name, (about, buckets) in HISTOGRAMS.items():
                full = f"homunculus:{name}"
                self._histograms[name] = library.Histogram(full, about, buckets=buckets)
            for name, about in COUNTERS.items():
                self._counters[name] = library.Counter(f"homunculus:{name}", about)

    def count_choice(self, images: int, kept: int, native: int, seconds: float) -> None:
        """Count the images of one request and their tokens."""
        counts = {"images": images, "tokens_kept": kept, "tokens_native": native}
        for name, value in counts.items():
            self.count(name, value)
        self.observe("selection_seconds", seconds)
        LOG.debug("kept %d of %d image tokens in %.0f ms", kept, native, 1000 * seconds)

    def count_late(self, images: int) -> None:
        """Count images whose search was not ready in time."""
        self.count("images_late", images)
        LOG.warning("%d images are shown as a whole: their search was not ready in time", images)

    def count_shown(self, images: int, tokens: int, left: int, seconds: float) -> None:
        """Count the images of one request that were shown as views, and those that were not."""
        for name, value in {"images": images, "tokens_kept": tokens, "images_left": left}.items():
            self.count(name, value)
        self.observe("selection_seconds", seconds)

    def observe(self, name: str, value: float | int) -> None:
        """Add a value to a histogram."""
        if not self._off:
            self._histograms[name].observe(value)

    def count(self, name: str, value: int = 1) -> None:
        """Add to a counter."""
        if not self._off:
            self._counters[name].inc(value)

    @property
    def _off(self) -> bool:
        return getattr(self._thread, "paused", False)


METER = Meter()
