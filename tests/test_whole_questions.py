"""Questions about the whole picture: known by how they begin, in four languages."""

import json
import time
from base64 import b64encode
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

import homunculus
from homunculus.scouts.places import asks_for_all
from homunculus.serve import Rewriter

WHOLE = """
    Summarize this document.
    Please summarise the page for me
    Can you describe this image?
    Describe the picture in detail
    Translate this into English
    translate the letter to German, please
    Transcribe everything
    Extract all line items
    extract every amount as JSON
    List all transactions
    List all the dishes with their prices
    Give me a summary of this report
    a short summary
    What is this document?
    What's in this picture?
    What is this letter about?
    What does this document say?
    tl;dr
    Explain this chart
    Fasse das Dokument zusammen
    Übersetze den Brief ins Englische
    Bitte beschreibe das Bild
    Liste alle Buchungen auf
    Worum geht es in diesem Schreiben?
    Résume ce document
    Traduis cette page en anglais
    Décrivez l'image
    Liste toutes les opérations
    De quoi parle cet article ?
    Resume este documento
    Traduce esta carta al inglés
    Describe la imagen
    Extrae todos los importes
    ¿De qué trata este artículo?
"""
PART = """
    What is the total?
    How much do I have to pay?
    Translate the second line
    Translate the word in the red box
    Describe the logo at the top left
    Summarize the third paragraph
    What is the summary statement date?
    What is this month's rent?
    What does this item cost?
    What is the total of all items?
    List price of the tent?
    Which page has the index?
    Explain the fee of 3.50 on 12 May
    When does the last bus leave?
    Wie viel habe ich bezahlt?
    Wann ist alles fällig?
    Beschreibung des Artikels 4711?
    Übersetze das Wort neben dem Preis
    Combien coûte le menu ?
    Quel est le total de toutes les lignes ?
    ¿Cuál es el total?
    ¿Quién escribe la carta?
    How much is the resume service?
    Read the meter number
    What is the gist of clause 7?
    Extract the invoice number
    Give me the total
    What is it?
    What is this?
    What is the website?
    What is the code?
    What does the label say?
    What is the message?
    Description?
    Beschreibung?
    What is on the menu for Friday?
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize("question", lines(WHOLE))
def test_a_question_about_the_whole_is_known(question: str) -> None:
    assert asks_for_all(question)


@pytest.mark.parametrize("question", lines(PART))
def test_a_question_about_a_part_is_not(question: str) -> None:
    assert not asks_for_all(question)


def test_long_questions_take_no_time() -> None:
    began = time.perf_counter()
    asks_for_all("please " * 20_000)
    asks_for_all("a " * 20_000 + "summary")
    assert time.perf_counter() - began < 0.5


def page() -> bytes:
    file = BytesIO()
    Image.open(Path(__file__).parents[1] / "docs" / "invoice.png").save(file, "PNG")
    return file.getvalue()


def test_views_of_the_whole_are_the_whole_and_say_why() -> None:
    seen = homunculus.views(page(), "Summarize this document.", tokens=64)
    assert [view.name for view in seen] == ["whole"]
    assert seen.basis == "unknown"
    assert "about the whole picture" in seen.message
    assert "does not know" not in seen.message


@pytest.mark.parametrize("strict", [False, True])
def test_a_request_about_the_whole_keeps_its_picture_unless_it_is_strict(strict: bool) -> None:
    uri = f"data:image/png;base64,{b64encode(page()).decode()}"
    parts = [
        {"type": "image_url", "image_url": {"url": uri}},
        {"type": "text", "text": "Please translate this page into French."},
    ]
    body = {"model": "gpt-5.4", "messages": [{"role": "user", "content": parts}]}
    after, report = Rewriter(64, strict=strict).request(body)
    assert (uri in json.dumps(after)) is not strict
    if strict:
        assert report.shown[0].tokens <= 64
    else:
        assert "whole picture" in report.left[0]
