"""What words alone show: lines are bought within a budget, and all words of an answer count."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from homunculus.pages.lines import Lines
from homunculus.views import Document
from homunculus_lab.measure.document_text import (
    WAYS,
    bought,
    in_layers,
    likeliest_lines,
    row,
    told,
)
from homunculus_lab.measure.suite import Question
from test_document_views import data, question

WORDS = [("Total", (10, 10, 55, 20)), ("due", (60, 10, 90, 20)), ("Paid", (10, 40, 50, 50))]


def asked(document: Document) -> Question:
    """A question of the fixture, whose answer is the last word of a line."""
    lines = document.lines(3)
    assert lines is not None
    box = tuple(lines.boxes[lines.words.index("Crane")].tolist())
    return a_question(question(3), box, page=3)


def a_question(text: str, box: Any, page: int = 1) -> Question:
    return Question("made", 0, "made.pdf", Path("made.pdf"), text, ("",), (box,), page=page)


def test_lines_are_bought_with_a_line_for_each_page() -> None:
    lines = [(2, 0, 20), (2, 1, 30), (5, 0, 20), (5, 1, 5)]
    assert bought(lines, 25, 1.0) == {(2, 0)}
    assert bought(lines, 54, 1.0) == {(2, 0), (5, 0)}
    assert bought(lines, 54, 0.4) == {(2, 0), (2, 1), (5, 0), (5, 1)}


def test_an_answer_is_told_if_all_of_its_words_are_sent() -> None:
    lines = Lines.of(WORDS, "given")
    document = Document(data(5), keep=False)
    total = a_question("?", (10.0, 10.0, 90.0, 20.0))
    for sent, expected in (([1, 1, 0], True), ([1, 0, 1], False), ([0, 0, 0], False)):
        assert told(total, lines, np.array(sent, bool)) is expected
    assert not told(total, None, np.zeros(0, bool))
    assert likeliest_lines(document, question(3))[0][0] == 3


def test_every_way_is_measured_at_every_budget() -> None:
    document = Document(data(5), keep=False)
    cells = row(document, asked(document), ["pure text"])["12 px"]
    assert set(cells) == set(WAYS)
    assert all(way["1500"] == [1] for way in cells.values())


def test_layers_are_searched_for_answers(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "documents"
    folder.mkdir(parents=True)
    (folder / "made.pdf").write_bytes(data(5))
    sample = {
        "doc_id": "made.pdf", "answer": "Crane", "answer_format": "Str", "evidence_pages": "[3]",
        "evidence_sources": "['Chart']", "question": "?",
    }  # fmt: skip
    others = [{"answer": "Absent"}, {"answer": "['Crane']", "answer_format": "List"}]
    samples = [sample | other for other in ({}, *others, {"evidence_pages": "[]"})]
    (tmp_path / "data" / "samples.json").write_text(json.dumps(samples))
    expected = {"questions": 3, "judged": 2, "in the text layer": 1, "share": 0.5}
    assert in_layers(tmp_path)["chart"] == expected
    assert in_layers(tmp_path)["table"]["judged"] == 0
