"""Where the pages of a document come from: files, folders, lists, scans, and what is broken."""

from functools import cache
from io import BytesIO, RawIOBase
from typing import Any

import numpy as np
import pytest
from PIL import Image

import homunculus
from homunculus import DocumentViews, HomunculusError, Views
from homunculus.pages import ocr, open_picture
from homunculus.pages.store import FILE
from homunculus.pages.text_layer import SOURCE
from pdfs import HIGH, LETTER, WIDE, letter, pdf, pdf_of_pages

FRUITS = ("quince", "papaya", "mango", "tangerine")
QUESTION = "Which crates hold papaya?"


def text(page: int) -> list[str]:
    return [*LETTER[:3], f"The {FRUITS[page - 1]} is kept in crate {page}{page}", *LETTER[3:]]


def likeliest(seen: Any) -> int:
    """Of the pages that are shown."""
    return max(seen.pages, key=lambda page: page.probability).number


@cache
def data(pages: int = 3) -> bytes:
    return pdf_of_pages([letter(text(page)) for page in range(1, pages + 1)])


@cache
def scan(page: int) -> Image.Image:
    """A page that has no words of its own."""
    return open_picture(pdf(letter(text(page), size=20)), longest=1000).image()


class Pipe(RawIOBase):
    """An open file that can be read once."""

    def __init__(self, content: bytes) -> None:
        self.content = BytesIO(content)

    def readable(self) -> bool:
        """As pipes are."""
        return True

    def seekable(self) -> bool:
        """As pipes are not."""
        return False

    def readinto(self, buffer: Any) -> int:
        """Some bytes."""
        return self.content.readinto(buffer)


def png(size: tuple[int, int]) -> bytes:
    out = BytesIO()
    Image.new("RGB", size, "white").save(out, "png")
    return out.getvalue()


# ---- sources -------------------------------------------------------------------------------------


def test_a_pdf_is_bytes_a_path_or_an_open_file(tmp_path) -> None:
    path = tmp_path / "crates.pdf"
    path.write_bytes(data())
    expected = homunculus.views(data(), QUESTION, tokens=64)
    assert isinstance(expected, DocumentViews)
    assert likeliest(expected) == 2
    with path.open("rb") as file:
        for source in (str(path), file, Pipe(data())):
            seen = homunculus.views(source, QUESTION, tokens=64)
            assert isinstance(seen, DocumentViews)
            assert seen.views == expected.views
    for source in (path, bytearray(data()), BytesIO(data()), Pipe(data())):
        opened = homunculus.open(source)
        assert len(opened) == 3
        assert opened.rank(QUESTION).best(1) == [2]
    assert homunculus.open(path).name == "crates.pdf"
    path.unlink()


def test_an_open_document_stays_what_it_was(tmp_path) -> None:
    path = tmp_path / "crates.pdf"
    path.write_bytes(data())
    document = homunculus.open(path)
    path.write_bytes(b"gone")
    assert likeliest(document.views(QUESTION, 64)) == 2


def test_a_file_that_can_be_read_once_may_be_a_picture_or_one_page() -> None:
    for content in (data(1), png((90, 60))):
        assert isinstance(homunculus.views(Pipe(content), tokens=64, scout="none"), Views)


def test_a_tiff_of_several_pages_is_a_document_by_its_path(tmp_path) -> None:
    path = tmp_path / "scan.tif"
    sizes = [(90, 60), (80, 70), (70, 80)]
    first, *others = [Image.new("L", size, 255) for size in sizes]
    first.save(path, save_all=True, append_images=others)
    document = homunculus.open(path)
    assert [document.picture(page).image().size for page in (1, 2, 3)] == sizes
    assert [document.picture(page).page for page in (1, 2, 3)] == [1, 2, 3]
    seen = homunculus.views(path, tokens=64, scout="none")
    assert isinstance(seen, DocumentViews)
    assert len(seen.document) == 3
    first.save(path)
    assert isinstance(homunculus.views(path, tokens=64, scout="none"), Views)


def test_pages_of_a_folder_are_in_natural_order(tmp_path) -> None:
    for page in (10, 9, 1, 100):
        Image.new("RGB", (50 + page, 60), "white").save(tmp_path / f"page{page}.png")
    (tmp_path / "notes.txt").write_text("no page")
    (tmp_path / "page20.pdf").write_bytes(data(2))
    document = homunculus.open(tmp_path)
    wide = [document.picture_size(page)[1] for page in range(1, len(document) + 1)]
    assert wide == [51, 59, 60, 1700, 1700, 150]
    assert document.name == tmp_path.name
    words = document.lines(5)
    assert words is not None
    assert "papaya" in words.words
    assert document.picture(5).page == 5
    assert isinstance(homunculus.views(tmp_path, tokens=64, scout="none"), DocumentViews)


