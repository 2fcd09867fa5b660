"""A few kills at random moments: every row is there, once, as in an unbroken run."""

import random
import time
from pathlib import Path
from subprocess import Popen

from batch import make
from batch.conftest import content, results, start
from homunculus.batch.faults import LOST

ROWS, KILLS = 60, 3
WORDS = ("--local", "--shard-rows", "8", "--tokens", "64")
MAX_WAIT = 4.0
"""Seconds within which a run is killed, from the first row that it begins."""


def test_a_few_kills_at_random_moments_lose_no_row(tmp_path):
    source = make.parquet(tmp_path / "a.parquet", ROWS)
    whole = tmp_path / "unbroken"
    start(source, whole, *WORDS).communicate()
    kills, batches, lot = 0, 0, random.Random(0)
    while kills < KILLS:
        out = tmp_path / f"batch-{batches}"
        run = start(source, out, *WORDS)
        while kills < KILLS and begins_a_row(run, out):
            time.sleep(lot.uniform(0, MAX_WAIT))
            if run.poll() is not None:
                break
            run.kill()
            run.communicate()
            kills += 1
            run = start(source, out, *WORDS)
        _, wrong = run.communicate()
        assert run.returncode == 0, wrong[-2000:]
        rows = results(out)
        assert len({row["id"] for row in rows}) == len(rows) == ROWS
        assert not any(row["error"] or row["error_kind"] in LOST for row in rows)
        assert content(out) == content(whole)
        batches += 1


def begins_a_row(run: Popen, out: Path) -> bool:
    """Wait until a run begins a row; False if it ends before."""
    before = ledger(out)
    while run.poll() is None:
        if ledger(out) - before:
            return True
        time.sleep(0.02)
    return False


def ledger(out: Path) -> set[tuple[str, int]]:
    """The files that say which rows are in work."""
    found = set()
    for path in (out / ".work" / "rows").glob("*"):
        try:
            found.add((path.name, path.stat().st_size))
        except OSError:  # its shard is finished
            continue
    return found
