"""The notebooks run from top to bottom, and what is committed is what they show."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbclient", reason="needs the extra `dev`")

FOLDER = Path(__file__).parents[1] / "notebooks"
FILES = sorted(FOLDER.glob("*.ipynb"))
MOST, ALL = 300_000, 1_000_000
"""Bytes of a notebook, and of all."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.delitem(sys.modules, "run", raising=False)
    import run

    return run


def shown(notebook: Any) -> list[list[str]]:
    """What each cell shows, without its numbers: they may differ a little between machines.

    A cell with the tag `machine` goes by fonts and words, and shows the same kinds of things.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        [word for one in cell.outputs for word in (_kinds if cell.metadata else _words)(one)]
        for cell in cells
    ]


def _kinds(output: Any) -> list[str]:
    return [output.output_type, *sorted(output.get("data", ()))]


def _words(output: Any) -> list[str]:
    if output.output_type == "stream":
        return re.sub(r"\d[\d.,]*| *█+", "#", output.text).split()
    return _kinds(output)


def test_there_are_four_and_they_are_small() -> None:
    sizes = [path.stat().st_size for path in FILES]
    assert len(sizes) == 4
    assert max(sizes) < MOST
    assert sum(sizes) < ALL


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_notebook_runs_and_shows_what_is_committed(path: Path, run: Any) -> None:
    assert shown(run.execute(path)) == shown(run.nbformat.read(path, as_version=4))


def test_a_cell_that_raises_is_noticed(run: Any, tmp_path: Path) -> None:
    book = run.nbformat.v4.new_notebook(cells=[run.nbformat.v4.new_code_cell("1 / 0")])
    run.nbformat.write(book, tmp_path / "broken.ipynb")
    with pytest.raises(Exception, match="ZeroDivisionError"):
        run.execute(tmp_path / "broken.ipynb")
