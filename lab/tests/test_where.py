"""Is the answer's box shown? What counts, by hand; and runs over small pages."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from homunculus import Match, Sight
from homunculus.commands.main import main
from homunculus.eyes.readers import Readings
from homunculus.pages import open_picture
from homunculus.pages.lines import Lines
from homunculus.pages.ocr import get_ocr
from homunculus.scouts.registry import list_scouts
from homunculus_lab.measure import ways, where
from homunculus_lab.measure.natural import Part
from homunculus_lab.measure.suite import read
from homunculus_lab.measure.ways import SETTINGS, Setting, box_shown, found
from homunculus_lab.measure.where import Search, measure_where, possible_ways, where_rows
from homunculus_lab.measure.where_report import summary, text
from homunculus_lab.page_lines import KeptOcr, from_ocr, line_source, resized

SMALL = Setting("5 px", 512, True, "rapidocr", 5.0, (4, 16))
VALUE = (300.0, 200.0, 360.0, 216.0)
"""Where the answer stands, on a page of 400 x 300."""


def suite(folder: Path, count: int = 2) -> Path:
    """Pages with a line of print each, and a question about it."""
    (folder / "images").mkdir(parents=True)
    rows = []
    for number in range(count):
        page = Image.new("RGB", (400, 300), "white")
        ImageDraw.Draw(page).text((200, 200), f"Total {number} due   41.50", "black", font_size=16)
        page.save(folder / "images" / f"{number}.png")
        rows.append({"image": f"{number}.png", "question": f"What is the total {number} due?",
                     "answers": ["41.50"], "boxes": [VALUE]})  # fmt: skip
    (folder / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def no_lines(path: Path, picture) -> None:
    """A source of words that has none."""


@pytest.mark.parametrize(
    ("parts", "height", "expected"),
    [
        ([Part((290, 190, 370, 220), 0.5)], 8, True),
        ([Part((290, 190, 370, 220), 0.49)], 8, False),  # too small
        ([Part((290, 190, 370, 220), 1.0)], 40, True),  # as high as it is
        ([Part((290, 190, 370, 220), 3.0)], 40, True),
        ([Part((290, 190, 370, 220), 0.9)], 40, False),
        ([Part((306, 190, 370, 220), 1.0)], 8, True),  # nine tenths of it
        ([Part((307, 190, 370, 220), 1.0)], 8, False),
        ([Part((290, 190, 330, 220), 1.0), Part((330, 190, 370, 220), 1.0)], 8, False),
        ([], 8, False),
    ],
)
def test_one_view_has_to_hold_the_box_high_enough(parts, height, expected) -> None:
    assert box_shown([VALUE], parts, height) is expected
    assert box_shown([(0.0, 0.0, 9.0, 9.0), VALUE], parts, height) is expected  # any box will do


def test_what_was_found_of_a_question() -> None:
    there = (0.0, 0.0, 0.1, 0.1)

    def seen(*pairs: tuple[str, float]) -> str:
        matches = tuple(Match(word, share, there) for word, share in pairs)
        return found(Sight(np.zeros((2, 2)), sure=1.0, matches=matches))

    assert seen(("total", 0.1), ("quarterly", 0.5)) == "rarest"
    assert seen(("total", 0.5), ("quarterly", 0.1)) == "some"
    assert seen(("total", 0.1), ("quarterly", 0.1)) == "none"
    assert seen() == "unsaid"


def test_the_planner_that_is_told_the_box_shows_it_and_the_resized_picture_does_not(
    tmp_path,
) -> None:
    search = Search(("resize", "told"), no_lines, settings=(SMALL,))
    for row in where_rows(read(suite(tmp_path / "toy")), search):
        ways = row["5 px"]
        assert [shown for shown, _ in ways["told"]["budgets"].values()] == [1, 1]
        assert ways["told"]["budgets"]["4"][1] > 0.8
        assert ways["told"]["log_share"] > 3
        assert ways["resize"]["budgets"]["4"] == [0, None]  # 16 px become 2
        assert ways["resize"]["budgets"]["16"][0] == 1


def test_boxes_are_those_of_the_scaled_page(tmp_path, monkeypatch) -> None:
    """A scout that looks elsewhere shows nothing; one at the box's place does, at any side."""

    def at(x: float, y: float):
        def scout(image, question, grid) -> Sight:
            logit = np.full(grid, -30.0)
            across = slice(int((x - 30) / 400 * grid[1]), int((x + 30) / 400 * grid[1]) + 1)
            logit[int((y - 8) / 300 * grid[0]) : int((y + 8) / 300 * grid[0]) + 1, across] = 0.0
            return Sight(logit, sure=1.0, size=16.0 * image.shape[1] / 300)

        return scout

    questions = read(suite(tmp_path / "toy", 1))
    for side in (200, 512, 1024):
        setting = Setting("5 px", side, True, "rapidocr", 5.0, (8,))
        for place, expected in (((330, 208), 1), ((40, 40), 0)):
            monkeypatch.setitem(list_scouts(), "auto", lambda place=place: at(*place))
            (row,) = where_rows(questions, Search(("words",), no_lines, settings=(setting,)))
            assert row["5 px"]["words"]["budgets"]["8"][0] == expected, (side, place)


