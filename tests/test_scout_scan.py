"""Reading pages: boxes around print, sheets of them, batches of mixed sizes, whole numbers."""

import shutil
from dataclasses import replace
from functools import lru_cache

import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from homunculus.scouts import words
from homunculus.scouts.words import WEIGHTS, WordScout, int8, load, scan
from homunculus.scouts.words.cache import page_cache
from homunculus.scouts.words.net import WordNet, standard
from homunculus.scouts.words.scan import Scanner, cut, mixed, pack
from homunculus_lab.speed.scout import WholeScanner
from homunculus_lab.train.int8 import ranges

# ---- boxes and sheets ----------------------------------------------------------------------------


@st.composite
def masks(draw) -> torch.Tensor:
    """Pages with a few blocks of print."""
    high, wide = draw(st.integers(1, 60)), draw(st.integers(1, 60))
    mask = torch.zeros(high, wide, dtype=torch.bool)
    for _ in range(draw(st.integers(0, 6))):
        y, x = draw(st.integers(0, high - 1)), draw(st.integers(0, wide - 1))
        mask[y : y + draw(st.integers(1, 9)), x : x + draw(st.integers(1, 30))] = True
    return mask


@given(masks())
def test_boxes_hold_every_marked_cell_once(mask) -> None:
    held = torch.zeros(mask.shape)
    for y0, x0, y1, x1 in cut(mask):
        held[y0:y1, x0:x1] += 1
        edges = mask[y0, x0:x1], mask[y1 - 1, x0:x1], mask[y0:y1, x0], mask[y0:y1, x1 - 1]
        assert all(bool(edge.any()) for edge in edges)  # no wider than what they hold
    assert held.max() <= 1
    assert (held[mask] == 1).all()


