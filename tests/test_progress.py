"""Progress: one display at a time, one that moves at a terminal, now and then a line in a log."""

import time
from pathlib import Path

import pytest

from homunculus import progress as room
from homunculus.progress import Progress, lasting, progress
from terminal_help import terminal

SOURCE = Path(room.__file__).parents[1]
WORK = """
import time
from homunculus import progress

progress.PATIENCE = {patience}
with progress.progress("computing") as shown:
    {step}
    time.sleep(1.2)
print("done")
"""


def drawn(folder: Path, step: str, patience: float) -> list[str]:
    code, lines = terminal(["-c", WORK.format(step=step, patience=patience)], folder, SOURCE)
    assert (code, lines[-1]) == (0, "done")
    return lines[:-1]


def test_a_person_who_waits_sees_a_spinner(tmp_path: Path) -> None:
    lines = drawn(tmp_path, "shown.say('step one')", 0.1)
    assert len({line[0] for line in lines}) > 2, "it turns"
    assert {line[1:] for line in lines} == {" computing: step one"}


def test_a_person_who_does_not_wait_sees_nothing(tmp_path: Path) -> None:
    assert drawn(tmp_path, "shown.say('step one')", 60) == []


def test_steps_are_a_bar_at_once_and_work_inside_work_shares_it(tmp_path: Path) -> None:
    lines = drawn(tmp_path, "shown(1, 4)\n    with progress.progress('inside') as x: x(3, 4)", 60)
    assert lines
    assert all(line.count("computing") == 1 and "inside" not in line for line in lines)
    assert "3/4" in lines[-1]
    assert lines[-1].count("━") == round(room.BAR * 3 / 4)


def test_a_log_gets_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "EVERY", 0.1)
    with progress("training") as update:
        for step in range(5):
            update(10 + step, 20, "loss 1")
            time.sleep(0.1)
    lines = capsys.readouterr().err.splitlines()
    assert 2 <= len(lines) <= 5
    assert all(line.startswith("training 1") and "/20" in line for line in lines)
    assert "left, loss 1 (" in lines[-1]
    with progress("looking"):
        pass
    assert capsys.readouterr().err == ""


def test_what_is_left_counts_from_where_the_run_was_taken_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr(room, "monotonic", lambda: now[0])
    shown = Progress("training")
    shown(90, 100)
    now[0] = 5.0
    shown(91, 100)
    assert shown.line() == "training 91/100, 45 s left"  # not a tenth of a second a step
    shown(100, 100, "end")
    assert shown.line() == "training 100/100, end"


def test_time_is_told_as_people_do() -> None:
    assert [lasting(seconds) for seconds in (3.4, 89, 600, 7200)] == [
        "3 s",
        "89 s",
        "10 min",
        "2 h 0 min",
    ]