def test_pictures_of_a_list_are_pages_in_its_order(tmp_path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(png((80, 60)))
    array = np.full((40, 70, 3), 255, np.uint8)
    document = homunculus.open([Image.new("RGB", (90, 60)), path, array, data(2), png((60, 60))])
    wide = [document.picture_size(page)[1] for page in range(1, len(document) + 1)]
    assert wide == [90, 80, 70, 1700, 1700, 60]
    assert isinstance(homunculus.views([array], tokens=64, scout="none"), DocumentViews)


def test_a_single_picture_is_a_document_of_one_page() -> None:
    document = homunculus.open(Image.new("RGB", (90, 60), "white"))
    assert len(document) == 1
    seen = document.views("", 64)
    assert [view.size for view in seen] == [(60, 90)]
    assert document.picture(1).image().size == (90, 60)


@pytest.mark.parametrize("source", [[], [[]], [b""], [None], 3, None, "nowhere.pdf", b"GIF89a"])
def test_what_is_no_document_is_refused(source) -> None:
    for call in (homunculus.open, homunculus.views):
        with pytest.raises(HomunculusError):
            call(source)


def test_a_folder_without_pages_is_refused(tmp_path) -> None:
    (tmp_path / "notes.txt").touch()
    for call in (homunculus.open, homunculus.views):
        with pytest.raises(HomunculusError, match="a folder without pages"):
            call(tmp_path)


# ---- pages without a text layer ------------------------------------------------------------------


def test_pages_without_words_are_found_by_the_word_scout() -> None:
    document = homunculus.open([scan(page) for page in (1, 2, 3)])
    assert document.lines(2) is None
    seen = document.views(QUESTION, 100)
    assert document.rank(QUESTION).best(1) == [2]
    assert likeliest(seen) == 2
    assert seen.basis == "found"


def of_ocr(calls: list[tuple[int, ...]]) -> Any:
    """An OCR that finds a word of its own on each page, and counts."""

    def function(pixels: np.ndarray) -> list[Any]:
        calls.append(pixels.shape)
        return [(f"{FRUITS[pixels.shape[2] % 4]} crate", (10, 10, 90, 30))]

    return function


def test_a_function_reads_each_page_once_and_nothing_of_it_is_kept(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOMUNCULUS_CACHE", str(tmp_path))
    source = [Image.new("RGB", (300 + page, 200), "white") for page in range(4)]
    calls = list[tuple[int, ...]]()
    document = homunculus.open([*source, data(2)], ocr=of_ocr(calls))
    assert likeliest(document.views("Where is the papaya?", 64)) in (2, 6)
    assert likeliest(document.views("Where is the mango?", 64)) == 3
    assert document.rank("Where is the mango?").best(1) == [3]
    assert len(calls) == 4  # those of the PDF have words
    assert not (tmp_path / FILE).exists()  # another function may have the same name


def test_what_an_engine_read_is_kept_on_disk(tmp_path, monkeypatch, engine) -> None:
    monkeypatch.setenv("HOMUNCULUS_CACHE", str(tmp_path))
    source = [Image.new("RGB", (310 + page, 210), "white") for page in range(3)]
    first = homunculus.open(source, ocr="rapidocr").read()
    assert (tmp_path / FILE).exists()
    assert len(engine) == 3
    ocr._KNOWN.clear()  # what is kept in memory
    again = homunculus.open(source, ocr="rapidocr").read()
    assert again.lines(2).words == first.lines(2).words
    assert len(engine) == 3
    homunculus.open(source, ocr="rapidocr", keep=False).read()
    assert len(engine) == 6


def test_nothing_is_kept_unless_it_is_wanted(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HOMUNCULUS_CACHE", str(tmp_path / "store"))
    homunculus.open(data(), keep=False).views(QUESTION, 64)
    assert not (tmp_path / "store").exists()
    kept = homunculus.open(data()).views(QUESTION, 64)
    assert (tmp_path / "store" / FILE).exists()
    assert homunculus.open(data()).views(QUESTION, 64).views == kept.views


def test_an_ocr_that_fails_costs_the_words_of_its_page(tmp_path) -> None:
    def broken(pixels: np.ndarray) -> list[Any]:
        raise OSError("secret")

    document = homunculus.open([Image.new("RGB", (90, 60))] * 2, ocr=broken)
    assert document.lines(1) is None
    note = document.picture(1).lines_note
    assert note == "The OCR broken failed: OSError."


def test_a_text_layer_that_is_not_on_the_print_is_not_used() -> None:
    hidden = letter(["The papaya is kept in crate 99", *LETTER], mode=3)
    page = f"q {WIDE} 0 0 {HIGH} 0 0 cm /I1 Do Q " + hidden
    contents = [letter(text(1)), page, letter(text(3))]
    document = homunculus.open(pdf_of_pages(contents, [None, scan(4)]))
    assert document.picture(2).lines_note == ""
    seen = document.views("Where is the papaya kept?", 100)
    assert 2 in [each.number for each in seen.pages]
    picture = document.picture(2)
    assert picture.lines is None
    assert picture.lines_note.startswith("The text layer was not used: ")
    assert document.lines(2) is None
    (shown,) = [each for each in seen.pages if each.number == 2]
    assert SOURCE not in shown.views.sight.origin
    assert document.lines(1) is not None
    again = document.views("Where is the papaya kept?", 100)
    assert again.views == seen.views


# ---- broken files --------------------------------------------------------------------------------


def survives(content: bytes) -> bool:
    """Whether there are results; any error but ours is one of this test."""
    try:
        homunculus.views(content, QUESTION, tokens=32).images()
    except HomunculusError:
        return False
    return True


def test_a_pdf_that_was_cut_is_read_or_refused() -> None:
    whole = data()
    ends = [survives(whole[: len(whole) * part // 20]) for part in range(20)]
    assert survives(whole)
    assert not ends[0]


def test_a_pdf_with_wrong_bytes_is_read_or_refused() -> None:
    lot = np.random.default_rng(0)
    for _ in range(3):
        bad = bytearray(data())
        for at in lot.integers(9, len(bad), 30).tolist():
            bad[at] = int(lot.integers(256))
        survives(bytes(bad))
    assert not survives(b"%PDF-1.7\n" + lot.bytes(3000))


def test_a_pdf_without_pages_is_refused() -> None:
    assert not survives(pdf_of_pages([]))


def test_pages_that_are_too_large_are_refused_or_reduced() -> None:
    media = b"/MediaBox [0 0 612 792]"
    for box in (b"/MediaBox [0 0 9 99999]", b"/MediaBox [0 0 0 792]", b"/MediaBox [0 0 1e9 9]"):
        survives(data().replace(media, box, 1))
