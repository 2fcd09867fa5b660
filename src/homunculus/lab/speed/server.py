# pyright: basic
"""A server in a process of its own, on loopback: started, waited for, weighed, ended by its id."""

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
"""Seconds until a server that does not answer is given up."""
QUIET = {
    "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "WARNING", "VLLM_CPU_KVCACHE_SPACE": "1",
}  # fmt: skip
STOCK = ("-m", "vllm.entrypoints.cli.main", "serve")
OURS = ("-m", "homunculus", "serve")
NAME = "served"


class Server:
    """One server; ``program`` is `OURS` or `STOCK`, ``flags`` go behind the model's folder."""

    def __init__(self, program: Sequence[str], folder: Path, *flags: str, threads: int = 1) -> None:
        self.flags, self.port = flags, free_port()
        handle, name = tempfile.mkstemp(prefix="serve-", suffix=".log")
        self.log = Path(name)
        command = [
            sys.executable, *program, str(folder), "--served-model-name", NAME,
            "--host", "127.0.0.1", "--port", str(self.port), *flags,
        ]  # fmt: skip
        surroundings = os.environ | QUIET | {"OMP_NUM_THREADS": str(threads)}
        self.process = subprocess.Popen(
            command, stdout=handle, stderr=handle, env=surroundings, start_new_session=True
        )
        os.close(handle)

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def wait(self) -> "Server":
        """Until it is well; with the end of its log if it never is."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < until:
            if self.healthy():
                return self
            time.sleep(0.3)
        told = self.log.read_text("utf-8", "replace")[-3000:]
        self.stop()
        raise RuntimeError(f"the server on port {self.port} never answered. Its log ends: {told}")

    def healthy(self) -> bool:
        """Whether it says that it is well."""
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=10) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def resident(self) -> int:
        """Bytes in memory of all its processes."""
        pages = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                words = stat.read_text().rpartition(")")[2].split()
            except OSError:  # gone meanwhile
                continue
            if int(words[3]) == self.process.pid:  # its session
                pages += int(words[21])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self) -> None:
        """End it and all that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(30)
        self.log.unlink(missing_ok=True)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
