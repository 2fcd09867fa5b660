"""The same image, question and weights: vLLM keeps the same cells and says the same."""

import httpx
import pytest
import torch

import homunculus
import tiny
from homunculus.engines.vllm.choose import ANCHOR, ImageInputs, choose_tokens
from homunculus.engines.vllm.settings import ServerSettings
from homunculus_lab.speed.server import NAME, PATIENCE, STOCK, ServerProcess
from serving.client import WORDS, page, turn
from serving.conftest import EAGER, FEW, folder
from serving.test_exact import WAYS

SIZES = [(320, 480), (480, 320), (512, 512), (200, 640)]
FAMILIES = {"qwen3_vl": WAYS[2], "qwen2_5_vl": WAYS[3], "qwen2_vl": ("qwen2_vl", *EAGER)}


def engine(family, where="before", tokens=64):
    hf = tiny.hub()
    model = hf.AutoModelForImageTextToText.from_pretrained(folder(family)).eval()
    processor = hf.AutoProcessor.from_pretrained(folder(family))
    return homunculus.attach(model, processor, tokens=tokens, where=where)


def talk(image, question):
    parts = [{"type": "image", "image": image}, {"type": "text", "text": question}]
    return [{"role": "user", "content": parts}]


def said(engine, image, question):
    """Log-probabilities of the next token."""
    with torch.inference_mode():
        inputs = engine.prepare(talk(image, question))
        out = engine.model.generate(
            **inputs, max_new_tokens=1, do_sample=False,
            return_dict_in_generate=True, output_scores=True,
        )  # fmt: skip
    return out.scores[0][0].log_softmax(-1)


def heard(server, image, question):
    """The same from the server, for its five likeliest tokens."""
    more: dict = {"logprobs": True, "top_logprobs": 5, "return_tokens_as_token_ids": True}
    more["mm_processor_kwargs"] = {"homunculus": {"tokens": 64}}
    answer = server.ask(question, image, **more)
    top = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    return {int(one["token"].removeprefix("token_id:")): one["logprob"] for one in top}


def agree(server, engine, size, seed, question):
    image = page(*size, seed)
    ours, theirs = said(engine, image, question), heard(server, image, question)
    assert int(ours.argmax()) == max(theirs, key=theirs.__getitem__)
    for token, value in theirs.items():
        assert abs(float(ours[token]) - value) < 1e-4


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_is_said(serve, family):
    server, mine = serve(*FAMILIES[family], "--allow-override"), engine(family)
    for seed, size in enumerate(SIZES):
        for question in WORDS:
            agree(server, mine, size, seed, question)


def test_the_same_is_said_where_tokens_are_chosen_after_the_encoder(serve):
    server, mine = serve(*FEW, "--where", "after"), engine("qwen3_vl", where="after")
    for seed, size in enumerate(SIZES[:2]):
        for question in WORDS[:2]:
            agree(server, mine, size, seed, question)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("where", ["before", "after"])
def test_the_same_cells_are_kept(family, where):
    mine = engine(family, where)
    images = [page(*size, seed) for seed, size in enumerate(SIZES)]
    inputs = ImageInputs(mine.model.config, mine.processor.image_processor, {}, torch.float32)
    for question in WORDS:
        found = choose_tokens(
            inputs, images, [question] * 4, ServerSettings(tokens=64, where=where)
        )
        for image, anchor in zip(images, found[ANCHOR].split(64), strict=True):
            (look,) = mine.prepare(talk(image, question)).images
            assert anchor.tolist() == look.choice.anchor.tolist()


def test_who_keeps_all_says_what_stock_vllm_says(serve):
    """An image of fewer cells than the budget: as if the plugin were not there."""
    stock = ServerProcess(STOCK, folder("qwen3_vl"), "--dtype", "float32", *EAGER).wait()
    try:
        client = httpx.Client(base_url=stock.url, timeout=PATIENCE)
        for seed, question in enumerate(WORDS):
            image = page(96, 160, seed)  # 60 cells
            told = {"model": NAME, "messages": [turn(question, image)], "max_tokens": 4}
            told |= {"temperature": 0, "logprobs": True}
            found = [
                [
                    word["logprob"]
                    for word in one.post("/v1/chat/completions", json=told).json()["choices"][0][
                        "logprobs"
                    ]["content"]
                ]
                for one in (client, serve(*FEW).client)
            ]
            assert found[0] == pytest.approx(found[1], abs=1e-5)
        client.close()
    finally:
        stock.stop()
