"""No request meets another one's tokens; the same request meets its own again."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from serving.client import page, turn
from serving.conftest import FEW

AFTER = {"before": (), "after": ("--where", "after")}
IMAGES, QUESTIONS = 10, 20
FIELDS = ["total", "date", "name", "shop", "letter"]
SHAPES = [(160, 240), (240, 160), (208, 208)]


def cases():
    """Ten images, each asked twenty things."""
    asked = [
        f"{how} the {what}?"
        for how in ("What is", "Where is", "Who wrote", "Read")
        for what in FIELDS
    ]
    images = [page(*SHAPES[seed % 3], seed) for seed in range(IMAGES)]
    return [(image, question) for image in images for question in asked]


def answered(server, case):
    image, question = case
    more = {"max_tokens": 6, "logprobs": True, "return_tokens_as_token_ids": True}
    answer = server.ask(question, image, **more)
    words = answer["choices"][0]["logprobs"]["content"]
    return answer["usage"]["prompt_tokens"], [word["token"] for word in words], words[0]["logprob"]


@pytest.mark.parametrize("where", AFTER)
def test_interleaved_requests_answer_as_each_alone(serve, where):
    server = serve(*FEW, *AFTER[where])
    all_cases = cases()
    assert len(all_cases) == IMAGES * QUESTIONS
    order = list(range(len(all_cases)))
    random.Random(0).shuffle(order)
    with ThreadPoolExecutor(8) as pool:
        together = dict(
            zip(order, pool.map(lambda at: answered(server, all_cases[at]), order), strict=True)
        )
    for at, case in enumerate(all_cases):
        server.forget()
        tokens, words, first = answered(server, case)
        assert (tokens, words) == together[at][:2], case[1]
        assert abs(first - together[at][2]) < 1e-4
    # questions do matter here: otherwise this test could not fail
    assert len({round(first, 4) for _, _, first in together.values()}) > IMAGES * QUESTIONS * 0.9


def test_another_question_reuses_nothing_and_the_same_one_everything(serve):
    server = serve(*FEW)
    image = page(320, 480, 77)

    def cached(question):
        used = server.post([turn(question, image)]).json()["usage"]
        return (used["prompt_tokens_details"] or {}).get("cached_tokens") or 0

    before = server.counters()
    first, other, again = (cached(one) for one in ("What is the total?", "Where?", "Where?"))
    after = server.counters()
    assert max(first, other) < 16, "tokens of another question were served"
    assert again >= 64
    assert after["images_total"] - before["images_total"] == 2
    assert after["images_reused_total"] - before["images_reused_total"] == 1


def test_the_name_a_client_gives_an_image_is_not_believed(serve):
    server = serve(*FEW)
    mine, yours = page(320, 480, 5), page(320, 480, 6)

    def named(image, **more):
        message = turn("What is the total?", image)
        message["content"][0] |= more
        answer = server.post([message], max_tokens=6, logprobs=True)
        assert answer.status_code == 200, answer.text
        return [word["logprob"] for word in answer.json()["choices"][0]["logprobs"]["content"]]

    named(mine, uuid="invoice")
    assert named(yours, uuid="invoice") == pytest.approx(named(yours), abs=1e-4)
    assert named(yours, uuid="invoice") != pytest.approx(named(mine), abs=1e-4)
