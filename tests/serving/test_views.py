"""Planned views under vLLM: exactly K tokens, keys that hold what a plan goes by, same words."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import pytest
import torch
from vllm.config import ModelConfig
from vllm.multimodal import MULTIMODAL_REGISTRY
from vllm.multimodal.processing import ProcessorInputs, TimingContext

import homunculus
import tiny
from homunculus.engines.vllm import PREFIX, choose, register
from homunculus.engines.vllm.settings import ServerSettings
from serving.client import WORDS, page
from serving.conftest import EAGER, FEW, folder
from serving.test_exact_parity import said, talk

VIEWS = ("--method", "views")
IMAGE = "<|vision_start|><|image_pad|><|vision_end|>"
FLAGS = {"qwen2_5_vl": ("qwen2_5_vl", "--tokens", "64", *EAGER), "qwen3_vl": FEW}
SIZES = [(320, 480), (480, 320), (512, 512)]


def engine(family, tokens=64):
    hf = tiny.hub()
    model = hf.AutoModelForImageTextToText.from_pretrained(folder(family)).eval()
    processor = hf.AutoProcessor.from_pretrained(folder(family))
    return homunculus.attach(model, processor, tokens=tokens, method="views")


# ---- the processor, without a server -------------------------------------------------------------


def choosing(**settings):
    register()
    settings = ServerSettings(**{"tokens": 64, "method": "views"} | settings)
    config = ModelConfig(
        str(folder("qwen3_vl")), max_model_len=2048, dtype="float32", skip_tokenizer_init=False,
        hf_overrides={
            "architectures": [f"{PREFIX}Qwen3VLForConditionalGeneration"],
            "homunculus": asdict(settings),
        },
    )  # fmt: skip
    return MULTIMODAL_REGISTRY.create_processor(config)


def inputs(processor, *images, question="What is the total?"):
    text = f"<|im_start|>user\n{IMAGE * len(images)}{question}<|im_end|>\n"
    ids = processor.info.get_tokenizer().encode(text, add_special_tokens=False)
    return ProcessorInputs(ids, processor.info.parse_mm_data({"image": list(images)}))


def key(processor, image, question="What is the total?"):
    request = inputs(processor, image, question=question)
    return processor.apply(request, TimingContext())["mm_hashes"]["image"][0]


def test_a_key_holds_all_that_a_plan_goes_by():
    one = page(320, 480)
    first = key(choosing(), one)
    assert key(choosing(), one) == first
    others = [
        key(choosing(), one, "When was it?"),
        key(choosing(), page(320, 480, 1)),
        *[
            key(choosing(**other), one)
            for other in (
                {"tokens": 32},
                {"method": "windows"},
                {"context": 0.25},
            )
        ],
    ]
    assert len({first, *others}) == len(others) + 1


def test_a_late_image_is_shown_whole_and_its_choice_is_not_found_later():
    processor, image = choosing(), page(320, 480)
    request = inputs(processor, image)
    (search,) = processor.searches(request)
    processor.late.update([search.key])
    processor.late.update([search.key])  # another request waits for the same search
    processor.late -= Counter([search.key])  # and is done
    late = processor.apply(request, TimingContext())
    processor.late.clear()
    whole, *rest = late["mm_kwargs"]["image"][0][choose.PARTS].data.tolist()
    assert whole[2] > 32 >= sum(many for *_, many in rest)
    assert sum(one.length for one in late["mm_placeholders"]["image"]) == 64
    assert search.key not in processor.maps
    in_time = processor.apply(request, TimingContext())
    assert in_time["mm_hashes"]["image"] == [search.key] != late["mm_hashes"]["image"]


def test_a_search_ahead_gives_the_plan_of_a_search_in_place(monkeypatch):
    """How sure the scout is must come along with its map."""
    image = page(320, 480)
    placed, ahead = choosing(), choosing()
    request = inputs(ahead, image, question="Who signed the letter?")
    (search,) = ahead.searches(request)
    search.run()
    monkeypatch.setattr(choose, "search", None)  # not called again
    kept = ahead.apply(request, TimingContext())["mm_kwargs"]["image"][0]
    monkeypatch.undo()
    request = inputs(placed, image, question="Who signed the letter?")
    own = placed.apply(request, TimingContext())["mm_kwargs"]["image"][0]
    assert kept[choose.SIZES].data.tolist()[1] > 1
    for name in (choose.PARTS, choose.ANCHOR, choose.ORDER, "pixel_values"):
        assert torch.equal(kept[name].data, own[name].data), name


# ---- over HTTP -----------------------------------------------------------------------------------


def test_a_prompt_is_its_text_and_exactly_k_tokens_an_image(serve):
    server = serve(*FEW, *VIEWS)
    text = server.ask("What is the total?")["usage"]["prompt_tokens"]
    for tokens in (1, 16, 37, 64):
        more = {"mm_processor_kwargs": {"homunculus": {"tokens": tokens}}}
        for many in (1, 3):
            shown = [page(*size, seed) for seed, size in enumerate(SIZES[:many])]
            used = server.ask("What is the total?", *shown, **more)["usage"]["prompt_tokens"]
            assert used == text + many * (tokens + 2), (tokens, many)


def heard(server, image, question):
    """Log-probabilities of the five likeliest tokens."""
    more = {"logprobs": True, "top_logprobs": 5, "return_tokens_as_token_ids": True}
    answer = server.ask(question, image, **more)
    top = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    return {int(one["token"].removeprefix("token_id:")): one["logprob"] for one in top}


@pytest.mark.parametrize("family", FLAGS)
def test_the_same_is_said_as_by_transformers(serve, family):
    server, mine = serve(*FLAGS[family], *VIEWS), engine(family)
    windows = 0
    for seed, size in enumerate(SIZES):
        for question in WORDS[:2]:
            image = page(*size, seed)
            ours, theirs = said(mine, image, question), heard(server, image, question)
            windows += len(mine.prepare(talk(image, question)).images[0].choice.views) > 1
            assert int(ours.argmax()) == max(theirs, key=theirs.__getitem__)
            for token, value in theirs.items():
                assert abs(float(ours[token]) - value) < 1e-4
    assert windows


def test_interleaved_requests_answer_as_each_alone(serve):
    server = serve(*FEW, *VIEWS)
    cases = [(page(*SIZES[seed % 3], seed), one) for seed in range(4) for one in WORDS]
    order = list(range(len(cases)))
    random.Random(0).shuffle(order)
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda at: heard(server, *cases[at]), order)
        together = dict(zip(order, answers, strict=True))
    for at, case in enumerate(cases):
        server.forget()
        assert heard(server, *case) == pytest.approx(together[at], abs=1e-4)
    first = {round(max(one.values()), 4) for one in together.values()}
    assert len(first) > 0.8 * len(cases)  # questions do matter here
