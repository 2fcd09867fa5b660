"""Shown with its label: what counts, by hand; and a run over a suite of two pictures."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from homunculus.commands.main import main
from homunculus.pages.lines import Lines
from homunculus.planner.acuity import get_acuity
from homunculus.planner.models import token_rule
from homunculus.scouts.registry import get_scout
from homunculus_lab.measure import natural
from homunculus_lab.measure.natural import (  # fmt: skip
    Part,
    Place,
    Spot,
    auc,
    covered,
    estimate,
    read_questions,
    shown,
    summary,
    verdict,
)

VALUE, LABEL, HEADER = (
    Spot((100, 50, 140, 60), 10),
    Spot((0, 50, 60, 60), 10),
    Spot((100, 0, 140, 8), 8),
)
LABELLED = Place(VALUE, ((LABEL,),))
CROSSED = Place(VALUE, ((LABEL,), (HEADER,)))
ROW, COLUMN, ALL = (0, 45, 200, 65), (95, 0, 145, 65), (0, 0, 200, 100)


@pytest.mark.parametrize(
    ("place", "parts", "expected"),
    [
        (LABELLED, [Part(ROW, 1.0)], (True, True)),
        (LABELLED, [Part(COLUMN, 1.0)], (True, False)),
        (LABELLED, [Part(COLUMN, 1.0), Part((0, 45, 80, 65), 1.0)], (True, False)),  # in two views
        (LABELLED, [Part(ROW, 0.5)], (False, False)),  # too small for 8 px
        (CROSSED, [Part(ROW, 1.0)], (True, False)),
        (CROSSED, [Part(ALL, 1.0)], (True, False)),  # the header is 7.6 px high
        (CROSSED, [Part(ALL, 1.1)], (True, True)),
        (Place(VALUE, ()), [Part(COLUMN, 1.0)], (True, True)),
        (Place(VALUE, ((HEADER, LABEL),)), [Part(ROW, 1.0)], (True, True)),  # either will do
        (LABELLED, [], (False, False)),
    ],
)
def test_an_answer_needs_what_tells_that_it_is_the_answer(place, parts, expected) -> None:
    assert shown([place], parts, 8) == expected


def test_nine_tenths_of_a_box_are_enough() -> None:
    assert Part((0, 0, 136, 100), 1.0).shows(VALUE, 8)
    assert not Part((0, 0, 135, 100), 1.0).shows(VALUE, 8)
    assert covered((0, 0, 10, 10), (20, 20, 30, 30)) == 0


def row(image: str, views: int, resize: int, value: float = 0.5, sort: str = "literal") -> dict:
    ways = {
        name: {"shown": [told] * 4, "labelled": [told] * 4}
        for name, told in (("views", views), ("resize", resize))
    }
    cell = {"value": value, **ways}
    return {
        "image": image, "kind": "k", "sort": sort, "language": "en", "sure": value,
        "sure_of_other": 0.2, "budgets": {"64": cell, "128": cell, "256": cell},
    }  # fmt: skip


def test_the_verdict_is_by_cells_and_by_all_of_them() -> None:
    better = [row(f"{n}", n % 2, 0) for n in range(40)]
    assert (verdict(better, (64, 128, 256))["N1"], verdict(better, (64, 128, 256))["N2"]) == (1, 1)
    alike = [row(f"{n}", n % 2, n % 2) for n in range(200)]
    decided = verdict(alike, (64, 128, 256))
    assert decided["N1"]
    assert not decided["N2"]
    worse = [row(f"{n}", n % 2, 1) for n in range(40)]
    assert not verdict(worse, (64, 128, 256))["N1"]
    few = [row(f"{n}", 1, int(n > 1)) for n in range(40)]  # 5 points: sure or not, not enough
    assert not verdict(few, (64, 128, 256))["N2"]


def test_the_estimate_is_judged_on_all_questions_with_those_that_have_no_answer() -> None:
    found = [row("a", 1, 0, 0.9), row("b", 0, 0, 0.1), row("c", 0, 0, 0.2, "absent")]
    told = estimate(found, (64,))
    assert told["64"]["auc"] == 1.0
    assert told["64"]["absent_low"] == 1.0
    assert told["64"]["brier"] == pytest.approx((0.01 + 0.01 + 0.04) / 3, abs=1e-4)
    assert told["64"]["legible_shown"] == 1.0
    assert summary(found, (64,))["n"] == 2


def test_auc_by_hand() -> None:
    assert auc([1.0], [0.0]) == 1.0
    assert auc([0.0], [0.0]) == 0.5
    assert auc([], [0.0]) is None


def two_pictures(tmp_path: Path) -> None:
    """A suite of two pages with a question each."""
    (tmp_path / "images").mkdir()
    lines = []
    for number in range(2):
        page = Image.fromarray(np.full((600, 800, 3), 255, np.uint8))
        ImageDraw.Draw(page).text((100, 300), "Total due 41.50", fill="black", font_size=20)
        page.save(tmp_path / "images" / f"{number}.png")
        place = {"answer": [190, 300, 245, 322], "em": 20,
                 "tells": [[{"box": [100, 300, 185, 322], "em": 20}]]}  # fmt: skip
        asked = {"image": f"{number}.png", "question": f"What is the total due {number}?",
                 "answers": ["41.50"], "kind": "page", "sort": "literal",
                 "places": [place]}  # fmt: skip
        lines.append(json.dumps(asked))
    (tmp_path / "qa.jsonl").write_text("\n".join(lines))


def test_a_run_over_a_suite(tmp_path, capsys) -> None:
    two_pictures(tmp_path)
    out = tmp_path / "out.json"
    assert main(["measure", str(tmp_path), "--task", "shown", "-o", str(out)]) == 0
    assert "verdict.N1" in capsys.readouterr().out
    result = json.loads(out.read_text())
    assert result["n"] == 2
    assert result["model"] == "claude"
    assert result["table"]["256"]["resize"]["shown"][0] == 1.0


def test_pictures_are_given_the_lines_that_were_read(tmp_path, monkeypatch) -> None:
    two_pictures(tmp_path)
    given = list[Lines | None]()

    class Spy(natural.Planner):
        def __init__(self, picture, question, **options) -> None:
            given.append(picture.lines)
            super().__init__(picture, question, **options)

    def read(path: Path, picture) -> Lines:
        assert picture.size == (600, 800)
        return Lines.of([(path.stem, (190.0, 300.0, 245.0, 322.0))], "given")

    monkeypatch.setattr(natural, "Planner", Spy)
    settings = natural.Settings(token_rule("claude"), get_acuity("vlm"), get_scout("none"), (64,))
    natural.measure_shown([tmp_path], settings)
    assert given == [None] * 4  # each is also asked the other's question
    given.clear()
    natural.measure_shown([tmp_path], replace(settings, lines=read))
    assert [lines and lines.words for lines in given] == [("0",), ("0",), ("1",), ("1",)]


SUITE = Path(__file__).parents[2] / "suites" / "natural"


PARTS = {"develop": 64, "verdict": 64, "unseen": 48}


@pytest.mark.parametrize("part", PARTS)
def test_the_suite_has_its_pictures_and_its_boxes_lie_in_them(part: str) -> None:
    asked = read_questions(SUITE / part)
    images = dict[str, tuple[int, int]]()
    for path in {one.path for one in asked}:
        with Image.open(path) as picture:
            images[path.name] = picture.size
    assert (len(asked), len(images)) == (3 * PARTS[part], PARTS[part])
    for one in asked:
        assert bool(one.places) == (one.sort != "absent"), one
        spots = [spot for place in one.places for group in place.tells for spot in group]
        for spot in spots + [place.answer for place in one.places]:
            x0, y0, x1, y1 = spot.box
            wide, high = images[one.image]
            assert 0 <= x0 < x1 <= wide, one
            assert 0 <= y0 < y1 <= high, one
            assert 4 < spot.em <= 2 * high / 3, one


def test_no_picture_is_in_two_parts() -> None:
    asked = [one for part in PARTS for one in read_questions(SUITE / part)]
    images = [{one.image for one in read_questions(SUITE / part)} for part in PARTS]
    assert len(set.union(*images)) == sum(map(len, images)) == 176
    sorts = Counter(one.sort for one in asked)
    assert min(sorts["literal"], sorts["paraphrase"]) > 160
    assert min(sorts["cross"], sorts["absent"]) > 80


@pytest.mark.parametrize(
    ("flag", "name"),
    [
        (["--part", "fresh"], "part"),
        (["--methods", "cut"], "methods"),
        (["--no-scout"], "no-scout"),
    ],
)
def test_a_flag_that_would_be_ignored_is_refused(tmp_path, capsys, flag, name) -> None:
    assert main(["measure", str(tmp_path), "--task", "shown", *flag]) == 2
    assert f"--task shown does not use --{name}. Leave it out." in capsys.readouterr().err
