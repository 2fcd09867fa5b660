# pyright: basic
"""Time and memory of one request, by part.

Seconds are CPU time of the process: on one thread they equal wall time on an idle machine, and
other load does not change them.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import process_time
from typing import Any


@dataclass(frozen=True)
class Request:
    """Seconds of one request from an image to the first token, its image tokens and cache."""

    processor: float
    """Resizing, normalising and patching by the model family's own processor."""
    tower: float
    choice: float
    """All else before the language model: positions, selection, packing, kept pixels."""
    prefill: float
    """The language model, up to the first token."""
    kept: int
    """Image tokens in its prompt."""
    cache: int
    """Bytes of keys and values."""

    @property
    def model(self) -> float:
        """Seconds without the processor."""
        return self.tower + self.choice + self.prefill

    @property
    def total(self) -> float:
        """Seconds of the whole request."""
        return self.processor + self.model


@dataclass(frozen=True, eq=False)
class Stopwatch:
    """Adds up the seconds of each part of a request."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time everything inside as this part."""
        start = process_time()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + process_time() - start

    def time_tower(self, tower: Any) -> None:
        """Time calls of a module as the part `tower`."""
        start: list[float] = []
        tower.register_forward_pre_hook(lambda *_: start.append(process_time()))
        tower.register_forward_hook(lambda *_: self._add_tower(process_time() - start.pop()))

    def _add_tower(self, seconds: float) -> None:
        self.seconds["tower"] = self.seconds.get("tower", 0.0) + seconds

    def request(self, model: Any, inputs: Callable[[], Mapping[str, Any]]) -> Request:
        """Time one request; `inputs` makes the inputs of the model."""
        self.seconds.clear()
        start = process_time()
        model_inputs = inputs()
        ready, early = process_time(), self.seconds.get("tower", 0.0)
        output = model.generate(**model_inputs, max_new_tokens=1, return_dict_in_generate=True)
        end, tower = process_time(), self.seconds.get("tower", 0.0)
        processor = self.seconds["processor"]
        return Request(
            processor,
            tower,
            ready - start - processor - early,
            end - ready - (tower - early),
            int((model_inputs["input_ids"] == model.config.image_token_id).sum()),
            cache_bytes(output.past_key_values),
        )


def cache_bytes(cache: Any) -> int:
    """Bytes of all keys and values."""
    return sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
