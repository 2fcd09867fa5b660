# pyright: basic
"""`homunculus bench batch`: rows a second and memory of `homunculus batch`, and cost of a page.

Pages are those of the suites that HOMUNCULUS_DATA names, repeated until there are enough rows.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Any

from homunculus.batch.job import TIMES
from homunculus.eyes.provenance import provenance
from homunculus.lazy import need
from homunculus.pages import open_picture

TOKENS = 64
SUITES = ("sroie", "icdar2015", "chartqa_owid", "coco_open", "local/docvqa_gaze")
ROWS_PER_PICTURE = 25
MAX_COST_PICTURES = 24
WARM_ROWS = 500
"""Rows after which the memory of a worker is compared with its memory at the end."""
ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0", "OMP_NUM_THREADS": "1"}
Row = dict[str, str]


def measure(rows: int, say: Callable[[str], None]) -> dict[str, Any]:
    """CPU seconds of up to 24 pages, then plans for ``rows`` rows, 25 to a picture."""
    pictures = max(4, rows // ROWS_PER_PICTURE)
    result = {"tokens": TOKENS, "model": "qwen3-vl", "token_px": 32, **provenance()}
    with tempfile.TemporaryDirectory(prefix="bench-batch-") as room:
        result["cost"] = _cost(min(pictures, MAX_COST_PICTURES), say)
        result["plans"] = _plans(Path(room), rows, pictures, say)
    return result


def _suite_rows(rows: int, pictures: int) -> list[Row]:
    """Questions about that many pictures of all suites, repeated; those of a picture in a row."""
    root = Path(os.environ.get("HOMUNCULUS_DATA", ""))
    questions: dict[str, list[str]] = defaultdict(list)
    for suite in SUITES:
        for line in (root / suite / "qa.jsonl").read_text("utf-8").splitlines():
            entry = json.loads(line)
            questions[f"{suite}/images/{entry['image']}"].append(entry["question"])
    names = sorted(questions)
    chosen = random.Random(0).sample(names, min(pictures, len(names)))
    each = -(-rows // len(chosen))
    pairs = ((name, text) for name in chosen for text in islice(cycle(questions[name]), each))
    return [{"image": name, "question": text} for name, text in islice(pairs, rows)]


# ---- cost of a page ------------------------------------------------------------------------------


def _cost(pictures: int, say: Callable[[str], None]) -> dict[str, Any]:
    """CPU seconds of a new picture and of a further question on it, by one thread; bytes of files.

    CPU time hardly depends on who else uses the machine.
    """

    from homunculus.views import MAX_EDGE, Planner

    root, spent = Path(os.environ["HOMUNCULUS_DATA"]), defaultdict(list)
    rows = _suite_rows(2 * pictures, pictures)
    for number, row in enumerate(rows):
        say(f"cost of {row['image']}")
        path = root / row["image"]
        marks = [time.process_time()]
        picture = open_picture(path, longest=MAX_EDGE)
        marks.append(time.process_time())
        planner = Planner(picture, row["question"], label=False)
        marks.append(time.process_time())
        views = planner.views(TOKENS)
        marks.append(time.process_time())
        spent["file_bytes"].append(path.stat().st_size)
        spent["request_bytes"].append(len(json.dumps(views.openai())))
        spent["tokens"].append(views.tokens)
        spent["untouched"].append(views.to_json()["untouched"])
        kind = "further" if number % 2 else "new"
        for name, (start, end) in zip(("open", "scout", "plan"), pairwise(marks), strict=True):
            spent[f"{kind}_{name}_seconds"].append(end - start)
    means = {name: round(sum(values) / len(values), 4) for name, values in spent.items()}
    return {"pictures": len(rows) // 2, **means}


# ---- plans by one worker and by two --------------------------------------------------------------


def _plans(room: Path, rows: int, pictures: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Rows a second with one worker and with two, and memory."""
    source = room / "rows.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in _suite_rows(rows, pictures)))
    result: dict[str, Any] = {"rows": rows, "pictures": pictures}
    for workers in (1, 2):
        say(f"plans, {workers} workers")
        before = _load()
        events = _run(source, room / f"out{workers}", workers)
        end = events[-1]
        result[f"workers{workers}"] = {
            **end["run"], "worker_seconds": end["worker_seconds"], "memory": _memory(events),
            "errors": end["errors"], "bill": end["bill"], "load": [before, _load()],
        }  # fmt: skip
    result["same"] = _content(room / "out1") == _content(room / "out2")
    speeds = [result[f"workers{workers}"]["rows_per_second"] for workers in (1, 2)]
    result["speed_up"] = round(speeds[1] / speeds[0], 3)
    size = sum(path.stat().st_size for path in (room / "out1").glob("part-*"))
    return result | {"bytes_per_row": size // rows}


def _run(source: Path, out: Path, workers: int) -> list[dict[str, Any]]:
    """All events of a run in a process of its own, which must end well."""
    flags = ["--tokens", str(TOKENS), "--images", os.environ["HOMUNCULUS_DATA"], "--json"]
    flags += ["--workers", str(workers)]
    command = [sys.executable, "-m", "homunculus", "batch", str(source), str(out), *flags]
    process = subprocess.run(
        command, env=os.environ | ENVIRONMENT, capture_output=True, text=True, check=False
    )
    if process.returncode:
        raise RuntimeError(f"batch ended with {process.returncode}: {process.stderr[-2000:]}")
    return [json.loads(line) for line in process.stdout.splitlines() if line]


def _content(out: Path) -> list[dict[str, Any]]:
    """All rows without what differs from run to run, by ID."""
    parquet = need("pyarrow.parquet", extra="batch", who="homunculus bench batch")
    rows = [row for path in out.glob("part-*") for row in parquet.read_table(path).to_pylist()]
    kept = [{key: row[key] for key in row if key not in TIMES} for row in rows]
    return sorted(kept, key=lambda row: row["id"])


def _memory(events: list[dict[str, Any]]) -> dict[str, Any]:
    """MB of each worker once it is warm: first, last, and the change.

    Its own memory; pages that it shares with others, such as those of Ray's store, stand beside it.
    """
    by_worker: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        if event["event"] == "progress" and event["rows"] + event["in_hand"] >= WARM_ROWS:
            by_worker[str(event["worker"]["pid"])].append(event["worker"])
    rows = {}
    for pid, (first, *_, last) in ((pid, held) for pid, held in by_worker.items() if len(held) > 1):
        own = [worker["resident"] - worker["shared"] >> 20 for worker in (first, last)]
        rows[pid] = {
            "first": own[0], "last": own[1], "change": round(own[1] / own[0] - 1, 4),
            "shared": [first["shared"] >> 20, last["shared"] >> 20],
            "cpu_seconds": last["cpu_seconds"],
        }  # fmt: skip
    return rows


def _load() -> float:
    """Load average of the last minute; above 2, other work disturbed the measurement."""
    return round(os.getloadavg()[0], 2)
