"""Families that vLLM's own classes serve: views as ordinary images, by the middleware.

One server each. HOMUNCULUS_REQUESTS=200 for more interleaved requests, HOMUNCULUS_FAMILIES=all for
Gemma 3, and for Idefics3, which vLLM serves by the class of SmolVLM.
"""

import base64
import json
import os
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from io import BytesIO

import pytest
import torch
from PIL import Image

import tiny
from homunculus.engines.vllm.stock import MIDDLEWARE, STOCK_FAMILIES, VARIABLE
from homunculus.planner.counting import CountingRule
from homunculus.planner.tiles import AnyResolutionRule, FlatRule
from homunculus.serve import Rewriter
from homunculus_lab.speed.server import OURS, STOCK
from serving.client import page, turn
from serving.conftest import EAGER, Served, folder

REQUESTS = int(os.environ.get("HOMUNCULUS_REQUESTS", "24"))
ALL = os.environ.get("HOMUNCULUS_FAMILIES") == "all"
SIZES = [(320, 480), (480, 320), (512, 512), (200, 640)]
ASKED = ("What is the total?", "Who signed the letter?", "What is the date?", "Name of the shop?")
"""Words that stand on the pages: where to look is known, and windows are shown."""


@dataclass(frozen=True)
class Family:
    """What a tiny model's images cost, written down by hand."""

    architecture: str
    rule: CountingRule
    tokens: int
    """The budget."""
    exact: bool = True
    """Whether every view costs the same."""
    options: dict = field(default_factory=dict)
    """Of the processor, as the server sets them."""
    same: bool = True
    """Whether vLLM's own model says what transformers' does, of any image."""


LINE = 3
"""Tokens of the line before each view."""


def flat(architecture, price, side, views, **options):
    rule = FlatRule(architecture, side, price=price, pixels=side)
    return Family(architecture, rule, views * (price + LINE), options=options)


TILED = AnyResolutionRule("llava", 8, pixels=40, cells_per_tile=5, tiles=6, one_base=False)
SOME = {
    "smolvlm": flat("SmolVLMForConditionalGeneration", 19, 64, 5, do_image_splitting=False),
    "llava_onevision": Family("LlavaOnevisionForConditionalGeneration", TILED, 165, exact=False),
    "internvl": flat(
        "InternVLForConditionalGeneration", 11, 48, 4, crop_to_patches=False, max_patches=1
    ),
}
if ALL:
    SOME["gemma3"] = replace(
        flat("Gemma3ForConditionalGeneration", 256, 128, 2, do_pan_and_scan=False), same=False
    )
    SOME["idefics3"] = flat("Idefics3ForConditionalGeneration", 19, 64, 3, do_image_splitting=False)


@pytest.fixture(params=SOME, scope="module")
def served(request):
    """A server of the family; one is vLLM's own command, with a variable and a flag."""
    name, family = request.param, SOME[request.param]
    flags = ("--enable-prompt-tokens-details", "--max-model-len", "3072", *EAGER)
    if name == "internvl":
        told = {"tokens": family.tokens, "images": 2, "seconds": 600}
        os.environ[VARIABLE] = json.dumps(told)
        limits = json.dumps({"image": 10, "video": 0})
        more = ("--middleware", MIDDLEWARE, "--mm-processor-kwargs", json.dumps(family.options))
        more += ("--limit-mm-per-prompt", limits)
        server = Served(name, *flags, *more, program=STOCK)
        del os.environ[VARIABLE]
    else:
        more = ("--tokens", str(family.tokens), "--max-search-seconds", "600", "--max-images", "2")
        server = Served(name, *flags, *more, program=OURS)
    yield name, family, server.wait()
    server.stop()


def answer(server, message, words=6):
    more = {"max_tokens": words, "logprobs": True, "return_tokens_as_token_ids": True}
    told = server.post([message], ignore_eos=True, **more)
    assert told.status_code == 200, told.text
    told = told.json()
    content = told["choices"][0]["logprobs"]["content"]
    tokens = [int(one["token"].removeprefix("token_id:")) for one in content]
    return told["usage"]["prompt_tokens"], tokens, content[0]["logprob"]


