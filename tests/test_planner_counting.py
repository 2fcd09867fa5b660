"""What models count for a picture: as their own processors do, and as their providers publish."""

import re
from copy import deepcopy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny
from homunculus.planner.belief import Belief
from homunculus.planner.bill import Bill, Buyer, least, raised, resize
from homunculus.planner.counting import Size, TokenRule
from homunculus.planner.labels import Label
from homunculus.planner.models import MODELS, rule_of, token_rule
from test_planner import EYES, belief, unknown

HIGHEST = 12_000


def random_sizes(slim: int = 30) -> list[Size]:
    """Five hundred sizes from a pixel to many, even over their logarithms."""
    lot = np.random.default_rng(0)
    found: list[Size] = []
    while len(found) < 500:
        high, wide = np.ceil(HIGHEST ** lot.random(2)).astype(int).tolist()
        if max(high, wide) <= slim * min(high, wide):
            found.append((high, wide))
    return found


# ---- open models: their own processors -----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "least", "most", "patch"),
    [
        ("qwen3-vl", 1024, 32 * 32 * 16_384, 16),
        ("qwen3-vl-published", 65_536, 16_777_216, 16),
        ("qwen2.5-vl", 3_136, 12_845_056, 14),
    ],
)
def test_qwen(name: str, least: int, most: int, patch: int) -> None:
    tiny.hub()
    from transformers import Qwen2VLImageProcessor

    size = {"shortest_edge": least, "longest_edge": most}
    processor = Qwen2VLImageProcessor(size=size, patch_size=patch, merge_size=2)
    for size in random_sizes():
        theirs = processor.get_number_of_image_patches(*size) // 4
        assert token_rule(name).count(size) == max(1, theirs), size


@pytest.mark.parametrize(("name", "patch", "edge"), [("pixtral", 16, 1024), ("mistral", 28, 1540)])
def test_pixtral(name: str, patch: int, edge: int) -> None:
    tiny.hub()
    from transformers.models.pixtral.processing_pixtral import PixtralProcessor

    there = SimpleNamespace(size={"longest_edge": edge})
    this = SimpleNamespace(image_processor=there, patch_size=patch, spatial_merge_size=1)
    sizes = [size for size in random_sizes() if min(size) > 4]  # else it takes sides for channels
    theirs = PixtralProcessor._get_num_multimodal_tokens(this, sizes)["num_image_tokens"]
    assert [token_rule(name).count(size) for size in sizes] == theirs


def test_internvl() -> None:
    tiny.hub()
    from transformers import GotOcr2ImageProcessor

    size = {"height": 448, "width": 448}
    processor = GotOcr2ImageProcessor(
        size=size, crop_to_patches=True, min_patches=1, max_patches=12
    )
    for size in random_sizes():
        theirs = 2 + 256 * processor.get_number_of_image_patches(*size)
        assert token_rule("internvl").count(size) == theirs, size
        alone = processor.get_number_of_image_patches(*size, {"max_patches": 1})
        assert token_rule("internvl").unit.tokens == 2 + 256 * alone


