"""Rows of official tasks: controls are there unless they are left out by name."""

import pytest
from PIL import Image

from homunculus.engines.cells.methods import list_methods
from homunculus_lab.official.documents import Document, document, others
from homunculus_lab.official.rows import Way, rows, way
from homunculus_lab.row_names import baseline_row, competes


def test_every_control_but_the_one_that_needs_boxes_always_runs() -> None:
    found = rows(["foveated"])
    controls = {"random", "uniform", "centre", "pool", "resize", "saliency", "blind", "prior"}
    assert {*controls, "shuffled", "grid", "full", "foveated"} == set(found)


def test_a_control_is_left_out_by_its_name_alone() -> None:
    assert set(rows(["foveated"])) - set(rows(["foveated"], ["resize", "full"])) == {
        "resize",
        "full",
    }
    with pytest.raises(ValueError, match="'foveated' is not one of"):
        rows(["foveated"], ["foveated"])
    assert "cut+shuffled" not in rows(["cut"], ["shuffled"])


def test_every_method_has_the_twins_that_decide_asks_for() -> None:
    found = rows(["all"])
    for row in (one for one in found if competes(one)):
        for baseline in ("grid", "resize", "blind", "shuffled"):
            assert baseline_row(row, baseline, found), (row, baseline)
    assert sum(map(competes, found)) > 8
    assert all(way(row, 64) for row in found)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("foveated", Way("foveated", 64)),
        ("shuffled", Way("foveated", 64, "shuffled")),
        ("cut+blind", Way("cut", 64, "blind")),
        ("prior", Way("foveated", 64, "prior")),
        ("grid+none", Way("grid", 64, "none")),
        ("saliency", Way("saliency", 64)),
        ("resize", Way("resize", 64)),
        ("full", Way("full", None)),
    ],
)
def test_a_row_is_a_method_and_whose_question_chooses(row, expected) -> None:
    assert way(row, 64) == expected


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("oracle", "needs answer"),
        ("foveated@view=20", "no @ options"),
        ("fovated", "Did you mean 'foveated'"),
        ("cut+mix-40-30-30", "question is own, "),
    ],
)
def test_rows_that_no_engine_has_are_refused(row, said) -> None:
    with pytest.raises(ValueError, match=said):
        way(row, 64)


def test_the_method_that_asks_another_question_is_told_how_it_is_spelled_here() -> None:
    assert list_methods()["shuffled"].source == "another question"
    with pytest.raises(ValueError, match="question=shuffled"):
        Way("shuffled")


def test_another_question_comes_from_another_image_of_the_same_task() -> None:
    told = {
        ("a", 0): Document("total?", ("x",)),
        ("a", 1): Document("date?", ("x",)),
        ("a", 2): Document("name?", ("y",)),
        ("b", 0): Document("cat?", ("z",)),
        ("b", 1): Document("dog?", ("w",)),
    }
    found = others(told, told)
    assert found["a", 0] == found["a", 1] == "name?"
    assert found["a", 2] in ("total?", "date?")
    assert (found["b", 0], found["b", 1]) == ("dog?", "cat?")


def test_a_document_is_known_by_its_pixels_and_not_by_its_question() -> None:

    def shown(colour: str, text: str) -> Document:
        part = {"type": "image", "image": Image.new("RGB", (8, 8), colour)}
        return document([{"role": "user", "content": [part, {"type": "text", "text": text}]}])

    one, same, other = shown("red", "a?"), shown("red", "b?"), shown("blue", "a?")
    assert one.image == same.image != other.image
    assert (one.question, same.question) == ("a?", "b?")
    bare = [document([{"role": "user", "content": [{"type": "text", "text": t}]}]) for t in "ab"]
    assert bare[0].image != bare[1].image, "documents without images are no group"
