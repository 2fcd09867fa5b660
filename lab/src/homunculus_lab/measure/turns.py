# pyright: basic
"""The second question of a page, on tokens that were chosen for the first, and on its own.

What it loses is what a chat loses that chooses no tokens again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from homunculus_lab.measure.metric import difference
from homunculus_lab.measure.run import Bench, best_box
from homunculus_lab.measure.spend import Sheet, keep
from homunculus_lab.measure.suite import Box, Question, draw

COLUMNS = ("second", "again")
"""On tokens chosen for the first question; on tokens chosen again."""


@dataclass(frozen=True)
class Pair:
    """Two questions on one page, in the order they are asked."""

    first: Question
    second: Question


def pairs(questions: Sequence[Question], limit: int | None, seed: int = 0) -> list[Pair]:
    """A pair a page, from as many pages as allowed: other words, and another place."""
    by_image: dict[str, list[Question]] = {}
    for one in draw(questions, None, seed):
        by_image.setdefault(one.image, []).append(one)
    possible = []
    for page in by_image.values():
        first = draw(page, 1, seed)[0]
        other = [one for one in page if one.text != first.text and not _share(one, first)]
        if other:
            possible.append(Pair(first, draw(other, 1, seed)[0]))
    rows = {one.row for one in draw([pair.second for pair in possible], limit, seed)}
    return [pair for pair in possible if pair.second.row in rows]


def _share(one: Question, other: Question) -> bool:
    return any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
               for a in one.boxes for b in other.boxes)  # fmt: skip


def turn(bench: Bench, pair: Pair) -> dict[str, Any]:
    """Every row and budget, by column of the bench: scores of the second question, both ways."""
    sheet = bench.sheet(pair.second)
    scores: dict[str, Any] = {}
    for one in bench.rows:
        maps = [_map(bench, sheet, one, question) for question in (pair.first, pair.second)]
        boxes = [sheet.box(box) for box in pair.second.boxes]
        for slots in bench.config.tokens:
            ways = []
            for logit in maps:
                selection = keep(one, 0, sheet, slots, logit)
                ways.append(
                    bench.scores(pair.second, boxes, selection.show)
                    + bench.evidence(selection.level, boxes)
                )
            scores.setdefault(one.name, {})[str(slots)] = [
                [round(value, 4) for value in both] for both in zip(*ways, strict=True)
            ]
    return {"row": pair.second.row, "first": pair.first.row, "scores": scores}


def _map(bench: Bench, sheet: Sheet, one: Any, question: Question) -> Any:
    boxes = [sheet.box(box) for box in question.boxes]
    best: Box = boxes[best_box(bench, sheet, question, boxes)]
    return bench.logit(one, sheet, question, best)


def sections(
    turns: Sequence[dict[str, Any]], columns: Sequence[str], quoted: Sequence[str], seed: int
) -> list[dict[str, Any]]:
    """A section a quoted column, its rows question by question, and the drop with its interval."""
    return [_section(turns, columns.index(column), column, seed) for column in quoted]


def _section(turns: Sequence[dict[str, Any]], at: int, column: str, seed: int) -> dict[str, Any]:
    rows = [
        {key: value for key, value in one.items() if key != "scores"}
        | {
            "scores": {
                row: {slots: values[at] for slots, values in by_slots.items()}
                for row, by_slots in one["scores"].items()
            }
        }
        for one in turns
    ]
    image = [one["image"] for one in turns]
    drop: dict[str, Any] = {}
    for row, by_slots in rows[0]["scores"].items():
        for slots in by_slots:
            second, again = zip(*(one["scores"][row][slots] for one in rows), strict=True)
            drop.setdefault(row, {})[slots] = difference(second, again, image, seed)
    return {
        "unit": column,
        "n": len(rows),
        "images": len(set(image)),
        "columns": list(COLUMNS),
        "drop": drop,
        "rows": rows,
    }
