# pyright: basic
"""Tables of reports: a title, units, heads over two lines, groups of rows, totals."""

from dataclasses import dataclass
from random import Random

from homunculus_lab.train import language, people, wordings
from homunculus_lab.train.canvas import Canvas, Face, Length, face
from homunculus_lab.train.language import NUMBER, Phrase
from homunculus_lab.train.layouts import Box, max_width, print_centred
from homunculus_lab.train.people import phrase_of
from homunculus_lab.train.questions import label_text, phrase_text

TEXTS = wordings.read()["tables"]


@dataclass
class TableLayout:
    """Heads, sides and columns of a table."""

    table: str
    side: Phrase
    heads: list[Phrase]
    years: bool
    kinds: list
    first: Length
    step: Length
    flush: bool
    ruled: bool


def _grid(rng: Random, wide: Length, size: Length) -> TableLayout:
    """The columns of a table: years, or names; one kind of value, or one for each."""
    columns = max(1, min(rng.randint(1, 7), int(0.65 * wide / (4.5 * size))))
    years, first = rng.random() < 0.35, rng.uniform(0.22, 0.42) * wide
    since = rng.randint(1950, 2025 - columns)
    order = (
        range(since, since + columns) if rng.random() < 0.6 else range(since + columns, since, -1)
    )
    heads = [[(str(year), NUMBER)] for year in order] if years else [
        language.label(rng)[: rng.choice([1, 2])] for _ in range(columns)
    ]  # fmt: skip
    values = rng.choice((language.number, language.number, language.money, language.percent))
    mixed = rng.random() < 0.35 and not years
    kinds = [rng.choice(language.FIGURES) if mixed else values for _ in heads]
    side = language.label(rng)[:1]
    table, step = f"Table {rng.randint(1, 12)}", (wide - first) / columns
    return TableLayout(
        table, side, heads, years, kinds, first, step, rng.random() < 0.6, rng.random() < 0.4
    )


def statement(canvas: Canvas, box: Box, style: Face) -> float:
    """A table as reports print it; facts ask for crossings, names of rows, years, totals."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    grid = _grid(rng, x1 - x0, style.size)
    y = _heads(canvas, (x0, _title(canvas, box, style, grid), x1, y1), style, grid)
    group, number = rng.random() < 0.3, 0
    numeric, bold = rng.random() < 0.15, face(rng, style.size)
    share_asked = min(1.0, 9 / max(1.0, (y1 - y) / style.pitch * len(grid.heads)))
    while y < y1 - 2 * style.pitch:
        if group and number % 4 == 0:
            canvas.line(x0, y, language.label(rng)[:2], bold, x0 + grid.first)
            y += max(style.pitch, bold.pitch)
        row = language.label(rng) if rng.random() < 0.75 else people.body(rng)
        if numeric:
            row = [
                (str(rng.choice((number + 1, 10 * (number + 1), rng.randint(1900, 2020)))), NUMBER)
            ]
        indent = 1.2 * style.size if group else 0.0
        word_ids = canvas.line(x0 + indent, y, row, style, x0 + grid.first)
        _cells(canvas, (x0, y, x1, y1), style, grid, (row, word_ids), share_asked)
        y += style.pitch * (1 if rng.random() < 0.9 else 1.6)
        number += 1
        if grid.ruled:
            canvas.rule(x0, y - 1, x1, style.size / 14)
    if rng.random() < 0.6 and y < y1:
        canvas.rule(x0 + grid.first, y, x1, style.size / 12)
        row = phrase_of(rng.choice(("Total", "TOTAL", "Totals", "Grand Total", "Sum")))
        word_ids = canvas.line(x0, y + 1, row, style, x0 + grid.first)
        _cells(canvas, (x0, y + 1, x1, y1), style, grid, (row, word_ids), 0.5, total=True)
        y += style.pitch
    return y


def _title(canvas: Canvas, box: Box, style: Face, grid: TableLayout) -> float:
    """The number of the table, what it is about, in which units."""
    rng, (_, y, _, _) = canvas.rng, box
    large = style if rng.random() < 0.5 else face(rng, style.size * rng.uniform(1, 1.4))
    if rng.random() < 0.75:
        number = phrase_of(grid.table + rng.choice((":", ".", ""))) if rng.random() < 0.6 else []
        number = [(part, NUMBER if part[0].isdigit() else 0) for part, _ in number]
        word_ids = print_centred(canvas, y, [*number, *people.topic(rng)], large, box)
        canvas.ask(rng.choice(TEXTS["title"]).format(grid.table), word_ids[len(number) :])
        if number and rng.random() < 0.4:
            canvas.ask(rng.choice(TEXTS["number"]), word_ids[:2])
        y += large.pitch
    if rng.random() < 0.3:
        unit = rng.choice(
            ("(in thousands)", "($ millions)", "(mg/kg)", "(percent)", "(Rs. in lakhs)")
        )
        canvas.ask(rng.choice(TEXTS["unit"]), print_centred(canvas, y, phrase_of(unit), style, box))
        y += style.pitch
    return y + 0.4 * style.pitch


def _heads(canvas: Canvas, box: Box, style: Face, grid: TableLayout) -> float:
    """Names of the columns, one word to a line where they are long."""
    rng, (x0, y, x1, _) = canvas.rng, box
    head = style if rng.random() < 0.6 else face(rng, style.size)
    stacked = rng.random() < 0.5 and not grid.years
    if rng.random() < 0.6:
        canvas.line(x0, y, grid.side, head, x0 + grid.first)
    for column, words in enumerate(grid.heads):
        left = x0 + grid.first + column * grid.step
        rows = [[pair] for pair in words] if stacked else [words]
        for line, part in enumerate(rows):
            limit = left + grid.step - style.gap / 2
            start = max(left, limit - max_width(head, part)) if grid.flush else left
            if not canvas.line(start, y + line * head.pitch, part, head, limit):
                grid.heads[column] = []  # no room: no question can name it
    y += head.pitch * (2 if stacked and any(len(words) > 1 for words in grid.heads) else 1)
    if rng.random() < 0.5:
        canvas.rule(x0, y, x1, style.size / 12)
    return y + 2


def _cells(
    canvas: Canvas, box: Box, style: Face, grid: TableLayout, row: tuple[Phrase, list[int]],
    share: float, total: bool = False,
) -> None:  # fmt: skip
    """The values of a row; some of them are share_asked for, or what they belong to."""
    rng, (x0, y, _, _) = canvas.rng, box
    name, word_ids = row
    for column, head in enumerate(grid.heads):
        if rng.random() < 0.05:
            continue
        cell, left = grid.kinds[column](rng), x0 + grid.first + column * grid.step
        limit = left + grid.step - style.gap / 2
        if max_width(style, cell) > limit - left:
            cell = [(str(rng.randint(0, 99)), NUMBER)]
        start = limit - max_width(style, cell) if grid.flush else left
        answer = canvas.line(max(left, start), y, cell, style, limit)
        if not word_ids or not head or len(answer) < len(cell) or rng.random() > share:
            continue
        says = {
            "col": label_text(head, rng),
            "row": label_text(name, rng),
            "cell": phrase_text(cell),
        }
        says |= {"table": grid.table, "side": label_text(grid.side, rng)}
        texts = TEXTS["year"] if grid.years else TEXTS["total" if total else "cell"]
        if rng.random() < 0.15 and not total:
            texts, answer = TEXTS["row"], word_ids
        canvas.ask(rng.choice(texts).format(**says), answer)
