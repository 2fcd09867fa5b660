"""Nothing lost, nothing twice: restarts, poison, locks, and requests for providers."""

import base64
import json
import os
import re
import shlex
import shutil
import signal
import time
from io import BytesIO
from pathlib import Path

import pytest
from anthropic.types.messages.batch_create_params import Request
from filelock import FileLock
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from PIL import Image
from pydantic import TypeAdapter

import homunculus
from batch import make
from batch.conftest import content, results, start
from homunculus.batch import write
from homunculus.batch.job import Job
from homunculus.planner.models import token_rule

DOCS = Path(__file__).parents[2] / "docs"


def test_a_plan_is_the_one_of_a_single_picture(tmp_path, batch):
    batch(make.folder(tmp_path / "in", 3), tmp_path / "out", "--question", "Where at the top?")
    for row in results(tmp_path / "out"):
        seen = homunculus.views(
            tmp_path / "in" / row["source"], "Where at the top?", tokens=16, scout="pixels"
        ).to_json()
        views = [[one[side] for side in ("x0", "y0", "x1", "y1")] for one in row["views"]]
        assert views == [one["box"] for one in seen["views"]]
        assert (row["tokens"], row["untouched"]) == (seen["tokens"], seen["untouched"])
        assert (row["value"], row["basis"]) == (seen["value"], seen["basis"]) == (None, "unknown")


def test_poison_becomes_error_rows(tmp_path, batch):
    source = make.poisoned(tmp_path / "in", 60, 12)
    code, said = batch(source, tmp_path / "out")
    told = results(tmp_path / "out")
    wrong = [row for row in told if row["error"]]
    assert (code, len(told), len(wrong)) == (0, 60, 12)
    assert "48 done, 12 errors" in said
    reasons = " ".join(row["error"] for row in wrong)
    for word in ("0 bytes", "megapixels", "no such file", "got int", "assword", "broken"):
        assert word in reasons, word
    assert batch(source, tmp_path / "out", "--strict")[0] == 1


def test_rows_that_are_only_resized_are_counted_and_named(tmp_path, batch):
    """A question that names what is printed there has windows; one that names nothing has none."""
    shutil.copy(DOCS / "invoice.png", tmp_path)
    questions = ("What is the total?", "How much is it?", "")
    rows = [{"image": "invoice.png", "question": question} for question in questions]
    source, out = make.jsonl(tmp_path / "rows.jsonl", rows), tmp_path / "out"
    code, said = batch(source, out, "--scout", "auto")
    assert code == 0
    assert "right" not in said.replace(str(tmp_path), "")
    assert "only resized, without a window: 2" in said
    assert "the scout does not know where to look in 1; 1 have no question" in said
    assert "  rows.jsonl#row=1, rows.jsonl#row=2\n" in said
    summary = json.loads((out / "summary.json").read_text())
    names = ["rows.jsonl#row=1", "rows.jsonl#row=2"]
    assert summary["resized"] == {"unsure": 1, "no_question": 1, "names": names}
    assert summary["done"] == 3
    assert [len(row["views"]) > 1 for row in results(out)] == [True, False, False]


def test_the_first_example_of_the_page_shows_windows(tmp_path, monkeypatch, capsys):
    from homunculus.commands.main import main

    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    page = (DOCS / "batch.md").read_text("utf-8")
    table = re.search(r"cat > (\S+) <<'END'\n(.*?)END\n", page, re.DOTALL)
    assert table
    Path(table[1]).write_text(table[2])
    (command,) = re.findall(r"^homunculus (batch demo/.*)$", page, re.MULTILINE)
    assert main(shlex.split(command)) == 0
    rows = results(tmp_path / "out")
    assert len(rows) == 2
    assert all(len(row["views"]) > 1 for row in rows)
    assert "only resized" not in capsys.readouterr().out


def test_a_second_run_makes_nothing_again(tmp_path, batch):
    source = make.folder(tmp_path / "in", 5)
    batch(source, tmp_path / "out", "--shard-rows", "2")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("part-*")}
    first, *_ = before
    first.unlink()
    (tmp_path / "out" / ".work" / "left.part").write_bytes(b"half")
    batch(source, tmp_path / "out", "--shard-rows", "2")
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("part-*")}
    assert set(after) == set(before)
    assert [path for path in after if after[path] != before[path]] == [first]
    assert not list((tmp_path / "out" / ".work").glob("*.part"))


