"""`homunculus serve`: our flags into vLLM's overrides, the rest as it came."""

import json
import os

import pytest

import tiny
from homunculus.cli import main
from homunculus.engines.vllm import command
from homunculus.engines.vllm.serving import Serving


@pytest.fixture
def folder():
    return str(tiny.folder("qwen3_vl"))


def flag(words, name):
    return words[words.index(name) + 1]


def test_a_dry_run_shows_the_command(folder, capsys):
    tiny.hub()
    assert main(["serve", folder, "--tokens", "64", "--port", "81", "--dry-run", "-tp", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"vllm serve {folder} --port 81 -tp 2 --hf-overrides")
    assert "HomunculusQwen3VLForConditionalGeneration" in out
    assert '"tokens": 64' in out


def test_other_verbs_still_refuse_strange_flags(capsys):
    assert main(["methods", "--port", "81"]) == 2
    assert "--port" in capsys.readouterr().err


def test_overrides_of_others_are_kept(folder):
    tiny.hub()
    for given in (["--hf-overrides", '{"rope": 1}'], ['--hf-overrides={"rope": 1}']):
        words = command.told(folder, Serving(), ["--port", "1", *given])
        assert words[:2] == ["--port", "1"]
        told = json.loads(flag(words, "--hf-overrides"))
        assert told["rope"] == 1
        assert told["homunculus"]["tokens"] == 273


def test_limits_are_ours_unless_given(folder):
    tiny.hub()
    words = command.told(folder, Serving(images=3), [])
    assert json.loads(flag(words, "--limit-mm-per-prompt")) == {"image": 3, "video": 0}
    mine = ["--limit-mm-per-prompt", '{"image": 1}']
    assert command.told(folder, Serving(), mine).count("--limit-mm-per-prompt") == 1
    assert "--trust-request-mm-kwargs" in command.told(folder, Serving(override=True), [])
    assert "--trust-request-mm-kwargs" not in command.told(folder, Serving(), [])


def test_a_family_that_is_not_served_is_told_so(capsys):
    tiny.hub()
    assert main(["serve", str(tiny.folder("gemma3")), "--dry-run"]) == 2
    assert "Qwen3VLForConditionalGeneration" in capsys.readouterr().err


def test_it_becomes_vllm(folder, monkeypatch):
    """A stand-in for vLLM and for exec, which would not come back."""
    tiny.hub()
    taken = []
    monkeypatch.setattr(command, "need", lambda name, *_: __import__(name) if name != "vllm" else 0)
    monkeypatch.setattr(os, "execve", lambda *words: taken.append(words) or 0)
    monkeypatch.setenv("VLLM_PLUGINS", "lora")
    assert main(["serve", folder, "--max-pixels", "1000000"]) == 0
    (_, words, surroundings) = taken[0]
    assert words[1:4] == ["-m", "vllm.entrypoints.cli.main", "serve"]
    assert surroundings["VLLM_MAX_IMAGE_PIXELS"] == "1000000"
    assert set(surroundings["VLLM_PLUGINS"].split(",")) == {"lora", "homunculus"}
