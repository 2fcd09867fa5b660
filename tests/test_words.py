"""Words that callers bring: their own pairs, and files of OCR from elsewhere."""

import json
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from PIL import Image

import homunculus
from homunculus import Lines, WordsError, read_words
from homunculus.pages import Picture, open_picture, words
from pdfs import letter, pdf

TOTAL = ("Total", (100.0, 50.0, 180.0, 70.0))
DUE = ("due", (190.0, 50.0, 240.0, 70.0))
WANTED = [TOTAL, DUE]


def alto(unit: str = "pixel", pages: int = 1, scale: float = 1) -> str:
    strings = "".join(
        f'<String ID="s" CONTENT="{text}" HPOS="{x0 * scale}" VPOS="{y0 * scale}" '
        f'WIDTH="{(x1 - x0) * scale}" HEIGHT="{(y1 - y0) * scale}" WC="0.9"/><SP/>'
        for text, (x0, y0, x1, y1) in WANTED
    )
    page = f'<Page WIDTH="{1000 * scale}" HEIGHT="{500 * scale}"><PrintSpace><TextLine>{strings}'
    page += "</TextLine></PrintSpace></Page>"
    empty = '<Page WIDTH="10" HEIGHT="10"></Page>' * (pages - 1)
    return (
        '<?xml version="1.0"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Description>'
        f"<MeasurementUnit>{unit}</MeasurementUnit></Description><Layout>{empty}{page}</Layout>"
        "</alto>"
    )


