"""Passages: the words of windows as text, within the budget, and nothing else changes."""

import json
from base64 import b64encode
from functools import cache, partial
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

import homunculus
from homunculus import DocumentViews, Planner, Rewriter, Views
from homunculus.box import Box
from homunculus.commands.main import main
from homunculus.messages import ADAPTERS
from homunculus.messages.pictures import is_view
from homunculus.pages import Picture
from homunculus.pages.lines import Lines
from homunculus.planner.bill import Bill
from homunculus.planner.labels import passage_tokens, text_tokens
from homunculus.planner.models import token_rule
from homunculus.planner.plan import Plan, Window
from homunculus.views.passages import Told, passage, tell
from pdfs import pdf_of_pages, shown
from test_document_views import data, document, question
from test_on_lines import columns, table

MODELS = ("qwen3-vl", "claude", "gpt-4o", "gemini-2.5", "gemini-3", "llava-onevision")
TABLE = [("Potassium", "4.1"), ("Sodium", "139"), ("Calcium", "2.4")]


@cache
def seen(tokens: int = 200, model: str = "qwen3-vl", text: bool = True) -> DocumentViews:
    return document(5).views(question(3), tokens, model=model, text=text)


@cache
def page_one() -> Picture:
    return document(5).picture(1)


def chart(bars: bool) -> bytes:
    """A page with names and values, and with bars behind them or not."""
    rows = "".join(
        shown(name, 72, 700 - 30 * row) + shown(value, 300, 700 - 30 * row)
        for row, (name, value) in enumerate(TABLE)
    )
    drawn = "".join(f"150 {696 - 30 * row} {40 + 40 * row} 16 re f\n" for row in range(3))
    return pdf_of_pages([rows + drawn * bars])


def cost(views: Views) -> int:
    """What is sent of a picture costs, by the model's own count of its pictures."""
    pictures = [view.size for view in views if not view.is_text]
    setting = views.bill.setting
    paid = views.tokens if setting else sum(views.rule.prices(pictures))
    assert paid == views.tokens
    passages = [view.text for view in views if view.text]
    return paid + sum(map(text_tokens, views.labels())) + sum(map(passage_tokens, passages))


# ---- what it costs -------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("tokens", [64, 200, 900])
def test_pictures_lines_and_passages_cost_no_more_than_the_budget(model, tokens) -> None:
    told = seen(tokens, model)
    assert sum(cost(page.views) for page in told.pages) <= told.limit
    assert told.tokens + told.label_tokens + told.text_tokens <= told.limit
    assert len(told.labels()) in (0, len(told))
    assert len(told.images()) == sum(not view.is_text for view in told)
    bundle = told.bundle()
    assert bundle.tokens + bundle.label_tokens == (
        told.tokens + told.label_tokens + told.text_tokens
    )
    planner = Planner(page_one(), question(1), model=model, text=True, numbered=True)
    alone = planner.views(tokens)
    assert cost(alone) <= alone.limit


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 3000))
def test_the_budget_holds_for_any_plan(seed, spare) -> None:
    pages = [told(seed + number) for number in range(3)]
    limit = sum(page.bill.total for page in pages) + spare
    after = tell(pages, limit)
    assert sum(page.cost for page in after) <= limit
    for page, before in zip(after, pages, strict=True):
        boxes = [window.box for window in page.bill.plan.windows]
        assert len(page.passages) == len(boxes)
        for number, (text, box) in enumerate(zip(page.passages, boxes, strict=True)):
            alone = not page.bill.prices[number + 1]
            assert text or not alone
            assert text in ("", passage(page.lines, box))
            assert not alone or passage_tokens(text) < before.bill.prices[number + 1]
    assert [(page.bill, page.passages) for page in tell(pages, limit)] == [
        (page.bill, page.passages) for page in after
    ]


