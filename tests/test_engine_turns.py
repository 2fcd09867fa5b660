"""Several turns: every question has its own tokens; a pinned turn's stay, and so does its cache."""

from typing import Any

import pytest
import torch
from torch import Tensor

import homunculus
from engine_help import (
    BEFORE,
    FAMILIES,
    FIRST,
    GREEDY,
    LARGE,
    MARK,
    SMALL,
    TALL,
    attached,
    images,
    loaded,
    picture,
    turn,
    unlabelled,
)
from homunculus.engines.transformers.engine import Engine
from homunculus.engines.transformers.inputs import Answer

pytestmark = MARK
K = 40
WAYS = [*[(name, "after") for name in FAMILIES], *[(name, "before") for name in BEFORE]]
ASK, THEN = turn(picture(*LARGE), "What is it?"), turn("And where?")


@pytest.fixture(params=WAYS, ids=" ".join)
def engine(request: pytest.FixtureRequest) -> Engine:
    family, where = request.param
    return attached(family, tokens=K, where=where, method="foveated")


def answered(engine: Engine, *talk: Any) -> Answer:
    """The first turn's answer, of words that can be read back."""
    words = engine.processor.tokenizer.convert_tokens_to_ids(list("abcdefgh"))
    shape = (1, len(engine.processor.tokenizer))
    others = torch.ones(shape).index_fill(1, torch.tensor(words), 0).nonzero()[:, 1].tolist()
    told = GREEDY | {"max_new_tokens": 6, "suppress_tokens": others}
    (answer,) = engine.chat(list(talk), **told)
    return answer


def said(answer: Answer) -> dict[str, Any]:
    return turn(answer.text, role="assistant")


def first_logits(engine: Engine, inputs: Any) -> Tensor:
    return engine.model.generate(**unlabelled(inputs), **FIRST).logits[0]


def test_another_question_keeps_other_tokens(engine: Engine) -> None:
    one = engine.prepare([ASK])
    two = engine.prepare([ASK, turn("A dog.", role="assistant"), THEN])
    first, second = one.images[0], two.images[0]
    assert (first.source.question, second.source.question) == ("What is it?", "And where?")
    assert len(first.choice.anchor) == len(second.choice.anchor) == K
    assert not torch.equal(first.choice.anchor, second.choice.anchor)


def test_a_pinned_turn_keeps_its_tokens_and_its_cache_is_as_good_as_computing(
    engine: Engine,
) -> None:
    answer = answered(engine, ASK)
    talk = [ASK, said(answer), THEN]
    prepared = engine.prepare(talk, pinned=answer.prepared)
    assert torch.equal(prepared.images[0].choice.anchor, answer.images[0].choice.anchor)
    upon = prepared.upon(answer.ids, answer.cache)
    if not engine.family.causal:  # sees its prompt both ways: a longer one is another
        assert "past_key_values" not in upon
        return
    for name in ("input_ids", "position_ids"):
        begun = answer.prepared[name]
        assert torch.equal(prepared[name][..., : begun.shape[-1]], begun), name
    assert torch.equal(prepared["input_ids"][0, : len(answer.ids)], answer.ids)
    assert upon["past_key_values"].get_seq_length() == len(answer.ids) - 1
    assert "mm_encoder_outputs" not in upon
    fresh = first_logits(engine, prepared)
    # fewer rows at a time are summed in another order
    assert (first_logits(engine, upon) - fresh).abs().max() < 1e-4


def test_an_image_may_come_in_the_second_turn(engine: Engine) -> None:
    answer = answered(engine, ASK)
    talk = [ASK, said(answer), turn("And this?", picture(*TALL, seed=1))]
    if engine.family.name == "llava_onevision":
        with pytest.raises(ValueError, match="changes the layout of an image"):
            engine.prepare(talk, pinned=answer.prepared)
        assert len(engine.prepare(talk).images) == 2
        return
    prepared = engine.prepare(talk, pinned=answer.prepared)
    first, second = prepared.images
    assert torch.equal(first.choice.anchor, answer.images[0].choice.anchor)
    assert second.source.question == "And this?"
    assert len(second.choice.anchor) == min(K, second.layout.total)
    fresh = first_logits(engine, prepared)
    warm = first_logits(engine, prepared.upon(answer.ids, answer.cache))
    assert (warm - fresh).abs().max() < 1e-4


