"""Result files: small, and the same numbers when they are read again."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from homunculus_lab.results import from_text, pack, to_text

RESULTS = Path(__file__).parents[2] / "results"
LIMIT = 1_000_000
ROWS_WITH_SCORES = re.compile(r'"rows": ?\[\{[^}]*"scores"')

number = some.none() | some.integers(0, 9) | some.floats(0, 1)
name = some.sampled_from(["grid", "cut", "views+blind", "64", "all"])
cells = some.dictionaries(name, some.dictionaries(name, some.lists(number, max_size=3)))
row = some.fixed_dictionaries({"image": some.text(max_size=3)}, optional={"scores": cells})
run = some.fixed_dictionaries({"rows": some.lists(row, max_size=4), "n": number})


@given(some.fixed_dictionaries({"runs": some.lists(run, max_size=2), "left_out": some.none()}))
def test_a_result_is_read_as_it_was_written(result) -> None:
    assert from_text(to_text(result)) == result


def made(*scores: dict) -> dict:
    return {"rows": [{"image": str(at), "scores": one} for at, one in enumerate(scores)]}


def test_names_stand_once_and_not_for_each_question() -> None:
    result = made(*({"views+shuffled": {"64": [0.25, 1.0]}} for _ in range(50)))
    text = to_text(result)
    assert text.count("views+shuffled") == text.count('"64"') == 1
    assert json.loads(text)["scores"]["views+shuffled"]["64"] == [[0.25] * 50, [1] * 50]
    assert from_text(text) == result


def test_a_question_without_a_cell_has_none_again() -> None:
    result = made({"cut": {"64": [0.5]}}, {"cut": {"64": [0.5]}, "human": {"map": [1.5]}})
    assert json.loads(to_text(result))["scores"]["human"]["map"] == [[None, 1.5]]
    assert from_text(to_text(result)) == result


def test_rows_of_another_shape_stay_as_they_are() -> None:
    ragged = made({"cut": {"64": [0.5]}}, {"cut": {"64": [0.5, 0.5]}})
    assert pack(ragged) == ragged
    other = {"rows": ["grid", "cut"], "engine": {"rows": [{"clock": 1.5}]}}
    assert pack(other) == other


def test_a_file_of_the_old_form_is_read() -> None:
    result = made({"cut": {"64": [0.5]}})
    assert from_text(json.dumps(result)) == result


@pytest.mark.parametrize(
    "path",
    sorted(path for path in RESULTS.rglob("*") if path.is_file()),
    ids=lambda path: path.name,
)
def test_results_of_this_repository_are_small_and_compact(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.encode()) < LIMIT
    if path.suffix == ".json":
        assert not ROWS_WITH_SCORES.search(text), "written before scores stood beside the rows"


def test_a_file_of_the_old_form_would_be_noticed() -> None:
    result = made({"cut": {"64": [0.5]}})
    assert ROWS_WITH_SCORES.search(json.dumps(result))
    assert not ROWS_WITH_SCORES.search(to_text(result))
