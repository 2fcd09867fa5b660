# pyright: basic
"""Where the time and the memory of one request go.

Seconds are the processor's own: on one thread they are what a clock on the wall shows when nobody
else is there, and who else is there does not stop them.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import process_time
from typing import Any


@dataclass(frozen=True)
class Request:
    """Seconds of one request from an image to the first token, and what it left behind."""

    processor: float
    """Pixels resized, normalised, cut into patches: the family's own."""
    tower: float
    choice: float
    """All else before the language model: positions, selection, packing, pixels of the chosen."""
    prefill: float
    """The language model, up to the first token."""
    kept: int
    """Image tokens in its prompt."""
    cache: int
    """Bytes of keys and values."""

    @property
    def model(self) -> float:
        """Without the processor."""
        return self.tower + self.choice + self.prefill

    @property
    def total(self) -> float:
        """From the image on."""
        return self.processor + self.model


@dataclass(frozen=True, eq=False)
class Watch:
    """Adds up seconds of the parts that are passed through."""

    spent: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Everything inside counts for this part."""
        start = process_time()
        try:
            yield
        finally:
            self.spent[name] = self.spent.get(name, 0.0) + process_time() - start

    def over(self, tower: Any) -> None:
        """Count a module's calls as the tower."""
        start: list[float] = []
        tower.register_forward_pre_hook(lambda *_: start.append(process_time()))
        tower.register_forward_hook(lambda *_: self._left(process_time() - start.pop()))

    def _left(self, seconds: float) -> None:
        self.spent["tower"] = self.spent.get("tower", 0.0) + seconds

    def request(self, model: Any, inputs: Callable[[], Mapping[str, Any]]) -> Request:
        """Time one: `inputs` makes what goes into the model."""
        self.spent.clear()
        start = process_time()
        given = inputs()
        ready, early = process_time(), self.spent.get("tower", 0.0)
        made = model.generate(**given, max_new_tokens=1, return_dict_in_generate=True)
        end, tower = process_time(), self.spent.get("tower", 0.0)
        processor = self.spent["processor"]
        return Request(
            processor,
            tower,
            ready - start - processor - early,
            end - ready - (tower - early),
            int((given["input_ids"] == model.config.image_token_id).sum()),
            kept_bytes(made.past_key_values),
        )


def kept_bytes(cache: Any) -> int:
    """Of all keys and values."""
    return sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
