"""What a scout's choice rests on: in sentences, as facts for machines, and as a table."""

from typing import Any

import numpy as np

from homunculus.pages import Picture
from homunculus.planner.outlook import match_facts
from homunculus.scouts.sight import Map, Match, Sight


def notes(picture: Picture, question: str, sight: Sight) -> list[str]:
    """Sentences on what a reader might not expect of a picture and a question."""
    sentences = picture.notes()
    if question.strip() and (sight.basis != "found" or sight.matched is False):
        sentences.append(sight.explanation)
    return sentences


HEADS = ("word", "found", "probability", "where", "places")


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
        "peak": peak,
        "made": f"{sight.explanation}{where}",
    }


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


def why_table(why: dict[str, Any]) -> str:
    """The facts as a table and a line."""
    if not why["words"]:
        return why["made"]
    rows = [HEADS, *map(_row, why["words"])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, why["made"]])


def _row(word: dict[str, Any]) -> tuple[str, ...]:
    where = "-"
    if word["box"]:
        x0, y0, x1, y1 = (round(side) for side in word["box"])
        where = f"{x0},{y0}-{x1},{y1}"
    answer = {"found": "yes", "perhaps": "perhaps", "missing": "no"}[word["state"]]
    return word["word"], answer, f"{word['probability']:.2f}", where, str(word["places"])