HOCR = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1">
<html><head><meta name="ocr-system" content="tesseract 5"><!-- <span class='ocrx_word'> --></head>
<body><div class='ocr_page' title='image "C:\\a > b.png"; bbox 0 0 1000 500; ppageno 0'>
<span class='ocr_line' title="bbox 100 50 240 70; baseline 0 0">
<span class='ocrx_word' id='w1' title='bbox 100 50 180 70; x_wconf 95'><b>Tot<i>al</i></b></span>
<span class='ocrx_word' title='bbox 190 50 240 70; x_wconf 95'>due</span>
<span class='ocrx_word' title='x_wconf 3'>lost</span></span></div></body></html>"""

CORNERS = [
    [{"x": x0, "y": y0}, {"x": x1, "y": y0}, {"x": x1, "y": y1}, {"x": x0, "y": y1}]
    for _, (x0, y0, x1, y1) in WANTED
]
NUMBERS = [[number for corner in corners for number in corner.values()] for corners in CORNERS]
TEXTS = [text for text, _ in WANTED]


def google(normal: bool = False, size: bool = True) -> dict[str, object]:
    def around(corners: list[dict[str, float]]) -> dict[str, object]:
        parts = [{"x": each["x"] / 1000, "y": each["y"] / 500} for each in corners]
        return {"normalizedVertices": parts} if normal else {"vertices": corners}

    found = [
        {"boundingBox": around(corners), "symbols": [{"text": letter} for letter in text]}
        for text, corners in zip(TEXTS, CORNERS, strict=True)
    ]
    about = {"width": 1000, "height": 500} if size else {}
    return {"pages": [about | {"blocks": [{"paragraphs": [{"words": found}]}]}]}


def plain_google() -> list[dict[str, object]]:
    pairs = [("Total due", CORNERS[0]), *zip(TEXTS, CORNERS, strict=True)]
    return [{"description": text, "boundingPoly": {"vertices": box}} for text, box in pairs]


def azure(name: str, key: str, box: str, boxes: list[object], **about: object) -> dict[str, object]:
    found = [{key: text, box: value} for text, value in zip(TEXTS, boxes, strict=True)]
    page = {"width": 1000, "height": 500, "unit": "pixel", **about}
    page |= {"lines": [{"words": found}]} if name == "readResults" else {"words": found}
    return {"analyzeResult": {name: [page]}}


FORMS = {
    "alto": alto(),
    "hocr": HOCR,
    "google": json.dumps({"responses": [{"fullTextAnnotation": google()}]}),
    "google pages": json.dumps({"fullTextAnnotation": google()}),
    "google words": json.dumps([{"textAnnotations": plain_google()}]),
    "azure read": json.dumps(azure("readResults", "text", "boundingBox", NUMBERS)),
    "azure documents": json.dumps(azure("pages", "content", "polygon", NUMBERS)),
    "azure pictures": json.dumps({
        "metadata": {"width": 1000, "height": 500},
        "readResult": {"blocks": [{"lines": [{"words": [
            {"text": text, "boundingPolygon": box}
            for text, box in zip(TEXTS, CORNERS, strict=True)
        ]}]}]},
    }),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_words_of_other_programs_are_read(form) -> None:
    data = FORMS[form].encode()
    assert read_words(data) == WANTED
    assert read_words(BytesIO(data)) == WANTED
    double = [(text, tuple(2 * side for side in box)) for text, box in WANTED]
    if form != "google words":  # it does not say how large the picture was
        assert read_words(data, size=(1000, 2000)) == double
    with pytest.raises(WordsError, match="words: no page 2: the file has 1 page, counted from 1"):
        read_words(data, page=2)


def test_words_are_read_from_a_path_and_from_parsed_json(tmp_path) -> None:
    path = tmp_path / "page.hocr"
    path.write_bytes(b"\xef\xbb\xbf" + HOCR.encode())
    assert read_words(path) == read_words(str(path)) == WANTED
    path.write_bytes(alto().encode("utf-16"))
    assert read_words(path) == WANTED
    assert read_words(json.loads(FORMS["google"])) == WANTED
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_words(tmp_path / "none.xml")


@pytest.mark.parametrize(("unit", "scale"), [("mm10", 254 / 200), ("inch1200", 6), ("pixel", 1)])
def test_units_of_alto_become_pixels_at_200_dots_an_inch(unit, scale) -> None:
    found = read_words(alto(unit, scale=scale).encode())
    assert [text for text, _ in found] == TEXTS
    boxes = [box for _, box in found]
    assert np.allclose(boxes, [box for _, box in WANTED])
    assert np.allclose([box for _, box in read_words(alto(unit, scale=scale).encode(),
                                                     size=(500, 1000))], boxes)  # fmt: skip


def test_a_page_of_several_is_chosen() -> None:
    assert read_words(alto(pages=3).encode(), page=3) == WANTED
    assert read_words(alto(pages=3).encode(), page=1) == []
    two = HOCR.replace("<body>", "<body><div class='ocr_page' title='bbox 0 0 9 9'></div>")
    assert read_words(two.encode(), page=2) == WANTED
    several = [{"fullTextAnnotation": {"pages": []}}, {"fullTextAnnotation": google()}]
    assert read_words({"responses": several}, page=2) == WANTED


def test_lines_of_hocr_are_used_where_it_has_no_words() -> None:
    line = "<div class='ocr_page'><span class='ocr_line' title='bbox 1 2 30 9'>A &amp;&#10;b</span>"
    assert read_words(line.encode()) == [("A & b", (1.0, 2.0, 30.0, 9.0))]


def test_inches_of_azure_become_pixels_at_200_dots_an_inch() -> None:
    inches = [[number / 200 for number in box] for box in NUMBERS]
    form = azure("pages", "content", "polygon", inches, unit="inch", width=5, height=2.5)
    found = read_words(form)
    assert np.allclose([box for _, box in found], [box for _, box in WANTED])


def test_parts_of_a_page_need_its_size() -> None:
    blocks = [{"BlockType": "PAGE", "Page": 1}, {"BlockType": "LINE", "Text": "Total due"}] + [
        {"BlockType": "WORD", "Text": text, "Page": 1, "Geometry": {"BoundingBox": {
            "Left": x0 / 1000, "Top": y0 / 500, "Width": (x1 - x0) / 1000,
            "Height": (y1 - y0) / 500}}}
        for text, (x0, y0, x1, y1) in WANTED
    ]  # fmt: skip
    for form in ({"Blocks": blocks}, {"fullTextAnnotation": google(normal=True, size=False)}):
        found = read_words(form, size=(500, 1000))
        assert np.allclose([box for _, box in found], [box for _, box in WANTED])
        with pytest.raises(WordsError, match=r"its size in pixels is not known. Give size="):
            read_words(form)
    with pytest.raises(WordsError, match="no page 2"):
        read_words({"Blocks": blocks}, page=2, size=(500, 1000))
    points = read_words({"fullTextAnnotation": google(normal=True)})
    assert np.allclose(points[0][1], [side * 200 / 72 for side in TOTAL[1]])


def docling(**changes: object) -> dict[str, object]:
    box = {"l": 72, "t": 720, "r": 144, "b": 700, "coord_origin": "BOTTOMLEFT"}
    cell = {"l": 72, "t": 300, "r": 108, "b": 312, "coord_origin": "TOPLEFT"}
    return {
        "schema_name": "DoclingDocument",
        "pages": {"1": {"size": {"width": 612.0, "height": 792.0}, "page_no": 1}},
        "texts": [{"text": "Invoice", "prov": [{"page_no": 1, "bbox": box}]}],
        "tables": [{"prov": [{"page_no": 1}], "data": {"table_cells": [
            {"text": "12.50", "bbox": cell}, {"text": "none"}]}}],
    } | changes  # fmt: skip


def test_docling_counts_from_the_bottom_in_points() -> None:
    found = read_words(docling())
    assert [text for text, _ in found] == ["Invoice", "12.50"]
    assert np.allclose(found[0][1], (200, 200, 400, 200 * 92 / 72))
    assert np.allclose(found[1][1], (200, 300 / 0.36, 300, 312 / 0.36))
    half = read_words(docling(), size=(1100, 850))
    assert np.allclose(half[0][1], np.array(found[0][1]) / 2)
    with pytest.raises(WordsError, match="no page 2"):
        read_words(docling(), page=2)
    with pytest.raises(WordsError, match="Save it with its `pages`"):
        read_words(docling(pages={}))


def test_a_paragraph_of_docling_is_cut_into_lines() -> None:
    text = " ".join(["Twelve crates of oranges"] * 8)
    box = {"l": 72, "t": 100, "r": 372, "b": 160, "coord_origin": "TOPLEFT"}
    found = read_words(docling(texts=[{"text": text, "prov": [{"page_no": 1, "bbox": box}]}]))[:-1]
    assert "".join(part for part, _ in found).split() == text.split()
    assert 3 <= len(found) <= 6
    assert Lines.of(found, "docling").count == len(found)


# ---- what strangers may send ---------------------------------------------------------------------


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE alto [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY b{n} "{f"&b{n - 1};" * 10}">' for n in range(1, 10))
    + ']><alto><Page><String CONTENT="&b9;" HPOS="1" VPOS="1" WIDTH="9" HEIGHT="9"/></Page></alto>'
)


def test_entities_are_not_expanded() -> None:
    (word,) = read_words(LAUGHS.encode())
    assert len(word[0]) < 10
    outside = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + alto().replace(
        "due", "&x;"
    )
    assert read_words(outside.encode())[1][0] == "&x;"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "got a file of another kind"),
        (b"%PDF-1.7", "got a file of another kind"),
        (b"<html><body>Total</body></html>", "got other XML or HTML"),
        (b"<alto></alto>", "no page 1: the file has no page"),
        (b"<" * 500_000, "got other XML or HTML"),
        (b'<alto' + b'<x "' * 50_000, "the file has no page"),
        (b'<alto ' + b"'\"" * 500_000, "the file has no page"),
        (b"<alto " + b"a" * 500_000 + b"><!-- " * 50_000, "the file has no page"),
        (b"{", "got broken JSON"),
        (b"[" * 200_000, "got broken JSON"),
        (b"[]", "no page 1"),
        (b'{"Blocks": 3}', "JSON that is not whole"),
        (b'{"texts": [{"prov": [{}]}]}', "JSON that is not whole"),
        (b'{"analyzeResult": {"pages": [{"words": [{"text": "a"}]}]}}', "JSON that is not whole"),
        (b'{"analyzeResult": []}', "JSON that is not whole"),
        (b'{"other": 1}', "got other JSON"),
        (b"\xff\xfe\xff", "got a file of another kind"),
    ],
)  # fmt: skip
def test_what_is_no_file_of_words_is_refused(content, reason) -> None:
    with pytest.raises(WordsError, match=reason):
        read_words(content, size=(100, 100))


def test_other_sources_are_refused(monkeypatch) -> None:
    with pytest.raises(WordsError, match="expected a path, bytes, an open file or a dict, got int"):
        read_words(3)
    with pytest.raises(ValueError, match="words: page must be 1 or more"):
        read_words(alto().encode(), page=0)
    monkeypatch.setattr(words, "BYTES", 100)
    with pytest.raises(WordsError, match="expected at most 0 MiB, got more"):
        read_words(alto().encode())


def test_words_of_a_file_are_bounded(monkeypatch) -> None:
    monkeypatch.setattr(words, "MAX_ITEMS", 1)
    assert read_words(alto().encode()) == WANTED[:1]


@given(some.text(alphabet="<>\"'!-/= spanclasocrx_wd&;alto", max_size=200))
def test_no_xml_raises_anything_else(text) -> None:
    try:
        found = read_words(f"<alto><page>{text}".encode())
    except WordsError:
        return
    assert all(len(box) == 4 for _, box in found)


# ---- words of a picture --------------------------------------------------------------------------


def page(high: int = 500, wide: int = 1000) -> Image.Image:
    return Image.new("RGB", (wide, high), "white")


def test_words_are_scaled_to_the_picture_as_held() -> None:
    picture = open_picture(page(), longest=500, words=WANTED)
    assert picture.lines is not None
    assert (picture.lines.source, picture.lines.texts) == ("given", ("Total due",))
    assert picture.lines.boxes.tolist() == [[50, 25, 90, 35], [95, 25, 120, 35]]
    lines = Lines.of(WANTED, "mine")
    held = open_picture(page(), longest=500, words=lines).lines
    assert held is not None
    assert (held.source, held.boxes.tolist()) == ("mine", picture.lines.boxes.tolist())


def test_words_take_the_place_of_a_text_layer() -> None:
    picture = open_picture(pdf(letter()), words=WANTED)
    assert picture.lines is not None
    assert picture.lines.words == ("Total", "due")
    assert open_picture(pdf(letter(mode=3)), words=WANTED).lines_note == ""


def test_the_words_of_a_picture_reach_its_views() -> None:
    seen = homunculus.views(page(), "Total?", tokens=16, scout=np.eye(4), words=WANTED)
    assert seen.picture.lines is not None
    assert seen.picture.lines.words == ("Total", "due")
    opened = Picture(np.zeros((3, 500, 1000), np.uint8), "a", (500, 1000))
    planner = homunculus.Planner(opened, "Total?", scout=np.eye(4), words=iter(WANTED))
    assert planner.picture.lines is not None
    assert opened.lines is None


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("Total", "expected Lines or pairs .* got str"),
        (3, "expected Lines or pairs .* got int"),
        ({"Total": (1, 2, 3, 4)}, "expected Lines or pairs .* got dict"),
        ([("Total",)], "expected pairs"),
        ([("Total", (1, 2, 3))], "expected pairs"),
        ([("Total", None)], "expected pairs"),
        ([(b"Total", (1, 2, 3, 4))], "expected pairs"),
        ([("Total", ("a", 2, 3, 4))], "expected pairs"),
        ([("Total", (1000, 2000, 1200, 2100))], "1000x500, got 100% of them beside it"),
    ],
)
def test_words_that_cannot_be_right_are_refused(given, reason) -> None:
    with pytest.raises(WordsError, match=reason):
        open_picture(page(), words=given)


def test_boxes_without_a_size_are_left_out_and_no_words_are_fine() -> None:
    odd = [
        ("a", (5, 5, 5, 9)),
        ("b", (float("nan"), 1, 2, 3)),
        ("", (1, 1, 9, 9)),
        ("c", (9, 9, 1, 1)),
    ]
    picture = open_picture(page(), words=odd)
    assert picture.lines is not None
    assert (len(picture.lines), open_picture(page(), words=[]).lines.count) == (0, 0)


def test_endless_words_are_cut() -> None:
    from itertools import repeat

    many = open_picture(page(), words=repeat(TOTAL)).lines
    assert many is not None
    assert len(many) == 20_000
    long = open_picture(page(), words=[("a " * 1_000_000, (0, 0, 900, 90))]).lines
    assert long is not None
    assert len(long) == 5000
