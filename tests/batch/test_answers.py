"""Answers of a real vLLM with a model of a few weights: K tokens an image, and the same again."""

import json

import pytest

import tiny
from batch import make
from batch.conftest import content
from homunculus.batch.cluster import load_engine
from homunculus.batch.faults import Ledger
from homunculus.batch.job import Job
from homunculus.batch.read import Row
from homunculus.batch.work import work_chunk

QUIET = {
    "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "ERROR", "VLLM_CPU_KVCACHE_SPACE": "1", "OMP_NUM_THREADS": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
}  # fmt: skip
ENGINE_ARGS = {
    "dtype": "float32", "max_model_len": 2048, "max_num_seqs": 16, "enforce_eager": True,
    "distributed_executor_backend": "vllm.v1.executor.uniproc_executor.UniProcExecutor",
}  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore")  # vLLM's own, at its start


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """One engine for all tests: it takes half a minute to start."""
    patch = pytest.MonkeyPatch()
    for name, value in QUIET.items():
        patch.setenv(name, value)
    model = tmp_path_factory.mktemp("model")
    tiny.build("qwen3_vl", model)
    job = Job(
        "x", 8, to="answers", engine=str(model), engine_args=json.dumps(ENGINE_ARGS),
        max_output=4, scout="pixels",
    )  # fmt: skip
    yield job, load_engine(job)
    patch.undo()


def rows() -> list[Row]:
    told = [Row(f"{at}", f"{at}.png", f"What is {at}?", make.page(at)) for at in range(6)]
    told[2] = told[2]._replace(data=make.bomb(60_000, 60_000))
    told[4] = told[4]._replace(data=make.document(1), source="4.pdf")
    return told


def test_every_picture_costs_k_tokens_and_poison_is_left_out(engine, tmp_path):
    job, held = engine
    told = work_chunk(job, rows(), "s", 0, Ledger(str(tmp_path)), held)
    assert [row.get("error_kind") for row in told] == [None, None, "picture", None, None, None]
    right = [row for row in told if not row.get("error")]
    assert {row["tokens"] for row in right} == {8}
    assert all(row["untouched"] > 8 and row["answer_tokens"] == 4 for row in right)
    assert told[4]["id"] == "4#page=1"


def test_one_by_one_gives_the_same_answers(engine, tmp_path):
    """As after the death of a worker, when nobody knows whose fault it was."""
    job, held = engine
    together = work_chunk(job, rows(), "s", 0, Ledger(str(tmp_path)), held)
    book = Ledger(str(tmp_path / "again"))
    book.begin("s", 0)
    book.row("s", 0, 6)
    apart = work_chunk(job, rows(), "s", 0, Ledger(str(tmp_path / "again")), held)
    assert [row.get("answer") for row in apart] == [row.get("answer") for row in together]


def test_what_the_engine_refuses_is_an_error_row(engine, tmp_path, monkeypatch):
    job, held = engine
    answer = type(held).answer

    def picky(self, asked):
        if any(question == "What is 3?" for question, _ in asked):
            raise ValueError("no")
        return answer(self, asked)

    monkeypatch.setattr(type(held), "answer", picky)
    told = work_chunk(job, rows(), "s", 0, Ledger(str(tmp_path)), held)
    kinds = [row.get("error_kind") for row in told]
    assert kinds == [None, None, "picture", "engine", None, None]
    assert content(tmp_path) == []