@pytest.mark.parametrize(
    ("name", "room", "pixels", "tile"),
    [("smolvlm", "SmolVLM", 512, 64), ("idefics3", "Idefics3", 364, 169)],
)
def test_split(
    name: str, room: str, pixels: int, tile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = tiny.hub()
    from transformers.models.idefics3.processing_idefics3 import Idefics3ProcessorKwargs as Usual

    monkeypatch.setattr(Usual, "_defaults", deepcopy(Usual._defaults))  # counting changes them
    processor = getattr(hub, f"{room}ImageProcessor")(
        size={"longest_edge": 4 * pixels}, max_image_size={"longest_edge": pixels}
    )
    count = hub.Idefics3Processor._get_num_multimodal_tokens
    words = lambda text, **_: {"input_ids": [1]}  # noqa: E731  the published ones merge newlines
    this = SimpleNamespace(image_processor=processor, image_seq_len=tile, tokenizer=words)
    sizes = random_sizes()
    theirs = count(this, sizes, do_image_splitting=True)["num_image_tokens"]
    assert [token_rule(name).count(size) for size in sizes] == theirs
    alone = count(this, sizes, do_image_splitting=False)["num_image_tokens"]
    assert set(alone) == {token_rule(name).unit.tokens}


def test_llava_onevision() -> None:
    hub = tiny.hub()
    processor = hub.LlavaOnevisionImageProcessor()
    this = SimpleNamespace(
        image_processor=processor, num_image_tokens=729, vision_aspect_ratio="anyres_max_9",
        vision_feature_select_strategy="full",
    )  # fmt: skip
    kind = hub.LlavaOnevisionProcessor
    for name in ("_get_number_of_features", "_get_unpadded_features"):
        setattr(this, name, getattr(kind, name).__get__(this))
    sizes = [size for size in random_sizes() if min(size) > 1]
    theirs = kind._get_num_multimodal_tokens(this, sizes)["num_image_tokens"]
    rule = token_rule("llava-onevision")
    assert [rule.count(size) for size in sizes] == theirs
    assert rule.prices([(500, 500)] * 2) == (rule.unit.tokens,) * 2 == (729, 729)


def test_llama_4() -> None:
    hub = tiny.hub()
    from transformers.models.llama4 import image_processing_llama4 as room
    from transformers.models.llama4.processing_llama4 import Llama4Processor

    every = torch.tensor(
        room.find_supported_resolutions(16, hub.image_utils.SizeDict(height=336, width=336))
    )
    for size in random_sizes():
        canvas = room.get_best_fit(size, every)
        grid = [int(side) // 336 for side in canvas]
        theirs = Llama4Processor._prompt_split_image(None, grid, 144)
        assert token_rule("llama-4").count(size) == theirs.count("<|"), size


def test_gemma_3() -> None:
    hub = tiny.hub()
    this = SimpleNamespace(image_seq_length=256)
    sizes = random_sizes()
    theirs = hub.Gemma3Processor._get_num_multimodal_tokens(this, sizes)["num_image_tokens"]
    assert [token_rule("gemma-3").count(size) for size in sizes] == theirs


# ---- hosted models: published examples -----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "size", "tokens"),
    [
        ("gpt-6", (3024, 4032), 14_364),
        ("gpt-4o", (1024, 1024), 765),
        ("gpt-4o", (4096, 2048), 1_105),
        ("gpt-5", (512, 512), 210),
        ("o3", (512, 512), 225),
        ("gpt-4o-mini", (512, 512), 8_500),
        ("claude", (280, 281), 110),
        ("claude-haiku-4.5", (28, 28), 1),
        ("gemini-3", (64, 64), 1_120),
        ("gemini-3", (1024, 1024), 1_120),
        ("grok", (448, 448), 512),
        ("grok", (5000, 4000), 1_792),
        ("nova", (450, 900), 800),
        ("nova", (900, 900), 1_300),
        ("nova", (900, 1400), 1_800),
        ("nova", (1300, 1300), 2_600),
    ],
)
def test_published_examples(name: str, size: Size, tokens: int) -> None:
    assert token_rule(name).count(size) == tokens


def test_a_cap_reduces_to_whole_patches() -> None:
    patches = token_rule("gpt-5-mini")
    assert patches.cells(patches.reduced((2400, 1800))) == 1_452  # OpenAI's example
    assert patches.count((2400, 1800)) == 2_353


def test_claude_never_costs_more_than_its_cap() -> None:
    for size in random_sizes():
        assert token_rule("claude").count(size) <= 4_784
        assert token_rule("claude-haiku-4.5").count(size) <= 1_568


def test_every_rule_says_where_it_comes_from() -> None:
    for rule in MODELS.values():
        assert rule.facts.source, rule.name
        assert rule.facts.whose, rule.name
        assert rule.facts.date.startswith("20"), rule.name
        assert rule.facts.sure in ("code", "documents", "measured", "reported"), rule.name


# ---- views by any rule ---------------------------------------------------------------------------

sides = st.one_of(st.integers(1, 300), st.integers(1, HIGHEST))


def afford(buyer: Buyer, tokens: int) -> Bill | None:
    try:
        return buyer.buy(tokens)
    except ValueError as error:
        if "too few for any picture" not in str(error):
            raise
        return None


@settings(max_examples=100, deadline=None)
@given(
    name=st.sampled_from(sorted(MODELS)),
    size=st.tuples(sides, sides).filter(lambda size: max(size) <= 100 * min(size)),
    tokens=st.one_of(st.integers(16, 300), st.integers(16, 4096)),
    seed=st.integers(0, 10**6),
    label=st.builds(Label, st.sampled_from(("short", "long", "none")), st.booleans()),
)
def test_views_and_their_lines_never_cost_more_than_the_budget(
    name, size, tokens, seed, label
) -> None:
    rule = token_rule(name)
    buyer = Buyer(belief(size, seed), size, rule, EYES, max_windows=rule.facts.windows, label=label)
    if (bill := afford(buyer, tokens)) is None:
        return
    assert bill.tokens + bill.label_tokens <= tokens
    if len(bill.prices) > 1:
        assert bill.label_tokens == label.fees.whole + len(bill.plan.windows) * label.fees.window
    elif not label.numbered:
        assert bill.label_tokens == 0
    assert len(bill.prices) == 1 + len(bill.plan.windows) <= 1 + rule.facts.windows
    shown = [bill.plan.whole, *(one.size(rule.lattice.side) for one in bill.plan.windows)]
    if not bill.setting:
        assert bill.tokens == sum(rule.prices(shown))
    if isinstance(rule, TokenRule) and rule.edge:
        assert max(max(one) for one in shown) <= rule.edge  # so nobody resizes it again


@pytest.mark.parametrize("name", sorted(MODELS))
def test_who_knows_nothing_gets_the_whole_picture(name: str) -> None:
    size, rule = (1400, 1000), token_rule(name)
    bill = Buyer(unknown(size), size, rule, EYES).buy(4_096)
    assert bill.plan.windows == ()
    assert bill.tokens <= 4_096


@pytest.mark.parametrize("name", sorted(set(MODELS) - {"gemini-3", "gemini-2.5"}))
def test_windows_show_more_than_the_whole_picture_at_the_same_price(name: str) -> None:
    size, rule = (4000, 3000), token_rule(name)
    tokens = 3 * rule.unit.tokens if rule.unit else 200
    bill = Buyer(belief(size, 1, peaks=1), size, rule, EYES).buy(tokens)
    alone = Buyer(belief(size, 1, peaks=1), size, rule, EYES, max_windows=0).buy(tokens)
    assert bill.plan.windows
    assert bill.plan.value > alone.plan.value + 0.05


def test_a_small_picture_is_left_as_it_is() -> None:
    for name in ("claude", "gpt-6", "qwen3-vl", "gpt-4o", "llama-4"):
        bill = Buyer(belief((100, 80), 0), (100, 80), token_rule(name), EYES).buy(300)
        assert bill.plan.whole == (100, 80), name
        assert bill.plan.windows == ()


@pytest.mark.parametrize("name", sorted(set(MODELS) - {"gemini-3", "gemini-2.5"}))
def test_pixels_that_the_model_would_throw_away_are_not_sent(name: str) -> None:
    rule, size = token_rule(name), (9000, 7000)
    seen = rule.seen(size)
    assert max(seen) < max(size) or rule.count(size) == rule.count(seen)
    bill = Buyer(unknown(size), size, rule, EYES).buy(200_000)
    assert bill.plan.whole == seen
    assert rule.count(seen) <= 1.02 * rule.count(size)


def test_a_level_is_the_cheapest_that_shows_as_much() -> None:
    size, rule = (3000, 2000), token_rule("gemini-3")
    known = belief(size, 0)
    large = Belief(known.place, known.octaves + 2, known.blur)
    bill = Buyer(large, size, rule, EYES).buy(4_096)
    assert bill.setting == ("media_resolution", "low")
    small = Belief(known.place, known.octaves, known.blur)
    assert Buyer(small, size, rule, EYES).buy(4_096).setting != bill.setting
    assert Buyer(small, size, rule, EYES).buy(300).tokens == 280


def test_a_rule_of_your_own_counts() -> None:
    mine = TokenRule("mine", 20, factor=2.0, edge=200)
    assert token_rule(mine).count((40, 41)) == 12
    assert mine.largest((1000, 500), 10_000) == (200, 100)


@pytest.mark.parametrize(
    ("name", "tokens", "size", "price"),
    [
        ("gpt-4o", 128, (512, 372), 85),  # a tile, at detail=low
        ("gpt-4o", 255, (512, 373), 255),
        ("claude", 64, (252, 184), 63),
        ("gemini-3", 300, (1408, 1024), 280),  # any size at one price
    ],
)
def test_what_resizing_shows_for_as_many_tokens(name, tokens, size, price) -> None:
    bill = resize((1408, 1024), token_rule(name), tokens)
    assert (bill.plan.whole, bill.plan.windows, bill.tokens) == (size, (), price)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("openai/gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("gpt-5.4", "gpt-5.4"),
        ("o3-2025-04-16", "o3"),
        ("claude-sonnet-4-5", "claude-haiku-4.5"),
        ("claude-3-5-sonnet-20241022", "claude-haiku-4.5"),
        ("us.anthropic.claude-opus-4-8-v1:0", "claude"),
        ("Claude", "claude"),
        ("gemini-2.5-pro", "gemini-2.5"),
        ("models/gemini-3-pro-preview", "gemini-3"),
        ("grok-4-fast", "grok"),
        ("amazon.nova-pro-v1:0", "nova"),
        ("mistralai/Mistral-Small-3.1-24B-Instruct-2503", "mistral"),
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl-published"),
        ("Qwen/Qwen2.5-VL-7B-Instruct-AWQ", "qwen2.5-vl"),
        ("OpenGVLab/InternVL3_5-8B", "internvl"),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama-4"),
        ("llava-hf/llava-onevision-qwen2-7b-ov-hf", "llava-onevision"),
        ("HuggingFaceTB/SmolVLM2-2.2B-Instruct", "smolvlm"),
        ("HuggingFaceM4/Idefics3-8B-Llama3", "idefics3"),
        ("google/gemma-3-27b-it", "gemma-3"),
        ("mistralai/Pixtral-12B-2409", "pixtral"),
    ],
)
def test_the_name_that_an_api_or_a_hub_has_is_understood(name, row) -> None:
    assert token_rule(name).name == row


