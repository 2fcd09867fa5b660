"""The pages of docs/ are programs: their Python blocks run in order, on tiny models of our own."""

import re
from pathlib import Path

import pytest

from homunculus.cli import check
from homunculus.planner.cost import costs
from test_readme import blocks, commands, draw_pictures, execute, parts

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PYTHON = {
    "any-model.md": "out/whole.png",
    "cells.md": "seen.png",
    "index.md": "out/whole.png",
    "pages.md": "out/whole.png",
    "scouts.md": "out/whole.png",
    "transformers.md": "homunculus.json",
    "tutorial.md": "seen.png",
    "views.md": "out/whole.png",
}
"""Pages with Python, and a file that it writes; the others have commands and settings alone."""
PAGES = [path.name for path in sorted(DOCS.glob("*.md"))]


def test_there_are_pages() -> None:
    assert set(PAGES) > set(PYTHON)


def test_the_guide_for_contributors_runs() -> None:
    guide = ROOT / "CONTRIBUTING.md"
    assert execute(guide.read_text("utf-8"), guide) == 3


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs(page, tmp_path, monkeypatch) -> None:
    text = (DOCS / page).read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    draw_pictures("".join(code for _, code in blocks(text)), tmp_path)
    assert (execute(text, DOCS / page) > 0) == (page in PYTHON)
    if page in PYTHON:
        assert (tmp_path / PYTHON[page]).exists()


@pytest.mark.parametrize("page", [*PAGES, "../CONTRIBUTING.md"])
def test_the_commands_of_a_page_have_flags_that_exist(page, capsys) -> None:
    shells = [code for _, tag, code in parts((DOCS / page).read_text("utf-8")) if tag == "bash"]
    for words in commands("\n".join(shells)):
        assert check(words) == 0, (words, capsys.readouterr().err)


def test_the_table_of_costs_is_what_the_command_says() -> None:
    page = (DOCS / "any-model.md").read_text("utf-8")
    (head,) = re.findall(r"^\| model \| (.*\d+x\d+.*) \| views", page, re.MULTILINE)
    columns = [costs(size) for size in re.findall(r"\d+x\d+", head)]
    assert len(columns) == 4
    for row in zip(*columns, strict=True):
        first = row[0]
        cells = [f"`{first['model']}`", *(f"{one['untouched']:,}" for one in row)]
        views = [one["views"] for one in row]
        cells += [f"{max(views):,}" if all(views) else "–", first["sure"]]
        assert f"| {' | '.join(cells)} |" in page
