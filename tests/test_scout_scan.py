"""Reading pages: boxes around print, sheets of them, and nets of 8 bits."""

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from homunculus.nets import Net
from homunculus.scouts.words import WordScout, load, scan
from homunculus.scouts.words.scan import Scanner, cut, pack
from homunculus.shapes import Bool, UInt8

# ---- boxes and sheets ----------------------------------------------------------------------------


@st.composite
def masks(draw) -> Bool[np.ndarray, "r c"]:
    """Pages with a few blocks of print."""
    high, wide = draw(st.integers(1, 60)), draw(st.integers(1, 60))
    mask = np.zeros((high, wide), bool)
    for _ in range(draw(st.integers(0, 6))):
        y, x = draw(st.integers(0, high - 1)), draw(st.integers(0, wide - 1))
        mask[y : y + draw(st.integers(1, 9)), x : x + draw(st.integers(1, 30))] = True
    return mask


@given(masks())
def test_boxes_hold_every_marked_cell_once(mask) -> None:
    held = np.zeros(mask.shape)
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
    taken = np.zeros((high + 1, wide + 1))
    for (y0, x0, y1, x1), (y, x) in zip(boxes, corners, strict=True):
        assert y + y1 - y0 <= high
        assert x + x1 - x0 <= wide
        taken[y : y + y1 - y0 + 1, x : x + x1 - x0 + 1] += 1
    assert taken.max() <= 1
    assert high % 4 == wide % 4 == 0  # few sizes, so that most were met before
    assert high * wide <= -(-grid[0] // 4) * -(-grid[1] // 4) * 16  # never more than the page


# ---- pages ---------------------------------------------------------------------------------------


@lru_cache
def page(seed: int = 0, high: int = 512, wide: int = 640) -> UInt8[np.ndarray, "3 h w"]:
    """Print in two places and much blank paper."""
    paper = Image.new("RGB", (wide, high), "white")
    pen = ImageDraw.Draw(paper)
    pen.text((30, 40), "Invoice number 4711", font=ImageFont.load_default(16), fill="black")
    pen.text(
        (wide - 260, high - 90 - seed), "Total amount due", font=ImageFont.load_default(22), fill=0
    )
    return np.ascontiguousarray(np.asarray(paper).transpose(2, 0, 1))


@pytest.fixture
def small(monkeypatch) -> None:
    monkeypatch.setattr(scan, "SIZES", (832, 416))


class Watched(Net):
    """The shipped net; it notes the sheets that it is shown."""

    def __init__(self, precision: str) -> None:
        super().__init__(load(precision=precision).scanner.net.path)
        self.sheets = list[tuple[int, ...]]()

    def __call__(self, **inputs: Any) -> dict[str, Any]:
        self.sheets.append(np.asarray(inputs["grey"]).shape[-2:])
        return super().__call__(**inputs)


def scouted(net: Net, height: Net | None = None) -> WordScout:
    shipped = load()
    return WordScout(Scanner(net, height), shipped.matcher, {}, "w", shipped.cache)


def test_blank_paper_is_not_read_and_words_are_found_as_before(small, monkeypatch) -> None:
    net = Watched("float")
    scout = scouted(net)
    seen = scout.scanner.read(page())
    monkeypatch.setattr(scan, "cut", lambda mask: [(0, 0, *mask.shape)])
    all_seen = scout.scanner.read(page())
    areas = [high * wide for high, wide in net.sheets]
    assert areas[0] == areas[2]  # the smallest size is read as a whole
    assert areas[1] < 0.3 * areas[3]
    asked = ["invoice", "number", "total", "amount", "zebra"]
    found, before = scout.match(seen, asked), scout.match(all_seen, asked)
    assert np.allclose(found.max((1, 2)), before.max((1, 2)), atol=0.1)
    surely = before > 0.5
    assert surely[:4].any((1, 2)).all()
    assert (found[surely] > 0.3).mean() > 0.9


def test_a_page_without_a_mark_is_read_once(small) -> None:
    net = Watched("float")
    features = scouted(net).scanner.read(np.full((3, 512, 400), 250, np.uint8))
    assert len(features["embed"]) == 0
    assert len(net.sheets) == 1


# ---- whole numbers -------------------------------------------------------------------------------


def test_whole_numbers_say_what_floats_say(small) -> None:
    asked = ["invoice", "number", "total", "amount", "zebra"]
    quick, exact = (load(precision=precision) for precision in ("int8", "float"))
    assert quick.weights != exact.weights
    found, said = (scout.match(scout.read(page()), asked) for scout in (quick, exact))
    surely = said > 0.5
    assert surely.any()
    assert not np.array_equal(found, said)
    assert abs(found.max((1, 2)) - said.max((1, 2))).max() < 0.1
    assert (found[surely] > 0.3).mean() > 0.9
    text = [scout.read(page())["text"].astype(np.float32) for scout in (quick, exact)]
    assert abs(text[0] - text[1]).mean() < 0.01


def test_the_processor_reads_in_whole_numbers_and_other_devices_in_floats(monkeypatch) -> None:
    assert load().scanner.net.path.name == "words-int8.onnx"
    monkeypatch.setattr("homunculus.scouts.words.on_cpu", lambda: False)
    assert load().scanner.net.path.name == "words.onnx"


def test_memory_for_pages_is_set_by_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    from homunculus.scouts.registry import MEMORY, _page_cache

    monkeypatch.delenv(MEMORY, raising=False)
    page = {"text": np.zeros(1 << 20, np.float32)}  # 4 MB
    for megabytes, kept in (("", True), ("3", False)):
        monkeypatch.setenv(MEMORY, megabytes)
        cache = _page_cache()
        cache.put("page", page)
        assert ("page" in cache) == kept
    monkeypatch.setenv(MEMORY, "3 GB")
    with pytest.raises(ValueError, match=r"HOMUNCULUS_SCOUT_MEMORY must be a whole number"):
        _page_cache()
