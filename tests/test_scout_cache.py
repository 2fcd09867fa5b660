"""Features of pages, kept in memory: named by what they were made from, bounded in bytes."""

import torch

from homunculus.scouts.words.cache import key, page_cache


def page(number: int, cells: int = 64) -> dict[str, torch.Tensor]:
    """Features that tell which page they belong to."""
    return {"embed": torch.full((cells, 4), number, dtype=torch.half), "text": torch.ones(cells)}


def test_the_key_tells_pixels_shape_type_weights_and_settings_apart():
    image = torch.arange(6, dtype=torch.uint8)
    keys = [
        key(image, "w"), key(image.flip(0), "w"), key(image.view(2, 3), "w"), key(image, "v"),
        key(image.to(torch.int8), "w"), key(image, "w", side="1"), key(image, "w", side="2"),
        key(image, "w", scale="1"),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert key(image, "w", a="1", b="2") == key(image.clone(), "w", b="2", a="1")
    assert key(image.view(2, 3).T, "w") == key(image.view(2, 3).T.contiguous(), "w")


def test_memory_is_bounded_in_bytes_and_keeps_the_last_used():
    one = 64 * (4 * 2 + 4)
    cache = page_cache(2 * one)
    for number in (1, 2):
        cache.put(str(number), page(number))
    assert cache.get("1") is not None
    cache.put("3", page(3))
    assert [str(number) in cache for number in (1, 2, 3)] == [True, False, True]
    assert cache.used == 2 * one
    cache.put("4", page(4, cells=192))  # larger than all of it
    assert "4" not in cache
