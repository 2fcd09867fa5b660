"""Runs that are killed lose at most a line of their journal, and end as an unbroken run does."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from homunculus_lab.measure.journal import Journal, fingerprint, write_once

SOURCE = Path(__file__).parents[2] / "src"
HEAD = {"config": 1}


def test_batches_are_there_again(tmp_path) -> None:
    journal = Journal(tmp_path / "j", HEAD, {"commit": "a"})
    assert not journal.resumed
    assert journal.add("one", [{"x": (1, 0.1)}]) == [{"x": [1, 0.1]}]  # as it will be read
    journal.add("two", None)
    journal.close()
    again = Journal(tmp_path / "j", HEAD, {"commit": "b"})
    assert again.resumed
    assert again.done == {"one": [{"x": [1, 0.1]}], "two": None}
    assert again.origin == {"commit": "a"}  # how it began
    again.close()


@pytest.mark.parametrize("torn", [b'["three", [1, 2', b'["three",[1]]', b"\xff\xfe", b'["a"'])
def test_a_torn_line_is_lost_and_nothing_else(tmp_path, torn) -> None:
    journal = Journal(tmp_path / "j", HEAD, {})
    journal.add("one", 1)
    journal.close()
    with (tmp_path / "j").open("ab") as file:
        file.write(torn)
    again = Journal(tmp_path / "j", HEAD, {})
    assert again.done == {"one": 1}
    again.add("two", 2)
    again.close()
    last = Journal(tmp_path / "j", HEAD, {})
    assert last.done == {"one": 1, "two": 2}
    last.close()


def test_the_journal_of_another_run_is_refused(tmp_path) -> None:
    Journal(tmp_path / "j", HEAD, {}).close()
    with pytest.raises(ValueError, match="journal of another run"):
        Journal(tmp_path / "j", {"config": 2}, {})
    first = Journal(tmp_path / "j", HEAD, {})
    with pytest.raises(ValueError, match="being written by another run"):
        Journal(tmp_path / "j", HEAD, {})
    first.close()


def test_every_batch_is_on_disk_before_the_next_begins(tmp_path, monkeypatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append((tmp_path / "j").stat().st_size))
    journal = Journal(tmp_path / "j", HEAD, {})
    journal.add("one", 1)
    journal.add("two", 2)
    assert synced == sorted(set(synced))
    assert len(synced) == 3
    journal.close()


def test_a_result_is_written_once(tmp_path) -> None:
    write_once(tmp_path / "r.json", "1")
    with pytest.raises(ValueError, match="not overwritten"):
        write_once(tmp_path / "r.json", "2")
    assert (tmp_path / "r.json").read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})


# ---- for real ------------------------------------------------------------------------------------


@pytest.fixture
def suite(tmp_path) -> Path:
    """Five small pages with two printed lines each."""
    font = ImageFont.load_default(24)
    folder, rows = tmp_path / "suites" / "printed", []
    (folder / "images").mkdir(parents=True)
    for at in range(5):
        page = Image.new("RGB", (320, 224), "white")
        pen, name = ImageDraw.Draw(page), f"page{at}.png"
        for text, y in ((f"Total {at}40723", 30), (f"Order {at}5519", 150)):
            pen.text((20 + 10 * at, y), text, "black", font)
            box = [18 + 10 * at, y - 2, 220 + 10 * at, y + 30]
            asked = {"question": f"Which {text.split()[0]} is it?", "answers": [text]}
            rows.append({"image": name, "boxes": [box]} | asked)
        page.save(folder / "images" / name)
    (folder / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return folder


def run(folder: Path) -> subprocess.Popen:
    folder.mkdir(exist_ok=True)
    spared = ["random", "uniform", "centre", "pool", "saliency", "prior", "oracle"]
    flags = ["--methods", "cut", "--tokens", "48", "--side", "320", "--without", *spared]
    flags += ["--skip", "cost", "pages", "--cache", "cache", "-o", "run.json"]
    nowhere = {"GIT_DIR": "nowhere", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(SOURCE)}
    return subprocess.Popen(
        [sys.executable, "-m", "homunculus", "measure", "../suites", *flags],
        cwd=folder, env=os.environ | nowhere, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def killed(folder: Path, lines: int) -> int:
    """Kill a run as soon as its journal has so many lines; how many it then has."""
    work, journal = run(folder), folder / "run.json.journal"
    start = time.monotonic()
    while not journal.exists() or journal.read_bytes().count(b"\n") < lines:
        assert work.poll() is None, work.communicate()[1]
        assert time.monotonic() - start < 300
        time.sleep(0.002)
    work.send_signal(signal.SIGKILL)
    work.communicate()
    assert work.returncode == -signal.SIGKILL
    return journal.read_bytes().count(b"\n")


@pytest.mark.slow
def test_a_run_killed_twice_ends_with_the_result_of_an_unbroken_one(tmp_path, suite) -> None:
    whole = run(tmp_path / "whole")
    told = whole.communicate()[1]
    assert whole.returncode == 0, told
    broken = tmp_path / "broken"
    first = killed(broken, 3)
    second = killed(broken, first + 3)
    assert 3 <= first < second
    assert not (broken / "run.json").exists()
    rest = run(broken)
    assert rest.communicate()[1] is not None
    assert rest.returncode == 0
    assert (broken / "run.json").read_bytes() == (tmp_path / "whole" / "run.json").read_bytes()
    assert not (broken / "run.json.journal").exists()
    result = json.loads((broken / "run.json").read_text())
    assert [one["n"] for one in result["runs"]] == [10]
    assert "page0" not in (broken / "run.json").read_text()
    again = run(broken)
    assert "not overwritten" in again.communicate()[1]
    assert again.returncode == 2
