"""Training: gradients reach relevance and the model; features are never those of old weights."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine_help import BEFORE, FAMILIES, LARGE, MARK, TALL, attached, images, load, picture, turn
from homunculus import Sight
from homunculus.engines import encode
from homunculus.engines.weights import weights_key

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


def in_place(model: Any) -> None:
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(1.1)


def behind_autograd(model: Any) -> None:
    """As averages of weights are swapped in: torch does not count such changes of a tensor."""
    for weight in model.parameters():
        weight.data.mul_(1.1)


def load_others(model: Any) -> None:
    model.load_state_dict({name: 1.1 * one for name, one in model.state_dict().items()})


def replace_weights(model: Any) -> None:
    for weight in model.parameters():
        weight.data = weight.data * 1.1


CHANGES = [in_place, behind_autograd, load_others, replace_weights]


@pytest.mark.parametrize("family", FAMILIES)
def test_features_follow_the_weights(family: str) -> None:
    tiny = load(family)
    engine = attached(tiny, tokens=20)
    old = features(engine)
    behind_autograd(tiny.model.base_model)
    assert not torch.equal(features(engine), old)
    assert torch.equal(features(engine), features(attached(tiny, tokens=20)))


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_features_follow_the_weights_however_they_change(change: Any) -> None:
    tiny = load("qwen3_vl")
    engine = attached(tiny, tokens=20)
    old = features(engine)
    change(tiny.model.base_model.visual)
    assert not torch.equal(features(engine), old)
    assert torch.equal(features(engine), features(attached(tiny, tokens=20)))


@pytest.mark.parametrize("family", FAMILIES)
def test_images_are_encoded_once_while_the_weights_stay(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, made = attached(load(family), tokens=20), []
    encode_images = encode.encode_images
    monkeypatch.setattr(
        encode, "encode_images", lambda *given: made.append(1) or encode_images(*given)
    )
    for _ in range(2):
        features(engine)
        engine.chat(ASK, max_new_tokens=2)
    assert made == [1]


class Adapter(nn.Module):
    """A layer with low-rank weights beside it, which can be switched and merged as in peft."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base, self._active_adapter, self.merged_adapters = base, list[str](), list[str]()
        self.down = nn.Parameter(torch.ones(2, base.in_features))
        self.up = nn.Parameter(torch.ones(base.out_features, 2))

    def forward(self, x: Tensor) -> Tensor:
        more = x @ self.down.T @ self.up.T if self._active_adapter else 0
        return self.base(x) + more

    def merge(self) -> None:
        self.base.weight.data += self.up.data @ self.down.data
        self._active_adapter, self.merged_adapters = [], ["mine"]


def test_features_follow_adapters_that_are_switched_and_merged() -> None:
    tiny = load("qwen3_vl")
    block = tiny.model.base_model.visual.blocks[0]
    block.mlp.linear_fc1 = adapter = Adapter(block.mlp.linear_fc1)
    engine = attached(tiny, tokens=20)
    off = features(engine)
    adapter._active_adapter = ["mine"]  # as peft's `set_adapter` does
    on = features(engine)
    assert torch.equal(on, features(attached(tiny, tokens=20)))
    adapter.merge()
    merged = features(engine)
    assert torch.equal(merged, features(attached(tiny, tokens=20)))
    assert not torch.equal(off, on)
    torch.testing.assert_close(on, merged)


def test_weights_that_cannot_be_read_have_no_key() -> None:
    assert weights_key(nn.Linear(2, 2, device="meta")) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.bool, torch.uint8])
def test_one_changed_value_of_a_buffer_of_any_size_changes_the_key(dtype: torch.dtype) -> None:
    holder = nn.Module()
    holder.register_buffer("values", torch.zeros(40, dtype=dtype)[3:])  # not aligned to 8 bytes
    before = weights_key(holder)
    for place in (0, 20, 36):
        holder.values.data[place] = 1
        assert weights_key(holder) != before
        holder.values.data[place] = 0
        assert weights_key(holder) == before


def test_the_next_turn_is_read_again_if_the_weights_have_changed() -> None:
    tiny = load("qwen3_vl")
    first = attached(tiny, tokens=20)
    said = first.chat(ASK, max_new_tokens=2)[0]
    assert first._cache._kv is not None
    in_place(tiny.model.base_model.language_model)
    talk = [*ASK, turn(said.text, role="assistant"), turn("Where?")]
    answer = first.chat(talk, upon=said, max_new_tokens=1, output_logits=True)[0]
    fresh = attached(tiny, tokens=20).chat(talk, max_new_tokens=1)[0]
    assert torch.equal(answer.ids, fresh.ids)


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_to_train_asks_for_no_gradient(family: str) -> None:
    prepared = attached(family, tokens=20).prepare(TALKS[0])
    assert not prepared.images[0].choice.embed.requires_grad


def test_labels_of_a_processor_follow_their_tokens() -> None:
    """paligemma's gives them: -100 wherever the prompt is."""
    prepared = attached("paligemma", tokens=20).prepare(TALKS, forward=True)
    assert prepared["labels"].shape == prepared["input_ids"].shape
    assert (prepared["labels"][prepared["attention_mask"] == 0] == -100).all()
