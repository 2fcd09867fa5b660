"""What fails and is not the row: killed drivers, full disks, a machine without memory; and rows
that do bring their process down.
"""

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import homunculus.batch.run  # noqa: F401 - all of it, before anything is patched
from batch import make
from batch.conftest import QUIET, content, results, start
from homunculus.batch import cluster, work
from homunculus.batch.faults import LOST, Ledger, is_machine_error, patient
from homunculus.batch.job import Job
from homunculus.batch.read import Row
from homunculus.batch.work import _crashed, plan_row, work_chunk

JOB = Job("x", 16, scout="pixels")
DEADLY = b"%deadly"
"""Bytes behind a picture that end the process that opens it."""
CUSTOMIZE = f"""
import importlib.abc
import importlib.util
import os
import signal
import sys

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "homunculus.batch.work":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            whole = module.open_page

            def open_page(row, page):
                if row.data.endswith({DEADLY!r}):
                    os.kill(os.getpid(), signal.SIGSEGV)
                return whole(row, page)

            module.open_page = open_page

        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Finder())
"""
"""A sitecustomize.py that changes how pages are opened, in every process that opens some."""


def rows(count: int) -> list[Row]:
    return [Row(f"{index}", f"{index}.png", "", make.page(index)) for index in range(count)]


@pytest.fixture
def deadly(tmp_path) -> dict[str, str]:
    """An environment in which some pictures end the process that opens them."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(CUSTOMIZE)
    path = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    return {"PYTHONPATH": path}


def poison(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.write_bytes(path.read_bytes() + DEADLY)


# ---- the driver ----------------------------------------------------------------------------------


def test_a_driver_that_was_killed_is_not_held_against_its_row(tmp_path):
    for _ in range(2 * work.TRIES):
        book = Ledger(str(tmp_path))
        book.begin("s", 0)
        for index in (0, 1):  # and the process is gone
            book.row("s", 0, index)
    told = work_chunk(JOB, rows(3), "s", 0, Ledger(str(tmp_path)))
    assert told is not None
    assert [row.get("error_kind") for row in told] == [None, None, None]


def test_three_real_kills_at_one_row_lose_nothing(tmp_path):
    source, out = make.folder(tmp_path / "in", 6), tmp_path / "out"
    for _ in range(3):
        run = start(source, out, "--local")
        before = ledger_size(out)
        while ledger_size(out) <= before:
            assert run.poll() is None, run.communicate()
            time.sleep(0.01)
        run.kill()
        run.communicate()
    assert not list(out.glob("part-*"))
    run = start(source, out, "--local")
    said, wrong = run.communicate()
    assert (run.returncode, [row["error"] for row in results(out)]) == (0, [None] * 6), said + wrong


def ledger_size(out: Path) -> int:
    return sum(path.stat().st_size for path in (out / ".work" / "rows").glob("*"))


def test_a_full_disk_ends_the_run_and_loses_nothing(tmp_path):
    source, out = make.folder(tmp_path / "in", 20), tmp_path / "out"
    command = [sys.executable, "-m", "homunculus", "batch", str(source), str(out), *make.FAST]
    for _ in range(3):  # as often as a row may end its process
        run = subprocess.run(
            [*command, "--local"], env=os.environ | QUIET, capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        )  # fmt: skip
        assert run.returncode == 1, run.stdout
        assert "Traceback" not in run.stderr
        assert "Run the same command again" in run.stderr
    assert not list(out.glob("part-*"))
    run = subprocess.run([*command, "--local"], env=os.environ | QUIET, capture_output=True)
    assert run.returncode == 0
    assert [row["error"] for row in results(out)] == [None] * 20


def test_half_a_line_in_the_ledger_is_no_harm(tmp_path):
    book = Ledger(str(tmp_path))
    book.begin("s", 0)
    book.row("s", 0, 1)
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text() + "begi")
    assert Ledger(str(tmp_path)).begin("s", 0) == (False, {1: 0})


# ---- rows that bring their process down ----------------------------------------------------------


def test_rows_that_end_their_process_are_found_one_by_one(tmp_path, deadly):
    """The first run falls over the first of two; the next tries it apart and falls over the other,
    and the last tries both apart."""
    source, out = make.folder(tmp_path / "in", 6), tmp_path / "out"
    poison(source, "0001.png", "0004.png")
    codes = []
    for _ in range(3):
        run = start(source, out, "--local", **deadly)
        said, _ = run.communicate()
        codes.append(run.returncode)
    assert codes == [-signal.SIGSEGV, -signal.SIGSEGV, 1]
    kinds = [row["error_kind"] for row in results(out)]
    assert kinds == [None, "crash", None, None, "crash", None]
    assert "--retry-lost" in said
    whole = make.folder(tmp_path / "whole", 6)
    run = start(whole, tmp_path / "unbroken", "--local")
    run.communicate()
    good = [row for row in content(out) if not row["error"]]
    assert good == [row for row in content(tmp_path / "unbroken") if row["id"] in
                    {other["id"] for other in good}]  # fmt: skip


def test_a_process_that_someone_killed_is_started_again(tmp_path, deadly, monkeypatch):
    """Signals from outside are not the row's: memory or an operator."""
    flag = tmp_path / "killed"
    code = CUSTOMIZE.replace("SIGSEGV", "SIGKILL").replace("if row", "if begin() < 5 and row")
    code += f"""
def begin():
    open({str(flag)!r} + f"/{{os.getpid()}}", "w").close()
    return len(os.listdir({str(flag)!r}))
"""
    flag.mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", deadly["PYTHONPATH"])
    book = Ledger(str(tmp_path / "rows"))
    book.begin("s", 0)
    book.row("s", 0, 0)
    (row,) = rows(1)
    told = work_chunk(
        JOB, [row._replace(data=(row.data or b"") + DEADLY)], "s", 0, Ledger(str(tmp_path / "rows"))
    )
    assert told is not None
    assert (len(told), told[0].get("error"), told[0]["tries"]) == (1, None, 5)


