# pyright: basic
"""Blocks of pages: prose, forms, tables, charts, signatures; each with the facts it states.

A block fills a rectangle of a canvas from the top and returns where it stopped.
"""

from random import Random

from homunculus_lab.train import language, wordings
from homunculus_lab.train.canvas import Canvas, Face, Length, face
from homunculus_lab.train.language import Phrase
from homunculus_lab.train.questions import form_field, label_question, label_text

TEXTS = wordings.read()["layouts"]

Box = tuple[Length, Length, Length, Length]  # x0 y0 x1 y1


def value(rng: Random) -> Phrase:
    """The value of a field."""
    return rng.choice((language.figure, language.figure, language.name))(rng)


def _prose_item(canvas: Canvas) -> Phrase:
    """An item of prose; at times a word that also stands elsewhere on the page, as labels do."""
    rng = canvas.rng
    if canvas.words and rng.random() < 0.07:
        old = rng.choice(canvas.words)
        if old.kind == language.WORD and len(old.text) > 2:
            return [(old.text.strip(" :,.()\"'").lower() or old.text, language.WORD)]
    return language.prose(rng)


def prose(canvas: Canvas, box: Box, style: Face) -> float:
    """Running text; a fact asks what follows three words."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    word_ids: list[int] = []
    while y < y1:
        x = x0 + (0.05 * (x1 - x0) if rng.random() < 0.15 else 0)
        end = x1 if rng.random() < 0.88 else x0 + rng.uniform(0.2, 0.9) * (x1 - x0)
        if rng.random() < 0.06:
            y += style.pitch * rng.uniform(0.3, 1)
        while True:
            item_ids = canvas.line(x, y, _prose_item(canvas), style, end)
            if not item_ids:
                break
            word_ids += item_ids
            x = canvas.right(item_ids) + style.gap
        y += style.pitch
    for _ in range(min(3, len(word_ids) // 12)):
        start = rng.randrange(3, len(word_ids) - 6)
        answer = word_ids[start : start + rng.randint(1, 3)]
        before, after = word_ids[start - 3 : start], word_ids[start + len(answer) :][:3]
        near = [(canvas.words[i].text, 0) for i in (before if rng.random() < 0.65 else after)]
        kind = canvas.words[answer[0]].kind
        canvas.ask(label_question(near, max(kind, 0), rng), answer)
    return y


def _unknown_field(rng: Random) -> tuple[Phrase, Phrase, str]:
    """A random label, its value, and a question in the label's own words."""
    key, filled = language.label(rng), value(rng)
    return key, filled, label_question(key, filled[0][1], rng)


def form(canvas: Canvas, box: Box, style: Face) -> float:
    """Labels with their values right of them or below them."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    columns = rng.choice([1, 1, 2]) if x1 - x0 > 18 * style.size else 1
    below, mark = rng.random() < 0.3, rng.choice([":", ":", "", " :", "."])
    wide = (x1 - x0) / columns
    tab = rng.uniform(0.25, 0.55) * wide if rng.random() < 0.6 else 0.0
    second = face(rng, style.size * rng.uniform(0.9, 1.2)) if rng.random() < 0.4 else style
    known, lined = rng.choice((0.0, 0.5, 1.0)), not below and rng.random() < 0.2
    while y < y1:
        deep = style.pitch * (1 if rng.random() < 0.8 else rng.uniform(1, 2.5))
        for column in range(columns):
            left = x0 + column * wide
            key, filled, question = form_field(rng) if rng.random() < known else _unknown_field(rng)
            shown = [*key[:-1], (key[-1][0] + mark.strip(), 0)] if mark else key
            word_ids = canvas.line(left, y, shown, style, left + wide)
            if not word_ids:
                continue
            if below:
                answer = canvas.line(left, y + style.pitch, filled, second, left + wide)
                deep = max(deep, 2.2 * style.pitch)
            else:
                start = max(canvas.right(word_ids) + style.gap, left + tab)
                answer = canvas.line(start, y, filled, second, left + wide)
                if lined:
                    canvas.rule(start, y + style.drop, left + 0.95 * wide, style.size / 14)
            canvas.ask(question, answer)
        if rng.random() < 0.12:
            canvas.rule(x0, y + deep - 1, x1, style.size / 12)
        y += deep
    return y


def table(canvas: Canvas, box: Box, style: Face) -> float:
    """Rows and columns; a fact asks for a crossing."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    columns = max(1, min(rng.randint(1, 6), int((x1 - x0) / (7 * style.size))))
    first = rng.uniform(0.25, 0.45) * (x1 - x0)
    step = (x1 - x0 - first) / columns
    kinds = [rng.choice(language.FIGURES) for _ in range(columns)]
    heads: list[Phrase] = []
    head = face(rng, style.size) if rng.random() < 0.3 else style
    ruled, flush = rng.random() < 0.4, rng.random() < 0.5
    for column in range(columns):
        year = [(str(rng.randint(1950, 2030)), language.NUMBER)]
        heads.append(year if rng.random() < 0.25 else language.label(rng)[:2])
        canvas.line(
            x0 + first + column * step, y, heads[-1], head, x0 + first + (column + 1) * step
        )
    y += head.pitch
    while y < y1:
        row = language.label(rng) if rng.random() < 0.85 else language.name(rng)
        word_ids = canvas.line(x0, y, row, style, x0 + first)
        for column in range(columns):
            if rng.random() < 0.06:
                continue
            cell, left = kinds[column](rng), x0 + first + column * step
            limit = left + step - style.gap / 2
            start = limit - style.width(cell) if flush else left
            answer = canvas.line(max(left, start), y, cell, style, limit)
            if word_ids and rng.random() < 0.3:
                says = {"col": label_text(heads[column], rng), "row": label_text(row, rng)}
                canvas.ask(rng.choice(TEXTS["cell"]).format(**says), answer)
        y += style.pitch * (1 if rng.random() < 0.9 else 1.6)
        if ruled:
            canvas.rule(x0, y - 1, x1, style.size / 14)
    return y