def test_ways_that_read_are_given_lines_and_the_others_none(tmp_path, monkeypatch) -> None:
    given = dict[str, list]()

    class Spy(ways.Planner):
        def __init__(self, picture, question, **options) -> None:
            given.setdefault(options["scout"].name, []).append(picture.lines)
            super().__init__(picture, question, **options)

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def __call__(self, image, question, grid) -> Sight:
            return Sight(np.zeros(grid), sure=0.5 if "0" in question else 0.2)

    monkeypatch.setattr(ways, "Planner", Spy)
    assert ("reading" in possible_ways()) == ("reading" in list_scouts())
    monkeypatch.setitem(list_scouts(), "reading", lambda: Named("reading"))
    monkeypatch.setitem(list_scouts(), "auto", lambda: Named("auto"))

    def lines(path: Path, picture) -> Lines:
        assert picture.size == (300, 400)  # the page as it is stored
        return Lines.of([("41.50", VALUE)], "given")

    assert set(possible_ways()) >= {"words", "reading", "both"}
    search = Search(("words", "reading"), lines, settings=(SMALL,))
    rows = list(where_rows(read(suite(tmp_path / "toy")), search))
    assert given["auto"] == [None] * 4  # two questions, each also asked of the other page
    assert [held.boxes.tolist() for held in given["reading"]] == [
        [pytest.approx([side * 1.28 for side in VALUE])]
    ] * 4
    assert [row["words_read"] for row in rows] == [1, 1]
    assert rows[0]["5 px"]["reading"]["sure"] == 0.5
    assert rows[0]["5 px"]["reading"]["sure_of_other"] == 0.2


def test_what_needs_no_lines_is_kept(tmp_path, monkeypatch) -> None:
    questions = read(suite(tmp_path / "toy"))
    search = Search(("words", "told"), no_lines, Readings(tmp_path / "kept"), (SMALL,))
    first = list(where_rows(questions, search))
    monkeypatch.setattr(ways, "Planner", None)  # any call would fail
    assert list(where_rows(questions, search)) == first
    monkeypatch.setattr(where, "planning_code", lambda *files: "changed")
    with pytest.raises(TypeError):
        list(where_rows(questions, search))


class FakeOcr:
    """An OCR that always reads two words at one place of what it is given."""

    name = "fake"

    def __init__(self) -> None:
        self.sizes = list[tuple[int, int]]()

    def __call__(self, pixels):
        self.sizes.append(pixels.shape[1:])
        return [("Total due", (160.0, 16.0, 320.0, 32.0))]


def test_what_an_ocr_reads_of_a_smaller_picture_is_put_back_and_kept(tmp_path) -> None:
    ocr, picture = FakeOcr(), open_picture(Image.new("RGB", (3200, 640), "white"))
    for _ in range(2):
        lines = from_ocr(KeptOcr(ocr, tmp_path))(Path("a.png"), picture)
        assert lines.words == ("Total", "due")
        assert lines.source == "fake"
        assert lines.line_boxes.tolist() == [[320.0, 32.0, 640.0, 64.0]]
    assert ocr.sizes == [(320, 1600)]
    assert line_source("layer")(Path("a.png"), picture) is None


def test_an_ocr_that_fails_ends_the_run(tmp_path) -> None:
    """A page without words would count as if nothing could be read there."""

    def broken(pixels):
        raise OSError

    picture = open_picture(Image.new("RGB", (64, 64), "white"))
    with pytest.raises(RuntimeError, match=r"a\.png: The OCR broken failed"):
        from_ocr(KeptOcr(get_ocr(broken), tmp_path))(Path("a.png"), picture)


def test_a_picture_is_enlarged_only_if_it_may_be() -> None:
    picture = open_picture(Image.new("RGB", (100, 50), "white"))
    assert resized(picture, 200).size == resized(picture, 200).original == (100, 200)
    assert resized(picture, 200, grow=False).size == (50, 100)
    assert resized(picture, 50, grow=False).size == (25, 50)


