"""Runs of `homunculus batch` in this process or in one of their own, and what they leave."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from batch.make import FAST
from homunculus.batch.job import TIMES
from homunculus.commands.main import main

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0", "RAY_BACKEND_LOG_LEVEL": "fatal",
    "PYTHONWARNINGS": "ignore",
}  # fmt: skip


@pytest.fixture
def batch(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """A local run in this process: exit code, and all that was said."""

    def run(source: object, out: object, *words: str) -> tuple[int, str]:
        code = main(["batch", str(source), str(out), *FAST, "--local", *words])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


def start(source: object, out: object, *words: str, **environment: str) -> subprocess.Popen:
    """A run in a process of its own, at the head of a group that can be ended as one."""
    command = [sys.executable, "-m", "homunculus", "batch", str(source), str(out), *FAST, *words]
    return subprocess.Popen(
        command, env=os.environ | QUIET | environment, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def results(out: Path) -> list[dict]:
    """All rows of an output folder, by ID."""
    rows = [row for path in out.glob("part-*.parquet") for row in pq.read_table(path).to_pylist()]
    return sorted(rows, key=lambda row: row["id"])


def content(out: Path) -> list[dict]:
    """The same without what differs from run to run."""
    return [{key: row[key] for key in row if key not in TIMES} for row in results(out)]
