"""A run of official tasks: resumed after every batch, written once, refused in plain words."""

import json
import sys
from argparse import Namespace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from homunculus.commands.main import main
from homunculus_lab.decide.command import run as decided
from homunculus_lab.official import batch as batches
from homunculus_lab.official import run
from homunculus_lab.official.batch import metrics, score
from homunculus_lab.official.run import Plan, carry_out

PLAN = Plan(("docvqa_val", "chartqa"), "some/model", tokens=(64, 273))


class Asker:
    """Counts what it is asked; dies when it is told to."""

    def __init__(self, lives: int = 10**6) -> None:
        self.lives, self.ways = lives, []

    def take(self, way) -> None:
        self.ways.append(way)


def scored(model, task, tasks, limit):
    """A batch as lmms-eval would give it: better with more tokens, and by the own question."""
    model.lives -= 1
    if model.lives < 0:
        raise KeyboardInterrupt
    way = model.ways[-1]
    good = 0.9 if way.tokens is None else 0.3 + way.tokens / 1000 - (way.question != "own") / 10
    rows = [[at, f"image{at // 2}", [good]] for at in range(6)]
    cost = {"seconds": 1.0, "tokens": way.tokens or 1000, "images": 6}
    return {"official": {"anls": good}, "columns": ["anls"], "rows": rows, "cost": cost}


@pytest.fixture
def lmms(monkeypatch):
    """As if lmms-eval were there."""
    monkeypatch.setitem(sys.modules, "lmms_eval", ModuleType("lmms_eval"))
    monkeypatch.setattr(run, "load_tasks", lambda plan: None)
    monkeypatch.setattr(run, "batch", scored)


def test_a_run_that_is_cut_short_twice_ends_with_the_same_result(lmms, monkeypatch, tmp_path):
    monkeypatch.setattr(run, "load_model", lambda plan: Asker())
    whole = carry_out(PLAN, tmp_path / "whole.json")
    askers = [Asker(3), Asker(5), Asker()]
    left = iter(askers)
    monkeypatch.setattr(run, "load_model", lambda plan: next(left))
    out = tmp_path / "torn.json"
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            carry_out(PLAN, out)
        assert not out.exists()
    found = carry_out(PLAN, out)
    assert found == whole
    assert len(askers[2].ways) == len(PLAN.cells()) - 8
    assert json.loads(out.read_text()) == json.loads((tmp_path / "whole.json").read_text())
    assert not out.with_name("torn.json.journal").exists()
    with pytest.raises(ValueError, match="not overwritten"):
        carry_out(PLAN, out)


def test_another_model_does_not_go_on_with_the_journal(lmms, monkeypatch, tmp_path):
    monkeypatch.setattr(run, "load_model", lambda plan: Asker(1))
    with pytest.raises(KeyboardInterrupt):
        carry_out(PLAN, tmp_path / "a.json")
    other = Plan(PLAN.tasks, "other/model", tokens=PLAN.tokens)
    with pytest.raises(ValueError, match="journal of another run"):
        carry_out(other, tmp_path / "a.json")


def test_the_result_says_what_was_left_out_and_decide_reads_it(lmms, monkeypatch, tmp_path):
    monkeypatch.setattr(run, "load_model", lambda plan: Asker())
    plan = Plan(PLAN.tasks, "some/model", tokens=(64,), without=("pool",))
    found = carry_out(plan, tmp_path / "a.json")
    assert found["left_out"] == ["pool", "oracle"]
    first = found["runs"][0]
    assert (first["suite"], first["kind"], first["n"], first["images"]) == (
        "docvqa_val", "documents", 6, 3,
    )  # fmt: skip
    assert first["official"]["full"]["all"]["anls"] == 0.9
    assert "image0" not in (tmp_path / "a.json").read_text()
    arguments = Namespace(
        results=[tmp_path / "a.json"],
        out=tmp_path / "r.html",
        column=None,
        draws=200,
        seed=0,
        without_run=[],
    )
    told, _ = decided(arguments)
    mine = [row for row in told["rows"] if row["method"] == "views"]
    assert mine[0]["vs_shuffled"]["estimate"] == pytest.approx(0.1, abs=1e-3)
    assert mine[0]["vs_resize"] is not None


def test_without_lmms_eval_the_extra_is_named(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "lmms_eval", None)
    out = str(tmp_path / "run.json")
    code = main(["measure", "docvqa_val", "--model", "some/model", "-o", out])
    assert code == 2
    assert "pip install -c constraints.txt './lab[official]'" in capsys.readouterr().err
    assert not Path(out).exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--methods", "oracle"], "needs answer"),
        (["--methods", "fovated"], "Did you mean"),
        (["--without", "grit"], "'grit' is not one of"),
        (["--part", "dev"], "--part is only for suites of your own"),
        (["--quick"], "--quick is only for suites of your own"),
        (["--task", "gaze"], "--task is only for suites of your own"),
    ],
)
def test_flags_that_mean_nothing_here_are_refused(lmms, capsys, tmp_path, flags, said) -> None:
    out = str(tmp_path / "run.json")
    assert main(["measure", "docvqa_val", "--model", "some/model", "-o", out, *flags]) == 2
    assert said in capsys.readouterr().err


def test_scores_are_numbers_or_records_of_one() -> None:
    assert score(0.5) == 0.5
    assert score({"question_type": "Doc", "score": 1}) == 1.0
    assert score({"questionId": 3, "answer": "x"}) is None
    assert score(None) is None
    told = {"alias": "x", "a,none": 0.1, "a_stderr_clt,none": 0.2, "submission,none": None}
    assert metrics(told) == {"a": 0.1}
    assert batches.official_names(told) == ["a", "submission"]


def test_an_image_that_kept_one_token_too_many_is_a_fault() -> None:
    def model(kept, method="foveated"):
        answer = SimpleNamespace(kept=(kept,), of=(600,), seconds=1.0, scout=0.1, prompt=90)
        way = SimpleNamespace(tokens=64, method=method)
        return SimpleNamespace(answers={0: answer}, runner=SimpleNamespace(way=way))

    assert batches.cost(model(64))["tokens"] == 64
    assert batches.cost(model(60, "resize"))["tokens"] == 60
    for kept, method in ((65, "foveated"), (63, "foveated"), (65, "resize")):
        with pytest.raises(RuntimeError, match="a fault"):
            batches.cost(model(kept, method))


def test_a_toml_file_says_the_same_and_a_flag_wins(lmms, monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setattr(run, "load_model", lambda plan: Asker())
    told = tmp_path / "official.toml"
    told.write_text('tasks = ["chartqa"]\nmodel = "some/model"\ntokens = [64, 128]\nlimit = 5\n')
    out = tmp_path / "run.json"
    assert main(["measure", str(told), "--tokens", "32", "--without", "pool", "-o", str(out)]) == 0
    found = json.loads(out.read_text())
    config = found["config"]
    assert (config["tasks"], config["tokens"], config["limit"]) == (["chartqa"], [32], 5)
    assert found["left_out"] == ["pool", "oracle"]
    assert "chartqa: 6 questions" in capsys.readouterr().out
    told.write_text('model = "m"\nbudget = 3\n')
    assert main(["measure", str(told), "-o", str(tmp_path / "b.json")]) == 2
    assert "no setting 'budget'" in capsys.readouterr().err
    told.write_text('model = "m"\n')
    assert main(["measure", str(told), "-o", str(tmp_path / "b.json")]) == 2
    assert "expected tasks" in capsys.readouterr().err
