"""Folders, JSONL, Parquet and PDF files: every row once, with its own question."""

import json
from base64 import b64encode

import pytest

from batch import make
from batch.conftest import content, results
from homunculus.batch.job import Job
from homunculus.batch.read import list_input, rows_of


def names(source, **more):
    """IDs of all rows, by shards of three."""
    job = Job(str(source), 16, **{"shard_rows": 3} | more)
    return [[row.id for row in rows_of(job, one)] for one in list_input(job, "1").shards]


def test_a_folder_is_cut_into_shards(tmp_path):
    source = make.folder(tmp_path / "pages", 7)
    (source / "notes.txt").write_text("no picture")
    (source / ".hidden.png").write_bytes(b"")
    assert [len(one) for one in names(source)] == [3, 3, 1]
    assert names(source)[2] == ["0006.png"]
    assert [len(one) for one in names(f"{source}/000[0-3].png")] == [3, 1]


def test_a_parquet_file_keeps_to_its_groups(tmp_path):
    source = make.parquet(tmp_path / "a.parquet", 11, group=5)
    told = names(source, question_column="q")
    assert [len(one) for one in told] == [3, 2, 3, 3]
    assert [row for one in told for row in one] == [f"a.parquet#row={at}" for at in range(11)]


def test_questions_and_pictures_of_a_row_belong_together(tmp_path):
    source = make.parquet(tmp_path / "a.parquet", 11, group=5)
    for shard_rows in (2, 4, 256):
        job = Job(str(source), 16, shard_rows=shard_rows, question_column="q")
        rows = [row for one in list_input(job, "1").shards for row in rows_of(job, one)]
        assert [row.question for row in rows] == [f"What is invoice {at}?" for at in range(11)]
        assert [row.data for row in rows] == [make.page(at) for at in range(11)]


def test_lines_of_json_hold_paths_and_data(tmp_path, batch):
    make.folder(tmp_path / "pages", 2)
    uri = f"data:image/png;base64,{b64encode(make.page(5)).decode()}"
    rows = [{"image": "pages/0000.png", "question": "a"}, {"image": uri, "question": "b"}]
    rows += [{"image": "../secret.png", "question": "c"}, {"image": "/etc/passwd", "question": "d"}]
    rows += [{"image": "pages/0001.png", "question": ["no text"]}, {"other": 1}]
    source = make.jsonl(tmp_path / "rows.jsonl", rows)
    source.write_text(source.read_text().replace("\n", "\n\n") + '{"image": \n')
    assert batch(source, tmp_path / "out", "--shard-rows", "4")[0] == 0
    told = results(tmp_path / "out")
    assert [row["error_kind"] for row in told] == [
        None, None, "missing", "missing", "type", "input", "input",
    ]  # fmt: skip
    assert "outside of" in told[2]["error"]


def test_pages_of_documents(tmp_path, batch):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").write_bytes(make.document(5))
    (tmp_path / "in" / "b.png").write_bytes(make.page(0))
    batch(tmp_path / "in", tmp_path / "all", "--shard-rows", "2")
    batch(tmp_path / "in", tmp_path / "some", "--pages", "1,4-9")
    assert [row["id"] for row in results(tmp_path / "all")] == [
        *(f"a.pdf#page={at}" for at in range(1, 6)), "b.png",
    ]  # fmt: skip
    some = content(tmp_path / "some")
    assert [row["page"] for row in some] == [1, 4, 5, None]
    assert some[1] == content(tmp_path / "all")[3]


def test_an_animation_is_one_row(tmp_path, batch):
    from PIL import Image

    (tmp_path / "in").mkdir()
    frames = [Image.new("RGB", (64, 48), shade) for shade in ("red", "blue")]
    frames[0].save(tmp_path / "in" / "a.gif", save_all=True, append_images=frames[1:])
    batch(tmp_path / "in", tmp_path / "out")
    assert [(row["id"], row["page"]) for row in results(tmp_path / "out")] == [("a.gif", None)]


def test_a_tiff_is_read_where_its_file_was_named(tmp_path, batch):
    image = make.page(3, "tiff")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "scan.tif").write_bytes(image)
    batch(tmp_path / "in", tmp_path / "out")
    assert results(tmp_path / "out")[0]["error"] is None
    uri = f"data:image/tiff;base64,{b64encode(image).decode()}"
    source = make.jsonl(tmp_path / "rows.jsonl", [{"image": uri, "question": "a"}])
    batch(source, tmp_path / "refused")
    assert "TIFF" in results(tmp_path / "refused")[0]["error"]


def test_an_input_that_breaks_off_gives_error_rows(tmp_path):
    source = make.parquet(tmp_path / "a.parquet", 9, group=9)
    job = Job(str(source), 16, question_column="q")
    (shard,) = list_input(job, "1").shards
    data = bytearray(source.read_bytes())
    data[200 : len(data) // 2] = bytes(len(data) // 2 - 200)
    source.write_bytes(data)
    rows = list(rows_of(job, shard))
    assert [row.id for row in rows] == [f"a.parquet#row={at}" for at in range(9)]
    assert any(row.error for row in rows)


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_table_that_becomes_shorter_gives_error_rows(tmp_path, kind):
    def written(rows):
        if kind == "parquet":
            return make.parquet(tmp_path / "a.parquet", rows)
        lines = [{"image": "absent.png", "question": "?"}] * rows
        return make.jsonl(tmp_path / "a.jsonl", lines)

    source = written(9)
    job = Job(str(source), 16, question_column="q" if kind == "parquet" else "")
    (shard,) = list_input(job, "1").shards
    written(5)
    rows = list(rows_of(job, shard))
    assert [row.id for row in rows] == [f"{source.name}#row={index}" for index in range(9)]
    assert all("become shorter" in row.error for row in rows[5:])


@pytest.mark.parametrize(
    ("make_source", "words", "message"),
    [
        (lambda at: at / "absent", (), "no such file or folder"),
        (lambda at: make.folder(at / "none", 0), (), "no rows"),
        (lambda at: make.parquet(at / "a.parquet", 1), ("--question-column", "x"), "no column x"),
        (lambda at: make.folder(at / "p", 1), ("--pages", "x"), "--pages"),
        (lambda at: make.folder(at / "p", 1), ("--model", "gpt-9x"), "no model 'gpt-9x'"),
        (lambda at: make.folder(at / "p", 1), ("--model", "gemini-3", "--to", "views"), "bills"),
        (lambda at: make.folder(at / "p", 1), ("--model", "gpt-4.1"), "the smallest costs 85"),
        (lambda at: make.folder(at / "p", 1), ("--model", "gemini-3"), "too few"),
    ],
)
def test_a_mistake_is_explained_before_any_work(tmp_path, batch, make_source, words, message):
    code, said = batch(make_source(tmp_path), tmp_path / "out", *words)
    assert (code, message in said) == (2, True), said


def test_pictures_beside_tables_are_not_guessed_about(tmp_path, batch):
    source = make.folder(tmp_path / "both", 1)
    make.jsonl(source / "rows.jsonl", [{"image": "0000.png"}])
    code, said = batch(source, tmp_path / "out")
    assert (code, "both pictures and tables" in said) == (2, True)


def test_the_file_says_its_schema(tmp_path, batch):
    import pyarrow.parquet as pq

    batch(make.folder(tmp_path / "in", 1), tmp_path / "out")
    (path,) = (tmp_path / "out").glob("part-*.parquet")
    told = pq.read_metadata(path).metadata
    assert told[b"homunculus.batch.schema"] == b"3"
    assert json.loads(told[b"homunculus.batch.job"])["tokens"] == 16
