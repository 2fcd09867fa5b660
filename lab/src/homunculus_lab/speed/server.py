# pyright: basic
"""A server in a process of its own, on loopback: start, wait, measure its memory, stop."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

PATIENCE = 600.0
"""Seconds to wait for a server that does not answer."""
QUIET = {
    "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "WARNING", "VLLM_CPU_KVCACHE_SPACE": "1",
}  # fmt: skip
STOCK = ("-m", "vllm.entrypoints.cli.main", "serve")
OURS = ("-m", "homunculus", "serve")
NAME = "served"


class ServerProcess:
    """One server; ``program`` is `OURS` or `STOCK`, ``flags`` follow the model's folder."""

    health = "/health"
    """The page that says that it lives."""

    def __init__(self, program: Sequence[str], folder: Path, *flags: str, threads: int = 1) -> None:
        self.flags, self.port = flags, free_port()
        handle, name = tempfile.mkstemp(prefix="serve-", suffix=".log")
        self.log = Path(name)
        command = [
            sys.executable, *program, str(folder), "--served-model-name", NAME,
            "--host", "127.0.0.1", "--port", str(self.port), *flags,
        ]  # fmt: skip
        environment = os.environ | QUIET | {"OMP_NUM_THREADS": str(threads)}
        self.process = subprocess.Popen(
            command, stdout=handle, stderr=handle, env=environment, start_new_session=True
        )
        os.close(handle)

    @property
    def url(self) -> str:
        """Base URL."""
        return f"http://127.0.0.1:{self.port}"

    def wait(self) -> "ServerProcess":
        """Wait until it is healthy; raise with the end of its log if it never is."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < until:
            if self.healthy():
                return self
            time.sleep(0.3)
        log = self.log.read_text("utf-8", "replace")[-3000:]
        self.stop()
        raise RuntimeError(f"the server on port {self.port} never answered. Its log ends: {log}")

    def healthy(self) -> bool:
        """Whether it answers its health check."""
        try:
            with urllib.request.urlopen(f"{self.url}{self.health}", timeout=10) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def metrics(self, *names: str) -> list[float]:
        """Counters of its metrics page, added up over labels; 0 for those that are not there."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        split = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
        pairs = [(label.partition("{")[0], float(value)) for label, value in split]
        return [sum((value for label, value in pairs if label == name), 0.0) for name in names]

    def resident(self) -> int:
        """Resident memory of all its processes, in bytes."""
        total, page = 0, os.sysconf("SC_PAGE_SIZE")
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:  # the process has ended
                continue
            if int(fields[3]) == self.process.pid:  # its session
                total += int(fields[21]) * page
        return total

    def stop(self) -> None:
        """Stop it and all processes that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(30)
        self.log.unlink(missing_ok=True)


def free_port() -> int:
    """A port that is not in use."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
