"""Conversations with a bound: never over it, equal beginnings for eight turns, the newest whole."""

import json
from base64 import b64encode
from functools import cache
from io import BytesIO
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from homunculus.messages import ANTHROPIC, CHAT, GEMINI, OLLAMA, RESPONSES, Adapter
from homunculus.messages.body import pictures_in
from homunculus.serve import Rewriter
from homunculus.serve.history import BLOCK, LINE, SHORT, History, Step, line
from homunculus.serve.rewriter import SCREEN
from test_serve_documents import claude as with_document

TOKENS, CAP = 200, 2600
turns_of = st.lists(st.lists(st.integers(20, 400), max_size=3), max_size=40)


def history(tokens: int = CAP, images: int = 100, each: int = 3, least: int = 17) -> History:
    return History(tokens, images, each, least)


# ---- what becomes of pictures --------------------------------------------------------------------


def spent(steps: list[Step]) -> int:
    return sum(step.tokens for step in steps)


@given(turns_of, st.integers(3500, 9000), st.integers(24, 200))
def test_a_conversation_never_costs_more_than_its_bound(turns, tokens, images) -> None:
    bounds = history(tokens, images)
    steps = bounds.steps(turns)
    assert len(steps) == sum(map(len, turns))
    assert spent(steps) <= tokens
    counts = {"full": bounds.each, "less": bounds.each, "small": 1}
    assert sum(counts.get(step.form, 0) for step in steps) <= images


@given(turns_of, st.integers(3500, 9000))
def test_the_newest_turn_has_its_budget_and_older_ones_no_more(turns, tokens) -> None:
    steps = history(tokens).steps(turns)
    newest = next((budgets for budgets in reversed(turns) if budgets), [])
    if newest:
        assert [step.form for step in steps[-len(newest) :]] == ["full"] * len(newest)
        if sum(newest) <= history(tokens).room:
            assert [step.tokens for step in steps[-len(newest) :]] == newest
    order = ("short", "line", "small", "less", "full")
    ranks = [order.index(step.form) for step in steps]
    assert ranks == sorted(ranks)


@given(turns_of, st.integers(3500, 9000))
def test_what_was_sent_changes_only_when_a_block_begins(turns, tokens) -> None:
    bounds = history(tokens)
    sent = [bounds.steps(turns[:count]) for count in range(len(turns) + 1)]
    for before, after, budgets in zip(sent, sent[1:], turns, strict=False):
        if after[: len(before)] != before:  # a new block: only its first turn is whole
            assert [step.form for step in after].count("full") == len(budgets)


@pytest.mark.parametrize("images", [1, 2])
def test_beginnings_stay_for_eight_turns_in_a_row(images: int) -> None:
    turns, bounds = [[100] * images] * 40, history(10 * 100 * images)
    sent = [bounds.steps(turns[:count]) for count in range(1, 41)]
    breaks = [
        count for count, (before, after) in enumerate(pairwise(sent), 2)
        if after[: len(before)] != before
    ]  # fmt: skip
    assert breaks == [BLOCK * block + 1 for block in range(1, 5)]


def test_a_picture_goes_down_step_by_step() -> None:
    turns = [[320]] * 33
    first = [history(8000).steps(turns[:count])[0] for count in (8, 9, 17, 25, 33)]
    assert first == [
        Step("full", 320), Step("less", 80), Step("small", 20), Step("line", LINE),
        Step("short", SHORT),
    ]  # fmt: skip


def test_more_than_there_is_room_for_is_refused() -> None:
    with pytest.raises(ValueError, match="a turn has 9 pictures"):
        history(150).steps([[100] * 9])
    with pytest.raises(ValueError, match="too few for a conversation of 96 older"):
        history(1000).steps([[17]] * 101)
    assert spent(history(300).steps([[100] * 9])) <= 300  # there is, for less of each


def test_lines_are_short_whatever_was_found() -> None:
    places = [f'"{"x" * 24}" at 10-100% across and 10-100% down'] * 5
    text = line("Picture", 999, "99999 x 99999", places)
    assert text.count('"') == 2  # one word: a second would be too long
    assert line("Document", None, "9 pages", []) == "[Document, 9 pages: no longer shown.]"