def test_a_worker_of_ray_that_a_row_ends_is_replaced_and_the_row_left(tmp_path, deadly):
    source, out = make.folder(tmp_path / "in", 6), tmp_path / "out"
    poison(source, "0001.png")
    run = start(source, out, "--workers", "1", **deadly)
    said, wrong = run.communicate()
    assert run.returncode == 1, wrong
    kinds = [row["error_kind"] for row in results(out)]
    assert kinds == [None, "crash", None, None, None, None]
    assert "crash: 1" in said


# ---- every promised row --------------------------------------------------------------------------


@pytest.mark.parametrize("why", ["crash", "missing", "empty"])
def test_a_document_that_cannot_be_used_has_a_row_for_every_page(why):
    row = Row("a.pdf", "a.pdf", "q", b"%PDF-1.4 ...", first=0, stop=256, named=True)
    if why == "missing":
        row = row._replace(data=None, kind="missing", error="gone")
    told = _crashed(row, 3, "ended") if why == "crash" else plan_row(JOB, row)
    assert [one["id"] for one in told] == [f"a.pdf#page={page}" for page in range(1, 257)]
    assert len({one["custom_id"] for one in told}) == 256
    kinds = {"empty": "picture"}
    assert {one["error_kind"] for one in told} == {kinds.get(why, why)}
    assert [one["page"] for one in told] == list(range(1, 257))


# ---- the machine ---------------------------------------------------------------------------------


def full(error: Exception, times: int):
    """A way to open pages that fails at first."""
    whole, left = work.open_page, [times]

    def open_page(row, page):
        if row.id.startswith("0001") and left[0]:
            left[0] -= 1
            raise error
        return whole(row, page)

    return open_page


MACHINE = [
    MemoryError(), OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EIO, "I/O"),
    OSError(errno.EMFILE, "Too many open files"), RuntimeError("can't allocate memory: 12 bytes"),
]  # fmt: skip


@pytest.mark.parametrize("error", MACHINE, ids=lambda error: f"{error!r:.40}")
def test_what_the_machine_fails_at_is_tried_again(tmp_path, batch, monkeypatch, error):
    monkeypatch.setattr("homunculus.batch.faults.PATIENCE", (0, 0))
    monkeypatch.setattr(work, "open_page", full(error, 2))
    source = make.folder(tmp_path / "in", 3)
    assert batch(source, tmp_path / "out")[0] == 0
    assert [row["error"] for row in results(tmp_path / "out")] == [None] * 3


@pytest.mark.parametrize("to", ["plans", "views"])
def test_rows_that_the_machine_lost_are_made_again_on_request(tmp_path, batch, monkeypatch, to):
    monkeypatch.setattr("homunculus.batch.faults.PATIENCE", (0, 0))
    source, out = make.folder(tmp_path / "in", 7), tmp_path / "out"
    words = ("--shard-rows", "3", "--to", to, "--model", "gpt-5.4")
    with monkeypatch.context() as patch:
        patch.setattr(work, "open_page", full(MACHINE[0], 99))
        code, said = batch(source, out, *words)
    assert (code, "machine: 1" in said, "--retry-lost" in said) == (1, True, True), said
    assert [row["error_kind"] for row in results(out)] == [None, "machine", *[None] * 5]
    assert batch(source, out, *words)[0] == 1  # still lost, and still said
    kept = {path: path.stat().st_mtime_ns for path in out.glob("part-*")}
    code, said = batch(source, out, *words, "--retry-lost")
    assert (code, "7 done, 0 errors" in said) == (0, True), said
    assert [row["id"] for row in results(out)] == [f"{index:04}.png" for index in range(7)]
    assert sum(path.stat().st_mtime_ns != kept[path] for path in out.glob("part-*")) == 1
    batch(source, tmp_path / "unbroken", *words)
    assert content(out) == content(tmp_path / "unbroken")
    assert requests(out) == requests(tmp_path / "unbroken")
    assert batch(source, out, *words)[0] == 0


