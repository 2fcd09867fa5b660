"""One picture, one question: exactly K for every method, and facts that agree with each other."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from homunculus import Sight, get_method, list_methods
from homunculus.scouts import registry as scout_room
from homunculus.show.cells import CELLS, look
from homunculus_lab.methods.answer import AnswerScout, answer
from homunculus_lab.methods.material import segment

pytest.importorskip("skimage", reason="needs the laboratory")

BOX = (200, 100, 260, 120)
ALL = sorted(list_methods())


@pytest.fixture(autouse=True)
def alone(monkeypatch) -> None:
    """Without the shipped scout: what it changes is tested beside relevance."""
    monkeypatch.setattr(scout_room, "shipped", lambda: None)


def asked(name: str) -> AnswerScout | str:
    """The scout that a method is tried with: `oracle` is told where the answer is."""
    return AnswerScout([BOX]) if name == "oracle" else "auto"


def page(size: tuple[int, int] = (400, 300)):
    """Pale paper with a block of dense print at BOX and a grey bar at the foot."""
    image = Image.new("RGB", size, (250, 248, 240))
    for x in range(BOX[0], min(BOX[2], size[0]), 4):
        image.paste((10, 10, 10), (x, BOX[1], x + 2, BOX[3]))
    image.paste((150, 150, 160), (0, size[1] - 20, size[0], size[1]))
    return image


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("tokens", [1, 64, 273])
def test_every_method_keeps_exactly_k(name, tokens) -> None:
    seen = look(page(), "What is printed?", method=name, tokens=tokens, scout=asked(name))
    facts = seen.to_json()
    kept = get_method(name).count((19, 25), tokens)
    assert facts["kept"] == len(facts["boxes"]) == sum(facts["levels"].values()) == kept
    assert kept == tokens or name == "resize"
    assert facts["cells"] == 25 * 19
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts


@pytest.mark.parametrize("name", ALL)
def test_every_method_is_drawn(name, tmp_path) -> None:
    path = look(page(), method=name, tokens=100, scout=asked(name)).save(tmp_path / f"{name}.png")
    with Image.open(path) as sheet:
        assert 800 < sheet.width < 2200
        assert 600 < sheet.height < 2000


def test_a_small_picture_is_kept_whole() -> None:
    seen = look(page((100, 64)), tokens=273)
    assert seen.to_json()["kept"] == 7 * 4
    assert seen.to_json()["tokens"] == 273
    assert seen.certificate.covered.item() == 1


@pytest.mark.parametrize("name", ["foveated", "grid", "windows", "log-polar", "pool", "atlas"])
@pytest.mark.parametrize("size", [(5, 3), (2096, 16), (16, 700)])
def test_odd_shapes_are_looked_at(name, size) -> None:
    seen = look(Image.effect_noise(size, 80), method=name, tokens=20)
    assert seen.to_json()["kept"] == min(20, seen.relevance.size)
    seen.draw()


def test_boxes_are_pixels_of_the_original() -> None:
    seen = look(page(), tokens=64)
    facts = seen.to_json()
    painted = np.zeros((300, 400))
    for x0, y0, x1, y1 in facts["boxes"]:
        assert 0 <= x0 < x1 <= 400
        assert 0 <= y0 < y1 <= 300  # border cells are clipped
        painted[int(y0) : int(y1), int(x0) : int(x1)] += 1
    assert painted.min() == 1  # the cut covers the picture; overlays may lie above
    assert facts["image"] == {
        "name": "image", "width": 400, "height": 300, "patch": 16,
        "reduced": [400, 300], "rows": 19, "cols": 25, "page": 1, "pages": 1,
    }  # fmt: skip


@pytest.mark.parametrize("size", [(3600, 3600), (20000, 110), (5041, 3327)])
def test_cells_are_bounded_whatever_the_size(size) -> None:
    image = Image.new("RGB", size, "white")
    image.paste("black", (0, 0, size[0] // 2, size[1] // 2))
    seen = look(image, patch=8, method="grid", tokens=9, fixation=None)
    assert 0.8 * CELLS < seen.relevance.size <= CELLS or size == (20000, 110)
    facts = seen.to_json()
    assert (facts["image"]["width"], facts["image"]["height"]) == size
    assert max(box[2] for box in facts["boxes"]) <= size[0]


# ---- relevance -----------------------------------------------------------------------------------


def test_detail_goes_to_the_print() -> None:
    facts = look(page(), tokens=64, method="foveated").to_json()
    x, y = facts["fixation"]
    assert BOX[0] - 16 <= x <= BOX[2] + 16
    assert BOX[1] - 16 <= y <= BOX[3] + 16
    assert facts["relevance"] == "pixels (no question)"


def test_a_place_the_question_names_moves_the_fixation() -> None:
    noise = Image.effect_noise((320, 320), 60)
    top, low = (
        look(noise, f"What is in the {side} corner?", method="foveated").to_json()
        for side in ("top-left", "bottom-right")
    )
    assert top["fixation"][0] < low["fixation"][0]
    assert top["fixation"][1] < low["fixation"][1]
    assert top["relevance"] == low["relevance"] == "pixels (question not read) + named place"


def test_the_origin_of_relevance_is_told_honestly() -> None:
    question = "What is in the top-left corner?"
    told = {name: look(page(), question, method=name, tokens=9, scout=asked(name)) for name in ALL}
    told = {name: seen.sight.origin for name, seen in told.items()}
    assert told["foveated"] == told["frequency"] == "pixels (question not read) + named place"
    assert told["saliency"] == "pixels"
    assert told["shuffled"] == "pixels (one picture has no other question)"
    assert told["oracle"] == "the answer's box"
    assert told["random"].startswith("none")


def test_relevance_can_be_given_as_a_map_or_a_function() -> None:
    spot = np.zeros((19, 25))
    spot[3, 20] = 9.0
    for given in (spot, lambda image, question, grid: Sight(spot, sure=1.0)):
        seen = look(page(), method="grid", tokens=1, scout=given)
        assert seen.to_json()["boxes"] == [[320.0, 48.0, 336.0, 64.0]]
        assert seen.sight.origin == "given"
    wide = look(page(), method="grid", tokens=1, scout=np.eye(2))
    assert wide.relevance.shape == (19, 25)
    with pytest.raises(ValueError, match="rows x cols, a number for each cell, got shape"):
        look(page(), scout=np.zeros(3))


def test_the_oracle_sees_the_answer_sharply_and_needs_its_box() -> None:
    seen = look(page(), method="oracle", tokens=64, scout=AnswerScout([BOX]))
    fine = seen.tokens.box[0][seen.tokens.level[0] == 0]
    for row, col in ((6, 12), (7, 16)):
        assert ((fine[:, 0] == row) & (fine[:, 1] == col)).any()
    with pytest.raises(ValueError, match="Pass a map"):
        look(page(), method="oracle")
    half = look(page((800, 600)), method="oracle", patch=32, scout=AnswerScout([(0, 0, 3, 3)]))
    assert half.relevance.argmax() == 0


def test_answers_fall_off_by_a_cell() -> None:
    logit = answer((100, 100), [(16, 16, 32, 32), (1590, 0, 1600, 1)], 16)
    assert logit[1, 1] == 0
    assert logit[0, 99] == 0
    assert logit[1, 3] == -2
    assert logit.min() == -30
    touched = answer((4, 4), [(15, 15, 17, 17)], 16) == 0
    assert np.argwhere(touched).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize(
    ("boxes", "message"),
    [
        ([], "at least one box"), ([(1, 2, 3)], "x0 y0 x1 y1"), ([(9, 9, 3, 3)], "Sort"),
        ([(900, 900, 910, 910)], "outside"), ([(0, 0, float("nan"), 1)], "x0 y0 x1 y1"),
    ],
)  # fmt: skip
def test_wrong_answers_are_refused(boxes, message) -> None:
    with pytest.raises(ValueError, match=message):
        answer((4, 4), boxes, 16)


# ---- fixation ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["foveated", "log-polar", "pseudo-log-polar", "shuffled"])
def test_a_fixation_is_a_fraction_or_a_pixel(name) -> None:
    for point in ((0.25, 0.5), (100, 150)):
        assert look(page(), method=name, fixation=point).to_json()["fixation"] == [100.0, 150.0]


def test_wrong_fixations_are_refused() -> None:
    for point in ((401, 20), (-0.1, 0.5), (float("nan"), 0.5)):
        with pytest.raises(ValueError, match="fixation"):
            look(page(), fixation=point)
    with pytest.raises(ValueError, match="cut has no fixation"):
        look(page(), method="cut", fixation=(0.5, 0.5))
    assert look(page(), method="cut").fixation is None


def test_more_focus_means_a_sharper_fovea() -> None:
    picture = Image.effect_noise((1024, 1024), 60)
    foveated = get_method("foveated")
    seen = [
        look(picture, method=foveated.set(field_of_view=focus), fixation=(0.5, 0.5))
        for focus in (2.0, 40.0, 200.0)
    ]
    fine = [int((one.tokens.level == 0).sum()) for one in seen]
    assert fine[0] < fine[1] < fine[2]


# ---- the atlas -----------------------------------------------------------------------------------


def test_regions_follow_colour() -> None:
    image = np.full((3, 320, 320), 20, np.uint8)
    image[0, :, 160:] = 220
    image[2, 200:296, 32:128] = 240
    label, count = segment(image, 16)
    label = label.view(20, 20)
    assert 3 <= count <= 5  # a blurred edge may be a sliver of its own
    assert len({int(label[2, 2]), int(label[2, 17]), int(label[15, 5])}) == 3
    assert (label[:, 11:] == label[2, 17]).all()
    again, _ = segment(image, 16)
    assert again.equal(label.flatten())


def test_regions_are_few_and_never_specks() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (3, 331, 257), np.uint8)
    label, count = segment(noise, 16, max_regions=7)
    assert label.shape == (21 * 17,)
    assert 0 < count <= 7
    sizes = label[label >= 0].bincount()
    assert len(sizes) == count
    assert sizes.min() >= 2
    assert (sizes.diff() <= 0).all()


# ---- mistakes ------------------------------------------------------------------------------------


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="Did you mean 'foveated'"):
        look(page(), method="foveate")
    with pytest.raises(ValueError, match="tokens must be 1 or more"):
        look(page(), tokens=0)
    with pytest.raises(ValueError, match="patch must be 1"):
        look(page(), patch=0)
    with pytest.raises(ValueError, match="unknown file extension"):
        look(page(), tokens=9).save("look.nothing")


@pytest.mark.data
def test_a_real_receipt_shows_its_foot() -> None:
    folder = os.environ.get("HOMUNCULUS_DATA")
    if not folder:
        pytest.skip("HOMUNCULUS_DATA does not name the folder of the suites")
    path = Path(folder) / "sroie" / "images" / "000.jpg"
    if not path.exists():
        pytest.skip(f"no {path.name} in the suite sroie")
    facts = look(path, "What is printed at the bottom of the receipt?", method="foveated").to_json()
    assert facts["kept"] == 273
    assert facts["certificate"]["covered"] == 1
    assert facts["fixation"][1] > facts["image"]["height"] / 2
