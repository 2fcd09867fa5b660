"""The benchmark of the core: its structure; figures are not tested, machines differ."""

import torch

from homunculus.core.methods import methods
from homunculus.lab.speed.core import BATCHES, CELLS, _case, _row, table
from homunculus.lab.speed.timing import side_by_side


def test_each_case_gives_top_k_as_many_scores_as_it_says() -> None:
    for name in ("grid", "cut", "frequency"):
        for cells in CELLS:
            case = _case(methods()[name], 2, cells)
            assert {tuple(scores.shape) for scores in case.topk_scores} == {(2, cells)}
            assert len({float(scores[0, 0]) for scores in case.topk_scores}) > 1, (
                "fresh scores each turn"
            )
            row = _row(case, 2)
            assert (row["method"], row["batch"], row["cells"]) == (name, 2, cells)
            assert row["ratio_topk"] > 0


def test_relevance_to_tokens_keeps_the_budget() -> None:
    case = _case(methods()["foveated"], 1, 4096)
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
