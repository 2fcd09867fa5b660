"""How large print is: the shipped head on rendered words, and laws of the map."""

import shutil
from dataclasses import replace
from functools import lru_cache
from math import log2
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from homunculus.nets import Net
from homunculus.scouts import words
from homunculus.scouts.words import WEIGHTS, WordScout, load
from homunculus.scouts.words.cache import page_cache
from homunculus.scouts.words.height import SIZE_ERROR, merge_sizes, on_grid
from homunculus.scouts.words.scan import Scanner

HEIGHT = "height.onnx"
QUESTION = "What is the total amount?"
HIGH, WIDE = 320, 1024
LINES = ((16, 30), (32, 110), (64, 200))
"""Size of a font and top of its line, on a page of 320 x 1024."""
PHRASE = "Payment due: total quantity by July 1984 and Company goods"


@lru_cache
def page(larger: int = 1) -> NDArray[np.uint8]:
    """Three lines of print, each twice as large as the one before."""
    paper = Image.new("RGB", (WIDE, HIGH), "white")
    pen = ImageDraw.Draw(paper)
    for size, top in LINES:
        pen.text((20, top), PHRASE, font=ImageFont.load_default(size), fill="black")
    paper = paper.resize((larger * WIDE, larger * HIGH), Image.Resampling.BICUBIC)
    return np.ascontiguousarray(np.asarray(paper).transpose(2, 0, 1))


def line(size: int, top: int) -> tuple[int, int]:
    """First and last row of a line's letters, descenders and all."""
    box = ImageFont.load_default(size).getbbox("Hdgp")
    return top + round(box[1]), top + round(box[3])


@pytest.fixture(scope="module")
def scout() -> WordScout:
    return load()


