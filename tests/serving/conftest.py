"""Servers for tests: tiny models, started once for each set of flags, ended with the tests."""

import atexit
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

import tiny
from homunculus_lab.speed.server import NAME, OURS, PATIENCE, ServerProcess
from serving.client import turn

CELLS = 1200
"""The largest image has so many tokens."""
ONE_PROCESS = (
    "--distributed-executor-backend", "vllm.v1.executor.uniproc_executor.UniProcExecutor",
)  # fmt: skip
"""The model in the engine's process: a third less time to start."""
EAGER = ("--enforce-eager", *ONE_PROCESS)
FEW = (
    "qwen3_vl", "--tokens", "64", "--block-size", "32",
    "--enable-prompt-tokens-details", "--allow-override", *EAGER,
)  # fmt: skip
"""What most tests are happy with; others add their flags."""
GROUPS = {
    "few": (
        "test_bounds", "test_eyetest", "test_faults", "test_isolation", "test_turns",
        "test_the_same_is_said_where_tokens_are_chosen_after", "test_who_keeps_all",
    ),
    "families": ("test_exact", "test_exact_parity"),
}  # fmt: skip
"""Tests, by a part of their name, that share servers: one worker has them all."""
os.environ["VLLM_SERVER_DEV_MODE"] = "1"  # servers let their caches be emptied


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each worker gets whole groups; a file in none of them is its own."""
    from xdist.scheduler import LoadScopeScheduling

    class ByServers(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            names = (group for group, some in GROUPS.items() if any(one in nodeid for one in some))
            return next(names, nodeid.split("::")[0])

    return ByServers(config, log)


@cache
def folder(family: str) -> Path:
    """A tiny model; images of Qwen's may have many tokens."""
    room = Path(tempfile.mkdtemp(prefix=f"served-{family}-"))
    atexit.register(shutil.rmtree, room, ignore_errors=True)
    if not family.startswith("qwen"):
        return tiny.build(family, room, wide=True)
    tiny.build(family, room)
    path = room / "processor_config.json"
    told = json.loads(path.read_text())
    told["image_processor"]["size"]["longest_edge"] = 16 * 16 * CELLS
    path.write_text(json.dumps(told))
    return room


class Served(ServerProcess):
    """A server of one family with some flags, and a client of it."""

    def __init__(self, family: str, *flags: str, program: Sequence[str] = OURS) -> None:
        usual = ("--dtype", "float32", "--max-model-len", "2048", "--max-num-seqs", "16")
        super().__init__(program, folder(family), *usual, *flags)
        self.client = httpx.Client(base_url=self.url, timeout=PATIENCE)

    def stop(self) -> None:
        """Its client, too."""
        self.client.close()
        super().stop()

    def post(self, messages: Any, **more: Any) -> Any:
        """A chat, as any client asks for it."""
        told = {"model": NAME, "messages": messages, "max_tokens": 1, "temperature": 0}
        return self.client.post("/v1/chat/completions", json=told | more)

    def ask(self, question: str, *images: Any, **more: Any) -> dict[str, Any]:
        """One turn; images are Pillow's."""
        answer = self.post([turn(question, *images)], **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def forget(self) -> None:
        """Empty every cache."""
        for name in ("prefix", "mm", "encoder"):
            answer = self.client.post(f"/reset_{name}_cache")
            assert answer.status_code == 200, answer.text

    def wait(self) -> "Served":
        """Until it is well; `at_start` are its counters before anybody asks."""
        super().wait()
        self.at_start = self.counters()
        return self

    def counters(self) -> dict[str, float]:
        """Our counters on its page of metrics."""
        lines = self.client.get("/metrics").text.splitlines()
        pairs = [line.rsplit(" ", 1) for line in lines if line.startswith("homunculus:")]
        return {name.removeprefix("homunculus:"): float(value) for name, value in pairs}

    def peak(self) -> int:
        """The most bytes that the API server ever had in memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(
            int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM")
        )


_UP: dict[tuple[str, ...], Served] = {}


@pytest.fixture(scope="session")
def serve() -> Any:
    """A function from a family and flags to a server; the three used last live on."""

    def get(*key: str) -> Served:
        server = _UP.pop(key, None)
        if server is None:
            while len(_UP) > 2:
                _UP.pop(next(iter(_UP))).stop()
            server = Served(*key).wait()
        _UP[key] = server
        return server

    yield get
    while _UP:
        _UP.popitem()[1].stop()
