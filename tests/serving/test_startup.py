"""Start-up: every spelling of vLLM's flags is understood; what would serve other counts ends."""

import json
import os
import subprocess
import sys
from dataclasses import asdict

import pytest
import vllm
from prometheus_client import REGISTRY
from vllm.model_executor.model_loader import utils
from vllm.multimodal.processing import BaseMultiModalProcessor

import tiny
from homunculus.engines.vllm import check_names, check_version, launch
from homunculus.engines.vllm.launch import self_test
from homunculus.engines.vllm.processor import ProcessorMixin
from homunculus.engines.vllm.stock import MIDDLEWARE, VARIABLE
from serving.client import page, turn
from serving.conftest import folder

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
REFUSED = {
    "broken JSON": ["--hf-overrides", '{"rope": '],
    "no object": ["--hf-overrides", "[1]"],
    "our entry": ["--hf-overrides.homunculus.tokens", "9"],
    "two limits": ["--max-images", "3", "--limit-mm-per-prompt.image", "2"],
    "no images": ["--limit-mm-per-prompt.image", "0"],
    "no trust": ["--allow-override", "--no-trust-request-mm-kwargs"],
    "no value": ["--hf-overrides.rope"],
    "no file": ["--config", "/none.yaml"],
    "two models": ["--model", "other"],
}


SETTING = {"tokens": 64}
SHARED = ("hf_overrides", "limit_mm_per_prompt", "trust_request_mm_kwargs", "model")
PLAIN = ("--dtype", "float32", "--max-model-len", "2048")


@pytest.fixture
def model():
    return str(folder("qwen3_vl"))


def shared(arguments):
    return [getattr(arguments, name) for name in SHARED]


# ---- the command line ----------------------------------------------------------------------------


def prepared(words):
    """vLLM's arguments with ours added."""
    return launch.prepare(["serve", *words], SETTING)[0]


@pytest.mark.parametrize("spelling", OVERRIDES)
def test_overrides_are_kept_in_every_spelling(model, spelling):
    arguments = prepared([model, *OVERRIDES[spelling]])
    assert arguments.hf_overrides["rope"] == 1
    assert arguments.hf_overrides["homunculus"]["tokens"] == 64
    assert arguments.hf_overrides["architectures"] == ["HomunculusQwen3VLForConditionalGeneration"]


@pytest.mark.parametrize("spelling", LIMITS)
def test_limits_are_kept_in_every_spelling(model, spelling):
    arguments = prepared([model, *LIMITS[spelling]])
    assert arguments.limit_mm_per_prompt == {"image": 2, "video": 0}
    assert arguments.hf_overrides["homunculus"]["images"] == 2


def test_dotted_keys_nest_and_make_lists(model):
    keys = ["--hf-overrides.text_config.size", "32k", "--hf_overrides.names+=a,b"]
    found = prepared([model, *keys, "--hf-overrides.window", "1K"]).hf_overrides
    assert (found["text_config"], found["names"]) == ({"size": 32_000}, ["a", "b"])
    assert found["window"] == 1024


def test_flags_in_a_yaml_file_are_kept(model, tmp_path):
    file = tmp_path / "vllm.yaml"
    file.write_text(
        f"model: {model}\nhf_overrides: {{rope: 1}}\nlimit-mm-per-prompt: {{image: 2}}\n"
        "trust-request-mm-kwargs: true\n"
    )
    arguments = prepared(["--config", str(file)])
    assert shared(arguments)[1:] == [{"image": 2, "video": 0}, True, model]
    assert arguments.hf_overrides["rope"] == 1
    limits = prepared([model, "--config", str(file), "--limit-mm-per-prompt.image", "3"])
    assert limits.limit_mm_per_prompt == {"image": 3, "video": 0}


def test_the_model_may_stand_anywhere(model):
    for words in (["--model", model], ["-tp", "2", f"--model={model}"], [model, "-tp", "2"]):
        assert prepared(words).model == model
    assert launch.prepare(["serve", "-tp", "2", model], SETTING)[0].model == model