def requests(out: Path) -> Counter[str]:
    return Counter(
        json.loads(line)["custom_id"]
        for path in out.glob("requests-*.jsonl")
        for line in path.read_text().splitlines()
    )


def test_storage_that_fails_is_not_the_row(tmp_path, batch, monkeypatch):
    from fsspec.implementations.local import LocalFileSystem

    monkeypatch.setattr("homunculus.batch.faults.PATIENCE", (0, 0))
    source = make.folder(tmp_path / "in", 3)
    whole = LocalFileSystem.open

    def fails(self, path, mode="rb", **more):
        if path.endswith("0001.png"):
            raise OSError(errno.EIO, "Input/output error")
        return whole(self, path, mode, **more)

    with monkeypatch.context() as patch:
        patch.setattr(LocalFileSystem, "open", fails)
        assert batch(source, tmp_path / "out")[0] == 1
    assert [row["error_kind"] for row in results(tmp_path / "out")] == [None, "machine", None]
    assert batch(source, tmp_path / "out", "--retry-lost")[0] == 0


def test_a_table_is_read_on_where_storage_failed_for_a_moment(tmp_path, batch, monkeypatch):
    from homunculus.batch import read

    monkeypatch.setattr("homunculus.batch.faults.PATIENCE", (0, 0))
    source, whole, left = make.parquet(tmp_path / "a.parquet", 9), read._row, [2]

    def fails(job, place, blank, *values):
        if blank.id.endswith("=4") and left[0]:
            left[0] -= 1
            raise OSError(errno.EIO, "Input/output error")
        return whole(job, place, blank, *values)

    monkeypatch.setattr(read, "_row", fails)
    assert batch(source, tmp_path / "out")[0] == 0
    told = results(tmp_path / "out")
    assert [row["id"] for row in told] == [f"a.parquet#row={index}" for index in range(9)]
    assert [row["error"] for row in told] == [None] * 9


def test_a_memory_error_of_the_driver_is_a_sentence(tmp_path, batch, monkeypatch):
    def without(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr("homunculus.batch.write.add_up", without)
        code, said = batch(make.folder(tmp_path / "in", 2), tmp_path / "out")
    assert (code, "Run the same command again" in said) == (1, True), said
    assert batch(tmp_path / "in", tmp_path / "out")[0] == 0


def test_errors_of_the_machine_are_known_by_their_cause():
    hidden = ValueError("a picture")
    hidden.__cause__ = OSError(errno.EMFILE, "Too many open files")
    assert is_machine_error(hidden)
    for error in (ValueError("x"), FileNotFoundError(errno.ENOENT, "x"), OSError("truncated")):
        assert not is_machine_error(error)
    with pytest.raises(ValueError, match="x"):
        patient(lambda: (_ for _ in ()).throw(ValueError("x")))
    assert set(LOST) == {"crash", "machine", "plan"}


# ---- Ray -----------------------------------------------------------------------------------------


def test_ray_that_does_not_start_is_a_sentence(tmp_path, monkeypatch, capsys):
    import ray

    from homunculus.commands.main import main

    def slow(**_: object) -> None:
        raise Exception("The current node timed out during startup. This could happen because\nx")

    monkeypatch.setattr(ray, "init", slow)
    source = make.folder(tmp_path / "in", 1)
    code = main(["batch", str(source), str(tmp_path / "out"), *make.FAST, "--workers", "1"])
    said = capsys.readouterr().err
    assert code == 1
    assert "timed out during startup" in said
    assert "--local" in said
    assert "Traceback" not in said


def test_a_cluster_that_is_not_there_is_a_sentence(tmp_path):
    source = make.folder(tmp_path / "in", 1)
    run = start(source, tmp_path / "out", "--workers", "1", "--address", "127.0.0.1:1")
    try:
        _, wrong = run.communicate(timeout=60)
    finally:
        run.kill()
    assert run.returncode == 1, wrong
    assert "Traceback" not in wrong
    assert "--address" in wrong


def test_the_ledger_on_ray_outlives_its_process(tmp_path):
    with cluster.ray_session(None, 1) as ray:
        book = cluster.remote_book(ray, str(tmp_path))
        book.begin("s", 0)
        book.row("s", 0, 2)
        pid = ray.get(book._actor.process.remote())
        os.kill(pid, signal.SIGKILL)
        assert book.begin("s", 0) == (False, {2: 0})
        assert ray.get(book._actor.process.remote()) != pid
