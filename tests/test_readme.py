"""The README is a program: its Python and its commands run in order, in an empty folder."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import tiny
from homunculus.commands.main import check, main

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
SDK = re.compile(r"^(?:from|import) (?:openai|anthropic)\b", re.MULTILINE)
"""Blocks that ask a provider: tests/serving/test_clients.py has the SDKs, and runs them."""


LEFT = {
    "batch": "pyarrow, Ray and buckets; its own step of CI runs it",
    "bench": "minutes of one core, and numbers of this machine",
    "measure coco_open --task evidence --token-size 14": "weights of an encoder, and the data",
    "decide results/": "minutes: thousands of resamples of every committed result",
    "decide run.json": "a result of the reader's own",
    "eyetest --hf": "a hub",
    "eyetest --server": "a server with a model",
    "eyetest rapidocr": "minutes of OCR",
    "eyetest tesseract": "a program that is not part of CI",
    "measure --task gaze SUITE": "a folder of the reader's own",
    "measure --task place SUITE": "a folder of the reader's own",
    "measure SUITE": "a folder of the reader's own",
    "measure bakeoff.toml": "models, and a hub for the questions; test_bakeoff.py runs the file",
    "measure docvqa_val": "a model, and a hub for the questions",
    "serve": "vLLM; its own step of CI starts servers",
    "studio": "a server that never ends; its own step of CI drives it",
}
"""How commands begin that are not run, and what they need; of these the flags are looked at."""


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


def left(words: list[str]) -> str | None:
    """How a command begins that is not run; None for one that is."""
    line = " ".join(words)
    return next((one for one in LEFT if line.startswith(one)), None)


def execute(text: str, path: Path = README, shell: bool = False, sdks: bool = False) -> int:
    """Run every block, with tiny models for those of a hub; a traceback points at the page's line.

    With ``shell`` commands run, too: ours but for `LEFT`, and blocks that install nothing and
    have none of ours; with ``sdks`` blocks that ask a provider. Returns how many blocks of
    Python ran.
    """
    for name, family in MODELS.items():
        if f'"{name}"' in text:
            tiny.hub()
            text = text.replace(f'"{name}"', repr(str(tiny.folder(family))))
    names: dict[str, object] = {"__name__": "readme"}
    ran = 0
    for line, tag, code in parts(text):
        if tag == "python" and (sdks or not SDK.search(code)):
            ran += 1
            exec(compile("\n" * line + code, str(path), "exec"), names)
        elif tag == "bash" and shell:
            ours = commands(code)
            for words in ours:
                assert (check if left(words) else main)(words) == 0, words
            if not ours and not re.search(r"\b(pip|python3?)\b", code):
                subprocess.run(["bash", "-euc", code], check=True)
    return ran


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As written, in the order it is read: the pictures are those of `homunculus demo`."""
    monkeypatch.chdir(tmp_path)
    assert execute(README.read_text("utf-8"), shell=True) >= 3  # an API, a model, tensors
    drawn = {path.name for path in tmp_path.rglob("*.png")}
    assert {
        "page-32-tokens.png",
        "page-views-32-how-high-is-the-potassium.png",
        "sheet.png",
    } <= drawn


def test_the_readme_is_one_page() -> None:
    lines = README.read_text("utf-8").splitlines()
    assert len(lines) <= 150
    assert [line for line in lines if len(line) > 120] == []


def test_every_link_of_the_readme_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", README.read_text("utf-8"))
    assert len(links) > 20
    assert [link for link in links if not (ROOT / link).exists()] == []


SETS = {  # a row of the table: file, suite, column
    "receipts": ("views-tokens32-text", "sroie", "crop/smooth"),
    "street words": ("views-tokens32-text", "icdar2015", "crop/smooth"),
    "document pages": ("views-tokens32-text", "docvqa_gaze", "crop/smooth"),
    "charts": ("measure-tokens32-charts", "chartqa_owid", "anywhere/smooth"),
    "things in photos": ("views-tokens32-photos", "photos", "evidence32"),
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


@pytest.mark.parametrize("page", ["README.md", "docs/results.md"])
def test_the_main_table_is_what_was_measured(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    found = re.findall(r"^\| ([a-z ]+) \((?:.*, )?(\d+)[^)]*\)¹? \| (.+) \|$", text, re.M)
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


def test_blocks_of_a_shell_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    execute("```bash\nmkdir a && cat > a/b <<END\nsome text\nEND\n```\n", shell=True)
    assert (tmp_path / "a" / "b").read_text() == "some text\n"
    with pytest.raises(subprocess.CalledProcessError):
        execute("```bash\ncp absent other\n```\n", shell=True)
    execute("```bash\npip install absent\n```\n", shell=True)  # never


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