def rows(count: int, shown: dict[str, int]) -> list[dict]:
    """Questions on pages of their own, with the same outcome."""
    made = []
    for number in range(count):
        ways = {
            way: {"budgets": {"16": [seen, 0.5], "128": [1, 0.9]}, "sure": 0.9,
                  "sure_of_other": 0.1, "log_share": 2.0,
                  "found": "rarest" if number % 2 else "none"}
            for way, seen in shown.items()
        }  # fmt: skip
        made.append({"suite": "s", "row": number, "image": f"{number}", "words_read": 4, "x": ways})
    return made


def test_the_summary_by_hand() -> None:
    some = rows(40, {"resize": 0, "words": 0, "told": 1})
    for row in some[:10]:
        row["x"]["words"]["budgets"]["16"][0] = 1
    told = summary(some, {"x": {"tokens": [16, 128]}}, ("resize", "words", "told"))
    table = told["table"]["s"]["x"]
    assert table["shown"]["words"]["16"]["mean"] == 0.25
    low, high = table["shown"]["words"]["16"]["interval"]
    assert 0.1 < low < 0.25 < high < 0.45
    differences = {
        (entry["way"], entry["tokens"], entry["less"], entry["than"]): entry["mean"]
        for entry in table["differences"]
    }
    assert differences["words", 16, "resize", 16] == 0.25
    assert differences["told", 16, "words", 16] == 0.75
    assert differences["words", 16, "resize", 128] == -0.75  # eight times the tokens
    assert table["with_words"] == {}
    gaps = table["calibration"]["words"]
    assert (gaps["all"]["n"], gaps["all"]["16"], gaps["all"]["128"]) == (40, 0.25, -0.1)
    assert (gaps["rarest"]["n"], gaps["none"]["n"]) == (20, 20)
    assert table["sure_auc"]["words"] == {"auc": 1.0, "own": 0.9, "other": 0.1}
    assert "pooled" not in told


def test_questions_whose_words_were_read_are_also_counted_apart() -> None:
    first, second = rows(5, {"reading": 1}), rows(15, {"reading": 0})
    some = first + [row | {"words_read": 0} for row in second]
    told = summary(some, {"x": {"tokens": [16, 128]}}, ("reading",))
    assert told["with_words"] == {"s": 5}
    assert told["table"]["s"]["x"]["shown"]["reading"]["16"]["mean"] == 0.25
    assert told["table"]["s"]["x"]["with_words"] == {"reading": {"16": 1.0, "128": 1.0}}
    assert "shown where words were read" in text(told)


def test_suites_have_equal_weight_when_they_are_pooled() -> None:
    first, second = rows(40, {"resize": 0, "words": 1}), rows(10, {"resize": 1, "words": 1})
    every = first + [row | {"suite": "t"} for row in second]
    told = summary(every, {"x": {"tokens": [16, 128]}}, ("resize", "words"))
    pooled = {entry["tokens"]: entry["mean"] for entry in told["pooled"]["x"]
              if entry["less"] == "resize" and entry["than"] == entry["tokens"]}  # fmt: skip
    assert pooled[16] == 0.5
    assert "all suites with equal weight" in text(told)


def test_the_verb(tmp_path, capsys) -> None:
    folder, out = suite(tmp_path / "toy"), tmp_path / "out.json"
    common = ["measure", str(folder), "--task", "where", "--cache", str(tmp_path / "kept")]
    assert main([*common, "--methods", "resize", "words", "told", "-o", str(out)]) == 0
    said = capsys.readouterr().out
    assert "toy, print of 5 px: 2 questions, 2 images or documents" in said
    result = json.loads(out.read_text())
    assert list(result["settings"]) == [setting.name for setting in SETTINGS]
    assert result["table"]["toy"]["5 px"]["shown"]["told"]["16"]["mean"] == 1.0
    assert "commit" in result
    assert "What is the total" not in out.read_text()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--side", "512"], "--task where does not use --side. Leave it out."),
        (["--methods", "cut"], "--task where: no way 'cut'"),
        (["--scout", "words"], "--task where compares scouts of its own"),
    ],
)
def test_what_would_be_ignored_is_refused(tmp_path, capsys, flags, message) -> None:
    assert main(["measure", str(suite(tmp_path)), "--task", "where", *flags]) == 2
    assert message in capsys.readouterr().err


def test_lines_are_of_no_use_to_other_tasks(tmp_path, capsys) -> None:
    assert main(["measure", str(suite(tmp_path)), "--lines", "layer", "--task", "place"]) == 2
    assert "--task place does not use --lines" in capsys.readouterr().err


def test_a_suite_without_boxes_is_refused(tmp_path) -> None:
    folder = suite(tmp_path / "bare", 1)
    row = {"image": "0.png", "question": "?", "answers": ["41.50"]}
    (folder / "qa.jsonl").write_text(json.dumps(row))
    with pytest.raises(ValueError, match="bare has no boxes"):
        measure_where([folder], Search(("resize",), no_lines))
