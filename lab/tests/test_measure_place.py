"""How sure a scout may be: answers against the probability of their places."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from homunculus import Sight
from homunculus_lab.measure.command import table
from homunculus_lab.measure.place import LEVELS, PlacedAnswer, measure_places, summary
from homunculus_lab.measure.suite import read

BOX = (320, 480, 384, 512)
"""The answer, on a page of 1,024 x 1,024."""


def suite(folder: Path, many: int = 4) -> Path:
    (folder / "images").mkdir(parents=True)
    rows = []
    for at in range(many):
        Image.new("RGB", (1024, 1024), "white").save(folder / "images" / f"{at}.png")
        rows.append({"image": f"{at}.png", "question": "?", "answers": ["a"], "boxes": [BOX]})
    (folder / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def scout(where: tuple[int, int], sure: float):
    """All of its map at the cell around one pixel, y x."""

    def ask(image, question, grid) -> Sight:
        logit = np.full(grid, -30.0)
        logit[where[0] * grid[0] // 1024, where[1] * grid[1] // 1024] = 0.0
        return Sight(logit, sure=sure)

    return ask


@pytest.mark.parametrize(
    ("where", "sure", "before"),
    [((496, 352), 0.9, 0.9), ((0, 0), 0.9, 1.0), ((496, 352), 0.0, 1.0)],
    ids=["right", "wrong", "unsure"],
)
def test_the_probability_of_what_is_likelier(tmp_path, where, sure, before) -> None:
    result = measure_places([suite(tmp_path / "toy")], scout(where, sure))
    rows = result["rows"]["toy all"]
    assert [row["before"] for row in rows] == [pytest.approx(before, abs=0.01)] * 4
    assert result["table"]["all"]["sure"] == sure
    assert "toy all" in table(result)


def test_a_scout_that_is_right_nine_times_in_ten_says_so(tmp_path) -> None:
    (question,) = read(suite(tmp_path / "one", many=1))
    right, wrong = PlacedAnswer(question, 0.9, 0.9, 1000.0), PlacedAnswer(question, 0.9, 1.0, 0.0)
    told = summary([right] * 9 + [wrong])
    assert told["held"] == [0.0] * 8 + [0.9, 1.0]
    assert told["error"] == pytest.approx(sum(LEVELS[:8]) / 10, abs=1e-3)
    best = max(told["log_likelihood"], key=told["log_likelihood"].__getitem__)
    assert best == "0.9"


def test_a_scout_that_knows_what_is_not_there_is_told_apart(tmp_path) -> None:
    folder = suite(tmp_path / "two", many=2)
    rows = [json.loads(line) for line in (folder / "qa.jsonl").read_text().splitlines()]
    rows[1]["question"] = "!"
    (folder / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    own = {"0.png": "?", "1.png": "!"}
    (folder / "images" / "1.png").unlink()
    Image.new("RGB", (1024, 1024), "black").save(folder / "images" / "1.png")

    def honest(image, question, grid) -> Sight:
        here = own["0.png" if image.mean() > 100 else "1.png"]
        return scout((496, 352), 0.9 if question == here else 0.0)(image, question, grid)

    told = measure_places([folder], honest)["table"]["all"]
    assert (told["silent"], told["silent_on_another"], told["right_if_known"]) == (0.0, 1.0, 1.0)
    told = measure_places([folder], scout((0, 0), 0.8))["table"]["all"]
    assert (told["silent"], told["silent_on_another"], told["right_if_known"]) == (0.0, 0.0, 0.0)
    assert told["sure_if_known"] == 0.8
