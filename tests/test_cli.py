"""The command line: what it prints, where it writes, and how it says no."""

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from homunculus import Match
from homunculus.commands import main as cli
from homunculus.commands.main import main
from homunculus.scouts import registry as scout_room
from homunculus.scouts import words as scout
from homunculus.scouts.words import WordSight
from homunculus.scouts.words.question import parse

SOURCE = Path(cli.__file__).parents[2]


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


NOT_LOOKED_FOR = "The words of the question were not looked for."
NOT_READ = "The words of the question were not looked for; the choice follows what stands out in "


def test_show_writes_into_the_current_folder_and_prints_facts(page, capsys) -> None:
    assert main(["show", page, "What is it?", "--tokens", "20"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "wrote page-views-20-what-is-it.png"
    assert out[1] == "The whole picture: 20 of 20 tokens of 32 px (qwen3-vl), untouched 30."
    assert f"so the whole picture is resized. {NOT_LOOKED_FOR}" in out[2]
    assert len(out) == 3  # not that the choice follows pixels: it does not
    assert Path("page-views-20-what-is-it.png").stat().st_size > 10_000


def test_show_draws_cells_of_one_image(page, capsys) -> None:
    assert main(["show", page, "What is it?", "--tokens", "30", "--method", "foveated"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "wrote page-foveated-30-what-is-it.png"
    assert out[1].startswith("foveated: 30 tokens of 35 cells of 32 px, 100% of the image covered")
    assert out[2:] == [
        "Untouched, the picture costs 30 tokens of 32 px (qwen3-vl).",
        f"{NOT_READ}the pixels, not the question.",
    ]
    assert Path("page-foveated-30-what-is-it.png").stat().st_size > 10_000


def test_a_token_of_show_is_the_same_whatever_the_method(page, capsys) -> None:
    for method in ("views", "resize", "cut"):
        assert main(["show", page, "What?", "--tokens", "20", "--method", method, "--json"]) == 0
    views, *cells = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert views["token_px"] == 32
    assert {one["image"]["patch"] for one in cells} == {32}
    assert main(["show", page, "--tokens", "20", "--method", "cut", "--patch", "16"]) == 0
    assert "of 130 cells of 16 px" in capsys.readouterr().out


def test_views_refuse_what_only_cells_know(page, capsys) -> None:
    assert main(["show", page, "--fixation", "0.5,0.5"]) == 2
    assert "views do not know --fixation" in capsys.readouterr().err


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
    for number in (1, 3):
        assert main(["show", "three.pdf", "--page", str(number), "--tokens", "9"]) == 0
        out = capsys.readouterr().out.splitlines()
        assert out[3:] == [
            f"This is page {number} of 3.",
            "Other pages: --page 1 to --page 3, or --page all.",
        ]
    assert Path("three-views-9.png").exists()
    assert Path("three-page3-views-9.png").exists()
    assert main(["show", "three.pdf", "--page", "2", "--tokens", "9", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["image"]["page"], facts["image"]["pages"]) == (2, 3)
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
        return WordSight.of(parse("合計"), np.zeros(grid), (match,), 0.5)


def test_show_tells_why(page, capsys, monkeypatch) -> None:
    monkeypatch.setattr(scout_room, "shipped", Fake)
    assert main(["show", page, "total 合計?", "--why", "--tokens", "20"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[2] == "Found: total."
    assert out[5].split() == ["total", "yes", "0.97", "50,80-100,120", "1"]
    assert "1 of 1 word of the question was found" in out[6]
    assert "合計" in out[6]
    assert main(["show", page, "total?", "--json", "--tokens", "20"]) == 0
    told = json.loads(capsys.readouterr().out)["why"]  # without asking for it
    assert told["words"][0]["box"] == [50.0, 80.0, 100.0, 120.0]


def test_show_looks_with_the_scout_one_names_or_none(page, capsys, monkeypatch) -> None:
    monkeypatch.setattr(scout_room, "shipped", Fake)
    monkeypatch.setattr(scout, "load", lambda folder, cache: pytest.fail("not asked for"))
    assert main(["show", page, "total?", "--scout", "pixels", "--tokens", "20"]) == 0
    assert NOT_LOOKED_FOR in capsys.readouterr().out.splitlines()[2]
    assert main(["show", page, "total?", "--scout", "pixels", "--tokens", "20", "--why"]) == 0
    out = capsys.readouterr().out
    assert "the choice follows" not in out
    assert out.count(NOT_LOOKED_FOR) == 1
    monkeypatch.setattr(scout_room, "shipped", lambda: None)
    monkeypatch.setattr(
        scout, "load", lambda folder, cache: Fake() if folder == Path("mine") else None
    )
    Path("mine").mkdir()
    assert main(["show", page, "total?", "--scout", "mine", "--tokens", "20"]) == 0
    assert "Found: total." in capsys.readouterr().out
    assert main(["show", page, "total?", "--scout", "wordz"]) == 2
    assert "no scout 'wordz'. Did you mean 'words'?" in capsys.readouterr().err


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
        (["page.png", "--page", "one"], "expected a whole number from 1, or `all`, got 'one'"),
        (["page.png", "--page", "0"], "expected a whole number from 1, or `all`, got '0'"),
        (["page.png", "--page", "2"], "of one page"),
        (["page.png", "--fixation", "0.5"], "expected 2 numbers"),
        (
            ["page.png", "--method", "foveated", "--fixation", "900,20"],
            "lies outside the picture of 200x160",
        ),
        (["page.png", "--method", "cut", "--fixation", "0.5,0.5"], "cut has no fixation"),
        (["page.png", "--method", "oracle"], "Pass a map"),
        (["page.png", "-o", "absent/a.png"], "no folder absent"),
        (["page.png", "-o", "a.xyz"], "ends in .png"),
        (["page.png", "-o", "page.png"], "is the picture itself"),
        (["empty.png"], "0 bytes"),
        (
            ["page.png", "what?", "--scout", "absent"],
            "no scout 'absent'. There are auto, reading, words, things, pixels",
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
    assert main([]) == 0  # help, as with --help
    assert "Begin with `homunculus demo`." in capsys.readouterr().out
    assert main(["shw"]) == 2
    assert "no command 'shw'. Did you mean 'show'?" in capsys.readouterr().err
    assert main(["--help"]) == 0
    assert "VERB" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("show a.png --tokns 3", "homunculus show: no flag '--tokns'. Did you mean '--tokens'?"),
        ("show a.png --token 3", "homunculus show: no flag '--token'. Did you mean '--tokens'?"),
        ("measure S --token 3", "homunculus measure: no flag '--token'. Did you mean '--tokens'?"),
        ("measure S --tokns=3", "homunculus measure: no flag '--tokns'. Did you mean '--tokens'?"),
        ("methods grid", "homunculus methods: unexpected 'grid'."),
    ],
)
def test_a_mistyped_flag_is_answered_with_the_right_one(capsys, words, message) -> None:
    assert main(words.split()) == 2
    told = capsys.readouterr().err
    assert message in told
    assert len(told.splitlines()) == 2


@pytest.mark.parametrize("words", [["--version"], ["shw"], ["show", "--tokns"], ["measure", "--x"]])
def test_what_needs_no_torch_does_not_load_it(words, tmp_path) -> None:
    program = f"from homunculus.commands.main import main; main({words})"
    code = f"import sys; {program}\nprint('torch' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert run.stdout.splitlines()[-1] == "False", run.stderr


VERBS = cli._parser([]).verbs


@pytest.mark.parametrize("verb", VERBS)
def test_the_example_of_a_verb_has_flags_that_exist(verb, capsys) -> None:
    example = (VERBS[verb].epilog or "").partition("homunculus ")[2]
    words = shlex.split(example.partition(" > ")[0])
    assert words[0] == verb
    assert cli.check(words) == 0, capsys.readouterr().err


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.parametrize(
    "words",
    [
        "show a.png what is it",
        "show a.png what --tokens 3 is it",
        "views a.png what is it --tokens 3",
        "budget a.png what is it",
    ],
)
def test_a_question_without_quotes_is_answered_with_quotes(capsys, words) -> None:
    verb = words.split()[0]
    assert main(words.split()) == 2
    told = capsys.readouterr().err
    assert f'Put quotes around it:\n  homunculus {verb} a.png "what is it"' in told


def test_questions_of_one_word_each_are_asked_one_by_one(page, capsys) -> None:
    assert main(["show", page, "total?", "date?", "--tokens", "9", "--scout", "pixels"]) == 0
    assert capsys.readouterr().out.count("wrote") == 2


@pytest.fixture
def script(capsys) -> Callable[[str], str]:
    """What `homunculus completion` prints for a shell."""

    def made(shell: str) -> str:
        assert main(["completion", shell]) == 0
        return capsys.readouterr().out

    return made


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sh", "show"), ("show --to", "--tokens"), ("show --page 1 --mo", "--model"),
        ("bench v", "views vllm"), ("serve M --where ''", "before after"),
        ("show pa", "page.png"), ("show page.png --out pa", "page.png"), ("show --tokens pa", ""),
        ("views --model claude-", "claude-haiku-4.5"), ("show --scout w", "words"),
        ("show --scout we", "weights"), ("show --method fov", "foveated"),
        ("budget --acuity te", "tesseract"), ("budget --acuity pa", "page.png"),
        ("measure S --token-size qwen2", "qwen2.5-vl"), ("measure S --model q", ""),
        ("measure S --methods al", "all"), ("completion f", "fish"),
    ],
)  # fmt: skip
def test_bash_completes_verbs_flags_values_and_files(tmp_path, script, typed, offered) -> None:
    (tmp_path / "script").write_text(script("bash"))
    (tmp_path / "page.png").touch()
    (tmp_path / "weights").mkdir()
    code = f"""source ./script
COMP_WORDS=(homunculus {typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_shtab_homunculus; echo "${{COMPREPLY[@]}}" """
    run = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (run.stdout, run.returncode) == (f"{offered}\n", 0), run.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_zsh_and_fish_complete_values_and_files(script, shell) -> None:
    written = script(shell)
    if shell == "fish":
        assert "-n '_shtab_homunculus_using show' -l tokens" in written
        assert '-ka "batch core install scout' in written
        assert '-l scout -xka "auto reading words things pixels none (__fish' in written
    else:
        assert "[how many tokens may be spent" in written
        assert "(batch core install scout" in written
        assert ":NAME|DIR:_homunculus__scout_or_file" in written
        assert 'compadd "$@" -- auto reading words things pixels none || _files "$@"' in written


def test_several_questions_are_several_drawings(page, capsys) -> None:
    assert main(["show", page, "What?", "--tokens", "9", "Where is it?", "--json"]) == 0
    facts = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    names = ["page-views-9-what.png", "page-views-9-where-is-it.png"]
    assert [one["saved"] for one in facts] == names
    assert [one["question"] for one in facts] == ["What?", "Where is it?"]
    assert main(["show", page, "What?", "Where is it?", "--tokens", "9", "-o", "out/here"]) == 0
    assert sorted(path.name for path in Path("out/here").iterdir()) == names
    assert main(["show", page, "What?", "--tokens", "9", "-o", "one/more/"]) == 0
    assert [path.name for path in Path("one/more").iterdir()] == names[:1]  # as `views -o` does
    capsys.readouterr()
    assert main(["show", page, "What?", "Where is it?", "-o", "one.png"]) == 2
    assert "one.png is one file, for several drawings" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["pdf", "tiff"])
@pytest.mark.parametrize("method", ["views", "cut"])
def test_all_pages_are_drawn(page, capsys, ending, method) -> None:
    sheets = [Image.new("RGB", (120, 90 + at), "white") for at in range(3)]
    sheets[0].save(f"three.{ending}", save_all=True, append_images=sheets[1:])
    flags = ["--page", "all", "--tokens", "9", "--method", method, "-o", "out"]
    assert main(["show", f"three.{ending}", *flags]) == 0
    told = capsys.readouterr().out
    assert [f"This is page {at} of 3." in told for at in (1, 2, 3, 4)] == [True, True, True, False]
    assert "Other pages" not in told
    names = [f"three{number}-{method}-9.png" for number in ("", "-page2", "-page3")]
    assert sorted(path.name for path in Path("out").iterdir()) == sorted(names)


def test_views_and_budgets_of_all_pages(page, capsys) -> None:
    sheets = [Image.new("RGB", (120, 90 + at), "white") for at in range(3)]
    sheets[0].save("three.pdf", save_all=True, append_images=sheets[1:])
    assert main(["views", "three.pdf", "What?", "--page", "all", "--tokens", "9"]) == 0
    told = capsys.readouterr().out
    assert [f"This is page {at} of 3." in told for at in (1, 2, 3, 4)] == [True, True, True, False]
    folders = sorted(path.name for path in Path("three-views").iterdir())
    assert folders == ["page-1", "page-2", "page-3"]
    assert Path("three-views/page-3/views.json").exists()
    assert main(["views", "three.pdf", "--page", "2", "--tokens", "9", "-o", "two"]) == 0
    out = capsys.readouterr().out
    assert "This is page 2 of 3.\nOther pages: --page 1 to --page 3, or --page all." in out
    assert Path("two/whole.png").exists()
    assert main(["budget", "three.pdf", "What?", "--page", "all"]) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if line.startswith("This is page")] == [
        f"This is page {at} of 3." for at in (1, 2, 3)
    ]


@pytest.mark.parametrize("verb", ["show", "views", "budget"])
def test_an_animation_is_not_shown_without_a_word(page, capsys, verb) -> None:
    frames = [Image.new("RGB", (120, 90), shade) for shade in ("red", "blue")]
    frames[0].save("cat.gif", save_all=True, append_images=frames[1:])
    flags = [] if verb == "budget" else ["--tokens", "9"]
    assert main([verb, "cat.gif", "What?", *flags]) == 0
    told = (
        "This is frame 1 of 2 of an animation.\nOther frames: --page 1 to --page 2, or --page all."
    )
    assert told in capsys.readouterr().out
    assert main([verb, "cat.gif", "What?", *flags, "--page", "2"]) == 0
    assert "This is frame 2 of 2 of an animation." in capsys.readouterr().out


def test_a_picture_comes_in_on_stdin(page, capsys, monkeypatch) -> None:
    for verb in (["show", "-", "What?"], ["views", "-", "What?"], ["budget", "-", "What?"]):
        with Path(page).open("rb") as file:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
            flags = [] if verb[0] == "budget" else ["--tokens", "9"]
            assert main([*verb, *flags]) == 0, capsys.readouterr().err
    assert Path("stdin-views-9-what.png").exists()
    assert Path("stdin-views/whole.png").exists()


def test_a_missing_library_names_its_extra(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    words = ["--cache", str(tmp_path), "-o", str(tmp_path / "eyes.json")]
    assert main(["eyetest", "rapidocr", *words]) == 2
    told = capsys.readouterr().err
    assert "pip install -c constraints.txt '.[ocr]' (in a checkout of homunculus)" in told
    assert "homunculus-vlm" not in told  # which is on no index


def test_the_module_is_the_command(tmp_path) -> None:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    run = subprocess.run(
        [sys.executable, "-m", "homunculus", "show", "absent.png"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.splitlines()[-1] == (  # a slow machine says first that it is looking
        "homunculus show: absent.png: no such file. Check the path and the current folder."
    )
    version = subprocess.run(
        [sys.executable, "-m", "homunculus", "--version"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert version.returncode == 0
    assert version.stdout.startswith("homunculus ")
