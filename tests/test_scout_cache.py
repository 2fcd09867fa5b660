"""Features of pages, kept in memory: named by what they were made from, bounded in bytes."""

import numpy as np
from numpy.typing import NDArray

from homunculus.scouts.words import cache
from homunculus.scouts.words.cache import key, page_cache


def page(number: int, cells: int = 64) -> dict[str, NDArray[np.generic]]:
    """Features that tell which page they belong to."""
    return {"embed": np.full((cells, 4), number, np.float16), "text": np.ones(cells, np.float32)}


def test_the_key_tells_pixels_shape_type_weights_and_settings_apart():
    image = np.arange(6, dtype=np.uint8)
    keys = [
        key(image, "w"), key(image[::-1], "w"), key(image.reshape(2, 3), "w"), key(image, "v"),
        key(image.astype(np.int8), "w"), key(image, "w", side="1"), key(image, "w", side="2"),
        key(image, "w", scale="1"),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert key(image, "w", a="1", b="2") == key(image.copy(), "w", b="2", a="1")
    assert key(image.reshape(2, 3).T, "w") == key(image.reshape(2, 3).T.copy(), "w")


def test_an_array_that_nobody_can_write_into_is_hashed_once(monkeypatch):
    hashed, real = [], cache.blake2b
    monkeypatch.setattr(
        cache, "blake2b", lambda *data, **how: hashed.append(len(data[0])) or real(*data, **how)
    )
    image = np.zeros((3, 99, 99), np.uint8)
    first = key(image, "w")
    image[0, 0, 0] = 1
    second = key(image, "w")
    image.flags.writeable = False
    assert key(image, "w") == key(image, "w") == second != first
    assert sum(size == image.nbytes for size in hashed) == 3


def test_a_view_of_what_can_change_is_hashed_anew():
    image = np.zeros((3, 9, 9), np.uint8)
    view = image[:, :5]
    view.flags.writeable = False
    before = key(view, "w")
    image[0, 0, 0] = 1
    assert key(view, "w") != before


def test_digests_go_with_their_arrays():
    before = len(cache._DIGESTS)
    for _ in range(5):
        image = np.random.default_rng(0).integers(0, 255, (3, 9, 9), np.uint8)
        image.flags.writeable = False
        key(image, "w")
        assert len(cache._DIGESTS) == before + 1
        del image
        assert len(cache._DIGESTS) == before


def test_memory_is_bounded_in_bytes_and_keeps_the_last_used():
    one = 64 * (4 * 2 + 4)
    pages = page_cache(2 * one)
    for number in (1, 2):
        pages.put(str(number), page(number))
    assert pages.get("1") is not None
    pages.put("3", page(3))
    assert [str(number) in pages for number in (1, 2, 3)] == [True, False, True]
    assert pages.used == 2 * one
    pages.put("4", page(4, cells=192))  # larger than all of it
    assert "4" not in pages
