"""`legible`: views that are not likely enough to show the answer give way to more, or to all."""

import base64
import json
from io import BytesIO

import pytest
import torch
from PIL import Image

import homunculus
from homunculus import Match, Sight
from homunculus.batch.job import Job
from homunculus.batch.read import Row
from homunculus.batch.work import plan_row
from homunculus.commands.main import main
from homunculus.planner.models import token_rule
from homunculus.serve import Rewriter
from homunculus.serve.rewriter import DOUBT

SIZE = (1536, 1024)


def page():
    return Image.new("RGB", SIZE, "white")


def scout(sure: float = 0.95, height: float = 16.0):
    """Looks at the top left, where print is so high; a word was found there."""

    def look(pixels, question, grid) -> Sight:
        logit = torch.full(grid, -12.0)
        logit[: grid[0] // 16, : grid[1] // 8] = 0.0
        found = (Match("total", 0.9, (0.0, 0.0, 0.05, 0.02)),)
        return Sight(logit, sure=sure, size=height, size_error=0.1, matches=found)

    return look


def seen(legible: float | None, cap: int = 1024, tokens: int = 16, **given):
    options = {"tokens": tokens, "model": 28, "scout": scout(**given)}
    return homunculus.views(page(), "What is the total?", legible=legible, cap=cap, **options)


def test_views_that_are_legible_stay_as_they_are() -> None:
    plain, asked = seen(None, tokens=64), seen(0.5, tokens=64)
    assert plain.value >= 0.5
    assert asked.views == plain.views
    assert (asked.limit, asked.reached, asked.original) == (64, True, False)


def test_too_few_tokens_become_as_many_as_are_needed() -> None:
    few, more = seen(None), seen(0.8)
    assert few.value < 0.8 <= more.value
    assert 16 < more.tokens <= more.limit < more.untouched
    assert (more.reached, more.original) == (True, False)
    assert seen(0.8, tokens=more.limit - 1).limit == more.limit


@pytest.mark.parametrize("given", [{"cap": 17}, {"sure": 0.3}, {"height": 3.0}])
def test_where_no_views_are_legible_the_picture_stays_as_it_is(given) -> None:
    left = seen(0.9, **given)
    (whole,) = left
    assert left.original
    assert whole.size == SIZE[::-1]
    assert left.tokens == left.untouched
    assert left.message.startswith("Views do not reach the 0.9 that was asked for, so the picture")
    assert left.to_json()["original"] is True


@pytest.mark.parametrize("sure", [0.0, 0.3])
@pytest.mark.parametrize(
    ("model", "size"),
    [("qwen3-vl", (1000, 1000)), ("claude", (2480, 3508)), ("gpt-4o", (2480, 3508)),
     ("gemini-3", (1000, 1400)), ("qwen3-vl", (1024, 1024))],
)  # fmt: skip
def test_the_original_is_the_picture_at_its_usual_price(model, size, sure) -> None:
    picture = Image.new("RGB", size, "white")
    given = {"tokens": 300, "model": model, "scout": scout(sure=sure), "numbered": True}
    left = homunculus.views(picture, "What is the total?", legible=0.999, cap=301, **given)
    assert left.original
    assert [view.size for view in left] == [size[::-1]]
    assert left.tokens == left.untouched <= left.limit
    assert left.to_json()["setting"] == {}


def test_where_nobody_knows_where_to_look_the_picture_stays_as_it_is() -> None:
    assert homunculus.views(page(), "", tokens=16, model=28, legible=0.5).original
    assert not homunculus.views(page(), "", tokens=16, model=28).original


@pytest.mark.parametrize("legible", [0, 1.5, -1, "much"])
def test_what_is_no_probability_is_refused(legible) -> None:
    with pytest.raises((ValueError, TypeError), match="legible"):
        seen(legible)
    with pytest.raises((ValueError, TypeError), match="legible"):
        Rewriter(64, legible=legible)


# ---- requests ------------------------------------------------------------------------------------


def body() -> dict:
    file = BytesIO()
    page().save(file, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
    picture = {"type": "image_url", "image_url": {"url": url}}
    question = {"type": "text", "text": "What is the total?"}
    return {"model": "gpt-6", "messages": [{"role": "user", "content": [picture, question]}]}


def rewritten(legible: float | None, strict: bool = False, **given):
    rewriter = Rewriter(24, model=28, legible=legible, cap=256, strict=strict, scout=scout(**given))
    return rewriter.request(body())


def test_a_request_gets_more_tokens_where_they_are_needed() -> None:
    (_, few), (_, more) = rewritten(None), rewritten(0.8)
    assert few.tokens <= 24 < more.tokens <= 256
    assert few.shown[0].value < 0.8 <= more.shown[0].value
    assert (few.left, more.left) == ([], [])


def test_a_request_keeps_a_picture_whose_views_are_not_legible() -> None:
    changed, report = rewritten(0.8, sure=0.3)
    assert changed == body()
    assert (report.shown, report.left) == ([], [DOUBT])


def test_a_strict_request_never_keeps_it() -> None:
    changed, report = rewritten(0.8, strict=True, sure=0.3)
    assert changed != body()
    assert 24 < report.tokens + report.label_tokens <= 256
    assert report.left == []


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("sure", [0.95, 0.3])
def test_a_request_that_was_rewritten_is_left_alone(strict, sure) -> None:
    rewriter = Rewriter(24, model=28, legible=0.7, cap=256, strict=strict, scout=scout(sure=sure))
    once, _ = rewriter.request(body())
    again, report = rewriter.request(once)
    assert again == once
    assert report.shown == []


def test_a_request_with_a_smaller_budget_of_its_own_keeps_to_it() -> None:
    rewriter = Rewriter(64, model=28, legible=0.99, cap=256, scout=scout(sure=0.3))
    _, report = rewriter.request(body(), tokens=24)
    assert 0 < report.tokens <= 24
    assert report.left == []


# ---- batches and the command line ----------------------------------------------------------------


def row(name: str = "page.png") -> Row:
    file = BytesIO()
    page().save(file, "PNG")
    return Row(name, name, "What is the total?", file.getvalue())


def test_a_batch_falls_back_and_says_so(monkeypatch) -> None:
    from homunculus.scouts.registry import list_scouts

    monkeypatch.setitem(list_scouts(), "unsure", lambda: scout(sure=0.3))
    job = Job("in", 32, model="28", scout="unsure", legible=0.8, cap=256)
    (result,) = plan_row(job, row())
    assert result["tokens"] == result["untouched"] == token_rule(28).count(SIZE[::-1])
    with pytest.raises(ValueError, match="legible must be"):
        Job("in", 32, legible=2.0)


def test_the_command_line_falls_back(tmp_path, monkeypatch, capsys) -> None:
    from homunculus.scouts.registry import list_scouts

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(list_scouts(), "unsure", lambda: scout(sure=0.3))
    page().save("page.png")
    call = ["views", "page.png", "What is the total?", "--tokens", "32", "--scout", "unsure"]
    assert main([*call, "--legible", "0.8", "--cap", "64", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["original"] is True
    assert main([*call, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["original"] is False
