# pyright: basic
"""Memory of a process that puts views in place of ever new pictures, as the hook for LiteLLM does.

Every picture has another size and other words, so nothing that is kept of one serves the next. The
same pictures go through a process with bounds (`homunculus.scouts.memory`) and one without.
"""

import io
import random
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any

from homunculus.eyes.provenance import provenance
from homunculus.pages import to_data_uri
from homunculus.scouts.memory import bound_memory
from homunculus.serve import Rewriter
from homunculus.serve.rewrite import warm
from homunculus_lab.speed.load import question
from homunculus_lab.speed.model import page
from homunculus_lab.speed.timing import resident

Progress = Callable[[str], None] | None


@dataclass(frozen=True)
class MemoryPlan:
    """Pictures of the measurement."""

    pictures: int = 300
    parts: int = 6
    """After each of which memory is read."""
    threads: int = 2
    """In which views are made."""
    sides: tuple[int, int] = (200, 1400)
    """The least and the largest of a picture, in pixels."""
    tokens: int = 100


def measure(
    repeats: int = 0, progress: Progress = None, plan: MemoryPlan | None = None
) -> dict[str, Any]:
    """The same pictures with bounds and without; ``repeats`` is their number."""
    plan = plan or MemoryPlan()
    plan = replace(plan, pictures=repeats or plan.pictures)
    rows, source = dict[str, Any](), provenance()
    for name in ("bounded", "unbounded"):
        if progress:
            progress(f"{plan.pictures} pictures, {name}")
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            rows[name] = process.submit(run, plan, name == "bounded").result()
    return {"plan": vars(plan), "rows": rows, **source}


def run(plan: MemoryPlan, bounded: bool) -> dict[str, Any]:
    """Resident megabytes of this process before the first picture and after each part of them."""
    if bounded:
        bound_memory()
    rewriter = Rewriter(plan.tokens)
    warm(rewriter)

    def shown(number: int) -> int:
        """Views of a picture that is drawn here: a queue of them would count as memory."""
        return rewriter.request(request(number, plan.sides))[1].pictures

    mib, failed = [resident() >> 20], 0
    with ThreadPoolExecutor(plan.threads) as pool:
        for part in range(plan.parts):
            first, last = (plan.pictures * (part + at) // plan.parts for at in (0, 1))
            failed += list(pool.map(shown, range(first, last))).count(0)
            mib.append(resident() >> 20)
    return {"resident_mib": mib, "failed": failed}


def request(number: int, sides: tuple[int, int]) -> dict[str, Any]:
    """A request with a picture and a question that no other number has."""
    lot, file = random.Random(number), io.BytesIO()
    page(lot.randint(*sides), lot.randint(*sides)).save(file, "PNG", compress_level=1)
    parts = [
        {"type": "image_url", "image_url": {"url": to_data_uri(file.getvalue())}},
        {"type": "text", "text": question(number)},
    ]
    return {"model": "gpt-6", "messages": [{"role": "user", "content": parts}]}


def table(result: dict[str, Any]) -> str:
    """The figures as text."""
    plan = result["plan"]
    after = [plan["pictures"] * part // plan["parts"] for part in range(plan["parts"] + 1)]
    lines = [f"resident MiB after {', '.join(map(str, after))} pictures"]
    lines += [
        f"{name:>10}: {', '.join(map(str, row['resident_mib']))}"
        for name, row in result["rows"].items()
    ]
    return "\n".join(lines)