def told(seed: int) -> Told:
    """A page of words and a plan of some windows on it, drawn with its words alone or more."""
    lot = np.random.default_rng(seed)
    size = int(lot.integers(150, 1200)), int(lot.integers(150, 1200))
    words = (columns, table)[seed % 2](lot, size)
    lines, rule = Lines.of(words, "given"), token_rule("qwen3-vl")
    windows = list[Window]()
    for _ in range(int(lot.integers(0, 5))):
        x, y = (int(lot.integers(0, side - 64)) for side in size[::-1])
        wide, high = int(lot.integers(64, size[1] - x + 1)), int(lot.integers(64, size[0] - y + 1))
        box = Box(x, y, x + wide, y + high)
        windows.append(Window(box, (-(-high // 32), -(-wide // 32))))
    sizes = [(64, 64), *(window.size(32) for window in windows)]
    plan = Plan((64, 64), tuple(windows), 0.5)
    return Told(Bill(plan, rule.prices(sizes)), rule, lines, partial(drawn, size, lines, seed))


def drawn(size: tuple[int, int], lines: Lines, seed: int) -> Picture:
    """Words as boxes; on each third page on a pattern."""
    pixels = np.full((3, *size), 255, np.uint8)
    if seed % 3 == 0:
        pixels[:, ::2] = 0
    for x0, y0, x1, y1 in lines.boxes.astype(int).tolist():
        pixels[:, y0:y1, x0:x1] = 0
    return Picture(pixels, "page.png", size)


def test_letters_of_any_script_are_counted_and_never_too_few() -> None:
    """Tokenizers of bytes may need one for each byte; `proxy/test_labels` counts with real ones."""
    nothing = passage_tokens("")
    for text in ("東京", "Обзор", "½", "é", "👩‍👩‍👧"):
        assert passage_tokens(text) - nothing >= len(text.encode())
    assert passage_tokens("1,284.50") - nothing == 8
    assert passage_tokens("XJQZ") - nothing == 4
    assert passage_tokens("internationalisation") - nothing == 14


# ---- nothing changes without it ------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_without_it_nothing_changes(model) -> None:
    plain, off = document(5).views(question(3), 200, model=model), seen(200, model, text=False)
    assert json.dumps(plain.to_json()) == json.dumps(off.to_json())
    assert "text" not in json.dumps(list(plain.to_json()))
    assert plain.openai() == off.openai()
    assert not any(view.text or view.is_text for view in off)
    assert off.text_tokens == 0


def test_with_it_the_plan_is_the_same() -> None:
    with_text, without = seen(), seen(text=False)
    assert [view.box for view in with_text] == [view.box for view in without]
    assert with_text.labels() == without.labels()
    assert with_text.value == without.value


def test_where_no_words_are_known_it_does_nothing() -> None:
    image = Image.new("RGB", (2048, 1536), "white")
    given: Any = {"tokens": 100, "scout": np.diag([9.0, -9, -9, -9, -9, -9, -9, -9])}
    plain = homunculus.views(image, "What?", **given)
    text = homunculus.views(image, "What?", text=True, **given)
    assert len(plain) > 1
    assert text.to_json() == plain.to_json()
    assert text.openai() == plain.openai()


# ---- which words ---------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_a_passage_has_the_words_inside_and_in_their_order(seed) -> None:
    page = told(seed)
    for window in page.bill.plan.windows:
        box, lines = window.box, page.lines
        middle = (lines.boxes[:, :2] + lines.boxes[:, 2:]) / 2
        inside = [
            word
            for word, (x, y), (x0, y0, x1, y1) in zip(
                lines.words, middle.tolist(), lines.boxes.tolist(), strict=True
            )
            if (min(x1, box.x1) - max(x0, box.x0)) * (min(y1, box.y1) - max(y0, box.y0))
            >= 0.5 * (x1 - x0) * (y1 - y0)
            and box.x0 <= x <= box.x1
            and box.y0 <= y <= box.y1
        ]
        assert passage(lines, box).split() == inside


def test_rows_are_lines_and_cells_stand_side_by_side() -> None:
    words = [
        *(("Potassium", (10, 30 * row, 90, 30 * row + 20)) for row in range(2)),
        *(("4.1", (300, 30 * row + 2, 330, 30 * row + 18)) for row in range(2)),
        ("bad\x00\ud800", (10, 60, 90, 80)),
    ]
    lines = Lines.of(words, "given")
    assert passage(lines, Box(0, 0, 400, 100)) == "Potassium\t4.1\nPotassium\t4.1\nbad"
    assert passage(lines, Box(200, 0, 400, 25)) == "4.1"
    assert passage(lines, Box(200, 90, 400, 95)) == ""


def test_a_picture_that_shows_more_than_words_is_kept() -> None:
    pages = {
        bars: homunculus.views(
            chart(bars), "How high is the potassium?", tokens=900, text=True, page=1
        )
        for bars in (False, True)
    }
    assert any(view.is_text for view in pages[False])
    windows = [view for view in pages[True] if view.name != "whole"]
    assert windows
    assert not any(view.is_text for view in windows)


def test_words_of_your_own_are_sent() -> None:
    image = Image.new("RGB", (1200, 900), "white")
    ImageDraw.Draw(image).text((100, 400), "Potassium 4.1", "black", font_size=24)
    words = [("Potassium", (100, 402, 220, 426)), ("4.1", (228, 402, 262, 426))]
    given = homunculus.views(
        image, "How high is the potassium?", tokens=400, words=words, text=True
    )
    assert any(view.text == "Potassium 4.1" for view in given)


# ---- what is sent --------------------------------------------------------------------------------


def test_every_format_has_lines_passages_and_the_pictures_that_are_left() -> None:
    told = seen()
    texts = [view.text for view in told]
    assert any(view.is_text for view in told)
    assert not all(view.is_text for view in told)
    count = sum(not view.is_text for view in told)
    formats = {
        "openai": "image_url", "responses": "input_image", "anthropic": "image",
        "gemini": "inline_data",
    }  # fmt: skip
    for name, kind in formats.items():
        parts = getattr(told, name)()
        lines = [part["text"] for part in parts if "text" in part]
        assert sum(kind in (part.get("type"), *part) for part in parts) == count
        assert len(lines) == len(told)
        for line, label, text in zip(lines, told.labels(), texts, strict=True):
            assert line == (f'{label}\nText of this part:\n"{text}"' if text else label)
        json.dumps(parts)
    message = told.ollama()
    assert len(message["images"]) == count
    assert all(text in message["content"] for text in texts)
    assert [bool(part.picture) for part in told.bundle().parts] == [
        not view.is_text for view in told
    ]


def test_facts_say_it_and_drawings_and_files_are_those_of_pictures(tmp_path) -> None:
    told = seen()
    facts = json.loads(json.dumps(told.to_json()))
    assert facts["text_tokens"] == told.text_tokens > 0
    views = [view for page in facts["pages"] for view in page["views"]]
    assert [view["text"] for view in views] == [view.text for view in told]
    assert told.show().width == 1600
    paths = told.save(tmp_path)
    assert len(paths) == len(told.images())
    assert all(is_view(path.read_bytes()) for path in paths)
    alone = homunculus.views(data(1), question(1), tokens=600, text=True, page=1)
    assert any(view.is_text for view in alone)
    assert alone.show().width > 0
    assert len(alone.save(tmp_path)) == len(alone.images()) < len(alone)
    assert "1 picture," in repr(alone)
    assert alone.below_edge <= len(alone.images())


def test_the_command_line_sends_text(tmp_path, capsys) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(data(5))
    given = ["views", str(file), question(3), "--tokens", "200", "--text"]
    assert main([*given, "-o", str(tmp_path / "out")]) == 0
    assert "text alone, in views.json" in capsys.readouterr().out
    assert main([*given, "-o", str(tmp_path / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["text_tokens"] == seen().text_tokens
    out = str(tmp_path / "sheet.png")
    assert main(["show", str(file), question(3), "--tokens", "200", "--text", "-o", out]) == 0
    assert "for their text" in capsys.readouterr().out


# ---- requests ------------------------------------------------------------------------------------


def test_a_strict_rewriter_lets_our_own_text_through() -> None:
    """Even where a passage quotes what begins like a picture."""
    hidden = "iVBORw0KGgoAAAANSUhEUg=="
    image = Image.new("RGB", (1600, 1200), "white")
    ImageDraw.Draw(image).text((100, 400), hidden, "black", font_size=30)
    file = BytesIO()
    image.save(file, "png")

    def ocr(pixels: Any) -> list[Any]:
        return [("Key", (40, 400, 90, 430)), (hidden, (100, 400, 520, 430))]

    url = f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
    parts = [
        {"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "Which key?"},
    ]  # fmt: skip
    turn = {"role": "user", "content": parts}
    rewriter = Rewriter(300, model="qwen3-vl", ocr=ocr, text=True, strict=True)
    body, report = rewriter.request({"messages": [turn]})
    content = body["messages"][0]["content"]
    assert any(hidden in part.get("text", "") for part in content)
    assert report.tokens + report.label_tokens <= 300
    for adapter in ADAPTERS:
        if adapter.bare:
            field = {"role": "user", "content": "Which key?", "images": [url.partition(",")[2]]}
            body, _ = rewriter.request({"messages": [field]}, adapter=adapter)
            assert hidden not in json.dumps(body["messages"][0]["content"])
