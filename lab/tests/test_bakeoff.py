"""A bake-off: one file, several models, resumed, decided; and rivals inside a model as rows."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

import tiny
from homunculus.commands.main import main
from homunculus_lab.inside import INSIDE
from homunculus_lab.official import run
from homunculus_lab.official.bakeoff import Assumptions
from homunculus_lab.official.batch import cost
from homunculus_lab.official.rows import Way, rows, way
from homunculus_lab.official.runner import Runner
from homunculus_lab.rivals import RIVALS
from test_inside import deep
from test_official_run import Asker, scored

TOML = """
models = ["some/model-3B", "some/other-7b-hf"]
tasks = ["docvqa_val", "chartqa"]
methods = ["cut", "divprune", "fastv"]
tokens = [64, 128]
without = ["pool"]
limit = 100
[assume]
native = 1000
teraflops = 100
"""


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    monkeypatch.setitem(sys.modules, "lmms_eval", ModuleType("lmms_eval"))
    monkeypatch.setattr(run, "load_tasks", lambda plan: None)
    monkeypatch.setattr(run, "batch", scored)
    path = tmp_path / "bakeoff.toml"
    path.write_text(TOML)
    return path


def test_a_dry_run_tells_the_cost_and_loads_nothing(file, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "lmms_eval", None)
    monkeypatch.setattr(run, "load_model", None)
    assert main(["measure", str(file), "--dry-run", "--json"]) == 0
    cost = json.loads(capsys.readouterr().out)
    small, large = cost["models"]
    budgets = 2 * (len(cost["rows"]) - 1) + 1  # `full` has one
    assert small["batches"] == large["batches"] == 2 * budgets
    assert small["answers"] == 100 * small["batches"]
    assert (small["disk_gigabytes"], large["disk_gigabytes"]) == (6, 14)
    assert 0 < small["hours"] < large["hours"]
    assert cost["hours"] == pytest.approx(small["hours"] + large["hours"], abs=0.05)
    assert main(["measure", str(file), "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "some/other-7b-hf" in told
    assert "teraflops 100" in told
    assert not list(file.parent.glob("*.json*"))


def test_the_arithmetic_is_the_one_that_the_page_tells(file, capsys) -> None:
    """One row of one model by hand: tower, prompt, answer and the rest, for 100 documents."""
    file.write_text(TOML.replace('"docvqa_val", "chartqa"', '"chartqa"').replace("64, 128", "64"))
    main(["measure", str(file), "--dry-run", "--json", "--model", "some/model-3B"])
    (one,) = json.loads(capsys.readouterr().out)["models"]
    fixed = 0.2 + 12 * 2 * 3e9 / 1e12
    tower, prompt = 2 * 0.6e9 * 4 / 1e14, 2 * 3e9 / 1e14
    full = fixed + tower * 1000 + prompt * 1060
    resize = fixed + tower * 64 + prompt * 124
    other = fixed + tower * 1000 + prompt * 124
    others = one["rows"] - 2
    assert one["hours"] == round(100 * (full + resize + others * other) / 3600, 1)


def test_it_goes_on_where_it_was_and_decides_each_model(file, capsys, monkeypatch) -> None:
    askers = iter([Asker(3), Asker(), Asker(5), Asker()])
    monkeypatch.setattr(run, "load_model", lambda plan: next(askers))
    out = file.parent / "out.json"
    command = ["measure", str(file), "-o", str(out)]
    for expected in ([], ["out-model-3B.json"]):
        assert main(command) == 130, "as a shell has it for a command that is interrupted"
        assert [one.name for one in file.parent.glob("out-*.json")
                if not one.name.endswith("report.json")] == expected  # fmt: skip
    assert main(command) == 0
    told = capsys.readouterr().out
    assert told.count("first claim:") == 2
    for name in ("model-3B", "other-7b-hf"):
        result = json.loads((file.parent / f"out-{name}.json").read_text())
        assert result["config"]["model"].endswith(name)
        assert (file.parent / f"out-{name}.report.html").is_file()
    assert next(askers, None) is None
    assert main(command) == 0, "all is there: it only reports"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("native", "nativ"), "no 'nativ'"),
        (("some/other-7b-hf", "some/model-3B"), "different names"),
        (("some/other-7b-hf", "other/model-3B"), "share a file"),
        (("fastv", "fastvv"), "fastvv"),
        (("limit", "limitt"), "no setting 'limitt'"),
    ],
)
def test_mistakes_are_refused_before_the_work(file, capsys, change, said) -> None:
    file.write_text(TOML.replace(*change))
    assert main(["measure", str(file), "--dry-run"]) == 2
    assert said in capsys.readouterr().err


def test_a_dry_run_of_our_own_suites_is_refused(capsys) -> None:
    assert main(["measure", "somewhere", "--dry-run"]) == 2
    assert "--dry-run is only for official tasks" in capsys.readouterr().err


def test_the_file_in_the_repository_is_one(capsys) -> None:
    assert main(["measure", str(Path(__file__).parents[2] / "bakeoff.toml"), "--dry-run"]) == 0
    assert "2 models x 4 tasks" in capsys.readouterr().out


def test_sizes_come_from_names() -> None:
    size = Assumptions(billions=9).size
    assert [size(name) for name in ("a/Qwen2.5-VL-3B-Instruct", "b/llava-1.5-7b-hf", "c/x")] == [
        3, 7, 9,
    ]  # fmt: skip


# ---- rivals as rows ------------------------------------------------------------------------------


def test_rivals_are_rows_without_twins() -> None:
    names = rows(["rivals"])
    assert {*RIVALS, *INSIDE} <= set(names)
    assert not [one for one in names if "+" in one]
    with pytest.raises(ValueError, match="goes by the prompt itself"):
        way("fastv+shuffled", 64)


@pytest.mark.parametrize("name", INSIDE)
def test_a_model_answers_with_tokens_dropped_inside_it(name) -> None:
    """End to end, as lmms-eval asks: the cost is the mean over layers, and no hook is left."""
    model = deep("qwen2_5_vl")
    runner = Runner(model.model, model.processor, Way(name, 40))
    image = tiny.picture(128, 128, 3)
    talk = [{"role": "user", "content": [{"type": "image", "image": image},
                                         {"type": "text", "text": "What is it?"}]}]  # fmt: skip
    said = runner.answer(talk, max_new_tokens=3, do_sample=False)
    assert said.of == (64,)
    assert 36 <= said.kept[0] <= 40
    runner.take(Way("full", None))
    assert runner.answer(talk, max_new_tokens=3, do_sample=False).kept == (64,)
    runner.take(Way(name, 1))
    least = runner.answer(talk, max_new_tokens=3, do_sample=False)
    assert least.kept[0] > 1, "more than asked for, and told"

    class Model:
        answers = {0: least}  # noqa: RUF012

    Model.runner = runner  # type: ignore[attr-defined]
    assert cost(Model)["tokens"] == least.kept[0]
