"""The README is a program: its Python and its commands run in order, in an empty folder."""

import json
import re
import shlex
from pathlib import Path

import pytest

import tiny
from homunculus.cli import check, main

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
FENCE = re.compile(
    r"^ *(?P<fence>```|~~~) *(?P<tag>[^\n]*)\n(?P<code>.*?)^ *(?P=fence) *$",
    re.DOTALL | re.MULTILINE,
)
NOT_RUN = ("bash", "console", "diff", "json", "text", "toml", "yaml")
"""Tags of blocks that are shown and not run; any other tag but `python` is refused."""
MODELS = {"Qwen/Qwen3-VL-2B-Instruct": "qwen3_vl"}
"""Names of a hub, and the family whose tiny model stands in for them: no hub is here."""


QUICK = {"demo", "show", "views", "cost", "budget", "methods"}
"""Verbs that a page's commands are run with; of the others the flags are looked at."""


def parts(text: str) -> list[tuple[int, str, str]]:
    """(line before the code, tag, code) of every block; a tag nobody knows is an error."""
    found = []
    for match in FENCE.finditer(text):
        line, tag = text[: match.start("code")].count("\n"), match["tag"].strip()
        if tag not in ("python", *NOT_RUN):
            told = f"expected python, which is run, or one of {', '.join(NOT_RUN)}"
            raise ValueError(f"line {line}: a block tagged {tag!r}: {told}")
        found.append((line, tag, match["code"]))
    return found


def blocks(text: str) -> list[tuple[int, str]]:
    """(line before the code, code) of every Python block."""
    return [(line, code) for line, tag, code in parts(text) if tag == "python"]


def commands(code: str) -> list[list[str]]:
    """Our own command lines of a shell's block, up to a pipe or the like."""
    found = []
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"\w+=.*", words[0]):  # a variable before the command
            words.pop(0)
        if words[:1] == ["homunculus"]:
            end = [at for at, word in enumerate(words) if word in ("|", "&&", "&", ">", ">>")]
            found.append(words[1 : end[0] if end else None])
    return found


def execute(text: str, path: Path = README, shell: bool = False) -> int:
    """Run every block, with tiny models for those of a hub; a traceback points at the page's line.

    With ``shell`` our own quick commands run, too. Returns how many blocks of Python ran.
    """
    for name, family in MODELS.items():
        if f'"{name}"' in text:
            tiny.hub()
            text = text.replace(f'"{name}"', repr(str(tiny.folder(family))))
    names: dict[str, object] = {"__name__": "readme"}
    for line, tag, code in parts(text):
        if tag == "python":
            exec(compile("\n" * line + code, str(path), "exec"), names)
        for words in commands(code) if tag == "bash" and shell else ():
            assert (main if words[0] in QUICK else check)(words) == 0, words
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
    """As written, in the order it is read: the pictures are those of `homunculus demo`."""
    monkeypatch.chdir(tmp_path)
    assert execute(README.read_text("utf-8"), shell=True) >= 3  # an API, a model, tensors
    drawn = {path.name for path in tmp_path.rglob("*.png")}
    assert {"page-32-tokens.png", "page-views-32-how-much-iron.png", "sheet.png"} <= drawn


def test_the_readme_is_one_page() -> None:
    lines = README.read_text("utf-8").splitlines()
    assert len(lines) <= 150
    assert [line for line in lines if len(line) > 120] == []


def test_every_link_of_the_readme_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", README.read_text("utf-8"))
    assert len(links) > 20
    assert [link for link in links if not (ROOT / link).exists()] == []


SETS = {  # a row of the table: file, suite, column
    "receipts": ("measure-tokens32-documents", "sroie", "crop/smooth"),
    "street words": ("measure-tokens32-scenes-photos", "icdar2015", "crop/smooth"),
    "document pages": ("measure-tokens32-documents", "docvqa_gaze", "crop/smooth"),
    "charts": ("measure-tokens32-charts", "chartqa_owid", "anywhere/smooth"),
    "things in photos": ("photos-tokens32", "photos", "evidence32"),
}


def row(file: str, suite: str, column: str) -> tuple[int, list[str]]:
    """Questions, and the cells of a row, from a result: the larger number is bold."""
    result = json.loads((ROOT / "results" / f"{file}.json").read_text("utf-8"))
    (run,) = [one for one in result.get("runs", [result]) if one["suite"] == suite]
    cells = []
    for tokens in ("16", "32", "64", "128"):
        pair = [run["table"][way][tokens][column][0] for way in ("resize", "views")]
        shown = [f"{value:.2f}".removeprefix("0") for value in pair]
        best = pair.index(max(pair))
        shown[best] = f"**{shown[best]}**"
        cells.append(" → ".join(shown))
    return run["n"], cells


def test_the_table_of_the_readme_is_what_was_measured() -> None:
    found = re.findall(
        r"^\| ([a-z ]+) \((?:.*, )?(\d+)[^)]*\)¹? \| (.+) \|$", README.read_text("utf-8"), re.M
    )
    assert [name for name, _, _ in found] == list(SETS)
    for name, many, cells in found:
        assert (int(many), cells.split(" | ")) == row(*SETS[name]), name


def test_commands_are_found_in_a_block() -> None:
    code = "A=1 homunculus show a.png 'Why not?' \\\n  --json | jq .  # no\npip install x\n"
    code += "homunculus demo\n"
    assert commands(code) == [["show", "a.png", "Why not?", "--json"], ["demo"]]


def test_a_command_with_a_wrong_flag_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    text = "```bash\nhomunculus measure SUITE --tokns 3\n```\n"
    with pytest.raises(AssertionError, match="--tokns"):
        execute(text, shell=True)
    assert "Did you mean '--tokens'?" in capsys.readouterr().err


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
