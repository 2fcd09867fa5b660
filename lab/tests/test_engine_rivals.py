"""Rivals on all ten families: exactly K, nothing changed if all is kept, the right attention."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

import homunculus
from homunculus_lab.rivals import RIVALS
from homunculus_lab.rivals import attention as tower
from tiny import FAMILIES, load, picture

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:transformers")
K = 11


@pytest.fixture(scope="module", params=FAMILIES)
def loaded(request: pytest.FixtureRequest) -> SimpleNamespace:
    return load(request.param)


def chat(*images: Any, question: str = "What is it?") -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "image", "image": image} for image in images]
    return [{"role": "user", "content": [*parts, {"type": "text", "text": question}]}]


@pytest.mark.parametrize("name", RIVALS)
def test_every_family_keeps_exactly_k(name: str, loaded: SimpleNamespace) -> None:
    engine = homunculus.attach(loaded.model, loaded.processor, tokens=K, method=name)
    assert engine.setting.where == "after"
    one, two = picture(150, 210), picture(90, 100, seed=1)
    pair = engine.prepare([chat(one), chat(two)])
    image = pair["input_ids"] == loaded.model.config.image_token_id
    assert image.sum(1).tolist() == [K, K]
    alone = engine.prepare(chat(two))
    assert torch.equal(pair.images[1].choice.anchor, alone.images[0].choice.anchor)
    torch.testing.assert_close(pair.images[1].choice.embed, alone.images[0].choice.embed)


def test_a_budget_for_all_rows_changes_no_row(loaded: SimpleNamespace) -> None:
    pictures = chat(picture(150, 210))
    plain = homunculus.attach(
        loaded.model,
        loaded.processor,
        tokens=9999,
        method="grid",
        where="after",
        scout=torch.eye(2),
    ).prepare(pictures)
    for name in ("visionzip", "cdpruner"):
        engine = homunculus.attach(loaded.model, loaded.processor, tokens=9999, method=name)
        (image,) = engine.prepare(pictures).images
        assert len(image.choice.anchor) == image.layout.total
        assert torch.equal(image.choice.embed, plain.images[0].choice.embed)


# ---- attention -----------------------------------------------------------------------------------


def inputs_of(engine: Any, *images: Any) -> tuple[Any, Any]:
    batch, sources = homunculus.engines.transformers.engine.open_images([chat(*images)])
    inputs = engine._inputs(batch, True)
    return inputs, engine._layouts(inputs, sources)


@pytest.mark.parametrize("family", ["llava", "paligemma"])
def test_attention_is_what_the_tower_itself_computes(family: str) -> None:
    one = load(family, attn_implementation="eager")
    engine = homunculus.attach(one.model, one.processor, tokens=K, method="hired")
    inputs, layouts = inputs_of(engine, picture(150, 210))
    with torch.no_grad():
        encoded = tower.encode_with_attention(one.model, inputs, layouts)
        vision = one.model.base_model.vision_tower
        weights = vision(inputs["pixel_values"], output_attentions=True).attentions
    late, first = (weights[-2], weights[0]) if family == "llava" else (weights[-1], weights[0])
    for got, full in ((encoded.observed[0].late, late), (encoded.observed[0].first, first)):
        told = full[:, :, 0, 1:].mean(1) if family == "llava" else full.mean((1, 2))
        torch.testing.assert_close(got, told)


def test_windows_of_qwen_are_put_back_in_order() -> None:
    one = load("qwen2_5_vl")
    engine = homunculus.attach(one.model, one.processor, tokens=K, method="hired")
    inputs, layouts = inputs_of(engine, picture(150, 210))
    visual, merged = one.model.base_model.visual, []
    hook = visual.merger.register_forward_hook(lambda *given: merged.append(given[2]))
    with torch.no_grad():
        encoded = tower.encode_with_attention(one.model, inputs, layouts)
    hook.remove()
    order = tower._window_order(visual, inputs)
    assert not torch.equal(order, order.sort().values), "this picture has several windows"
    torch.testing.assert_close(merged[0][order.argsort()], encoded.rows[0])


def test_tiles_are_put_together_as_the_model_does_it() -> None:
    one = load("llava_onevision")
    engine = homunculus.attach(one.model, one.processor, tokens=K, method="hired")
    base, seen = one.model.base_model, []
    hook = base.multi_modal_projector.register_forward_hook(lambda *given: seen.append(given[2]))
    inputs, layouts = inputs_of(engine, picture(150, 210))
    with torch.no_grad():
        encoded = tower.encode_with_attention(one.model, inputs, layouts)
    hook.remove()
    (rows,) = tower._packed_rows(base, seen[0], inputs, layouts)
    cells = layouts[0].row
    torch.testing.assert_close(rows[cells], encoded.rows[0][cells])
    assert encoded.observed[0].tile.unique().numel() > 1


@pytest.mark.parametrize("family", ["smolvlm", "idefics3", "internvl"])
def test_patches_of_a_cell_are_those_that_the_model_joins(family: str) -> None:
    base = load(family).model.base_model
    patches = torch.arange(2.0 * 36 * 3).sin().view(2, 36, 3)
    if family == "internvl":
        joined = base.pixel_shuffle(patches.view(2, 6, 6, 3), 0.5).flatten(1, 2)
    else:
        joined = base.connector.pixel_shuffle(patches, 2)
    told = joined.unflatten(2, (4, 3)).mean(2)
    torch.testing.assert_close(tower.pool_patches(patches, 3), told)


# ---- who refuses ---------------------------------------------------------------------------------


def test_before_the_encoder_a_rival_refuses_by_name() -> None:
    one = load("qwen3_vl")
    with pytest.raises(ValueError, match="engine: tome chooses by what the encoder makes"):
        homunculus.attach(one.model, one.processor, method="tome", where="before")


def test_without_a_question_those_that_need_one_refuse_by_name() -> None:
    one = load("qwen3_vl")
    engine = homunculus.attach(one.model, one.processor, tokens=K, method="mmtok")
    with pytest.raises(ValueError, match="engine: mmtok needs a question, got none"):
        engine.prepare(chat(picture(90, 100), question=""))


def test_another_question_keeps_other_cells() -> None:
    one = load("qwen3_vl")
    for name in ("cdpruner", "mmtok"):
        engine = homunculus.attach(one.model, one.processor, tokens=K, method=name)
        kept = [
            engine.prepare(chat(picture(150, 210), question=text)).images[0].choice.anchor.tolist()
            for text in ("What is it?", "Total due of the year", "What is it?")
        ]
        assert kept[0] == kept[2] != kept[1]
