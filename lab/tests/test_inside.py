"""Rivals inside the language model, on tiny models: keep-all, poison, batches, the cache."""

from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor

import tiny
from homunculus_lab.inside import INSIDE, Dropping, FastV, InsideRule
from homunculus_lab.inside.hooks import FAMILIES, number_images
from homunculus_lab.inside.rows import EMPTY
from homunculus_lab.inside.rule import Keep
from homunculus_lab.inside.sparsevlm import split

DEPTH, TOKENS, STEPS = 5, 12, 4
EACH = pytest.mark.parametrize("family", FAMILIES)
RULES = pytest.mark.parametrize("name", INSIDE)


@cache
def deep(family: str) -> SimpleNamespace:
    """A tiny model with room for three stages."""
    hf = tiny.hub()
    config, processor = tiny.FAMILIES[family](hf)
    for part in (config, config.text_config):
        part.tie_word_embeddings = False
    config.text_config.num_hidden_layers = DEPTH
    config.text_config.layer_types = ["full_attention"] * DEPTH
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        model = hf.AutoModelForImageTextToText.from_config(config).eval()
    tiny.draw(model, 0)
    model.generation_config = hf.GenerationConfig(
        pad_token_id=processor.tokenizer.pad_token_id, eos_token_id=None
    )
    return SimpleNamespace(model=model, processor=processor)


TALKS = (((120, 150), "What is it?"), ((60, 90), "How many letters are on the second page?"))


def prompt(family: str, *which: int, side: str = "left") -> Any:
    """One of the talks, or several in a batch."""
    words = deep(family).processor
    words.tokenizer.padding_side = side
    talks = [
        [{"role": "user", "content": [
            {"type": "image", "image": tiny.picture(*TALKS[at][0], seed=at)},
            {"type": "text", "text": TALKS[at][1]},
        ]}]
        for at in which
    ]  # fmt: skip
    return words.apply_chat_template(
        talks, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt",
        processor_kwargs={"padding": True},
    )  # fmt: skip


def generate(family: str, inputs: Any, **options: Any) -> Any:
    plain = {"do_sample": False, "max_new_tokens": STEPS, "return_dict_in_generate": True}
    model = deep(family).model
    ids = [model.config.image_token_id]
    with torch.inference_mode():
        return model.generate(**inputs, **plain, output_logits=True, suppress_tokens=ids, **options)


# ---- keep all ------------------------------------------------------------------------------------


@EACH
@RULES
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_what_keeps_all_is_bit_equal_to_the_untouched_model(family, name, attention) -> None:
    model, inputs = deep(family).model, prompt(family, 0, 1)
    model.set_attn_implementation(attention)
    try:
        own = generate(family, inputs)
        with Dropping(model, INSIDE[name](tokens=10**6)):
            again = generate(family, inputs)
        last = generate(family, inputs)
    finally:
        model.set_attn_implementation("sdpa")
    assert torch.equal(own.sequences, again.sequences)
    assert all(torch.equal(*pair) for pair in zip(own.logits, again.logits, strict=True))
    assert torch.equal(own.logits[0], last.logits[0])
    assert not any(layer._forward_pre_hooks for layer in model.base_model.language_model.layers)


# ---- exactly as many -----------------------------------------------------------------------------


@EACH
@RULES
def test_an_image_has_as_many_tokens_in_each_layer_as_its_stages_say(family, name) -> None:
    model, inputs = deep(family).model, prompt(family, 0, 1)
    rule = INSIDE[name](tokens=TOKENS)
    with Dropping(model, rule) as dropping:
        cache = generate(
            family,
            inputs,
        ).past_key_values
    text = (inputs["input_ids"] != model.config.image_token_id) & inputs["attention_mask"].bool()
    longest = 0
    for row, image in zip(inputs["input_ids"], dropping.counts, strict=True):
        native = int((row == model.config.image_token_id).sum())
        assert image[0] == native > TOKENS == image[-1]
        assert image == sorted(image, reverse=True)
        assert [image[layer] for layer in rule.layers(DEPTH)] == [
            tokens for _, tokens in rule.stages(native, DEPTH)
        ]
    longest = max(int(row.sum()) for row in text) + TOKENS + STEPS - 1
    assert cache.layers[-1].keys.shape[-2] == longest, "the cache holds no dropped row"
    assert dropping.mean_tokens > TOKENS


