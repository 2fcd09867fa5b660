"""Words in a batch: those of documents, a column of a row's own, and an OCR."""

import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from homunculus.batch.job import Job
from homunculus.batch.read import list_input, rows_of
from homunculus.batch.work import plan_row
from pdfs import letter, pdf
from word_help import LAYER, png, words


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.png").write_bytes(png())
    (tmp_path / "page.pdf").write_bytes(pdf(letter()))
    (tmp_path / "hidden.pdf").write_bytes(pdf(letter(mode=3)))
    return tmp_path


def planned_rows(source: Any, **options: Any) -> list[dict[str, Any]]:
    """Results of a job, in this process."""
    job = Job(str(source), 16, scout="pixels", question="Total?", **options)
    shards = list_input(job, "test").shards
    return [
        result for shard in shards for row in rows_of(job, shard) for result in plan_row(job, row)
    ]


def test_documents_of_a_batch_bring_their_words(folder, planned, engine) -> None:
    planned_rows(folder / "page.pdf")
    assert words(planned[-1]) == tuple(LAYER)
    planned_rows(folder / "hidden.pdf")
    assert words(planned[-1]) is None
    planned_rows(folder / "hidden.pdf", ocr="rapidocr")
    assert words(planned[-1]) == ("Total", "12.50")


ROWS = {
    "pairs": ([["Sum", [10, 10, 60, 30]]], ("Sum",)),
    "structs": ([{"text": "Sum", "box": [10, 10, 60, 30]}], ("Sum",)),
    "none": (None, None),
    "empty": ([], ()),
    "of others": (["Sum", "12.50"], None),
    "text": ("Sum", None),
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_of_a_batch_may_bring_words(kind, folder, planned) -> None:
    value, expected = ROWS[kind]
    (folder / "rows.jsonl").write_text(json.dumps({"image": "page.png", "words": value}))
    assert not planned_rows(folder / "rows.jsonl")[0].get("error")
    assert words(planned[-1]) == expected
    if kind == "pairs":  # a column has one type
        return
    pq.write_table(pa.Table.from_pylist([{"image": png(), "words": value}]), "rows.parquet")
    assert not planned_rows(folder / "rows.parquet")[0].get("error")
    assert words(planned[-1]) == expected


@pytest.mark.parametrize(
    ("image", "value", "reason"),
    [
        ("page.png", [["Sum", [1, 2, 3]]], "words: expected pairs"),
        ("page.png", [["Sum", [9000, 9000, 9900, 9900]]], "in pixels of the picture, 900x700"),
        ("two.pdf", [["Sum", [1, 2, 3, 4]]], "a document of 2"),
    ],
)
def test_rows_with_wrong_words_are_error_rows(image, value, reason, folder) -> None:
    sheet = Image.new("RGB", (200, 100))
    sheet.save("two.pdf", save_all=True, append_images=[sheet])
    (folder / "rows.jsonl").write_text(json.dumps({"image": image, "words": value}))
    for result in planned_rows(folder / "rows.jsonl"):
        assert result["error_kind"] == "picture"
        assert reason in result["error"]
