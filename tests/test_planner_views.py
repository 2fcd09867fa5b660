"""Views of a picture: what they cost, what they show, and how many tokens are needed."""

import json

import pytest
import torch

import homunculus
from homunculus import Sight
from homunculus.cli import main
from homunculus.planner import Planner, believe
from homunculus.planner.acuity import ACUITIES, Acuity

Image = pytest.importorskip("PIL.Image", reason="needs the extra `view`")
np = pytest.importorskip("numpy")

SIZE = (640, 480)
"""Width and height."""


def page():
    lot = np.random.default_rng(0)
    return Image.fromarray(lot.integers(0, 255, (SIZE[1], SIZE[0], 3), dtype=np.uint8))


def corner(sure=0.95, size=16.0):
    """A scout that looks at the bottom right."""

    def scout(image, question, grid) -> Sight:
        logit = torch.full(grid, -12.0)
        logit[int(grid[0] * 0.85) :, int(grid[1] * 0.8) :] = 0.0
        return Sight(logit, sure=sure, size=size, size_error=0.2)

    return scout


def test_a_small_picture_of_the_whole_and_a_window_where_the_question_looks() -> None:
    seen = homunculus.views(page(), "What?", tokens=64, model=16, acuity="vlm", scout=corner())
    whole, *windows = seen
    assert whole.box == (0, 0, *SIZE)
    assert whole.tokens >= 6  # 2 x 3: the largest of its shape within 8
    assert windows
    assert min(view.box[0] for view in windows) <= 530
    assert max(view.box[2] for view in windows) >= 630
    assert max(view.box[3] for view in windows) >= 470
    assert seen.tokens == sum(view.tokens for view in seen) <= 64
    assert [image.size[::-1] for image in seen.images()] == [view.size for view in seen]


def test_pixels_of_a_window_at_full_scale_are_those_of_the_picture() -> None:
    picture = page()
    seen = homunculus.views(picture, "What?", tokens=96, model=16, scout=corner(size=12.0))
    sharp = [(view, image) for view, image in zip(seen, seen.images(), strict=True)
             if view.scale == 1 and view.name != "whole"]  # fmt: skip
    assert sharp
    for view, image in sharp:
        assert image.tobytes() == picture.crop(view.box).tobytes()


def test_enough_tokens_leave_the_picture_as_it_is() -> None:
    picture = page()
    seen = homunculus.views(picture, "What?", tokens=5000, model=16, scout=corner())
    assert [view.name for view in seen] == ["whole"]
    assert seen.images()[0].tobytes() == picture.tobytes()
    assert seen.tokens == 1200


def test_a_scout_that_is_not_sure_gets_the_picture_resized() -> None:
    picture = page()
    seen = homunculus.views(picture, "What?", tokens=64, model=16, scout=corner(sure=0.0))
    (whole,) = seen
    assert whole.size == seen.rule.largest(SIZE[::-1], 64)
    expected = picture.resize(whole.size[::-1], Image.Resampling.LANCZOS)
    assert seen.images()[0].tobytes() == expected.tobytes()


def test_without_context_the_whole_may_be_left_out() -> None:
    seen = homunculus.views(page(), "?", tokens=16, model=16, scout=corner(sure=1.0), context=0)
    assert "whole" not in {view.name for view in seen}


def test_the_budget_is_the_smallest_that_is_legible_enough() -> None:
    planner = Planner.of(page(), "What?", 16, "rapidocr", corner(sure=1.0))
    needed = planner.budget(0.9)
    assert needed.reached
    assert needed.value >= 0.9
    assert planner.views(needed.tokens - 1).value < 0.9
    auto = homunculus.views(page(), "What?", tokens="auto", legible=0.9, model=16,
                            acuity="rapidocr", scout=corner(sure=1.0))  # fmt: skip
    assert auto.limit == needed.tokens


