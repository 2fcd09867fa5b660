"""The processor of a real vLLM config, without a server: keys, searches, bounds."""

from dataclasses import asdict

import pytest
from PIL import Image
from vllm.config import ModelConfig
from vllm.multimodal import MULTIMODAL_REGISTRY
from vllm.multimodal.processing import ProcessorInputs, TimingContext

from homunculus.engines.vllm import PREFIX, choose, processor, register
from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.settings import ServerSettings
from serving.client import page
from serving.conftest import folder

IMAGE = "<|vision_start|><|image_pad|><|vision_end|>"


@pytest.fixture(scope="module")
def choosing():
    register()
    path = folder("qwen3_vl")
    config = ModelConfig(
        str(path), max_model_len=2048, dtype="float32", skip_tokenizer_init=False,
        hf_overrides={
            "architectures": [f"{PREFIX}Qwen3VLForConditionalGeneration"],
            "homunculus": asdict(ServerSettings(tokens=64, pixels=10**6, override=True)),
        },
    )  # fmt: skip
    return MULTIMODAL_REGISTRY.create_processor(config)


def inputs(choosing, *images, question="What is the total?", **options):
    text = f"<|im_start|>user\n{IMAGE * len(images)}{question}<|im_end|>\n"
    ids = choosing.info.get_tokenizer().encode(text, add_special_tokens=False)
    items = choosing.info.parse_mm_data({"image": list(images)})
    return ProcessorInputs(ids, items, hf_processor_mm_kwargs=options)


def keys(choosing, *images, **more):
    return choosing.apply(inputs(choosing, *images, **more), TimingContext())["mm_hashes"]["image"]


def test_the_key_of_a_picture_holds_the_scout_s_version(choosing, monkeypatch):
    one = page(320, 480)
    first = keys(choosing, one)
    assert keys(choosing, one) == first
    assert keys(choosing, one, question="When was it?") != first
    monkeypatch.setattr(processor, "scout_version", lambda scout: "other weights")
    assert keys(choosing, one) != first


def test_a_search_is_made_once_and_used_by_the_processor(choosing, monkeypatch):
    shown = inputs(choosing, page(320, 480, 5), Image.new("RGB", (1, 1)), question="Who signed it?")
    (search,) = choosing.searches(shown)  # the small one keeps all it has
    search.run()
    assert choosing.searches(shown) == []
    whole = choosing.apply(shown, TimingContext())

    def never(*_):
        raise AssertionError("searched again")

    monkeypatch.setattr(choose, "search", never)
    again = choosing.apply(shown, TimingContext())
    assert again["prompt_token_ids"] == whole["prompt_token_ids"]
    choosing.maps.clear()
    with pytest.raises(AssertionError, match="searched again"):
        choosing.apply(shown, TimingContext())


def test_the_pixels_of_a_request_are_bounded(choosing):
    with pytest.raises(ValueError, match="at most 1000000 pixels per request, got 1228800"):
        choosing.searches(inputs(choosing, *[page(640, 640, seed) for seed in range(3)]))


def test_what_vllm_makes_up_at_start_up_is_not_counted(choosing):
    METER.expose()
    before = [one._value.get() for one in METER._counters.values()]
    choosing.get_dummy_mm_inputs({"image": 1})
    assert [one._value.get() for one in METER._counters.values()] == before
    choosing.apply(inputs(choosing, page(320, 480)), TimingContext())
    assert [one._value.get() for one in METER._counters.values()] != before
