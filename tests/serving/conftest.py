"""Servers for tests: tiny models, started once for each set of flags, ended with the tests."""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="the plugin's tests want vLLM")
httpx = pytest.importorskip("httpx")

import tiny  # noqa: E402  after the skip

PATIENCE = 300
CELLS = 1200
"""The largest image has so many tokens."""
EAGER = ("--enforce-eager",)
QUIET = {
    "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": "1", "VLLM_LOGGING_LEVEL": "WARNING",
}  # fmt: skip


@cache
def folder(family: str) -> Path:
    """A tiny model whose images may have many tokens."""
    room = Path(tempfile.mkdtemp(prefix=f"served-{family}-"))
    atexit.register(shutil.rmtree, room, ignore_errors=True)
    tiny.build(family, room)
    path = room / "processor_config.json"
    told = json.loads(path.read_text())
    told["image_processor"]["size"]["longest_edge"] = 16 * 16 * CELLS
    path.write_text(json.dumps(told))
    return room


@dataclass
class Server:
    """A server of one family with some flags."""

    family: str
    flags: tuple[str, ...]
    port: int = field(default_factory=lambda: _free())

    def __post_init__(self) -> None:
        self.log = Path(tempfile.mkstemp(prefix="serve-", suffix=".log")[1])
        command = [
            sys.executable, "-m", "homunculus", "serve", str(folder(self.family)),
            "--served-model-name", "tiny", "--host", "127.0.0.1", "--port", str(self.port),
            "--dtype", "float32", "--max-model-len", "2048", "--max-num-seqs", "16", *self.flags,
        ]  # fmt: skip
        with self.log.open("w") as out:
            self.process = subprocess.Popen(
                command, stdout=out, stderr=out, env=os.environ | QUIET, start_new_session=True
            )
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=PATIENCE)

    def wait(self) -> "Server":
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self.process.poll() is not None:
                break
            if self.healthy():
                return self
            time.sleep(0.5)
        raise RuntimeError(f"no server: {self.log.read_text()[-3000:]}")

    def healthy(self) -> bool:
        try:
            return self.client.get("/health", timeout=10).status_code == 200
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        self.client.close()
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.log.unlink(missing_ok=True)

    def post(self, messages: Any, **more: Any) -> Any:
        """A chat, as any client asks for it."""
        told = {"model": "tiny", "messages": messages, "max_tokens": 1, "temperature": 0}
        return self.client.post("/v1/chat/completions", json=told | more)

    def ask(self, question: str, *images: Any, **more: Any) -> dict[str, Any]:
        """One turn; images are Pillow's."""
        from serving.client import turn

        answer = self.post([turn(question, *images)], **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def counters(self) -> dict[str, float]:
        """Our counters on its page of metrics."""
        lines = self.client.get("/metrics").text.splitlines()
        pairs = [line.rsplit(" ", 1) for line in lines if line.startswith("homunculus:")]
        return {name.removeprefix("homunculus:"): float(value) for name, value in pairs}


def _free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


_UP: dict[tuple[str, tuple[str, ...]], Server] = {}


@pytest.fixture(scope="session")
def serve() -> Any:
    """A function from a family and flags to a server; two at most live at a time."""

    def get(family: str, *flags: str) -> Server:
        key = (family, flags)
        if key not in _UP:
            while len(_UP) > 1:
                _UP.pop(next(iter(_UP))).stop()
            _UP[key] = Server(family, flags).wait()
        return _UP[key]

    yield get
    while _UP:
        _UP.popitem()[1].stop()
