# pyright: basic
"""LiteLLM's proxy with our hook and without it, under the same load, in turns.

How late the event loop wakes, and memory, are measured inside of the proxy; a server on loopback
takes the provider's place. Most pictures are known to the hook, some are new, and some are known
and have a new question.
"""

import asyncio
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from homunculus.eyes.provenance import provenance
from homunculus.lazy import need
from homunculus_lab.speed.load import PageRequest, page_requests, question
from homunculus_lab.speed.server import ServerProcess, free_port

Progress = Callable[[str], None] | None
HOOK = "homunculus.serve.litellm.hook"
QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1",
    "LITELLM_LOG": "ERROR",
}  # fmt: skip
NAP = 0.01
"""Seconds that the watch in the event loop sleeps."""
WATCH = f"""
import asyncio, os, time
from litellm.integrations.custom_logger import CustomLogger

async def run():
    lines = []
    while True:
        begin = time.monotonic()
        await asyncio.sleep({NAP})
        now = time.monotonic()
        lines.append(f"{{now:.4f}} {{now - begin - {NAP}:.5f}}")
        if len(lines) > 50:
            with open("lag.txt", "a") as file:
                file.write("\\n".join(lines) + "\\n")
            lines.clear()

class Watch(CustomLogger):
    task = None

    async def async_pre_call_hook(self, user_api_key_dict, cache, data, call_type):
        Watch.task = Watch.task or asyncio.create_task(run())

watch = Watch()
"""
"""A callback beside the config: how late a task of the event loop wakes, and when."""


class ProxyProcess(ServerProcess):
    """A LiteLLM proxy in a folder of its own, with a config and modules beside it."""

    health = "/health/liveliness"  # LiteLLM's own `/health` asks its models

    def __init__(self, folder: Path, config: dict[str, Any], **variables: str) -> None:
        self.folder, self.port, self.log = folder, free_port(), folder / "log.txt"
        settings = folder / "config.yaml"
        settings.write_text(json.dumps(config))  # JSON is YAML
        command = [
            sys.executable, "-m", "litellm.proxy.proxy_cli", "--config", str(settings),
            "--host", "127.0.0.1", "--port", str(self.port), "--telemetry", "False",
        ]  # fmt: skip
        # without a key, or with an easy one, it does not start
        self.key = f"sk-{secrets.token_hex(32)}"
        own = {"LITELLM_MASTER_KEY": self.key}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=folder, start_new_session=True,
                env=os.environ | QUIET | own | variables,
            )  # fmt: skip


@dataclass(frozen=True)
class ProxyPlan:
    """Requests of the measurement."""

    requests: int = 500
    rounds: int = 5
    at_once: int = 32
    rate: float = 5.0
    """Requests a second of the calm part, in which the proxy is not at its limit."""
    calm: int = 150
    """Requests of it."""
    known: int = 8
    """Pictures, with a question each, that were sent before."""
    every: int = 25
    """One request in so many has a new picture, and one a new question."""
    size: tuple[int, int] = (900, 700)
    tokens: int = 100
    seconds: int = 120
    """That the hook waits for views."""


@dataclass(frozen=True)
class Sent:
    """A request of a kind, its status and the seconds until its answer."""

    kind: str
    status: int
    seconds: float


def measure(
    repeats: int = 0, progress: Progress = None, plan: ProxyPlan | None = None
) -> dict[str, Any]:
    """The same requests to both proxies in turns; ``repeats`` is the number of rounds."""
    plan = plan or ProxyPlan()
    plan = replace(plan, rounds=repeats or plan.rounds)
    source = provenance()
    source["versions"]["litellm"] = version("litellm")
    port = free_port()
    upstream = get_context("spawn").Process(target=_upstream, args=(port,), daemon=True)
    upstream.start()
    proxies: dict[str, ProxyProcess] = {}
    with tempfile.TemporaryDirectory(prefix="bench-proxy-") as temporary:
        try:
            for name in ("hook", "plain"):
                proxies[name] = _proxy(Path(temporary) / name, port, plan)
            for proxy in proxies.values():
                proxy.wait()
            return {"plan": vars(plan), **_rounds(proxies, plan, progress), **source}
        finally:
            for proxy in proxies.values():
                proxy.stop()
            upstream.terminate()
            upstream.join()


