"""Several turns: every question has its own tokens; a pinned turn's stay."""

from typing import Any

import pytest
import torch
from PIL import Image, ImageDraw

import homunculus
from engine_help import (
    BEFORE,
    FAMILIES,
    GREEDY,
    LARGE,
    MARK,
    SMALL,
    TALL,
    attached,
    loaded,
    picture,
    turn,
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


def test_another_question_keeps_other_tokens(engine: Engine) -> None:
    one = engine.prepare([ASK])
    two = engine.prepare([ASK, turn("A dog.", role="assistant"), THEN])
    first, second = one.images[0], two.images[0]
    assert (first.source.question, second.source.question) == ("What is it?", "And where?")
    assert len(first.choice.anchor) == len(second.choice.anchor) == K
    assert not torch.equal(first.choice.anchor, second.choice.anchor)


def test_a_pinned_turn_keeps_its_tokens(engine: Engine) -> None:
    answer = answered(engine, ASK)
    prepared = engine.prepare([ASK, said(answer), THEN], pinned=answer.prepared)
    assert torch.equal(prepared.images[0].choice.anchor, answer.images[0].choice.anchor)
    if engine.family.name == "paligemma":  # another prompt altogether
        return
    for name in ("input_ids", "position_ids"):
        begun = answer.prepared[name]
        assert torch.equal(prepared[name][..., : begun.shape[-1]], begun), name
    assert torch.equal(prepared["input_ids"][0, : len(answer.ids)], answer.ids)


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


def test_talking_on_says_what_a_fresh_run_says(engine: Engine) -> None:
    answer = answered(engine, ASK)
    talk = [ASK, said(answer), THEN]
    prepared = engine.prepare(talk, pinned=answer.prepared)
    fresh = engine.model.generate(**prepared, **GREEDY, max_new_tokens=8)
    (second,) = engine.chat(talk, upon=answer, **GREEDY, max_new_tokens=8)
    assert torch.equal(second.ids, fresh[0])
    assert torch.equal(second.images[0].choice.anchor, answer.images[0].choice.anchor)


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


# ---- the word scout ------------------------------------------------------------------------------


def test_without_a_callable_the_word_scout_looks_for_the_question() -> None:
    tiny = loaded("qwen3_vl")
    page = Image.new("RGB", (512, 512), "white")
    pen = ImageDraw.Draw(page)
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
