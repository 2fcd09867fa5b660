"""What `show --why` and the studio say of a page that was read, and draw on it."""

import json
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

import homunculus
from homunculus import Match, Sight
from homunculus.commands.main import main
from homunculus.pages import open_picture
from homunculus.pages.lines import Lines
from homunculus.scouts.sight import Answer
from homunculus.show import panels, reasons
from homunculus.show.views import draw_views
from homunculus.show.why import candidates, listed, read_facts, read_line, why_facts, why_table
from homunculus.studio import cards, compare, page
from pdfs import letter, pdf

QUESTION = "What is the total due by telegram?"


@cache
def seen() -> homunculus.Views:
    """A page with a text layer, and a question with a word that is not on it."""
    return homunculus.views(pdf(letter()), QUESTION, tokens=64)


def facts_of(sight: Sight, picture: Any) -> dict[str, Any]:
    return why_facts(sight, np.zeros((2, 2)), picture, 8)


def blank(*answers: Answer, size: tuple[int, int] = (200, 100)) -> tuple[Any, Sight]:
    """A white picture of two words, and a sight with these answers."""
    words = [("Total", (20, 10, 60, 22)), ("9.75", (100, 10, 140, 22))]
    picture = open_picture(Image.new("RGB", size, "white")).with_words(words)
    return picture, Sight(np.zeros((2, 2)), sure=0.5, answers=answers)


# ---- facts ---------------------------------------------------------------------------------------


def test_facts_say_what_was_read_and_what_may_be_the_answer() -> None:
    picture, sight = seen().picture, seen().sight
    facts = facts_of(sight, picture)
    assert facts["read"] == {"words": 40, "lines": 6, "source": "text layer", "note": ""}
    first = facts["answers"][0]
    assert (first["name"], first["text"]) == ("A", "1,284.50")
    assert first["probability"] == round(sight.answers[0].probability, 3)
    assert picture.lines is not None
    high, wide = picture.original
    words = list(sight.answers[0].words)
    box = picture.lines.scaled(wide / picture.size[1], high / picture.size[0]).boxes[words][0]
    assert first["box"] == pytest.approx(box.tolist(), abs=0.06)
    states = {word["word"]: word["state"] for word in facts["words"]}
    assert (states["total"], states["telegram"]) == ("found", "missing")
    json.dumps(facts)


def test_boxes_are_in_pixels_of_the_original() -> None:
    large = open_picture(Image.new("RGB", (2000, 1000), "white"), longest=1000)
    picture = large.with_words([("9.75", (500, 200, 700, 250))])
    sight = Sight(np.zeros((2, 2)), sure=0.5, answers=(Answer("9.75", (0,), 0.5),))
    assert picture.size == (500, 1000)
    assert facts_of(sight, picture)["answers"][0]["box"] == [500.0, 200.0, 700.0, 250.0]


def test_a_box_is_around_all_words_and_words_that_are_not_there_have_none() -> None:
    answers = (Answer("Total 9.75", (0, 1), 0.6), Answer("?", (7, -3), 0.3), Answer("", (), 0.1))
    picture, sight = blank(*answers)
    boxes = [answer["box"] for answer in facts_of(sight, picture)["answers"]]
    assert boxes == [[20.0, 10.0, 140.0, 22.0], None, None]
    reasons.mark(picture.image(), picture, sight)
    unread = open_picture(picture.image())
    assert [candidate.box for candidate in candidates(sight, unread)] == [None] * 3


def test_a_picture_that_was_not_read_says_so_in_facts_alone() -> None:
    picture = open_picture(Image.new("RGB", (200, 100), "white"))
    read = read_facts(replace(picture, lines_note="The text layer is empty."))
    assert read == {"words": 0, "lines": 0, "source": None, "note": "The text layer is empty."}
    assert read_line(read) == ""
    empty = replace(picture, lines=Lines.of([], "rapidocr"))
    assert read_line(read_facts(empty)) == "Read: 0 words in 0 lines (rapidocr)."


# ---- the table -----------------------------------------------------------------------------------


def test_the_table_tells_what_was_read_found_and_ranked_first() -> None:
    lines = why_table(facts_of(seen().sight, seen().picture)).splitlines()
    assert lines[0] == "Read: 40 words in 6 lines (text layer)."
    assert lines[1].split()[0] == "word"
    assert any(line.split()[:2] == ["telegram", "no"] for line in lines)
    head = next(number for number, line in enumerate(lines) if line.startswith("likely answer "))
    letter, text, probability = lines[head + 1].split()[:3]
    assert (letter, text) == ("A", "1,284.50")
    assert float(probability) > 0.9
    assert lines[-1].startswith("2 of 3 words of the question read; ")


