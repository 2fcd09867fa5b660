"""The text layer of a PDF page: where its words stand, and when it is not believed."""

import numpy as np
import pytest
from PIL import Image

from homunculus.pages import Picture, open_picture, text_layer
from homunculus.pages.lines import Lines
from homunculus.pages.trust import doubt, ink
from pdfs import HIGH, LETTER, WIDE, letter, pdf, shown, stream


def tight(picture: Picture) -> list[float]:
    """How far each word's box is from the ink in it and around it, in pixels."""
    assert picture.lines is not None
    dark = picture.pixels.min(0) < 128
    far = list[float]()
    boxes = picture.lines.boxes.round().astype(int).tolist()
    for word, (x0, y0, x1, y1) in zip(picture.lines.words, boxes, strict=True):
        pad = 6
        part = dark[y0 - pad : y1 + pad, x0 - pad : x1 + pad]
        rows, cols = np.flatnonzero(part.any(1)), np.flatnonzero(part.any(0))
        found = np.array([cols[0] + x0 - pad, cols[-1] + 1 + x0 - pad])
        far += [*np.abs(found - (x0, x1))]
        far += [] if word == "-" else [abs(rows[-1] + 1 + y0 - pad - y1)]
    return far


def test_words_stand_where_they_are_printed() -> None:
    picture = open_picture(pdf(letter()))
    assert picture.lines is not None
    assert (picture.lines.source, picture.lines_note) == ("text layer", "")
    assert list(picture.lines.texts) == LETTER
    assert max(tight(picture)) <= 3
    assert picture.notes() == []


def test_words_are_in_pixels_of_the_page_as_it_is_held() -> None:
    whole, small = (open_picture(pdf(letter()), longest=longest) for longest in (4096, 1000))
    assert whole.lines
    assert small.lines
    scale = small.size[0] / whole.size[0]
    assert np.allclose(small.lines.boxes, whole.lines.boxes * scale, atol=1)


BACK = {0: "1 0 0 1", 90: "0 1 -1 0", 180: "-1 0 0 -1", 270: "0 -1 1 0"}
"""Turns text so that it is upright on a page that is turned by so much."""


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (50, 80, 590, 700)])
@pytest.mark.parametrize("inside", [False, True])
def test_words_are_right_on_turned_and_cropped_pages(rotate, crop, inside) -> None:
    lines = ["Total due 1,284.50", "Twelve crates"]
    step = {0: (0, -30), 90: (30, 0), 180: (0, 30), 270: (-30, 0)}[rotate]
    points = [(300 + row * step[0], 400 + row * step[1]) for row in range(2)]
    if inside:  # the whole drawing is turned, not the text alone
        content = "".join(
            f"q {BACK[rotate]} {x} {y} cm {shown(text, 0, 0)} Q "
            for text, (x, y) in zip(lines, points, strict=True)
        )
    else:
        content = "".join(
            shown(text, *place, turn=BACK[rotate])
            for text, place in zip(lines, points, strict=True)
        )
    file = pdf(content, (-20, -10, WIDE, HIGH), crop, rotate)
    picture = open_picture(file)
    assert picture.lines is not None, picture.lines_note
    assert list(picture.lines.texts) == lines
    assert max(tight(picture)) <= 3


def test_turned_words_are_left_out() -> None:
    aside = shown("Turned by a quarter", 40, 200, turn="0 1 -1 0")
    picture = open_picture(pdf(letter() + aside + shown("Slanted", 300, 80, turn=".8 .6 -.6 .8")))
    assert picture.lines is not None
    assert list(picture.lines.texts) == LETTER
    assert open_picture(pdf(letter(), rotate=90)).lines is None
    mirrored = "".join(shown(line, 500, 700 - 30 * row, turn="-1 0 0 1")
                       for row, line in enumerate(LETTER))  # fmt: skip
    assert open_picture(pdf(mirrored)).lines is None


def test_words_beside_the_page_are_left_out() -> None:
    beside = shown("Outside the paper", 40, 900) + shown("Cut away", -300, 300)
    picture = open_picture(pdf(letter() + beside, crop=(0, 560, WIDE, HIGH)))
    assert picture.lines is not None
    assert list(picture.lines.texts) == LETTER[:5]


def test_a_dash_stands_in_the_line_of_its_words() -> None:
    picture = open_picture(pdf(letter()))
    assert picture.lines is not None
    words, boxes = picture.lines.words, picture.lines.boxes
    high = boxes[:, 3] - boxes[:, 1]
    assert high[words.index("-")] > 0.8 * high[words.index("first")]


def test_cells_of_a_table_are_lines_of_their_own() -> None:
    rows = "".join(shown("Oranges", 72, y) + shown("12.50", 300, y) for y in range(100, 700, 20))
    picture = open_picture(pdf(rows))
    assert picture.lines is not None
    assert picture.lines.texts[:2] == ("Oranges", "12.50")


def scan(dx: float = 0, dy: float = 0, scale: float = 1, **options) -> bytes:
    """A scanned page with its OCR behind it, which may be off by some points or of another scale;
    some noise is on it."""
    pixels = open_picture(pdf(letter()), longest=1600).pixels[0].astype(int)
    noise = np.random.default_rng(0).normal(0, 8, pixels.shape)
    page = Image.fromarray((0.85 * pixels + 20 + noise).clip(0, 255).astype(np.uint8))
    content = f"q {WIDE} 0 0 {HIGH} 0 0 cm /I1 Do Q q {scale} 0 0 {scale} {dx} {dy} cm "
    return pdf(content + letter(mode=3) + " Q", image=page, **options)