# ---- requests ------------------------------------------------------------------------------------


@cache
def screen(number: int) -> str:
    image = Image.new("RGB", (900, 600), "white")
    draw = ImageDraw.Draw(image)
    for row in range(12):
        draw.text((30, 20 + 45 * row), f"Row {row}: {number * 37 + row}, total {row}", "black")
    file = BytesIO()
    image.save(file, "png")
    return b64encode(file.getvalue()).decode()


def shot(number: int) -> dict:
    source = {"type": "base64", "media_type": "image/png", "data": screen(number)}
    return {"type": "image", "source": source}


def result(number: int) -> dict:
    return {"type": "tool_result", "tool_use_id": f"t{number}", "content": [shot(number)]}


def talk(turns: int = 30, tool: bool = False) -> list[list[dict]]:
    """Requests of a conversation: every sixth turn has no picture."""
    said, requests = list[dict](), []
    for number in range(turns):
        text = {"type": "text", "text": f"Step {number}: where is the total?"}
        picture = [] if number % 6 == 5 else [result(number) if tool else shot(number)]
        said.append({"role": "user", "content": [*picture, text]})
        requests.append(list(said))
        said.append({"role": "assistant", "content": "Below."})
    return requests


def body(turns: list[dict], **more: object) -> dict:
    return {"model": "claude-opus-4-8", "messages": turns, **more}


@pytest.mark.parametrize("strict", [False, True])
def test_thirty_turns_stay_within_the_bound_and_begin_alike(strict: bool) -> None:
    rewriter = Rewriter(TOKENS, history=CAP, strict=strict, windows=1)
    sent, held = list[str](), list[int]()
    for turns in talk():
        after, report = rewriter.request(body(turns), adapter=ANTHROPIC)
        assert report.left == []
        assert report.tokens + report.label_tokens <= CAP
        assert after["messages"][-1]["content"][-1] == turns[-1]["content"][-1]
        raw = json.dumps(after["messages"]).removesuffix("]")
        same = bool(sent) and raw.startswith(sent[-1])
        held = [*held[:-1], held[-1] + 1] if same else [*held, 1]
        sent.append(raw)
    assert all(turns >= BLOCK for turns in held[:-1])
    assert len(held) == 4
    assert report.untouched > 10 * (report.tokens + report.label_tokens)
    assert "[Old picture]" in sent[-1]
    fresh, _ = Rewriter(TOKENS, history=CAP, strict=strict, windows=1).request(
        body(talk()[-1]), adapter=ANTHROPIC
    )
    assert json.dumps(fresh["messages"]).removesuffix("]") == sent[-1]


def test_lines_say_what_was_seen_and_where() -> None:
    rewriter = Rewriter(TOKENS, history=6000, windows=1)
    after, _ = rewriter.request(body(talk()[-1]), adapter=ANTHROPIC)
    first = after["messages"][0]["content"][0]["text"]
    assert first.startswith('[Picture, 900 x 600: no longer shown. It had "total" at ')


def test_what_a_tool_points_at_stays_as_it_is_while_it_is_new() -> None:
    tools = [{"type": "computer_20250124", "name": "computer"}]
    turns = talk(12, tool=True)[-1]
    asked = body(turns, tools=tools)
    after, report = Rewriter(TOKENS, history=CAP).request(asked, adapter=ANTHROPIC)
    assert after["messages"][-1] == turns[-1]
    files = [found.text for found in pictures_in(after["messages"], ANTHROPIC)]
    kept = [number for number in range(12) if screen(number) in files]
    assert kept == [9, 10]  # the first eight are a block of their own
    assert report.left == [SCREEN] * len(kept)
    lines = [
        part["text"] for turn in after["messages"] if turn["role"] == "user"
        for part in turn["content"][0].get("content", []) if part["type"] == "text"
    ]  # fmt: skip
    assert not any("etail" in text for text in lines)  # a window would be another screen
    untouched, _ = Rewriter(TOKENS).request(asked, adapter=ANTHROPIC)
    assert untouched == asked
    with pytest.raises(ValueError, match="points at"):
        Rewriter(TOKENS, history=CAP, strict=True).request(asked, adapter=ANTHROPIC)


