"""Features kept on disk: whole or absent, shared by processes, bounded."""

import multiprocessing
import os
import time
import warnings
from pathlib import Path

import pytest
import torch

from homunculus.scouts.words.cache import ABANDONED, Cache, key


def page(number: int, cells: int = 64) -> dict[str, torch.Tensor]:
    """Features that tell which page they belong to."""
    embed = torch.full((cells, 4), float(number), dtype=torch.bfloat16)
    return {"embed": embed, "text": torch.full((cells,), number), "one": torch.tensor(number)}


def name(number: int) -> str:
    return key(torch.tensor([number]), "weights", side=1024)


def fresh(cache: Cache) -> Cache:
    """The same folder seen by somebody whose memory is empty."""
    return Cache(cache.folder, cache.most, cache.near)


def same(one, two) -> bool:
    return one.keys() == two.keys() and all(
        one[field].dtype == two[field].dtype and torch.equal(one[field], two[field])
        for field in one
    )


def file_of(cache: Cache, number: int) -> Path:
    (path,) = cache.folder.rglob(f"{name(number)}*")
    return path


@pytest.fixture
def cache(tmp_path) -> Cache:
    return Cache(tmp_path / "features")


def test_what_was_put_comes_back_from_memory_and_from_disk(cache):
    assert cache.get(name(1)) is None
    cache.put(name(1), page(1))
    assert same(cache.get(name(1)), page(1))
    assert same(fresh(cache).get(name(1)), page(1))
    assert fresh(cache).get(name(2)) is None
    assert file_of(cache, 1).relative_to(cache.folder).parts[:2] == (name(1)[:2], name(1)[2:4])


def test_the_key_tells_pixels_shape_type_weights_and_settings_apart():
    image = torch.arange(6, dtype=torch.uint8)
    keys = [
        key(image, "w"), key(image.flip(0), "w"), key(image.view(2, 3), "w"), key(image, "v"),
        key(image.to(torch.int8), "w"), key(image, "w", side=1), key(image, "w", side=2),
        key(image, "w", scale=1),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert key(image, "w", a=1, b=2) == key(image.clone(), "w", b=2, a=1)
    assert key(image.view(2, 3).T, "w") == key(image.view(2, 3).T.contiguous(), "w")


@pytest.mark.parametrize("bad", ["", "abc", "../" * 22 + "etc", "A" * 64, "0" * 64 + "\n"])
def test_a_key_that_is_none_is_refused(cache, bad):
    with pytest.raises(ValueError, match="64 hex digits"):
        cache.get(bad)
    with pytest.raises(ValueError, match="64 hex digits"):
        cache.put(bad, page(1))


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def cut_in_the_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20])


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 4
    path.write_bytes(content)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def another_page(path: Path) -> None:
    other = Cache(path.parents[3] / "other")
    other.put(name(9), page(9))
    path.write_bytes(file_of(other, 9).read_bytes())


def a_stranger(path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"embed": torch.zeros(3)}, path)


def noise(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 40)


DAMAGE = [cut_short, cut_in_the_header, flip_a_bit, empty, another_page, a_stranger, noise]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_or_wrong_file_is_absent_and_is_replaced(cache, damage):
    cache.put(name(1), page(1))
    damage(file_of(cache, 1))
    assert fresh(cache).get(name(1)) is None
    assert same(fresh(cache).of(name(1), lambda: page(1)), page(1))
    assert same(fresh(cache).get(name(1)), page(1))


def test_features_are_made_once(cache):
    made = []

    def make():
        made.append(1)
        return page(3)

    for reader in (cache, cache, fresh(cache)):
        assert same(reader.of(name(3), make), page(3))
    assert len(made) == 1


