"""Training: gradients reach relevance and the model; features are never those of old weights."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine_help import BEFORE, FAMILIES, LARGE, MARK, TALL, attached, images, load, picture, turn
from homunculus import Sight

pytestmark = MARK
TALKS = [
    [turn(picture(*LARGE), "What is it?"), turn("A dog.", role="assistant")],
    [turn(picture(*TALL, seed=1), "Where?"), turn("There, on the left.", role="assistant")],
]
WAYS = [("qwen3_vl", "after"), ("llava", "after"), *[(name, "before") for name in BEFORE]]


class Taste(nn.Module):
    """A relevance that learns."""

    def __init__(self) -> None:
        super().__init__()
        chance = torch.Generator().manual_seed(0)
        self.logit = nn.Parameter(torch.randn(24, 24, generator=chance))

    def __call__(self, image: Any, question: str, grid: Any) -> Sight:
        return Sight(2 * self.logit, sure=1.0)


def loss(engine: Any) -> Tensor:
    prepared = engine.prepare(TALKS, forward=True)
    ids, mask = prepared["input_ids"], prepared["attention_mask"]
    labels = ids.masked_fill(images(engine, ids) | (mask == 0), -100)
    return engine.model(**{**prepared, "labels": labels}).loss


@pytest.mark.parametrize("method", ["grid", "foveated"])
@pytest.mark.parametrize(("family", "where"), WAYS)
def test_a_loss_reaches_relevance_and_the_towers_first_layer(
    family: str, where: str, method: str
) -> None:
    taste, tiny = Taste(), load(family)
    engine = attached(tiny, tokens=20, where=where, method=method, scout=taste)
    loss(engine).backward()
    assert taste.logit.grad is not None
    assert taste.logit.grad.isfinite().all()
    assert taste.logit.grad.abs().max() > 1e-6
    first = [one for name, one in tiny.model.named_parameters() if "patch_embed" in name]
    assert first
    assert all(one.grad.abs().max() > 0 for one in first)


@pytest.mark.parametrize(("family", "where"), WAYS)
def test_training_changes_no_number(family: str, where: str) -> None:
    engine = attached(family, tokens=20, where=where, method="foveated", scout=Taste())
    with torch.no_grad():
        plain = engine.prepare(TALKS, forward=True)
    trained = engine.prepare(TALKS, forward=True)
    for one, two in zip(plain.images, trained.images, strict=True):
        assert two.choice.embed.requires_grad
        assert torch.equal(one.choice.embed, two.choice.embed)
        assert torch.equal(one.choice.anchor, two.choice.anchor)


ASK = [turn(picture(*LARGE), "What is it?")]


def features(engine: Any) -> Tensor:
    return engine.prepare(ASK).images[0].choice.embed


def behind_autograd(model: Any) -> None:
    """As averages of weights are swapped in: torch does not count such changes of a tensor."""
    for weight in model.parameters():
        weight.data.mul_(1.1)


@pytest.mark.parametrize("family", FAMILIES)
def test_features_follow_the_weights(family: str) -> None:
    tiny = load(family)
    engine = attached(tiny, tokens=20)
    old = features(engine)
    behind_autograd(tiny.model.base_model)
    assert not torch.equal(features(engine), old)
    assert torch.equal(features(engine), features(attached(tiny, tokens=20)))


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_to_train_asks_for_no_gradient(family: str) -> None:
    prepared = attached(family, tokens=20).prepare(TALKS[0])
    assert not prepared.images[0].choice.embed.requires_grad


def test_labels_of_a_processor_follow_their_tokens() -> None:
    """paligemma's gives them: -100 wherever the prompt is."""
    prepared = attached("paligemma", tokens=20).prepare(TALKS, forward=True)
    assert prepared["labels"].shape == prepared["input_ids"].shape
    assert (prepared["labels"][prepared["attention_mask"] == 0] == -100).all()
