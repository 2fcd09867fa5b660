"""How the command line ends: a user's mistake is 2, a failure or a bug is 1, and says so."""

import json
import re

import pytest

from homunculus import __version__
from homunculus.commands.errors import raised_on_purpose
from homunculus.commands.main import main
from homunculus.planner import cost


def raised(act) -> ValueError:
    with pytest.raises(ValueError) as found:  # noqa: PT011 - its text does not matter
        act()
    return found.value


class Strange:
    """In place of a pattern: what it finds are no numbers."""

    def fullmatch(self, text: str):
        return re.fullmatch("(.*)x(.*)", "ax" + text[0])


def theirs() -> None:
    raise ValueError("a library does not like its input")


def test_an_error_of_ours_is_on_purpose_and_any_other_is_not(monkeypatch) -> None:
    assert raised_on_purpose(raised(lambda: cost.costs("0x5")))
    assert not raised_on_purpose(raised(theirs))
    monkeypatch.setattr(cost, "_SIZE", Strange())
    assert not raised_on_purpose(raised(lambda: cost.costs("1x5")))  # int("a") in our own line
    assert not raised_on_purpose(ValueError("never raised"))


def test_a_mistake_of_the_user_ends_with_2_and_no_word_of_bugs(capsys) -> None:
    assert main(["cost", "0x5"]) == 2
    told = capsys.readouterr().err
    assert told == "homunculus cost: expected width x height from 1 pixel on, got 0x5.\n"


@pytest.mark.parametrize("kind", [ValueError, RuntimeError, KeyError, AssertionError])
def test_a_bug_ends_with_1_and_says_what_to_report(capsys, monkeypatch, kind) -> None:
    def broken(*_: object) -> None:
        raise kind("shapes do not fit")

    monkeypatch.setattr(cost, "costs", broken)
    assert main(["cost", "5x5", "--model", "a b"]) == 1
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert told.startswith(f"homunculus cost: {kind.__name__}: ")
    assert "shapes do not fit" in told
    assert "This is a bug in homunculus, please report it" in told
    assert "homunculus cost 5x5 --model 'a b'" in told
    assert f"homunculus {__version__}, Python 3." in told
    assert "--debug" in told


def test_a_value_error_out_of_a_builtin_is_a_bug(capsys, monkeypatch) -> None:
    monkeypatch.setattr(cost, "_SIZE", Strange())
    assert main(["cost", "1x5"]) == 1
    assert "This is a bug in homunculus" in capsys.readouterr().err


@pytest.mark.parametrize("read", [lambda: json.loads("{"), lambda: b"\xff".decode()])
def test_a_broken_file_of_the_user_is_no_bug(capsys, monkeypatch, read) -> None:
    monkeypatch.setattr(cost, "costs", lambda *_: read())
    assert main(["cost", "5x5"]) == 2
    told = capsys.readouterr().err
    assert "expected JSON or text in UTF-8, got something else" in told
    assert "bug" not in told


@pytest.mark.parametrize("words", [["--debug", "cost", "0x5"], ["cost", "0x5", "--debug"]])
def test_debug_shows_the_traceback_of_a_mistake_too(capsys, words) -> None:
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.startswith("Traceback (most recent call last)")
    assert told.endswith("homunculus cost: expected width x height from 1 pixel on, got 0x5.\n")


def test_a_failure_of_the_machine_is_neither_a_mistake_nor_a_bug(capsys, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cost, "costs", full)
    assert main(["cost", "5x5"]) == 1
    told = capsys.readouterr().err
    assert "No space left on device" in told
    assert "bug" not in told
