"""The store of what was read of pages: it keeps what it can, and never fails for a bad file."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homunculus.pages import store as module
from homunculus.pages.document import Sheet, code_version, sheet_from_bytes, sheet_to_bytes
from homunculus.pages.lines import Lines
from homunculus.pages.store import FILE, Store


@pytest.fixture
def make() -> Iterator[Callable[..., Store]]:
    """Makes stores, whose connections are closed at the end."""
    stores = list[Store]()

    def maker(folder: Path, **given: int) -> Store:
        stores.append(Store(folder, **given))
        return stores[-1]

    yield maker
    for each in stores:
        each.close()


def key(number: int) -> bytes:
    return number.to_bytes(4, "big")


def noise(number: int, size: int = 1000) -> bytes:
    """Bytes that cannot be packed."""
    return np.random.default_rng(number).bytes(size)


def test_what_is_put_is_there_and_nothing_else(make, tmp_path) -> None:
    store = make(tmp_path)
    assert store.get(b"one") is None
    store.put(b"one", b"")
    store.put(b"two", b"\x00\xff" * 5000)
    assert (store.get(b"one"), store.get(b"two")) == (b"", b"\x00\xff" * 5000)
    assert store.get(b"three") is None
    store.put(b"one", b"other")
    assert store.get(b"one") == b"other"
    store.clear()
    assert (store.get(b"one"), store.get(b"two")) == (None, None)


def test_another_store_of_the_same_folder_has_it_too(make, tmp_path) -> None:
    first, second = make(tmp_path / "deep" / "folder"), make(tmp_path / "deep" / "folder")
    first.put(b"key", b"value")
    assert second.get(b"key") == b"value"
    second.put(b"back", b"again")
    assert first.get(b"back") == b"again"
    if os.name == "posix":
        assert first.path.stat().st_mode & 0o077 == 0  # nobody else may read it


def test_threads_share_a_store(make, tmp_path) -> None:
    store = make(tmp_path)

    def work(thread: int) -> bool:
        numbers = range(100 * thread, 100 * thread + 40)
        for number in numbers:
            store.put(key(number), noise(number, 50))
            store.put(key(1000), b"of all")
        return all(store.get(key(number)) == noise(number, 50) for number in numbers)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert store.get(key(1000)) == b"of all"


WRITER = """
import sys
from homunculus.pages.store import Store
store = Store(sys.argv[1])
print("ready", flush=True)
for number in range(200):
    store.put(b"theirs%d" % number, b"value%d" % number)