def test_few_answers_are_listed_and_none_that_is_hardly_likely() -> None:
    many = [Answer("Total", (0,), 0.3 - 0.03 * rank) for rank in range(9)]
    picture, sight = blank(*many)
    facts = facts_of(sight, picture)
    assert len(facts["answers"]) == 9
    assert [candidate.name for candidate in listed(sight, picture)] == list("ABCDE")
    assert sum(line[1:8] == " Total " for line in why_table(facts).splitlines()) == 5
    picture, sight = blank(Answer("Total", (0,), 0.5), Answer("9.75", (1,), 0.01))
    assert [candidate.name for candidate in listed(sight, picture)] == ["A"]


def test_words_of_strangers_cannot_steer_a_terminal() -> None:
    text = "\x1b[31mpaid\x07\n\u202eback " + "x" * 300
    table = why_table(facts_of(*reversed(blank(Answer(text, (0,), 0.9)))))
    row = next(line for line in table.splitlines() if line.startswith("A "))
    assert row.startswith("A [31mpaid back xxx")
    assert "…  0.90" in row
    assert len(row) < 80
    assert not set("\x1b\x07\u202e") & set(table)


def test_given_words_are_not_said_to_be_read() -> None:
    picture, _ = blank()
    assert read_line(read_facts(picture)) == "Given: 2 words in 2 lines."


# ---- the drawing ---------------------------------------------------------------------------------


def digest(drawn: Any) -> str:
    """Pixels in short: pytest would take minutes to tell where megabytes differ."""
    return blake2b(drawn.tobytes()).hexdigest()


def colours(drawn: Any) -> set[tuple[int, ...]]:
    return {colour for _, colour in drawn.getcolors(1 << 24)}


def test_the_drawing_shows_answers_and_words_only_if_it_is_asked_why() -> None:
    plain, why = draw_views(seen()), draw_views(seen(), why=True)
    assert reasons.ANSWER in colours(why)
    assert reasons.ANSWER not in colours(plain)
    assert digest(plain) != digest(why)
    assert digest(plain) == digest(draw_views(seen(), why=False))


def test_the_drawing_without_why_knows_nothing_of_answers() -> None:
    def draw(*answers: Answer) -> str:
        picture, sight = blank(*answers, size=(800, 600))
        matches = (Match("total", 0.9, (0.1, 0.1, 0.2, 0.2)),)
        scout = replace(sight, matches=matches)
        views = homunculus.views(picture, "total", tokens=16, scout=lambda *_: scout)
        return digest(draw_views(views))

    assert draw() == draw(Answer("9.75", (1,), 0.9))


def test_lines_are_tinted_answers_and_words_outlined_where_they_stand() -> None:
    picture, sight = blank(Answer("9.75", (1,), 0.9))
    sight = replace(sight, matches=(Match("total", 0.9, (0.1, 0.1, 0.3, 0.22)),))
    white = picture.image()
    tinted = reasons.read(white, picture)
    assert tinted.getpixel((120, 16)) != (255, 255, 255)
    assert tinted.getpixel((120, 40)) == tinted.getpixel((80, 16)) == (255, 255, 255)
    marked = reasons.mark(white, picture, sight)
    assert marked.getpixel((120, 8)) == reasons.ANSWER
    assert marked.getpixel((40, 8)) == panels.FOUND
    assert marked.getpixel((120, 16)) == (255, 255, 255)  # the answer itself stays
    assert digest(reasons.read(white, replace(picture, lines=None))) == digest(white)


def test_names_spare_what_was_read_where_there_is_room() -> None:
    """Above and below the answer stand other words; its name goes to a side."""
    column = [("9", (100, y, 140, y + 22)) for y in (40, 65, 90)]
    picture = open_picture(Image.new("RGB", (400, 160), "white")).with_words(column)
    sight = Sight(np.zeros((2, 2)), sure=0.5, answers=(Answer("9", (1,), 0.9),))
    marked = np.asarray(reasons.mark(picture.image(), picture, sight))
    painted = np.argwhere((marked == reasons.ANSWER).all(-1))
    assert painted[:, 0].min() >= 62
    assert painted[:, 0].max() <= 90
    assert painted[:, 1].max() > 160


