# pyright: basic
"""Turns scores into a result: means with intervals, and paired differences."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from homunculus_lab.measure.metric import difference, interval
from homunculus_lab.measure.readers import PageReader
from homunculus_lab.measure.row import READ
from homunculus_lab.measure.suite import DEFAULTS, Question, hashed
from homunculus_lab.row_names import ROW_WORDS, token
from homunculus_lab.stats import INTERVALS, MIN_IMAGES

TWINS = ("blind", "prior", "shuffled", "saliency")
"""Scorers that a scout must beat in the same method."""
MANY = 12
"""Rows of a printed table from which on only a few are compared with `resize`."""


@dataclass(frozen=True)
class Measured:
    """Scores of one question: by row, then by budget, one number a column."""

    question: Question
    height: float
    scores: dict[str, dict[str, list[float]]]
    value: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """What planners expected, by row and budget."""


def report(
    measured: Sequence[Measured],
    names: Sequence[str],
    columns: Sequence[str],
    config: Any,
    questions: Sequence[Question],
    reader: PageReader | None,
    public: bool = False,
) -> dict[str, Any]:
    """The result as it is saved; ``public`` hashes the names of images and questions."""
    if not measured:
        raise ValueError(
            "measure: OCR fails even at full resolution. Choose another suite or --side."
        )
    rows = [_row(question, public) for question in measured]
    group = [row["image"] for row in rows]
    return {
        "task": config.task,
        "suite": questions[0].suite,
        "config": asdict(config),
        "reader": reader.name if reader else None,
        "seed": config.seed,
        "n": len(measured),
        "asked": len(questions),
        "images": len({question.question.image for question in measured}),
        "columns": list(columns),
        "table": table(measured, columns, group, config.seed),
        "paired": paired(measured, names, columns, group, config.seed),
        "rows": rows,
    }


SHOWN = 80
"""Letters of a question that a result keeps."""


def _row(measured: Measured, public: bool) -> dict[str, Any]:
    question = measured.question
    row: dict[str, Any] = {"row": question.row, "image": question.image, "height": measured.height}
    if public:
        row = {"id": hashed(question.suite, str(question.row))} | row
        row["image"] = hashed(question.suite, question.image)
    if question.suite not in DEFAULTS:  # one's own, for one's own report
        row["question"] = question.text[:SHOWN]
    if question.field is not None:
        row["field"] = question.field
    if question.seen is not None:
        row["vendor_seen"] = question.seen
    return row | {"scores": measured.scores} | ({"value": measured.value} if measured.value else {})


def _cells(measured: Sequence[Measured]) -> list[tuple[str, str]]:
    first = measured[0].scores
    return [(row, slots) for row, by_slots in first.items() for slots in by_slots]


def table(
    measured: Sequence[Measured], columns: Sequence[str], group: Sequence[str], seed: int
) -> dict[str, Any]:
    """Mean and interval by row, budget and column; ``group`` is the image of each question."""
    rows: dict[str, Any] = {}
    for row, slots in _cells(measured):
        values = zip(*(question.scores[row][slots] for question in measured), strict=True)
        rows.setdefault(row, {})[slots] = {
            column: interval(value, group, seed)
            for column, value in zip(columns, values, strict=True)
        }
    return rows


def pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Every row against `resize` with the same tokens; a scout against the other scorers, and what
    read the page against what did not.

    >>> pairs(["views", "views+read"])
    [('views+read', 'views')]
    """
    named = list[tuple[str, str]]()
    for name in names:
        method, _, model = name.partition("@model=")
        other = f"resize@model={model}" if model else "resize"
        named += [(name, other)] if method != "resize" and other in names else []
    for name in names:
        base, _, scorer = name.partition("+")
        named += [(name, base)] if scorer == READ and base in names else []
        if scorer == "scout":
            named += [(name, f"{base}+{other}") for other in TWINS if f"{base}+{other}" in names]
    return named


