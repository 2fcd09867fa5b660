"""Answers: drawn as what they are, small to keep, gone on from with a cache and without."""

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from PIL import Image
from torch import Tensor

from engine_help import FAMILIES, GREEDY, LARGE, MARK, attached, load, picture, turn
from homunculus import get_method
from homunculus.engines.transformers.inputs import Answer
from homunculus.show import panels
from homunculus.show.cells import look

pytestmark = MARK
K = 40
TWO = GREEDY | {"max_new_tokens": 2}
ASK, THEN = turn(picture(*LARGE), "What is it?"), turn("And where?")


def said(answer: Answer) -> dict[str, Any]:
    return turn(answer.text, role="assistant")


# ---- drawings ------------------------------------------------------------------------------------


def sharp(drawing: Any) -> float:
    """Mean difference of neighbouring pixels in the last panel: what is left to read."""
    width, height = drawing.size
    grey = drawing.convert("L").crop((width // 2, height // 2, width, height * 9 // 10))
    pixel = torch.frombuffer(bytearray(grey.tobytes()), dtype=torch.uint8)
    pixel = pixel.view(grey.height, grey.width).float()
    return float((pixel[:, 1:] - pixel[:, :-1]).abs().mean())


def stripes() -> Any:
    """The finest detail that survives resizing to cells of 16 pixels."""
    dark = (torch.arange(256) // 2 % 2 * 255).to(torch.uint8)
    return Image.fromarray(dark.expand(256, 256).contiguous().numpy()).convert("RGB")


def test_averaged_tokens_are_drawn_blurred_and_single_cells_sharp() -> None:
    image = stripes()
    every, few = (
        attached("qwen3_vl", tokens=tokens, method="pool").generate(image, "?", **TWO)
        for tokens in (10**6, 16)
    )
    assert sharp(few.show()) < sharp(every.show()) / 4


@pytest.mark.parametrize("name", ["foveated", "pool", "log-polar", "clusters", "windows", "grid"])
def test_an_answer_decides_on_sharpness_as_look_does(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain: list[bool] = []
    monkeypatch.setattr(panels, "draw_panels", lambda *_, **named: plain.append(named["plain"]))
    image = picture(256, 256)
    attached("qwen3_vl", tokens=K, method=name).generate(image, "?", **TWO).show()
    look(image, tokens=K, patch=16, method=get_method(name)).draw()
    assert plain[0] == plain[1]


# ---- size ----------------------------------------------------------------------------------------


def tensors(root: Any) -> list[Tensor]:
    """All tensors that an object keeps alive; what can be called is no part of it."""
    seen, todo, out = set(), [root], []
    while todo:
        one = todo.pop()
        if id(one) in seen or callable(one):
            continue
        seen.add(id(one))
        if isinstance(one, Tensor):
            out.append(one)
        else:
            todo += gc.get_referents(one)
    return out


@pytest.mark.parametrize("where", ["before", "after"])
def test_an_answer_keeps_neither_cache_nor_features_alive(where: str) -> None:
    engine = attached("qwen3_vl", tokens=K, where=where, method="foveated")
    answer = engine.generate(picture(*LARGE), "What is it?", **TWO)
    features = engine.prepare([ASK]).images[0].choice.embed
    assert features is not None
    assert sum(one.untyped_storage().nbytes() for one in tensors(answer)) < features.nbytes
    assert "mm_encoder_outputs" not in answer.prepared
    assert len(dict(answer.prepared)) == len(answer.prepared)


@pytest.mark.parametrize("family", FAMILIES)
def test_inputs_keep_only_the_features_that_were_chosen(family: str) -> None:
    engine = attached(family, tokens=8)
    prepared = engine.prepare([ASK])
    chosen = prepared.images[0].choice.embed
    assert chosen is not None
    every = prepared.images[0].layout.total * chosen.nbytes // len(chosen)
    floats = {
        one.untyped_storage().data_ptr(): one.untyped_storage().nbytes()
        for one in tensors(prepared)
        if one.is_floating_point()
    }
    assert sum(floats.values()) < every / 3


def test_answers_and_engines_can_be_copied_and_stored() -> None:
    engine = attached("qwen3_vl", tokens=K)
    answer = engine.generate(picture(*LARGE), "What?", **TWO)
    for again in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
        assert again.text == answer.text
        assert torch.equal(again.ids, answer.ids)
        begun = turn(answer.images[0].source.image, "What?")
        (second,) = engine.chat([begun, said(answer), THEN], upon=again, **TWO)
        assert torch.equal(second.images[0].choice.anchor, answer.images[0].choice.anchor)
    assert copy.copy(engine).setting == engine.setting


# ---- going on ------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_going_on_keeps_the_tokens_of_the_first_turn(family: str) -> None:
    engine = attached(family, tokens=K, where="auto", method="foveated")
    (first,) = engine.chat([ASK], **TWO)
    (second,) = engine.chat([ASK, said(first), THEN], upon=first, **TWO)
    assert torch.equal(second.images[0].choice.anchor, first.images[0].choice.anchor)


def test_an_answer_of_a_batch_or_of_beams_may_be_gone_on_from() -> None:
    engine = attached("qwen3_vl", tokens=K)
    other = turn(picture(*LARGE, seed=1), "What is it?")
    two = engine.chat([[ASK], [other]], **TWO)
    (beam,) = engine.chat([ASK], num_beams=3, **TWO)
    for first, begun in ((two[0], ASK), (two[1], other), (beam, ASK)):
        talk = [begun, said(first), THEN]
        (second,) = engine.chat(talk, upon=first, **TWO)
        assert torch.equal(second.images[0].choice.anchor, first.images[0].choice.anchor)
        prepared = engine.prepare([begun])
        anchor = prepared.images[0].choice.anchor
        assert torch.equal(anchor, first.images[0].choice.anchor)


def test_one_answer_goes_on_with_one_conversation() -> None:
    engine = attached("qwen3_vl", tokens=K)
    (first,) = engine.chat([ASK], **TWO)
    talk = [ASK, said(first), THEN]
    with pytest.raises(ValueError, match=r"`upon` continues one conversation, got 2\. Pass one"):
        engine.chat([talk, talk], upon=first, **TWO)


# ---- threads -------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["before", "after"])
def test_many_threads_get_what_one_gets(where: str) -> None:
    tiny = load("qwen3_vl")  # its own: other tests look at state that models keep
    images = [picture(*LARGE, seed=seed) for seed in range(6)]
    engine = attached(tiny, tokens=K, where=where, method="foveated")
    asked = [(images[at % 6], f"What is {at % 8}?") for at in range(48)]
    alone = [engine.generate(*one, **TWO).ids for one in asked]
    engine = attached(tiny, tokens=K, where=where, method="foveated")
    with ThreadPoolExecutor(12) as pool:
        together = list(pool.map(lambda one: engine.generate(*one, **TWO).ids, asked))
    assert all(map(torch.equal, alone, together))


def test_threads_may_go_on_from_one_answer() -> None:
    tiny = load("qwen3_vl")
    engine = attached(tiny, tokens=K)
    (first,) = engine.chat([ASK], **TWO)
    talks = [[ASK, said(first), turn(f"And {at}?")] for at in range(8)]
    alone = [engine.chat(talk, upon=first, **TWO)[0].ids for talk in talks]
    (first,) = engine.chat([ASK], **TWO)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda talk: engine.chat(talk, upon=first, **TWO)[0].ids, talks))
    assert all(map(torch.equal, alone, together))
