"""The pages of docs/ are programs: their Python blocks run in order, on tiny models of our own."""

from pathlib import Path

import pytest

import tiny
from test_readme import blocks, draw_pictures

DOCS = Path(__file__).parents[1] / "docs"
MODELS = {"Qwen/Qwen3-VL-2B-Instruct": "qwen3_vl"}
"""Names of a hub, and the family whose tiny model stands in for them: no hub is here."""


@pytest.mark.parametrize("page", [path.name for path in sorted(DOCS.glob("*.md"))])
def test_a_page_runs(page, tmp_path, monkeypatch) -> None:
    tiny.hub()
    text = (DOCS / page).read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    draw_pictures("".join(code for _, code in blocks(text)), tmp_path)
    for name, family in MODELS.items():
        text = text.replace(f'"{name}"', repr(str(tiny.folder(family))))
    names: dict[str, object] = {"__name__": "docs"}
    for line, code in blocks(text):
        exec(compile("\n" * line + code, str(DOCS / page), "exec"), names)
    if "save(" in text:
        assert (tmp_path / "homunculus.json").exists()