def paired(
    measured: Sequence[Measured],
    names: Sequence[str],
    columns: Sequence[str],
    group: Sequence[str],
    seed: int,
) -> dict[str, Any]:
    """Mean differences on the same questions, with intervals."""
    gaps: dict[str, Any] = {}
    for row, other in pairs(names):
        for slots in measured[0].scores[row]:
            left = zip(*(item.scores[row][slots] for item in measured), strict=True)
            right = zip(*(item.scores[other][slots] for item in measured), strict=True)
            gaps.setdefault(f"{row} - {other}", {})[slots] = {
                column: difference(a, b, group, seed)
                for column, a, b in zip(columns, left, right, strict=True)
            }
    return gaps


MEANINGS = {
    "crop": "how much of the answer OCR reads in its box",
    "anywhere": "how much of the answer OCR reads in any line that it finds itself",
}
"""What a column that is read says, by the first part of its name."""


def meaning(column: str) -> str:
    """A column in plain words.

    >>> meaning("evidence32")
    'share of the thing that is shown at 32 px or more, whoever looks'
    """
    if column.startswith("evidence"):
        px = column.removeprefix("evidence")
        if px == "32":
            return "share of the thing that is shown at 32 px or more, whoever looks"
        return (
            f"share of the answer's box that is shown with print of {px} px or more, whoever reads"
        )
    return MEANINGS.get(column.partition("/")[0], "")


def text(result: dict[str, Any], column: str | None = None) -> str:
    """One column of the table for people: means, then differences to `resize`, with intervals."""
    column = str(column or result["columns"][0])
    budgets = [str(slots) for slots in result["config"]["tokens"]]
    words_of_column = f" ({words})" if (words := meaning(column)) else ""
    count, images = result["n"], result["images"]
    left = result.get("asked", count) - count
    out = f" ({left} left out: not read even at full size)" if left else ""
    counts = f"{count} question{'s' * (count != 1)}{out}, {images} image{'s' * (images != 1)}"
    head = f"{result['suite']}: {counts}; {column}{words_of_column}"
    counted = f"{token(result['config'].get('patch'))}; {INTERVALS}"
    width = max(map(len, result["table"])) + 1
    lines = [head, f"Score from 0 to 1; {counted}.", _line("row", budgets, width)]
    for row, by_slots in result["table"].items():
        cells = [by_slots.get(slots, by_slots.get("all")) for slots in budgets]
        lines.append(_line(row, [_score(cell[column]) if cell else "-" for cell in cells], width))
    gaps = _gap_lines(result, column, budgets, width)
    return "\n".join([*lines, *gaps])


def _gap_lines(result: dict[str, Any], column: str, budgets: Sequence[str], width: int) -> list:
    """Rows less `resize`; of many rows, the default with its controls: the file has them all."""
    gaps = {name.removesuffix(" - resize"): gap for name, gap in result.get("paired", {}).items()}
    rows = [row for row in result["table"] if row in gaps]
    if len(rows) > MANY:
        rows = [row for row in rows if row in ROW_WORDS]
    if not rows:
        return []
    few = f" Fewer than {MIN_IMAGES} images cannot show a difference."
    lines = ["", "Minus resize with as many tokens, in points (hundredths of the score)."]
    lines[1] += few if result["images"] < MIN_IMAGES else ""
    for row in rows:
        cells = [gaps[row].get(slots) for slots in budgets]
        lines.append(_line(row, [_points(cell[column]) if cell else "-" for cell in cells], width))
    return lines


def _line(row: str, cells: Sequence[str], width: int) -> str:
    return f"{row:<{width}}" + "".join(f"{cell:>20}" for cell in cells)


def _score(cell: Sequence[float]) -> str:
    return "{:.2f} [{:.2f}, {:.2f}]".format(*cell)


def _points(cell: Sequence[float]) -> str:
    """In whole points, as the report of `decide` has them."""
    mean, low, high = (f"{points:+d}" if (points := round(100 * one)) else "0" for one in cell)
    return f"{mean} [{low}, {high}]"


def legend(rows: Iterable[str]) -> str:
    """The rows of a table in plain words, as far as a first look needs them."""
    there = set(rows)
    return "; ".join(f"{row}: {words}" for row, words in ROW_WORDS.items() if row in there)
