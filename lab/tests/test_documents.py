"""The suite of PDFs: what a page's layer says, how an answer is looked for, and who is drawn."""

import json
from pathlib import Path

import numpy as np
import pytest

from homunculus.pages import open_picture
from homunculus.pages.lines import Lines
from homunculus_lab.measure.documents import build, inside, runs, spellings
from homunculus_lab.measure.layer import printed_page
from homunculus_lab.measure.parts import part
from homunculus_lab.measure.spend import open_sheet
from homunculus_lab.measure.suite import read
from papers import write_pdf


def ink(path: Path, box, page: int = 1) -> np.ndarray:
    """Dark pixels of a page at 200 dpi, but for those within a box."""
    dark = open_picture(path, page).pixels.min(0) < 128
    x0, y0, x1, y1 = (round(side) for side in box)
    dark[max(0, y0 - 2) : y1 + 2, max(0, x0 - 2) : x1 + 2] = False
    return dark


@pytest.mark.parametrize(
    ("rotate", "crop"), [(0, ""), (90, ""), (180, ""), (270, ""), (0, "50 60 350 290")]
)
def test_a_words_box_is_where_its_ink_is(tmp_path, rotate, crop) -> None:
    path = write_pdf(tmp_path / "a.pdf", [[(100, 200, 24, "Harvest")]], rotate, crop)
    page = printed_page(path, 1)
    assert page.size == open_picture(path).original
    assert page.lines.words == ("Harvest",)
    (box,) = page.lines.boxes.tolist()
    assert not ink(path, box).any()
    assert ink(path, (0, 0, 0, 0)).any()
    sides = sorted((box[2] - box[0], box[3] - box[1]))
    assert sides == pytest.approx([48, 230], rel=0.15)  # 24 points at 200 dpi


def test_an_answer_is_a_run_of_words_on_one_line() -> None:
    words = ["Total:", "1,358.50", "USD", "Less", "well-off", "3.0", "%", "13", "May", "1984"]
    items = [(word, (60.0 * n, 0.0, 60.0 * n + 55, 20.0)) for n, word in enumerate(words)]
    lines = Lines.of([*items, ("well", (0.0, 50.0, 50.0, 70.0))], "given")
    assert runs("$1358.5", lines) == [(60.0, 0.0, 115.0, 20.0)]
    assert runs("less well-off", lines) == [(180.0, 0.0, 295.0, 20.0)]
    assert runs("3%", lines) == [(300.0, 0.0, 355.0, 20.0)]
    assert runs("1984-05-13", lines) == [(420.0, 0.0, 595.0, 20.0)]
    assert runs("358", lines) == runs("off well", lines) == runs("off", lines) == []


def test_a_date_may_be_printed_in_any_order() -> None:
    assert {"october72003", "7october2003", "10072003", "oct7th2003"} <= spellings("2003-10-07")
    assert spellings("2003-13-07") == {"20031307"}


def test_a_run_outside_of_the_evidence_does_not_count() -> None:
    here, there = (0.0, 0.0, 20.0, 20.0), (50.0, 50.0, 60.0, 60.0)
    assert inside((10.0, 10.0, 20.0, 20.0), [there, here])
    assert not inside((10.0, 10.0, 21.0, 20.0), [there, here])


class Reader:
    """An OCR that reads one word in the middle of everything."""

    name = "fake 1"

    def page(self, pixels):
        high, wide = pixels.shape[1:]
        return [("Gold", (wide * 0.25, high * 0.25, wide * 0.75, high * 0.75))]

    def line(self, crop):
        raise AssertionError


