"""The README is a program: its Python blocks run in order, in one namespace, in an empty folder."""

import re
from pathlib import Path

import pytest

import tiny

README = Path(__file__).parents[1] / "README.md"
FENCE = re.compile(
    r"^ *(?P<fence>```|~~~) *(?P<tag>[^\n]*)\n(?P<code>.*?)^ *(?P=fence) *$",
    re.DOTALL | re.MULTILINE,
)
NOT_RUN = ("bash", "console", "diff", "json", "text", "toml", "yaml")
"""Tags of blocks that are shown and not run; any other tag but `python` is refused."""
MODELS = {"Qwen/Qwen3-VL-2B-Instruct": "qwen3_vl"}
"""Names of a hub, and the family whose tiny model stands in for them: no hub is here."""


def blocks(text: str) -> list[tuple[int, str]]:
    """(line before the code, code) of every Python block; a tag nobody knows is an error."""
    found = []
    for match in FENCE.finditer(text):
        line, tag = text[: match.start("code")].count("\n"), match["tag"].strip()
        if tag == "python":
            found.append((line, match["code"]))
        elif tag not in NOT_RUN:
            told = f"expected python, which is run, or one of {', '.join(NOT_RUN)}"
            raise ValueError(f"line {line}: a block tagged {tag!r}: {told}")
    return found


def execute(text: str, path: Path = README) -> int:
    """Run every block, with tiny models for those of a hub; a traceback points at the page's line.

    Returns how many ran.
    """
    for name, family in MODELS.items():
        if f'"{name}"' in text:
            tiny.hub()
            text = text.replace(f'"{name}"', repr(str(tiny.folder(family))))
    names: dict[str, object] = {"__name__": "readme"}
    for line, code in blocks(text):
        exec(compile("\n" * line + code, str(path), "exec"), names)
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
    text = README.read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    draw_pictures("".join(code for _, code in blocks(text)), tmp_path)
    assert execute(text) >= 3  # a picture, a model, tensors


@pytest.mark.parametrize("tag", ["py", "Python", "python3", "pycon", "", "python title=x"])
def test_a_block_that_would_never_run_is_refused(tag: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"line 2: a block tagged {tag!r}")):
        blocks(f"text\n```{tag}\n1 / 0\n```\n")


@pytest.mark.parametrize("fence", ["```python", "~~~python", "``` python", "  ```python"])
def test_a_python_block_runs_whatever_its_fence(fence: str) -> None:
    end = fence.replace("python", "").rstrip()
    with pytest.raises(ZeroDivisionError):
        execute(f"text\n{fence}\n1 / 0\n{end}\n")


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