@given(masks())
def test_boxes_lie_on_their_sheet_a_cell_apart(mask) -> None:
    grid = (mask.shape[0], mask.shape[1])
    boxes, (high, wide), corners = pack(cut(mask), grid, 416)
    taken = torch.zeros(high + 1, wide + 1)
    for (y0, x0, y1, x1), (y, x) in zip(boxes, corners, strict=True):
        assert y + y1 - y0 <= high
        assert x + x1 - x0 <= wide
        taken[y : y + y1 - y0 + 1, x : x + x1 - x0 + 1] += 1
    assert taken.max() <= 1
    assert high % 4 == wide % 4 == 0  # few sizes, so that most were met before
    assert high * wide <= -(-grid[0] // 4) * -(-grid[1] // 4) * 16  # never more than the page


# ---- batches -------------------------------------------------------------------------------------


@lru_cache
def net() -> WordNet:
    torch.manual_seed(3)
    return WordNet().fused()


SHAPES = [(64, 96), (8, 8), (40, 200), (64, 96), (128, 24)]


@torch.no_grad()
def test_pictures_of_mixed_sizes_are_seen_as_alone() -> None:
    crops = [standard(torch.rand(1, 1, *shape)) for shape in SHAPES]
    together, alone = mixed(net(), crops), mixed(net(), crops, together=0)
    for one, other in zip(together, alone, strict=True):
        for name in ("text", "letter", "word"):
            assert torch.allclose(getattr(one, name), getattr(other, name), atol=1e-5)
    high, wide = (max(side) for side in zip(*SHAPES, strict=True))
    filled = [scan._filled(crop, high, wide) for crop in crops]
    bare = net().features(torch.cat(filled))  # without the mask: so that the law above can fail
    assert not torch.allclose(bare.word[1, :1, :1], alone[1].word[0], atol=1e-4)


def test_groups_bound_their_pixels_and_lose_nobody() -> None:
    groups = list(scan._groups(SHAPES, 2 * 64 * 96))
    assert sorted(at for group in groups for at in group) == list(range(len(SHAPES)))
    assert all(
        len(group) == 1
        or len(group) * max(SHAPES[at][0] for at in group) * max(SHAPES[at][1] for at in group)
        <= 2 * 64 * 96
        for group in groups
    )
    assert len(groups) < len(SHAPES)


def test_a_batch_never_waits_for_the_device() -> None:
    """A meta tensor has no values: whoever asks for one, as a wait for a GPU would, fails."""
    far = WordNet().fused().to("meta")
    crops = [torch.rand(1, 1, *shape, device="meta") for shape in SHAPES]
    seen = mixed(far, crops)
    assert all(one.text.device.type == one.word.device.type == "meta" for one in seen)
    assert [tuple(one.text.shape[1:]) for one in seen] == [(h // 8, w // 8) for h, w in SHAPES]
    with pytest.raises((RuntimeError, NotImplementedError)):
        float(seen[0].text.sum())  # so that the law above can fail


# ---- pages ---------------------------------------------------------------------------------------


def scouted(**how) -> WordScout:
    return replace(load(), cache=page_cache(), **how)


@lru_cache
def page(seed: int = 0, high: int = 512, wide: int = 640) -> torch.Tensor:
    """Print in two places and much blank paper."""
    paper = Image.new("RGB", (wide, high), "white")
    pen = ImageDraw.Draw(paper)
    pen.text((30, 40), "Invoice number 4711", font=ImageFont.load_default(16), fill="black")
    pen.text(
        (wide - 260, high - 90 - seed), "Total amount due", font=ImageFont.load_default(22), fill=0
    )
    return torch.from_numpy(numpy.array(paper)).permute(2, 0, 1).contiguous()


@pytest.fixture
def small(monkeypatch) -> None:
    monkeypatch.setattr(scan, "SIZES", (832, 416))


def test_blank_paper_is_not_read_and_words_are_found_as_before(small) -> None:
    quick, plain = scouted(), scouted(device_scanner=WholeScanner(load().net, load().height))
    seen, all_seen = quick.read(page()), plain.read(page())
    assert float((seen["text-832"] > 0).float().mean()) < 0.3
    assert float((all_seen["text-832"] > 0).float().mean()) == 1
    asked = ["invoice", "number", "total", "amount", "zebra"]
    found, before = quick.match(seen, asked), plain.match(all_seen, asked)
    assert torch.allclose(found.amax((1, 2)), before.amax((1, 2)), atol=0.1)
    surely = before > 0.5
    assert surely[:4].any(2).any(1).all()
    assert (found[surely] > 0.3).float().mean() > 0.9


def test_pages_read_together_are_as_if_read_alone(small) -> None:
    pages = [page(), page(7), page(0, 300, 700), page()]
    for how in ({}, {"int8": None}):
        together = scouted(**how).read_all(pages)
        for one, image in zip(together, pages, strict=True):
            alone = scouted(**how).read(image)
            assert one.keys() == alone.keys()
            assert all(torch.equal(one[name], alone[name]) for name in one)


def test_another_device_reads_in_floats_and_answers_alike(small, monkeypatch) -> None:
    """A processor stands in for the device: what moves, and where to, is the same."""
    from homunculus.scouts.registry import DEVICE, _word_scout

    monkeypatch.setenv(DEVICE, "cpu")
    there = replace(_word_scout.__wrapped__(None), cache=page_cache())
    assert there.scanner.name == "float"
    assert there.device_scanner.net is not there.net
    plain, asked = scouted(int8=None), ["total", "zebra"]
    one, other = there.read(page()), plain.read(page())
    assert all(torch.equal(one[name], other[name]) for name in other)
    assert torch.equal(there.match(one, asked), plain.match(other, asked))


def test_a_page_without_a_mark_is_read_once(small, monkeypatch) -> None:
    calls = []
    see = Scanner._look
    monkeypatch.setattr(
        Scanner, "_look", lambda own, shown: calls.append(len(shown)) or see(own, shown)
    )
    blank = torch.full((3, 512, 400), 250, dtype=torch.uint8)
    assert len(scouted().read(blank)["embed"]) == 0
    assert calls == [1, 0]


# ---- whole numbers -------------------------------------------------------------------------------

whole_numbers = pytest.mark.skipif(not int8.available(), reason="this processor has no VNNI")


@whole_numbers
def test_whole_numbers_say_what_floats_say() -> None:
    scout = load()
    assert scout.int8 is not None
    assert scout.scanner.name == "int8"
    grey = page()[:1, :128, :320][None].contiguous()
    mean, spread = 240.0, 60.0
    quick = scout.int8.features(grey, mean, spread)
    exact = scout.net.features((grey.float() - mean) / spread)
    text = exact.text[0].sigmoid() > 0.5
    assert text.any()
    assert (quick.text.sigmoid() - exact.text.sigmoid()).abs().max() < 0.15
    embed = [
        scout.net.embed(scout.net.hide(word))
        for word in (quick.word.float() * scout.int8.word, exact.word)
    ]
    alike = torch.nn.functional.cosine_similarity(embed[0][0][text], embed[1][0][text], dim=-1)
    assert alike.min() > 0.98
    letter = quick.letter.float() * scout.int8.letter
    off = (letter - exact.letter)[0][text].abs().mean() / exact.letter[0][text].abs().mean()
    assert off < 0.15


@whole_numbers
def test_ranges_of_another_net_are_not_used(tmp_path) -> None:
    for name in (words.FILE, int8.FILE):
        shutil.copy(WEIGHTS / name, tmp_path)
    assert load(tmp_path).int8 is not None
    with (tmp_path / words.FILE).open("r+b") as file:
        file.seek(-2, 2)
        file.write(b"\0\0")
    assert load(tmp_path).int8 is None


def test_without_the_instructions_it_is_read_in_floats(monkeypatch) -> None:
    monkeypatch.setattr(int8, "available", lambda: False)
    assert load().scanner.name == "float"


def test_ranges_span_what_the_layers_of_a_net_show() -> None:
    pages = [torch.rand(1, 1, 64, 64) for _ in range(2)]
    top = ranges(net(), pages).top
    assert top.shape == (int8.LAYERS,)
    assert (top > 0).all()
    seen = torch.cat([net()(one).word.flatten() for one in pages])
    assert float(seen.quantile(0.99)) < float(top[-1]) <= float(seen.max()) + 1e-4


def test_memory_for_pages_is_set_by_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    from homunculus.scouts.registry import MEMORY, _page_cache

    monkeypatch.delenv(MEMORY, raising=False)
    page = {"text": torch.zeros(1 << 20)}  # 4 MB
    for megabytes, kept in (("", True), ("3", False)):
        monkeypatch.setenv(MEMORY, megabytes)
        cache = _page_cache()
        cache.put("page", page)
        assert ("page" in cache) == kept
    monkeypatch.setenv(MEMORY, "3 GB")
    with pytest.raises(ValueError, match=r"HOMUNCULUS_SCOUT_MEMORY must be a whole number"):
        _page_cache()
