"""What the geometry caches may hold: bounded in bytes and entries, shared by threads."""

import copy
import gc
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import pytest
import torch
from torch import Tensor

from homunculus import get_method
from homunculus.cache import LRU
from homunculus.engines.cells import cache as room
from homunculus.engines.cells import lift
from homunculus.engines.cells.types import Field

MIB = 2**20


def alive() -> int:
    """Bytes behind every tensor of the process, each memory once."""
    gc.collect()
    tensors = [one for one in gc.get_objects() if type(one) is Tensor]
    tensors = [one for one in tensors if not one.is_mkldnn]  # weights of 8 bits, packed
    memory = {one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in tensors}
    return sum(memory.values())


def derive(field: Field) -> None:
    """Ask for everything a field makes on demand."""
    for name, value in vars(Field).items():
        if isinstance(value, cached_property):
            getattr(field, name)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A cache of its own with a limit of one MiB."""
    monkeypatch.setattr(room, "RESULTS", room.results_cache(MIB))
    return room.RESULTS


def test_sixteen_grids_of_a_million_cells_stay_within_the_limit() -> None:
    before = alive()
    for extra in range(16):
        derive(lift.pyramid([(1000 + extra, 1000)], 2))
    assert alive() - before < 300 * MIB


def test_what_is_held_is_never_less_than_what_is_there(cache: Any) -> None:
    before = alive()
    for grids in ([(29, 23)] * 3, [(31, 23)], [(1, 23)] * 2):
        for levels in (1, 4):
            derive(lift.pyramid(grids, levels))
    assert 0 < alive() - before <= cache.used <= MIB


@pytest.mark.parametrize("grids", [[(9, 14)], [(33, 20)] * 4, [(1, 1)]])
@pytest.mark.parametrize("levels", [1, 3])
def test_a_field_grows_by_no_more_than_it_says(grids: list[tuple[int, int]], levels: int) -> None:
    field = lift.pyramid([(rows + 200, cols) for rows, cols in grids], levels)
    own = set(vars(field))
    derive(field)
    made = {name: value for name, value in vars(field).items() if name not in own}
    assert {"root", "child"} <= set(made)
    assert 0 < sum(map(room.tensor_bytes, made.values())) <= field.growth


def test_a_result_larger_than_the_limit_is_made_anew(cache: Any) -> None:
    calls: list[int] = []

    @room.cached
    def zeros(size: int) -> Tensor:
        calls.append(size)
        return torch.zeros(size, dtype=torch.uint8)

    for size in (10, MIB + 1, MIB + 1, 10):
        zeros(size)
    assert calls == [10, MIB + 1, MIB + 1]
    assert cache.used == room.LEAST


def test_what_is_in_use_outlives_what_is_not(cache: Any) -> None:
    calls: list[int] = []

    @room.cached
    def third(name: int) -> Tensor:
        calls.append(name)
        return torch.zeros(MIB // 3, dtype=torch.uint8)

    for name in (1, 2, 3, 4, 1, 5, 1, 6, 1, 7, 1):
        third(name)
    assert calls.count(1) == 2, "once, and once more because 2, 3 and 4 came before its first use"
    assert [calls.count(name) for name in range(2, 8)] == [1] * 6
    assert cache.used <= MIB


def test_the_number_of_results_is_bounded_as_well(cache: Any) -> None:
    for length in range(200):
        room.cached(torch.arange)(length)
    assert cache.used == MIB


def test_threads_share_one_cache_and_its_count_stays_true(cache: Any) -> None:
    @room.cached
    def block(name: int) -> Tensor:
        return torch.full((MIB // 8,), name, dtype=torch.uint8)

    def read(name: int) -> bool:
        return bool((block(name % 13) == name % 13).all())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(2000)))
    assert cache.used <= MIB


def test_a_result_asked_for_twice_is_the_same_tensor_by_name_or_by_place() -> None:
    device = torch.device("cpu")
    assert room.ramp(77, device) is room.ramp(77, device)
    assert room.ramp(77, device=device) is room.ramp(77, device=device)
    assert torch.equal(room.ramp(77, device=device), room.ramp(77, device))


def test_a_batch_too_large_to_keep_is_planned_all_the_same(cache: Any) -> None:
    logit = torch.arange(4096.0)[None].repeat(8, 1)
    first = get_method("cut").plan([(64, 64)] * 8, logit, 40)[1]
    again = get_method("cut").plan([(64, 64)] * 8, logit, 40)[1]
    assert torch.equal(first.index, again.index)
    assert cache.used <= MIB


def test_an_lru_is_bounded_by_size_and_drops_the_least_recently_used() -> None:
    values: LRU[str, bytes] = LRU(10, len)
    for key in ("a", "b", "c"):
        values.put(key, key.encode() * 3)
    assert "a" in values  # which is now the most recently used
    values.put("d", b"dddd")
    assert [values.get(key) for key in ("a", "b", "c", "d")] == [b"aaa", None, b"ccc", b"dddd"]
    assert values.used == 10
    values.put("e", b"e" * 11)
    values.put("a", b"another")
    assert (values.get("e"), values.get("a"), values.used) == (None, b"aaa", 10)
    values.clear()
    assert (values.get("a"), values.used) == (None, 0)


def test_an_lru_counts_values_by_default_and_a_copy_of_it_is_empty() -> None:
    values: LRU[int, int] = LRU(2)
    for key in range(5):
        values.put(key, key)
    assert ([key in values for key in range(5)], values.used) == ([False] * 3 + [True] * 2, 2)
    twin = copy.deepcopy(values)
    twin.put(9, 9)
    assert (twin.used, values.get(9)) == (1, None)


def test_threads_share_one_lru_and_its_count_stays_true() -> None:
    values: LRU[int, bytes] = LRU(50, len)

    def use(step: int) -> bool:
        key = step % 17
        values.put(key, bytes([key]) * (key + 1))
        return values.get(key) in (None, bytes([key]) * (key + 1)) and values.used <= 50

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(5000)))
    assert values.used == sum(key + 1 for key in range(17) if key in values)
