"""Memory of a process that meets ever new pictures."""

import os

import pytest

from homunculus.scouts import memory
from homunculus.scouts.memory import KERNELS, MEMORY, bound_memory
from homunculus_lab.speed.memory import MemoryPlan, measure, table


def test_a_bounded_process_grows_less_with_new_pictures() -> None:
    result = measure(plan=MemoryPlan(pictures=16, parts=2))
    grown = dict[str, int]()
    for name, row in result["rows"].items():
        start, *_, end = row["resident_mib"]
        assert row["failed"] == 0
        grown[name] = end - start
    assert grown["bounded"] < 0.7 * grown["unbounded"], grown
    assert "resident MiB after 0, 8, 16 pictures" in table(result)


@pytest.mark.parametrize(("few", "expected"), [(True, {MEMORY: "9", KERNELS: "64"}),
                                               (False, {MEMORY: "9"})])  # fmt: skip
def test_a_model_beside_the_scout_keeps_its_kernels(monkeypatch, few, expected) -> None:
    environment = dict[str, str]()
    monkeypatch.setattr(os, "environ", environment)
    monkeypatch.setattr(memory, "return_large_blocks", lambda: None)
    bound_memory(9, few_kernels=few)
    assert environment == expected


def test_variables_that_are_set_stay(monkeypatch) -> None:
    environment = {MEMORY: "1000", KERNELS: "2000"}
    monkeypatch.setattr(os, "environ", environment)
    monkeypatch.setattr(memory, "return_large_blocks", lambda: None)
    bound_memory()
    assert environment == {MEMORY: "1000", KERNELS: "2000"}