@RULES
def test_tokens_may_be_the_mean_over_all_layers(name) -> None:
    inputs = prompt("llava", 0)
    with Dropping(deep("llava").model, INSIDE[name](tokens=80, mean=True)) as dropping:
        generate("llava", inputs)
    assert 77 < dropping.mean_tokens <= 80


# ---- poison --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Again(InsideRule):
    """The choices of an earlier run, whatever the states are."""

    rule: Any = None
    choices: Any = None
    name: ClassVar[str] = "again"

    def layers(self, depth: int) -> Any:
        return self.rule.layers(depth)

    def choose(self, layer: Any, prompt: Any, image: int, tokens: int) -> Keep:
        """Stages know their layer by how many are left."""
        return self.choices[tokens]


@EACH
@RULES
def test_rows_that_are_dropped_are_never_seen_again(family, name) -> None:
    """A second run makes the same choices, but finds NaN in every row that it drops."""
    model, inputs = deep(family).model, prompt(family, 0)
    rule = INSIDE[name](tokens=TOKENS)
    with Dropping(model, rule) as first:
        own = generate(family, inputs)
    known = first.known
    assert known is not None
    choices = {len(one[0][0].rows): one[0][0] for one in known.choices.values()}
    poison = []

    def poisoned(at: int) -> Any:
        before = (
            known.held[at - 1].column[0]
            if at - 1 in known.held
            else torch.arange(inputs["input_ids"].shape[1])
        )
        gone = ~torch.isin(before, known.held[at].column[0])

        def hook(_: Any, args: Any) -> Any:
            if args[0].shape[1] == 1:
                return None
            poison.append(int(gone.sum()))
            return (args[0].masked_fill(gone[None, :, None], torch.nan), *args[1:])

        return hook

    layers = model.base_model.language_model.layers
    hooks = [layers[at].register_forward_pre_hook(poisoned(at)) for at in known.choices]
    try:
        with Dropping(model, Again(TOKENS, rule=rule, choices=choices)):
            sick = generate(family, inputs)
        assert (
            sum(poison) == int((inputs["input_ids"] == model.config.image_token_id).sum()) - TOKENS
        )
        assert all(torch.equal(*pair) for pair in zip(own.logits, sick.logits, strict=True))
        for hook in hooks[1:]:  # made for rows that are fewer already
            hook.remove()
        without = model(**inputs).logits
        assert without.isnan().all(), "the poison works where nothing is dropped"
    finally:
        for hook in hooks:
            hook.remove()


# ---- batches -------------------------------------------------------------------------------------


@EACH
@RULES
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_a_batch_says_what_its_prompts_say_alone(family, name, attention) -> None:
    model = deep(family).model
    model.set_attn_implementation(attention)
    try:
        with Dropping(model, INSIDE[name](tokens=TOKENS)) as dropping:
            both = generate(family, prompt(family, 0, 1))
            counts, held = dropping.counts, kept(dropping)
            for at in (0, 1):
                alone = generate(family, prompt(family, at))
                assert dropping.counts == [counts[at]]
                assert kept(dropping) == [held[at]]
                for one, many in zip(alone.logits, both.logits, strict=True):
                    assert torch.allclose(one[0], many[at], atol=2e-4)
    finally:
        model.set_attn_implementation("sdpa")


@EACH
@RULES
def test_padding_may_stand_at_the_right(family, name) -> None:
    model = deep(family).model
    with torch.inference_mode(), Dropping(model, INSIDE[name](tokens=TOKENS)) as dropping:
        both = model(**prompt(family, 0, 1, side="right")).logits
        held = dropping.known.held[DEPTH - 1]  # type: ignore[union-attr]
        last = [int(row.sum()) - 1 for row in held.valid]
        columns = kept(dropping)
        for at in (0, 1):
            alone = model(**prompt(family, at, side="right")).logits
            assert kept(dropping) == [columns[at]]
            assert torch.allclose(alone[0, -1], both[at, last[at]], atol=2e-4)


def kept(dropping: Dropping) -> list[list[int]]:
    """Image tokens left in the last layer, counted from the first one of their prompt."""
    known = dropping.known
    assert known is not None
    out = []
    for column, image in zip(known.held[DEPTH - 1].column, known.image, strict=True):
        start = int((image >= 0).nonzero()[0, 0])
        out.append([int(at) - start for at in column if at != EMPTY and image[at] >= 0])
    return out


# ---- the cache -----------------------------------------------------------------------------------


