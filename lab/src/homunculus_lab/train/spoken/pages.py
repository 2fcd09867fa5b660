# pyright: basic
"""Made pages: forms, cards, tables, price lists, bar charts and notices, and what people ask of
them: in the page's words, in other words, by comparison."""

import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from homunculus_lab.train.spoken.sheet import Sheet, width
from homunculus_lab.train.spoken.values import maker

TONGUES = ("en", "en", "en", "de", "fr", "es")
OTHER_TONGUE = 0.12
"""Share of the questions in another language than the page's."""
OWN_WORDS = 0.35
"""Share of the questions about fields that name them as the page does."""
ASKEW, STEEPEST = 0.3, 0.07
"""Share of pages that are askew, and the steepest slope of their lines."""
FIELD = {
    "en": (
        "What is the {}?",
        "{}?",
        "{}",
        "what does it say for {}",
        "Which {} is given?",
        "What {}?",
    ),
    "de": ("Wie lautet: {}?", "{}?", "{}", "Was steht bei {}?", "Welche Angabe steht unter {}?"),
    "fr": ("Quel est le {} ?", "{} ?", "{}", "Que dit la page pour {} ?", "Quelle est la {} ?"),
    "es": ("¿Cuál es el {}?", "¿{}?", "{}", "¿Qué pone en {}?", "¿Cuál es la {}?"),
}
TOTAL = {"en": "Total", "de": "Summe", "fr": "Total", "es": "Total"}

Entry = dict[str, Any]
Cell = tuple[list[int], float | None]
"""The words of a cell, and the number that it is, if it is one."""


@cache
def bank() -> dict[str, list[Entry]]:
    """Fields, tables and sentences with their questions."""
    entries = dict[str, list[Entry]]()
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        for kind, some in tomllib.loads(path.read_text("utf-8")).items():
            entries.setdefault(kind, []).extend(some)
    return entries


def made(seed: int) -> Sheet:
    """A page of one paper: blocks from top to bottom, and questions."""
    rng = Random(seed)
    tongue, entries = rng.choice(TONGUES), bank()
    papers = sorted(
        {paper for some in entries.values() for entry in some for paper in entry["papers"]}
    )
    paper, high = rng.choice(papers), rng.randint(700, 1500)
    sheet = Sheet(rng, round(high * rng.choice((0.6, 0.72, 0.75, 1.3, 1.6))), high)
    em = rng.uniform(11, 22) * min(1.0, sheet.wide / 700)
    y = _heading(sheet, tongue, em)
    order = [kind for kind in ("field", "table", "sentence", "sentence") if rng.random() < 0.75]
    rng.shuffle(order)
    for kind in order or ["field"]:
        if y > sheet.high - 8 * em:
            break
        chosen = _chosen(entries[kind], paper, rng)
        own = [entry for entry in chosen if tongue in _texts(kind, entry)][: _most(kind, rng)]
        if own:
            y = _BLOCKS[kind](sheet, own, tongue, em, y) + em * rng.uniform(0.5, 2.5)
    if rng.random() < ASKEW:
        sheet.turn(rng.uniform(-STEEPEST, STEEPEST))
    return sheet


def _chosen(entries: Sequence[Entry], paper: str, rng: Random) -> list[Entry]:
    """Entries in a random order: those of a paper first, but for some."""
    return sorted(
        rng.sample(entries, len(entries)),
        key=lambda entry: (paper not in entry["papers"]) and rng.random() < 0.9,
    )


def _texts(kind: str, entry: Entry) -> Entry:
    return entry[{"field": "labels", "table": "rows", "sentence": "text"}[kind]]


def _most(kind: str, rng: Random) -> int:
    return {"field": rng.randint(4, 14), "table": 1, "sentence": rng.randint(2, 7)}[kind]


