"""The pages of docs/ are programs: their Python and their commands run, on tiny models."""

import re
from pathlib import Path

import pytest

from homunculus.commands.main import check
from homunculus.planner.cost import costs
from test_readme import LEFT, README, SDK, blocks, commands, execute, left, parts

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PYTHON = {
    "any-model.md": "out/whole.png",
    "cells.md": "seen.png",
    "index.md": "out/whole.png",
    "pages.md": "out/page-2-window.png",
    "scouts.md": "out/whole.png",
    "transformers.md": "seen.png",
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
    """As written, in an empty folder: what it opens comes from `homunculus demo` or itself."""
    text = (DOCS / page).read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    assert (execute(text, DOCS / page, shell=True) > 0) == (page in PYTHON)
    if page in PYTHON:
        assert (tmp_path / PYTHON[page]).exists()


def test_providers_are_asked_on_one_page() -> None:
    """tests/serving/test_clients.py runs the calls of that page, with the SDKs and a recorder."""
    pages = {path.name: path.read_text("utf-8") for path in (README, *DOCS.glob("*.md"))}
    calls = {name: sum(bool(SDK.search(code)) for _, code in blocks(text))
             for name, text in pages.items()}  # fmt: skip
    assert {name: many for name, many in calls.items() if many} == {"any-model.md": 2}


def our_commands(path: Path) -> list[list[str]]:
    """All commands of ours on a page."""
    shells = [code for _, tag, code in parts(path.read_text("utf-8")) if tag == "bash"]
    return commands("\n".join(shells))


def test_most_commands_run_and_no_reason_is_given_in_vain() -> None:
    every = [words for path in (README, *DOCS.glob("*.md")) for words in our_commands(path)]
    reasons = [left(words) for words in every]
    assert {one for one in reasons if one} == set(LEFT)
    assert reasons.count(None) > 0.4 * len(reasons)


def test_every_install_line_works_in_a_checkout() -> None:
    """Neither package is on an index yet; two pages say what it will be."""
    paths = [README, *DOCS.glob("*.md"), ROOT / "lab" / "README.md", *ROOT.glob("*/*.ipynb")]
    texts = {path: path.read_text("utf-8").replace('\\"', '"') for path in paths}
    lines = [(path.parent.name, line) for path, text in texts.items()
             for line in other_installs(text)]  # fmt: skip
    published = ('"homunculus-vlm[EXTRA]"', "homunculus-lab")
    assert {line for _, line in lines} == {*published, "openai", "anthropic"}
    assert {place for place, line in lines if line in published} == {"docs", "lab"}


def other_installs(text: str) -> list[str]:
    """What install lines ask for that are not of our form, for a checkout."""
    ours = r"""--constraint constraints\.txt (\.|"\.\[[\w,]+\]")( \./lab| "\./lab\[[\w,]+\]")?"""
    ours = rf"(\.|{ours})"  # the base brings nothing that the constraints hold
    lines = re.findall(r"pip install ([^`#\n]+)", text)
    return [line for line in map(str.strip, lines) if not re.fullmatch(ours + "( notebook)?", line)]


def test_the_check_of_install_lines_can_fail() -> None:
    right = 'pip install --constraint constraints.txt ".[vllm]" "./lab[official]"   # both'
    wrong = ("pip install ./lab", "pip install --constraint constraints.txt ./lab")
    assert [len(other_installs(line)) for line in (right, *wrong)] == [0, 1, 1]


@pytest.mark.parametrize("page", [*PAGES, "../CONTRIBUTING.md"])
def test_the_commands_of_a_page_have_flags_that_exist(page, capsys) -> None:
    for words in our_commands(DOCS / page):
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
