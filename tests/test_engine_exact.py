"""Exactly K tokens an image, each at its own place, and answers that no cache has touched."""

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
    SMALL,
    TALL,
    attached,
    counted,
    images,
    load,
    picture,
    stepwise,
    turn,
    unlabelled,
    unsaid,
    untouched,
)
from homunculus.engines.transformers.engine import Engine

pytestmark = MARK
K = 64
ASK = "What is it?"
FEW = {"qwen3_vl": 4, "qwen2_5_vl": 4, "qwen2_vl": 4, "internvl": 9, "llava_onevision": 26}
"""Rows of a small image beside another, in families that make few of it."""
WAYS = [*[(name, "after") for name in FAMILIES], *[(name, "before") for name in BEFORE]]


@pytest.fixture(params=WAYS, ids=" ".join)
def engine(request: pytest.FixtureRequest) -> Engine:
    family, where = request.param
    return attached(family, tokens=K, where=where, method="foveated")


def test_an_image_is_exactly_k_placeholders_of_the_prompt(engine: Engine) -> None:
    talk = [turn(picture(*LARGE), ASK)]
    before = untouched(engine, [talk])["input_ids"]
    after = engine.prepare(talk)["input_ids"]
    assert images(engine, before).sum() > 100
    assert images(engine, after).sum() == K
    assert torch.equal(after[~images(engine, after)], before[~images(engine, before)])


def test_of_two_images_the_small_one_keeps_what_it_has(engine: Engine) -> None:
    prepared = engine.prepare([turn(picture(*LARGE), "~", picture(*SMALL, seed=1), ASK)])
    ids, (between,) = prepared["input_ids"], engine.processor.tokenizer.convert_tokens_to_ids(["~"])
    image, (middle,) = images(engine, ids)[0], (ids[0] == between).nonzero()[:, 0].tolist()
    few = FEW.get(engine.family.name, K)
    large = few if engine.family.name == "llava_onevision" else K  # one of several is one tile
    assert [int(image[:middle].sum()), int(image[middle:].sum())] == [large, few]


def test_generating_is_decoding_without_a_cache(engine: Engine) -> None:
    talks = [[turn(picture(*LARGE), "How many small signs?")], [turn(picture(*TALL, seed=1), ASK)]]
    prepared = engine.prepare(talks)
    length = prepared["input_ids"].shape[1]
    told = GREEDY | {"max_new_tokens": 16, "suppress_tokens": unsaid(engine)}
    made = engine.model.generate(**prepared, **told)
    assert torch.equal(made[:, length:], stepwise(engine, prepared, 16))


def test_a_talk_gets_in_a_batch_what_it_gets_alone(engine: Engine) -> None:
    """But for rounding: other sizes of matrices are summed in another order."""
    talks = [[turn(picture(*LARGE), "How many small signs?")], [turn(picture(*TALL, seed=1), ASK)]]
    both = engine.prepare(talks, forward=True)
    with torch.no_grad():
        logits = engine.model(**unlabelled(both)).logits
        for at, talk in enumerate(talks):
            alone = engine.prepare(talk, forward=True)
            length = alone["input_ids"].shape[1]
            assert torch.equal(both["input_ids"][at, -length:], alone["input_ids"][0])
            assert both["attention_mask"][at].sum() == length
            found = engine.model(**unlabelled(alone)).logits[0]
            assert (found - logits[at, -length:]).abs().max() < 2e-4


@pytest.mark.parametrize("family", ["smolvlm", "idefics3"])
def test_text_between_tiles_stays_and_is_free(family: str) -> None:
    talk = [turn(picture(*LARGE), ASK)]
    prepared = attached(family, tokens=K).prepare(talk)
    assert len(images(attached(family), prepared["input_ids"])[0].nonzero()) == K
    first = untouched(attached(family), [talk])["input_ids"][0]
    assert len(prepared["input_ids"][0]) == len(first) - 208 + K


# ---- the same as hiding the other tokens ---------------------------------------------------------


def hidden(engine: Engine, talk: list[Any]) -> tuple[Tensor, Tensor]:
    """Logits of the text after the image: pruned, and untouched with the others masked out."""
    prepared = engine.prepare(talk, forward=True)
    inputs = untouched(engine, [talk], prompt=False)
    places = images(engine, inputs["input_ids"])[0].nonzero()[:, 0]
    mask = inputs["attention_mask"].clone()
    mask[0, places] = 0
    mask[0, places[prepared.images[0].choice.anchor]] = 1
    said = counted(engine, inputs["attention_mask"])
    if not said:  # by the mask as it was: a hidden token keeps its place
        names = ("mm_token_type_ids", "image_grid_thw", "attention_mask")
        known = {name: inputs[name] for name in names}
        said["position_ids"] = engine.model.base_model.get_rope_index(inputs["input_ids"], **known)[
            0
        ]
    text = inputs["input_ids"].shape[1] - int(places[-1]) - 1
    with torch.no_grad():
        mine = engine.model(**unlabelled(prepared)).logits[0, -text:]
        base = engine.model(**inputs | {"attention_mask": mask} | said).logits[0, -text:]
    return mine, base


@pytest.mark.parametrize("family", FAMILIES)
def test_dropped_tokens_are_as_if_hidden_from_the_untouched_model(family: str) -> None:
    tiny = load(family)
    if family == "gemma3":  # its window slides over what is left, and so sees more
        tiny.model.config.text_config.sliding_window = 4096
    engine = attached(tiny, tokens=K)
    mine, base = hidden(engine, [turn(picture(*LARGE), ASK)])
    assert (mine - base).abs().max() < 2e-4
    assert base.abs().max() > 0.5


def test_positions_in_qwen_are_those_of_the_cells() -> None:
    prepared = attached("qwen3_vl", tokens=K).prepare([turn(picture(*LARGE), ASK)])
    image = images(attached("qwen3_vl"), prepared["input_ids"])[0]
    count, time, row, col = prepared["position_ids"][:, 0, image]
    box = prepared.images[0].choice.tokens.box[0]
    assert torch.equal(row - row.min() + int(box[:, 0].min()), box[:, 0].long())
    assert torch.equal(col - col.min() + int(box[:, 1].min()), box[:, 1].long())
    assert len(time.unique()) == 1
    assert torch.equal(count, count[0] + torch.arange(K))