@pytest.mark.parametrize("kind", REFUSED)
def test_what_contradicts_itself_is_refused(model, capsys, kind):
    words = REFUSED[kind]
    setting = dict(SETTING, override="--allow-override" in words)
    if "--max-images" in words:
        setting["images"] = 3
    words = [word for word in words if word not in ("--allow-override", "--max-images", "3")]
    with pytest.raises((ValueError, SystemExit)) as raised:
        launch.prepare(["serve", model, *words], setting)
    assert raised.type is ValueError or "error: " in capsys.readouterr().err


def test_servers_that_prepare_no_images_by_plugins_are_refused(model, monkeypatch):
    for flag in ("--grpc", "--enable-scale-out", "--tokens-only", "--language-model-only"):
        with pytest.raises(ValueError, match=flag):
            launch.prepare(["serve", model, flag], SETTING)
    with pytest.raises(ValueError, match="expected a model"):
        launch.prepare(["serve", "-tp", "2"], SETTING)
    monkeypatch.setenv("VLLM_USE_RUST_FRONTEND", "1")
    with pytest.raises(ValueError, match="VLLM_USE_RUST_FRONTEND"):
        launch.prepare(["serve", model], SETTING)


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


REVISIONS = """
from homunculus.engines.vllm import launch
print(launch.prepare(["serve", "some/model", "--revision", "v2"], {})[0].hf_overrides)
launch.main(["{}", "serve", "some/model"])
"""


def test_the_revision_says_which_config_is_read_and_mistakes_end_with_a_sentence(tmp_path):
    environment = os.environ | hub_with_revisions(tmp_path)
    words = [sys.executable, "-c", REVISIONS]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert "HomunculusQwen3VLForConditionalGeneration" in done.stdout, done.stderr
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("homunculus serve: expected a model of Qwen3VL")
    assert "Traceback" not in done.stderr


# ---- the vLLM that is there ----------------------------------------------------------------------


def test_another_version_is_refused(monkeypatch):
    for version in ("0.32.0", "0.32.1.dev3+cpu", "0.32"):
        monkeypatch.setattr(vllm, "__version__", version)
        check_version()
    for version in ("0.33.0", "0.31.2", "0.320.1", "dev"):
        monkeypatch.setattr(vllm, "__version__", version)
        with pytest.raises(ValueError, match=f"tested with vLLM 0.32.x, found {version}"):
            check_version()


def test_a_name_that_is_gone_is_told(monkeypatch):
    check_names()
    monkeypatch.delattr(BaseMultiModalProcessor, "_get_mm_hashes")
    with pytest.raises(ValueError, match=r"without .*Qwen2VLMultiModalProcessor\._get_mm_hashes"):
        check_names()


# ---- the self-test -------------------------------------------------------------------------------


def outcome(model, *words, **setting):
    return self_test(*launch.prepare(["serve", model, *PLAIN, *words], SETTING | setting))


def test_the_self_test_counts_the_tokens_of_an_image(model):
    found = outcome(model)
    assert (
        found
        == "Qwen3VLForConditionalGeneration, 64 tokens per image, self-test passed (64 of 144)"
    )
    assert outcome(model, where="after").endswith("(64 of 144)")
    assert outcome(model, method="stratified", question_from="none").endswith("(64 of 144)")
    assert outcome(model, method="resize", tokens=31).endswith("(30 of 64)")


def test_the_self_test_is_no_request(model):
    names = ("images_total", "tokens_kept_total", "tokens_native_total", "selection_seconds_count")
    outcome(model)  # from now on there are counters
    before = [REGISTRY.get_sample_value(f"homunculus:{name}") for name in names]
    outcome(model)
    assert [REGISTRY.get_sample_value(f"homunculus:{name}") for name in names] == before
    assert None not in before


def test_an_image_of_fewer_tokens_costs_its_own(model):
    assert outcome(model, tokens=5000).endswith("(1156 of 1156)")
    few = ("--mm-processor-kwargs", json.dumps({"size": {"longest_edge": 16 * 16 * 40}}))
    assert outcome(model, *few).endswith("(36 of 36)")