def test_other_formats_have_lines_too() -> None:
    chat = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{screen(0)}"}}
    response = {"type": "input_image", "image_url": f"data:image/png;base64,{screen(0)}"}
    for adapter, picture, kind, field in (
        (CHAT, chat, "text", "messages"), (RESPONSES, response, "input_text", "input"),
    ):  # fmt: skip
        said = {"role": "user", "content": [picture, {"type": kind, "text": "Where is the total?"}]}
        asked = {"model": "gpt-6", field: [said] * 40}
        after, report = Rewriter(TOKENS, history=4000, windows=0).request(asked, adapter=adapter)
        assert after[field][0]["content"][0] == {
            "type": kind, "text": "[Old picture]",
        }  # fmt: skip
        assert report.tokens + report.label_tokens <= 4000
    said = {"role": "user", "content": "Where is the total?", "images": [screen(0)]}
    after, report = Rewriter(TOKENS, history=4000, windows=0).request(
        {"model": "qwen3-vl", "messages": [said] * 40}, adapter=OLLAMA
    )
    assert after["messages"][0]["images"] == []
    assert len(after["messages"][-1]["images"]) == 1


def test_old_documents_become_lines() -> None:
    asked = with_document()
    asked["messages"] = [{**asked["messages"][0]} for _ in range(26)]
    rewriter = Rewriter(TOKENS, documents=300, history=6000)
    after, report = rewriter.request(asked, adapter=ANTHROPIC)
    assert report.left == []
    assert report.tokens + report.label_tokens <= 6000
    texts = [turn["content"][0]["text"] for turn in after["messages"]]
    assert texts[0] == "[Old document]"
    assert texts[19].startswith("[Document 20, 5 pages: no longer shown. It had page ")
    assert "Document 26, page" in json.dumps(after["messages"][-1])


def test_wrong_bounds_are_told_at_once() -> None:
    with pytest.raises(ValueError, match=r"at least 250[01], got 2499"):
        Rewriter(TOKENS, history=2499)
    with pytest.raises(ValueError, match="at least 400, got 399"):
        Rewriter(TOKENS, history=399, images=9)
    with pytest.raises(ValueError, match="at least 6000, got 5999"):
        Rewriter(TOKENS, documents=3000, history=5999)
    with pytest.raises(ValueError, match="Leave one of them out"):
        Rewriter(TOKENS, history=CAP, legible=0.9)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("model", "adapter", "tokens"), [("gpt-4o", CHAT, 300), ("gemini-3", GEMINI, 300)]
)
def test_old_pictures_become_lines_where_the_smallest_one_is_dear(
    model: str, adapter: Adapter, tokens: int, strict: bool
) -> None:
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{screen(0)}"}}
    part = {"inlineData": {"mimeType": "image/png", "data": screen(0)}}
    asked = "Where is the total?"
    said = {"role": "user", "content": [picture, {"type": "text", "text": asked}]}
    if adapter is GEMINI:
        said = {"role": "user", "parts": [part, {"text": asked}]}
    rewriter = Rewriter(tokens, history=4000, strict=strict, windows=0)
    after, report = rewriter.request({adapter.turns: [said] * 40}, adapter=adapter, model=model)
    assert report.left == report.notes == []
    assert report.tokens + report.label_tokens <= 4000
    assert json.dumps(after).count("[Old picture]") > 10
    files = list(pictures_in(after, adapter))
    assert 0 < len(files) < 30
    assert files[0].text != screen(0)


def test_a_budget_below_the_smallest_picture_is_raised_for_the_bound_as_well() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": screen(0)}}
    said = {"role": "user", "parts": [picture, {"text": "Where is the total?"}]}
    rewriter = Rewriter(64, history=2000, images=60)
    _, report = rewriter.request({"contents": [said] * 32}, adapter=GEMINI, model="gemini-3")
    assert "raised to 280" in report.notes[0]
    assert report.pictures == 32
    assert report.tokens + report.label_tokens <= 2000
