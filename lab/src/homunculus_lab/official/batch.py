# pyright: basic
"""One row at one budget on one task: lmms-eval asks and scores, we note what images cost."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import torch

from homunculus.lazy import need
from homunculus_lab.inside import INSIDE
from homunculus_lab.official.rows import RESIZE


def batch(model: Any, task: str, tasks: Any, limit: int | None) -> dict[str, Any]:
    """Official metrics as lmms-eval reports them, scores of every document, and the cost."""
    evaluator = need("lmms_eval.evaluator", "official", "homunculus measure --model", "lab")
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    output = evaluator.simple_evaluate(
        model=model, tasks=[task], task_manager=tasks, limit=limit, log_samples=True,
        bootstrap_iters=0, process_docs_parallel=1,
    )  # fmt: skip
    official = metrics(output["results"][task])
    samples = sorted(output["samples"][task], key=lambda entry: entry["doc_id"])
    columns = [name for name in official_names(output["results"][task]) if _all(samples, name)]
    if not columns:
        raise ValueError(
            f"{task}: no metric of it is a number for every document, so nothing can be paired."
        )
    rows = [
        [
            sample["doc_id"],
            model.known[task, sample["doc_id"]].image,
            [score(sample[c]) for c in columns],
        ]
        for sample in samples
    ]
    return {"official": official, "columns": columns, "rows": rows, "cost": cost(model)}


def official_names(results: Mapping[str, Any]) -> list[str]:
    """Metrics of a task in its order; lmms-eval writes `metric,filter`."""
    names = [name.partition(",")[0] for name in results if "," in name]
    return [name for name in dict.fromkeys(names) if "_stderr" not in name]


def metrics(results: Mapping[str, Any]) -> dict[str, float]:
    """The metrics that are numbers, unchanged.

    >>> metrics({"alias": "a", "anls,none": 0.5, "anls_stderr,none": 0.1, "submission,none": None})
    {'anls': 0.5}
    """
    named = {name: name.partition(",")[0] for name in results if "," in name}
    return {
        short: float(results[name])
        for name, short in named.items()
        if "_stderr" not in short and isinstance(results[name], int | float)
    }


def score(value: Any) -> float | None:
    """A document's score; some tasks wrap it in a record."""
    value = value.get("score") if isinstance(value, Mapping) else value
    return float(value) if isinstance(value, int | float) else None


def _all(samples: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether every document has a number: parts of a task are scored for some alone."""
    return all(score(sample.get(name)) is not None for sample in samples)


# ---- cost ----------------------------------------------------------------------------------------


def cost(model: Any) -> dict[str, Any]:
    """Means over documents or images."""
    answers, way = list(model.answers.values()), model.runner.way
    pairs = [pair for answer in answers for pair in zip(answer.kept, answer.of, strict=True)]
    for kept, native in pairs:
        most = native if way.tokens is None else min(way.tokens, native)
        if (
            way.method in INSIDE
        ):  # a mean over layers, which an image of many tokens may not be able to reach
            continue
        if kept > most or (kept < most and way.method != RESIZE):
            raise RuntimeError(f"an image of {native} tokens kept {kept}, not {most}: a fault.")
    means = {
        "seconds": fmean(answer.seconds for answer in answers),
        "scout": fmean(answer.scout for answer in answers),
        "prompt": fmean(answer.prompt for answer in answers),
    }
    if pairs:
        means["tokens"] = fmean(kept for kept, _ in pairs)
        means["native"] = fmean(native for _, native in pairs)
    means["images"] = len(pairs)
    if torch.cuda.is_available():
        means["peak_bytes"] = torch.cuda.max_memory_allocated()
    return means
