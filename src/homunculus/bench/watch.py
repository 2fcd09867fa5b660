# pyright: basic
"""Where the time and the memory of one request go."""

import ctypes
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

SELF = Path("/proc/self")


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
        start = perf_counter()
        try:
            yield
        finally:
            self.spent[name] = self.spent.get(name, 0.0) + perf_counter() - start

    def over(self, tower: Any) -> None:
        """Count a module's calls as the tower."""
        start: list[float] = []
        tower.register_forward_pre_hook(lambda *_: start.append(perf_counter()))
        tower.register_forward_hook(lambda *_: self._left(perf_counter() - start.pop()))

    def _left(self, seconds: float) -> None:
        self.spent["tower"] = self.spent.get("tower", 0.0) + seconds

    def request(self, model: Any, inputs: Callable[[], Mapping[str, Any]]) -> Request:
        """Time one: `inputs` makes what goes into the model."""
        self.spent.clear()
        start = perf_counter()
        given = inputs()
        ready, early = perf_counter(), self.spent.get("tower", 0.0)
        made = model.generate(**given, max_new_tokens=1, return_dict_in_generate=True)
        end, tower = perf_counter(), self.spent.get("tower", 0.0)
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


def peak(run: Callable[[], Any]) -> int | None:
    """Bytes that a run needs beyond what was there; None where a system does not tell."""
    try:
        ctypes.CDLL(None).malloc_trim(0)  # what is free but not given back would hide what is asked
        (SELF / "clear_refs").write_text("5")  # the highest mark starts anew
        before = _status("VmRSS")
    except (OSError, AttributeError):
        run()
        return None
    run()
    return _status("VmHWM") - before


def _status(name: str) -> int:
    lines = (SELF / "status").read_text().splitlines()
    (found,) = [line for line in lines if line.startswith(f"{name}:")]
    return int(found.split()[1]) * 1024
