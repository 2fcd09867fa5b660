"""The command line: what it prints, where it writes, and how it says no."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from homunculus import Match, cli
from homunculus.cli import main
from homunculus.relevance import scout as scout_room
from homunculus.relevance import words as scout
from homunculus.relevance.words import WordSight
from terminal_help import terminal

Image = pytest.importorskip("PIL.Image", reason="needs the extra `view`")
pytest.importorskip("kornia", reason="needs the extra `pixels`")

SOURCE = Path(cli.__file__).parents[1]


@pytest.fixture(autouse=True)
def alone(monkeypatch) -> None:
    """No test depends on whether weights are shipped."""
    monkeypatch.setattr(scout_room, "shipped", lambda: None)


@pytest.fixture
def page(tmp_path, monkeypatch) -> str:
    """A picture in the current folder."""
    monkeypatch.chdir(tmp_path)
    Image.effect_noise((200, 160), 80).save("page.png")
    return "page.png"


def test_methods_are_listed_for_people_and_machines(capsys) -> None:
    assert main(["methods"]) == 0
    table = capsys.readouterr().out
    assert main(["methods", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["methods"]
    assert sum(not row["control"] for row in rows) >= 11
    assert sum(row["control"] for row in rows) >= 7
    assert all(row["name"] in table and row["about"] in table for row in rows)
    foveated = next(row for row in rows if row["name"] == "foveated")
    assert (foveated["fixation"], foveated["lift"], foveated["rule"]) == (
        True,
        "pyramid",
        "Foveated",
    )
    assert foveated["settings"] == ["field_of_view", "fixation", "hedge"]
    assert next(row for row in rows if row["name"] == "atlas")["needs"] == ["regions"]


NOT_READ = "The words of the question were not looked for; the choice follows what stands out in "


def test_show_writes_into_the_current_folder_and_prints_facts(page, capsys) -> None:
    assert main(["show", page, "What is it?", "--tokens", "20"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "wrote page-views-20-what-is-it.png"
    assert out[1].startswith("the whole picture: 20 of 20 tokens of 32 px (qwen3-vl), untouched 30")
    assert out[2:] == [f"{NOT_READ}the pixels, not the question."]
    assert Path("page-views-20-what-is-it.png").stat().st_size > 10_000


def test_show_draws_cells_of_one_image(page, capsys) -> None:
    assert main(["show", page, "What is it?", "--tokens", "50", "--method", "foveated"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "wrote page-foveated-50-what-is-it.png"
    assert out[1].startswith("foveated: 50 tokens of 130 cells of 16 px, 100% of the image covered")
    assert out[2:] == [f"{NOT_READ}the pixels, not the question."]
    assert Path("page-foveated-50-what-is-it.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "flag", ["--fixation 0.5,0.5", "--boxes 0,0,9,9", "--compress 1", "--explore 2", "--focus 30"]
)
def test_views_refuse_what_only_cells_know(page, capsys, flag) -> None:
    assert main(["show", page, *flag.split()]) == 2
    told = capsys.readouterr().err
    assert f"views do not know {flag.split()[0]}" in told
    assert "--method cut" in told


LONG = "Which of the companies that are listed in the table on the second page "


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["What is the total?"], ["What is the date?"]),
        (["What is the total?"], []),
        (["What is the total?"], ["What is the total?", "--tokens", "30"]),
        (["What is the total?"], ["What is the total?", "--method", "grid"]),
        ([f"{LONG}is the largest?"], [f"{LONG}is the smallest?"]),
        (["5 + 3?"], ["5 - 3?"]),
        (["../up?"], ["up?"]),
        (["合計は?"], ["日付は?"]),
    ],
)
def test_another_question_or_budget_draws_another_file(page, capsys, one, other) -> None:
    names, pictures = [], []
    for arguments in (one, other, one):
        assert main(["show", page, *arguments, "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        names.append(facts["saved"])
        pictures.append(Path(facts["saved"]).read_bytes())
        assert facts["replaced"] == (len(names) == 3)
        assert len(Path(facts["saved"]).name) < 100
    assert names[0] == names[2] != names[1]
    assert pictures[0] == pictures[2]
    assert sorted(path.name for path in Path().iterdir()) == sorted({page, *names})


def test_a_file_is_never_replaced_silently(page, capsys) -> None:
    for end in ("", " (replaced)"):
        assert main(["show", page, "-o", "a.png", "--tokens", "9"]) == 0
        assert capsys.readouterr().out.splitlines()[0] == f"wrote a.png{end}"


def test_show_tells_which_page_of_a_pdf_it_draws(page, capsys) -> None:
    sheets = [Image.new("RGB", (120, 90), shade) for shade in ("white", "grey", "black")]
    sheets[0].save("three.pdf", save_all=True, append_images=sheets[1:])
    sheets[0].save("one.pdf")
    for number in (0, 2):
        assert main(["show", "three.pdf", "--page", str(number), "--tokens", "9"]) == 0
        out = capsys.readouterr().out.splitlines()
        assert out[2:] == [
            f"This is page {number + 1} of 3.",
            "Other pages: --page 0 to --page 2, counted from 0.",
        ]
    assert Path("three-views-9.png").exists()
    assert Path("three-page2-views-9.png").exists()
    assert main(["show", "three.pdf", "--page", "1", "--tokens", "9", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["image"]["page"], facts["image"]["pages"]) == (1, 3)
    assert facts["notes"] == ["This is page 2 of 3."]
    for single in (page, "one.pdf"):
        assert main(["show", single, "--tokens", "9"]) == 0
        assert "age 1 of" not in capsys.readouterr().out


def test_show_tells_that_a_picture_was_reduced(page, capsys) -> None:
    Image.new("L", (1600, 1200), "white").save("huge.png")
    arguments = ["show", "huge.png", "--patch", "4", "--tokens", "9", "--method", "cut"]
    assert main(arguments) == 0
    line = capsys.readouterr().out.splitlines()[2]
    assert main([*arguments, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    wide, high = facts["image"]["reduced"]
    assert wide < 1600
    assert line == f"The picture was reduced from 1600x1200 to {wide}x{high} pixels."
    assert facts["notes"] == [line]
    assert main(["show", page, "--tokens", "9"]) == 0
    assert "reduced" not in capsys.readouterr().out


def test_show_speaks_json(page, capsys) -> None:
    arguments = "--method log-polar --tokens 30 --fixation 0.5,0.25 --patch 8 -o a.webp --json"
    assert main(["show", page, "", *arguments.split()]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["fixation"] == [100.0, 40.0]
    assert (facts["kept"], facts["saved"], facts["image"]["cols"]) == (30, "a.webp", 25)
    assert Path("a.webp").exists()


class Fake:
    """A scout that has found the total."""

    def __call__(self, image, question, grid) -> WordSight:
        match = Match("total", 0.97, (0.25, 0.5, 0.5, 0.75), 1.0)
        return WordSight.of(torch.zeros(grid), (match,), ("合計",), True, 0.5)


def test_show_tells_why(page, capsys, monkeypatch) -> None:
    monkeypatch.setattr(scout_room, "shipped", Fake)
    assert main(["show", page, "total 合計?", "--why", "--tokens", "20"]) == 0
    out = capsys.readouterr().out.splitlines()
    found = "relevance: words: 1 of 1 found (1 in a script it cannot read)."
    assert found in out[1]
    assert out[3].split() == ["total", "yes", "0.97", "50,80-100,120", "1"]
    assert "1 of 1 word of the question was found" in out[4]
    assert "合計" in out[4]
    assert main(["show", page, "total?", "--json", "--tokens", "20"]) == 0
    told = json.loads(capsys.readouterr().out)["why"]  # without asking for it
    assert told["words"][0]["box"] == [50.0, 80.0, 100.0, 120.0]


def test_show_looks_with_the_scout_one_names_or_none(page, capsys, monkeypatch) -> None:
    monkeypatch.setattr(scout_room, "shipped", Fake)
    monkeypatch.setattr(scout, "load", lambda folder: pytest.fail("not asked for"))
    assert main(["show", page, "total?", "--scout", "pixels", "--tokens", "20"]) == 0
    assert capsys.readouterr().out.splitlines()[2].startswith(NOT_READ)
    monkeypatch.setattr(scout_room, "shipped", lambda: None)
    monkeypatch.setattr(scout, "load", lambda folder: Fake() if folder == Path("mine") else None)
    Path("mine").mkdir()
    assert main(["show", page, "total?", "--scout", "mine", "--tokens", "20"]) == 0
    assert "words: 1 of 1 found" in capsys.readouterr().out
    assert main(["show", page, "total?", "--scout", "wordz"]) == 2
    assert "no scout 'wordz'. Did you mean 'words'?" in capsys.readouterr().err


def test_show_takes_boxes_and_dials(page, capsys) -> None:
    boxes = ["--boxes", "0,0,10,10", "150,120,160,130"]
    assert main(["show", page, "--method", "oracle", "--tokens", "40", *boxes]) == 0
    dials = ["--compress", "0.5", "--explore", "2", "--focus", "90"]
    assert main(["show", page, "--method", "foveated", "--tokens", "40", *dials]) == 0
    assert "the answer's box" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.png"], "absent.png: no such file"),
        (["page.png", "--method", "foveate"], "Did you mean 'foveated'?"),
        (["page.png", "--method", "zzz"], "`homunculus methods` lists all"),
        (
            ["page.png", "--tokens", "0"],
            "argument --tokens: expected a whole number from 1, got '0'",
        ),
        (["page.png", "--tokens", "abc"], "got 'abc'"),
        (["page.png", "--tokens", "-3"], "--tokens"),
        (["page.png", "--page", "one"], "expected a whole number from 0"),
        (["page.png", "--page", "2"], "no PDF"),
        (["page.png", "--fixation", "0.5"], "expected 2 numbers"),
        (
            ["page.png", "--method", "foveated", "--fixation", "900,20"],
            "lies outside the picture of 200x160",
        ),
        (["page.png", "--method", "cut", "--fixation", "0.5,0.5"], "cut has no fixation"),
        (["page.png", "--boxes", "1,2,3"], "expected 4 numbers"),
        (["page.png", "--method", "oracle"], "Pass boxes"),
        (["page.png", "--compress", "7"], "compress"),
        (["page.png", "--explore", "0"], "explore"),
        (["page.png", "-o", "absent/a.png"], "no folder absent"),
        (["page.png", "-o", "a.xyz"], "ends in .png"),
        (["page.png", "-o", "."], "is a folder"),
        (["page.png", "-o", "page.png"], "is the picture itself"),
        (["empty.png"], "0 bytes"),
        (
            ["page.png", "what?", "--scout", "absent"],
            "no scout 'absent'. There are auto, words, things, pixels",
        ),
    ],
)
def test_mistakes_cost_two_lines_and_code_2(page, capsys, arguments, message) -> None:
    Path("empty.png").touch()
    before = Path(page).read_bytes()
    assert main(["show", *arguments]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert message in error
    assert error.startswith("homunculus show: ")
    assert len(error.splitlines()) <= 2
    assert Path(page).read_bytes() == before


def test_verbs_are_needed_and_known(capsys) -> None:
    assert main([]) == 2
    assert main(["shw"]) == 2
    assert "'show'" in capsys.readouterr().err
    assert main(["--help"]) == 0
    assert "VERB" in capsys.readouterr().out


def test_a_missing_library_names_its_extra(page, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "kornia", None)
    assert main(["show", page]) == 2
    assert "pip install 'homunculus-vlm[pixels]'" in capsys.readouterr().err


def test_bench_prints_a_table_or_json(capsys, monkeypatch) -> None:
    from homunculus.lab.speed import core

    monkeypatch.setattr(core, "measure", lambda repeats, tell: tell("grid") or {"repeats": repeats})
    monkeypatch.setattr(core, "table", lambda result: f"table of {result}")
    assert main(["bench", "core", "--repeats", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"repeats": 2}
    assert main(["bench", "core"]) == 0
    assert capsys.readouterr().out == "table of {'repeats': 60}\n"
    assert main(["bench", "moon"]) == 2


def test_bench_of_a_scout_prints_its_cost(capsys, monkeypatch) -> None:
    from homunculus.lab.speed import command

    shares = {"first_question_share": 0.04, "second_question_share": 0.00312}
    asked: list[object] = []
    ask = lambda seer, many: asked.append((seer, many)) or shares  # noqa: E731
    monkeypatch.setattr(command, "load", lambda folder: asked.append(folder) or "seer")
    monkeypatch.setattr(command.scout, "measure", ask)
    assert main(["bench", "scout", "--json", "--scout", "w"]) == 0
    assert json.loads(capsys.readouterr().out) == shares
    assert asked == [Path("w"), ("seer", 10)]
    assert main(["bench", "scout", "--repeats", "3"]) == 0
    assert asked[2:] == [None, ("seer", 3)]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["4.00%", "0.312%"]


def test_bench_of_planning_prints_times_and_shares(capsys, monkeypatch) -> None:
    from homunculus.lab.speed import plan

    monkeypatch.setattr(plan, "PAGES", ((256, 200),))
    monkeypatch.setattr(plan, "BUDGETS", (8,))
    monkeypatch.setattr(plan, "LARGEST", 8)
    assert main(["bench", "plan", "--repeats", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (row,) = result["rows"]
    assert (row["page"], row["tokens"], result["token"]) == ([256, 200], 8, 32)
    assert row["share_of_encoder"] > 0
    assert main(["bench", "plan", "--repeats", "1"]) == 0
    assert "256 x 200      8 tokens of 32 px" in capsys.readouterr().out


PATIENT = """
import time
from homunculus import Match, cli

cli.PATIENCE = {patience}
with cli._patience("computing") as tell:
    tell("step one")
    time.sleep(1.5)
print("done")
"""


def test_a_person_who_waits_sees_a_spinner(tmp_path) -> None:
    pytest.importorskip("rich")
    code, lines = terminal(["-c", PATIENT.format(patience=0.1)], tmp_path, SOURCE)
    assert (code, lines[-1]) == (0, "done")
    spinner = lines[:-1]
    assert len({line[0] for line in spinner}) > 2, "it turns"
    assert {line[1:] for line in spinner} == {" computing: step one"}


def test_a_person_who_does_not_wait_sees_no_spinner(tmp_path) -> None:
    pytest.importorskip("rich")
    code, lines = terminal(["-c", PATIENT.format(patience=60)], tmp_path, SOURCE)
    assert (code, lines) == (0, ["done"])


def test_the_module_is_the_command(tmp_path) -> None:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    run = subprocess.run(
        [sys.executable, "-m", "homunculus", "show", "absent.png"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        "homunculus show: absent.png: no such file. Check the path and the current folder.\n"
    )
    version = subprocess.run(
        [sys.executable, "-m", "homunculus", "--version"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert version.returncode == 0
    assert version.stdout.startswith("homunculus ")
