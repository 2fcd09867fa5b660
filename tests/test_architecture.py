"""docs/architecture.md is true: its rooms exist, its diffs apply and run, and their size is right.

A diff is applied to a copy of the code, and what it promises runs there in a process of its own.
The one that adds a scout is in tests/test_scouts.py.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image

import tiny
from homunculus_lab.results import from_text
from rooms import FLOOR

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
PACKAGE = ROOT / "src" / "homunculus"
IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


# ---- the page ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """One diff of the page and the sentence after it."""

    diff: str
    sentence: str

    @property
    def lines(self) -> dict[str, int]:
        """Lines written to each file."""
        counts: dict[str, int] = {}
        for line in self.diff.splitlines():
            if line.startswith("+++ "):
                path = line.removeprefix("+++ b/")
                counts[path] = 0
            elif line.startswith("+"):
                counts[path] += 1
        return counts

    @property
    def summary(self) -> str:
        """The sentence as it must be; tests are counted apart."""
        code = [count for path, count in self.lines.items() if "tests/" not in path]
        tests = [count for path, count in self.lines.items() if "tests/" in path]
        fact = f"Files touched: {len(code)}. Lines written: {sum(code)}."
        return f"{fact} Its test: {len(tests)} file, {sum(tests)} lines." if tests else fact

    def apply(self, folder: Path) -> None:
        """Apply it in a folder that is in no repository."""
        git = ["git", "apply", "--whitespace=nowarn", "-"]
        environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
        run = subprocess.run(
            git, cwd=folder, env=environment, input=self.diff, capture_output=True, text=True
        )
        assert run.returncode == 0, f"docs/architecture.md: a diff does not apply. {run.stderr}"
        for path in self.lines:
            assert (folder / path).is_file(), path


def changes(page: str) -> dict[str, Change]:
    """The diffs by their headings."""
    pattern = r"^## Add an? ([^\n]+)\n(.*?)(?=^## |\Z)"
    sections = re.findall(pattern, page, re.DOTALL | re.MULTILINE)
    return {title: _change(body) for title, body in sections}


def _change(section: str) -> Change:
    (parts,) = re.findall(r"^```diff\n(.*?)^```\n\n([^\n]*)\n", section, re.DOTALL | re.MULTILINE)
    return Change(*parts)


CHANGES = changes(PAGE.read_text("utf-8"))
PROVIDER, METHOD, SCOUT, FAMILY, SUITE = CHANGES


def test_five_things_are_shown_and_their_size_is_said() -> None:
    assert [PROVIDER, METHOD, SCOUT, FAMILY, SUITE] == [
        "provider",
        "method",
        "scout",
        "model family after the encoder",
        "suite",
    ]
    for title, change in CHANGES.items():
        assert change.sentence == change.summary, title
    files = {
        title: [path for path in change.lines if "tests/" not in path]
        for title, change in CHANGES.items()
    }
    assert [len(paths) for paths in files.values()] == [3, 2, 1, 1, 2]
    assert not any(path.endswith(".py") for path in files[SUITE])


def test_the_size_check_can_fail() -> None:
    page = "## Add a thing\n```diff\n--- /dev/null\n+++ b/a.py\n+x\n```\n\nFiles touched: 1.\n"
    (change,) = changes(page).values()
    assert change.summary == "Files touched: 1. Lines written: 1." != change.sentence


def test_lines_are_short() -> None:
    assert [line for line in PAGE.read_text("utf-8").splitlines() if len(line) > 120] == []


def test_every_room_is_in_the_drawing_in_its_order() -> None:
    page = PAGE.read_text("utf-8")
    drawing = page.partition("```text\n")[2].partition("```")[0]
    rooms = [line.split()[0] for line in drawing.splitlines() if line.strip(" |v")]
    floors = [FLOOR[{"cells": "engines.cells"}.get(room, room)] for room in rooms]
    assert len(rooms) > 10
    assert floors == sorted(floors, reverse=True)
    names = set(re.findall(r"^\| `([\w/.]+)` \|", page, re.MULTILINE)) - {"homunculus_vlm"}
    names = {name for name in names if "src/" not in name and "-" not in name}
    for folder in sorted(path.parent for path in PACKAGE.rglob("__init__.py")):
        name = str(folder.relative_to(PACKAGE))
        shown = name in {".", "commands"} or name in names
        assert shown, f"{name} has no line"
        assert name == "." or folder.name in drawing, f"{name} is not drawn"
    modules = {path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("__")}
    assert {name for name in names if name.endswith(".py")} == modules
    assert {name for name in names if not (PACKAGE / name).exists()} == set()


def test_every_module_that_is_named_exists() -> None:
    page = re.sub(r"^```.*?^```", "", PAGE.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    names = set(re.findall(r"`((?:[\w]+/)+[\w]+\.py)`", page))
    assert len(names) > 10
    tops = {name: ROOT if name.startswith("tests/") else PACKAGE for name in names}
    assert {name for name, top in tops.items() if not (top / name).is_file()} == set()


# ---- the diffs -----------------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The code and the tests, to be changed."""
    folder = tmp_path / "copy"
    for name in ("src", "tests", "lab"):
        shutil.copytree(ROOT / name, folder / name, ignore=IGNORED)
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / name, folder)
    return folder


