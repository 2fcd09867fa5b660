"""A scout of another package, offered by its entry point, is asked on every surface.

It is the one of docs/architecture.md and CONTRIBUTING.md: it looks at one box. With as many tokens
as the box has cells, `grid` keeps exactly these, wherever it runs.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from PIL import Image

import homunculus
from homunculus import look
from homunculus.commands.main import main
from homunculus.scouts.registry import get_scout, list_scouts
from test_architecture import CHANGES, PAGE, ROOT, SCOUT
from tiny import folder, load

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:transformers")

NAME, MODULE = "my-box", "box_scout"
GRID, SIDE = (12, 16), 16
CELLS = [row * 16 + col for row in (6, 7, 8) for col in (4, 5, 6, 7)]
"""The box of the scout, a quarter of the picture's sides, in cells of `GRID`."""
BOX = [64, 96, 128, 144]
"""The same in pixels, x0 y0 x1 y1."""
QUESTION = "What is the build number?"


@cache
def page() -> Any:
    """A blank page with stripes far from the box: whoever looks at pixels looks there."""
    blank = Image.new("RGB", (256, 192), "white")
    for x in range(180, 250, 4):
        blank.paste("black", (x, 8, x + 2, 60))
    return blank


@cache
def model() -> SimpleNamespace:
    return load("qwen3_vl")


def points() -> dict[str, dict[str, str]]:
    """Entry points as the page shows them, for a pyproject.toml."""
    (block,) = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return tomllib.loads(block)["project"]["entry-points"]


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The scout's module and its distribution, for the time of one test."""
    CHANGES[SCOUT].apply(tmp_path)
    about = tmp_path / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    lines = []
    for group, names in points().items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in names.items())]
    (about / "entry_points.txt").write_text("\n".join([*lines, ""]))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    monkeypatch.chdir(tmp_path)
    list_scouts.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    sys.modules.pop(MODULE, None)
    list_scouts.cache_clear()


# ---- the two pages agree -------------------------------------------------------------------------


def test_the_guide_shows_the_same_scout_and_entry_point(package: Path) -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = guide.partition("## Add a scout\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    python = [code for tag, code in blocks if tag == "python"]
    (toml,) = [code for tag, code in blocks if tag == "toml"]
    assert python[0] == (package / f"{MODULE}.py").read_text()
    assert tomllib.loads(toml)["project"]["entry-points"] == points()


# ---- surfaces ------------------------------------------------------------------------------------


def test_it_is_in_the_registry() -> None:
    assert list(list_scouts())[-1] == NAME
    assert isinstance(get_scout(NAME), homunculus.Scout)
    assert get_scout(NAME) is get_scout(NAME), "made once: it may load weights"


def cells(tokens: Any) -> list[int]:
    """The cells of tokens that are single cells."""
    assert int(tokens.level.max()) == 0
    return [int(y) * GRID[1] + int(x) for y, x, _, _ in tokens.box[0][tokens.valid[0]].tolist()]


def test_look_asks_it() -> None:
    seen = look(page(), QUESTION, method="grid", tokens=len(CELLS), scout=NAME)
    assert cells(seen.tokens) == CELLS
    assert seen.sight.sure == 1.0
    other = look(page(), QUESTION, method="grid", tokens=len(CELLS), scout="pixels")
    assert not set(cells(other.tokens)) & set(CELLS), "a scout that was not asked looks elsewhere"


@pytest.mark.parametrize("where", ["before", "after"])
def test_an_engine_asks_it(where: str) -> None:
    it = model()
    engine = homunculus.attach(
        it.model, it.processor, tokens=len(CELLS), method="grid", where=where, scout=NAME
    )
    answer = engine.generate(page(), QUESTION, max_new_tokens=1)
    assert answer.images[0].choice.anchor.tolist() == CELLS
    assert cells(answer.tokens[0]) == CELLS
    assert engine.setting.views.scout == NAME


@pytest.mark.parametrize("where", ["before", "after"])
def test_vllms_two_choices_ask_it(where: str) -> None:
    from homunculus.engines.families import plain_layout
    from homunculus.engines.vllm import choose
    from homunculus.engines.vllm.settings import ServerSettings

    it = model()
    settings = ServerSettings(tokens=len(CELLS), method="grid", where=where, scout=NAME)
    inputs = choose.ImageInputs(it.model.config, it.processor.image_processor, {}, torch.float32)
    sent = choose.choose_tokens(inputs, [page()], [QUESTION], settings)
    assert sent[choose.ANCHOR].tolist() == CELLS
    if where == "after":
        rows = torch.randn(GRID[0] * GRID[1], 8)
        (again,) = choose.choose_again(sent, [plain_layout(*GRID)], settings.method_object, [rows])
        assert torch.equal(again.embed, rows[CELLS])


def test_vllms_key_names_it() -> None:
    from homunculus.scouts.version import scout_version

    assert len({scout_version(name) for name in (NAME, "auto", "pixels")}) == 3


def test_serve_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["serve", str(folder("qwen3_vl")), "--scout", NAME, "--dry-run"]
    assert main(command) == 0
    assert f'"scout": "{NAME}"' in capsys.readouterr().out
    assert main(["serve", str(folder("qwen3_vl")), "--scout", "my-bix", "--dry-run"]) == 2
    assert f"Did you mean '{NAME}'?" in capsys.readouterr().err


def test_show_asks_it(capsys: pytest.CaptureFixture[str]) -> None:
    page().save("page.png")
    options = ["--method", "grid", "--tokens", str(len(CELLS)), "--scout", NAME, "--json"]
    options += ["--patch", str(SIDE)]
    assert main(["show", "page.png", QUESTION, *options]) == 0
    facts = json.loads(capsys.readouterr().out)
    corners = [divmod(cell, GRID[1]) for cell in CELLS]
    expected = [[x * SIDE, y * SIDE, (x + 1) * SIDE, (y + 1) * SIDE] for y, x in corners]
    assert facts["boxes"] == expected


def suite(place: Path) -> None:
    """Two pages whose answer stands in the box."""
    (place / "images").mkdir(parents=True)
    rows = []
    for name in ("a.png", "b.png"):
        page().save(place / "images" / name)
        rows.append({"image": name, "question": QUESTION, "answers": ["4711"], "boxes": [BOX]})
    (place / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))


def test_measure_asks_it(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("anls", reason="needs the laboratory")
    suite(package / "pages")
    evidence = {}
    for name in (NAME, "pixels"):
        options = ["--task", "evidence", "--methods", "grid+scout", "--tokens", str(len(CELLS))]
        options += ["--side", "256", "--scout", name, "--json", "-o", f"{name}.json"]
        assert main(["measure", "pages", *options]) == 0
        result = json.loads(capsys.readouterr().out)
        evidence[name] = result["table"]["grid+scout"][str(len(CELLS))]["evidence8"][0]
    assert evidence == {NAME: 1.0, "pixels": 0.0}


# ---- the page's words ----------------------------------------------------------------------------


def test_a_name_that_no_package_offers_is_refused_with_all_that_are() -> None:
    with pytest.raises(ValueError, match=f"no scout 'my-bix'. Did you mean '{NAME}'?"):
        look(page(), QUESTION, scout="my-bix")
