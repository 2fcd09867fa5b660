"""The benchmark of servers, on a model so small that its figures mean nothing."""

from dataclasses import replace

from homunculus_lab.speed.model import SMALLEST
from homunculus_lab.speed.vllm import LoadPlan, measure
from serving.conftest import ONE_PROCESS

TINY = replace(SMALLEST, tokens=20, bare=(4, 5))
PLAN = LoadPlan(
    warm=2, ours=6, stock=4, small=4, rounds=1, at_once=2, words=2, native=(8, 8), threads=1,
    flags=ONE_PROCESS,
)  # fmt: skip


def test_the_bench_of_servers_tells_what_it_should():
    result = measure(scale=TINY, plan=PLAN)
    load = result["load"]
    assert [row["errors"] for row in load["rows"].values()] == [0, 0, 0]
    assert [row["requests"] for row in load["rows"].values()] == [6, 4, 4]
    assert load["kept_exactly"]
    text = load["rows"]["ours"]["prompt_tokens"][0] - 20
    assert load["rows"]["stock"]["prompt_tokens"][0] == text + 64