def run(folder: Path, *arguments: str) -> str:
    """What Python prints in a process of its own, with the copy's code."""
    path = os.pathsep.join(str(folder / name) for name in ("src", "lab/src", "tests"))
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, (run.stdout + run.stderr)[-3000:]
    return run.stdout


METHOD_WORKS = """
import sys
import torch
from homunculus import get_method, look
from homunculus.commands.main import main
from homunculus.engines.cells.testing import check_method
from tiny import picture

lines = get_method("lines")
check_method(lines)
chance = torch.Generator().manual_seed(1)
for rows, cols, slots in ((9, 7, 24), (12, 16, 40), (3, 30, 89), (5, 5, 1)):
    relevance = torch.randint(0, 9, (rows, cols), generator=chance).float()  # with ties
    _, plan = lines.plan([(rows, cols)], relevance.view(1, -1), slots)
    order = sorted(range(rows), key=lambda row: (-float(relevance[row].max()), row))
    expected = [row * cols + col for row in order for col in range(cols)]
    assert plan.index[0, :, 0].tolist() == expected[:slots], (rows, cols, slots)
slope = torch.arange(12.0)[:, None].expand(12, 16)
tokens = look(picture(192, 256), "Which?", method="lines", tokens=32, scout=slope).tokens
assert sorted(tokens.box[0, :, 0].tolist()) == [10.0] * 16 + [11.0] * 16
sys.exit(main(["methods", "--json"]))
"""


def test_the_method_of_the_page_works_everywhere(copy: Path) -> None:
    CHANGES[METHOD].apply(copy)
    listing = json.loads(run(copy, "-c", METHOD_WORKS))["methods"]
    (row,) = [row for row in listing if row["name"] == "lines"]
    assert (row["rule"], row["lift"], row["control"], row["source"]) == (
        "Lines",
        "grid",
        False,
        "question",
    )


@pytest.mark.slow
def test_the_laws_and_its_own_test_hold_for_the_method_of_the_page(copy: Path) -> None:
    CHANGES[METHOD].apply(copy)
    own, laws = "lab/tests/test_lines.py", "tests/test_laws.py"
    options = ["-q", "-p", "no:cacheprovider", "--hypothesis-profile=quick", "-k", "lines"]
    summary = run(copy, "-m", "pytest", *options, own, laws).splitlines()[-1]
    assert int(summary.split(" passed")[0]) > 10, summary


def test_the_provider_of_the_page_gets_views(copy: Path) -> None:
    CHANGES[PROVIDER].apply(copy)
    summary = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_acme.py")
    assert "1 passed" in summary
    assert "acme" in run(copy, "-m", "homunculus", "cost", "640x480")