@pytest.mark.parametrize(
    "name", [*MODELS, "Qwen3-VL", "Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl:8b", "claude-opus-4-8"]
)
def test_a_name_has_one_rule_whoever_looks_it_up(name) -> None:
    assert rule_of(name) is token_rule(name)
    assert token_rule(name) is MODELS.get(name, token_rule(name))


def test_a_served_model_whose_processor_is_not_known_is_counted_as_published() -> None:
    for name in ("Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl:8b", "my/qwen3vl"):
        assert rule_of(name).name == "qwen3-vl-published"


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("given", [None, frozenset()])
def test_a_budget_that_was_raised_buys_every_picture(name, given) -> None:
    rule = token_rule(name)
    tokens, sentence = raised(rule, 1, given)
    assert tokens == least(rule, given)
    assert bool(sentence) == (tokens > 1)
    for size in ((1000, 1000), (5, 5), (3000, 200), (1754, 1240)):
        for known in (unknown(size), belief(size, 3)):
            assert Buyer(known, size, rule, EYES, max_windows=1, settings=given).buy(tokens)


@pytest.mark.parametrize(
    ("name", "tokens"),
    [("gemini-3", 280), ("grok", 512), ("gpt-4o-mini", 2_833), ("llava-onevision", 1_485)],
)
def test_the_default_budget_is_raised_for_models_whose_pictures_cost_more(name, tokens) -> None:
    more, sentence = raised(token_rule(name), 273)
    assert more == tokens
    assert sentence == (
        f"The budget of 273 tokens was raised to {tokens}, which the smallest picture costs with "
        f"{name}."
    )
    assert raised(token_rule(name), tokens) == (tokens, "")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("gpt-9", "Did you mean 'gpt-6' or "),
        ("qwen3vl", "Did you mean 'qwen3-vl' or 'qwen2.5-vl'?"),
        ("gpt-4oo", "Did you mean 'gpt-4o' or "),
        ("my-gpt-4o", ""),
        ("claude-banana", ""),
        ("gemini-1.5-pro", ""),
        ("gemma-3n-e4b", ""),
        ("o3-mini", ""),
        ("mistral-7b", ""),
        ("gpt-4o/gpt-9", ""),
        ("a/" * 300, ""),
        ("gpt-4o" + "._" * 90 + "!", ""),
    ],
)
def test_a_name_that_nobody_knows_is_an_error_that_lists_the_nearest(name, near) -> None:
    with pytest.raises(ValueError, match=f"no model .*{re.escape(near)}.*There are gpt-6, "):
        token_rule(name)
