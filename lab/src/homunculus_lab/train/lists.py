# pyright: basic
"""Agendas and numbered lists."""

from homunculus_lab.train import language, people, wordings
from homunculus_lab.train.canvas import Canvas, Face
from homunculus_lab.train.layouts import Box, next_x, print_wrapped
from homunculus_lab.train.questions import label_text, phrase_text

TEXTS = wordings.read()["lists"]


def agenda(canvas: Canvas, box: Box, style: Face) -> float:
    """Times or dates at the left, what happens right of them, who speaks below or at the end."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    when, kind = rng.choice(((language.time, language.TIME), (language.time, language.TIME),
        (language.date, language.DATE)))  # fmt: skip
    tab = x0 + style.size * rng.uniform(6, 10)
    span = kind == language.TIME and rng.random() < 0.35
    while y < y1 - style.pitch:
        start = when(rng)
        word_ids = canvas.line(x0, y, [*start, ("-", 0), *when(rng)] if span else start, style, x1)
        left = max(tab, next_x(canvas, word_ids, x0, style))
        what = people.topic(rng, 6)
        item, low = print_wrapped(canvas, (left, y, x1, y1), what, style, 2)
        if item and word_ids:
            canvas.ask(rng.choice(TEXTS["what"]).format(phrase_text(start)), item)
            canvas.ask(
                rng.choice(TEXTS["when"][language.KINDS[kind]]).format(label_text(what, rng)),
                word_ids,
            )
        y = low
        if rng.random() < 0.35:
            who = canvas.line(
                left + rng.choice((0, 2)) * style.gap, y, people.person(rng), style, x1
            )
            canvas.ask(rng.choice(TEXTS["speaker"]).format(label_text(what, rng)), who)
            y += style.pitch
        y += style.pitch * rng.choice((0.0, 0.0, 0.5))
    return y


def _marks(canvas: Canvas) -> list[str]:
    """How the items of a list are counted."""
    rng, form = canvas.rng, canvas.rng.choice(("{}.", "{}.", "({})", "{})", "{}"))
    rows = (
        [str(n) for n in range(1, 30)],
        list("ABCDEFGHIJKL"),
        list("abcdefghijkl"),
        TEXTS["roman"],
    )
    return [form.format(mark) for mark in rng.choice((rows[0], *rows))]


def numbered(canvas: Canvas, box: Box, style: Face) -> float:
    """Items with numbers or letters before them, under a heading more often than not."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    if rng.random() < 0.5:
        head = people.topic(rng, 5)
        word_ids = canvas.line(x0, y, head, style, x1)
        forms = ("What is the heading of the list?", "What is the title of the list?")
        canvas.ask(rng.choice(forms), word_ids)
        y += style.pitch * 1.3
    indent, marks = x0 + style.size * rng.uniform(0, 2), _marks(canvas)
    tab = indent + style.size * rng.uniform(2, 3)
    for number, mark in enumerate(marks):
        if y > y1 - style.pitch:
            break
        kind = language.NUMBER if any(map(str.isdigit, mark)) else language.WORD
        word_ids = canvas.line(indent, y, [(mark, kind)], style, x1)
        left = max(tab, next_x(canvas, word_ids, indent, style))
        item, y = print_wrapped(
            canvas, (left, y, x1, y1), people.topic(rng, rng.randint(4, 12)), style
        )
        if rng.random() < 0.5:
            by_mark = number >= len(TEXTS["ordinals"]) or rng.random() < 0.5
            question = rng.choice(TEXTS["mark"] if by_mark else TEXTS["ordinal"])
            canvas.ask(
                question.format(mark.strip("()") if by_mark else TEXTS["ordinals"][number]), item
            )
        y += style.pitch * rng.choice((0.0, 0.0, 0.5))
    return y
