"""Ways to use a model: beams, lots, streams, both attentions, bf16, every method by its name."""

from collections.abc import Sequence
from threading import Thread
from typing import Any

import pytest
import torch
from torch import Tensor

from engine_help import (
    BEFORE,
    FAMILIES,
    GREEDY,
    LARGE,
    MARK,
    TALL,
    attached,
    extended,
    images,
    load,
    picture,
    turn,
    unlabelled,
    unsaid,
    untouched,
)
from homunculus import list_methods
from homunculus.engines.transformers.engine import Engine
from homunculus.engines.transformers.inputs import Prepared
from tiny import hub

pytestmark = MARK
K = 40
TALKS = [[turn(picture(*LARGE), "What is it?")], [turn(picture(*TALL, seed=1), "How many?")]]
EIGHT = {"max_new_tokens": 8, "min_new_tokens": 8}


def generated(engine: Engine, talks: Sequence[Any], **options: Any) -> tuple[Tensor, Tensor]:
    """What the model says with these talks, through an engine and untouched; lots alike."""
    out = []
    for inputs in (engine.prepare(talks), untouched(engine, talks)):
        torch.manual_seed(0)
        out.append(engine.model.generate(**inputs, **options, **EIGHT))
    return out[0], out[1]


@pytest.mark.parametrize("family", FAMILIES)
def test_beams_of_all_tokens_are_the_untouched_models(family: str) -> None:
    mine, base = generated(attached(family), TALKS, num_beams=3, **GREEDY)
    assert torch.equal(mine, base)


@pytest.mark.parametrize("family", FAMILIES)
def test_lots_over_all_tokens_fall_as_with_the_untouched_model(family: str) -> None:
    mine, base = generated(attached(family), TALKS, do_sample=True, num_return_sequences=2)
    assert torch.equal(mine, base)
    assert len(mine.unique(dim=0)) == 4


def test_generate_returns_as_many_answers_as_sequences_were_asked_for() -> None:
    engine, image = attached("qwen3_vl", tokens=K), picture(*LARGE)
    lots = EIGHT | {"do_sample": True, "num_return_sequences": 3}
    answers = engine.generate(image, "What is it?", **lots)
    assert len({tuple(answer.ids.tolist()) for answer in answers}) == 3
    answers = engine.generate([image, image], ["What is it?", "How many?"], **lots)
    asked = [answer.images[0].source.question for answer in answers]
    assert asked == ["What is it?"] * 3 + ["How many?"] * 3
    one = engine.generate(image, "What is it?", **EIGHT, num_return_sequences=1)
    assert isinstance(one.text, str)


@pytest.mark.parametrize("family", FAMILIES)
def test_few_tokens_are_enough_for_beams_and_lots(family: str) -> None:
    engine = attached(family, tokens=K)
    beams = engine.chat(TALKS, num_beams=3, num_return_sequences=2, **GREEDY, **EIGHT)
    torch.manual_seed(0)
    lots = engine.chat(TALKS, do_sample=True, num_return_sequences=2, **EIGHT)
    for answers in (beams, lots):
        assert [one.images[0].source.conversation for one in answers] == [0, 0, 1, 1]
        assert [one.images[0].source.question for one in answers[1:3]] == [
            "What is it?",
            "How many?",
        ]
        assert {len(one.images[0].choice.anchor) for one in answers} == {K}
        assert len({tuple(one.ids.tolist()) for one in answers}) == 4


@pytest.mark.parametrize("family", FAMILIES)
def test_a_beam_is_worth_what_it_is_worth_without_a_cache(family: str) -> None:
    engine = attached(family, tokens=K)
    prepared = engine.prepare(TALKS)
    told = {"num_beams": 3, "length_penalty": 0.0, "suppress_tokens": unsaid(engine)}
    more = {"return_dict_in_generate": True, "output_scores": True, "max_new_tokens": 8}
    made = engine.model.generate(**prepared, **told, **GREEDY, **more)
    new = made.sequences[:, prepared["input_ids"].shape[1] :]
    with torch.no_grad():
        logits = engine.model(**extended(engine, prepared, new), use_cache=False).logits
    chance = logits[:, -9:-1].log_softmax(-1).gather(2, new[..., None])[..., 0].sum(1)
    assert (made.sequences_scores - chance).abs().max() < 1e-3