@EACH
@RULES
def test_what_is_generated_with_the_cache_is_what_an_oracle_without_one_says(family, name) -> None:
    """The oracle drops no row and keeps no cache: dropped columns are masked in later layers."""
    model, inputs = deep(family).model, prompt(family, 0)
    with Dropping(model, INSIDE[name](tokens=TOKENS)) as dropping:
        own = generate(family, inputs)
    said = inputs["input_ids"][:, :0]
    for step in range(STEPS):
        logits = oracle(model, dropping, inputs, said).clone()
        assert torch.allclose(logits, own.logits[step], atol=2e-4)
        logits[:, model.config.image_token_id] = -torch.inf
        said = torch.cat((said, logits.argmax(-1, keepdim=True)), 1)
    assert torch.equal(own.sequences[:, -STEPS:], said)


@torch.inference_mode()
def oracle(model: Any, dropping: Dropping, inputs: Any, said: Tensor) -> Tensor:
    """Logits of the last token, all rows in all layers, masks in place of drops."""
    known = dropping.known
    assert known is not None
    grown = dict(inputs)
    for name, one in (("input_ids", said), ("attention_mask", torch.ones_like(said)),
                      ("mm_token_type_ids", torch.zeros_like(said))):  # fmt: skip
        if name in grown:
            grown[name] = torch.cat((grown[name], one), 1)
    length, whole = inputs["input_ids"].shape[1], grown["input_ids"].shape[1]

    def masked(at: int) -> Any:
        def hook(_: Any, args: Any, given: dict[str, Any]) -> Any:
            state = args[0].clone()
            seen = torch.ones(whole, dtype=torch.bool)
            if at in known.held:
                column = known.held[at].column[0]
                seen[:length] = False
                seen[column] = True
                for keep in known.choices[at][0] if at in known.choices else []:
                    if keep.hidden is not None:  # means of SparseVLM
                        before = known.held[at - 1].column[0] if at - 1 in known.held else (
                            torch.arange(length))  # fmt: skip
                        state[0, before[keep.rows]] = keep.hidden
            before = torch.ones(whole, whole, dtype=torch.bool).tril() & seen
            mask = before | torch.eye(whole, dtype=torch.bool)
            return (state, *args[1:]), given | {"attention_mask": mask[None, None]}

        return hook

    layers = model.base_model.language_model.layers
    hooks = [
        layer.register_forward_pre_hook(masked(at), with_kwargs=True)
        for at, layer in enumerate(layers)
    ]
    try:
        return model(**grown, use_cache=False).logits[:, -1]
    finally:
        for hook in hooks:
            hook.remove()


# ---- refusals and small parts --------------------------------------------------------------------


def test_other_families_and_prompts_are_refused_in_plain_words() -> None:
    with pytest.raises(ValueError, match=r"made for qwen2_5_vl, .* got paligemma"):
        Dropping(tiny.load("paligemma").model, FastV(8))
    model = deep("llava").model
    with pytest.raises(ValueError, match="layer is 1 to 4"):
        Dropping(model, FastV(8, layer=5))
    with pytest.raises(ValueError, match="tokens"):
        FastV(0)
    inputs = prompt("llava", 0)
    inputs["input_ids"][0, -1] = model.config.image_token_id
    with Dropping(model, FastV(8)) as dropping:
        with pytest.raises(ValueError, match="not been called"):
            _ = dropping.counts
        with pytest.raises(ValueError, match="text after the last image"):
            model.base_model(**inputs)


def test_images_of_one_prompt_are_cut_each_by_itself() -> None:
    words = deep("llava").processor
    parts = [{"type": "image", "image": tiny.picture(96, 96, seed)} for seed in (1, 2)]
    talk = [{"role": "user", "content": [*parts, {"type": "text", "text": "Which?"}]}]
    inputs = words.apply_chat_template(
        talk, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
    )
    for name in INSIDE:
        with Dropping(deep("llava").model, INSIDE[name](tokens=TOKENS)) as dropping:
            generate("llava", inputs)
        assert [image[-1] for image in dropping.counts] == [TOKENS, TOKENS]


def test_means_are_part_of_the_budget() -> None:
    for native in (20, 144, 576):
        for tokens in range(3, native // 2, 7):
            whole = split(native, tokens)
            means = int((int((native - whole) * 0.3) + 1) / 10) + 1
            assert whole == tokens or whole + means == tokens


def test_images_are_runs_of_placeholders() -> None:
    mask = torch.tensor([[1, 1, 0, 1, 0], [0, 0, 0, 1, 1]]).bool()
    assert number_images(mask).tolist() == [[0, 0, -1, 1, -1], [-1, -1, -1, 0, 0]]