def test_the_layer_of_a_scan_is_used() -> None:
    picture = open_picture(scan())
    assert picture.lines is not None, picture.lines_note
    assert list(picture.lines.texts) == LETTER


@pytest.mark.parametrize(
    "moved",
    [(0, 5), (0, 30), (0, -12), (60, 200), (-20, -5), (0, 0, 0.5), (0, 0, 0.9), (9, 9, 1.1)],
)
def test_a_layer_that_is_off_is_not_used(moved) -> None:
    picture = open_picture(scan(*moved))
    assert picture.lines is None
    assert picture.lines_note.startswith("The text layer was not used: ")
    assert "% of its words" in picture.lines_note
    assert picture.lines_note in picture.notes()


@pytest.mark.parametrize(
    "content", [letter(mode=3), "1 1 1 rg " + letter(), letter() * 0 + letter(mode=7)]
)
def test_hidden_text_is_not_used(content) -> None:
    picture = open_picture(pdf(content))
    assert picture.lines is None
    assert "stand where nothing is printed" in picture.lines_note


@pytest.mark.parametrize("colours", ["1 0 0 rg", "0.6 g", "0 0 0.4 rg 1 1 0 RG"])
def test_coloured_and_grey_print_is_printed(colours) -> None:
    assert open_picture(pdf(f"{colours} {letter()}")).lines is not None


def test_white_print_on_black_is_printed() -> None:
    page = f"0 g 0 0 {WIDE} {HIGH} re f 1 g {letter()}"
    assert open_picture(pdf(page)).lines is not None


def test_a_few_hidden_words_do_not_cost_the_layer() -> None:
    picture = open_picture(pdf(letter() + shown("ignore what is printed", 72, 100, mode=3)))
    assert picture.lines is not None


def letters_called(shift: int) -> bytes:
    """A page whose font names each letter by another one."""
    ranges = f"1 beginbfrange <21> <7E> <{0x21 + shift:04X}> endbfrange"
    codes = "1 begincodespacerange <00> <FF> endcodespacerange"
    cmap = f"/CIDInit /ProcSet findresource begin begincmap {codes} {ranges} endcmap end"
    return pdf(letter(), font="/ToUnicode 7 0 R", more=[stream(cmap)])


@pytest.mark.parametrize(
    ("shift", "reason"),
    [(0xE000, "letters have no meaning"), (-3, "do not make words"), (1, "do not make words"),
     (3, "do not make words")],
)  # fmt: skip
def test_text_with_wrong_letters_is_not_used(shift, reason) -> None:
    picture = open_picture(letters_called(shift))
    assert picture.lines is None
    assert reason in picture.lines_note


def test_other_letters_than_latin_ones_are_used() -> None:
    picture = open_picture(letters_called(0x0400))  # Cyrillic, or nonsense in it: who knows
    assert picture.lines is not None
    assert open_picture(letters_called(0)).lines is not None


NUMBERS = [f"{row}{row}7.50 {row * 37} 1{row}-{row}" for row in range(10, 40)]


def test_a_page_of_numbers_is_used() -> None:
    assert open_picture(pdf(letter(NUMBERS[:20]))).lines is not None


def test_a_page_without_text_has_no_layer_and_no_note() -> None:
    for content in ("", shown("   ", 72, 300), "0 g 72 300 100 100 re f"):
        picture = open_picture(pdf(content))
        assert (picture.lines, picture.lines_note, picture.notes()) == (None, "", [])


def test_a_huge_layer_is_cut() -> None:
    many = "".join(shown("word " * 20, 20, y / 4, size=3) for y in range(40, 3000, 2))
    picture = open_picture(pdf(many * 2))
    assert len(picture.lines or ()) <= 20_000
    assert open_picture(pdf(shown("a" * 1_000_000, 20, 300))).lines_note != "crashed"


def test_letters_beyond_the_bound_are_not_read(monkeypatch) -> None:
    monkeypatch.setattr(text_layer, "MAX_CHARACTERS", 34)
    picture = open_picture(pdf(letter()))
    assert picture.lines is not None
    assert list(picture.lines.texts) == LETTER[:1]


def test_a_page_of_too_many_parts_is_drawn_without_its_text(monkeypatch) -> None:
    monkeypatch.setattr(text_layer, "MAX_OBJECTS", 5)
    picture = open_picture(pdf(letter()))
    assert picture.lines is None
    assert picture.lines_note == "The text layer was not used: it has too many parts."
    assert picture.pixels.min() < 100


def test_a_layer_that_cannot_be_read_costs_the_words_alone(monkeypatch) -> None:
    def broken(*_: object) -> list[object]:
        raise OSError("secret")

    monkeypatch.setattr(text_layer, "read_text_layer", broken)
    picture = open_picture(pdf(letter()))
    assert picture.lines_note == "The text layer was not used: it could not be read."
    assert picture.pixels.min() < 100


def test_boxes_beyond_the_picture_hold_no_ink() -> None:
    pixels = np.zeros((3, 20, 20), np.uint8)
    assert ink(pixels, np.array((30.0, 30.0, 40.0, 40.0))) == (0.0, 0.0)
    assert "nothing is printed" in doubt(
        Lines.of([("word", (30.0, 30.0, 40.0, 40.0))], "t"), pixels
    )
