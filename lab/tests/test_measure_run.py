"""The bench from end to end: on a drawn page with a reader made of stripes, and with a real one."""

import json
import re
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from homunculus import Sight
from homunculus.commands.main import main
from homunculus.eyes.readers import Readings
from homunculus.pages import to_array
from homunculus.pages.lines import Lines
from homunculus.planner.acuity import ACUITIES, Acuity
from homunculus.planner.models import token_rule
from homunculus_lab.measure.command import ahead
from homunculus_lab.measure.parts import part
from homunculus_lab.measure.readers import get_reader
from homunculus_lab.measure.row import row
from homunculus_lab.measure.run import Config, bench, measure
from homunculus_lab.measure.spend import keep, open_sheet, saliency
from homunculus_lab.measure.suite import read
from homunculus_lab.measure.views import keep_views, keep_whole, scout_belief

BOX = [160, 96, 240, 112]


class Stripes:
    """Reads TOTAL wherever fine stripes are still to be seen."""

    name = "stripes 1"

    def line(self, crop) -> str:
        steps = np.abs(np.diff(crop.mean(0), axis=1))
        return "TOTAL" if steps.size and steps.mean() > 60 else ""

    def page(self, pixels):
        left, top, right, bottom = BOX
        text = self.line(pixels[:, top:bottom, left:right])
        return [(text, tuple(map(float, BOX)))] if text else []


@pytest.fixture
def suite(tmp_path) -> Path:
    """Two pages with a striped word each, one of them asked twice."""
    folder = tmp_path / "striped"
    (folder / "images").mkdir(parents=True)
    left, top, right, bottom = BOX
    rows = []
    for name, questions in (
        ("a.png", ["What is the total?", "Is it right?"]),
        ("b.png", ["How much?"]),
    ):
        page = np.full((192, 256), 250, np.uint8)
        page[top:bottom, left:right:2] = 0
        Image.fromarray(page).save(folder / "images" / name)
        for text in questions:
            rows.append({"image": name, "question": text, "answers": ["total"], "boxes": [BOX]})
    (folder / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def dark(image: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    """Relevance of a scout that looks for ink: the spread of greys in each cell."""
    patch = image.shape[1] // grid[0]
    cells = image.mean(0, dtype=np.float32).reshape(grid[0], patch, grid[1], patch)
    spread = cells.std((1, 3))
    return np.log(spread / max(spread.max(), 1e-6) + 1e-6)


CONFIG = Config(tokens=(20, 60), side=256, reads=("crop", "anywhere"))


def test_the_told_read_all_and_the_shrunk_page_reads_nothing(suite) -> None:
    asked = []
    scorers = {
        "scout": lambda image, question, grid: (
            asked.append(question) or Sight(dark(image, grid), sure=1.0)
        ),
        "blind": lambda *_: Sight(np.zeros((12, 16)), sure=0.0),
    }
    steps = []
    tell = lambda done, total: steps.append((done, total))  # noqa: E731
    result = measure(part(read(suite)), CONFIG, Stripes(), scorers, tell)
    assert steps[-1] == (3, 3)
    assert (result["n"], result["images"], result["reader"]) == (3, 2, "stripes 1")
    rows = result["table"]
    assert set(rows) == {
        "full", "random", "uniform", "centre", "pool", "resize", "saliency", "cut+saliency",
        "oracle", "cut+scout", "cut+blind", "cut+shuffled",
    }  # fmt: skip
    for column in ("crop/smooth", "anywhere/smooth", "evidence8"):
        assert rows["full"]["all"][column][0] == 1.0
        assert rows["oracle"]["60"][column][0] == 1.0
        assert rows["resize"]["20"][column][0] == 0.0
        assert rows["cut+scout"]["60"][column][0] == 1.0
    assert rows["resize"]["60"]["evidence6"][0] == 1.0  # 16 px at a little over half size
    assert result["paired"]["oracle - resize"]["20"]["crop/smooth"][0] == 1.0
    assert "cut+scout - cut+blind" in result["paired"]
    # a page is scored once for all budgets, and once for both that got the same wrong question
    assert len(asked) == 5
    json.dumps(result)


def test_shuffled_is_asked_about_another_image_with_another_text(suite) -> None:
    asked = []
    scorers = {
        "scout": lambda image, question, grid: (
            asked.append(question) or Sight(np.zeros((12, 16)), sure=1.0)
        )
    }
    config = replace(CONFIG, methods=("cut+shuffled",), tokens=(20,), reads=("crop",))
    measure(part(read(suite)), config, Stripes(), scorers)
    assert asked[0] == "How much?"  # a page is scored once for the same question
    assert asked[-1] in ("What is the total?", "Is it right?")


def test_with_one_image_there_is_no_shuffled_control(suite) -> None:
    scorers = {"scout": lambda image, question, grid: Sight(np.zeros((12, 16)), sure=1.0)}
    config = replace(CONFIG, methods=("cut", "cut+shuffled"), tokens=(20,), reads=("crop",))
    result = measure(part(read(suite))[:1], config, Stripes(), scorers)
    assert list(result["table"]) == ["full", "cut"]
    with pytest.raises(ValueError, match="needs two images, and there is one"):
        measure(part(read(suite))[:1], replace(config, methods=("shuffled",)), Stripes(), scorers)


def test_evidence_needs_no_reader_and_legibility_does(suite) -> None:
    questions = part(read(suite))
    result = measure(questions, replace(CONFIG, task="evidence", methods=("oracle", "resize")))
    assert result["columns"] == ["evidence6", "evidence8", "evidence10", "evidence12"]
    assert result["table"]["oracle"]["20"]["evidence8"][0] == 1.0
    with pytest.raises(ValueError, match="needs a reader"):
        measure(questions, CONFIG)
    with pytest.raises(ValueError, match="no question to ask"):
        measure([], CONFIG, Stripes())


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("cut+scout", "no scorer 'scout'"),
        ("grid@1+saliency", "no hedge"),
        ("cut+shuffled", "no scorer"),
    ],
)
def test_a_row_that_cannot_be_run_says_why(name, fault) -> None:
    with pytest.raises(ValueError, match=fault):
        row(name, {})
    assert row("cut@0+saliency", {}).methods[0].rule.hedge == 0
    assert len(row("random", {}).methods) == 3


