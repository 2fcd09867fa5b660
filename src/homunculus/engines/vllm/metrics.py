"""Counters and histograms on the server's own /metrics page, and a line in its log."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock, local
from typing import Any

from homunculus.engines.vllm.choose import ANCHOR
from homunculus.lazy import need

LOG = logging.getLogger("vllm.homunculus")
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60)
DEPTHS = (0, 1, 2, 4, 8, 16, 32, 64, 128)
COUNTERS = {
    "images": "Images whose tokens were chosen",
    "tokens_kept": "Tokens kept of them",
    "tokens_native": "Tokens that they would have cost",
    "images_reused": "Images whose tokens were chosen before for the same question",
}
HISTOGRAMS = {
    "selection_seconds": ("Time to read, choose and cut the images of a request", SECONDS),
    "search_seconds": ("Time to look for a question on an image", SECONDS),
    "queue_seconds": ("Time that an image waits until its search begins", SECONDS),
    "queue_depth": ("Searches that wait or run when one more arrives", DEPTHS),
}


class Meter:
    """Counts what is kept, of how many, how long it took, and what was known already."""

    def __init__(self) -> None:
        self._here, self._lock = local(), Lock()
        self._counters: dict[str, Any] = {}
        self._histograms: dict[str, Any] = {}

    @contextmanager
    def paused(self) -> Generator[None, None, None]:
        """What this thread does inside is not counted."""
        self._here.paused = True
        try:
            yield
        finally:
            self._here.paused = False

    def expose(self) -> None:
        """Have everything on the page of metrics before the first request."""
        with self._lock:
            if self._counters:
                return
            library = need("prometheus_client", "vllm", "homunculus.engines.vllm")
            for name, (about, buckets) in HISTOGRAMS.items():
                full = f"homunculus:{name}"
                self._histograms[name] = library.Histogram(full, about, buckets=buckets)
            for name, about in COUNTERS.items():
                self._counters[name] = library.Counter(f"homunculus:{name}", about)

    def chose(self, mine: dict[str, Any], unit: int, seconds: float) -> None:
        """After choosing for the images of one request."""
        kept, grids = len(mine[ANCHOR]), mine["image_grid_thw"]
        native = int(grids.prod(-1).sum()) // unit
        counts = {"images": len(grids), "tokens_kept": kept, "tokens_native": native}
        for name, value in counts.items():
            self._count(name, value)
        self.observe("selection_seconds", seconds)
        LOG.debug("kept %d of %d image tokens in %.0f ms", kept, native, 1000 * seconds)

    def reused(self, images: int) -> None:
        """Images that the processor's cache held."""
        self._count("images_reused", images)

    def observe(self, name: str, value: float | int) -> None:
        """One value of a histogram."""
        if not self._off:
            self._histograms[name].observe(value)

    def _count(self, name: str, value: int) -> None:
        if not self._off:
            self._counters[name].inc(value)

    @property
    def _off(self) -> bool:
        return getattr(self._here, "paused", False)


METER = Meter()
