"""The same rows on Ray's workers: whoever is killed, whenever; and a machine that is gone."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from batch import make
from batch.conftest import content, results, start
from homunculus.batch import cluster
from homunculus.scouts import memory

ROWS = 120
WORDS = ("--workers", "2", "--shard-rows", "20", "--json", "--question", "Where at the top?")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return make.parquet(tmp_path_factory.mktemp("in") / "a.parquet", ROWS, group=50)


@pytest.fixture(scope="module")
def unbroken(source):
    """What a run in one process makes of it."""
    out = source.parent / "unbroken"
    run = start(source, out, "--local", *WORDS[2:])
    run.communicate()
    assert run.returncode == 0
    return content(out)


def test_two_killed_workers_and_a_killed_driver_lose_nothing(source, unbroken, tmp_path):
    out, killed = tmp_path / "out", []
    run = start(source, out, *WORDS)
    for many in (1, 2):
        while len(list(out.glob("part-*"))) < many:
            assert run.poll() is None, run.communicate()
            time.sleep(0.05)
        if there := list(workers_of(run.pid)):
            os.kill(there[0], signal.SIGKILL)
            killed.append(there[0])
    time.sleep(0.5)
    run.kill()
    run.communicate()
    again = start(source, out, *WORDS)
    said, wrong = again.communicate(timeout=300)
    assert again.returncode == 0, wrong
    assert len(killed) == 2
    assert content(out) == unbroken
    assert len(unbroken) == ROWS
    assert json.loads(said.splitlines()[0])["finished"] >= 2


def test_sigterm_on_ray_finishes_what_is_in_hand(source, unbroken, tmp_path):
    out = tmp_path / "out"
    run = start(source, out, *WORDS)
    while not list(out.glob("part-*")):
        assert run.poll() is None, run.communicate()
        time.sleep(0.05)
    run.send_signal(signal.SIGTERM)
    said, wrong = run.communicate(timeout=300)
    assert run.returncode in (0, 143), wrong  # it may have been nearly done
    assert json.loads(said.splitlines()[-1])["event"] == "end"
    ids = [row["id"] for row in results(out)]
    assert len(ids) == len(set(ids))
    assert {row["id"] for row in results(out)} <= {row["id"] for row in unbroken}


HOLES = """
import os
import sys
from homunculus.scouts.memory import return_large_blocks

if sys.argv[1] == "return":
    return_large_blocks()

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

first = bytearray(b"x") * (16 << 20)
del first  # from now on glibc takes blocks of this size from its heap
before = resident()
pairs = [[bytearray(b"x") * (1 << 20), bytearray(b"x") * 50_000] for _ in range(100)]
for pair in pairs:
    pair.pop(0)
print(resident() - before)
"""
"""How many megabytes stay after a hundred are free, between small blocks that are not."""


def test_what_pictures_took_is_returned():
    grown = {}
    for way in ("keep", "return"):
        run = [sys.executable, "-c", HOLES, way]
        grown[way] = float(subprocess.run(run, capture_output=True, check=True, text=True).stdout)
    assert grown["return"] < 10
    assert grown["keep"] > 50, "this machine returns them by itself: the test shows nothing"


def test_two_drivers_at_once(source, unbroken, tmp_path):
    out, codes = tmp_path / "out", []

    def go() -> None:
        run = start(source, out, "--local", *WORDS[2:])
        run.communicate()
        codes.append(run.returncode)

    both = [threading.Thread(target=go) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert sorted(codes) in ([0, 2], [0, 0])  # refused, or too late to meet
    assert content(out) == unbroken


def test_a_worker_keeps_few_pages(monkeypatch):
    environment: dict[str, str] = {}
    monkeypatch.setattr(cluster.os, "environ", environment)
    monkeypatch.setattr(memory, "return_large_blocks", lambda: None)
    cluster.Worker(object.__new__(cluster.Job), object.__new__(cluster.RemoteBook))
    assert environment.get(memory.MEMORY) == str(cluster.PAGES)


def workers_of(driver: int) -> Iterator[int]:
    """Ray's workers that belong to a driver, by its children's children."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if "MapWorker" not in path.read_text():
                continue
            worker = pid = int(path.parent.name)
            while pid > 1 and pid != driver:
                pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
        if pid == driver:
            yield worker
