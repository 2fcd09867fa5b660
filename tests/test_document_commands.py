"""Documents on the command line: `show`, `views` and `cost` of files of several pages."""

import json
from pathlib import Path

import pytest
from PIL import Image

from homunculus.commands.main import main
from homunculus.planner.cost import costs
from homunculus.planner.models import token_rule
from homunculus.progress import counted, progress
from pdfs import letter, pdf_of_pages

QUESTION = "Who keeps the lighthouse of Malmo?"
KEEPERS = {"Oslo": "Crane", "Malmo": "Ingram", "Geneva": "Barlow"}


@pytest.fixture
def report(tmp_path, monkeypatch) -> str:
    """A PDF of three pages in the current folder."""
    monkeypatch.chdir(tmp_path)
    pages = [
        letter([f"Part {number} of the report", f"The lighthouse of {town} is kept by {keeper}."])
        for number, (town, keeper) in enumerate(KEEPERS.items(), 1)
    ]
    Path("report.pdf").write_bytes(pdf_of_pages(pages))
    return "report.pdf"


def test_views_of_a_document_are_written_page_by_page(report, capsys) -> None:
    assert main(["views", report, QUESTION, "--tokens", "48", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["count"] == 3
    assert result["tokens"] + result["label_tokens"] <= 48
    assert result["ranking"][0]["page"] == 2
    assert len(result["files"]) == len(result["labels"]) >= 1
    assert any(Path(file).name.startswith("page-2-") for file in result["files"])
    folder = Path("report-views")
    assert {"sheet.png", "views.json"} <= {path.name for path in folder.iterdir()}
    assert main(["views", report, QUESTION, "--tokens", "48"]) == 0
    said = capsys.readouterr().out
    assert "of 48 tokens" in said
    assert " of 3. The answer can be read with probability" in said
    assert f"all 3 pages would cost {result['untouched']:,}" in said


def test_a_document_is_shown_as_one_sheet_for_each_question(report, capsys) -> None:
    questions = [QUESTION, "Who keeps the lighthouse of Oslo?"]
    assert main(["show", report, *questions, "--tokens", "48", "-o", "sheets"]) == 0
    assert capsys.readouterr().out.count("wrote sheets") == 2
    assert len(list(Path("sheets").glob("*.png"))) == 2
    assert main(["show", report, QUESTION, "--tokens", "48", "-o", "one.png", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["saved"] == "one.png"
    with Image.open("one.png") as sheet:
        assert sheet.width > 1000


def test_a_page_that_is_named_is_one_picture(report, capsys) -> None:
    assert main(["views", report, QUESTION, "--page", "2", "--tokens", "48", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["image"] == {"page": 2, "pages": 3}
    assert main(["show", report, QUESTION, "--page", "all", "--tokens", "48", "-o", "all"]) == 0
    assert len(list(Path("all").glob("*.png"))) == 3


@pytest.mark.parametrize("flags", [["--tokens", "auto"], ["--legible", "0.8"]])
def test_what_only_a_page_can_have_is_refused(report, capsys, flags) -> None:
    assert main(["views", report, QUESTION, *flags]) == 2
    assert "for single pages. Name one with --page" in capsys.readouterr().err


def test_a_document_costs_what_its_pages_cost(report, capsys) -> None:
    rule = token_rule("claude")
    one, all_of_it = (costs(source, "claude", 100)[0] for source in ("1700x2200", report))
    assert (all_of_it["pages"], one["pages"]) == (3, 1)
    assert all_of_it["untouched"] == 3 * one["untouched"] == 3 * rule.count((2200, 1700))
    assert all_of_it["views"] == 100
    assert main(["cost", report, "--model", "claude"]) == 0
    assert capsys.readouterr().out.startswith("3 pages as pictures, the first of 1700x2200 pixels")


def test_a_folder_is_a_document(report, capsys) -> None:
    Path("scans").mkdir()
    for number in (2, 10):
        Image.new("RGB", (85, 110), "white").save(f"scans/{number}.png")
    Path("scans/3.pdf").write_bytes(Path(report).read_bytes())
    assert main(["views", "scans", QUESTION, "--tokens", "48", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["document"], result["count"]) == ("scans", 5)
    assert result["ranking"][0]["page"] == 3  # the second of the PDF, behind 2.png


def test_steps_inside_other_work_are_told_in_its_words() -> None:
    with progress("looking at a.pdf") as work, counted("reading a.pdf") as step:
        step(3, 9)
        assert work.line() == "looking at a.pdf: reading a.pdf 3/9"
    with counted("reading a.pdf") as step:
        step(3, 9)
        assert step.line().startswith("reading a.pdf 3/9")
