# pyright: basic
"""Why a picture was looked at as it was: the question's words, found or not, and what followed.

First as facts, in pixels of the original picture; then as a small table for people.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from homunculus.picture import Picture
from homunculus.scout import Sight, Word
from homunculus.scout.words import SURE

HEADS = ("word", "found", "probability", "where", "places")


def facts(
    logit: Float[Tensor, "rows cols"],
    origin: str,
    explanation: str,
    question_used: bool | None,
    sight: Sight | None,
    picture: Picture,
    patch: int,
) -> dict[str, Any]:
    """What was found and made of it; boxes are x0 y0 x1 y1, of words that were found alone."""
    peak = _peak(logit, picture, patch)
    where = f" The most relevant spot is {peak[0]:.0f},{peak[1]:.0f}." if peak else ""
    return {
        "relevance": origin,
        "question_used": question_used,
        "sure": sight is not None and sight.sure,
        "words": [_word(one, picture) for one in sight.words] if sight else [],
        "unsupported": list(sight.unsupported) if sight else [],
        "matched": sight.matched if sight else None,
        "text": round(sight.text, 4) if sight else None,
        "peak": peak,
        "made": f"{explanation}{where}",
    }


def _word(word: Word, picture: Picture) -> dict[str, Any]:
    found, (high, wide) = word.probability >= SURE, picture.original
    x0, y0, x1, y1 = word.box
    box = [round(x0 * wide, 1), round(y0 * high, 1), round(x1 * wide, 1), round(y1 * high, 1)]
    return {
        "word": word.text,
        "found": found,
        "probability": round(word.probability, 3),
        "box": box if found else None,
        "places": max(1, round(word.places)) if found else 0,
    }


def _peak(logit: Float[Tensor, "rows cols"], picture: Picture, patch: int) -> list[float] | None:
    """x y of the most relevant cell's middle; None where all cells are alike."""
    known = logit.nan_to_num(nan=-torch.inf)
    if known.min() == known.max():
        return None
    y, x = divmod(int(known.argmax()), logit.shape[1])
    (high, wide), (rows, cols) = picture.original, picture.size
    across, down = (x + 0.5) * patch / cols, (y + 0.5) * patch / rows
    return [round(min(1.0, across) * wide, 1), round(min(1.0, down) * high, 1)]


# ---- for people ----------------------------------------------------------------------------------


def told(why: dict[str, Any], terminal: bool = False) -> str:
    """The facts as a table and a line; at a terminal with rich, if it is installed."""
    rows = [_row(word) for word in why["words"]]
    table = (_rich(rows) if terminal else None) or _plain(rows) if rows else ""
    return f"{table}{why['made']}"


def _row(word: dict[str, Any]) -> tuple[str, ...]:
    where = "-"
    if word["box"]:
        x0, y0, x1, y1 = (round(side) for side in word["box"])
        where = f"{x0},{y0}-{x1},{y1}"
    found = "yes" if word["found"] else "no"
    return word["word"], found, f"{word['probability']:.2f}", where, str(word["places"])


def _plain(rows: list[tuple[str, ...]]) -> str:
    columns = list(zip(HEADS, *rows, strict=True))
    wide = [max(map(len, column)) for column in columns]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, wide, strict=True)).rstrip()
        for row in (HEADS, *rows)
    ]
    return "".join(f"{line}\n" for line in lines)


def _rich(rows: list[tuple[str, ...]]) -> str | None:
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return None
    table = Table(*HEADS)
    for row in rows:
        style = "bold" if row[1] == "yes" else "dim"
        table.add_row(*(Text(cell) for cell in row), style=style)  # never read as markup
    console = Console()
    with console.capture() as drawn:
        console.print(table)
    return drawn.get()