def test_talking_on_says_what_a_fresh_run_says(engine: Engine) -> None:
    answer = answered(engine, ASK)
    talk = [ASK, said(answer), THEN]
    prepared = engine.prepare(talk, pinned=answer.prepared)
    fresh = engine.model.generate(**prepared, **GREEDY, max_new_tokens=8)
    (second,) = engine.chat(talk, upon=answer, **GREEDY, max_new_tokens=8)
    assert torch.equal(second.ids, fresh[0])
    assert torch.equal(second.images[0].choice.anchor, answer.images[0].choice.anchor)


@pytest.mark.parametrize("family", ["qwen3_vl", "gemma3", "smolvlm"])
def test_an_answer_may_be_gone_on_from_again_and_may_be_changed(family: str) -> None:
    """One second turn writes into the cache that the next one finds."""
    engine = attached(family, tokens=K)
    answer = answered(engine, ASK)
    changed = turn("X" + answer.text[1:], role="assistant")
    for reply in (said(answer), changed, said(answer)):
        talk = [ASK, reply, THEN]
        prepared = engine.prepare(talk, pinned=answer.prepared)
        fresh = first_logits(engine, prepared)
        warm = first_logits(engine, prepared.upon(answer.ids, answer.cache))
        assert (warm - fresh).abs().max() < 1e-4
        engine.chat(talk, upon=answer, **GREEDY, max_new_tokens=2)


def test_other_images_cannot_be_pinned() -> None:
    engine = attached("qwen3_vl", tokens=K)
    first = engine.prepare([ASK])
    for other in (picture(*TALL), picture(*LARGE, seed=1)):  # another size; the same size
        with pytest.raises(ValueError, match="comes from another conversation"):
            engine.prepare([turn(other, "What is it?")], pinned=first)
    with pytest.raises(ValueError, match="comes from another conversation"):
        engine.prepare([turn("What is it?")], pinned=first)


def test_a_batch_is_pinned_talk_by_talk() -> None:
    engine = attached("qwen3_vl", tokens=K)
    talks = [[ASK], [turn(picture(*LARGE, seed=2), "Who?")]]
    first = engine.prepare(talks)
    more = [turn("A dog.", role="assistant"), turn(picture(*SMALL, seed=3), "And this?")]
    second = engine.prepare([[*talk, *more] for talk in talks], pinned=first)
    assert [look.source.conversation for look in second.images] == [0, 0, 1, 1]
    for one, two in zip(first.images, second.images[::2], strict=True):
        assert torch.equal(one.choice.anchor, two.choice.anchor)
        assert torch.equal(one.choice.embed, two.choice.embed)


def test_a_cache_goes_on_with_one_conversation() -> None:
    engine = attached("qwen3_vl", tokens=K)
    answer = answered(engine, ASK)
    two = engine.prepare([[ASK], [ASK]])
    with pytest.raises(ValueError, match="a cache continues one conversation, got 2"):
        two.upon(answer.ids, answer.cache)


def test_a_cache_that_ends_inside_an_image_is_refused() -> None:
    engine = attached("qwen3_vl", tokens=K)
    answer = answered(engine, ASK)
    again = engine.prepare([ASK])
    inside = int(images(engine, again["input_ids"])[0].nonzero()[5])
    answer.cache.crop(inside)
    with pytest.raises(ValueError, match="ends inside an image"):
        again.upon(answer.ids, answer.cache)


# ---- the word scout ------------------------------------------------------------------------------


def test_without_a_callable_the_word_scout_looks_for_the_question() -> None:
    pytest.importorskip("safetensors")
    tiny = loaded("qwen3_vl")
    images = pytest.importorskip("PIL.Image")
    draw = pytest.importorskip("PIL.ImageDraw")
    page = images.new("RGB", (512, 512), "white")
    pen = draw.Draw(page)
    pen.text((40, 40), "INVOICE 2041", fill="black", font_size=40)
    pen.text((40, 430), "TOTAL 19.90", fill="black", font_size=40)
    engine = homunculus.attach(tiny.model, tiny.processor, tokens=K, method="grid", where="after")
    above, below = (
        engine.prepare([turn(page, f"What is the {word}?")]).images[0]
        for word in ("invoice", "total")
    )
    assert above.origin.startswith("words: ")
    assert above.origin.endswith(" found")
    rows = [int(look.relevance.argmax()) // look.layout.grid[1] for look in (above, below)]
    assert rows[0] < 8 < rows[1]  # of 16 rows