@pytest.mark.parametrize("family", ["qwen3_vl", "smolvlm"])
def test_words_are_streamed_as_they_come(family: str) -> None:
    engine = attached(family, tokens=K)
    stream = hub().TextIteratorStreamer(
        engine.processor.tokenizer, skip_prompt=True, skip_special_tokens=True
    )
    told = GREEDY | EIGHT | {"streamer": stream}
    answers: list[Any] = []
    thread = Thread(target=lambda: answers.extend(engine.chat(TALKS[0], **told)))
    thread.start()
    pieces = list(stream)
    thread.join()
    assert "".join(pieces) == answers[0].text == engine.chat(TALKS[0], **GREEDY, **EIGHT)[0].text


@pytest.mark.parametrize("family", FAMILIES)
def test_both_attentions_see_the_same(family: str) -> None:
    logits = {}
    for way in ("eager", "sdpa"):
        tiny = load(family, attn_implementation=way)
        assert tiny.model.config._attn_implementation == way
        mine, base = generated(attached(tiny), TALKS, **GREEDY)
        assert torch.equal(mine, base)
        prepared = attached(tiny, tokens=K, where="auto").prepare(TALKS, forward=True)
        with torch.no_grad():
            logits[way] = tiny.model(**unlabelled(prepared)).logits[:, -1]
    assert (logits["eager"] - logits["sdpa"]).abs().max() < 1e-3


@pytest.mark.parametrize("family", FAMILIES)
def test_bf16_keeps_all_bit_by_bit_and_few_in_bf16(family: str) -> None:
    tiny = load(family, dtype=torch.bfloat16)
    wheres = ["after", *(["before"] if family in BEFORE else [])]
    for where in wheres:
        mine, base = generated(attached(tiny, where=where), TALKS, **GREEDY)
        assert torch.equal(mine, base)
        engine = attached(tiny, tokens=K, where=where, method="foveated")
        prepared = engine.prepare(TALKS)
        assert {look.choice.embed.dtype for look in prepared.images} == {torch.bfloat16}
        assert engine.model.generate(**prepared, **GREEDY, **EIGHT).shape[0] == 2


# ---- methods -------------------------------------------------------------------------------------


WITHOUT_BOX = [name for name, one in list_methods().items() if one.source != "answer"]
"""Methods that need no box of the answer, which a question alone does not bring."""


def count(name: str, prepared: Prepared) -> int:
    """What a method promises for the one image: K, but for a smaller image of its shape."""
    found = list_methods()[name].count(prepared.images[0].layout.grid, K)
    assert found == K or name == "resize"
    return found


@pytest.mark.parametrize("name", WITHOUT_BOX)
def test_every_method_keeps_exactly_what_it_promises(name: str) -> None:
    engine = attached("qwen3_vl", tokens=K, method=name)
    prepared = engine.prepare(TALKS[0])
    assert images(engine, prepared["input_ids"]).sum() == count(name, prepared)
    assert engine.model.generate(**prepared, **GREEDY, max_new_tokens=2).shape[0] == 1


MEANS = {"log-polar", "pool", "clusters"}
"""Their tokens are means of many cells, which only features can give."""


@pytest.mark.parametrize("name", WITHOUT_BOX)
def test_a_method_goes_before_the_encoder_or_says_why_not(name: str) -> None:
    if name in MEANS:
        with pytest.raises(ValueError, match=r"makes means of several\. Use where=\"after\""):
            attached("qwen3_vl", tokens=K, method=name, where="before")
        auto = attached("qwen3_vl", tokens=K, method=name, where="auto")
        assert auto.setting.where == "after"
        return
    engine = attached("qwen3_vl", tokens=K, method=name, where="before")
    prepared = engine.prepare(TALKS[0])
    assert images(engine, prepared["input_ids"]).sum() == count(name, prepared)
    assert attached("qwen3_vl", tokens=K, method=name, where="auto").setting.where == "before"


@pytest.mark.parametrize("family", FAMILIES)
def test_an_answer_can_be_shown(family: str) -> None:
    engine = attached(family, tokens=K, method="foveated", where="auto")
    (answer,) = engine.chat(TALKS[1], **GREEDY, max_new_tokens=2)
    drawing = answer.show()
    assert min(drawing.size) > 100
    assert len(drawing.getcolors(2**24)) > 100
