"""The benchmark of the core: its structure; figures are not tested, machines differ."""

import json
from pathlib import Path

import torch

from homunculus.commands.main import main
from homunculus.engines.cells.methods import list_methods
from homunculus_lab.speed import core, scout
from homunculus_lab.speed.core import CELLS, _case, _row
from homunculus_lab.text import text
from homunculus_lab.timing import side_by_side


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


def test_a_result_as_text_has_a_line_for_each_row_and_nothing_of_its_origin() -> None:
    rows = [{"method": name, "ratio": {"8": 1.25}} for name in ("grid", "cut")]
    result = {"slots": 273, "rows": rows, "commit": "abc", "versions": {"torch": "2"}}
    lines = text(result | {"encoder": {"share": 0.1}}).splitlines()
    assert [line.split() for line in lines] == [
        ["slots", "273"], ["rows"], ["method", "ratio.8"], ["grid", "1.25"], ["cut", "1.25"],
        ["encoder.share", "0.1"],
    ]  # fmt: skip


# ---- the command ---------------------------------------------------------------------------------


def test_bench_prints_a_table_or_json(capsys, monkeypatch) -> None:
    monkeypatch.setattr(core, "measure", lambda repeats, tell: tell("grid") or {"repeats": repeats})
    assert main(["bench", "core", "--repeats", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"repeats": 2}
    assert main(["bench", "core"]) == 0
    assert capsys.readouterr().out == "repeats  60\n"
    assert main(["bench", "moon"]) == 2


def test_bench_of_a_scout_takes_weights(capsys, monkeypatch) -> None:
    calls: list[object] = []
    measure = lambda *given, weights: calls.append((given[0], weights)) or {"page": 1}  # noqa: E731
    monkeypatch.setattr(scout, "measure", measure)
    assert main(["bench", "scout", "--json", "--scout", "w"]) == 0
    assert main(["bench", "scout", "--repeats", "3"]) == 0
    assert calls == [(10, Path("w")), (3, None)]
