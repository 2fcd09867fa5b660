"""Views of a picture: what they cost, what they show, and how many tokens are needed."""

import json
import re
import subprocess
import sys
import warnings
from copy import copy
from dataclasses import fields, replace
from inspect import signature
from itertools import combinations
from math import exp

import numpy as np
import pytest
import torch
from PIL import Image

import homunculus
from homunculus import Box, Match, Planner, Sight, list_scouts
from homunculus.commands.main import main
from homunculus.planner.acuity import ACUITIES, Acuity
from homunculus.planner.belief import believe, in_picture
from homunculus.planner.counting import DEFAULT_TOKENS
from homunculus.planner.options import ViewOptions
from homunculus.planner.view import View, render
from homunculus.show.views import MISSED, facts
from homunculus.views import MAX_EDGE

SIZE = (640, 480)
"""Width and height."""


def page():
    lot = np.random.default_rng(0)
    return Image.fromarray(lot.integers(0, 255, (SIZE[1], SIZE[0], 3), dtype=np.uint8))


def corner(sure=0.95, size=16.0):
    """A scout that looks at the bottom right."""

    def scout(image, question, grid) -> Sight:
        logit = np.full(grid, -12.0)
        logit[int(grid[0] * 0.85) :, int(grid[1] * 0.8) :] = 0.0
        return Sight(logit, sure=sure, size=size, size_error=0.2)

    return scout


def with_matches(seen: homunculus.Views, matches: tuple[Match, ...]) -> homunculus.Views:
    """Views of a scout that found something else."""
    planner = copy(seen.planner)
    planner.sight = replace(seen.sight, matches=matches)
    vars(planner).pop("outlook", None)
    return replace(seen, planner=planner)


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


def test_boxes_are_in_pixels_of_the_original_where_a_picture_is_reduced() -> None:
    picture = Image.new("RGB", (2 * MAX_EDGE, 200), "white")
    seen = homunculus.views(picture, "What?", tokens=64, model=16, scout=corner())
    whole, *windows = seen
    assert seen.picture.size == (100, MAX_EDGE)
    assert whole.box == (0, 0, *picture.size)
    assert windows
    assert [list(view.box) for view in seen] == [view["box"] for view in seen.to_json()["views"]]
    for view, planned in zip(seen, seen.planned, strict=True):
        assert view.box == tuple(2 * side for side in planned.box)
        assert view.scale == planned.scale / 2
    assert [image.size[::-1] for image in seen.images()] == [view.size for view in seen]


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
    planner = Planner(page(), "What?", model=16, acuity="rapidocr", scout=corner(sure=1.0))
    needed = planner.budget(0.9)
    assert needed.reached
    assert needed.value >= 0.9
    assert planner.views(needed.tokens - 1).value < 0.9
    auto = homunculus.views(page(), "What?", tokens="auto", legible=0.9, model=16,
                            acuity="rapidocr", scout=corner(sure=1.0))  # fmt: skip
    assert auto.limit == needed.tokens


def test_what_no_budget_reaches_is_said() -> None:
    planner = Planner(page(), "What?", model=16, acuity=Acuity("mole", 100.0, 0.3), scout=corner())
    needed = planner.budget(0.9)
    assert (needed.reached, needed.tokens) == (False, 1200)
    assert planner.budget(0.9, cap=50).tokens == 50


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"tokens": 0}, "tokens must be 1 or more"),
        ({"tokens": 8, "model": "gpt-9"}, "no model 'gpt-9'"),
        ({"tokens": 8, "context": 2}, "context must be a number from 0 to 1"),
        ({"tokens": 8, "windows": 9}, "windows must be a whole number from 0 to 4"),
        ({"tokens": 8, "acuity": "eagle"}, "no acuity 'eagle'"),
        ({"tokens": "auto", "legible": 2.0}, "legible must be a number from 0 to 1"),
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
    logit, weight = np.full((4, 4), -50.0), np.zeros((2, 2))
    logit[0, 0], weight[1, 1] = 0.0, 3.0
    known = believe(Sight(logit, sure=0.9, elsewhere=weight), (64, 64), ACUITIES["vlm"])
    assert float(known.place[0, 0]) == pytest.approx(0.9, abs=1e-3)
    assert float(known.place[2:, 2:].sum()) > 0.05  # the map is enlarged smoothly
    assert float(known.place.sum()) == pytest.approx(1.0)
    anywhere = believe(Sight(logit, sure=0.9), (64, 64), ACUITIES["vlm"])
    assert float(anywhere.place[3, 3]) == pytest.approx(0.1 / 16)