print(store.get(b"before").decode(), flush=True)
"""


def test_two_processes_write_at_once(make, tmp_path) -> None:
    store = make(tmp_path)
    store.put(b"before", b"was there")
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        for number in range(200):
            store.put(b"ours%d" % number, b"value%d" % number)
        assert other.stdout.read() == "was there\n"
    assert other.returncode == 0
    for number in range(200):
        value = b"value%d" % number
        assert store.get(b"ours%d" % number) == store.get(b"theirs%d" % number) == value


def test_a_forked_process_opens_a_connection_of_its_own(make, tmp_path, monkeypatch) -> None:
    store = make(tmp_path)
    store.put(b"key", b"value")
    inherited = store._base
    monkeypatch.setattr(module.os, "getpid", lambda: -1)
    assert store.get(b"key") == b"value"
    assert store._base is not inherited
    assert inherited is not None
    inherited.close()
    store.close()  # while the process's number is still the other one


# ---- bounds --------------------------------------------------------------------------------------


def kept(store: Store) -> int:
    """Bytes of all values."""
    assert store._base is not None
    return int(store._base.execute("select sum(length(value)) from page").fetchone()[0])


@pytest.fixture
def clock(monkeypatch) -> None:
    """Each use is later than the one before, and the size is looked at more often."""
    ticks = count()
    monkeypatch.setattr(module, "_now", lambda: float(next(ticks)))
    monkeypatch.setattr(module, "CHECK_EVERY", 4)


@pytest.mark.usefixtures("clock")
def test_what_was_used_longest_ago_is_dropped(make, tmp_path) -> None:
    store = make(tmp_path, max_bytes=20_000)
    for number in range(61):
        store.put(key(number), noise(number))
        assert store.get(key(0)) == noise(0)  # used again and again
        assert kept(store) <= 20_000 + 4 * 1100
    assert kept(store) <= 20_000
    there = [number for number in range(61) if store.get(key(number)) is not None]
    assert there[0] == 0
    assert there[1:] == list(range(61 - len(there) + 1, 61))
    assert len(there) >= 12  # no more is dropped than has to be


@pytest.mark.usefixtures("clock")
def test_nothing_is_dropped_while_there_is_room(make, tmp_path) -> None:
    store = make(tmp_path, max_bytes=20_000)
    for number in range(17):
        store.put(key(number), noise(number))
    assert all(store.get(key(number)) for number in range(17))


def test_a_value_that_would_take_most_of_the_room_is_not_kept(make, tmp_path) -> None:
    store = make(tmp_path, max_bytes=20_000)
    store.put(b"large", noise(0, 6_000))
    assert store.get(b"large") is None
    store.put(b"packs well", b"a" * 60_000)
    assert store.get(b"packs well") == b"a" * 60_000


def test_a_value_that_unpacks_to_too_much_is_not_unpacked(make, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(module, "MAX_VALUE", 1000)
    store = make(tmp_path)
    store.put(b"large", b"a" * 1001)
    store.put(b"small", b"a" * 900)
    assert store.get(b"large") is None
    assert store.get(b"small") == b"a" * 900


# ---- bad files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [b"", b"no database", b"SQLite format 3\x00", b"\x00" * 5000])
def test_a_broken_file_costs_the_store_and_nothing_else(make, tmp_path, start) -> None:
    (tmp_path / FILE).write_bytes(start)
    store = make(tmp_path)
    assert store.get(b"key") is None
    store.put(b"key", b"value")
    assert store.get(b"key") in (None, b"value")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_file_that_was_cut_or_overwritten_is_no_error(make, tmp_path, share) -> None:
    whole = make(tmp_path)
    for number in range(60):
        whole.put(key(number), noise(number))
    assert whole._base is not None
    whole._base.execute("pragma journal_mode = delete")
    whole.close()
    data = (tmp_path / FILE).read_bytes()
    for bad in (data[: int(len(data) * share)], data[:4096] + b"\x5a" * (len(data) - 4096)):
        (tmp_path / FILE).write_bytes(bad)
        store = make(tmp_path)
        for number in range(60):
            assert store.get(key(number)) in (None, noise(number))
            store.put(key(number), b"new")


def test_a_value_that_is_not_packed_is_no_value(make, tmp_path) -> None:
    store = make(tmp_path)
    store.put(b"key", b"value")
    assert store._base is not None
    store._base.execute("update page set value = x'00ff00'")
    assert store.get(b"key") is None


@pytest.mark.parametrize("place", ["file", "file/deeper", "taken"])
def test_a_folder_that_cannot_be_written_is_no_error(make, tmp_path, place) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "taken" / FILE).mkdir(parents=True)
    store = make(tmp_path / place)
    store.put(b"key", b"value")
    assert store.get(b"key") is None
    store.clear()


# ---- where it is ---------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["off", "OFF", "0", "no", "False"])
def test_the_variable_turns_it_off(monkeypatch, word) -> None:
    monkeypatch.setenv("HOMUNCULUS_CACHE", word)
    assert Store.usual() is None


def test_the_variable_names_its_folder_else_it_is_in_the_cache(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("HOMUNCULUS_CACHE", str(tmp_path / "mine"))
    named = Store.usual()
    assert named is not None
    assert named.path == tmp_path / "mine" / FILE
    assert Store.usual() is named
    monkeypatch.delenv("HOMUNCULUS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    usual = Store.usual()
    assert usual is not None
    assert usual.path == tmp_path / "cache" / "homunculus" / FILE
    assert list(tmp_path.iterdir()) == []  # nothing is made before something is kept


# ---- what is kept --------------------------------------------------------------------------------


word = st.text(min_size=1, max_size=8) | st.sampled_from(["Größe", "合計", "a\nb", "\ud800", "\0"])
side = st.floats(0, 9000, width=32)


texts = st.none() | st.lists(
    st.tuples(word, st.tuples(side, side, side, side), st.integers(0, 9)), max_size=6
)
sizes = st.tuples(st.integers(1, 20_000), st.integers(1, 20_000))


@settings(max_examples=80, deadline=None)
@given(texts, sizes, sizes, st.floats(-0.1, 0.1), st.sampled_from(["", "It was not used.\n"]))
def test_a_sheet_is_the_same_after_it_was_kept(words, size, original, slope, note) -> None:
    """With words, without any, and of a page that nobody read."""
    made = None
    if words is not None:
        boxes = np.array([box for _, box, _ in words], np.float32).reshape(-1, 4)
        line = np.array(sorted(line for _, _, line in words), int)
        made = Lines(tuple(text for text, _, _ in words), boxes, line, "rapidocr", slope)
    back = sheet_from_bytes(sheet_to_bytes(Sheet(size, original, made, note)))
    assert (back.size, back.original, back.note) == (size, original, note)
    assert (back.lines is None) == (made is None)
    if made is not None and back.lines is not None:
        assert back.lines.words == made.words
        assert back.lines.boxes.tolist() == made.boxes.tolist()
        assert back.lines.boxes.dtype == np.float32
        assert back.lines.line.tolist() == made.line.tolist()
        assert (back.lines.source, back.lines.slope) == ("rapidocr", slope)
        back.lines.boxes[:] = 0  # arrays of its own, which can be written


def test_the_version_of_the_code_is_a_short_digest_that_stays() -> None:
    assert len(code_version()) == 8
    assert code_version() == code_version()