def sources(folder: Path) -> tuple[Path, Path]:
    """Both data sets in small: two documents and what is asked about them."""
    longbench, boxes = folder / "longbench", folder / "boxes"
    (longbench / "data" / "documents").mkdir(parents=True)
    (boxes / "dataset").mkdir(parents=True)
    page = [(20, 250, 12, "Total due"), (200, 250, 12, "41.50"), (200, 50, 12, "41.50")]
    write_pdf(longbench / "data" / "documents" / "a.pdf", [[(9, 9, 9, "Cover")], page])
    write_pdf(longbench / "data" / "documents" / "b.pdf", [page])
    asked = [("a.pdf", f"Total {number}?", "41.50", "Float", [2]) for number in range(5)]
    asked += [
        ("a.pdf", "Word?", "due", "Str", [2]),  # not inside the evidence
        ("b.pdf", "Metal?", "gold", "Str", [1]),  # only an OCR finds it
        ("b.pdf", "Both?", "41.50", "Float", [1, 2]),
        ("b.pdf", "List?", "['41.50']", "List", [1]),
        ("b.pdf", "One?", "4", "Int", [1]),
        ("b.pdf", "Alone?", "total due", "Str", [1]),  # without a box
        ("b.pdf", "Twice?", "41.50", "Float", [1]),  # without a box, and not once on its page
        ("gone.pdf", "Total?", "41.50", "Float", [1]),
    ]
    samples = [
        {"doc_id": name, "question": text, "answer": answer, "answer_format": kind,
         "evidence_pages": str(pages)}
        for name, text, answer, kind, pages in asked
    ]  # fmt: skip
    (longbench / "data" / "samples.json").write_text(json.dumps(samples))
    known = [
        {"doc_name": name, "questions": [
            {"Q": text, "page_id": [page - 1 for page in pages], "layout_mapping": [
                {"page": page - 1, "page_size": [400, 300], "bbox": [190, 0, 400, 100]}
                for page in pages]}
            for name2, text, _, _, pages in asked
            if name2 == name and text not in ("Alone?", "Twice?")]}
        for name in ("a.pdf", "b.pdf", "gone.pdf")
    ]  # fmt: skip
    text = "\n".join(map(json.dumps, known))
    (boxes / "dataset" / "MMDocIR_annotations.jsonl").write_text(text)
    return longbench, boxes


def test_the_draw_by_its_rule(tmp_path) -> None:
    counts = build(*sources(tmp_path), tmp_path / "mine", Reader())
    assert sum(counts.values()) == 5
    questions = read(tmp_path / "mine")
    assert part(questions) == questions
    totals = [question for question in questions if question.answers == ("41.50",)]
    assert len(totals) == 3  # of five on one page
    for question in totals:
        assert (question.image, question.page) == ("a.pdf", 2)
        (box,) = question.boxes  # the other place is not in the evidence
        assert box[:2] == pytest.approx((200 * 200 / 72, 50 * 200 / 72 - 25), abs=3)
    others = {question.text: question for question in questions if question not in totals}
    assert set(others) == {"Metal?", "Alone?"}
    x0, y0, x1, y1 = others["Metal?"].boxes[0]
    assert (x0 + x1) / 2 == pytest.approx(295 * 200 / 72, abs=8)
    assert (y0 + y1) / 2 == pytest.approx(50 * 200 / 72, abs=8)
    listing = (tmp_path / "mine" / "qa.jsonl").read_text()
    read_by = {row["question"]: row["read"] for row in map(json.loads, listing.splitlines())}
    assert (read_by["Metal?"], read_by["Alone?"]) == ("rapidocr", "text layer")


def test_the_draw_is_the_same_whatever_the_order_of_the_sources(tmp_path) -> None:
    longbench, boxes = sources(tmp_path)
    build(longbench, boxes, tmp_path / "one", None)
    samples = longbench / "data" / "samples.json"
    samples.write_text(json.dumps(json.loads(samples.read_text())[::-1]))
    build(longbench, boxes, tmp_path / "two", None)
    first, second = (tmp_path / name / "qa.jsonl" for name in ("one", "two"))
    assert first.read_text() == second.read_text()


def test_a_question_of_a_later_page_is_asked_about_that_page(tmp_path) -> None:
    path = write_pdf(tmp_path / "a.pdf", [[], [(100, 100, 40, "two")]])
    first, second = (open_sheet(path, 256, 32, page=page) for page in (1, 2))
    assert first.page.pixels.min() > 250
    assert second.page.pixels.min() < 100


@pytest.mark.parametrize("page", [0, "2", True, 1.0])
def test_a_page_that_is_none_is_refused(tmp_path, page) -> None:
    (tmp_path / "images").mkdir()
    row = {"image": "a.pdf", "question": "?", "answers": ["x"], "page": page}
    (tmp_path / "qa.jsonl").write_text(json.dumps(row))
    with pytest.raises(ValueError, match="line 1: page is a whole number from 1, got"):
        read(tmp_path)