def test_another_job_or_another_input_is_refused(tmp_path, batch):
    source = make.folder(tmp_path / "in", 3)
    batch(source, tmp_path / "out")
    code, said = batch(source, tmp_path / "out", "--question", "Else?")
    assert (code, "another job: question differ" in said) == (2, True)
    (source / "0001.png").write_bytes(make.page(9))
    code, said = batch(source, tmp_path / "out")
    assert (code, "--replace" in said) == (2, True)
    assert batch(source, tmp_path / "out", "--replace")[0] == 0
    assert len(results(tmp_path / "out")) == 3


def test_another_reader_or_scout_is_another_job(tmp_path, batch, monkeypatch):
    """A file that was edited, or a detector that was installed, must not mix plans."""
    source, eyes = make.folder(tmp_path / "in", 2), tmp_path / "eyes.json"
    curve = {"name": "mine", "middle": 8.0, "width": 0.5}
    eyes.write_text(json.dumps(curve))
    words = ("--acuity", str(eyes))
    assert batch(source, tmp_path / "out", *words)[0] == 0
    assert batch(source, tmp_path / "out", *words)[0] == 0
    eyes.write_text(json.dumps(curve | {"middle": 9.0}))
    code, said = batch(source, tmp_path / "out", *words)
    assert (code, "another job: acuity differ" in said) == (2, True)
    eyes.write_text(json.dumps(curve))
    monkeypatch.setattr("homunculus.batch.job.scout_version", lambda name: "other weights")
    code, said = batch(source, tmp_path / "out", *words)
    assert (code, "another job: scout_version differ" in said) == (2, True)


def test_a_scout_that_is_not_there_is_told_before_any_row(tmp_path, batch):
    code, said = batch(make.folder(tmp_path / "in", 1), tmp_path / "out", "--scout", "nobody")
    assert (code, "no scout 'nobody'" in said) == (2, True)


def test_a_wrong_number_of_threads_is_told_before_any_row(tmp_path, batch, monkeypatch):
    monkeypatch.setenv("HOMUNCULUS_THREADS", "0")
    code, said = batch(make.folder(tmp_path / "in", 1), tmp_path / "out")
    assert (code, "HOMUNCULUS_THREADS must be a whole number" in said) == (2, True)


def test_two_runs_never_share_a_folder(tmp_path, batch):
    source, out = make.folder(tmp_path / "in", 2), tmp_path / "out"
    (out / ".work").mkdir(parents=True)
    with FileLock(out / ".work" / "lock"):
        code, said = batch(source, out)
    assert (code, "another run is writing" in said) == (2, True)
    assert batch(source, out)[0] == 0


def test_a_shard_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    out = write.Output(tmp_path, Job("x", 16), "1")

    def full(_: int) -> None:
        raise OSError("disk is full")

    with out.opened():
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="full"):
            out.write("k", [{"id": "a"}])
    assert not list(tmp_path.rglob("*.parquet"))
    assert not list(tmp_path.rglob("*.part"))


def test_sigterm_finishes_the_shard_in_hand(tmp_path):
    source, out = make.folder(tmp_path / "in", 240), tmp_path / "out"
    run = start(source, out, "--local", "--shard-rows", "40", "--json")
    while not list(out.glob("part-*")):
        assert run.poll() is None, run.communicate()
        time.sleep(0.02)
    run.send_signal(signal.SIGTERM)
    said, _ = run.communicate(timeout=60)
    told = len(results(out))
    assert run.returncode == 143, said
    assert told % 40 == 0
    assert 0 < told < 240
    assert json.loads(said.splitlines()[-1])["stopped"] is True
    again = start(source, out, "--local", "--shard-rows", "40")
    again.communicate()
    assert again.returncode == 0
    assert [row["id"] for row in results(out)] == [f"{at:04}.png" for at in range(240)]