def _heading(sheet: Sheet, tongue: str, em: float) -> float:
    """A firm or a title, and at times a line below."""
    rng, y = sheet.rng, sheet.high * sheet.rng.uniform(0.02, 0.07)
    x = sheet.wide * rng.uniform(0.04, 0.4)
    sheet.put(
        x, y, maker(rng.choice(("firm", "city")), tongue, rng)()[0], em * rng.uniform(1.2, 2.4)
    )
    y += 3 * em
    if rng.random() < 0.5:
        sheet.put(x, y, maker(rng.choice(("address", "website", "date")), tongue, rng)()[0], em)
        y += 2 * em
    return y


def _asked(questions: Entry, tongue: str, rng: Random, **names: str) -> str:
    """One of the questions, mostly in the page's language."""
    other = [key for key, some in questions.items() if some]
    if not other:
        return ""
    spoken = (
        rng.choice(other) if rng.random() < OTHER_TONGUE or not questions.get(tongue) else tongue
    )
    text = rng.choice(questions[spoken])
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text


# ---- fields --------------------------------------------------------------------------------------


def _fields(sheet: Sheet, entries: list[Entry], tongue: str, em: float, y: float) -> float:
    """Labels with their values: beside them, below them, or above them as on cards."""
    rng, left = sheet.rng, sheet.wide * sheet.rng.uniform(0.03, 0.12)
    form = rng.choice(("beside", "beside", "tab", "flush", "below", "card"))
    columns = rng.choice((1, 1, 2, 3)) if form in ("below", "card", "beside") else 1
    wide, mark = (sheet.wide * 0.94 - left) / columns, rng.choice((":", ":", ""))
    if width("m" * 24, em) > wide:
        columns, wide = 1, sheet.wide * 0.94 - left
    deep = em * (
        rng.uniform(1.5, 2.4) if form in ("beside", "tab", "flush") else rng.uniform(3.2, 4.5)
    )
    for number, entry in enumerate(entries):
        x, top = left + number % columns * wide, y + number // columns * deep
        if top > sheet.high - 3 * em:
            break
        label = rng.choice(entry["labels"][tongue])
        value = maker(entry.get("make") or entry["values"], tongue, rng)()[0]
        answer = _field(sheet, (x, top, x + wide), label, value, em, form, mark)
        for _ in range(2):
            own = rng.random() < OWN_WORDS
            question = (
                rng.choice(FIELD[tongue]).format(rng.choice((label, label.lower())))
                if own else _asked(entry["ask"], tongue, rng)
            )  # fmt: skip
            sheet.ask(question, answer)
    return y + -(-len(entries) // columns) * deep


def _field(
    sheet: Sheet, place: tuple[float, float, float], label: str, value: str, em: float, form: str,
    mark: str,
) -> list[int]:  # fmt: skip
    """A label and its value; the words of the value."""
    x, y, right = place
    if form == "card":
        answer = sheet.put(x, y, value, em * 1.4)
        sheet.put(x, y + 1.9 * em, label, em * 0.85)
        return answer
    words = sheet.put(x, y, label + mark, em)
    if form == "below":
        return sheet.put(x, y + 1.35 * em, value, em)
    start = sheet.right(words) + 0.5 * em
    if form == "tab":
        start = max(start, x + 0.4 * (right - x))
    if form == "flush":
        start = max(start, right - width(value, em))
    return sheet.put(start, y, value, em)


# ---- tables --------------------------------------------------------------------------------------


def _table(sheet: Sheet, entries: list[Entry], tongue: str, em: float, y: float) -> float:
    """A table, a price list or a bar chart."""
    (entry,), rng = entries, sheet.rng
    if rng.random() < 0.8 and entry.get("title", {}).get(tongue):
        sheet.put(
            sheet.wide * 0.06, y, rng.choice(entry["title"][tongue]), em * rng.uniform(1, 1.4)
        )
        y += 2.4 * em
    rows = rng.sample(entry["rows"][tongue], min(rng.randint(3, 10), len(entry["rows"][tongue])))
    if "series" in entry:
        return _series(sheet, entry, rows, tongue, em, y)
    columns = [column for column in entry["column"] if tongue in column["head"]]
    if len(columns) > 1 and rng.random() < 0.3:
        columns = rng.sample(columns, rng.randint(1, len(columns) - 1))
    heads = [rng.choice(column["head"][tongue]) for column in columns]
    makers = [maker(column.get("make") or column["values"], tongue, rng) for column in columns]
    if not columns:
        return y
    cells, names, _, y = _cells(
        sheet, rows, heads, makers, tongue, em, y, rng.choice(entry["side"][tongue])
    )
    for number, column in enumerate(columns):
        own = [row[number] for row in cells]
        for row, (words, _) in zip(rows, own, strict=True):
            if rng.random() < 0.5:
                sheet.ask(_asked(column["cell"], tongue, rng, row=row), words)
        for most in ("most", "least"):
            _compare(sheet, column, most, tongue, own, names)
    return y


def _compare(
    sheet: Sheet,
    texts: Entry,
    most: str,
    tongue: str,
    cells: Sequence[Cell],
    names: Sequence[list[int]],
    **says: str,
) -> None:
    """Questions for the largest or smallest of some cells, and for what it belongs to."""
    values = [value for _, value in cells if value is not None]
    if len(values) < 3 or len(values) < len(cells):
        return
    best = (max if most == "most" else min)(values)
    if values.count(best) > 1:
        return
    place = values.index(best)
    for _ in range(2):
        sheet.ask(_asked(texts.get(most, {}), tongue, sheet.rng, **says), names[place])
    sheet.ask(_asked(texts.get(f"{most}_value", {}), tongue, sheet.rng, **says), cells[place][0])


def _cells(
    sheet: Sheet, rows: Sequence[str], heads: Sequence[str], makers: Sequence[Callable[[], Any]],
    tongue: str, em: float, y: float, side: str,
) -> tuple[list[list[Cell]], list[list[int]], list[list[int]], float]:  # fmt: skip
    """A table's cells with their numbers, the words of its rows' names and of its heads, if they
    are printed, and where it ends."""
    rng, left = sheet.rng, sheet.wide * 0.06
    first = max(width(row, em) for row in [*rows, side]) + 1.5 * em
    need = max(max(width(head, em) for head in heads) + em, 4.5 * em)
    if rng.random() < 0.6:  # spread over the page
        need = max(need, (sheet.wide * 0.9 - first) / len(heads))
    flush, deep, bare = (
        rng.random() < 0.6,
        em * rng.uniform(1.4, 2.3),
        len(heads) == 1 and rng.random() < 0.5,
    )
    cells, names, tops = list[list[Cell]](), list[list[int]](), list[list[int]]()
    if not bare:
        if rng.random() < 0.7:
            sheet.put(left, y, side, em)
        for number, head in enumerate(heads):
            x = left + first + number * need
            x += need - em - width(head, em) if flush else 0
            tops.append(sheet.put(x, y, head, em))
        y += deep
    for row in rows:
        names.append(sheet.put(left, y, row, em))
        cells.append([])
        for number, make in enumerate(makers):
            text, value = make()
            x = left + first + number * need
            x += max(0, need - em - width(text, em)) if flush else 0
            cells[-1].append((sheet.put(x, y, text, em), value))
        y += deep
    if rng.random() < 0.3 and all(value is not None for _, value in cells[0]):
        sheet.put(left, y, TOTAL[tongue], em)
        for number in range(len(heads)):
            top = sum(row[number][1] or 0 for row in cells)
            text = f"{top:,.2f}"
            x = left + first + number * need
            sheet.put(x + (max(0, need - em - width(text, em)) if flush else 0), y, text, em)
        y += deep
    return cells, names, tops, y


def _series(
    sheet: Sheet, entry: Entry, rows: Sequence[str], tongue: str, em: float, y: float
) -> float:
    """A table whose columns are months, sizes, ...; of one row at times a bar chart."""
    rng, series = sheet.rng, entry["series"]
    short = series.get("short", {}).get(tongue)
    full = series["heads"][tongue]
    shown = short if short and len(short) == len(full) and rng.random() < 0.5 else full
    make = maker(series.get("make") or series["values"], tongue, rng)
    if rng.random() < 0.3:
        return _bars(sheet, series, rows[0], full, shown, make, tongue, em, y)
    fit = max(2, int((sheet.wide * 0.9 - max(width(row, em) for row in rows)) / (6 * em)))
    start = rng.randint(0, max(0, len(full) - fit))
    full, shown = full[start : start + fit], shown[start : start + fit]
    side = rng.choice(entry["side"][tongue])
    cells, _, heads, y = _cells(sheet, rows, shown, [make] * len(shown), tongue, em, y, side)
    for row, own in zip(rows, cells, strict=True):
        for col, head, (words, _) in zip(full, shown, own, strict=True):
            if rng.random() < 0.25:
                sheet.ask(
                    _asked(series["cell"], tongue, rng, row=row, col=rng.choice((col, head))), words
                )
        if heads:
            for most in ("most", "least"):
                if rng.random() < 0.5:
                    _compare(sheet, series, most, tongue, own, heads, row=row)
    return y


def _bars(
    sheet: Sheet, series: Entry, row: str, full: Sequence[str], shown: Sequence[str],
    make: Callable[[], Any], tongue: str, em: float, y: float,
) -> float:  # fmt: skip
    """A bar chart: names below or at the left, values at the ends of the bars."""
    rng, left, deep = sheet.rng, sheet.wide * 0.08, 14 * em
    sheet.put(left, y, row, em * 1.1)
    y += 2 * em
    upright = (
        rng.random() < 0.6
        and max(width(head, em) for head in shown) < sheet.wide * 0.88 / len(shown) - em
    )
    values = [make() for _ in shown]
    most = max([value for _, value in values if value is not None] or [1]) or 1
    names, cells = list[list[int]](), list[Cell]()
    step = sheet.wide * 0.88 / len(shown)
    side = max(width(head, em) for head in shown) + em
    for number, (head, (text, value)) in enumerate(zip(shown, values, strict=True)):
        share = (value or 1) / most
        if upright:
            x = left + number * step
            names.append(sheet.put(x, y + deep, head, em))
            top = y + deep - 2 * em - share * (deep - 4 * em)
            cells.append((sheet.put(x, top, text, em), value))
        else:
            down = y + number * 2 * em
            names.append(sheet.put(left, down, head, em))
            cells.append((sheet.put(left + side + share * sheet.wide * 0.4, down, text, em), value))
    for head, col, (words, _) in zip(shown, full, cells, strict=True):
        if rng.random() < 0.5:
            sheet.ask(
                _asked(series["cell"], tongue, rng, row=row, col=rng.choice((head, col))), words
            )
    for kind in ("most", "least"):
        _compare(sheet, series, kind, tongue, cells, names, row=row)
    return y + (deep + 2 * em if upright else len(shown) * 2 * em)


# ---- sentences -----------------------------------------------------------------------------------


def _sentences(sheet: Sheet, entries: list[Entry], tongue: str, em: float, y: float) -> float:
    """Running text, or a list of notices."""
    rng, left = sheet.rng, sheet.wide * sheet.rng.uniform(0.04, 0.1)
    right = sheet.wide * (0.94 if rng.random() < 0.7 else 0.55)
    apart, pieces, answers = rng.random() < 0.4, list[str](), list[tuple[Entry, int, int]]()
    for entry in entries:
        text = rng.choice(entry["text"][tongue])
        value = maker(entry.get("make") or entry["values"], tongue, rng)()[0]
        before = text.partition("{answer}")[0]
        start = len(pieces) + len(before.split())
        start -= bool(before) and not before[-1].isspace()
        answers.append((entry, start, start + len(value.split())))
        pieces += text.replace("{answer}", value).split()
        if apart:
            pieces.append("\n")
    printed, row = list[int](), list[str]()
    for word in [*pieces, "\n"]:
        if word != "\n":
            row.append(word)
            continue
        words, y = sheet.wrapped(left, y, " ".join(row), em, right)
        printed += [*words, -1] if apart else words
        y += 0.5 * em if apart else 0
        row = []
    for entry, start, end in answers:
        for _ in range(2):
            sheet.ask(_asked(entry["ask"], tongue, rng), printed[start:end])
    return y


_BLOCKS = {"field": _fields, "table": _table, "sentence": _sentences}