def test_a_model_that_vllm_serves_by_another_class_is_refused(model, monkeypatch):
    known = vllm.ModelRegistry.models
    stock = known["Qwen3VLForConditionalGeneration"]
    monkeypatch.setitem(known, "HomunculusQwen3VLForConditionalGeneration", stock)
    monkeypatch.setattr(utils, "_MODEL_ARCH_BY_HASH", {})
    with pytest.raises(ValueError, match=r"by a class of homunculus, got vllm\..*qwen3_vl"):
        outcome(model)
    with pytest.raises(ValueError, match="not a registered model in the Transformers library"):
        outcome(model, "--model-impl", "transformers")


def test_a_plugin_that_vllm_does_not_load_is_told(model, monkeypatch):
    known = vllm.ModelRegistry.models
    for name in [name for name in known if name.startswith("Homunculus")]:
        monkeypatch.delitem(known, name)
    with pytest.raises(ValueError, match="the plugin was not loaded"):
        outcome(model)


def test_an_image_of_other_costs_is_refused(model, monkeypatch):
    monkeypatch.delattr(ProcessorMixin, "_get_prompt_updates")
    with pytest.raises(ValueError, match="expected 64 tokens of an image that has 144, got 144"):
        outcome(model)


def test_a_processor_that_fails_is_told(model, monkeypatch):
    monkeypatch.delattr(ProcessorMixin, "_unit")
    with pytest.raises(ValueError, match="expected 64 tokens of a test image, got AttributeError"):
        outcome(model)


# ---- a server ------------------------------------------------------------------------------------


def test_a_server_with_the_operators_flags_in_vllms_spellings(serve, monkeypatch):
    """Two API servers, so that arguments go through to processes of their own."""
    monkeypatch.setenv("VLLM_MAX_IMAGE_PIXELS", "300000")
    server = serve(
        "qwen3_vl", "--tokens", "64", "--hf-overrides.foo", "1", "--limit_mm_per_prompt",
        '{"image": 2}', "--api-server-count", "2", "--enforce-eager",
    )  # fmt: skip
    texts = server.ask("What?")["usage"]["prompt_tokens"]
    one = server.ask("What?", page(320, 480))["usage"]["prompt_tokens"]
    two = server.ask("What?", page(320, 480), page(96, 96))["usage"]["prompt_tokens"]
    marks = one - texts - 64
    assert 0 <= marks <= 2
    assert two == texts + 64 + 36 + 2 * marks
    answer = server.post([turn("What?", *[page(96, 96)] * 3)])
    assert answer.status_code == 400
    answer = server.post([turn("What?", page(600, 600))])
    assert answer.status_code == 400
    assert "300000" in answer.text


# ---- families that vLLM's own classes serve ------------------------------------------------------


@pytest.fixture
def small():
    return str(folder("smolvlm"))


def test_another_family_keeps_vllms_class_and_gets_the_middleware(small, monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    setting = {"tokens": 95, "images": 3}
    arguments, settings = launch.prepare(["serve", small, *PLAIN], setting)
    assert json.loads(os.environ[VARIABLE]) == asdict(settings)
    assert arguments.middleware == [MIDDLEWARE]
    assert arguments.mm_processor_kwargs == {"do_image_splitting": False}
    assert arguments.limit_mm_per_prompt == {"video": 0, "image": 15}
    assert not arguments.hf_overrides
    passed = launch.count_views(arguments, settings)
    assert passed == (
        "SmolVLMForConditionalGeneration, up to 4 views of 19 tokens per image within 95, "
        "self-test passed"
    )


@pytest.mark.parametrize(
    ("words", "setting", "fault"),
    [
        (("--mm-processor-kwargs", '{"do_image_splitting": true}'), {"tokens": 95}, "No rule fits"),
        ((), {"tokens": 18}, "18 tokens are too few for any image"),
        ((), {"tokens": 95, "where": "after"}, "--where is for Qwen's models, got 'after'"),
    ],
)
def test_what_another_family_cannot_do_is_refused(small, monkeypatch, words, setting, fault):
    monkeypatch.setenv(VARIABLE, "")
    with pytest.raises(ValueError, match=fault):
        launch.count_views(*launch.prepare(["serve", small, *PLAIN, *words], setting))