def test_no_row_spends_more_than_it_has(suite) -> None:
    sheet = open_sheet(suite / "images" / "a.png", 256, 16)
    for name in (
        "random",
        "uniform",
        "pool",
        "resize",
        "cut+saliency",
        "atlas+saliency",
        "windows+saliency",
    ):
        one = row(name, {})
        for slots in (1, 7, 64, 5000):
            kept = keep(one, 0, sheet, slots, saliency(sheet.page.pixels, sheet.page.grid))
            assert 1 <= kept.tokens <= min(slots, 192)
            assert kept.show().shape == (3, 192, 256)


def test_the_draws_of_random_differ(suite) -> None:
    sheet = open_sheet(suite / "images" / "a.png", 256, 16)
    one = row("random", {})
    first, second = (keep(one, draw, sheet, 20, None).level for draw in (0, 1))
    assert not first.equal(second)


def test_a_chart_is_read_anywhere(tmp_path) -> None:
    folder = tmp_path / "chartqa_owid"
    (folder / "images").mkdir(parents=True)
    page = np.full((192, 256), 250, np.uint8)
    page[96:112, 160:240:2] = 0
    Image.fromarray(page).save(folder / "images" / "a.png")
    rows = [
        {"image": "a.png", "question": text, "answers": [answer]}
        for text, answer in (("Which?", "Total"), ("Where?", "Peru"), ("How many?", "3"))
    ]
    (folder / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = measure(part(read(folder)), CONFIG, Stripes())
    assert (result["asked"], result["n"]) == (2, 1)  # Peru is not on the page, 3 is anywhere
    assert result["columns"] == ["anywhere/smooth"]
    assert "oracle" not in result["table"]


def test_readings_are_made_once(tmp_path) -> None:
    made = []
    pixels = np.zeros((3, 4, 4), np.uint8)
    for _ in range(2):  # also by the next process
        readings = Readings(tmp_path / "cache")
        for who, kind in (("a 1", "line"), ("a 2", "line"), ("a 1", "page")):
            key = f"{who} {kind}"
            found = readings.recall(who, kind, pixels, lambda key=key: made.append(key) or key)
            assert found == key
        readings.recall("a 1", "line", pixels + 1, lambda: made.append("other") or "other")
        readings.close()
    assert made == ["a 1 line", "a 2 line", "a 1 page", "other"]


def word(folder: Path) -> np.ndarray:
    """A page with two printed lines."""
    font = ImageFont.load_default(28)
    page = Image.new("RGB", (520, 260), "white")
    ImageDraw.Draw(page).text((40, 60), "Invoice 40723", font=font, fill="black")
    ImageDraw.Draw(page).text((40, 180), "Amount due", font=font, fill="black")
    page.save(folder / "page.png")
    return to_array(page)


@pytest.mark.parametrize("name", ["rapidocr", "tesseract"])
def test_a_real_reader_reads_print(tmp_path, name) -> None:
    try:
        eye = get_reader(name, tmp_path / "cache")
    except ValueError as absent:
        pytest.skip(str(absent))
    page = word(tmp_path)
    assert "40723" in eye.line(page[:, 55:105, 30:300])
    lines = eye.page(page)
    assert sorted(text.split()[0] for text, _ in lines) == ["Amount", "Invoice"]
    (left, top, right, bottom) = next(box for text, box in lines if "Invoice" in text)
    assert left < 60
    assert top < 80 < bottom
    assert right > 180
    assert eye.page(np.full_like(page, 255)) == []


def test_the_verb_measures_with_a_real_reader(tmp_path, capsys, monkeypatch) -> None:
    folder = tmp_path / "printed"
    (folder / "images").mkdir(parents=True)
    word(folder / "images")
    row = {"image": "page.png", "question": "Which invoice?", "answers": ["40723"]}
    row["boxes"] = [[38, 58, 232, 92]]
    (folder / "qa.jsonl").write_text(json.dumps(row | {"answers": ["Invoice 40723"]}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOMUNCULUS_DATA", str(tmp_path))
    rows = ["--methods", "resize", "oracle", "uniform", "--no-scout"]
    size = ["--tokens", "90", "--side", "520", "--cache", "cache"]
    assert main(["measure", "printed", *rows, *size]) == 0
    assert "printed: 1 question, 1 image;" in capsys.readouterr().out
    result = json.loads(Path("legibility-printed-all-520.json").read_text())
    assert [name for name in result["columns"] if "/" in name] == ["anywhere/smooth"]
    assert result["table"]["oracle"]["90"]["anywhere/smooth"][0] == 1.0
    assert result["table"]["uniform"]["90"]["anywhere/smooth"][0] < 0.5
    assert str(tmp_path) not in json.dumps(result)
    assert main(["measure", "absent"]) == 2
    assert "a suite is a folder" in capsys.readouterr().err


# ---- views ---------------------------------------------------------------------------------------


def spotted(image, question, grid) -> Sight:
    """A scout that knows the place of the box if it is asked about the total."""
    logit = np.full(grid, -9.0)
    y, x = (104 * grid[0] // 192, 200 * grid[1] // 256)
    if "total" in question:
        logit[y - 4 : y + 4, x - 20 : x + 20] = 0.0
    else:
        logit[:8, :8] = 0.0
    return Sight(logit, sure=0.98, size=16.0, size_error=0.2)


def test_views_read_what_resizing_cannot_and_only_by_the_question(suite) -> None:
    names = ("resize", "views", "views@context=0", "views+shuffled", "views+answer")
    eyes = Acuity("stripes", 15.0, 0.1)  # its stripes are lost by any shrinking
    config = replace(CONFIG, methods=names, tokens=(16, 24), acuity=eyes)
    asked = [one for one in part(read(suite)) if "right" not in one.text]
    result = measure(asked, config, Stripes(), {"scout": spotted})
    first = next(one for one in result["rows"] if one["row"] == 0)["scores"]
    columns = result["columns"]
    crop, evidence = columns.index("crop/smooth"), columns.index("evidence8")
    for name in ("views", "views@context=0", "views+answer"):
        assert first[name]["24"][crop] == 1.0
        assert first[name]["24"][evidence] > 0.8
    assert first["resize"]["24"][crop] == 0.0
    assert first["views+shuffled"]["24"][crop] == 0.0  # asked another image's question
    expected = result["rows"][0]["value"]  # by the planner, of rows that it planned
    assert expected.keys() == set(names) - {"resize"}
    assert 0 < expected["views"]["24"][0] <= expected["views+answer"]["24"][0] <= 1


class Reads:
    """A scout that finds the word of the page that it is given; without words it knows nothing."""

    def __call__(self, image, question, grid) -> Sight:
        return Sight(np.zeros(grid), sure=0.0)

    def with_lines(self, image, question, grid, lines: Lines) -> Sight:
        logit = np.full(grid, -9.0)
        high, wide = image.shape[1:]
        ((x0, y0, x1, y1),) = lines.boxes
        down = slice(int(y0 * grid[0] / high), int(y1 * grid[0] / high))
        logit[down, int(x0 * grid[1] / wide) : int(x1 * grid[1] / wide)] = 0.0
        return Sight(logit, sure=0.98, size=16.0, size_error=0.2)


def test_a_page_that_was_read_is_planned_with_its_lines(suite) -> None:
    names = ("resize", "views", "views+read", "cut+read")
    eyes = Acuity("stripes", 15.0, 0.1)
    config = replace(CONFIG, methods=names, tokens=(24,), side=256, acuity=eyes, lines="layer")

    def words(path: Path, picture) -> Lines:
        assert picture.size == (192, 256)  # as it is stored
        return Lines.of([("TOTAL", BOX)], "given")

    def scored(source) -> dict[str, list[float]]:
        asked = part(read(suite))
        result = measure(
            asked, config, Stripes(), {"scout": Reads(), "read": Reads()}, source=source
        )
        assert "views+read - views" in result["paired"]
        return {name: cells["24"]["crop/smooth"][0] for name, cells in result["table"].items()
                if name != "full"}  # fmt: skip

    seen = scored(words)
    assert (seen["resize"], seen["views"]) == (0.0, 0.0)
    assert (seen["views+read"], seen["cut+read"]) == (1.0, 1.0)
    assert scored(lambda path, picture: None)["views+read"] == 0.0  # nobody could read it


def test_windows_of_a_page_that_was_read_stand_on_its_lines(suite) -> None:
    config = replace(CONFIG, methods=("views", "views+read"), side=512)
    scorers = {"scout": Reads(), "read": Reads()}
    asked = part(read(suite))
    words = Lines.of([("TOTAL", BOX)], "given")
    made = bench(asked, config, Stripes(), scorers, source=lambda *_: words)
    sheet = made.sheet(asked[0])
    assert sheet.lines is not None
    assert sheet.lines.boxes.tolist() == [[2 * side for side in BOX]]  # as large as the page
    plain, told = (made.belief(row, sheet, asked[0], None) for row in made.rows)
    assert plain.layout is None
    assert told.layout is not None


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        (["--methods", "views+read"], "no scorer 'read'.*--lines says who reads"),
        (["--methods", "views", "--lines", "layer"], r"add --methods views\+read"),
        (["--methods", "views+read", "--lines", "layer", "--scout", "pixels"], "pixels does not"),
    ],
)
def test_lines_and_rows_that_read_need_each_other(suite, capsys, flags, fault) -> None:
    assert main(["measure", str(suite), "--task", "evidence", *flags]) == 2
    assert re.search(fault, capsys.readouterr().err)


def test_a_view_is_shown_from_its_own_pixels_alone(suite) -> None:
    """At full scale a window is the page; around it stands the small picture, enlarged."""
    sheet = open_sheet(read(suite)[0].path, 256, 16)
    belief = scout_belief(spotted, sheet, "What is the total?", ACUITIES["rapidocr"])
    kept = keep_views(sheet, 30, belief, ACUITIES["vlm"], row("views", {"scout": spotted}))
    assert kept.tokens <= 30
    whole, (window, (x, y)) = kept.apart()[:2]
    assert whole[0].shape == sheet.page.pixels.shape
    high, wide = window.shape[1:]
    page = kept.show()
    part = sheet.page.pixels[:, y : y + high, x : x + wide]
    assert np.array_equal(page[:, y : y + high, x : x + wide], part)
    assert float(kept.level.min()) == 0.0
    assert float(kept.level.max()) > 1.0
    left_out = keep_views(
        sheet, 8, belief, ACUITIES["vlm"], row("views@context=0", {"scout": spotted})
    )
    assert bool((left_out.show() == 200).any())
    assert not bool(left_out.level.isfinite().all())


@pytest.mark.parametrize("name", ["claude", "gpt-6", "gpt-4o"])
def test_rows_count_as_a_model_does(suite, name) -> None:
    names = (f"views@model={name}", f"resize@model={name}")
    tokens = (255,) if name == "gpt-4o" else (16,)
    config = replace(CONFIG, methods=names, tokens=tokens, side=1024)
    sheet = open_sheet(read(suite)[0].path, 1024, 16)
    result = measure(part(read(suite))[:2], config, Stripes(), {"scout": spotted})
    assert set(names) < set(result["rows"][0]["scores"])
    rule = token_rule(name)
    kept = keep_whole(sheet, tokens[0], rule)
    assert kept.tokens <= tokens[0]
    belief = scout_belief(spotted, sheet, "What is the total?", ACUITIES["rapidocr"])
    seen = keep_views(sheet, tokens[0], belief, ACUITIES["vlm"], row(names[0], {"scout": spotted}))
    assert seen.tokens <= tokens[0]
    assert len(seen.apart()) <= 4


@pytest.mark.parametrize(
    "name", ["views@share=1", "views+nobody", "resize@share=1", "views@model=nobody"]
)
def test_a_row_of_views_that_cannot_be_run_says_why(name) -> None:
    with pytest.raises(ValueError, match=r"it has no share|no scorer 'nobody'|no model 'nobody'"):
        row(name, {"scout": spotted})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "OCR reads whole pages, some seconds each, for every row, budget and question."),
        ({"read": ["crop"]}, ""),
        ({"read": None, "reader": "none"}, ""),
        ({"task": "evidence"}, ""),
        ({"quick": True}, "some seconds each: 16 questions of each suite. --skip pages leaves it"),
        ({"quick": True, "skip": ["pages"]}, ""),
    ],
)
def test_what_takes_long_is_said_beforehand(
    given: dict[str, Any], told: str, tmp_path: Path
) -> None:
    (tmp_path / "qa.jsonl").touch()
    usual = {"task": "legibility", "reader": None, "read": ["anywhere"], "skip": None}
    usual |= {"suite": [str(tmp_path)], "methods": ["views"], "quick": False, "pages": None}
    said = ahead(Namespace(**usual | given))
    assert told in said
    assert bool(told) == bool(said)


def test_legibility_without_a_reader_is_refused(suite, tmp_path, capsys) -> None:
    given = ["measure", str(suite), "--reader", "none", "--no-scout", "-o", str(tmp_path / "a")]
    assert main(given) == 2
    assert "legibility needs a reader" in capsys.readouterr().err
