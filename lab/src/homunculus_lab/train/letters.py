# pyright: basic
"""Letters and memos: letterhead, date, recipient, subject, prose, signature."""

from collections.abc import Callable
from random import Random

from homunculus_lab.train import language, people, wordings
from homunculus_lab.train.canvas import Canvas, Face, Length, face
from homunculus_lab.train.language import Phrase
from homunculus_lab.train.layouts import Box, next_x, print_centred, print_wrapped, prose
from homunculus_lab.train.people import phrase_of
from homunculus_lab.train.questions import phrase_text

TEXTS = wordings.read()["letters"]


PrintRow = Callable[[Length, Phrase, Face], list[int]]
"""Prints a phrase at a height."""


def choose_question(questions: list[str], rng: Random, paper: str) -> str:
    """One of the questions, with the kind of paper filled in."""
    return rng.choice(questions).format(paper if rng.random() < 0.6 else "document")


def letterhead(canvas: Canvas, box: Box, style: Face) -> float:
    """An organisation with its address and its numbers, in the middle or at a side."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    large = face(rng, style.size * rng.uniform(1.1, 2), case=rng.choice(["upper", "title"]))
    shift = rng.choice((0.0, 0.0, 0.55))
    inner = (x0 + shift * (x1 - x0), y, x1, y1)
    middle = rng.random() < 0.55 and not shift

    def row(top: Length, phrase: Phrase, font: Face) -> list[int]:
        return (
            print_centred(canvas, top, phrase, font, inner)
            if middle
            else canvas.line(inner[0], top, phrase, font, x1)
        )

    canvas.ask(choose_question(TEXTS["top"], rng, "letter"), row(y, people.body(rng), large))
    y += large.pitch
    if rng.random() < 0.8:
        canvas.ask(choose_question(TEXTS["place"], rng, "letter"), row(y, people.road(rng), style))
        y = town(canvas, y + style.pitch, row, style)
    for key, forms in (("Tel", TEXTS["phone"]), ("Fax", TEXTS["fax"])):
        if rng.random() < 0.5:
            ways = {"Tel": ("Tel:", "Ph.", "Phone:", "Telephone", ""), "Fax": ("Fax:", "FAX", "F:")}
            shown = phrase_of(rng.choice(ways[key]))
            word_ids = row(y, shown + language.phone(rng), style)
            canvas.ask(choose_question(forms, rng, "letter"), word_ids[len(shown) :])
            y += style.pitch
    if rng.random() < 0.3:
        canvas.rule(x0, y + style.pitch / 3, x1, style.size / 10)
    return y + style.pitch * rng.uniform(0.5, 1.5)


def town(canvas: Canvas, y: Length, row: PrintRow, style: Face, whose: str = "") -> float:
    """A line with a city, its state and its zip code, each to be asked for."""
    rng, parts = canvas.rng, people.town(canvas.rng)
    word_ids, start = row(y, [pair for part in parts for pair in part], style), 0
    for part, forms in zip(parts, (TEXTS["city"], TEXTS["state"], TEXTS["zip"]), strict=True):
        answer, start = word_ids[start : start + len(part)], start + len(part)
        if len(answer) == len(part) and rng.random() < 0.6:
            question = choose_question(forms, rng, "letter")
            canvas.ask(
                question.rstrip("?") + f" in the address of {whose}?" if whose else question, answer
            )
    return y + style.pitch


def letter(canvas: Canvas, box: Box, style: Face) -> float:
    """A letterhead, a date, the reader, a greeting, prose, a closing, a signature."""
    rng, (x0, _, x1, y1) = canvas.rng, box
    y = letterhead(canvas, box, style)
    if rng.random() < 0.85:
        left = rng.choice((x0, x0, x0 + 0.6 * (x1 - x0)))
        canvas.ask(
            choose_question(TEXTS["date"], rng, "letter"),
            canvas.line(left, y, language.date(rng), style, x1),
        )
        y += style.pitch * rng.uniform(1.5, 2.5)
    who = people.person(rng)
    y = _reader(canvas, (x0, y, x1, y1), style, who)
    if rng.random() < 0.35:
        key = phrase_of(rng.choice(("Re:", "RE:", "Subject:", "Ref:", "Sub:")))
        word_ids, y = print_wrapped(canvas, (x0, y, x1, y1), key + people.topic(rng), style, 2)
        canvas.ask(choose_question(TEXTS["about"], rng, "letter"), word_ids[1:])
        y += style.pitch
    greeting = [("Dear", 0), *phrase_of(rng.choice(("Mr.", "Ms.", "Dr.", "")))]
    greeting += phrase_of(phrase_text(who[-1:]) + rng.choice((":", ",")))
    canvas.ask(
        choose_question(TEXTS["dear"], rng, "letter"), canvas.line(x0, y, greeting, style, x1)
    )
    y += style.pitch * rng.uniform(1.3, 2)
    end = y1 - style.pitch * rng.uniform(6, 9)
    if end > y:
        y = prose(canvas, (x0, y, x1, y + rng.uniform(0.4, 1) * (end - y)), style)
    return _closing(canvas, (x0, y + style.pitch, x1, y1), style)


def _reader(canvas: Canvas, box: Box, style: Face, who: Phrase) -> float:
    """To whom it goes: a name, a role, a firm, an address."""
    rng, (x0, y, x1, _) = canvas.rng, box
    word_ids = canvas.line(x0, y, who, style, x1)
    canvas.ask(choose_question(TEXTS["to"], rng, "letter"), word_ids)
    y += style.pitch
    if rng.random() < 0.5:
        role = canvas.line(x0, y, people.role(rng), style, x1)
        canvas.ask(rng.choice(TEXTS["role"]).format(phrase_text(who)), role)
        y += style.pitch
    for make in (people.body, people.road):
        if rng.random() < 0.7:
            canvas.line(x0, y, make(rng), style, x1)
            y += style.pitch

    def row(top: Length, phrase: Phrase, font: Face) -> list[int]:
        return canvas.line(x0, top, phrase, font, x1)

    y = town(canvas, y, row, style, phrase_text(who))
    return y + style.pitch * rng.uniform(0.5, 1)


def _closing(canvas: Canvas, box: Box, style: Face) -> float:
    """Sincerely, a gap for the pen, a name, a role, copies."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    left = rng.choice((x0, x0 + 0.5 * (x1 - x0)))
    word_ids = canvas.line(left, y, phrase_of(rng.choice(TEXTS["closings"])), style, x1)
    if rng.random() < 0.15:
        canvas.ask("How does the letter end?", word_ids)
    y += style.pitch * rng.uniform(2, 3.5)
    who = people.person(rng)
    canvas.ask(choose_question(TEXTS["sign"], rng, "letter"), canvas.line(left, y, who, style, x1))
    y += style.pitch
    if rng.random() < 0.75:
        word_ids = canvas.line(left, y, people.role(rng), style, x1)
        canvas.ask(rng.choice(TEXTS["role"]).format(phrase_text(who)), word_ids)
        y += style.pitch
    if rng.random() < 0.35 and y < y1:
        word_ids = canvas.line(
            x0, y, phrase_of(rng.choice(("cc:", "c.c.", "Copy:", "CC:"))), style, x1
        )
        word_ids = canvas.line(
            next_x(canvas, word_ids, x0, style), y, people.person(rng), style, x1
        )
        canvas.ask(choose_question(TEXTS["copy"], rng, "letter"), word_ids)
        y += style.pitch
    return y