def test_infinite_logits_are_believed() -> None:
    logit = np.full((4, 4), -np.inf)
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
    assert (
        told.count("The scout does not know where to look, so the whole picture is resized.") == 1
    )
    assert "Cannot estimate a budget: the scout does not know where to look." in told
    assert "the choice follows" not in told  # it follows nothing
    assert "probability" not in told


# ---- a guess, and what cannot be reached ---------------------------------------------------------


def looked_for(*probabilities, thing=None):
    """The same scout after words that were found with these probabilities."""
    words = [Match(f"word{at}", one, (0.0, 0.0, 1.0, 1.0)) for at, one in enumerate(probabilities)]

    def scout(image, question, grid) -> Sight:
        sight = corner()(image, question, grid)
        things = None if thing is None else np.full(grid, thing)
        return replace(sight, matches=tuple(words), thing=things)

    return scout


GUESS = "No word of the question was found, so this is a guess: the answer can be read with "


def test_views_of_which_no_word_was_found_say_that_they_are_a_guess() -> None:
    guess = homunculus.views(page(), "What?", tokens=16, scout=looked_for(0.1, 0.2))
    found = homunculus.views(page(), "What?", tokens=16, scout=looked_for(0.1, 0.9))
    given = homunculus.views(page(), "What?", tokens=16, scout=np.eye(4))
    assert [one.guess for one in (guess, found, given)] == [True, False, False]
    assert guess.message.startswith(f"{GUESS}probability")
    assert found.message.startswith("The answer can be read with probability 0.")
    assert guess.to_json()["guess"]
    assert guess.to_json()["message"] == guess.message
    assert "a guess" in repr(guess)
    assert "guess" not in repr(found)


def test_a_thing_is_shown_large_enough_and_not_read() -> None:
    seen = homunculus.views(page(), "What?", tokens=16, scout=looked_for(0.9, thing=1.0))
    assert seen.message.startswith("What is asked about is shown large enough, 32 px or more, with")
    guess = homunculus.views(page(), "What?", tokens=16, scout=looked_for(0.1, thing=1.0))
    assert guess.message.startswith("Nothing that the question names was found, so this is a guess")
    assert "read" not in guess.message


