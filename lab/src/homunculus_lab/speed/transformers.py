# pyright: basic
"""Requests with exactly K image tokens compared with the untouched model, in one process, in turns.

The model has the shape of a real one and random weights. A request runs from a decoded image to
the first token. Relevance is given as a map; the word scout is timed separately.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from io import BytesIO
from statistics import median
from time import process_time
from typing import Any, Literal

import torch
import torch.nn.functional as F

from homunculus.engines.select import search
from homunculus.engines.transformers import attach
from homunculus.engines.transformers.conversation import ImageQuestion
from homunculus.engines.transformers.engine import Engine
from homunculus.eyes.provenance import provenance
from homunculus.scouts.sight import Map, Sight
from homunculus_lab.speed.model import QUESTION, QWEN3_VL_2B, Scale, build, page, processor
from homunculus_lab.speed.profile import Request, Stopwatch
from homunculus_lab.timing import FRESH, one_thread, peak

Progress = Callable[[str], None] | None
WORDS = "What is the total amount due?"
LONG = 10.0
"""A run of more seconds needs no warm-up, and runs in every third turn only."""
WAYS: tuple[tuple[str, Literal["before", "after"], bool], ...] = (
    ("foveated", "before", True),
    ("grid", "before", True),
    ("foveated", "before", False),
    ("grid", "before", False),
    ("foveated", "after", False),
)
"""Method, where, and whether patches are embedded by the fast linear form."""


@dataclass(frozen=True, eq=False)
class TimedModel:
    """The model, its processor and a stopwatch on both."""

    scale: Scale
    model: Any
    processor: Any
    watch: Stopwatch

    @staticmethod
    def build(scale: Scale) -> "TimedModel":
        """Built once for all measurements."""
        watch = Stopwatch()
        model = build(scale)
        watch.time_tower(model.base_model.visual)
        return TimedModel(scale, model, processor(scale, watch), watch)

    @property
    def cell(self) -> int:
        """Pixels along the side of a token."""
        return self.scale.vision["patch_size"] * self.scale.vision["spatial_merge_size"]

    def engine(self, method: str, where: Any, fast: bool) -> Engine:
        """An engine as a user attaches it, with given relevance maps."""
        maps, turn = _maps(), iter(range(10**9))
        return attach(
            self.model, self.processor, tokens=self.scale.tokens, method=method, where=where,
            fast=fast, scout=lambda *_: Sight(maps[next(turn) % FRESH], sure=1.0),
        )  # fmt: skip

    def untouched(self, image: Any, turn: int) -> Request:
        """A request without an engine."""
        fresh = _fresh(image, turn)
        ask = partial(self.processor.apply_chat_template, [_conversation(fresh)])
        return self.watch.request(self.model, ask)

    def with_engine(self, engine: Engine, image: Any, turn: int) -> Request:
        """A request through an engine, on an image that no cache holds."""
        fresh = _fresh(image, turn)
        return self.watch.request(self.model, partial(engine.prepare, _conversation(fresh)))


def _maps() -> list[Map]:
    """Smooth relevance maps, another one each turn."""
    hills = torch.randn(FRESH, 1, 6, 8, generator=torch.Generator().manual_seed(0))
    return list(F.interpolate(4 * hills, (48, 64), mode="bicubic")[:, 0].numpy())


def _conversation(image: Any) -> list[dict[str, Any]]:
    parts = [{"type": "image", "image": image}, {"type": "text", "text": WORDS}]
    return [{"role": "user", "content": parts}]


def _fresh(image: Any, turn: int) -> Any:
    """A copy of the image with one pixel changed; the bytes of a file stay as they are."""
    if isinstance(image, bytes):
        return image
    image = image.copy()
    image.putpixel((0, 0), (turn % 256, 0, 0))
    return image


def measure(
    repeats: int = 3, progress: Progress = None, scale: Scale = QWEN3_VL_2B
) -> dict[str, Any]:
    """Requests by native tokens, method and `where`; then by megapixels."""
    with one_thread(), torch.inference_mode():
        source = provenance()
        source["versions"]["transformers"] = version("transformers")
        bench = TimedModel.build(scale)
        config = bench.model.config
        return {
            "shape": f"{scale.name}, {config.text_config.num_hidden_layers} layers and "
            f"{config.vision_config.depth} in the tower, bfloat16, random weights",
            "weight_bytes": sum(weight.nbytes for weight in bench.model.parameters()),
            "text_tokens": QUESTION + 2,
            "threads": 1,
            "repeats": repeats,
            "repeats_of_long": 1 + repeats // 3,
            "clock": "seconds of the processor, one thread",
            "rows": _rows(bench, repeats, progress),
            "flat": _flat(bench, repeats, progress),
            **source,
        }


# ---- rows: native tokens x method x where --------------------------------------------------------


TimedRun = Callable[[int], Request]


def _rows(bench: TimedModel, repeats: int, progress: Progress) -> list[dict[str, Any]]:
    high, wide = (side * bench.cell for side in bench.scale.bare)
    runs: dict[Any, TimedRun] = {"bare": partial(bench.untouched, page(high, wide))}
    for native in bench.scale.natives:
        image = page(*(side * bench.cell for side in native))
        runs[native] = partial(bench.untouched, image)
        for way in WAYS:
            runs[native, way] = partial(bench.with_engine, bench.engine(*way), image)
    times, peaks = _take_turns(runs, repeats, progress)
    scout = {native: _scout_seconds(bench, native, repeats) for native in bench.scale.natives}
    rows = []
    for native in bench.scale.natives:
        for way in WAYS:
            ratios = _row(times[native, way], times[native], times["bare"], scout[native])
            method, where, fast = way
            head = {"native_tokens": native[0] * native[1], "method": method, "where": where}
            sizes = {"peak_bytes": peaks[native, way], "peak_bytes_untouched": peaks[native]}
            rows.append({**head, "fast": fast, **ratios, **sizes})
    return rows


def _take_turns(
    runs: Mapping[Any, TimedRun], repeats: int, progress: Progress
) -> tuple[dict[Any, list[Request]], dict[Any, int | None]]:
    """Requests of each run, in turns; the first turn warms up and measures peak memory."""
    times: dict[Any, list[Request]] = {name: [] for name in runs}
    peaks, long = {}, set()
    for turn in range(repeats + 1):
        for name, run in runs.items():
            if name in long and turn % 3:
                continue
            if progress:
                progress(f"turn {turn} of {repeats}, {name}")
            if turn:
                times[name].append(run(turn))
                continue
            first, peaks[name] = peak(partial(run, turn))
            if first.total > LONG:
                long.add(name)
                times[name].append(first)
    return times, peaks


def _row(
    ours: Sequence[Request], theirs: Sequence[Request], bare: Sequence[Request], scout: float
) -> dict[str, Any]:
    total = _median(ours, "total")
    (kept,) = {request.kept for request in ours}
    mine, other = [request.total for request in ours], [request.total for request in theirs]
    return {
        "kept": kept,
        "prefill_ratio_bare": round(_median(ours, "prefill") / _median(bare, "prefill"), 3),
        "request_ratio_bare": round(total / _median(bare, "total"), 3),
        "request_speedup": round(_median(theirs, "total") / total, 2),
        "request_speedup_range": [
            round(min(other) / max(mine), 2),
            round(max(other) / min(mine), 2),
        ],
        "request_speedup_after_processor": round(
            _median(theirs, "model") / _median(ours, "model"), 2
        ),
        "selection_share": _share(ours, "choice"),
        "processor_share": _share(ours, "processor"),
        "tower_share": _share(ours, "tower"),
        "prefill_share": _share(ours, "prefill"),
        "scout_share": round(scout / (scout + total), 4),
        "kv_bytes": ours[0].cache,
        "kv_bytes_untouched": theirs[0].cache,
    }


def _median(requests: Sequence[Request], part: str) -> float:
    return median(getattr(request, part) for request in requests)


def _share(requests: Sequence[Request], part: str) -> float:
    return round(median(getattr(request, part) / request.total for request in requests), 4)


def _scout_seconds(bench: TimedModel, native: tuple[int, int], repeats: int) -> float:
    """Median seconds of the word scout on a new page."""
    image = page(*(side * bench.cell for side in native))
    engine = attach(bench.model, bench.processor, tokens=bench.scale.tokens)
    times = []
    for turn in range(repeats + 1):
        shown = ImageQuestion(_fresh(image, turn), WORDS, 0)
        start = process_time()
        search(shown.image, shown.question, engine.method, engine.scout)
        times.append(process_time() - start)
    return median(times[1:])


# ---- flat: the same budget on ever larger images -------------------------------------------------


def _flat(bench: TimedModel, repeats: int, progress: Progress) -> list[dict[str, Any]]:
    """Request times at one budget as ratios to the second smallest image, decoded and as JPEG."""
    megapixels = bench.scale.megapixels
    engine = bench.engine("foveated", "before", fast=True)
    runs: dict[Any, TimedRun] = {}
    for size in megapixels:
        image = page(*_sides(size))
        file = BytesIO()
        image.save(file, "JPEG", quality=90)
        for kind, source in (("image", image), ("jpeg", file.getvalue())):
            runs[size, kind] = partial(bench.with_engine, engine, source)
    times, peaks = _take_turns(runs, repeats, progress)
    reference = megapixels[min(1, len(megapixels) - 1)]
    rows = []
    for size in megapixels:
        ours, decoded = times[size, "image"], times[size, "jpeg"]
        high, wide = (round(side / bench.cell) for side in _sides(size))
        ratios = [
            _median(requests, "total") / _median(times[reference, kind], "total")
            for kind, requests in (("image", ours), ("jpeg", decoded))
        ]
        row = {
            "megapixels": size, "native_tokens": high * wide, "kept": ours[0].kept,
            "against_megapixels": reference, "request_ratio": round(ratios[0], 3),
            "request_ratio_with_decoding": round(ratios[1], 3),
            "processor_share": _share(ours, "processor"),
            "selection_share": _share(ours, "choice"), "peak_bytes": peaks[size, "image"],
        }  # fmt: skip
        rows.append(row)
    return rows


def _sides(megapixels: float | int) -> tuple[int, int]:
    """Height and width at 3 : 4."""
    return round((megapixels * 0.75e6) ** 0.5), round((megapixels / 0.75 * 1e6) ** 0.5)
