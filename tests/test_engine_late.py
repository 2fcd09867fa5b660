"""Pixels late: what is made of chosen cells alone is what the processor would have made of them."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from homunculus import Sight
from homunculus.engines import qwen
from homunculus.engines.parts import parts
from homunculus.engines.transformers import attach
from tiny import ask, load, picture

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:transformers")


@pytest.fixture(params=["qwen3_vl", "qwen2_5_vl", "qwen2_vl"])
def it(request: pytest.FixtureRequest) -> SimpleNamespace:
    return load(request.param)


def slope(image: Any, question: str, grid: Any) -> Sight:
    """Relevance that grows towards the lower right, so that all levels are used."""
    return Sight(torch.linspace(-3, 3, 32 * 32).view(32, 32), sure=1.0)


def both(it: SimpleNamespace, method: str, tokens: int, *images: Any) -> tuple[Any, Tensor, Tensor]:
    """The parts that are encoded, and their patches made late and made of the whole."""
    engine = attach(
        it.model, it.processor, tokens=tokens, method=method, where="before", scout=slope
    )
    shown = [{"type": "image", "image": image} for image in images]
    talk = [{"role": "user", "content": [*shown, {"type": "text", "text": "What is it?"}]}]
    looks = engine.prepare(talk).images
    chosen = parts([one.layout for one in looks], [one.choice for one in looks], engine.method.rule)
    plain = ask(it.processor, *images)
    small = qwen.resize_only(it.processor)
    lately = ask(small, *images)
    lately["pixel_values"] = qwen.resized_images(lately, it.processor.image_processor)
    assert torch.equal(plain["input_ids"], lately["input_ids"])
    assert torch.equal(plain["image_grid_thw"], lately["image_grid_thw"])
    sight = it.model.config.vision_config
    sizes = (sight.spatial_merge_size, sight.patch_size, chosen)
    return chosen, qwen.pixels(lately, *sizes), qwen.pixels(plain, *sizes)


SIZES = [[(192, 256)], [(150, 90), (192, 256)], [(176, 208)], [(31, 200)]]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_cells_of_the_image_itself_are_the_processors_bit_for_bit(it, sizes) -> None:
    images = [picture(*size, seed=at) for at, size in enumerate(sizes)]
    for tokens in (12, 10**6):
        chosen, ours, theirs = both(it, "grid", tokens, *images)
        assert all(part.own for part in chosen)
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("method", ["foveated", "cut", "windows"])
def test_coarse_cells_and_frames_differ_by_rounding(it, method, sizes) -> None:
    images = [picture(*size, seed=at) for at, size in enumerate(sizes)]
    chosen, ours, theirs = both(it, method, 20, *images)
    assert len(images) > 1 or not all(part.own for part in chosen)
    assert ours.shape == theirs.shape
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=0)


def test_an_engine_works_late_and_leaves_the_processor_as_it_was(it, monkeypatch) -> None:
    rows, asked = qwen.ResizedImages.rows, []
    monkeypatch.setattr(
        qwen.ResizedImages, "rows", lambda *given: asked.append(given) or rows(*given)
    )
    engine = attach(it.model, it.processor, tokens=9, where="before", scout=slope)
    before = dict(vars(it.processor.image_processor))
    engine.generate(picture(96, 96), "What is it?", max_new_tokens=1)
    assert asked
    assert dict(vars(it.processor.image_processor)) == before
    assert "patchify" not in before


def test_a_processor_that_is_not_known_does_all_of_its_work(it) -> None:
    class Other(type(it.processor.image_processor)):
        """Somebody's own."""

    assert qwen.resize_only(SimpleNamespace(image_processor=None)) is None
    it.processor.image_processor.__class__ = Other
    assert qwen.resize_only(it.processor) is None
    engine = attach(it.model, it.processor, tokens=9, where="before", scout=slope)
    answer = engine.generate(picture(96, 96), "What is it?", max_new_tokens=1)
    assert len(answer.images[0].choice.anchor) == 9