def test_views_and_budget_print_that_they_guess(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(list_scouts(), "guess", lambda: looked_for(0.1))
    page().save("page.png")
    call = ["page.png", "What?", "--scout", "guess"]
    assert main(["views", *call, "--tokens", "16"]) == 0
    assert main(["budget", *call, "--legible", "0.3"]) == 0
    assert capsys.readouterr().out.count(GUESS) == 2
    assert json.loads((tmp_path / "page-views" / "views.json").read_text())["guess"] is True
    assert main(["budget", *call, "--legible", "0.3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["guess"] is True


def test_a_folder_holds_the_windows_of_the_last_call_alone(tmp_path) -> None:
    many = homunculus.views(page(), "What?", tokens=64, model=16, scout=corner())
    assert len(many) > 1
    many.save(tmp_path)
    (tmp_path / "note.png").touch()
    homunculus.views(page(), "", tokens=64, model=16).save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["note.png", "whole.png"]


def test_a_folder_keeps_no_whole_picture_that_views_leave_out(tmp_path) -> None:
    given = {"tokens": 16, "model": 16, "scout": corner(sure=1.0)}
    homunculus.views(page(), "?", **given).save(tmp_path)
    assert (tmp_path / "whole.png").exists()
    homunculus.views(page(), "?", context=0, **given).save(tmp_path)
    assert not (tmp_path / "whole.png").exists()


def test_a_picture_that_is_no_view_is_never_deleted(tmp_path) -> None:
    for name in ("whole.png", "window-1.png"):
        page().save(tmp_path / name)
    seen = homunculus.views(
        page(), "?", tokens=16, model=16, scout=corner(sure=1.0), windows=1, context=0
    )
    assert [path.name for path in seen.save(tmp_path)] == ["window.png"]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["whole.png", "window-1.png", "window.png"]


def test_a_long_question_is_cut_where_views_are_printed() -> None:
    seen = homunculus.views(page(), "why " * 10_000, tokens=16, scout=corner())
    assert len(repr(seen)) < 200


def test_a_place_that_no_window_shows_is_told() -> None:
    """The likeliest cell stands alone; most of the probability is elsewhere."""

    def scout(image, question, grid) -> Sight:
        logit = np.full(grid, -12.0)
        logit[2 : grid[0] // 3, 2 : grid[1] // 3] = -2.0
        logit[-2, -2] = 0.0
        return Sight(logit, sure=0.95, size=16.0, size_error=0.2)

    seen = homunculus.views(page(), "What?", tokens=24, model=16, scout=scout)
    assert len(seen) > 1
    assert MISSED in facts(seen)
    assert MISSED not in facts(homunculus.views(page(), "What?", tokens=64, scout=corner()))


def test_a_budget_that_cannot_be_reached_is_said_to(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(list_scouts(), "corner", lambda: corner(size=4.0))
    page().save("page.png")
    with pytest.warns(UserWarning, match=r"legible=0.9 \(cap=8\).*Raise cap, or lower legible"):
        seen = homunculus.views(page(), "?", tokens="auto", legible=0.9, cap=8, scout=corner())
    assert seen.reached is False
    assert seen.tokens <= 8
    assert "The 0.9 that was asked for is not reached." in seen.message
    plain = homunculus.views(page(), "?", tokens=8, scout=corner())
    assert plain.reached is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert homunculus.views(page(), "?", tokens="auto", legible=0.1, scout=corner()).reached
        call = ["views", "page.png", "?", "--scout", "corner", "--tokens", "auto", "--cap", "8"]
        assert main([*call, "--legible", "0.95"]) == 0
    assert "The 0.95 that was asked for is not reached." in capsys.readouterr().out


def test_a_budget_that_buys_no_picture_is_refused_before_the_scout_is_asked_if_strict() -> None:
    def never(*_) -> Sight:
        return pytest.fail("it looked")

    with pytest.raises(ValueError, match="3 tokens are too few for any picture, as gpt-4o"):
        homunculus.views(page(), "?", tokens=3, model="gpt-4o", scout=never, strict=True)


@pytest.mark.parametrize(
    ("model", "settings", "price"),
    [("gpt-4o", None, 85), ("gpt-4o", [], 255), ("gemini-3", None, 280), ("gemini-3", [], 1_120),
     ("grok", None, 512), ("gpt-4o-mini", None, 2_833), ("llava-onevision", None, 1_485)],
)  # fmt: skip
def test_a_budget_that_buys_no_picture_is_raised_and_the_message_says_so(
    model, settings, price
) -> None:
    how = {"model": model, "settings": settings, "scout": corner()}
    seen = homunculus.views(page(), "?", tokens=64, **how)
    enough = homunculus.views(page(), "?", tokens=price, **how)
    assert (seen.limit, seen.views) == (price, enough.views)
    assert seen.message == (
        f"{enough.message} The budget of 64 tokens was raised to {price}, which the smallest "
        f"picture costs with {model}."
    )
    assert seen.to_json()["limit"] == price
    with pytest.raises(ValueError, match=f"64 tokens .* costs {price}"):
        homunculus.Planner(page(), "?", strict=True, **how).views(64)


def test_the_command_says_that_a_budget_was_raised(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(list_scouts(), "corner", corner)
    page().save("page.png")
    call = ["views", "page.png", "?", "--scout", "corner", "--tokens", "3", "--model", "gpt-4o"]
    assert main(call) == 0
    assert "The budget of 3 tokens was raised to 85" in capsys.readouterr().out


def test_a_budget_is_the_default_one_where_none_is_named() -> None:
    assert homunculus.views(page(), "?", scout=corner()).limit == DEFAULT_TOKENS


def test_a_verb_is_named_once_in_its_error(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    page().save("page.png")
    assert main(["cost", "0x5"]) == 2
    assert capsys.readouterr().err.startswith("homunculus cost: expected width x height")
    monkeypatch.setitem(list_scouts(), "corner", corner)
    assert main(["budget", "page.png", "?", "--scout", "corner", "--legible", "2"]) == 2
    assert capsys.readouterr().err == (
        "homunculus budget: legible must be a number from 0 to 1, got 2.0\n"
    )


def test_an_estimate_is_lower_where_nothing_was_found_that_the_question_names() -> None:
    """The same views, but the answer may not be in the picture at all."""

    def looked_for(probability: float):
        def scout(image, question, grid) -> Sight:
            match = Match("total", probability, (0.1, 0.1, 0.2, 0.2))
            return replace(corner(size=30.0)(image, question, grid), matches=(match,))

        return scout

    found, lost = (Planner(page(), "?", scout=looked_for(one)) for one in (0.9, 0.1))
    assert lost.views(64).views == found.views(64).views
    assert lost.views(64).value == pytest.approx(found.views(64).value * in_picture(lost.sight))
    assert 0.3 < in_picture(lost.sight) < 0.9 < in_picture(found.sight) == 1.0
    assert found.budget(0.8).reached
    needed = lost.budget(0.8)
    assert not needed.reached
    assert needed.value < 0.8
    with pytest.warns(UserWarning, match="a guess"):
        auto = homunculus.views(page(), "?", tokens="auto", legible=0.8, scout=looked_for(0.1))
    assert auto.limit == needed.tokens


@pytest.mark.parametrize("legible", [0.2, 0.3, 0.4, 0.9])
def test_auto_spends_what_budget_says_of_a_guess(legible) -> None:
    planner = Planner(page(), "?", model=16, scout=looked_for(0.1))
    needed = planner.budget(legible, cap=500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        auto = homunculus.views(
            page(), "?", tokens="auto", legible=legible, cap=500, model=16, scout=looked_for(0.1)
        )
    assert auto.guess
    assert (auto.limit, auto.value, auto.reached) == (needed.tokens, needed.value, needed.reached)
    assert needed.reached == (legible < 0.5)


def test_a_drawing_numbers_its_windows_and_magnifies_a_place_in_one() -> None:
    from homunculus.show.views import COLOURS, OURS, RESIZED, draw_views, likeliest

    seen = homunculus.views(page(), "What?", tokens=16, scout=corner())
    spot = likeliest(seen)[0]
    (x0, y0, x1, y1), window = spot.box, spot.view.box
    assert 0.8 * SIZE[0] < (x0 + x1) / 2 <= SIZE[0] >= x1
    assert 0.8 * SIZE[1] < (y0 + y1) / 2 <= SIZE[1] >= y1
    assert spot.view.name != "whole"
    assert window[0] <= x0 < x1 <= window[2]
    assert window[1] <= y0 < y1 <= window[3]
    drawn = {tuple(one) for one in np.asarray(draw_views(seen)).reshape(-1, 3)}
    many = len(seen) - 1
    assert {OURS, RESIZED, *COLOURS[:many]} <= drawn
    blind = homunculus.views(page(), "What?", tokens=16, scout=corner(sure=0.0))
    assert likeliest(blind) == []
    draw_views(blind)


def test_a_question_that_compares_is_warned_of() -> None:
    def scout(image, question, grid) -> Sight:
        return replace(corner()(image, question, grid), compares=True)

    told = homunculus.views(page(), "Which is the largest?", tokens=16, scout=scout).message
    assert told.endswith("The question compares or counts, so windows may miss what it is about.")
    plain = homunculus.views(page(), "Which?", tokens=16, scout=corner()).message
    assert "compares" not in plain


def test_words_found_in_another_form_are_not_said_to_be_missing() -> None:
    seen = homunculus.views(page(), "What?", tokens=16, scout=corner())
    box = (0.1, 0.1, 0.2, 0.2)
    found = (Match("submit", 0.9, box, stands_for="submits"), Match("submits", 0.1, box))
    more = (Match("dog", 0.0, box, kind="thing"), Match("cash", 0.1, box))
    told = facts(with_matches(seen, found + more))
    assert told[1] == "Found: submit (for submits). Not found: cash."


def test_words_with_marks_are_told_as_they_were_asked() -> None:
    seen = homunculus.views(page(), "What is TL-OPI-516 of Café-Bar?", tokens=16, scout=corner())
    box = (0.1, 0.1, 0.2, 0.2)
    found = (Match("tlopi516", 0.9, box), Match("cafebar", 0.1, box))
    told = facts(with_matches(seen, found))
    assert told[1] == "Found: TL-OPI-516. Not found: Café-Bar."


@pytest.mark.parametrize(
    ("verb", "name"), [("cost", "'costs'"), ("budget", "'Planner(picture, question).budget()'")]
)
def test_a_verb_that_has_another_name_here_is_told(verb, name) -> None:
    with pytest.raises(AttributeError, match=re.escape(f"Did you mean {name}?")):
        getattr(homunculus, verb)


def test_the_likeliest_place_itself_is_magnified_first() -> None:
    from homunculus.show.views import likeliest

    def scout(image, question, grid) -> Sight:
        logit = np.full(grid, -20.0)
        logit[0, 0] = 0.0
        logit[grid[0] // 2, :] = -2.0  # more in sum
        return Sight(logit, sure=0.95, size=16.0)

    seen = homunculus.views(page(), "What?", tokens=64, scout=scout)
    boxes = ((0, SIZE[1] // 2 - 32, SIZE[0], SIZE[1] // 2 + 32), (0, 0, 64, 32))
    windows = [View(f"window {n}", Box(*box), (32, 64), 2) for n, box in enumerate(boxes, 1)]
    vars(seen)["planned"] = (seen.planned[0], *windows)
    assert likeliest(seen)[0].view.name == "window 2"


def test_all_models_cost_without_notes_and_one_with_its_own() -> None:
    from homunculus.planner.cost import costs, table

    assert "claude: With more than 20 pictures" in table(costs("640x480", "claude"))
    every = table(costs("640x480"))
    assert "With more than 20 pictures" not in every
    assert every.endswith("`--model NAME` shows one model, with notes on how it counts.")


def test_tokens_may_be_auto_and_the_error_says_so(capsys) -> None:
    assert main(["views", "page.png", "?", "--tokens", "abc"]) == 2
    assert "; or `auto`" in capsys.readouterr().err


def test_a_weak_window_does_not_hide_a_likely_one() -> None:
    from homunculus.show.views import likeliest

    def scout(image, question, grid) -> Sight:
        logit = np.full(grid, -20.0)
        logit[: grid[0] // 8, : grid[1] // 8] = 0.0  # the likeliest place
        logit[grid[0] // 2, :] = -2.0  # much in sum, each a seventh of it
        logit[-1, -1] = -1.0
        return Sight(logit, sure=0.95, size=16.0)

    seen = homunculus.views(page(), "What?", tokens=64, scout=scout)
    wide, high = SIZE
    parts = {
        "1": Box(0, 0, 96, 72),
        "2": Box(0, high // 2 - 32, wide, high // 2 + 32),
        "3": Box(wide - 64, high - 32, wide, high),
    }
    windows = [
        View(f"window {name}", box, (box.height, box.width), 2) for name, box in parts.items()
    ]
    vars(seen)["planned"] = (seen.planned[0], *windows)
    spots = {spot.view.name: spot.chance for spot in likeliest(seen)}
    assert spots == {"window 1": 1.0, "window 3": pytest.approx(exp(-1), abs=1e-3)}


@pytest.mark.parametrize("width", [900, 520, 330])
def test_pictures_stand_in_their_order_and_never_meet(width: int) -> None:
    from homunculus.show.views import _shelves

    sizes = [(150, 110), (120, 60), (140, 250), (90, 40), (100, 300)]
    corners, high = _shelves(sizes, width)
    boxes = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(corners, sizes, strict=True)]
    assert max(box[2] for box in boxes) <= width
    assert max(box[3] for box in boxes) == high
    for one, other in combinations(boxes, 2):
        apart = one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
        assert apart
    rows = [(y, x) for x, y in corners]
    assert sorted(rows) == rows


def test_facts_tell_what_was_found_and_what_windows_gain() -> None:
    from homunculus.show.views import facts

    seen = homunculus.views(page(), "What?", tokens=16, scout=corner())
    assert seen.resize_value < seen.value
    assert facts(seen)[-1].endswith(f"Resized to the same budget: {seen.resize_value:.2f}.")
    found = (Match("total", 0.9, (0.1, 0.1, 0.2, 0.2)), Match("cash", 0.1, (0.1, 0.1, 0.2, 0.2)))
    told = facts(with_matches(seen, found))
    assert told[1] == "Found: total. Not found: cash."
    small = homunculus.views(page(), "What?", tokens=4096, scout=corner())
    assert len(small) == 1
    assert "Windows" not in facts(small)[-1]  # nothing is reduced
    blind = homunculus.views(page(), "What?", tokens=16, scout=corner(sure=0.0))
    assert "Resized to" not in facts(blind)[-1]


@pytest.mark.parametrize("size", [(300, 2400), (2400, 300), (700, 700), (40, 60)])
def test_a_drawing_is_as_wide_for_every_shape_and_never_too_high(size: tuple[int, int]) -> None:
    from homunculus.show.views import WIDE, draw_views

    seen = homunculus.views(Image.new("RGB", size, "white"), "W" * 90, tokens=32, scout=corner())
    drawn = draw_views(seen)
    assert drawn.width == WIDE
    assert drawn.height <= WIDE * 14 / 12


def test_pictures_are_drawn_as_they_are_sent() -> None:
    from homunculus.show.views import _sent

    seen = homunculus.views(page(), "What?", tokens=16, scout=corner())
    whole = seen.picture.image()
    shown = _sent(seen.views, {view: render(whole, view) for view in seen})
    assert [one.picture.tobytes() for one in shown] == [one.tobytes() for one in seen.images()]


def test_a_model_whose_small_pictures_are_dear_is_said_to_leave_no_room_for_windows() -> None:
    given = {"tokens": 100, "scout": corner()}
    dear = homunculus.views(page(), "What?", model="Qwen/Qwen3-VL-8B-Instruct", **given)
    assert len(dear) == 1
    assert "Each picture costs 64 tokens at least with qwen3-vl-published" in dear.message
    assert "shortest_edge" in dear.message
    assert "Raise tokens, or set size" in dear.message
    assert "Each picture" not in homunculus.views(page(), "What?", model=16, **given).message
    never = homunculus.views(page(), "What?", model="gemini-3", **given).message
    assert "whatever its size, so there are never windows." in never
    assert "Raise tokens" not in never
    for more in ({"windows": 0}, {"model": "gpt-4o", "settings": []}):
        options = {"tokens": 300, "model": "qwen3-vl-published", "scout": corner()} | more
        assert "Raise tokens" not in homunculus.views(page(), "What?", **options).message


def test_pictures_that_are_smaller_than_the_provider_recommends_are_said_to_be() -> None:
    seen = homunculus.views(page(), "What?", tokens=64, model="claude", scout=corner())
    small = [view for view in seen if min(view.size) < 200]
    assert len(small) == len(seen) > 1
    assert f"{len(seen)} of {len(seen)} pictures have a side below 200 px" in seen.message
    facts = seen.to_json()
    assert (facts["least_edge"], facts["below_edge"]) == (200, len(seen))
    unsure = homunculus.views(page(), "?", tokens=20, model="claude", scout=corner(sure=0.0))
    assert "The picture has a side below 200 px" in unsure.message


def test_nothing_is_said_of_pictures_that_are_large_enough_or_left_as_they_are() -> None:
    large = homunculus.views(page(), "?", tokens=200, model="claude", scout=corner(sure=0.0))
    tiny = homunculus.views(page().resize((90, 60)), "?", tokens=64, model="claude", scout=corner())
    other = homunculus.views(page(), "What?", tokens=16, model="qwen3-vl", scout=corner())
    for seen in (large, tiny, other):
        assert "px, with which" not in seen.message
        assert seen.to_json()["below_edge"] == 0


def test_a_thing_that_was_not_seen_has_no_probability() -> None:
    def scout(image, question, grid) -> Sight:
        missing = Match("elephant", 0.0, (0.0, 0.0, 1.0, 1.0), kind="thing")
        return replace(corner()(image, question, grid), matches=(missing,))

    seen = homunculus.views(page(), "What colour is the elephant?", tokens=32, scout=scout)
    assert seen.guess
    assert seen.message.startswith("Not seen: elephant. ")
    assert "probability" not in seen.message


def test_views_in_a_notebook_are_a_line_a_list_and_a_drawing() -> None:
    planner = Planner(page(), "What?", model=16, scout=corner())
    seen = planner.views(64)
    assert (seen[0], seen[-1]) == (seen.views[0], seen.views[-1])
    assert seen._repr_png_().startswith(b"\x89PNG")
    assert seen.show().size[0] > SIZE[0]
    for one in (planner, seen, seen.outlook, homunculus.look(page(), tokens=9, scout=corner())):
        assert "\n" not in repr(one)
        assert len(repr(one)) < 250


def test_a_picture_may_be_a_tensor() -> None:
    plain = torch.from_numpy(np.asarray(page()).copy()).permute(2, 0, 1)
    given = {"tokens": 32, "model": 16, "scout": corner()}
    ours, theirs = (homunculus.views(one, "What?", **given) for one in (plain, page()))
    assert np.array_equal(ours.picture.pixels, theirs.picture.pixels)
    with pytest.raises(ValueError, match=r"expected 3 x H x W of uint8, got 480 x 640 of float32"):
        homunculus.views(torch.zeros(480, 640), "What?", **given)


def test_views_is_the_function_though_a_module_has_its_name() -> None:
    """In whatever order they are imported."""
    code = "import homunculus.views as shown, homunculus; from homunculus import views; "
    code += "from homunculus.views import Views; assert callable(views); "
    code += "assert homunculus.views is views is shown"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_planner_takes_what_views_takes() -> None:
    of_views = signature(homunculus.views).parameters
    options = {field.name: field.default for field in fields(ViewOptions)}
    others = {"source", "question", "tokens", "page", "words"}
    assert {name: of_views[name].default for name in of_views.keys() - others} == options