def test_what_no_budget_reaches_is_said() -> None:
    planner = Planner.of(page(), "What?", 16, Acuity("mole", 100.0, 0.3), corner())
    needed = planner.budget(0.9)
    assert (needed.reached, needed.tokens) == (False, 1200)
    assert planner.budget(0.9, cap=50).tokens == 50


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"tokens": 0}, "tokens must be 1 or more"),
        ({"tokens": 8, "model": "gpt-9"}, "no model 'gpt-9'"),
        ({"tokens": 8, "context": 2}, "a share from 0 to 1"),
        ({"tokens": 8, "windows": 9}, "0 to 4 windows"),
        ({"tokens": 8, "acuity": "eagle"}, "no acuity 'eagle'"),
        ({"tokens": "auto", "legible": 2.0}, "a probability"),
    ],
)
def test_mistakes_are_explained(given, fault) -> None:
    with pytest.raises((ValueError, TypeError), match=fault):
        homunculus.views(page(), "What?", scout=corner(), **given)


def test_heights_of_a_scout_reach_the_plan() -> None:
    """Large print is shown smaller: the window is wider."""
    small, large = (
        homunculus.views(page(), "What?", tokens=48, model=16, windows=1, scout=corner(size=size))
        for size in (12.0, 48.0)
    )
    assert small.views[1].scale > large.views[1].scale


def test_what_the_map_leaves_goes_where_the_scout_says_else() -> None:
    logit, weight = torch.full((4, 4), -50.0), torch.zeros(2, 2)
    logit[0, 0], weight[1, 1] = 0.0, 3.0
    known = believe(Sight(logit, sure=0.9, elsewhere=weight), (64, 64), ACUITIES["vlm"])
    assert float(known.place[0, 0]) == pytest.approx(0.9, abs=1e-3)
    assert float(known.place[2:, 2:].sum()) > 0.05  # the map is enlarged smoothly
    assert float(known.place.sum()) == pytest.approx(1.0)
    anywhere = believe(Sight(logit, sure=0.9), (64, 64), ACUITIES["vlm"])
    assert float(anywhere.place[3, 3]) == pytest.approx(0.1 / 16)


def test_infinite_logits_are_believed() -> None:
    logit = torch.full((4, 4), -torch.inf)
    logit[1, 2] = 0.0
    known = believe(Sight(logit, sure=1.0), (64, 64), ACUITIES["vlm"])
    assert float(known.place[1, 2]) == pytest.approx(1.0)


def test_the_command_draws_views_and_tells_budgets(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    page().save("page.png")
    assert main(["show", "page.png", "What?", "--method", "views", "--tokens", "32", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["tokens"] <= 32
    assert facts["token_px"] == 32
    with Image.open(facts["saved"]) as drawn:
        assert drawn.size[0] > 600
    assert main(["show", "page.png", "--method", "views", "--model", "qwen3-vl"]) == 0
    assert "tokens of 32 px (qwen3-vl)" in capsys.readouterr().out
    assert main(["budget", "page.png", "What?", "--model", "qwen3-vl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["untouched"] == 300


@pytest.mark.parametrize("size", [(1024, 1408), (641, 480), (333, 1000), (90, 70)])
def test_a_picture_without_a_question_is_resized_whatever_its_size(size) -> None:
    """The scout of pixels works in square cells alone."""
    pytest.importorskip("kornia", reason="needs the extra `pixels`")
    seen = homunculus.views(page().resize(size), tokens=16, scout="pixels")
    assert [view.name for view in seen] == ["whole"]


def test_a_scout_that_does_not_know_is_said_to(tmp_path, capsys, monkeypatch) -> None:
    """Not that the answer is read with probability 0."""
    monkeypatch.chdir(tmp_path)
    page().save("photo.png")
    unsure = ["photo.png", "What?", "--model", "qwen3-vl", "--scout", "pixels"]
    assert main(["show", *unsure, "--method", "views", "--tokens", "32"]) == 0
    assert main(["budget", *unsure]) == 0
    told = capsys.readouterr().out
    assert told.count("the scout does not know where to look".capitalize()) == 1
    assert "No budget can be told: the scout does not know" in told
    assert "probability" not in told
