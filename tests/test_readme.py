"""The README is a program: its Python blocks run in order, in one namespace, in an empty folder."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def blocks(text: str) -> list[tuple[int, str]]:
    """(line before the code, code) of every fenced block that is exactly ``python``."""
    found = re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [(text[: match.start(1)].count("\n"), match[1]) for match in found]


def execute(text: str) -> int:
    """Run every block; a traceback points at the README's own line."""
    names: dict[str, object] = {"__name__": "readme"}
    for line, code in blocks(text):
        exec(compile("\n" * line + code, str(README), "exec"), names)
    return len(blocks(text))


def draw_pictures(code: str, folder: Path) -> None:
    """A small invoice under every file name the code mentions, if it is an image or a PDF."""
    for name in set(re.findall(r"[\"']([\w./-]+\.(?:png|jpe?g|webp|pdf))[\"']", code)):
        image = pytest.importorskip("PIL.Image").new("RGB", (640, 480), "white")
        pen = pytest.importorskip("PIL.ImageDraw").Draw(image)
        for row, words in enumerate(("INVOICE 1042", "Paper 12.00", "Ink 30.00", "Total 42.00")):
            pen.text((40, 40 + 100 * row), words, fill="black")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        image.save(folder / name)


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = README.read_text("utf-8") if README.exists() else ""
    if not blocks(text):
        pytest.skip("README.md has no Python yet")
    monkeypatch.chdir(tmp_path)
    draw_pictures("".join(code for _, code in blocks(text)), tmp_path)
    execute(text)


def test_blocks_share_a_namespace_and_errors_point_at_their_line() -> None:
    text = "# Title\n```python\nx = 1\n```\n```bash\nls\n```\n```python\nassert x == 1\n```\n"
    assert [line for line, _ in blocks(text)] == [2, 8]
    assert execute(text) == 2
    with pytest.raises(AssertionError) as broken:
        execute(text.replace("x = 1", "x = 2"))
    assert broken.tb.tb_next.tb_next.tb_lineno == 9


def test_pictures_are_drawn_for_the_names_the_code_mentions(tmp_path: Path) -> None:
    draw_pictures("look('page.png'); look(\"in/scan.pdf\"); save('out.json')", tmp_path)
    drawn = [path.name for path in tmp_path.rglob("*.p*")]
    assert sorted(drawn) == ["page.png", "scan.pdf"]