def test_a_killed_run_goes_on_where_it_ended(tmp_path, batch):
    source, out = make.folder(tmp_path / "in", 200), tmp_path / "out"
    run = start(source, out, "--local", "--shard-rows", "20")
    while len(list(out.glob("part-*"))) < 3:
        assert run.poll() is None, run.communicate()
        time.sleep(0.02)
    run.kill()
    run.communicate()
    assert 60 <= len(results(out)) < 200
    assert batch(source, out, "--shard-rows", "20")[0] == 0
    batch(source, tmp_path / "unbroken", "--shard-rows", "20")
    assert content(out) == content(tmp_path / "unbroken")
    assert len(content(out)) == 200


# ---- providers -----------------------------------------------------------------------------------

SCHEMAS = {
    "claude-opus-4-8": lambda line: TypeAdapter(Request).validate_python(line, strict=True),
    "gpt-5.4": lambda line: TypeAdapter(CompletionCreateParamsNonStreaming).validate_python(
        line["body"], strict=True
    ),
}


def pictures(line: dict) -> list[Image.Image]:
    """The pictures of a request, decoded."""
    body = line.get("params") or line["body"]
    found = []
    for part in body["messages"][0]["content"]:
        if part["type"] == "image":
            data = part["source"]["data"]
        elif part["type"] == "image_url":
            data = part["image_url"]["url"].partition(",")[2]
        else:
            continue
        found.append(Image.open(BytesIO(base64.b64decode(data, validate=True))))
    return found


@pytest.mark.parametrize(("model", "rule"), [("claude-opus-4-8", "claude"), ("gpt-5.4", "gpt-5.4")])
def test_requests_are_as_the_provider_says(tmp_path, batch, model, rule):
    source, out = make.parquet(tmp_path / "a.parquet", 100), tmp_path / "out"
    words = ("--to", "views", "--model", model, "--question-column", "q", "--shard-rows", "30")
    assert batch(source, out, *words)[0] == 0
    (path,) = out.glob("requests-*.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    rows = {row["custom_id"]: row for row in results(out)}
    assert len(lines) == len(rows) == 100
    for line in lines:
        SCHEMAS[model](line)
        if model == "gpt-5.4":
            assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
            assert set(line) == {"custom_id", "method", "url", "body"}
        row, shown = rows.pop(line["custom_id"]), pictures(line)
        sizes = [(one.height, one.width) for one in shown]
        spent = sum(token_rule(rule).prices(sizes))
        assert spent == row["tokens"] <= 16
        text = (line.get("params") or line["body"])["messages"][0]["content"][-1]["text"]
        assert text == row["question"]
    assert batch(source, out, *words)[0] == 0  # nothing to do, and nothing lost
    assert len(path.read_text().splitlines()) == 100


def test_requests_are_split_at_the_provider_s_limits(tmp_path, batch, monkeypatch):
    monkeypatch.setitem(write.LIMITS, "openai", (4, 10**9))
    source, out = make.parquet(tmp_path / "a.parquet", 10), tmp_path / "out"
    batch(source, out, "--to", "views", "--model", "gpt-5.4", "--shard-rows", "3")
    told = json.loads((out / "requests.json").read_text())["files"]
    assert [one["requests"] for one in told] == [4, 4, 2]
    monkeypatch.setitem(write.LIMITS, "openai", (10**9, 4000))
    batch(source, tmp_path / "small", "--to", "views", "--model", "gpt-5.4")
    told = json.loads((tmp_path / "small" / "requests.json").read_text())["files"]
    assert len(told) > 1
    assert all(one["bytes"] <= 4000 or one["requests"] == 1 for one in told)


def test_the_summary_names_the_plans_of_least_value(tmp_path, batch):
    _, said = batch(make.folder(tmp_path / "in", 30), tmp_path / "out", "--question", "What?")
    plans = json.loads((tmp_path / "out" / "summary.json").read_text())["least_sure"]
    assert [plan["id"] for plan in plans] == [f"{number:04}.png" for number in range(20)]
    assert "least likely to show their answer: 0000.png (0.00), 0001.png" in said


def test_events_are_json_and_end_with_the_bill(tmp_path, capsys):
    from homunculus.commands.main import main

    source = make.folder(tmp_path / "in", 5)
    words = ["batch", str(source), str(tmp_path / "out"), *make.FAST, "--local", "--json"]
    assert main(words) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["event"] for one in told if one["event"] != "progress"] == ["start", "shard", "end"]
    bill = told[-1]["bill"]
    rows = results(tmp_path / "out")
    assert bill["after"] == sum(row["tokens"] for row in rows)