def print_centred(canvas: Canvas, y: Length, phrase: Phrase, style: Face, box: Box) -> list[int]:
    """Print a phrase in the middle of a line."""
    left = box[0] + max(0.0, (box[2] - box[0] - style.width(phrase)) / 2)
    return canvas.line(left, y, phrase, style, box[2])


def chart(canvas: Canvas, box: Box, style: Face) -> float:
    """Names at the left, bars, their values at the bars' ends, numbers along an axis."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    title = [pair for _ in range(3) for pair in language.label(rng)][:6]
    canvas.ask("What is the title of the chart?", canvas.line(x0, y, title, style, x1))
    y += 1.6 * style.pitch
    left = x0 + rng.uniform(0.2, 0.35) * (x1 - x0)
    kind = rng.choice((language.number, language.percent, language.money))
    while y < y1 - style.pitch:
        who = language.name(rng)[:2]
        word_ids = canvas.line(x0, y, who, style, left)
        end = left + rng.uniform(0.02, 0.75) * (x1 - left)
        canvas.bar(left + 2, y + style.top, end, y + style.base)
        answer = canvas.line(end + style.gap, y, kind(rng), style, x1)
        if word_ids:
            forms = (
                "What is the value of {}?",
                "What is the value of {} in the graph?",
                "How much is {}?",
            )
            canvas.ask(rng.choice(forms).format(label_text(who, rng)), answer)
        y += style.pitch * rng.uniform(1, 1.5)
    for step in range(5):
        tick = left + step * (x1 - left) / 5
        canvas.line(tick, y, [(str(step * rng.choice([10, 20, 25])), language.NUMBER)], style, x1)
    return y + style.pitch


def signature(canvas: Canvas, box: Box, style: Face) -> float:
    """Names with roles below or beside them: the answer stands before its label."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    beside = rng.random() < 0.3
    for _ in range(rng.randint(1, 4)):
        left = rng.choice([x0, x0, (x0 + x1) / 2])
        who, role = language.name(rng), language.label(rng)
        name = canvas.line(left, y, who, style, x1)
        if not name or y > y1:
            break
        start = canvas.right(name) + style.gap if beside else left
        y += 0 if beside else style.pitch
        title = canvas.line(start, y, role, style, x1)
        canvas.ask(rng.choice(TEXTS["role"]).format(label_text(role, rng)), name)
        canvas.ask(rng.choice(TEXTS["name"]).format(label_text(who, rng)), title)
        y += style.pitch * rng.uniform(1, 2.5)
    return y


def print_wrapped(
    canvas: Canvas, box: Box, phrase: Phrase, style: Face, most: int = 3
) -> tuple[list[int], float]:
    """A phrase over as many lines as it takes, up to ``most``; its words and where it stopped."""
    (x, y, limit, _), word_ids = box, []
    for _ in range(most):
        line_ids = canvas.line(x, y, phrase[len(word_ids) :], style, limit)
        word_ids += line_ids
        y += style.pitch
        if not line_ids or len(word_ids) == len(phrase):
            break
    return word_ids, y


def max_width(style: Face, phrase: Phrase) -> float:
    """How wide a phrase may come out, whatever case it is set in."""
    lines = (phrase, [(text.upper(), kind) for text, kind in phrase])
    return 0.5 + max(map(style.width, lines))


def next_x(canvas: Canvas, word_ids: list[int], x: Length, style: Face) -> float:
    """Where the next word of a line goes: after the last one, or at x where none was printed."""
    return canvas.right(word_ids) + style.gap if word_ids else float(x)


def sparse(canvas: Canvas, box: Box, style: Face) -> float:
    """A few words here and there."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    while y < y1:
        phrase = [pair for _ in range(rng.randint(1, 3)) for pair in language.prose(rng)]
        canvas.line(rng.uniform(x0, x0 + 0.7 * (x1 - x0)), y, phrase, style, x1)
        y += style.pitch * rng.uniform(1, 3)
    return y
