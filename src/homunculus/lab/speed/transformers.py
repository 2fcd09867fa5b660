# pyright: basic
"""Requests with exactly K image tokens beside the untouched model, in one process, in turns.

The model has the shape of a real one and random weights. A request runs from a decoded image to
the first token. Relevance is given as a map; what the word scout costs is told by itself.
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

from homunculus.core.pipeline import Sight
from homunculus.engines.select import search
from homunculus.engines.transformers import attach
from homunculus.engines.transformers.conversation import ImageQuestion
from homunculus.engines.transformers.engine import Engine
from homunculus.lab.measure.report import provenance
from homunculus.lab.speed.model import QUESTION, QWEN3_VL_2B, Scale, build, page, processor
from homunculus.lab.speed.profile import Request, Watch
from homunculus.lab.speed.timing import FRESH, one_thread, peak

Tell = Callable[[str], None] | None
WORDS = "What is the total amount due?"
LONG = 10.0
"""A run of more seconds is its own warm-up, and taken in every third turn only."""
WAYS: tuple[tuple[str, Literal["before", "after"], bool], ...] = (
    ("foveated", "before", True),
    ("grid", "before", True),
    ("foveated", "before", False),
    ("grid", "before", False),
    ("foveated", "after", False),
)
"""Method, where, and whether patches are embedded by the fast linear form."""


@dataclass(frozen=True, eq=False)
class Stand:
    """The model, its processor and a watch over both."""

    scale: Scale
    model: Any
    processor: Any
    watch: Watch

    @staticmethod
    def of(scale: Scale) -> "Stand":
        """Built once for all that is measured."""
        watch = Watch()
        model = build(scale)
        watch.over(model.base_model.visual)
        return Stand(scale, model, processor(scale, watch), watch)

    @property
    def cell(self) -> int:
        """Pixels of a token's side."""
        return self.scale.sight["patch_size"] * self.scale.sight["spatial_merge_size"]

    def engine(self, method: str, where: Any, fast: bool) -> Engine:
        """An engine as a user attaches it, told where to look."""
        maps, turn = _maps(), iter(range(10**9))
        return attach(
            self.model, self.processor, tokens=self.scale.tokens, method=method, where=where,
            fast=fast, scout=lambda *_: Sight(maps[next(turn) % FRESH], sure=1.0),
        )  # fmt: skip

    def untouched(self, image: Any, turn: int) -> Request:
        """A request without an engine."""
        fresh = _fresh(image, turn)
        ask = partial(self.processor.apply_chat_template, [_talk(fresh)])
        return self.watch.request(self.model, ask)

    def engaged(self, engine: Engine, image: Any, turn: int) -> Request:
        """A request through an engine, on an image that no memory knows."""
        fresh = _fresh(image, turn)
        return self.watch.request(self.model, partial(engine.prepare, _talk(fresh)))


def _maps() -> list[torch.Tensor]:
    """Smooth hills, other ones each turn."""
    hills = torch.randn(FRESH, 1, 6, 8, generator=torch.Generator().manual_seed(0))
    return list(F.interpolate(4 * hills, (48, 64), mode="bicubic")[:, 0])


def _talk(image: Any) -> list[dict[str, Any]]:
    parts = [{"type": "image", "image": image}, {"type": "text", "text": WORDS}]
    return [{"role": "user", "content": parts}]


def _fresh(image: Any, turn: int) -> Any:
    """The same but for one pixel; bytes of a file are as they are."""
    if isinstance(image, bytes):
        return image
    image = image.copy()
    image.putpixel((0, 0), (turn % 256, 0, 0))
    return image


def requests(repeats: int = 3, progress: Tell = None, scale: Scale = QWEN3_VL_2B) -> dict[str, Any]:
    """Requests by native tokens, method and place; then by megapixels."""
    with one_thread(), torch.inference_mode():
        source = provenance()
        source["versions"]["transformers"] = version("transformers")
        stand = Stand.of(scale)
        config = stand.model.config
        return {
            "shape": f"{scale.name}, {config.text_config.num_hidden_layers} layers and "
            f"{config.vision_config.depth} in the tower, bfloat16, random weights",
            "weight_bytes": sum(weight.nbytes for weight in stand.model.parameters()),
            "text_tokens": QUESTION + 2,
            "threads": 1,
            "repeats": repeats,
            "repeats_of_long": 1 + repeats // 3,
            "clock": "seconds of the processor, one thread",
            "rows": _rows(stand, repeats, progress),
            "flat": _flat(stand, repeats, progress),
            **source,
        }


# ---- rows: native tokens x method x place --------------------------------------------------------


Run = Callable[[int], Request]


def _rows(stand: Stand, repeats: int, progress: Tell) -> list[dict[str, Any]]:
    high, wide = (side * stand.cell for side in stand.scale.bare)
    runs: dict[Any, Run] = {"bare": partial(stand.untouched, page(high, wide))}
    for native in stand.scale.natives:
        image = page(*(side * stand.cell for side in native))
        runs[native] = partial(stand.untouched, image)
        for way in WAYS:
            runs[native, way] = partial(stand.engaged, stand.engine(*way), image)
    found, peaks = _taken(runs, repeats, progress)
    scouted = {native: _scouted(stand, native, repeats) for native in stand.scale.natives}
    out = []
    for native in stand.scale.natives:
        for way in WAYS:
            told = _row(found[native, way], found[native], found["bare"], scouted[native])
            method, where, fast = way
            named = {"native_tokens": native[0] * native[1], "method": method, "where": where}
            sizes = {"peak_bytes": peaks[native, way], "peak_bytes_untouched": peaks[native]}
            out.append({**named, "fast": fast, **told, **sizes})
    return out


