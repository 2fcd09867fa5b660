"""Suites and their parts: what is for training is never met in a test."""

import json
import os
from pathlib import Path

import pytest

from homunculus_lab.measure.parts import part
from homunculus_lab.measure.suite import kind, read
from homunculus_lab.measure.vendors import alike

DATA = os.environ.get("HOMUNCULUS_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="HOMUNCULUS_DATA names no folder of suites")


def written(folder: Path, rows: list[dict]) -> Path:
    (folder / "images").mkdir(parents=True)
    (folder / "qa.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return folder


def test_boxes_are_whole_pixels_and_stand_once(tmp_path) -> None:
    boxes = [[1.2, 2, 30, 20.4], [1, 2, 30, 20], [5, 5, 7, 50]]
    row = {"image": "a.png", "question": "?", "answers": ["x"], "boxes": boxes}
    (found,) = read(written(tmp_path / "mine", [row]))
    assert found.boxes == ((1.0, 2.0, 30.0, 20.0),)
    assert part([found], "all") == [found]
    with pytest.raises(ValueError, match="mine has no part 'pilot'"):
        part([found], "pilot")


def test_a_suite_without_any_box_is_read_wherever_its_answers_stand(tmp_path) -> None:
    row = {"image": "a.png", "question": "?", "answers": ["Lisbon"]}
    bare = read(written(tmp_path / "mine", [row, row | {"answers": ["7"]}]))
    assert [one.answers for one in part(bare)] == [("Lisbon",)]  # a lone digit is met by chance
    assert kind(bare) == "chart"
    boxed = row | {"boxes": [[0, 0, 30, 20]]}
    some = read(written(tmp_path / "some", [row, boxed]))
    assert [one.row for one in part(some)] == [1]
    assert kind(some) == "document"


def test_one_answer_and_one_box_need_no_list(tmp_path) -> None:
    row = {"image": "a.png", "question": "?", "answers": "41", "boxes": [10, 20, 60, 40]}
    (one,) = read(written(tmp_path / "one", [row]))
    assert one.answers == ("41",)
    assert one.boxes == ((10.0, 20.0, 60.0, 40.0),)
    assert read(written(tmp_path / "number", [row | {"answers": [41]}]))[0].answers == ("41",)
    for name, wrong in (("boxes", [[10, 20]]), ("boxes", "all"), ("answers", {"a": 1})):
        folder = written(tmp_path / f"wrong-{len(str(wrong))}", [row | {name: wrong}])
        with pytest.raises(ValueError, match=r"qa.jsonl, line 1: (a box is|answers must)"):
            read(folder)


def test_a_line_that_cannot_be_used_is_named(tmp_path) -> None:
    good = json.dumps(
        {"image": "a.png", "question": "?", "answers": ["one\u2028line"]}, ensure_ascii=False
    )
    folder = written(tmp_path / "mine", [])
    for line, told in (
        ("{'no': 1}", "line 3: not valid JSON"),
        ("{}", "line 3: no 'image'"),
        ("7", "'image'"),
    ):
        (folder / "qa.jsonl").write_text(f"{good}\n\n{line}\n", "utf-8")
        with pytest.raises(ValueError, match=rf"mine/qa\.jsonl, .*{told}"):
            read(folder)
    (folder / "qa.jsonl").write_text(f"{good}\n\n{good}\n", "utf-8")
    assert [one.row for one in read(folder)] == [0, 2]


def test_a_folder_that_is_no_suite_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"expected a folder with qa\.jsonl"):
        read(tmp_path)
    with pytest.raises(ValueError, match="no part 'exam'"):
        part([], "exam")


def declared(folder: Path, toml: str) -> Path:
    (folder / "suite.toml").write_text(toml)
    return folder


def test_a_suite_says_in_its_toml_what_it_is(tmp_path) -> None:
    box = [[0, 0, 30, 20]]
    rows = [
        {"image": "a.png", "question": "?", "answers": [word], "boxes": box, "field": field}
        for word, field in (("Lisbon", "town"), ("no", "town"), ("Mexico", "country"))
    ]
    folder = written(tmp_path / "mine", rows)
    declared(folder, 'kind = "photo"\nfields = ["town"]\nleast_letters = 3\nsplit = "question"\n')
    questions = read(folder)
    assert kind(questions) == "photo"
    assert questions[0].config.things
    assert [one.answers for one in part(questions)] == [("Lisbon",)]
    assert [one.row for one in part(questions, "pilot")] == [0]
    assert not read(declared(folder, 'kind = "photo"\nboxes = "text"\n'))[0].config.things
    assert read(declared(folder, 'kind = "scene"\n'))[0].config.metrics("scene") == ("anls", "vqa")
    assert read(declared(folder, "least_aspect = 2\n"))[0].config.least_aspect == 2


def test_without_a_toml_a_suite_holds_documents_unless_its_name_is_known(tmp_path) -> None:
    row = {"image": "a.png", "question": "?", "answers": ["Lisbon"], "boxes": [[0, 0, 30, 20]]}
    kinds = {}
    for name in ("mine", "coco_open", "icdar2015"):
        kinds[name] = kind(read(written(tmp_path / name, [row])))
    assert kinds == {"mine": "document", "coco_open": "photo", "icdar2015": "scene"}
    assert kind(read(declared(tmp_path / "coco_open", ""))) == "document"  # the file decides


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("knd = 'photo'", r"mine/suite\.toml: no key 'knd'.*kind, boxes.*Did you mean 'kind'\?"),
        ("kind = 'photos'", r"mine/suite\.toml: kind = 'photos'.*screen.*Did you mean 'photo'\?"),
        ("kind = 3", r"mine/suite\.toml: kind = 3 is not known. There are document"),
        ("split = 'images'", "split = 'images'.*vendor.*Did you mean 'image'"),
        ("fields = 'town'", r"mine/suite\.toml: fields is a list of strings, got 'town'"),
        ("least_letters = 1.5", "least_letters is a whole number from 0, got 1.5"),
        ("least_letters = true", "least_letters is a whole number from 0, got True"),
        ("least_aspect = -1", "least_aspect is a number from 0, got -1"),
        ("kind = ", r"mine/suite\.toml is not valid TOML"),
    ],
)
def test_a_wrong_key_of_a_toml_is_refused_with_the_nearest_name(tmp_path, toml, message) -> None:
    folder = declared(written(tmp_path / "mine", []), toml)
    with pytest.raises(ValueError, match=message):
        read(folder)