LINES = (
    (("To", "TO", "For"), people.person, TEXTS["to"], 0.95),
    (("From", "FROM", "By", "Fr"), people.person, TEXTS["from"], 0.95),
    (("cc", "CC", "Copy to", "c"), people.person, TEXTS["copy"], 0.4),
    (("Date", "DATE", "Dated", ""), language.date, TEXTS["date"], 0.85),
    (("Subject", "Re", "SUBJ", "RE", "Subj."), people.topic, TEXTS["about"], 0.9),
)


def memo(canvas: Canvas, box: Box, style: Face) -> float:
    """The word memorandum, lines to, from, copies, date and subject, then prose."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    if rng.random() < 0.4:
        y = letterhead(canvas, box, style)
    large = face(rng, style.size * rng.uniform(1, 1.8))
    word_ids = print_centred(canvas, y, phrase_of(rng.choice(TEXTS["memo_titles"])), large, box)
    titles = ("What is the title of the document?", "What is the heading of the document?",
        "What type of document is this?", "What is written at the top?")  # fmt: skip
    canvas.ask(rng.choice(titles), word_ids)
    y += large.pitch * rng.uniform(1, 1.6)
    lines, mark = list(LINES), rng.choice((":", ":", "", "-"))
    rng.shuffle(lines)
    lines = lines if rng.random() < 0.4 else list(LINES)
    tab = x0 + style.size * rng.uniform(4.5, 8)
    for names, make, forms, share in lines:
        if y > y1 or rng.random() > share:
            continue
        key = (
            phrase_of(rng.choice(names) + mark)
            if names[0] != "Date"
            else phrase_of(rng.choice(names))
        )
        word_ids = canvas.line(x0, y, key, style, x1)
        start = max(tab, next_x(canvas, word_ids, x0, style))
        word_ids, y = print_wrapped(canvas, (start, y, x1, y1), make(rng), style, 2)
        canvas.ask(choose_question(forms, rng, "memo"), word_ids)
        y += style.pitch * rng.choice((0.0, 0.4))
    canvas.rule(x0, y + style.pitch / 3, x1, style.size / 10)
    y += style.pitch
    return prose(canvas, (x0, y, x1, y1 - style.pitch), style) if y < y1 - 2 * style.pitch else y
