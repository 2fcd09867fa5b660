# pyright: basic
"""`homunculus bench batch`: rows a second, memory and answers of `homunculus batch`.

Each part runs the command in processes of its own, on real pages of the suites that
HOMUNCULUS_DATA names, repeated until there are enough rows.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Any

from homunculus.eyes.provenance import provenance
from homunculus.lazy import need
from homunculus.pages import to_data_uri

WHO = "homunculus bench batch"
TOKENS = 64
SUITES = ("sroie", "icdar2015", "chartqa_owid", "coco_open", "local/docvqa_gaze")
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0", "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "ERROR", "VLLM_CPU_KVCACHE_SPACE": "1", "OMP_NUM_THREADS": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
}  # fmt: skip
ENGINE_ARGS = {
    "dtype": "float32", "max_model_len": 2048, "max_num_seqs": 16, "enforce_eager": True,
    "distributed_executor_backend": "vllm.v1.executor.uniproc_executor.UniProcExecutor",
}  # fmt: skip
TIMES = ("open_seconds", "scout_seconds", "plan_seconds", "answer_seconds", "tries")


def measure(
    rows: int,
    say: Callable[[str], None],
    parts: tuple[str, ...] = ("cost", "plans", "answers"),
) -> dict[str, Any]:
    """So many rows of plans, and up to 300 for the other parts; 25 rows to a picture."""
    every = {
        "cost": _cost,
        "plans": _plans,
        "answers": _answers,
        "hosts": _hosts,
    }
    result: dict[str, Any] = {"tokens": TOKENS, "model": "qwen3-vl", "token_px": 32, **provenance()}
    with tempfile.TemporaryDirectory(prefix="bench-batch-") as room:
        for name in parts:
            many = rows if name == "plans" else min(rows, 300)
            result[name] = every[name](Path(room) / name, many, max(4, many // 25), say)
    return result


def suite_rows(rows: int, images: int) -> list[dict[str, str]]:
    """Questions about so many pictures of all suites, repeated; those of a picture in a row."""
    root = Path(os.environ.get("HOMUNCULUS_DATA", ""))
    asked: dict[str, list[str]] = defaultdict(list)
    for suite in SUITES:
        for line in (root / suite / "qa.jsonl").read_text("utf-8").splitlines():
            told = json.loads(line)
            asked[f"{suite}/images/{told['image']}"].append(told["question"])
    names = sorted(asked)
    chosen = random.Random(0).sample(names, min(images, len(names)))
    each = -(-rows // len(chosen))
    pairs = ((name, text) for name in chosen for text in islice(cycle(asked[name]), each))
    return [{"image": name, "question": text} for name, text in islice(pairs, rows)]


def write_rows(path: Path, rows: list[dict[str, str]]) -> Path:
    """A table for `homunculus batch`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def start(source: Path, out: Path, *words: str, prefix: tuple[str, ...] = ()) -> subprocess.Popen:
    """A run in a process of its own."""
    usual = ["--tokens", str(TOKENS), "--images", os.environ["HOMUNCULUS_DATA"], "--json"]
    command = [sys.executable, "-m", "homunculus", "batch", str(source), str(out), *usual, *words]
    environment = os.environ | QUIET | ({"RAY_AUTH_MODE": "disabled"} if prefix else {})
    return subprocess.Popen(
        [*prefix, *command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def finish(run: subprocess.Popen) -> list[dict[str, Any]]:
    """All events of a run that must end well."""
    said, wrong = run.communicate()
    if run.returncode:
        raise RuntimeError(f"batch ended with {run.returncode}: {wrong[-2000:]}")
    return [json.loads(line) for line in said.splitlines() if line]


def content(out: Path) -> list[dict[str, Any]]:
    """All rows without what differs from run to run, by ID."""
    parquet = need("pyarrow.parquet", extra="batch", who=WHO)
    rows = [
        row for one in out.glob("part-*.parquet") for row in parquet.read_table(one).to_pylist()
    ]
    kept = [{key: row[key] for key in row if key not in TIMES} for row in rows]
    return sorted(kept, key=lambda row: row["id"])


def memory(events: list[dict[str, Any]], after: int = 500) -> dict[str, Any]:
    """MB of each worker from so many rows on: first, last, and the change.

    Its own memory; pages that it shares with others, such as those of Ray's store, stand beside it.
    """
    seen: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in events:
        if one["event"] == "progress" and one["rows"] + one["in_hand"] >= after:
            worker = one["worker"]
            seen[str(worker["pid"])].append(
                {
                    "own": worker["resident"] - worker["shared"] >> 20,
                    "shared": worker["shared"] >> 20,
                    "cpu_seconds": worker["cpu_seconds"],
                }
            )
    return {
        pid: {
            "first": held[0]["own"],
            "last": held[-1]["own"],
            "change": round(held[-1]["own"] / held[0]["own"] - 1, 4),
            "shared": [held[0]["shared"], held[-1]["shared"]],
            "cpu_seconds": held[-1]["cpu_seconds"],
        }
        for pid, held in seen.items()
        if len(held) > 1
    }


def load() -> float:
    """Processes that want a core, over the last minute: above 2 others were measured, too."""
    return round(os.getloadavg()[0], 2)


def _cost(room: Path, rows: int, images: int, say: Callable[[str], None]) -> dict[str, Any]:
    """CPU seconds of a new picture and of a further question on it, by one thread; bytes of files.

    CPU time hardly depends on who else uses the machine.
    """
    import torch

    from homunculus.pages import open_picture
    from homunculus.planner import LONGEST, Planner

    root, spent = Path(os.environ["HOMUNCULUS_DATA"]), defaultdict(list)
    torch.set_num_threads(1)
    asked = suite_rows(2 * min(images, 24), min(images, 24))
    for at, one in enumerate(asked):
        say(f"cost of {one['image']}")
        path = root / one["image"]
        spent["file_bytes"].append(path.stat().st_size)
        marks = [time.process_time()]
        picture = open_picture(path, longest=LONGEST)
        marks.append(time.process_time())
        planner = Planner.of(picture, one["question"], label=False)
        marks.append(time.process_time())
        seen = planner.views(TOKENS)
        marks.append(time.process_time())
        spent["request_bytes"].append(len(json.dumps(seen.openai())))
        spent["tokens"].append(seen.tokens)
        spent["untouched"].append(seen.to_json()["untouched"])
        steps = [after - before for before, after in pairwise(marks)]
        which = "new" if at % 2 == 0 else "further"
        for name, step in zip(("open", "scout", "plan"), steps, strict=True):
            spent[f"{which}_{name}_seconds"].append(step)
    means = {name: sum(held) / len(held) for name, held in spent.items()}
    return {"pictures": len(asked) // 2, **{name: round(one, 4) for name, one in means.items()}}


def _plans(room: Path, rows: int, images: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Rows a second with one worker and with two, and memory."""
    source = write_rows(room / "rows.jsonl", suite_rows(rows, images))
    told: dict[str, Any] = {"rows": rows, "pictures": images}
    for workers in (1, 2):
        say(f"plans, {workers} workers")
        before = load()
        events = finish(start(source, room / f"out{workers}", "--workers", str(workers)))
        end = events[-1]
        told[f"workers{workers}"] = {
            **end["run"], "worker_seconds": end["worker_seconds"], "memory": memory(events),
            "errors": end["errors"], "bill": end["bill"], "load": [before, load()],
        }  # fmt: skip
    told["same"] = content(room / "out1") == content(room / "out2")
    speeds = [told[f"workers{workers}"]["rows_per_second"] for workers in (1, 2)]
    told["speed_up"] = round(speeds[1] / speeds[0], 3)
    told["bytes_per_row"] = sum(
        one.stat().st_size for one in (room / "out1").glob("part-*")
    ) // rows  # fmt: skip
    return told


# ---- workers -------------------------------------------------------------------------------------


def workers_of(driver: int) -> Iterator[int]:
    """Ray's workers that belong to a driver, by its children's children."""
    for worker in _processes("MapWorker"):
        pid = worker
        try:
            while pid > 1 and pid != driver:
                pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
        if pid == driver:
            yield worker


def _processes(name: str) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if name in path.read_text():
                yield int(path.parent.name)
        except OSError:
            continue


# ---- answers -------------------------------------------------------------------------------------


def _answers(room: Path, rows: int, images: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Answers of a tiny model with one engine and with two, and those of a server."""
    room.mkdir(parents=True)
    model = tiny_model(room / "model")
    source = write_rows(room / "rows.jsonl", suite_rows(rows, images))
    args = ("--engine", str(model), "--engine-args", json.dumps(ENGINE_ARGS), "--max-output", "8")
    args += ("--shard-rows", "25")
    told: dict[str, Any] = {"rows": rows, "pictures": images, "model": "tiny Qwen3-VL, random"}
    for workers in (1, 2):
        say(f"answers, {workers} engines")
        before = load()
        events = finish(start(source, room / f"out{workers}", *args, "--workers", str(workers)))
        end = events[-1]
        told[f"workers{workers}"] = {
            **end["run"], "memory": memory(events, 100), "errors": end["errors"],
            "tokens": end["bill"], "load": [before, load()],
            "busy_seconds": busy(room / f"out{workers}"),
            "after_start": after_start(room / f"out{workers}"),
        }  # fmt: skip
    one, two = (content(room / f"out{workers}") for workers in (1, 2))
    told["same"] = one == two
    for name, of in (("speed_up", "rows_per_second"), ("speed_up_after_start", "after_start")):
        speeds = [told[f"workers{workers}"][of] for workers in (1, 2)]
        told[name] = round(speeds[1] / speeds[0], 3)
    say("the online server")
    told["as_server"] = _as_server(model, one[:32])
    shutil.rmtree(model)
    return told


def busy(out: Path) -> float:
    """Seconds that engines spent on answers."""
    parquet = need("pyarrow.parquet", extra="batch", who=WHO)
    tables = [parquet.read_table(one, columns=["answer_seconds"]) for one in out.glob("part-*")]
    return round(sum(float(one or 0) for t in tables for one in t.column(0).to_pylist()), 2)


def after_start(out: Path) -> float:
    """Rows a second from the first finished shard on: engines start for longer than they answer."""
    parquet = need("pyarrow.parquet", extra="batch", who=WHO)
    ends = sorted((one.stat().st_mtime, one) for one in out.glob("part-*.parquet"))
    rows = sum(parquet.read_metadata(one).num_rows for _, one in ends[1:])
    return round(rows / (ends[-1][0] - ends[0][0]), 3)


def tiny_model(folder: Path) -> Path:
    """The smallest model of tests/tiny: the bench runs in a checkout."""
    tiny = import_module("tiny")  # PYTHONPATH=tests
    folder.mkdir(parents=True)
    tiny.build("qwen3_vl", folder)
    path = folder / "processor_config.json"
    told = json.loads(path.read_text())
    told["image_processor"]["size"]["longest_edge"] = 16 * 16 * 1200
    path.write_text(json.dumps(told))
    return folder


def _as_server(model: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """How many answers are those of `homunculus serve`, asked over HTTP, greedily."""

    from homunculus_lab.speed.server import NAME, OURS, ServerProcess

    httpx = need("httpx", extra="vllm", who=WHO)
    flags = ("--tokens", str(TOKENS), "--dtype", "float32", "--max-model-len", "2048",
             "--max-num-seqs", "16", "--enforce-eager", "--distributed-executor-backend",
             str(ENGINE_ARGS["distributed_executor_backend"]))  # fmt: skip
    server = ServerProcess(OURS, model, *flags)
    asked = {
        f"rows.jsonl#row={at}": one
        for at, one in enumerate(json.loads(x) for x in (model.parent / "rows.jsonl").open())
    }
    same = 0
    try:
        server.wait()
        for row in rows:
            path = Path(os.environ["HOMUNCULUS_DATA"]) / asked[row["id"]]["image"]
            kind = "png" if path.suffix == ".png" else "jpeg"
            url = to_data_uri(path.read_bytes(), kind)
            content = [{"type": "image_url", "image_url": {"url": url}},
                       {"type": "text", "text": row["question"]}]  # fmt: skip
            body = {"model": NAME, "max_tokens": 8, "temperature": 0,
                    "messages": [{"role": "user", "content": content}]}  # fmt: skip
            answer = httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=300).json()
            same += answer["choices"][0]["message"]["content"] == row["answer"]
    finally:
        server.stop()
    return {"asked": len(rows), "same": same}


# ---- two hosts -----------------------------------------------------------------------------------

HEAD, OTHER, PORT = "10.99.0.1", "10.99.0.2", 6399
SPACES = {"homunculus-head": HEAD, "homunculus-other": OTHER}


def _hosts(room: Path, rows: int, images: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Two network namespaces as hosts of one Ray cluster, one of them cut off in the middle.

    Needs root and iproute2. Rows are small and the scout is `pixels`: this is about hosts.
    """
    rows = min(rows, 200)
    source = write_rows(room / "rows.jsonl", suite_rows(rows, images))
    head, other = SPACES
    started = list[subprocess.Popen]()
    _two_hosts()
    try:
        say("two hosts")
        started.append(_ray(head, "--head", f"--port={PORT}", "--num-cpus=4"))
        time.sleep(15)
        started.append(_ray(other, f"--address={HEAD}:{PORT}", "--num-cpus=2"))
        time.sleep(15)
        out, words = room / "out", ("--scout", "pixels", "--shard-rows", "10", "--workers", "4")
        prefix = ("ip", "netns", "exec", head)
        run = start(source, out, *words, "--address", f"{HEAD}:{PORT}", prefix=prefix)
        while len(list(out.glob("part-*"))) < 4 and run.poll() is None:
            time.sleep(0.2)
        on_other = [pid for pid in _processes("MapWorker") if _space(pid) == other]
        _ip("-n", other, "link", "set", "veth-other", "down")
        cut = len(content(out))
        say("the other host is cut off")
        finish(run)
        ids = [row["id"] for row in content(out)]
        return {
            "rows": rows, "workers_on_other_host": len(on_other), "rows_when_cut": cut,
            "rows_after": len(ids), "unique": len(set(ids)),
        }  # fmt: skip
    finally:
        for one in started:
            os.killpg(one.pid, signal.SIGKILL)
            one.wait()
        for name in SPACES:
            _ip("netns", "del", name)


def _two_hosts() -> None:
    for name in SPACES:
        _ip("netns", "add", name)
    _ip("link", "add", "veth-head", "type", "veth", "peer", "name", "veth-other")
    for (name, address), end in zip(SPACES.items(), ("veth-head", "veth-other"), strict=True):
        _ip("link", "set", end, "netns", name)
        _ip("-n", name, "addr", "add", f"{address}/24", "dev", end)
        for device in (end, "lo"):
            _ip("-n", name, "link", "set", device, "up")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def _ray(space: str, *words: str) -> subprocess.Popen:
    """A node of Ray inside a namespace, at the head of a process group."""
    usual = ["start", f"--node-ip-address={SPACES[space]}", "--block", "--disable-usage-stats",
             "--include-dashboard=false", "--object-store-memory=200000000"]  # fmt: skip
    if "--head" not in words:
        usual.remove("--include-dashboard=false")
    command = [sys.executable, "-m", "ray.scripts.scripts", *usual, *words]
    environment = os.environ | QUIET | {"RAY_AUTH_MODE": "disabled"}
    return subprocess.Popen(
        ["ip", "netns", "exec", space, *command], env=environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _space(pid: int) -> str:
    told = subprocess.run(["ip", "netns", "identify", str(pid)], capture_output=True, text=True)
    return told.stdout.strip()


def table(result: dict[str, Any]) -> str:
    """The figures as text."""
    lines = []
    for name in ("plans", "answers"):
        if name in result:
            part = result[name]
            speeds = [part[f"workers{workers}"]["rows_per_second"] for workers in (1, 2)]
            lines.append(f"{name}: {part['rows']} rows, {speeds[0]:.2f} a second with one worker, "
                         f"{speeds[1]:.2f} with two ({part['speed_up']:.2f} times)")  # fmt: skip
    return "\n".join(lines)