def test_the_disk_never_holds_more_than_its_bound_and_drops_the_least_recently_used(cache):
    cache.put(name(0), page(0))
    one = cache.size()
    small = Cache(cache.folder, most=4 * one + one // 2, near=0)
    for number in range(1, 4):
        small.put(name(number), page(number))
    for age, number in enumerate((3, 1, 0, 2)):
        os.utime(file_of(small, number), (1000 + age, 1000 + age))
    assert small.get(name(3)) is not None  # touched: now the newest
    for number in (4, 5):
        small.put(name(number), page(number))
        assert small.size() <= small.most
    kept = [number for number in range(6) if fresh(small).get(name(number)) is not None]
    assert kept == [2, 3, 4, 5]


def test_a_page_kept_in_memory_is_also_used_on_disk(cache):
    cache.put(name(1), page(1))
    os.utime(file_of(cache, 1), (1000, 1000))
    cache.get(name(1))
    assert file_of(cache, 1).stat().st_mtime > 1000


def test_features_larger_than_the_bound_stay_out(cache):
    tiny = Cache(cache.folder, most=100)
    tiny.put(name(1), page(1))
    assert tiny.size() == 0
    assert same(tiny.get(name(1)), page(1))  # memory has it


def test_memory_is_bounded_and_keeps_the_last_used(cache):
    held = sum(tensor.nbytes for tensor in page(0).values())
    near = Cache(cache.folder, near=2 * held)
    for number in (0, 1):
        near.put(name(number), page(number))
    near.get(name(0))
    near.put(name(2), page(2))
    assert set(near._memory) == {name(0), name(2)}
    assert near._memory.currsize == 2 * held


def test_files_of_dead_writers_are_swept_and_those_of_live_ones_are_not(cache):
    cache.put(name(1), page(1))
    dead, alive = (file_of(cache, 1).parent / f"{one}.part" for one in ("dead", "alive"))
    dead.write_bytes(b"x")
    alive.write_bytes(b"x")
    os.utime(dead, (time.time() - ABANDONED - 9,) * 2)
    cache.put(name(2), page(2))
    assert alive.exists()
    assert not dead.exists()


def test_a_disk_that_refuses_costs_a_warning_and_not_the_answer(tmp_path):
    (tmp_path / "file").write_text("in the way")
    stuck = Cache(tmp_path / "file")
    with pytest.warns(UserWarning, match="could not keep"):
        assert same(stuck.of(name(1), lambda: page(1)), page(1))


def test_negative_bounds_are_refused(tmp_path):
    with pytest.raises(ValueError, match="bytes >= 0"):
        Cache(tmp_path, most=-1)


def crowd(folder: str, most: int, worker: int, faults: "multiprocessing.Queue") -> None:
    """Write and read keys of one's own and keys of everybody; report what was not right."""
    warnings.simplefilter("error")
    torch.set_num_threads(1)
    wrong = []
    for turn in range(40):
        cache = Cache(Path(folder), most=most, near=0)
        for number in (turn % 5, 100 * worker + turn):
            if turn % 3:
                cache.put(name(number), page(number))
            kept = cache.get(name(number))
            if kept is not None and not same(kept, page(number)):
                wrong.append(number)
        if turn % 10 == worker % 10:  # somebody's disk fails now and then
            for path in Path(folder).rglob(f"{name(turn % 5)}*"):
                path.write_bytes(b"torn")
    faults.put(wrong)


@pytest.mark.parametrize("most", [2**30, 20_000])
def test_eight_processes_at_once_see_whole_features_or_none(tmp_path, most):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "safetensors.torch", "homunculus.scouts.words.cache"])
    faults = context.Queue()
    arguments = [(str(tmp_path), most, worker, faults) for worker in range(8)]
    workers = [context.Process(target=crowd, args=each) for each in arguments]
    for worker in workers:
        worker.start()
    found = [faults.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(timeout=60)
    assert [worker.exitcode for worker in workers] == [0] * 8
    assert found == [[]] * 8
    assert list(tmp_path.rglob("*.part")) == []
    assert Cache(tmp_path).size() <= most
