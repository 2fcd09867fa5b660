"""The thing scout: which things a question names, what weighs how much, and real detections."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from homunculus import views
from homunculus.lazy import MissingExtra
from homunculus.pages import open_picture
from homunculus.planner.acuity import ACUITIES, THING
from homunculus.planner.belief import believe
from homunculus.scouts.combine import combine
from homunculus.scouts.registry import WordsAndThings, WordsOrPixels, get_scout, reading
from homunculus.scouts.sight import FOUND, Match, Sight, probabilities
from homunculus.scouts.things import (
    Detector,
    EfficientDet,
    Thing,
    ThingScout,
    Weight,
    detector,
    paint,
    sureness,
    weigh,
)
from homunculus.scouts.things.detector import WEIGHTS
from homunculus.scouts.things.names import names_in, nouns, relation_in
from homunculus_lab.methods.material import segment

PHOTOS = Path(os.environ.get("HOMUNCULUS_DATA", "/nowhere")) / "coco_open" / "images"
photos = pytest.mark.skipif(not PHOTOS.is_dir(), reason="HOMUNCULUS_DATA has no coco_open")
NAMES = ("person", "bus", "dog", "hot dog", "clock", "dining table", "car", "knife", "tv")


class Toy:
    """Sees what it is told."""

    names = NAMES

    def __init__(self, *things: Thing) -> None:
        self.things, self.calls = things, 0

    def __call__(self, image, words=()):
        self.calls += 1
        return self.things


MAN, WOMAN = (0.0, 0.4, 0.1, 0.8), (0.8, 0.4, 0.9, 0.8)
BUS, DOG = (0.3, 0.2, 0.7, 0.8), (0.75, 0.75, 0.85, 0.85)
STREET = Toy(Thing("bus", 0.8, BUS), Thing("person", 0.7, MAN), Thing("person", 0.6, WOMAN))
IMAGE = np.zeros((3, 400, 400), np.uint8)


# ---- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Where is the bus?", ["bus"]),
        ("How many buses are there?", ["bus"]),
        ("How many dogs and cars?", ["dog", "car"]),
        ("Is that a hot dog?", ["hot dog"]),
        ("Is the dog eating a hot dog?", ["dog", "hot dog"]),
        ("What is the woman holding?", ["person"]),
        ("Are the knives on the table?", ["knife", "dining table"]),
        ("What time is it?", ["clock"]),
        ("What is on TV?", ["tv"]),
        ("What is the business of this company?", []),
        ("Is the cartoon dogmatic?", []),
        ('Where is the word "dog" on the bus?', ["bus"]),
        ("How many times is it higher?", []),
        ("", []),
    ],
)
def test_things_that_a_question_names(question: str, names: list[str]) -> None:
    assert [one.name for one in names_in(question, NAMES)] == names


@pytest.mark.parametrize(
    ("question", "step"),
    [
        ("Who is to the left of the bus?", (-1, 0)),
        ("What stands on the right side of the dog?", (1, 0)),
        ("What is on top of the table?", (0, -1)),
        ("What is under the table?", (0, 1)),
        ("What is next to the dog?", (0, 0)),
        ("Is the dog left alone?", None),
        ("What is the dog's name?", None),
    ],
)
def test_how_things_stand_to_each_other(question: str, step) -> None:
    found = relation_in(question)
    assert (found and found.step) == step


def test_words_for_a_detector_of_anything() -> None:
    assert nouns("What colour is the umbrella of the woman in the picture?") == [
        "umbrella",
        "woman",
    ]


# ---- maps ----------------------------------------------------------------------------------------


def test_a_map_that_can_be_checked_by_hand() -> None:
    """A box over two of four cells holds all probability, half in each; its shorter side is 100."""
    place, shorter = paint([Weight((0.0, 0.0, 0.5, 1.0), 0.8)], (2, 2), (400, 200))
    assert place.tolist() == [[0.5, 0.0], [0.5, 0.0]]
    assert shorter.tolist() == [[100.0, 50.0], [100.0, 50.0]]  # an eighth where nothing is seen


def test_the_heavier_of_two_things_tells_the_size() -> None:
    boxes = [Weight((0.0, 0.0, 1.0, 1.0), 0.1), Weight((0.0, 0.0, 0.5, 0.5), 0.9)]
    place, shorter = paint(boxes, (2, 2), (400, 400))
    assert place.sum() == pytest.approx(1.0)
    assert shorter.tolist() == [[200.0, 400.0], [400.0, 400.0]]


def test_without_things_every_cell_is_as_likely() -> None:
    place, _ = paint([], (3, 4), (300, 400))
    assert np.array_equal(place, np.full((3, 4), 1 / 12, np.float32))


def peak(question: str, detector: Detector = STREET) -> tuple[float, float]:
    """Where the likeliest cell stands, across and down."""
    sight = ThingScout(detector)(IMAGE, question, (40, 40))
    row, col = divmod(int(sight.logit.argmax()), 40)
    return (col + 0.5) / 40, (row + 0.5) / 40


def inside(box, point) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


@pytest.mark.parametrize(
    ("question", "box"),
    [
        ("Where is the bus?", BUS),
        ("What is the man wearing?", MAN),  # the surer of two
        ("Who is left of the bus?", MAN),
        ("Who is right of the bus?", WOMAN),
        ("What is the person to the right of the bus doing?", WOMAN),
        ("What is left of the bus?", (0.0, 0.2, 0.3, 0.8)),  # nobody knows what: the place itself
    ],
)
def test_the_map_follows_the_question(question: str, box) -> None:
    assert inside(box, peak(question))


def test_several_things_share() -> None:
    two = Toy(Thing("bus", 0.6, BUS), Thing("dog", 0.6, DOG))
    sight = ThingScout(two)(IMAGE, "Is the dog looking at the bus?", (40, 40))
    place = probabilities(sight.logit)
    assert place[30:34, 30:34].sum() == pytest.approx(0.5, abs=0.01)


def test_it_does_not_know_what_is_not_there() -> None:
    for question in ("Where is the clock?", "What is the meaning of life?", ""):
        sight = ThingScout(STREET)(IMAGE, question, (8, 8))
        assert sight.sure == 0.0
        assert not sight.question_used
    assert "not seen: clock" in ThingScout(STREET)(IMAGE, "Where is the clock?", (8, 8)).explanation


def test_it_is_surer_of_better_scores() -> None:
    assert sureness(0.0) == 0.0
    values = [sureness(score / 10) for score in range(1, 11)]
    assert values == sorted(values)
    assert 0.5 < values[0] < values[-1] < 1


def test_what_it_found_is_told() -> None:
    sight = ThingScout(STREET)(IMAGE, "Is there a clock above the bus?", (8, 8))
    bus = sureness(0.8)
    assert [(one.text, one.probability) for one in sight.matches] == [("clock", 0.0), ("bus", bus)]
    assert sight.origin == "things: 1 of 2 found"
    assert [one.text for one in sight.found] == ["bus"]
    assert sight.found[0].probability >= FOUND


def test_things_want_more_pixels_than_print() -> None:
    """A thing of 64 px is as hard as print of 64 x 12 / 32 px."""
    logit = np.zeros((2, 2))
    thing = np.array([[1.0, 0.0], [0.0, 0.0]])
    acuity = ACUITIES["vlm"]
    found = believe(Sight(logit, sure=1.0, size=64.0, thing=thing), (64, 64), acuity)
    assert np.exp2(found.octaves).round().tolist() == [
        [64 * acuity.middle / THING, 64.0],
        [64.0, 64.0],
    ]


# ---- a real detector -----------------------------------------------------------------------------


def test_its_weights_are_those_of_the_card() -> None:
    from hashlib import sha256

    file = WEIGHTS / "efficientdet-lite0.tflite"
    assert sha256(file.read_bytes()).hexdigest() in (WEIGHTS / "README.md").read_text("utf-8")
    assert "Apache License" in (WEIGHTS / "LICENSE").read_text("utf-8")


def test_without_its_runtime_it_names_the_extra(monkeypatch) -> None:
    for name in ("ai_edge_litert", "ai_edge_litert.interpreter"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(MissingExtra, match=r"'\.\[things\]'"):
        EfficientDet()


@photos
def test_a_real_detector_finds_a_tie() -> None:
    image = open_picture(PHOTOS / "000000000459.jpg").pixels
    detector = EfficientDet()
    things = {thing.name: thing for thing in reversed(detector(image))}
    assert things["tie"].score > 0.3
    _, high, wide = image.shape
    x0, y0, x1, y1 = things["tie"].box
    middle = ((x0 + x1) / 2 * wide, (y0 + y1) / 2 * high)
    assert inside((163, 279, 224, 517), middle)


@photos
def test_a_second_question_does_not_look_again(monkeypatch) -> None:
    image = open_picture(PHOTOS / "000000000459.jpg").pixels
    detector = EfficientDet()
    first = detector(image)
    monkeypatch.setattr(EfficientDet, "_look", lambda *_: pytest.fail("looked again"))
    assert detector(image.copy()) is first


@photos
def test_views_of_a_photo_hold_the_thing() -> None:
    seen = views(PHOTOS / "000000000459.jpg", "What colour is the tie?", tokens=16, scout="things")
    windows = [view for view in seen if view.name != "whole"]
    assert windows
    x0, y0, x1, y1 = windows[0].box
    assert x0 < 190 < x1
    assert y0 < 400 < y1
    assert get_scout("things") is get_scout("things")


@pytest.mark.parametrize("size", [(1, 1), (3, 4000), (4000, 3), (320, 320)])
def test_pictures_of_any_shape_can_be_looked_at(size) -> None:
    image = np.zeros((3, *size), np.uint8)
    assert EfficientDet()(image) == ()


@pytest.mark.parametrize(
    "size", [(1, 1), (3, 400), (100, 90), (321, 319), (427, 640), (1408, 1024)]
)
def test_a_picture_is_resized_to_the_bit_as_by_torch(size) -> None:
    image = np.random.default_rng(0).integers(0, 256, (3, *size), np.uint8)
    step = max(1, min(size[0] // 640, size[1] // 640))
    some = torch.tensor(image[:, ::step, ::step])[None]
    want = F.interpolate(some, (320, 320), mode="bilinear", antialias=True)[0]
    assert np.array_equal(detector._resize(image, 320, 320), want.permute(1, 2, 0))


def test_weights_of_what_is_only_a_landmark() -> None:
    question = "Is the man right of the bus?"
    found = weigh(STREET.things, names_in(question, NAMES), relation_in(question))
    assert [round(one.weight, 2) for one in found] == [0.4, 0.14, 0.6]  # half, a fifth, all


# ---- words and things together -------------------------------------------------------------------


def sight(cell: int, sure: float, **more) -> Sight:
    """All probability in one of four cells."""
    logit = np.full(4, -20.0)
    logit[cell] = 0.0
    return Sight(logit.reshape(2, 2), sure=sure, **more)


THERE = {"size": 64.0, "thing": np.ones((2, 2)), "origin": "things: 1 of 1 found"}


def place(found: Sight) -> list[float]:
    return [round(one, 2) for one in probabilities(found.logit).flatten().tolist()]


def test_who_does_not_know_leaves_it_to_the_other() -> None:
    words, things = sight(0, 0.9), sight(3, 0.8, **THERE)
    alone = combine(words, sight(3, 0.0, **THERE), "What?", (2, 2))
    assert (place(alone), alone.sure, alone.thing) == ([1, 0, 0, 0], 0.9, None)
    seen = combine(sight(0, 0.0), things, "What?", (2, 2))
    assert (place(seen), seen.sure) == ([0, 0, 0, 1], 0.8)
    neither = combine(sight(0, 0.0), sight(3, 0.0), "What?", (2, 2))
    assert neither.sure == 0.0


def test_scouts_share_by_how_sure_they_are() -> None:
    """By hand: .5 and .5 x .3 of belief, so that .5 + .15 - .075 of probability is placed."""
    words = sight(0, 0.5, size=10.0, matched=True)
    both = combine(words, sight(3, 0.5, **THERE), "What?", (2, 2))
    assert both.sure == pytest.approx(0.575)
    assert place(both) == [0.77, 0, 0, 0.23]
    assert both.thing is not None
    assert both.thing.round(2).flatten().tolist()[::3] == [0.0, 1.0]
    assert isinstance(both.size, np.ndarray)
    assert both.size.flatten().tolist()[::3] == [10.0, 64.0]
    assert both.facts["shares"] == {"words": 0.442, "things": 0.133}
    unread = combine(replace(words, matched=None), sight(3, 0.5, **THERE), "What?", (2, 2))
    assert place(unread) == [0.33, 0, 0, 0.67]  # a page of text, but none of the question's words


def test_what_is_written_on_a_thing_is_read_there() -> None:
    words = sight(0, 0.0, size=12.0, elsewhere=np.array([[0.9, 0.0], [0.0, 0.5]]))
    things = sight(3, 0.8, **THERE)
    read = combine(words, things, "What is the number on the bus?", (2, 2))
    assert (place(read), read.sure, read.thing, read.size) == ([0, 0, 0, 1], 0.8, None, 12.0)
    assert combine(words, things, "What colour is the bus?", (2, 2)).thing is not None
    blank = replace(words, elsewhere=np.zeros((2, 2)))
    assert combine(blank, things, "What is the number on the bus?", (2, 2)).thing is not None


def test_without_a_detector_the_user_is_told() -> None:
    scout = WordsAndThings(WordsOrPixels(None), None, reading())
    image = np.zeros((3, 64, 64), np.uint8)
    assert "'.[things]'" in scout(image, "Where is the dog?", (4, 4)).explanation
    assert "'.[things]'" not in scout(image, "", (4, 4)).explanation


@photos
def test_the_default_scout_sees_things() -> None:
    image = open_picture(PHOTOS / "000000000459.jpg").pixels
    auto = get_scout("auto")
    assert auto(image, "What colour is the tie?", (64, 64)).sure > 0.8
    absent = auto(image, "Where is the giraffe?", (64, 64))
    assert absent.sure == 0.0
    assert "not seen: giraffe" in absent.explanation


# ---- regions -------------------------------------------------------------------------------------


def test_what_a_detector_sees_is_a_region_and_its_part_another_one() -> None:
    pytest.importorskip("skimage", reason="needs the laboratory")
    plain = np.full((3, 96, 128), 128, np.uint8)
    seen = (
        Thing("person", 0.9, (0.0, 0.0, 0.5, 1.0)),
        Thing("tie", 0.5, (0.125, 0.5, 0.25, 1.0)),
        Thing("bus", 0.2, (0.5, 0.0, 1.0, 1.0)),  # hardly
    )
    label, count = segment(plain, 16, detector=Toy(*seen))
    rows = label.view(6, 8)
    assert count == 3
    assert rows[:, 4:].unique().tolist() == [0]  # the largest: no thing there, one colour
    person, tie = int(rows[0, 0]), int(rows[4, 1])
    assert (person, tie) == (1, 2)
    assert (rows == tie).nonzero().tolist() == [[3, 1], [4, 1], [5, 1]]
    assert int((rows == person).sum()) == 24 - 3
    assert segment(plain, 16, detector=Toy())[0].equal(segment(plain, 16)[0])


def test_the_greeting_of_the_runtime_is_kept_off_stderr_and_nothing_else(capfd) -> None:
    with detector._quiet():
        os.write(2, b"before\n" + detector.CHATTER + b"\nafter\n")
    os.write(2, b"later\n")
    assert capfd.readouterr().err == "before\nafter\nlater\n"


def test_what_is_written_before_an_error_is_not_lost(capfd) -> None:
    def break_down() -> None:
        with detector._quiet():
            os.write(2, b"a reason\n")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        break_down()
    assert capfd.readouterr().err == "a reason\n"


def test_a_thing_that_was_found_makes_up_for_words_that_were_not() -> None:
    read = Sight(np.zeros((2, 2)), sure=0.5, explanation="No word.", matched=False)
    found = Match("bus", 0.97, (0.0, 0.0, 1.0, 1.0))
    seen = Sight(np.zeros((2, 2)), sure=0.9, explanation="A bus.", matches=(found,))
    assert combine(read, seen, "How many busses?", (2, 2)).explanation == "A bus."
    read = replace(read, matched=True, explanation="One word.")
    assert combine(read, seen, "How many busses?", (2, 2)).explanation == "One word. A bus."
