"""One fair fight: who must be in it, what is drawn and read, and what is written down."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from homunculus import Sight
from homunculus.commands.main import main
from homunculus.engines.cells.methods import list_methods
from homunculus_lab.decide.decision import decide
from homunculus_lab.decide.read import read as read_results
from homunculus_lab.measure import command
from homunculus_lab.measure.experiment import Setup, carry_out, config
from homunculus_lab.measure.plan import (
    CONTROLS,
    Experiment,
    driven,
    from_toml,
    units,
)
from homunculus_lab.measure.report import legend, text
from homunculus_lab.measure.row import row
from homunculus_lab.measure.suite import draw, read
from homunculus_lab.measure.table import folders
from homunculus_lab.results import from_text
from homunculus_lab.stats import INTERVALS

WHERE = {"first": (32, 32), "second": (176, 144)}
"""x y of the two striped words of a page; a question names one."""
SIZE = (64, 16)


class Stripes:
    """Reads a word wherever fine stripes are still to be seen."""

    name = "stripes 1"

    def line(self, crop) -> str:
        steps = np.abs(np.diff(crop.mean(0), axis=1))
        return "stripes" if steps.size and steps.mean() > 60 else ""

    def page(self, pixels):
        found = []
        for x, y in WHERE.values():
            box = (float(x), float(y), float(x + SIZE[0]), float(y + SIZE[1]))
            text = self.line(pixels[:, y : y + SIZE[1], x : x + SIZE[0]])
            found += [(text, box)] if text else []
        return found


def looks(pixels, question: str, grid) -> Sight:
    """A scout that goes where a question says; nowhere if it says nothing."""
    rows, cols = (side // 16 for side in pixels.shape[1:])
    found = np.full((rows, cols), -8.0)
    for name, (x, y) in WHERE.items():
        if name in question:
            found[y // 16 : (y + SIZE[1]) // 16, x // 16 : (x + SIZE[0]) // 16] = 0.0
    return Sight(found, sure=1.0)


def blind(pixels, question: str, grid) -> Sight:
    return looks(pixels, "", grid)


SCORERS = {"scout": looks, "blind": blind, "prior": blind}


def page(path: Path, at: int) -> None:
    picture = np.full((192, 256), 250 - at, np.uint8)
    for x, y in WHERE.values():
        picture[y : y + SIZE[1], x : x + SIZE[0] : 2] = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(path)


def written(folder: Path, boxed: bool = True, images: int = 3) -> Path:
    rows = []
    for at in range(images):
        page(folder / "images" / f"secret{at}.png", at)
        for name, (x, y) in WHERE.items():
            told = {"image": f"secret{at}.png", "question": f"the {name} of {at}"}
            told |= {"answers": ["stripes"]}
            rows.append(told | ({"boxes": [[x, y, x + SIZE[0], y + SIZE[1]]]} if boxed else {}))
    (folder / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """A folder of suites."""
    return tmp_path_factory.mktemp("fight") / "data"


@pytest.fixture(scope="module")
def suites(data) -> list[Path]:
    """Documents, photos, charts without boxes, and pictures without questions."""
    found = [written(data / name) for name in ("pages", "coco_open")]
    found.append(written(data / "chartqa_owid", boxed=False))
    silent = written(data / "osie")
    rows = [{"image": "secret0.png", "question": None, "answers": []}]
    (silent / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return [*found, silent]


SMALL = Experiment(methods=("cut", "foveated"), tokens=(16, 48), side=256, skip=("cost",))


@pytest.fixture(scope="module")
def result(suites, data) -> dict:
    """Of an experiment on all of them."""
    setup = Setup(SMALL, suites, Stripes(), SCORERS, "known")
    return carry_out(setup, data.parent / "run.json")


# ---- who is in it --------------------------------------------------------------------------------


def test_every_method_of_a_question_has_a_blind_and_a_shuffled_twin() -> None:
    rows = Experiment().rows
    twins = {"foveated": ("blind", "shuffled")}
    for name in driven():
        assert {name, *twins.get(name, (f"{name}+blind", f"{name}+shuffled"))} <= set(rows)
    spared = Experiment(methods=("cut",), without=("blind",)).rows
    assert "cut+shuffled" in spared
    assert not [row for row in spared if "blind" in row]


def test_all_are_the_methods_a_question_drives_and_every_control() -> None:
    rows = Experiment().rows
    asked = [name for name, one in list_methods().items() if one.source == "question"]
    assert set(asked) | set(CONTROLS) <= set(rows)
    assert {"grid", "foveated", "cut", "windows", "log-polar"} <= set(asked)
    assert "frequency" not in rows
    assert rows.count("resize") == 1
    assert {"grid+blind", "grid+shuffled", "cut+blind", "cut+shuffled"} <= set(rows)


def test_controls_and_grid_run_whatever_is_asked_for_unless_left_out_by_name() -> None:
    assert set(Experiment(methods=("cut",)).rows) >= {"grid", "cut", *CONTROLS}
    without = Experiment(methods=("cut",), without=("shuffled", "oracle")).rows
    assert not {"shuffled", "oracle", "cut+shuffled"} & set(without)
    assert "cut+blind" in without
    for wrong in ({"without": ("grid",)}, {"skip": ("controls",)}, {"tokens": ()}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Experiment(**wrong)


def test_a_control_that_is_left_out_stands_in_the_result(suites, tmp_path) -> None:
    asked = replace(SMALL, without=("random",), skip=("cost", "pages"))
    found = carry_out(Setup(asked, suites[:1], Stripes(), SCORERS, ""), tmp_path / "r.json")
    assert found["left_out"] == ["random"]
    assert "random" not in found["runs"][0]["table"]
    assert from_text((tmp_path / "r.json").read_text()) == json.loads(json.dumps(found))


def test_without_a_scout_there_is_no_fight(suites, tmp_path) -> None:
    with pytest.raises(ValueError, match="needs a scout"):
        carry_out(Setup(SMALL, suites, Stripes(), {}, ""), tmp_path / "r.json")


def test_mistakes_are_told_before_a_journal_is_begun(suites, tmp_path) -> None:
    odd = Setup(replace(SMALL, methods=("nonsuch",)), suites, Stripes(), SCORERS, "")
    with pytest.raises(ValueError, match="no method 'nonsuch'"):
        carry_out(odd, tmp_path / "r.json")
    lost = tmp_path / "lost"
    (lost / "images").mkdir(parents=True)
    (lost / "qa.jsonl").write_text((suites[0] / "qa.jsonl").read_text())
    with pytest.raises(ValueError, match="no image"):
        carry_out(Setup(SMALL, [lost], Stripes(), SCORERS, ""), tmp_path / "r.json")
    assert not list(tmp_path.glob("*.journal"))


# ---- what is drawn and read ----------------------------------------------------------------------


def test_a_draw_takes_as_many_images_as_it_can_and_a_larger_one_the_same_and_more(suites) -> None:
    questions = read(suites[0])
    three, four = draw(questions, 3), draw(questions, 4)
    assert len({one.image for one in three}) == 3
    assert {one.row for one in three} < {one.row for one in four}
    assert draw(questions, 3) == three
    assert any(draw(questions, 3, seed) != three for seed in range(1, 9))
    assert draw(questions, None) == questions


def test_each_kind_of_suite_is_read_in_its_own_way(suites) -> None:
    plan, skipped = units(SMALL, [(one.name, read(one)) for one in suites])
    told = {unit.name: unit for unit in plan}
    assert list(told) == [
        "pages", "pages/anywhere", "coco_open", "chartqa_owid",
    ]  # fmt: skip
    assert told["pages"].quote == ("crop/smooth", "evidence8")
    assert told["pages/anywhere"].quote == ("anywhere/smooth",)
    assert told["coco_open"].quote == ("evidence32",)
    assert told["chartqa_owid"].quote == ("anywhere/smooth",)
    assert told["chartqa_owid"].config.columns(False) == ("anywhere/smooth", "relaxed/smooth")
    assert skipped == {"osie": "suite has no questions: see --task gaze"}
    few, gone = units(replace(SMALL, reader="none"), [(one.name, read(one)) for one in suites])
    assert [unit.config.task for unit in few] == ["evidence"] * 2
    assert "chartqa_owid" in gone


@pytest.mark.parametrize(
    ("toml", "task", "quote", "kind"),
    [
        ('kind = "photo"', "things", ["evidence32"], "photos"),
        ('kind = "photo"\nboxes = "text"', "legibility", ["crop/smooth", "evidence8"], "photos"),
        ('kind = "screen"', "legibility", ["crop/smooth", "evidence8"], "screens"),
        ('kind = "scene"', "legibility", ["crop/smooth", "evidence8"], "scenes"),
    ],
)
def test_a_suite_is_measured_as_its_toml_says(tmp_path, toml, task, quote, kind) -> None:
    folder = written(tmp_path / "mine")
    (folder / "suite.toml").write_text(toml + "\n")
    small = replace(SMALL, skip=("cost", "pages"), tokens=(48,), limit=2)
    setup = Setup(small, [folder], Stripes(), SCORERS, "known")
    (run,) = carry_out(setup, tmp_path / "run.json")["runs"]
    assert (run["task"], run["quote"], run["kind"]) == (task, quote, kind)
    assert ("vqa/smooth" in run["columns"]) == (kind == "scenes")
    before = config(setup)["suites"]
    (folder / "suite.toml").write_text('kind = "document"\n')
    assert config(setup)["suites"] != before  # another run, not one to go on with


def test_scores_are_those_of_what_is_kept(result) -> None:
    by_name = {(one["suite"], one["quote"][0]): one for one in result["runs"]}
    crops = by_name["pages", "crop/smooth"]["table"]
    for name in ("cut", "foveated", "grid", "oracle"):
        assert crops[name]["48"]["crop/smooth"][0] == 1.0
    assert crops["resize"]["16"]["crop/smooth"][0] == 0.0
    assert crops["shuffled"]["16"]["crop/smooth"][0] < 1.0  # two of three name the same word
    assert crops["full"]["all"]["crop/smooth"][0] == 1.0
    charts = by_name["chartqa_owid", "anywhere/smooth"]
    assert charts["table"]["cut"]["48"]["anywhere/smooth"][0] == 1.0
    assert by_name["coco_open", "evidence32"]["task"] == "things"
    assert by_name["coco_open", "evidence32"]["columns"] == [
        "evidence32",
        "evidence16",
        "evidence64",
    ]
    assert "oracle" not in by_name["chartqa_owid", "anywhere/smooth"]["table"]
    assert by_name["chartqa_owid", "anywhere/smooth"]["left_out"] == ["oracle"]


def test_intervals_are_those_of_decide(result, data) -> None:
    decision = decide(read_results([data.parent / "run.json"]))
    tables = {(one["suite"], one["quote"][0]): one["table"] for one in result["runs"]}
    tasks = {one["task"]: one for one in decision["tasks"]}
    assert len(decision["rows"]) > 50
    for each in decision["rows"]:
        task = tasks[each["task"]]
        cell = tables[task["suite"], task["column"]][each["method"]][str(each["budget"])]
        assert cell[task["column"]] == pytest.approx([each["mean"], each["low"], each["high"]])


def test_the_printed_table_has_differences_and_the_words_of_the_report() -> None:
    cell = {"crop/smooth": (0.5, 0.2, 0.8)}
    result = {
        "suite": "mine", "n": 9, "images": 9, "columns": ["crop/smooth"],
        "config": {"tokens": [16], "patch": 32},
        "table": {row: {"16": cell} for row in ("views", "resize", "views+shuffled")},
        "paired": {"views - resize": {"16": {"crop/smooth": (0.31, -0.004, 0.62)}}},
    }  # fmt: skip
    lines = text(result).splitlines()
    assert lines[1] == f"Score from 0 to 1; tokens of 32 px (Qwen3-VL); {INTERVALS}."
    assert lines[3].split(maxsplit=1) == ["views", "0.50 [0.20, 0.80]"]
    assert lines[-2] == "Minus resize with as many tokens, in points (hundredths of the score)."
    assert lines[-1].split(maxsplit=1) == ["views", "+31 [0, +62]"]
    few = text(result | {"images": 5})
    assert "Fewer than 6 images cannot show a difference." in few
    assert "Minus resize" not in text(result | {"paired": {}})
    assert legend(result["table"]).endswith("views+shuffled: views with another image's question")


def test_no_image_and_no_path_is_named(result, data) -> None:
    text = (data.parent / "run.json").read_text()
    assert "secret" not in text
    assert str(data.parent) not in text
    rows = result["runs"][0]["rows"]
    assert len({one["id"] for one in rows}) == len(rows) == 6
    assert len({one["image"] for one in rows}) == 3


def test_questions_of_a_suite_of_ones_own_are_kept_for_its_report(result) -> None:
    told = {run["suite"]: {"question" in row for row in run["rows"]} for run in result["runs"]}
    assert told["pages"] == {True}
    assert told["coco_open"] == told["chartqa_owid"] == {False}


def test_a_result_tells_how_it_came_about(result) -> None:
    assert {"command", "commit", "versions", "hardware", "seed", "config"} <= result.keys()
    assert set(result["config"]["suites"]) == {"pages", "coco_open", "chartqa_owid", "osie"}
    assert result["config"]["weights"] == "known"
    assert result["config"]["reader"] == "stripes 1"
    assert "resumed_at" not in result


def test_a_run_that_was_cut_short_asks_only_what_is_left(suites, tmp_path) -> None:
    setup = Setup(SMALL, suites[:1], Stripes(), SCORERS, "")
    whole = carry_out(setup, tmp_path / "whole.json")
    asked: list[str] = []

    def tired(pixels, question: str, grid) -> Sight:
        asked.append(question)
        if len(asked) == 9:
            raise KeyboardInterrupt
        return looks(pixels, question, grid)

    weary = replace(setup, scorers=SCORERS | {"scout": tired})
    with pytest.raises(KeyboardInterrupt):
        carry_out(weary, tmp_path / "broken.json")
    before = len(asked)
    steps = []
    again = carry_out(weary, tmp_path / "broken.json", lambda done, *_: steps.append(done))
    assert again == whole
    assert steps[0] > 0  # what was done is not done again
    assert len(asked) - before < before + 20


def test_a_run_resumed_at_another_commit_says_so(suites, tmp_path, monkeypatch) -> None:
    setup = Setup(SMALL, suites[:1], Stripes(), SCORERS, "")

    def stop(done: int, total: int, unit: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out(setup, tmp_path / "r.json", stop)
    monkeypatch.setattr("homunculus.eyes.provenance.commit", lambda: "elsewhere")
    assert carry_out(setup, tmp_path / "r.json")["resumed_at"] == ["elsewhere"]


# ---- the verb ------------------------------------------------------------------------------------


@pytest.fixture
def verb(suites, data, tmp_path, monkeypatch):
    """The command with a scout and a reader that know the pages."""
    known = type("Known", (), {"weights": "known"})
    monkeypatch.setattr(command, "scouts", lambda *_, **__: SCORERS)
    monkeypatch.setattr(command, "load", lambda _: known)
    monkeypatch.setattr(command, "get_reader", lambda *_: Stripes())
    (tmp_path / "data").symlink_to(data)
    monkeypatch.chdir(tmp_path)
    few = ["--side", "256", "--skip", "cost", "pages", "--cache", "cache"]
    return lambda *given: main(["measure", *map(str, given), *few])


def test_flags_of_an_experiment_are_refused_for_one_suite(verb, capsys) -> None:
    assert verb("data/pages", "--methods", "grid,cut", "--tokens", "16") == 2
    assert "--without and --skip are for an experiment" in capsys.readouterr().err


def test_a_folder_of_suites_is_an_experiment_and_a_toml_is_the_same(verb, tmp_path, capsys) -> None:
    assert verb("data", "--methods", "cut,", "--tokens", "16,48", "--limit", 2, "-o", "a.json") == 0
    out = capsys.readouterr().out
    assert "pages: 2 questions, 2 images; crop/smooth" in out
    assert "skipped osie: suite has no questions" in out
    told = 'suites = ["data"]\nmethods = ["cut"]\ntokens = [16, 48]\nlimit = 2\n'
    (tmp_path / "fight.toml").write_text(told)
    assert verb("fight.toml", "-o", "b.json") == 0
    one, two = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    assert one == two
    assert verb("data", "-o", "a.json") == 2
    assert "not overwritten" in capsys.readouterr().err


def test_a_run_is_named_by_what_it_measures(verb, tmp_path) -> None:
    few = ("--tokens", "16", "--limit", "2", "--methods", "cut")
    assert verb("data/pages", "data/coco_open", *few) == 0
    assert verb("data/coco_open", "data/pages", *few, "--seed", "1") == 0
    assert len(list(tmp_path.glob("measure-*.json"))) == 2


def test_quick_is_small_and_every_flag_wins_over_it(verb, tmp_path) -> None:
    assert verb("data", "--quick", "--methods", "cut", "-o", "q.json") == 0
    config = json.loads((tmp_path / "q.json").read_text())["config"]
    assert (config["quick"], config["limit"], config["tokens"]) == (True, 3, [64, 273])
    assert verb("data", "--quick", "--limit", "2", "--methods", "cut", "-o", "r.json") == 0
    assert json.loads((tmp_path / "r.json").read_text())["config"]["limit"] == 2


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (["data", "--task", "gaze"], "--task gaze does not use --skip"),
        (["data", "--without", "grid"], "'grid' is not one of"),
        (["data/pages", "data/absent"], "no suite data/absent"),
        (["wrong.toml"], "no setting 'budget'"),
        (["broken.toml"], "is not valid TOML"),
        (["data", "-o", "no/where.json"], "no folder no"),
        (["data/osie", "data/osie"], "two suites are called osie"),
    ],
)
def test_what_cannot_be_run_says_why(verb, tmp_path, capsys, given, fault) -> None:
    (tmp_path / "wrong.toml").write_text("budget = 3")
    (tmp_path / "broken.toml").write_text("=")
    assert verb(*given) == 2
    assert fault in capsys.readouterr().err


def test_suites_are_found_in_folders_and_by_name(tmp_path, suites, data) -> None:
    found = folders((str(data),), Path)
    assert [one.name for one in found] == ["chartqa_owid", "coco_open", "osie", "pages"]
    assert folders((str(suites[0]),), Path) == [suites[0]]
    (tmp_path / "here").mkdir()
    (tmp_path / "one.toml").write_text('suites = ["here", "sroie"]')
    assert from_toml(tmp_path / "one.toml")["suites"] == (str(tmp_path / "here"), "sroie")


# ---- rows that are set otherwise -----------------------------------------------------------------


def test_options_reach_the_rule() -> None:
    assert row("foveated@view=20", SCORERS).methods[0].rule.field_of_view == 20.0
    assert row("cut@hedge=1", SCORERS).methods[0].rule.hedge == 1.0
    assert row("stratified@side=2", SCORERS).methods[0].rule.side == 2
    assert row("blind", SCORERS).scorer == "blind"
    assert row("blind", SCORERS).methods[0].name == "foveated"
    for wrong in ("grid@view=3", "grid+nobody"):
        with pytest.raises(ValueError, match="row grid"):
            row(wrong, SCORERS)
