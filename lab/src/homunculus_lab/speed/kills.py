# pyright: basic
"""`homunculus bench kills`: what `homunculus batch` loses when it is killed or its disk is full.

Batches run in processes of their own on real pages of the suites that HOMUNCULUS_DATA names, with
the scout `pixels`: this is about rows, not about plans. Full disks need root, for a small tmpfs.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from homunculus.batch.faults import LOST
from homunculus.eyes.provenance import provenance
from homunculus_lab.speed.batch import QUIET, content, suite_rows, workers_of, write_rows

TOKENS, ROWS, PICTURES, SEED = 64, 96, 24, 0
WORDS = ("--tokens", str(TOKENS), "--scout", "pixels", "--shard-rows", "8")
PLACES = {"local": ("--local",), "Ray": ("--workers", "2")}
MOMENT = 4.0
"""Seconds within which a run is killed, from the first row that it begins."""
WORKERS = 0.7
"""How many of the kills are of a worker, where there are any."""
DISK = 8 << 20
"""Bytes of the disk that is full."""
NO_RAY, NO_ROOM = "could not be started", "Run the same command again"
"""What a run says that ends because of its machine."""


@dataclass
class Batches:
    """Batches of one input, one after the other, until there were enough failures."""

    source: Path
    room: Path
    place: str
    unbroken: list[dict[str, Any]]
    failures: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    finished: list[dict[str, int]] = field(default_factory=list)

    def start(self, out: Path) -> subprocess.Popen:
        """Begin a batch, or go on with it."""
        self.runs += 1
        command = [sys.executable, "-m", "homunculus", "batch", str(self.source), str(out)]
        return subprocess.Popen(
            [*command, *WORDS, *PLACES[self.place]], env=os.environ | QUIET,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def new_folder(self) -> Path:
        """An output folder for the next batch."""
        return self.room / f"{self.place}-{len(self.finished)}"

    def finish(self, out: Path, run: subprocess.Popen) -> None:
        """Let a run end by itself, and compare what is there with an unbroken run.

        Ray may not start on a busy machine: the run says so, and is begun again.
        """
        _, wrong = run.communicate()
        while NO_RAY in wrong:
            run = self.start(out)
            _, wrong = run.communicate()
        if run.returncode not in (0, 1):
            raise RuntimeError(f"batch ended with {run.returncode}: {wrong[-2000:]}")
        rows = content(out)
        self.finished.append({
            "rows": len(rows), "once": len({row["id"] for row in rows}), "exit": run.returncode,
            "errors": sum(bool(row["error"]) for row in rows),
            "lost": sum(row["error_kind"] in LOST for row in rows),
            "same": rows == self.unbroken,
        })  # fmt: skip
        shutil.rmtree(out)

    def facts(self, what: str) -> dict[str, Any]:
        """All batches together; rows that are missing or lost are `lost`."""
        promised = len(self.unbroken) * len(self.finished)
        total = {name: sum(batch[name] for batch in self.finished) for name in self.finished[0]}
        return {
            "where": self.place, "what": what, "failures": dict(self.failures),
            "batches": len(self.finished), "runs": self.runs, "promised": promised,
            "rows": total["rows"], "once": total["once"], "errors": total["errors"],
            "lost": promised - total["once"] + total["lost"],
            "same": total["same"] == len(self.finished),
        }  # fmt: skip


def kill(batches: Batches, kills: int, lot: random.Random) -> None:
    """Kill at random moments: the driver, or a worker where there are any."""
    while batches.failures.total() < kills:
        out = batches.new_folder()
        run = batches.start(out)
        while batches.failures.total() < kills and _in_work(run, out):
            time.sleep(lot.uniform(0, MOMENT))
            if run.poll() is not None:
                break
            workers = list(workers_of(run.pid))
            if workers and lot.random() < WORKERS:
                os.kill(lot.choice(workers), signal.SIGKILL)
                batches.failures["worker"] += 1
                continue
            run.kill()
            run.communicate()
            batches.failures["driver"] += 1
            run = batches.start(out)
        batches.finish(out, run)


def _in_work(run: subprocess.Popen, out: Path) -> bool:
    """Wait until a run begins a row; False if it ends before."""
    before = _ledger(out)
    while run.poll() is None:
        if _ledger(out) - before:
            return True
        time.sleep(0.02)
    return False


def _ledger(out: Path) -> set[tuple[str, int]]:
    """The files that say which rows are in work."""
    found = set()
    for path in (out / ".work" / "rows").glob("*"):
        try:
            found.add((path.name, path.stat().st_size))
        except OSError:  # its shard is finished
            continue
    return found


def fill(batches: Batches, times: int, lot: random.Random, disk: Path) -> None:
    """Runs that find a disk with a little room, at random; then one that finds enough."""
    while batches.failures.total() < times:
        out = disk / "out"
        ballast = disk / "ballast"
        for _ in range(times - batches.failures.total()):
            _leave(ballast, lot.randrange(2_000, 40_000))
            run = batches.start(out)
            _, wrong = run.communicate()
            ballast.unlink()
            if not run.returncode:
                break
            if NO_RAY in wrong:
                continue
            if NO_ROOM not in wrong:
                raise RuntimeError(f"a full disk is not explained: {wrong[-2000:]}")
            batches.failures["full disk"] += 1
        batches.finish(out, batches.start(out))


def _leave(ballast: Path, room: int) -> None:
    """Fill the disk but for that many bytes."""
    free = shutil.disk_usage(ballast.parent).free
    ballast.write_bytes(bytes(max(0, free - room)))


@contextmanager
def small_disk(room: Path) -> Generator[Path, None, None]:
    """A disk in memory, mounted as long as it is needed."""
    disk = room / "disk"
    disk.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(disk)], check=True)
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def pages(folder: Path) -> Path:
    """A table of questions about pages, with their pictures beside it."""
    root, rows = Path(os.environ.get("HOMUNCULUS_DATA", "")), suite_rows(ROWS, PICTURES)
    folder.mkdir(parents=True)
    for row in rows:
        name = row["image"].replace("/", "-")
        shutil.copy(root / row["image"], folder / name)
        row["image"] = name
    return write_rows(folder / "rows.jsonl", rows)


def unbroken(source: Path, room: Path) -> list[dict[str, Any]]:
    """What a run gives that nothing disturbs."""
    whole = Batches(source, room / "unbroken", "local", [])
    run = whole.start(whole.room)
    run.communicate()
    return content(whole.room)


def measure(kills: int, say: Callable[[str], None]) -> dict[str, Any]:
    """That many kills in one process and on Ray, and a third and a tenth as many full disks."""
    lot, parts = random.Random(SEED), []
    result = {"tokens": TOKENS, "model": "qwen3-vl", "token_px": 32, **provenance()}
    with tempfile.TemporaryDirectory(prefix="bench-kills-") as folder:
        room = Path(folder)
        source = pages(room / "in")
        say("an unbroken run")
        whole = unbroken(source, room)
        for place, disks in (("local", -(-kills // 3)), ("Ray", -(-kills // 10))):
            say(f"{kills} kills, {place}")
            batches = Batches(source, room, place, whole)
            kill(batches, kills, lot)
            parts.append(batches.facts("kills"))
            say(f"{disks} full disks, {place}")
            batches = Batches(source, room, place, whole)
            with small_disk(room) as disk:
                fill(batches, disks, lot, disk)
            parts.append(batches.facts("full disks"))
            say(table({"parts": parts}))
    return result | {"rows": ROWS, "scout": "pixels", "seed": SEED, "parts": parts}


def table(result: dict[str, Any]) -> str:
    """The figures as text."""
    lines = ["| where | failures | batches | runs | rows promised | rows there, once each | lost | "
             "as an unbroken run |", "|---" * 8 + "|"]  # fmt: skip
    for part in result["parts"]:
        failures = ", ".join(f"{count} {name}" for name, count in sorted(part["failures"].items()))
        numbers = [part[name] for name in ("batches", "runs", "promised", "once", "lost")]
        cells = [part["where"], failures, *numbers, "yes" if part["same"] else "no"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)