def test_spellings_of_a_company_are_one_vendor() -> None:
    names = ["RESTORAN WAN SHENG", "RSTORAN WAN SHENG", "RESTORAN SIN DU", "MR. D.I.Y. (M) SDN BHD"]
    name = alike([*names, "MR DIY SDN BHD"])
    assert name[names[0]] == name[names[1]] != name[names[2]]
    assert name[names[3]] == name["MR DIY SDN BHD"]


@pytest.mark.data
@needs_data
def test_no_image_and_no_vendor_of_training_is_tested() -> None:
    questions = read(Path(DATA) / "sroie")
    parts = {name: part(questions, name) for name in ("pilot", "fresh", "dev", "train")}
    for name, rows in parts.items():
        assert len({(one.image, one.text) for one in rows}) == len(rows) >= 60, name
        if name != "train":
            assert not {one.image for one in rows} & {one.image for one in parts["train"]}
            assert not {one.vendor for one in rows} & {one.vendor for one in parts["train"]}
            assert {one.seen for one in rows} == {False}
    for test in ("pilot", "fresh"):
        assert not {one.vendor for one in parts[test]} & {one.vendor for one in parts["dev"]}
    assert not {one.image for one in parts["pilot"]} & {one.image for one in parts["fresh"]}


@pytest.mark.data
@needs_data
@pytest.mark.parametrize("suite", ["icdar2015", "local/docvqa_gaze"])
def test_documents_and_street_words_are_for_testing_alone(suite) -> None:
    questions = read(Path(DATA) / suite)
    pilot, fresh = part(questions, "pilot"), part(questions, "fresh")
    assert len(pilot) == 60
    assert not {one.row for one in pilot} & {one.row for one in fresh}
    if suite == "icdar2015":
        assert len({one.image for one in pilot}) == 60
        assert not {one.image for one in pilot} & {one.image for one in fresh}
    for name in ("train", "dev"):
        with pytest.raises(ValueError, match="is for testing"):
            part(questions, name)


@pytest.mark.data
@needs_data
def test_the_pilot_is_the_one_the_first_figures_were_made_with() -> None:
    first = {  # lines of qa.jsonl, as the pilot drew them
        "sroie": [412, 108, 744, 308, 856, 288, 444, 324],
        "icdar2015": [394, 543, 295, 453, 171, 548, 118, 211],
        "local/docvqa_gaze": [177, 66, 78, 204, 107, 113, 124, 132],
    }
    for suite, rows in first.items():
        assert [one.row for one in part(read(Path(DATA) / suite), "pilot")][:8] == rows


def test_images_may_stand_elsewhere(tmp_path, monkeypatch) -> None:
    (tmp_path / "far").mkdir()
    row = {"image": "a/b.png", "question": "Where?", "answers": ["there"], "boxes": [[0, 0, 9, 9]]}
    (tmp_path / "qa.jsonl").write_text(json.dumps(row))
    (tmp_path / "suite.toml").write_text('images = "$PLACE/far"')
    monkeypatch.setenv("PLACE", str(tmp_path))
    (one,) = read(tmp_path)
    assert one.path == tmp_path / "far" / "a" / "b.png"
    monkeypatch.delenv("PLACE")
    with pytest.raises(ValueError, match=r"expected a folder with qa.jsonl and \$PLACE/far/"):
        read(tmp_path)


@pytest.mark.parametrize("name", ["photos", "mixed_things", "mixed_print"])
def test_our_own_questions_are_sound(name: str, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("HOMUNCULUS_DATA", str(tmp_path))
    folder = Path(__file__).parents[2] / "suites" / name
    found = read(folder)
    told = (folder.parent / "README.md").read_text("utf-8")
    assert f"| `{name}` | {len(found)}, {len({one.image for one in found})} |" in told
    for one in found:
        assert one.text.endswith("?")
        assert one.answers[0].strip()
        assert all(x1 > x0 >= 0 and y1 > y0 >= 0 for x0, y0, x1, y1 in one.boxes)