FAMILY_WORKS = """
import torch
import tiny
from engine_help import attached, images, picture, turn, unlabelled, untouched
from tiny.families import SIGHT, means, text
from tiny.words import chat, tokenizer


def lighton_ocr(hf):
    marks = {"image_token": "<|image_pad|>", "image_break_token": "<|vision_pad|>"}
    marks |= {"image_end_token": "<|vision_end|>"}
    words = tokenizer(hf, ["<|im_start|>", "<|im_end|>", *marks.values()], **marks)
    config = hf.LightOnOcrConfig(
        text_config=hf.Qwen3Config(**text(words, head_dim=16)),
        vision_config=hf.PixtralVisionConfig(**SIGHT, image_size=256, patch_size=8, head_dim=16),
        image_token_id=words.convert_tokens_to_ids("<|image_pad|>"), spatial_merge_size=2,
    )
    pixels = hf.PixtralImageProcessor(**means(), size={"longest_edge": 256}, patch_size=16)
    return config, hf.LightOnOcrProcessor(
        pixels, words, patch_size=8, spatial_merge_size=2, chat_template=chat("<|image_pad|>")
    )


tiny.FAMILIES["lighton_ocr"] = lighton_ocr
whole = attached("lighton_ocr")
one, two = picture(192, 256), picture(40, 70, seed=1)
for talk, grids in (
    ([turn(one, "What is it?")], [(12, 16)]),
    ([turn(one, "and", two, "What is it?")], [(12, 16), (3, 5)]),
):
    prepared = whole.prepare(talk, forward=True)
    assert [image.layout.grid for image in prepared.images] == grids
    with torch.no_grad():
        ours = whole.model(**unlabelled(prepared)).logits
        theirs = whole.model(**untouched(whole, [talk], False)).logits
    assert torch.equal(ours, theirs)
for method in ("grid", "foveated"):
    engine = attached("lighton_ocr", tokens=64, method=method)
    prepared = engine.prepare([turn(one, "What is it?")])
    assert int(images(engine, prepared["input_ids"]).sum()) == 64
    assert len(engine.generate(one, "What is it?", max_new_tokens=2).images[0].choice.anchor) == 64
corner = torch.full((12, 16), -9.0)
corner[2:5, 10:14] = 0
engine = attached("lighton_ocr", tokens=12, scout=corner)
(image,) = engine.prepare([turn(one, "What is it?")]).images
assert image.choice.anchor.tolist() == [r * 16 + c for r in (2, 3, 4) for c in (10, 11, 12, 13)]
"""


@pytest.mark.slow
def test_the_family_of_the_page_keeps_k_tokens_and_with_all_the_untouched_model(copy: Path) -> None:
    tiny.hub()
    CHANGES[FAMILY].apply(copy)
    run(copy, "-W", "ignore::DeprecationWarning", "-c", FAMILY_WORKS)


def test_the_suite_of_the_page_is_measured(copy: Path) -> None:
    pytest.importorskip("anls", reason="needs the laboratory")
    CHANGES[SUITE].apply(copy)
    questions = list(map(json.loads, (copy / "screens" / "qa.jsonl").read_text().splitlines()))
    (copy / "screens" / "images").mkdir()
    for row in questions:
        screen = Image.new("RGB", (256, 192), "white")
        for left, top, right, bottom in row["boxes"]:
            for x in range(left, right, 4):
                screen.paste("black", (x, top + 2, x + 2, bottom - 2))
        screen.save(copy / "screens" / "images" / row["image"])
    options = ["--task", "evidence", "--methods", "oracle", "resize", "cut+scout"]
    options += ["--scout", "pixels", "--tokens", "24", "--side", "256", "--json", "-o", "out.json"]
    result = json.loads(run(copy, "-m", "homunculus", "measure", "screens", *options))
    assert (result["suite"], result["n"], result["images"]) == ("screens", 2, 2)
    assert set(result["table"]) >= {"oracle", "resize", "cut+scout"}
    assert result["table"]["oracle"]["24"]["evidence8"][0] == 1.0
    assert from_text((copy / "out.json").read_text()) == result
    wrong = (copy / "screens" / "suite.toml").read_text().replace("screen", "scren")
    (copy / "screens" / "suite.toml").write_text(wrong)
    with pytest.raises(AssertionError, match="Did you mean 'screen'"):
        run(copy, "-m", "homunculus", "measure", "screens", *options)