def shown(family, message):
    """The message as it should reach the model, with Pillow's images, and what it costs."""
    rewriter = Rewriter(family.tokens, model=family.rule, beyond=True)
    body, report = rewriter.request({"messages": [message]})
    parts = []
    for part in body["messages"][0]["content"]:
        if part["type"] == "text":
            parts.append(part)
            continue
        data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
        parts.append({"type": "image", "image": Image.open(BytesIO(data)).convert("RGB")})
    return parts, report


def said(name, family, parts, words=6):
    """What transformers' own model says to the same views: length of the prompt, and tokens."""
    hf = tiny.hub()
    model = hf.AutoModelForImageTextToText.from_pretrained(folder(name)).eval()
    processor = hf.AutoProcessor.from_pretrained(folder(name))
    talk = [{"role": "user", "content": parts}]
    text = processor.apply_chat_template(talk, add_generation_prompt=True)
    images = [part["image"] for part in parts if part["type"] == "image"]
    inputs = processor(text=text, images=images, return_tensors="pt", **family.options)
    with torch.inference_mode():
        out = model.generate(
            **inputs, max_new_tokens=words, min_new_tokens=words, do_sample=False,
            return_dict_in_generate=True, output_scores=True,
        )  # fmt: skip
    length = inputs["input_ids"].shape[1]
    tokens = out.sequences[0, length:].tolist()
    return length, tokens, float(out.scores[0][0].log_softmax(-1)[tokens[0]])


def test_views_cost_what_the_rule_says_and_the_model_says_what_transformers_says(served):
    name, family, server = served
    assert family.architecture in STOCK_FAMILIES
    before, spent, pictures = server.counters(), 0, 0
    for seed, (size, question) in enumerate(zip(SIZES, ASKED, strict=True)):
        message = turn(question, page(*size, seed))
        parts, report = shown(family, message)
        images = sum(part["type"] == "image" for part in parts)
        assert images > 1, "only views of several images are a test"
        cost = report.tokens + report.label_tokens
        assert cost % (family.rule.count((9, 9)) + LINE) == 0 or not family.exact
        assert cost <= family.tokens
        prompt, tokens, first = answer(server, message)
        length, expected, value = said(name, family, parts)
        text = [one for one in parts if one["type"] == "text"]
        words = answer(server, {"role": "user", "content": text}, 1)[0]
        marks = prompt - words - report.tokens
        assert 0 <= marks <= 4 * images, "newlines of the template, and marks of Gemma's"
        assert prompt == length
        if family.same:
            assert tokens == expected
            assert abs(first - value) < 0.02  # as with an ordinary image
        spent, pictures = spent + report.tokens, pictures + 1
    after = server.counters()
    assert after["tokens_kept_total"] - before["tokens_kept_total"] == spent
    assert after["images_total"] - before["images_total"] == pictures
    assert after["images_late_total"] == after["images_left_total"] == 0


def test_what_is_wrong_is_refused_and_the_server_lives(served):
    _, _, server = served
    broken = turn("What?", page(96, 96))
    broken["content"][0]["image_url"]["url"] = "data:image/png;base64,aGVsbG8="
    assert server.post([broken]).status_code == 400
    kind = {"Content-Type": "application/json"}
    for body in (b"{", b"[1, 2]", b'{"messages": [{"content": 3}]}'):
        answer = server.client.post("/v1/chat/completions", content=body, headers=kind)
        assert 400 <= answer.status_code < 500, answer.text
    assert server.post([turn("What?", *[page(96, 96)] * 12)]).status_code == 400
    assert server.healthy()
    assert server.counters()["images_left_total"] > 0


def test_interleaved_requests_answer_as_each_alone(served):
    _, _, server = served
    pages = [page(*SIZES[seed % 4], 100 + seed) for seed in range(max(2, REQUESTS // 40))]
    cases = [turn(f"{ASKED[at % 4]} ({at})", pages[at % len(pages)]) for at in range(REQUESTS)]
    order = list(range(len(cases)))
    random.Random(0).shuffle(order)
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda at: answer(server, cases[at], 3), order)
        together = dict(zip(order, found, strict=True))
    for at, case in enumerate(cases):
        server.forget()
        prompt, tokens, first = answer(server, case, 3)
        assert (prompt, tokens) == together[at][:2]
        assert abs(first - together[at][2]) < 1e-4
    different = {(*tokens, round(first, 4)) for _, tokens, first in together.values()}
    assert len(different) > 0.5 * REQUESTS, "answers that are alike cannot show a mix-up"
