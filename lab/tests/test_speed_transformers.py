"""The benchmark of requests, on a model so small that only its structure is tested."""

from dataclasses import replace
from functools import partial

import pytest
import torch

import tiny
from homunculus_lab.speed import transformers as speed
from homunculus_lab.speed.model import QWEN3_VL_2B, Scale
from homunculus_lab.speed.profile import Request, Stopwatch
from homunculus_lab.timing import peak

SMALL = Scale(
    "small",
    text={
        "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 96, "vocab_size": 64,
        "rope_parameters": {
            "rope_type": "default", "rope_theta": 1e4,
            "mrope_section": [4, 2, 2], "mrope_interleaved": True,
        },
    },
    vision={
        "depth": 2, "hidden_size": 32, "num_heads": 2, "intermediate_size": 48,
        "deepstack_visual_indexes": [0, 1], "patch_size": 8, "temporal_patch_size": 2,
        "spatial_merge_size": 2, "out_hidden_size": 64, "num_position_embeddings": 64,
    },
    tokens=15, bare=(3, 5), natives=((6, 8), (9, 11)), megapixels=(0.01, 0.03),
)  # fmt: skip


@pytest.fixture(scope="module")
def result() -> dict:
    tiny.hub()
    return speed.measure(repeats=2, scale=SMALL)


def test_every_row_keeps_exactly_the_budget(result) -> None:
    natives = [rows * cols for rows, cols in SMALL.natives]
    assert [row["native_tokens"] for row in result["rows"]] == sorted(natives * len(speed.WAYS))
    assert {row["kept"] for row in result["rows"] + result["flat"]} == {SMALL.tokens}


def test_shares_are_shares_and_add_up_to_the_request(result) -> None:
    parts = ("selection_share", "processor_share", "tower_share", "prefill_share")
    for row in result["rows"]:
        assert all(0 < row[name] < 1 for name in (*parts, "scout_share"))
        assert sum(row[name] for name in parts) == pytest.approx(1, abs=0.25)  # medians of each
        low, high = row["request_speedup_range"]
        assert 0 < low <= high


def test_keys_and_values_are_counted_by_the_byte(result) -> None:
    text = SMALL.text
    each = 2 * text["num_hidden_layers"] * text["num_key_value_heads"] * text["head_dim"] * 2
    for row in result["rows"]:
        words = result["text_tokens"]
        assert row["kv_bytes"] == each * (row["kept"] + words)
        assert row["kv_bytes_untouched"] == each * (row["native_tokens"] + words)


def test_larger_images_have_more_cells_and_one_is_the_measure(result) -> None:
    assert [row["megapixels"] for row in result["flat"]] == list(SMALL.megapixels)
    assert result["flat"][0]["native_tokens"] < result["flat"][1]["native_tokens"]
    assert result["flat"][1]["request_ratio"] == 1.0


def test_the_result_says_where_it_comes_from(result) -> None:
    assert {"command", "commit", "versions", "hardware", "repeats", "shape"} <= set(result)
    assert "transformers" in result["versions"]


def test_an_engine_gets_an_image_that_no_cache_holds() -> None:
    tiny.hub()
    bench = speed.TimedModel.build(SMALL)
    engine = bench.engine("foveated", "after", fast=False)
    with torch.inference_mode():
        for turn in (1, 2):
            request = bench.with_engine(engine, speed.page(48, 64), turn)
            assert request.tower > 0


def test_weights_are_ordinary_tensors_in_bfloat16() -> None:
    tiny.hub()
    with torch.inference_mode():
        weights = list(speed.build(SMALL).parameters())
    assert {weight.dtype for weight in weights} == {torch.bfloat16}
    assert not any(weight.is_inference() for weight in weights)


def test_the_shape_is_the_one_that_it_says() -> None:
    hf = tiny.hub()
    with torch.device("meta"):
        small = replace(QWEN3_VL_2B, text={**QWEN3_VL_2B.text, "num_hidden_layers": 1})
        config = speed.build(small).config
    assert isinstance(config, hf.Qwen3VLConfig)
    assert config.vision_config.deepstack_visual_indexes == [5, 11, 17]
    high, wide = QWEN3_VL_2B.bare
    assert high * wide == QWEN3_VL_2B.tokens
    assert [high * wide for high, wide in QWEN3_VL_2B.natives] == [1024, 3072]


def test_a_stopwatch_adds_up_each_part() -> None:
    watch = Stopwatch()
    with watch.part("processor"):
        pass
    with watch.part("processor"):
        torch.zeros(10)
    assert list(watch.seconds) == ["processor"]
    one = Request(processor=1.0, tower=2.0, choice=3.0, prefill=4.0, kept=5, cache=6)
    assert (one.model, one.total) == (9.0, 10.0)


def test_peak_memory_includes_what_was_freed() -> None:
    size = 64 * 2**20
    one, most = peak(lambda: torch.ones(size, dtype=torch.uint8).max())
    assert one == 1
    if most is None:
        pytest.skip("this system does not tell")
    assert size * 0.9 < most < size * 2


def test_a_long_run_needs_no_warm_up_and_runs_less_often() -> None:
    calls: list[tuple[str, int]] = []

    def run(name: str, seconds: float, turn: int) -> Request:
        calls.append((name, turn))
        return Request(0.0, seconds, 0.0, 0.0, kept=1, cache=1)

    runs = {"long": partial(run, "long", 99.0), "short": partial(run, "short", 1.0)}
    times, _ = speed._take_turns(runs, 4, None)
    assert [turn for name, turn in calls if name == "long"] == [0, 3]
    assert [turn for name, turn in calls if name == "short"] == [0, 1, 2, 3, 4]
    assert (len(times["long"]), len(times["short"])) == (2, 4)
