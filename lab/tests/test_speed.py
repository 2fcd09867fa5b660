"""The benchmark of the core: its structure; figures are not tested, machines differ."""

import random
import subprocess
import sys

import torch

from homunculus.engines.cells.methods import list_methods
from homunculus_lab.speed.core import BATCHES, CELLS, _case, _row, table
from homunculus_lab.speed.soak import MIX, Case, SoakPlan, Tally, _requests, add_up
from homunculus_lab.speed.timing import side_by_side


def test_each_case_gives_top_k_as_many_scores_as_it_says() -> None:
    for name in ("grid", "cut", "frequency"):
        for cells in CELLS:
            case = _case(list_methods()[name], 2, cells)
            assert {tuple(scores.shape) for scores in case.topk_scores} == {(2, cells)}
            assert len({float(scores[0, 0]) for scores in case.topk_scores}) > 1, (
                "fresh scores each turn"
            )
            row = _row(case, 2)
            assert (row["method"], row["batch"], row["cells"]) == (name, 2, cells)
            assert row["ratio_topk"] > 0


def test_relevance_to_tokens_keeps_the_budget() -> None:
    case = _case(list_methods()["foveated"], 1, 4096)
    tokens = case.relevance_to_tokens(0, torch.randn(1, 4096, 8))
    assert tokens.valid.shape == (1, 273)


def test_runs_take_turns_and_medians_come_in_order() -> None:
    calls: list[str] = []
    times = side_by_side([lambda turn: calls.append("a"), lambda turn: calls.append("b")], 2)
    assert calls == ["a", "b"] * 5
    assert len(times) == 2


def test_the_table_has_one_line_per_method() -> None:
    rows = [
        {"method": name, "batch": batch, "cells": cells, "ratio_topk": 1.25}
        for name in ("grid", "cut")
        for batch in BATCHES
        for cells in CELLS
    ]
    share = {"grid": 0.0001}
    encoder = {"allocate_and_pack_share": share, "relevance_to_tokens_share": share}
    lines = table({"rows": rows, "encoder": encoder}).splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["grid", "cut"]
    assert lines[-1].split() == ["grid", "0.010%", "0.010%"]


def test_benches_of_the_core_need_no_extra() -> None:
    """numpy comes with extras: torch, einops and jaxtyping do not bring it."""
    hidden = "import sys; sys.modules['numpy'] = None; import homunculus_lab.speed.command"
    told = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr[-500:]


# ---- the soak ------------------------------------------------------------------------------------


def test_what_is_asked_for_the_first_time_is_asked_again_in_the_next_round() -> None:
    known, lot = [Case(-1, "What?"), Case(-2, "Who?")], random.Random(0)
    plan = SoakPlan(requests=200)
    first, fresh = _requests(0, plan, known, [], lot)
    second, _ = _requests(1, plan, known, fresh, lot)
    assert [kind for kind, _ in first].count("again") == 2 * MIX["again"]
    assert len(fresh) == len(set(fresh)) == 2 * (16 + 10 + 5)
    asked = {case for kind, case in second if kind == "again"}
    assert asked <= set(fresh)
    assert len(asked) == 2 * MIX["again"]
    assert not {case for kind, case in second if kind == "new page"} & set(fresh)


def test_an_answer_of_another_request_is_told() -> None:
    tally, mine, other = Tally(), Case(1, "What?"), ((3, -1.0), (4, -2.0))
    tally.check(mine, ((3, -1.5), (4, -2.0)))
    tally.check(mine, ((3, -1.5004), (7, -2.0)))
    assert (tally.compared, tally.wrong) == (1, [])
    tally.check(mine, other)
    assert len(tally.wrong) == 1


def test_counts_of_server_and_clients_must_add_up() -> None:
    ends = {"answered": 10, "refused": 2, "cancelled": 3}
    passed = {
        "vllm:request_success_total": 11, "homunculus:images_total": 4,
        "homunculus:images_reused_total": 8, "http 4xx": 2, "http 5xx": 0,
        "vllm:num_requests_running": 0, "vllm:num_requests_waiting": 0,
    }  # fmt: skip
    assert add_up(ends, passed)
    for name, value in (
        ("vllm:request_success_total", 9), ("homunculus:images_total", 1), ("http 4xx", 1),
        ("http 4xx", 6), ("http 5xx", 1), ("vllm:num_requests_running", 1),
    ):  # fmt: skip
        assert not add_up(ends, passed | {name: value}), name
