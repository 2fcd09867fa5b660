"""What a scout's choice rests on: in sentences, as facts for machines, and as a table."""

from collections.abc import Mapping, Sequence
from itertools import islice
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np

from homunculus.pages import Picture
from homunculus.planner.outlook import match_facts
from homunculus.scouts.sight import Answer, FractionBox, Map, Match, Sight
from homunculus.show.panels import printable


def notes(picture: Picture, question: str, sight: Sight) -> list[str]:
    """Sentences on what a reader might not expect of a picture and a question."""
    sentences = picture.notes()
    if question.strip() and (sight.basis != "found" or sight.matched is False):
        sentences.append(sight.explanation)
    return sentences


HEADS = ("word", "found", "probability", "where", "places")
ANSWER_HEADS = ("likely answer", "probability", "where")
GIVEN = "given"
"""The source of words that a caller has given, as `Lines` has it."""
LISTED = 5
"""Likely answers that people are shown; facts have all."""
LEAST_LISTED = 0.02
"""Probability from which on they are: less is a guess among many."""
LONGEST = 40
"""Characters of an answer that people are shown."""


def why_facts(sight: Sight, logit: Map, picture: Picture, patch: int) -> dict[str, Any]:
    """What was found and made of it; words that are missing have no box."""
    peak = _peak(logit, picture, patch)
    where = f" The most relevant spot is {peak[0]:.0f},{peak[1]:.0f}." if peak else ""
    return {
        "relevance": sight.origin,
        "question_used": sight.question_used,
        "sure": round(sight.sure, 3),
        "words": [_word(match, picture) for match in sight.matches],
        "unsupported": list(sight.unsupported),
        "matched": sight.matched,
        "quoted": sight.quoted,
        "compares": sight.compares,
        "whole": sight.whole,
        "text": None,
        **sight.facts,
        "read": read_facts(picture),
        "answers": [_answer(candidate, picture) for candidate in candidates(sight, picture)],
        "peak": peak,
        "made": f"{sight.explanation}{where}",
    }


class Candidate(NamedTuple):
    """A likely answer of a page that was read."""

    name: str
    """A letter, as windows have numbers."""
    text: str
    probability: float
    """To be the answer, if that is on the page."""
    box: FractionBox | None
    """Around its words; None where that is not known."""

    @property
    def label(self) -> str:
        """Its name in a drawing."""
        return f"{self.name} {self.probability:.2f}"


def candidates(sight: Sight, picture: Picture) -> list[Candidate]:
    """The likely answers, likeliest first, as far as there are letters for them."""
    return [
        Candidate(name, answer.text, float(answer.probability), _around(answer, picture))
        for name, answer in zip(ascii_uppercase, sight.answers, strict=False)
    ]


def listed(sight: Sight, picture: Picture) -> list[Candidate]:
    """Those of them that people are shown."""
    known = candidates(sight, picture)
    return [candidate for candidate in known if candidate.probability >= LEAST_LISTED][:LISTED]


def _around(answer: Answer, picture: Picture) -> FractionBox | None:
    """The box of an answer's words; a scout of someone else may name words that are not there."""
    lines = picture.lines
    words = [word for word in answer.words if lines is not None and 0 <= word < len(lines)]
    if lines is None or not words:
        return None
    (high, wide), boxes = picture.size, lines.boxes[words]
    low = (boxes[:, :2].min(0) / (wide, high)).clip(0, 1)
    x1, y1 = (boxes[:, 2:].max(0) / (wide, high)).clip(0, 1)
    return float(low[0]), float(low[1]), float(x1), float(y1)


def _answer(candidate: Candidate, picture: Picture) -> dict[str, Any]:
    (high, wide), box = picture.original, candidate.box
    sides = zip(box, (wide, high) * 2, strict=True) if box else ()
    return {
        "name": candidate.name,
        "text": candidate.text,
        "probability": round(candidate.probability, 3),
        "box": [round(share * pixels, 1) for share, pixels in sides] or None,
    }


def read_facts(picture: Picture) -> dict[str, Any]:
    """What was read: how many words and lines, by whom, and why not if there are none."""
    lines = picture.lines
    return {
        "words": 0 if lines is None else len(lines),
        "lines": 0 if lines is None else lines.count,
        "source": None if lines is None else lines.source,
        "note": picture.lines_note,
    }


def read_line(read: Mapping[str, Any]) -> str:
    """The same in a sentence; none where nothing was read."""
    if read["source"] is None:
        return ""
    words, lines = read["words"], read["lines"]
    counted = f"{words} word{'s' * (words != 1)} in {lines} line{'s' * (lines != 1)}"
    if read["source"] == GIVEN:
        return f"Given: {counted}."
    return f"Read: {counted} ({printable(read['source'])})."


def missing(sight: Sight) -> list[str]:
    """Names of what the question asks for and what was not found."""
    names = [match.name for match in sight.matches if match.state == "missing"]
    return list(dict.fromkeys(names))


def _word(word: Match, picture: Picture) -> dict[str, Any]:
    facts = match_facts(word, picture)
    return {"word": facts.pop("text"), "found": word.state == "found", **facts}


def _peak(logit: Map, picture: Picture, patch: int) -> list[float] | None:
    """x y of the most relevant cell's middle; None where all cells are alike."""
    known = np.where(np.isnan(logit), -np.inf, logit)
    if known.min() == known.max():
        return None
    y, x = divmod(int(known.argmax()), logit.shape[1])
    (high, wide), (rows, cols) = picture.original, picture.size
    across, down = (x + 0.5) * patch / cols, (y + 0.5) * patch / rows
    return [round(min(1.0, across) * wide, 1), round(min(1.0, down) * high, 1)]


def why_table(why: Mapping[str, Any]) -> str:
    """The facts as tables and a line: what was read, looked for, and ranked first."""
    tables = [(HEADS, word_rows(why)), (ANSWER_HEADS, answer_rows(why))]
    parts = [read_line(why["read"]), *(_table([heads, *rows]) for heads, rows in tables if rows)]
    return "\n".join([part for part in parts if part] + [why["made"]])


def word_rows(why: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A row for each word of the question, as `HEADS` says."""
    return [_row(word) for word in why["words"]]


def answer_rows(why: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A row for each of the first likely answers, as `ANSWER_HEADS` says."""
    likely = (answer for answer in why["answers"] if answer["probability"] >= LEAST_LISTED)
    return [_answer_row(answer) for answer in islice(likely, LISTED)]


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join(lines)


def _row(word: dict[str, Any]) -> tuple[str, ...]:
    answer = {"found": "yes", "perhaps": "perhaps", "missing": "no"}[word["state"]]
    places, probability = str(word["places"]), f"{word['probability']:.2f}"
    return word["word"], answer, probability, _where(word["box"]), places


def _answer_row(answer: dict[str, Any]) -> tuple[str, ...]:
    text = f"{answer['name']} {short(answer['text'])}"
    return text, f"{answer['probability']:.2f}", _where(answer["box"])


def _where(box: Sequence[float] | None) -> str:
    if not box:
        return "-"
    x0, y0, x1, y1 = (round(side) for side in box)
    return f"{x0},{y0}-{x1},{y1}"


def short(text: str) -> str:
    """A text of a stranger as people are shown it."""
    clean = " ".join(printable(text[:200]).split())
    return clean if len(clean) <= LONGEST else f"{clean[: LONGEST - 1]}…"
