"""What a plan rests on is said in three words, and a doubtful match is never said to be found."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import homunculus
from homunculus import Match, Planner, Sight
from homunculus.commands.main import main
from homunculus.planner.belief import in_picture
from homunculus.scouts.registry import list_scouts
from homunculus.scouts.sight import FOUND, PERHAPS
from homunculus.scouts.words import WordSight
from homunculus.scouts.words.question import parse
from homunculus.serve.tool import describe
from homunculus.show.demo import FOLDER
from homunculus.show.views import facts
from homunculus.show.why import why_table

CORNER = (0.75, 0.75, 1.0, 1.0)
SCORES = {"total": 0.9, "bezahlt": 0.55, "cash": 0.1, "bezahl": 0.2}
"""Found, perhaps, not, and a part of another word."""
WORDS = ("total", "bezahlt", "cash")


def page() -> Any:
    return Image.new("RGB", (800, 600), "white")


def scout(*words: str, sure: float = 0.9) -> Callable[..., Sight]:
    """A scout of one corner that looked for these words."""
    logit = np.full((8, 8), -9.0)
    logit[6:, 6:] = 0.0
    matches = tuple(Match(word, SCORES[word], CORNER) for word in words)
    return lambda image, question, grid: Sight(logit, sure=sure, matches=matches)


def seen(*words: str, sure: float = 0.9) -> homunculus.Views:
    return homunculus.views(page(), "What?", tokens=16, scout=scout(*words, sure=sure))


# ---- what a plan rests on ------------------------------------------------------------------------


def test_nothing_is_known_of_a_question_that_names_nothing() -> None:
    receipt = FOLDER / "receipt.png"
    unknown = homunculus.views(receipt, "How much is it?", tokens=64, model="claude")
    assert unknown.basis == "unknown"
    assert unknown.guess
    assert unknown.value is None
    assert unknown.resize_value is None
    assert "legible not known" in repr(unknown)
    told = unknown.to_json()
    assert (told["basis"], told["guess"], told["value"]) == ("unknown", True, None)


STATES = [
    (("total", "cash"), 0.9, "found", False),
    ((), 0.9, "found", False),  # a map that was given: its scout knows the place
    (("cash",), 0.9, "guess", True),
    (("bezahlt", "cash"), 0.9, "guess", True),
    (("cash",), 0.0, "unknown", True),
    ((), 0.0, "unknown", True),
]


@pytest.mark.parametrize(("words", "sure", "basis", "guess"), STATES)
def test_there_are_three_states_and_a_plan_is_a_guess_unless_something_was_found(
    words: tuple[str, ...], sure: float, basis: str, guess: bool
) -> None:
    views = seen(*words, sure=sure)
    assert (views.basis, views.sight.basis, views.guess) == (basis, basis, guess)
    assert (views.value is None) == (basis == "unknown")
    assert ("a guess" in repr(views)) == (basis == "guess")


def test_untouched_is_what_the_original_would_cost() -> None:
    views = seen("total")
    assert views.untouched == views.rule.count((600, 800)) == views.to_json()["untouched"]


def test_a_budget_of_the_unknown_has_no_value_and_is_not_reached(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = Planner(page(), "What?", scout=scout(sure=0.0)).budget(0.5)
    assert (needed.value, needed.reached) == (None, False)
    with pytest.warns(UserWarning, match="do not reach legible"):
        auto = homunculus.views(page(), "What?", tokens="auto", cap=32, scout=scout(sure=0.0))
    assert auto.reached is False
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(list_scouts(), "lost", lambda: scout(sure=0.0))
    page().save("page.png")
    assert main(["budget", "page.png", "What?", "--scout", "lost", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["basis"], told["guess"], told["value"]) == ("unknown", True, None)
    assert main(["views", "page.png", "What?", "--scout", "lost", "--json", "--tokens", "16"]) == 0
    assert json.loads(capsys.readouterr().out)["basis"] == "unknown"


# ---- found, perhaps, or not ----------------------------------------------------------------------


def test_a_match_is_found_perhaps_found_or_missing() -> None:
    assert PERHAPS < SCORES["bezahlt"] < FOUND
    states = [Match(word, SCORES[word], CORNER).state for word in WORDS]
    assert states == ["found", "perhaps", "missing"]
    sight = seen(*WORDS).sight
    assert [match.text for match in sight.found] == ["total"]
    assert [match.text for match in sight.likely] == ["total", "bezahlt"]


def test_a_doubtful_match_is_called_perhaps_wherever_people_read() -> None:
    both, doubtful = seen(*WORDS), seen("bezahlt", "cash")
    assert facts(both)[1] == "Found: total. Perhaps: bezahlt. Not found: cash."
    assert facts(seen("bezahlt", "total", "bezahl"))[1] == "Found: total. Perhaps: bezahlt."
    assert facts(doubtful)[1] == "Perhaps: bezahlt. Not found: cash."
    assert doubtful.message.startswith("Only perhaps found: bezahlt. So this is a guess: the ")
    assert "Perhaps: bezahlt. Not found: cash." in describe(doubtful, Path("page.png"))
    told = [(one["text"], one["state"], one["probability"]) for one in both.to_json()["matches"]]
    assert told == [("total", "found", 0.9), ("bezahlt", "perhaps", 0.55), ("cash", "missing", 0.1)]
    assert both.to_json()["matches"][0]["box"] == [600.0, 450.0, 800.0, 600.0]
    assert both.to_json()["matches"][2]["box"] is None


def test_the_table_of_reasons_has_a_third_answer() -> None:
    pytest.importorskip("torch", reason="cells are drawn")
    why = homunculus.look(page(), "What?", tokens=9, scout=scout(*WORDS)).why()
    assert [word["found"] for word in why["words"]] == [True, False, False]
    assert [word["state"] for word in why["words"]] == ["found", "perhaps", "missing"]
    rows = [line.split()[:2] for line in why_table(why).splitlines()[1:4]]
    assert rows == [["total", "yes"], ["bezahlt", "perhaps"], ["cash", "no"]]


EXPLAINED = [
    (("total", "bezahlt", "cash"), "1 of 3 found, 1 perhaps", "1 of 3 words of the question was "),
    (("bezahlt", "cash"), "1 of 2 perhaps found", "1 of 2 words of the question was perhaps found"),
    (("total",), "1 of 1 found", "1 of 1 word of the question was found; the choice follows it."),
    (("cash",), "none found; follows text and the kind of answer", "No word of the question was "),
]


@pytest.mark.parametrize(("words", "short", "sentence"), EXPLAINED)
def test_the_word_scout_counts_doubtful_matches_apart(
    words: tuple[str, ...], short: str, sentence: str
) -> None:
    matches = tuple(Match(word, SCORES[word], CORNER) for word in words)
    sight = WordSight.of(parse(""), np.zeros((2, 2)), matches, text=0.3)
    assert sight.origin == f"words: {short}"
    assert sight.explanation.startswith(sentence)


def test_a_doubtful_match_still_speaks_for_the_picture() -> None:
    """Estimates are lower where nothing was found, not even perhaps: that is what was counted."""
    assert in_picture(seen("bezahlt").sight) == 1.0 > in_picture(seen("cash").sight)


# ---- questions in other languages ----------------------------------------------------------------

QUESTIONS = [
    ("Wie viel habe ich bezahlt?", ["bezahlt"]),
    ("Wieviel kostet das?", ["kostet"]),
    ("Welche Rechnung ist noch offen?", ["rechnung", "offen"]),
    ("Bis wann kann ich kündigen?", ["kundigen"]),
    ("Wer hat die Rechnung unterschrieben?", ["rechnung", "unterschrieben"]),
    ("Combien ai-je payé ?", ["paye"]),
    ("Quelle est l'adresse du magasin ?", ["adresse", "magasin"]),
    ("Qu'est-ce qui est écrit sur la porte ?", ["ecrit", "porte"]),
    ("Où a-t-il signé ?", ["signe"]),
    ("¿Cuánto he pagado?", ["pagado"]),
    ("¿Cuál es la fecha de la factura?", ["fecha", "factura"]),
    ("Cuantos asientos hay en la sala?", ["asientos", "sala"]),
]


@pytest.mark.parametrize(("question", "words"), QUESTIONS)
def test_function_words_of_german_french_and_spanish_are_not_looked_for(
    question: str, words: list[str]
) -> None:
    asked = parse(question)
    assert list(asked.words[: asked.own]) == words


ENGLISH = [
    ("What colour is the hat of the man?", ["colour", "hat", "man"]),
    ("When did he die in the war?", ["die", "war"]),
    ("hat", ["hat"]),
    ("die cast bin", ["die", "cast", "bin"]),
    ("Who is the son of the sender?", ["son", "sender"]),
    ("Is the pour cost on the menu?", ["pour", "cost", "menu"]),
]


@pytest.mark.parametrize(("question", "words"), ENGLISH)
def test_english_words_that_are_function_words_elsewhere_are_still_looked_for(
    question: str, words: list[str]
) -> None:
    asked = parse(question)
    assert list(asked.words[: asked.own]) == words
