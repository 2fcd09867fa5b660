# pyright: basic
"""Counters on the server's own /metrics page, and a line in its log where somebody listens."""

import logging
from functools import cached_property
from typing import Any

from homunculus.engines.vllm.chosen import ANCHOR
from homunculus.extra import need

LOG = logging.getLogger("vllm.homunculus")


class Meter:
    """Counts what is kept, of how many, how long choosing took, and what was known already."""

    @cached_property
    def _counters(self) -> dict[str, Any]:
        kind = need("prometheus_client", "vllm", "homunculus.engines.vllm").Counter
        told = {
            "images": "Images whose tokens were chosen",
            "tokens_kept": "Tokens kept of them",
            "tokens_native": "Tokens that they would have cost",
            "selection_seconds": "Time spent on reading, scouting and choosing",
            "images_reused": "Images whose tokens were chosen before for the same question",
        }
        return {name: kind(f"homunculus:{name}", about) for name, about in told.items()}

    def chose(self, mine: dict[str, Any], unit: int, seconds: float) -> None:
        """After choosing for the images of one request."""
        kept = len(mine[ANCHOR])
        grids = mine["image_grid_thw"]
        native = int(grids.prod(-1).sum()) // unit
        found = {"images": len(grids), "tokens_kept": kept, "tokens_native": native}
        for name, value in (found | {"selection_seconds": seconds}).items():
            self._counters[name].inc(value)
        LOG.debug("kept %d of %d image tokens in %.0f ms", kept, native, 1000 * seconds)

    def reused(self, images: int) -> None:
        """Images that the processor's cache held."""
        self._counters["images_reused"].inc(images)


METER = Meter()
