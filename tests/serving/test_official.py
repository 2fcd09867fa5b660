"""lmms-eval asks the same task of both engines, offline: exactly K tokens an image, one answer."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import lmms_eval.tasks.chartqa.utils
import lmms_eval.tasks.textvqa.utils
import lmms_eval.tasks.vqav2.utils  # noqa: F401 - here, or the next import's test would be skipped
import pytest

from homunculus_lab.results import from_text
from homunculus_lab.speed.server import NAME as SERVED
from serving.conftest import FEW, folder
from serving.toy import CELLS, NAME, toy
from test_inside import deep
from test_measure_official import test_both_are_those_of_lmms_eval  # noqa: F401

FOVEATED = ("--method", "foveated")
"""What `measure --model` asks for unless told."""

K = 64
KEPT = [[min(K, cells)] for cells in (*CELLS, CELLS[0])] + [[]]
"""Of the six documents: five with a page, one without."""


@pytest.fixture(scope="module")
def room(tmp_path_factory) -> Any:
    """A task, and a home for caches of datasets."""
    here = tmp_path_factory.mktemp("official")
    toy(here / "task")
    return here


def run(room, module, *flags):
    """A command of its own, without the net and without this process's warnings."""
    quiet = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(room / "hub"), "OPENAI_API_KEY": "none"}
    told = subprocess.run(
        [sys.executable, "-m", module, *flags], cwd=room, env=os.environ | quiet,
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr[-3000:]
    return told


def asked(room, model, arguments):
    """What lmms-eval noted of every document."""
    out = room / model
    told = run(
        room, "lmms_eval", "--model", model, "--model_args", arguments, "--tasks", NAME,
        "--include_path", str(room / "task"), "--log_samples", "--output_path", str(out),
    )  # fmt: skip
    (samples,) = out.rglob(f"*_samples_{NAME}.jsonl")
    rows = sorted(map(json.loads, samples.read_text().splitlines()), key=lambda one: one["doc_id"])
    said = [plain(row["filtered_resps"]) for row in rows]
    prompts = [row["token_counts"][0]["input_tokens"] for row in rows]
    return SimpleNamespace(said=said, prompts=prompts, told=told.stdout + told.stderr)


def plain(said):
    """As the task reads an answer."""
    return "".join(one for one in said.split("\n\n")[0] if " " <= one <= "~")


@pytest.fixture(scope="module")
def here(room):
    """By the transformers engine."""
    log = room / "log.jsonl"
    model = f"pretrained={folder('qwen3_vl')},tokens={K},method=foveated,"
    model += f"dtype=float32,device=cpu,log={log}"
    found = asked(room, "homunculus", model)
    found.log = [json.loads(line) for line in log.read_text().splitlines()]
    return found


@pytest.fixture(scope="module")
def there(room, serve):
    """By a server, through lmms-eval's own client."""
    server = serve(*FEW, *FOVEATED)
    server.forget()
    before = server.counters()
    found = asked(room, "openai", f"base_url={server.url}/v1,model={SERVED}")
    after = server.counters()
    found.counted = {name: after[name] - before[name] for name in after if name in before}
    return found


def test_the_transformers_engine_keeps_exactly_k_tokens_of_each_image(here):
    assert [line["kept"] for line in here.log] == KEPT
    assert [line["of"] for line in here.log] == [[cells] for cells in (*CELLS, CELLS[0])] + [[]]
    assert [line["doc"] for line in here.log] == list(range(6))
    assert "5 images, 60 to 64 tokens each, 316 of" in here.told


def test_a_server_keeps_exactly_k_tokens_of_each_image(there):
    met = there.counted["images_total"] + there.counted["images_reused_total"]
    assert met == 5
    assert there.counted["images_total"] == 5
    assert there.counted["tokens_kept_total"] == sum(map(sum, KEPT))
    assert there.counted["tokens_native_total"] == sum(CELLS) + CELLS[0]


def test_both_engines_are_asked_the_same_prompt_and_say_the_same(here, there):
    text = [prompt - sum(kept) for prompt, kept in zip(here.prompts, KEPT, strict=True)]
    assert min(text) > 20
    assert [line["prompt"] for line in here.log] == here.prompts
    assert there.prompts == here.prompts
    assert there.said == here.said
    assert len(set(here.said)) > 3, "all say the same: this proves nothing"


def measured(room, name, *flags):
    run(
        room, "homunculus", "measure", NAME, "--model", str(folder("qwen3_vl")), "--include",
        str(room / "task"), "--methods", "foveated", "--tokens", "32,64", "-o", name, *flags,
    )  # fmt: skip
    return from_text((room / name).read_text())


@pytest.fixture(scope="module")
def fought(room):
    """Rows by the transformers engine; the dearest controls are left out here."""
    spared = ("random", "uniform", "centre", "pool", "prior", "saliency", "blind", "full")
    return measured(room, "here.json", "--dtype", "float32", "--without", *spared)


def test_measure_runs_a_task_of_lmms_eval_in_every_row(room, fought, here):
    (found,) = fought["runs"]
    assert list(found["table"]) == ["grid", "foveated", "resize", "shuffled"]
    assert (found["n"], found["images"], found["columns"]) == (6, 5, ["mark"])
    assert set(fought["left_out"]) >= {"oracle", "random", "prior"}
    mine = [row["scores"]["foveated"]["64"][0] for row in found["rows"]]
    assert mine == pytest.approx([crc32(said.encode()) / 2**32 for said in here.said])
    mean = found["official"]["foveated"]["64"]["mark"]
    assert mean == pytest.approx(sum(mine) / 6)
    assert found["table"]["foveated"]["64"]["mark"][0] == pytest.approx(mean, abs=1e-3)
    (cost,) = fought["cost"]
    for slots in (32, 64):
        told = cost["table"]["foveated"][str(slots)]
        assert told["tokens"] * 5 == sum(min(slots, cells) for cells in (*CELLS, CELLS[0]))
        assert cost["table"]["resize"][str(slots)]["tokens"] <= slots
    assert not (room / "here.json.journal").exists()


def test_decide_reads_what_measure_wrote(room, fought):
    assert fought["runs"]
    run(room, "homunculus", "decide", "here.json", "-o", "report.html")
    told = json.loads((room / "report.json").read_text())
    assert told["decision"] == "UNDECIDED"  # six questions, of four pages
    names = {row["method"] for row in told["rows"]}
    assert "foveated" in names


BAKEOFF = """
models = ["{model}"]
tasks = ["{task}"]
methods = ["divprune", "fastv"]
without = ["random", "uniform", "centre", "pool", "prior", "saliency", "blind", "shuffled", "full"]
tokens = [64]
dtype = "float32"
include = "{folder}"
"""


def test_a_bake_off_asks_rivals_after_the_encoder_and_inside_the_model(room):
    model, one = room / "tiny-0.1B", deep("qwen2_5_vl")
    for part in (one.model, one.processor):
        part.save_pretrained(model)
    told = BAKEOFF.format(model=model, task=NAME, folder=room / "task")
    (room / "bakeoff.toml").write_text(told)
    run(room, "homunculus", "measure", "bakeoff.toml")
    out = room / "bakeoff-tiny-0.1B.json"
    found = from_text(out.read_text())
    (table,), (cost,) = found["runs"], found["cost"]
    assert {"divprune", "fastv", "resize"} <= set(table["table"])
    assert table["n"] == 6
    assert cost["table"]["divprune"]["64"]["tokens"] * 5 == sum(map(sum, KEPT))
    assert (room / "bakeoff-tiny-0.1B.report.html").exists()