def _taken(
    runs: Mapping[Any, Run], repeats: int, progress: Tell
) -> tuple[dict[Any, list[Request]], dict[Any, int | None]]:
    """Requests of each run, in turns; the first turn warms up and tells the memory needed."""
    found: dict[Any, list[Request]] = {name: [] for name in runs}
    peaks, long = {}, set()
    for turn in range(repeats + 1):
        for name, run in runs.items():
            if name in long and turn % 3:
                continue
            if progress:
                progress(f"turn {turn} of {repeats}, {name}")
            if turn:
                found[name].append(run(turn))
                continue
            first, peaks[name] = peak(partial(run, turn))
            if first.total > LONG:
                long.add(name)
                found[name].append(first)
    return found, peaks


def _row(
    ours: Sequence[Request], theirs: Sequence[Request], bare: Sequence[Request], scout: float
) -> dict[str, Any]:
    total = _mid(ours, "total")
    (kept,) = {one.kept for one in ours}
    mine, other = [one.total for one in ours], [one.total for one in theirs]
    return {
        "kept": kept,
        "prefill_ratio_bare": round(_mid(ours, "prefill") / _mid(bare, "prefill"), 3),
        "request_ratio_bare": round(total / _mid(bare, "total"), 3),
        "request_speedup": round(_mid(theirs, "total") / total, 2),
        "request_speedup_range": [
            round(min(other) / max(mine), 2),
            round(max(other) / min(mine), 2),
        ],
        "request_speedup_after_processor": round(_mid(theirs, "model") / _mid(ours, "model"), 2),
        "selection_share": _share(ours, "choice"),
        "processor_share": _share(ours, "processor"),
        "tower_share": _share(ours, "tower"),
        "prefill_share": _share(ours, "prefill"),
        "scout_share": round(scout / (scout + total), 4),
        "kv_bytes": ours[0].cache,
        "kv_bytes_untouched": theirs[0].cache,
    }


def _mid(found: Sequence[Request], part: str) -> float:
    return median(getattr(one, part) for one in found)


def _share(found: Sequence[Request], part: str) -> float:
    return round(median(getattr(one, part) / one.total for one in found), 4)


def _scouted(stand: Stand, native: tuple[int, int], repeats: int) -> float:
    """Median seconds of the word scout on a page that it has not seen."""
    image = page(*(side * stand.cell for side in native))
    engine = attach(stand.model, stand.processor, tokens=stand.scale.tokens)
    times = []
    for turn in range(repeats + 1):
        shown = ImageQuestion(_fresh(image, turn), WORDS, 0)
        start = process_time()
        search(shown.image, shown.question, engine.method, engine.scout)
        times.append(process_time() - start)
    return median(times[1:])


# ---- flat: the same budget on ever larger images -------------------------------------------------


def _flat(stand: Stand, repeats: int, progress: Tell) -> list[dict[str, Any]]:
    """Request times at one budget as ratios to the second smallest image, decoded and as JPEG."""
    many = stand.scale.megapixels
    engine = stand.engine("foveated", "before", fast=True)
    runs: dict[Any, Run] = {}
    for size in many:
        image = page(*_sides(size))
        file = BytesIO()
        image.save(file, "JPEG", quality=90)
        for kind, source in (("image", image), ("jpeg", file.getvalue())):
            runs[size, kind] = partial(stand.engaged, engine, source)
    found, peaks = _taken(runs, repeats, progress)
    middle = many[min(1, len(many) - 1)]
    out = []
    for size in many:
        ours, decoded = found[size, "image"], found[size, "jpeg"]
        high, wide = (round(side / stand.cell) for side in _sides(size))
        ratios = [
            _mid(one, "total") / _mid(found[middle, kind], "total")
            for kind, one in (("image", ours), ("jpeg", decoded))
        ]
        row = {
            "megapixels": size, "native_tokens": high * wide, "kept": ours[0].kept,
            "against_megapixels": middle, "request_ratio": round(ratios[0], 3),
            "request_ratio_with_decoding": round(ratios[1], 3),
            "processor_share": _share(ours, "processor"),
            "selection_share": _share(ours, "choice"), "peak_bytes": peaks[size, "image"],
        }  # fmt: skip
        out.append(row)
    return out


def _sides(megapixels: float | int) -> tuple[int, int]:
    """Height and width at 3 : 4."""
    return round((megapixels * 0.75e6) ** 0.5), round((megapixels / 0.75 * 1e6) ** 0.5)


# ---- text ----------------------------------------------------------------------------------------

COLUMNS = {
    "native_tokens": "native", "kept": "kept", "method": "method", "where": "where",
    "fast": "fast", "prefill_ratio_bare": "prefill/bare", "request_speedup": "speed-up",
    "selection_share": "selection", "scout_share": "scout", "kv_bytes": "kv bytes",
}  # fmt: skip


def table(result: dict[str, Any]) -> str:
    """Rows as text."""
    lines = [result["shape"], "".join(f"{head:>13}" for head in COLUMNS.values())]
    lines += ["".join(f"{row[name]!s:>13}" for name in COLUMNS) for row in result["rows"]]
    lines.append("request time by megapixels: decoded, with decoding")
    for row in result["flat"]:
        ratios = row["request_ratio"], row["request_ratio_with_decoding"]
        lines.append(f"{row['megapixels']:>13}" + "".join(f"{ratio:>13}" for ratio in ratios))
    return "\n".join(lines)
