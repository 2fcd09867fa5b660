"""Questions on free manuals: one budget for a whole manual shows most answers."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homunculus.pages.lines import Lines
from homunculus_lab.measure.manuals import calibration, find_manual, fit, places, read_questions

SUITE = Path(__file__).parents[2] / "suites" / "manuals"
QUESTIONS = read_questions(SUITE)
MISSING = sorted({asked.document for asked in QUESTIONS if not find_manual(asked.document)})


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> dict[str, Any]:
    """What the command says of the first 23 questions, in a process that checks no shapes."""
    if MISSING:
        pytest.skip(f"not installed: {', '.join(MISSING[:2])} ...")
    out = tmp_path_factory.mktemp("manuals") / "manuals.json"
    command = [sys.executable, "-m", "homunculus_lab.measure.manuals", str(SUITE), "-o", str(out)]
    flags = ["--kind", "first", "--tokens", "512", "--no-fit"]
    environment = os.environ | {"HOMUNCULUS_CACHE": "off"}
    subprocess.run([*command, *flags], check=True, capture_output=True, env=environment)
    return json.loads(out.read_text("utf-8"))


def test_512_tokens_for_a_manual_show_20_of_23_answers(result) -> None:
    shown = [row["shown"]["512"][0] for row in result["rows"]]
    assert len(shown) == 23
    assert sum(shown) >= 20


def test_the_right_page_is_among_the_first_and_strange_questions_are_told(result) -> None:
    facts = result["calibration"]
    assert facts["recall"]["5"] > 0.75
    assert facts["absent of others"] > 2 * facts["absent of own"]


def test_words_that_are_not_printed_have_no_place() -> None:
    lines = Lines.of([("The default is 1.0.", (0, 0, 190, 10))], "given")
    assert places("default is 2.0", lines) == []
    assert places("The default", lines) == [(0.0, 0.0, 110.0, 10.0)]


def test_every_question_names_a_page_or_has_no_answer() -> None:
    assert len(QUESTIONS) > 150
    for asked in QUESTIONS:
        assert (asked.kind == "absent") == (asked.page == 0) == (asked.answer == "")


def test_the_fit_finds_what_was_put_in() -> None:
    lot = np.random.default_rng(0)
    examples = list[tuple[np.ndarray, float, int | None]]()
    for number in range(200):
        score = lot.normal(0, 4, 12).astype(np.float32)
        odds = np.exp(score / 2.0) / np.exp(score / 2.0).sum()
        examples.append((score, 10.0, int(lot.choice(12, p=odds / odds.sum()))))
        if number % 4 == 0:
            examples.append((lot.normal(-9, 1, 12).astype(np.float32), 10.0, None))
    constants, _ = fit(examples)
    assert 1.5 < constants[0] < 2.6
    bins = calibration(examples, constants)["bins"]
    assert all(abs(each["said"] - each["right"]) < 0.25 for each in bins if each["n"] > 20)