def test_the_legend_names_what_was_not_found() -> None:
    picture, sight = blank()
    assert reasons.legend(replace(picture, lines=None), sight, 300) is None
    there = (0.0, 0.0, 0.1, 0.1)
    lone = reasons.legend(picture, sight, 300)
    lost = reasons.legend(picture, replace(sight, matches=(Match("cash", 0.1, there),)), 300)
    found = reasons.legend(picture, replace(sight, matches=(Match("cash", 0.9, there),)), 300)
    assert lone.height < lost.height == found.height
    assert panels.FOUND in colours(found)
    assert panels.FOUND not in colours(lost)


def test_the_command_draws_why(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letter.pdf").write_bytes(pdf(letter()))
    line = ["show", "letter.pdf", QUESTION, "--tokens", "64", "--scout", "auto", "-o"]
    assert main([*line, "plain.png"]) == 0
    told = capsys.readouterr().out
    assert "likely answer" not in told
    assert main([*line, "why.png", "--why"]) == 0
    told = capsys.readouterr().out
    assert "Read: 40 words in 6 lines (text layer)." in told
    assert "A 1,284.50" in told
    plain, why = (Image.open(name).convert("RGB") for name in ("plain.png", "why.png"))
    assert reasons.ANSWER in colours(why)
    assert digest(plain) == digest(draw_views(seen()))
    assert main([*line, "again.png", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["why"]["answers"][0]["text"] == "1,284.50"


# ---- the studio ----------------------------------------------------------------------------------


def test_the_studio_shows_what_views_rest_on() -> None:
    comparison = compare.compare(compare.open_upload(pdf(letter())), compare.Request(QUESTION, 64))
    assert reasons.ANSWER in colours(comparison.reasons)
    assert comparison.reasons.width <= compare.EXPLAINED[0]
    html = cards.page(comparison).partition('class="why"')[2].partition("</section>")[0]
    assert "Read: 40 words in 6 lines (text layer)." in html
    assert "<td>telegram</td><td>no</td>" in html
    assert "<td>A 1,284.50</td>" in html


def test_the_studio_escapes_the_words_of_a_page() -> None:
    lines = ["Invoice of Northwind Traders", "Total due: <script>alert(1)</script>", *["Oil"] * 4]
    comparison = compare.compare(
        compare.open_upload(pdf(letter(lines))), compare.Request("What is the total due?", 64)
    )
    assert any("<script>" in answer["text"] for answer in comparison.why["answers"])
    html = cards.page(comparison)
    assert "&lt;script&gt;" in html
    assert "<script" not in html


def test_a_click_rests_on_no_words() -> None:
    request = compare.Request(QUESTION, 64, point=(0.5, 0.5))
    comparison = compare.compare(compare.open_upload(pdf(letter())), request)
    assert 'class="why"' not in cards.page(comparison)


def test_the_studio_reads_by_an_ocr_only_if_it_is_asked_to(monkeypatch) -> None:
    calls = list[tuple[int, ...]]()

    def fake(pixels: Any) -> list[Any]:
        calls.append(pixels.shape)
        return [("Total due: 9.75", (20, 20, 180, 40))]

    monkeypatch.setattr(compare, "OCR", fake)
    monkeypatch.setattr(compare, "has_ocr", lambda: True)
    file = BytesIO()
    Image.new("RGB", (400, 300), "white").save(file, "png")
    picture = compare.open_upload(file.getvalue())
    plain = compare.compare(picture, compare.Request("What is the total due?", 16))
    assert (calls, plain.why["read"]["source"]) == ([], None)
    read = compare.compare(picture, compare.Request("What is the total due?", 16, ocr=True))
    assert (len(calls), read.why["read"]["words"]) == (1, 3)
    assert read.why["answers"]


def test_an_ocr_that_is_not_installed_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(compare, "find_spec", lambda name: None)
    compare.Request("What?")
    with pytest.raises(ValueError, match="no OCR here"):
        compare.Request("What?", ocr=True)


@pytest.mark.parametrize("value", [None, 0, "/etc/passwd", "rapidocr", ["tesseract"], {"a": 1}])
def test_a_browser_can_switch_the_ocr_on_and_name_nothing(value: Any) -> None:
    assert page.request_of({}, "What?", 16, "qwen3-vl", [], value).ocr is False