def tall(scout: WordScout, image: NDArray[np.uint8]) -> list[float]:
    """What the scout tells of each line's height, in pixels of the image."""
    grid = (HIGH // 8, WIDE // 8)
    size = scout(image, QUESTION, grid).size
    assert size.shape == grid
    spans = [line(*one) for one in LINES]
    return [float(np.exp2(np.log2(size[a // 8 + 1 : b // 8, 4:60]).mean())) for a, b in spans]


# ---- the shipped head ----------------------------------------------------------------------------


def test_print_of_known_height_is_told_within_half_an_octave(scout) -> None:
    for told, one in zip(tall(scout, page()), LINES, strict=True):
        top, bottom = line(*one)
        assert abs(log2(told / (bottom - top))) < 0.5, (one, told, bottom - top)


def test_an_image_twice_as_large_has_print_twice_as_high(scout) -> None:
    for one, other in zip(tall(scout, page()), tall(scout, page(2)), strict=True):
        assert other / one == pytest.approx(2, rel=0.1)


def test_the_error_is_told_and_small(scout) -> None:
    assert scout(page(), QUESTION, (20, 64)).size_error == SIZE_ERROR < 0.5


def test_if_not_where_the_words_point_the_answer_stands_in_other_print(scout) -> None:
    weight = scout(page(), QUESTION, (20, 64)).elsewhere
    line, paper = weight[7:9, 2:30], weight[11, 2:30]  # rows of 16 px; the second line, below it
    assert float(line.mean()) > 5 * float(paper.mean()) > 0


def test_what_a_question_quotes_is_looked_for_on_any_picture(scout, monkeypatch) -> None:
    monkeypatch.setattr(words, "PAGE", 2.0)  # no picture has so much text
    asked = ('Where is the word "zebra"?', "Where is the zebra?")
    quoted, plain = (scout(page(), one, (20, 64)) for one in asked)
    assert (quoted.sure > 0, plain.sure) == (True, 0.0)
    assert quoted.sure < 0.1  # it is not there


def test_the_weights_are_small_and_name_their_net(scout) -> None:
    assert (WEIGHTS / "height.onnx").stat().st_size < 100_000
    assert scout.scanner.height is not None


def test_relevance_does_not_move_by_a_bit(scout) -> None:
    without = replace(
        scout, scanner=Scanner(scout.scanner.net), weights="without", cache=page_cache()
    )
    grid = (20, 64)
    one, other = scout(page(), QUESTION, grid), without(page(), QUESTION, grid)
    assert np.array_equal(one.logit, other.logit)
    assert (one.matches, one.text, one.sure) == (other.matches, other.text, other.sure)
    assert one.size is not None
    assert other.size is None
    seen, bare = scout.read(page()), without.read(page())
    assert set(seen) - set(bare) == {"octaves"}
    assert all(np.array_equal(seen[name], bare[name]) for name in bare)


def test_a_cached_page_tells_the_same(scout, monkeypatch) -> None:
    again = replace(scout, cache=page_cache())
    first = again(page(), QUESTION, (20, 64)).size
    monkeypatch.setattr(Scanner, "read", None)  # whoever reads again fails
    assert np.array_equal(first, again(page(), QUESTION, (20, 64)).size)
    assert again.read(page())["octaves"].dtype == np.float16


# ---- weights in a folder -------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path) -> Path:
    for name in (words.FILE, "match.onnx", HEIGHT):
        shutil.copy(WEIGHTS / name, tmp_path)
    return tmp_path


def test_without_its_file_no_height_is_told(folder) -> None:
    whole = load(folder)
    (folder / HEIGHT).unlink()
    bare = load(folder)
    assert bare.scanner.height is None
    assert bare.weights != whole.weights  # or pages kept by one would be found by the other
    assert bare(page()[:, :64], QUESTION, (4, 64)).size is None


def of_other_weights(file: Path) -> None:
    source = Net(file).about["source"]
    file.write_bytes(file.read_bytes().replace(source.encode(), b"0" * len(source)))


def test_nets_of_different_weights_are_refused(folder) -> None:
    of_other_weights(folder / words.FILE)
    with pytest.raises(ValueError, match=r"match\.onnx and .*words\.onnx were made of different"):
        load(folder)
    of_other_weights(folder / "match.onnx")
    with pytest.raises(ValueError, match=r"another word net.*homunculus train height"):
        load(folder)


def test_a_net_under_the_name_of_another_is_refused(folder) -> None:
    shutil.copy(WEIGHTS / "spread-blind.onnx", folder / "spread-full.onnx")
    with pytest.raises(ValueError, match=r"of homunculus \(spread-full\), it says .*spread-blind"):
        load(folder)(page(), QUESTION, (4, 64))


def test_what_is_no_net_of_ours_is_refused(folder) -> None:
    file = folder / words.FILE
    file.write_bytes(file.read_bytes().replace(b'"version": "2"', b'"version": "1"'))
    with pytest.raises(ValueError, match=r"no net of version 2 of homunculus.*homunculus train"):
        load(folder)
    file.write_bytes(b"no net")
    with pytest.raises(ValueError, match=r"cannot be opened as a net.*homunculus train"):
        load(folder)


# ---- the map -------------------------------------------------------------------------------------


def weighed(weight: NDArray[np.float32], octaves: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.stack((weight, weight * octaves))


def test_the_surer_size_is_believed() -> None:
    text = np.ones((8, 12), np.float32)
    sure, unsure = weighed(99 * text, 4 * text), weighed(text[::2, ::2], 6 * text[::2, ::2])
    told = merge_sizes([sure, unsure], text)
    assert np.allclose(told, (99 * 4 + 6) / 100, atol=1e-3)


def test_cells_without_text_take_the_height_of_their_neighbours() -> None:
    text = np.zeros((64, 64), np.float32)
    text[4:8, :20], text[50:60, 30:] = 1, 1
    octaves = np.repeat(np.where(np.arange(64) < 32, 3.0, 6.0)[:, None], 64, 1)
    octaves = octaves.astype(np.float32)
    told = merge_sizes([weighed(50 * text, octaves)], text)
    assert told[:11, :16] == pytest.approx(3, abs=0.01)
    assert told[46:, 40:] == pytest.approx(6, abs=0.01)
    assert told[30, 4] == pytest.approx(6, abs=1.6)  # far from both: between, and finite
    assert np.isfinite(told).all()


def test_a_page_without_text_has_a_map_all_the_same(scout) -> None:
    blank = np.full((3, 32, 512), 255, np.uint8)
    size = scout(blank, QUESTION, (2, 32)).size
    assert np.isfinite(size).all()
    assert (size > 0).all()


def test_on_a_coarser_grid_heights_are_means_of_text_and_not_the_largest() -> None:
    octaves = np.full((16, 16), 3.0, np.float32)
    octaves[:, 8:] = 7.0
    text = np.zeros((16, 16), np.float32)
    text[:, :8] = 1.0
    assert on_grid(octaves, text, (1, 1)).item() == pytest.approx(3, abs=0.02)
    assert on_grid(octaves, np.ones((16, 16), np.float32), (1, 1)).item() == pytest.approx(
        5, abs=0.02
    )
    assert np.allclose(on_grid(octaves, text, (16, 16)), octaves)
