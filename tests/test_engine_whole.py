"""Who keeps every token has the untouched model, bit by bit; so has who shows no image."""

from typing import Any

import pytest
import torch

from engine_help import (
    FAMILIES,
    FIRST,
    GREEDY,
    LARGE,
    MARK,
    SMALL,
    TALL,
    attached,
    counted,
    picture,
    turn,
    unlabelled,
    untouched,
)
from homunculus.engines.transformers.engine import Engine

pytestmark = MARK
ASK = "What is it?"
MIXED = [
    [turn(picture(*LARGE), "How many small signs stand there?")],
    [turn(picture(*TALL, seed=1), ASK)],
]


@pytest.fixture(params=FAMILIES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return attached(request.param)


def same_logits(engine: Engine, talk: list[Any], prompt: bool) -> None:
    prepared = engine.prepare(talk, forward=True, generation_prompt=prompt)
    with torch.no_grad():
        mine = engine.model(**unlabelled(prepared)).logits
        base = engine.model(**untouched(engine, [talk], prompt)).logits
    assert torch.equal(mine, base)


@pytest.mark.parametrize("size", [LARGE, TALL, SMALL], ids=str)
def test_keeping_all_is_the_untouched_model(engine: Engine, size: tuple[int, int]) -> None:
    same_logits(engine, [turn(picture(*size), ASK)], prompt=False)


def test_keeping_all_is_the_untouched_model_at_its_turn_to_answer(engine: Engine) -> None:
    same_logits(engine, [turn(picture(*LARGE), ASK)], prompt=True)


def test_keeping_all_of_two_images_is_the_untouched_model(engine: Engine) -> None:
    talk = [turn(picture(*LARGE), "and", picture(*SMALL, seed=1), ASK)]
    same_logits(engine, talk, prompt=False)


def test_keeping_all_of_three_turns_is_the_untouched_model(engine: Engine) -> None:
    said = turn("A dog.", role="assistant")
    talk = [turn(picture(*SMALL), ASK), said, turn("And this?", picture(*TALL, seed=1))]
    same_logits(engine, talk, prompt=False)


def test_a_talk_without_images_is_the_untouched_model(engine: Engine) -> None:
    if engine.family.name == "paligemma":
        pytest.skip("paligemma's processor wants an image")
    same_logits(engine, [turn("What is a dog?")], prompt=True)
    same_logits(engine, [{"role": "user", "content": "What is a dog?"}], prompt=True)


def test_keeping_all_of_a_padded_batch_is_the_untouched_model(engine: Engine) -> None:
    """Positions are said: left out, `forward` counts padding, which `generate` does not."""
    inputs = untouched(engine, MIXED, prompt=False)
    mask = inputs["attention_mask"]
    prepared = engine.prepare(MIXED, forward=True)
    assert torch.equal(prepared["attention_mask"], mask)
    assert not mask.all()
    assert mask[:, -1].all()
    with torch.no_grad():
        mine = engine.model(**unlabelled(prepared)).logits
        base = engine.model(**inputs, **counted(engine, mask)).logits
    assert torch.equal(mine[mask.bool()], base[mask.bool()])


def test_keeping_all_of_a_padded_batch_generates_the_same(engine: Engine) -> None:
    inputs = untouched(engine, MIXED)
    prepared = engine.prepare(MIXED)
    first = [engine.model.generate(**one, **FIRST).logits[0] for one in (prepared, inputs)]
    assert torch.equal(*first)
    long = [engine.model.generate(**one, **GREEDY, max_new_tokens=8) for one in (prepared, inputs)]
    assert torch.equal(*long)


def test_what_may_be_done_with_inputs_may_be_done_again(engine: Engine) -> None:
    prepared = engine.prepare(MIXED)
    once, twice = (engine.model.generate(**prepared, **GREEDY, max_new_tokens=4) for _ in range(2))
    assert torch.equal(once, twice)


def test_inputs_of_two_questions_may_be_held_at_once(engine: Engine) -> None:
    few = attached(engine.family.name, tokens=40)
    image = picture(*LARGE)
    made = [few.prepare([turn(image, word)]) for word in ("One?", "Two?")]  # features are shared
    told = GREEDY | {"max_new_tokens": 3, "num_beams": 2}
    alone = [few.model.generate(**one, **told) for one in made]
    held = [dict(one) for one in made]
    assert all(
        torch.equal(few.model.generate(**one, **told), ids)
        for one, ids in zip(held, alone, strict=True)
    )


def test_a_processor_that_pads_at_the_right_gives_the_same_inputs() -> None:
    engine = attached("qwen3_vl", tokens=40)
    words = engine.processor.tokenizer
    left = dict(engine.prepare(MIXED))
    words.padding_side = "right"
    try:
        right = dict(engine.prepare(MIXED))
    finally:
        words.padding_side = "left"
    for name in ("input_ids", "attention_mask", "position_ids"):
        assert torch.equal(left[name], right[name]), name


def test_an_answer_tells_what_was_kept() -> None:
    engine = attached("qwen3_vl")
    (answer,) = engine.chat([turn(picture(*LARGE), ASK)], max_new_tokens=4, **GREEDY)
    alone = engine.generate(picture(*LARGE), ASK, max_new_tokens=4, **GREEDY)
    assert answer.text == alone.text
    both = engine.generate(
        [picture(*LARGE), picture(*TALL)], [ASK, "Hm"], max_new_tokens=4, **GREEDY
    )
    assert both[0].text == answer.text
    assert [one.images[0].source.question for one in both] == [ASK, "Hm"]
    assert [int(one.tokens[0].valid.sum()) for one in both] == [192, 54]