def _proxy(folder: Path, port: int, plan: ProxyPlan) -> ProxyProcess:
    folder.mkdir()
    (folder / "watch.py").write_text(WATCH)
    callbacks = ["watch.watch", *[HOOK] * (folder.name == "hook")]
    model = {
        "model_name": "gpt",
        "litellm_params": {
            "model": "openai/gpt-6", "api_base": f"http://127.0.0.1:{port}/v1", "api_key": "k",
        },
        "model_info": {"homunculus_tokens": plan.tokens},
    }  # fmt: skip
    config = {"model_list": [model], "litellm_settings": {"callbacks": callbacks}}
    return ProxyProcess(folder, config, HOMUNCULUS_SECONDS=str(plan.seconds))


# ---- the load ------------------------------------------------------------------------------------


KINDS = ("known", "question", "new")
"""A picture and its question that were sent before; a new question; a new picture."""
Requests = Sequence[tuple[str, PageRequest]]


def requests_of(plan: ProxyPlan, many: int, turn: int) -> Requests:
    """The requests of a round with their kinds, in the order of a lottery."""
    known = page_requests(plan.known, *plan.size)
    start = (turn + 1) * 10**4
    new = [("new", one) for one in page_requests(-(-many // plan.every), *plan.size, start=start)]
    asked = [
        ("question", replace(known[at % plan.known], question=question(10**6 + start + at)))
        for at in range(-(-many // plan.every))
    ]
    rest = [("known", known[at % plan.known]) for at in range(many - len(new) - len(asked))]
    requests = [*new, *asked, *rest]
    Random(turn).shuffle(requests)
    return requests


class Tally:
    """What one proxy did in one part of the measurement."""

    def __init__(self, proxy: ProxyProcess) -> None:
        self.proxy = proxy
        self.sent: list[Sent] = []
        self.lag: list[float] = []
        self.times: list[float] = []
        self.resident: list[int] = []

    def run(self, requests: Requests, at_once: int, rate: float = 0.0) -> None:
        """Send requests, and keep what happened meanwhile."""
        begin = time.monotonic()
        self.sent += asyncio.run(_send(self.proxy, requests, at_once, rate))
        end = time.monotonic()
        time.sleep(1)  # until the watch has written
        self.lag += lags(self.proxy.folder / "lag.txt", begin, end)
        self.times.append(round(end - begin, 2))
        self.resident.append(self.proxy.resident() >> 20)

    def row(self) -> dict[str, Any]:
        """The figures."""
        kinds = [kind for kind in KINDS if any(one.kind == kind for one in self.sent)]
        return {
            "requests": len(self.sent),
            "errors": sum(one.status != 200 for one in self.sent),
            "seconds": self.times,
            "lag_ms": _spread(self.lag),
            "latency_ms": {
                kind: _spread([one.seconds for one in self.sent if one.kind == kind])
                for kind in kinds
            },
            "resident_mib": self.resident,
        }


def _rounds(
    proxies: dict[str, ProxyProcess], plan: ProxyPlan, progress: Progress
) -> dict[str, Any]:
    tell = progress or (lambda _: None)
    for proxy in proxies.values():  # LiteLLM loads half of itself with its first requests
        first = [("known", one) for one in page_requests(plan.known, *plan.size)]
        asyncio.run(_send(proxy, first * 2, 4))
    full = {name: Tally(proxy) for name, proxy in proxies.items()}
    for turn in range(plan.rounds):
        for name, tally in full.items():
            tell(f"round {turn + 1} of {plan.rounds}, {name}")
            tally.run(requests_of(plan, -(-plan.requests // plan.rounds), turn), plan.at_once)
    calm = {name: Tally(proxy) for name, proxy in proxies.items()}
    for name, tally in calm.items():
        tell(f"{plan.rate:g} requests a second, {name}")
        tally.run(requests_of(plan, plan.calm, plan.rounds), plan.at_once, plan.rate)
    return {"full": _part(full), "calm": _part(calm)}


def _part(tallies: dict[str, Tally]) -> dict[str, Any]:
    rows = {name: tally.row() for name, tally in tallies.items()}
    return {"rows": rows, "added_ms": added(rows)}


def lags(path: Path, begin: float, end: float) -> list[float]:
    """Seconds by which the event loop was late between two times."""
    pairs = [line.split() for line in path.read_text().splitlines()]
    return [float(late) for at, late in pairs if begin <= float(at) <= end]


def added(rows: dict[str, Any]) -> dict[str, dict[str, float]]:
    """What the hook adds to the latency of each kind of request."""
    mine, other = rows["hook"]["latency_ms"], rows["plain"]["latency_ms"]
    return {
        kind: {name: round(mine[kind][name] - other[kind][name], 1) for name in ("p50", "p99")}
        for kind in mine
    }


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    """Median, last hundredth and maximum in milliseconds."""
    ordered = sorted(seconds)
    at = {"p50": 0.5, "p99": 0.99, "max": 1.0}
    return {
        name: round(1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1)
        for name, share in at.items()
    }


async def _send(
    proxy: ProxyProcess, requests: Requests, at_once: int, rate: float = 0.0
) -> list[Sent]:
    """All answers, ``at_once`` at a time, and if there is a ``rate``, so many a second."""
    http = need("httpx", "litellm", "homunculus bench proxy")
    gate = asyncio.Semaphore(at_once)
    bodies = [(kind, _body(request)) for kind, request in requests]  # built before the timing
    headers = {"authorization": f"Bearer {proxy.key}", "content-type": "application/json"}
    async with http.AsyncClient(base_url=proxy.url, timeout=600, headers=headers) as client:

        async def one(at: int, kind: str, body: bytes) -> Sent:
            await asyncio.sleep(at / rate if rate else 0)
            async with gate:
                start = time.perf_counter()
                answer = await client.post("/v1/chat/completions", content=body)
                return Sent(kind, answer.status_code, time.perf_counter() - start)

        return list(await asyncio.gather(*(one(at, *pair) for at, pair in enumerate(bodies))))


def _body(request: PageRequest) -> bytes:
    parts = [
        {"type": "image_url", "image_url": {"url": request.url}},
        {"type": "text", "text": request.question},
    ]
    return json.dumps({"model": "gpt", "messages": [{"role": "user", "content": parts}]}).encode()


# ---- the provider --------------------------------------------------------------------------------

ANSWER = json.dumps(
    {
        "id": "1", "object": "chat.completion", "created": 0, "model": "m",
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}
        ],
    }
).encode()  # fmt: skip


class _Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_: object) -> None:
        pass


def _upstream(port: int) -> None:
    ThreadingHTTPServer(("127.0.0.1", port), _Provider).serve_forever()


# ---- text ----------------------------------------------------------------------------------------


def table(result: dict[str, Any]) -> str:
    """The figures as text."""
    plan, lines = result["plan"], []
    heads = {"full": f"{plan['at_once']} at once", "calm": f"{plan['rate']:g} requests a second"}
    for part, head in heads.items():
        lines.append(head)
        for name, row in result[part]["rows"].items():
            lag = ", ".join(f"{key} {value} ms" for key, value in row["lag_ms"].items())
            lines.append(f"{name:>7}: {row['requests']} requests, {row['errors']} errors")
            lines.append(f"         the event loop was late by {lag}")
            lines.append(f"         memory at the ends of rounds {row['resident_mib']} MiB")
        lines += [
            f"  added to {kind}: p50 {times['p50']} ms, p99 {times['p99']} ms"
            for kind, times in result[part]["added_ms"].items()
        ]
    return "\n".join(lines)
