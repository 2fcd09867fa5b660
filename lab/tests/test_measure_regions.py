"""Blind spots, second questions, coverage and cost: by hand where a hand can tell."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from homunculus import Sight
from homunculus_lab.measure.cost import cost, engine
from homunculus_lab.measure.regions import COLUMNS, against, coverage, regions, section, summary
from homunculus_lab.measure.report import Measured
from homunculus_lab.measure.row import row
from homunculus_lab.measure.run import Config, bench
from homunculus_lab.measure.spend import Selection, keep, open_sheet
from homunculus_lab.measure.suite import Question
from homunculus_lab.measure.turns import pairs, sections, turn

Image = pytest.importorskip("PIL.Image", reason="needs the extra `measure`")
pytest.importorskip("kornia", reason="needs the extra `pixels`")

TARGET, NEAR, FAR = (0.0, 0.0, 32.0, 16.0), (48.0, 0.0, 80.0, 16.0), (208.0, 144.0, 240.0, 160.0)
"""On a page of 256 x 192: what is no farther than 64 pixels is near."""


def question(row: int, *boxes: tuple, image: str = "a.png", text: str = "") -> Question:
    path = Path("nowhere") / image
    return Question("mine", row, image, path, text or f"question {row}", ("x",), tuple(boxes))


@pytest.fixture
def sheet(tmp_path):
    Image.new("L", (256, 192), 240).save(tmp_path / "a.png")
    return open_sheet(tmp_path / "a.png", 256, 16)


def kept(level: torch.Tensor) -> Selection:
    return Selection(level, 1, lambda mode: torch.zeros(3, 1, 1, dtype=torch.uint8))


# ---- regions -------------------------------------------------------------------------------------


def test_each_answer_of_a_page_counts_for_the_place_it_stands_in(sheet) -> None:
    asked = [question(0, TARGET), question(1, NEAR), question(2, FAR), question(3)]
    level = torch.full((12, 16), torch.inf)
    level[0, 0:2] = 0  # the target whole, half of what is near, nothing of what is far
    level[0, 3] = 0
    told = regions(asked, 8.0)(kept(level), sheet, asked[0], TARGET)
    assert told[:3] == [1.0, 0.5, 0.0]
    near = regions(asked, 8.0)(kept(torch.zeros(12, 16)), sheet, asked[1], NEAR)
    assert near[:3] == [1.0, 1.0, 1.0]


def test_where_no_other_answer_stands_nothing_is_told(sheet) -> None:
    alone = question(0, TARGET)
    told = regions([alone], 8.0)(kept(torch.zeros(12, 16)), sheet, alone, TARGET)
    assert told[:3] == [1.0, None, None]
    touching = question(1, (16.0, 8.0, 64.0, 24.0))  # stands on the target: it is no other place
    told = regions([alone, touching], 8.0)(kept(torch.zeros(12, 16)), sheet, alone, TARGET)
    assert told[:3] == [1.0, None, None]


def test_density_is_kept_pixels_to_a_pixel(sheet) -> None:
    level = torch.full((12, 16), 1.0)
    level[0, :2] = 0
    level[6:] = torch.inf
    told = regions([], 8.0)(kept(level), sheet, question(0, TARGET), TARGET)[3:]
    assert told[0] == 1.0
    assert told[1] == 0.25  # all within 64 pixels is level 1
    middle = [(16 * x + 8 - 16, 16 * y + 8 - 8) for y in range(12) for x in range(16)]
    away = [at for at, (x, y) in enumerate(middle) if x * x + y * y > 64 * 64]
    share = [0.25 if at // 16 < 6 else 0.0 for at in away]
    assert told[2] == pytest.approx(sum(share) / len(share))


def noted(values: dict[str, list[list[float | None]]]) -> list[Measured]:
    """Questions with what a probe said of two rows."""
    return [
        Measured(
            question(at, image=f"{at}.png"),
            1.0,
            {},
            {"regions": {name: {"64": found[at]} for name, found in values.items()}},
        )
        for at in range(len(next(iter(values.values()))))
    ]


def test_means_and_differences_leave_out_what_cannot_be_told() -> None:
    some = noted({"grid": [[0.0, None], [0.5, 0.2]], "cut": [[1.0, None], [0.5, 0.7]]})
    table = summary(some, "regions", COLUMNS[:2], 0)
    assert table["grid"]["64"]["target"][0] == 0.25
    assert table["grid"]["64"]["secondary"][0] == 0.2
    gap = against(some, "regions", COLUMNS[:2], "grid", 0)
    assert list(gap) == ["cut - grid"]
    assert gap["cut - grid"]["64"]["target"][0] == 0.5
    assert gap["cut - grid"]["64"]["secondary"][0] == 0.5
    told = section(noted({"grid": [[1.0] * 6, [1.0, None, 0.0, 1.0, 1.0, 1.0]]}), 0)
    assert told["told"] == {"target": 2, "secondary": 1, "periphery": 2}


def test_coverage_is_the_certificate(sheet) -> None:
    at = (sheet, question(0, TARGET), TARGET)
    whole = keep(row("foveated", {"scout": lambda *_: None}), 0, sheet, 40, torch.zeros(12, 16))
    assert coverage(whole, *at)[:3] == [1.0, 1.0, 0.0]
    corner = torch.zeros(12, 16)
    corner[0, 0] = 1.0
    few = coverage(keep(row("saliency", {}), 0, sheet, 1, corner), *at)
    assert few == pytest.approx([1 / 192, 0.0, (11**2 + 15**2) ** 0.5, 0.0], rel=1e-5)
    assert coverage(keep(row("resize", {}), 0, sheet, 4, None), *at) == [1.0, 1.0, 0.0, None]


# ---- second questions ----------------------------------------------------------------------------


def test_a_pair_asks_of_two_places_in_other_words() -> None:
    same = [question(0, TARGET, text="a"), question(1, NEAR, text="a")]
    there = [question(2, TARGET, image="b.png"), question(3, TARGET, image="b.png")]
    good = [question(4, TARGET, image="c.png"), question(5, FAR, image="c.png")]
    (found,) = pairs([*same, *there, *good], None)
    assert {found.first.row, found.second.row} == {4, 5}
    many = [
        question(2 * at + one, box, image=f"{at}.png")
        for at in range(9)
        for one, box in enumerate((TARGET, FAR))
    ]
    assert len(pairs(many, None)) == 9
    some = pairs(many, 4)
    assert len(some) == 4
    assert some == pairs(many, 4)
    assert len({pair.second.image for pair in some}) == 4


def test_who_looks_once_loses_the_second_question_and_who_shrinks_loses_nothing(tmp_path) -> None:
    first, second = question(0, TARGET, text="here"), question(1, FAR, text="there")
    for one in (first, second):
        Image.new("L", (256, 192), 240).save(tmp_path / one.image)
    first, second = (replace(one, path=tmp_path / one.image) for one in (first, second))

    def looks(pixels, text: str, grid) -> Sight:
        found = torch.full((12, 16), -9.0)
        x0, y0, x1, y1 = (int(side) // 16 for side in (TARGET if text == "here" else FAR))
        found[y0:y1, x0:x1] = 0.0
        return Sight(found, sure=1.0)

    config = Config(task="evidence", tokens=(4, 192), methods=("grid", "resize"), side=256)
    setup = bench([first, second], config, None, {"scout": looks})
    (pair,) = pairs([first, second], None)
    told = turn(setup, pair)
    at = config.columns().index("evidence8")
    assert told["scores"]["grid"]["4"][at] == [0.0, 1.0]
    assert told["scores"]["grid"]["192"][at] == [1.0, 1.0]
    resize = told["scores"]["resize"]["4"][at]
    assert resize[0] == resize[1]
    (found,) = sections([told | {"image": "x"}], config.columns(), ["evidence8"], 0)
    assert {slots: drop[0] for slots, drop in found["drop"]["grid"].items()} == {"4": -1, "192": 0}
    assert found["columns"] == ["second", "again"]
    assert found["rows"][0]["scores"]["grid"]["4"] == [0.0, 1.0]
    assert (found["unit"], found["n"], found["images"]) == ("evidence8", 1, 1)


# ---- cost ----------------------------------------------------------------------------------------


def test_cost_is_a_share_of_the_untouched_request(sheet) -> None:
    asked = []

    def looks(pixels, text: str, grid) -> Sight:
        asked.append((int(pixels[0, 0, 0]), text))
        return Sight(torch.zeros(12, 16), sure=1.0)

    names = ("grid", "cut", "resize", "saliency", "oracle")
    found = cost(sheet, names, (8, 48), {"scout": looks}, 1)
    table = found["table"]
    assert table["full"]["all"]["ratio"] == 1.0
    assert table["full"]["all"]["tokens"] == found["cells"] == 192
    for name in names:
        for slots in ("8", "48"):
            cell = table[name][slots]
            parts = sum(cell[part] for part in ("encoder", "prefill", "scout", "choice"))
            assert cell["ratio"] == pytest.approx(parts, abs=1e-4)
            assert cell["tokens"] == int(slots)
    assert table["grid"]["8"]["scout"] == found["scout"]["first"]
    assert table["saliency"]["8"]["scout"] == found["scout"]["saliency"] > 0
    assert table["oracle"]["8"]["scout"] == table["resize"]["8"]["scout"] == 0.0
    assert table["resize"]["8"]["choice"] < table["cut"]["8"]["choice"]
    fresh = [pixel for pixel, _ in asked]
    assert len(set(fresh[:2])) == 2  # no memory has seen the page
    assert len({text for _, text in asked}) == 2


def test_figures_of_an_engine_are_kept_with_their_origin(tmp_path) -> None:
    told = {"rows": [{"kept": 273}], "shape": "big", "commit": "abc", "more": 1}
    (tmp_path / "bench.json").write_text(json.dumps(told))
    assert engine(tmp_path / "bench.json") == {
        "file": "bench.json", "shape": "big", "commit": "abc", "rows": [{"kept": 273}],
    }  # fmt: skip
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match="bench transformers"):
        engine(tmp_path / "other.json")
