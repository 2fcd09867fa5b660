"""The benchmark of prefill, on a model so small that only its structure is tested."""

from dataclasses import replace

import pytest

import tiny
from homunculus_lab.inside import INSIDE
from homunculus_lab.rivals import RIVALS
from homunculus_lab.speed import prefill
from homunculus_lab.text import text
from test_speed_transformers import SMALL

SCALE = replace(SMALL, text={**SMALL.text, "num_hidden_layers": 4}, natives=((6, 8),), tokens=15)


@pytest.fixture(scope="module")
def result() -> dict:
    tiny.hub()
    return prefill.measure(repeats=1, scale=SCALE)


def test_every_method_stands_beside_the_untouched_model(result) -> None:
    full, *rows = result["rows"]
    assert (full["method"], full["mean_tokens"], full["prefill_ratio"]) == ("full", 48, 1)
    assert [row["method"] for row in rows if row["where"] == "before"] == list(prefill.OURS)
    assert [row["method"] for row in rows if row["where"] == "after"] == list(RIVALS)
    assert [row["method"] for row in rows if row["equal"] == "mean"] == list(INSIDE)
    assert all(row["last_tokens"] == 15 for row in rows if row["equal"] != "mean")


def test_inside_the_model_more_is_held_than_is_left(result) -> None:
    for row in result["rows"]:
        if row["where"] == "inside":
            assert row["mean_tokens"] > row["last_tokens"]
            assert row["last_tokens"] < row["same_cost"] < 48
        elif row["where"] != "untouched":
            assert row["mean_tokens"] == row["same_cost"] == 15
    held = {row["method"]: row["kv_bytes"] for row in result["rows"] if row["equal"] != "mean"}
    assert held["cut"] < held["fastv"] < held["full"]


def test_it_can_be_read(result) -> None:
    assert "float32" in result["shape"]
    assert len([line for line in text(result).splitlines() if line.startswith("  ")]) == (
        1 + len(result["rows"])
    )
