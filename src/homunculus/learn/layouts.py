# pyright: basic
"""Blocks of pages: prose, forms, tables, charts, signatures; each with the facts it states.

A block fills a rectangle of a sheet from the top and says where it stopped.
"""

from random import Random

from homunculus.learn import language
from homunculus.learn.language import Phrase
from homunculus.learn.sheet import Face, Length, Sheet, face

Box = tuple[Length, Length, Length, Length]  # x0 y0 x1 y1

PLAIN_ASK = (
    "What is the {}?", "what is the {}?", "What is the {} mentioned in the document?", "{}?",
    "What is the {} given?", "Tell me the {}.", "Find the {}.", "What is written in the {} field?",
    "What is the value of {}?", "Which {} is given?", "what is {}",
)  # fmt: skip
ASK = {
    language.WORD: ("Who is the {}?", "What is the name of the {}?", "Who is mentioned as {}?"),
    language.NUMBER: ("How many {}?", "What is the number of {}?", "How many {} are there?"),
    language.MONEY: ("How much is the {}?", "What is the amount of {}?", "What is the {} amount?",
        "How much {}?"),
    language.DATE: ("When is the {}?", "What is the {} date?", "On what date was the {}?",
        "What is the date of {}?"),
    language.TIME: ("At what time is the {}?", "What time is {}?"),
    language.CODE: ("What is the {} number?", "What is the {} code?", "What is the {} no.?"),
    language.PERCENT: ("What percentage is {}?", "What is the percentage of {}?",
        "What % is the {}?"),
    language.PHONE: ("What is the phone number of {}?", "What is the {} telephone number?"),
}  # fmt: skip
TAILS = (
    " mentioned in the document?", " in this page?", " as per the document?", " in the table?",
    " mentioned in the letter?", " given in the report?", " according to the form?", " here?",
)  # fmt: skip
CELL_ASK = (
    "What is the {col} for {row}?", "What is the {col} of {row}?", "What is the {row} {col}?",
    "What is the value of {row} in {col}?", "what is the {col} in {row}?",
    "How many {col} for {row}?",
    "What was the {row} in {col}?", "How much is the {col} for the {row}?", "{row} {col}?",
)  # fmt: skip


def plain(phrase: Phrase, rng: Random) -> str:
    """A label as a question says it: lower case most times, now and then a word short."""
    words = [text.strip(" :,.()\"'") for text, _ in phrase]
    if len(words) > 1 and rng.random() < 0.15:
        words.pop(rng.randrange(len(words)))
    text = " ".join(words)
    return text if rng.random() < 0.35 else text.lower()


def asked(phrase: Phrase, kind: int, rng: Random) -> str:
    """A question for what stands beside a label, in the way its kind is asked for."""
    forms = ASK[kind] if rng.random() < 0.45 else PLAIN_ASK
    question = rng.choice(forms).format(plain(phrase, rng))
    return question if rng.random() < 0.65 else question.rstrip("?.") + rng.choice(TAILS)


def value(rng: Random) -> Phrase:
    """What fills a field."""
    return rng.choice((language.figure, language.figure, language.name))(rng)


def prose(sheet: Sheet, box: Box, style: Face) -> float:
    """Running text; a fact asks what follows three words."""
    rng, (x0, y, x1, y1) = sheet.rng, box
    made: list[int] = []
    while y < y1:
        x = x0 + (0.05 * (x1 - x0) if rng.random() < 0.15 else 0)
        end = x1 if rng.random() < 0.88 else x0 + rng.uniform(0.2, 0.9) * (x1 - x0)
        if rng.random() < 0.06:
            y += style.pitch * rng.uniform(0.3, 1)
        while True:
            one = sheet.line(x, y, language.prose(rng), style, end)
            if not one:
                break
            made += one
            x = sheet.right(one) + style.gap
        y += style.pitch
    for _ in range(min(3, len(made) // 12)):
        at = rng.randrange(3, len(made) - 6)
        answer = made[at : at + rng.randint(1, 3)]
        before, after = made[at - 3 : at], made[at + len(answer) :][:3]
        near = [(sheet.words[i].text, 0) for i in (before if rng.random() < 0.65 else after)]
        kind = sheet.words[answer[0]].kind
        sheet.ask(asked(near, max(kind, 0), rng), answer)
    return y


def form(sheet: Sheet, box: Box, style: Face) -> float:
    """Labels with their values right of them or below them."""
    rng, (x0, y, x1, y1) = sheet.rng, box
    columns = rng.choice([1, 1, 2]) if x1 - x0 > 18 * style.size else 1
    below, mark = rng.random() < 0.3, rng.choice([":", ":", "", " :", "."])
    wide = (x1 - x0) / columns
    tab = rng.uniform(0.25, 0.55) * wide if rng.random() < 0.6 else 0.0
    second = face(rng, style.size * rng.uniform(0.9, 1.2)) if rng.random() < 0.4 else style
    while y < y1:
        deep = style.pitch * (1 if rng.random() < 0.8 else rng.uniform(1, 2.5))
        for column in range(columns):
            left = x0 + column * wide
            key, filled = language.label(rng), value(rng)
            shown = [*key[:-1], (key[-1][0] + mark.strip(), 0)] if mark else key
            made = sheet.line(left, y, shown, style, left + wide)
            if not made:
                continue
            if below:
                answer = sheet.line(left, y + style.pitch, filled, second, left + wide)
                deep = max(deep, 2.2 * style.pitch)
            else:
                start = max(sheet.right(made) + style.gap, left + tab)
                answer = sheet.line(start, y, filled, second, left + wide)
            sheet.ask(asked(key, filled[0][1], rng), answer)
        if rng.random() < 0.12:
            sheet.rule(x0, y + deep - 1, x1, style.size / 12)
        y += deep
    return y


def table(sheet: Sheet, box: Box, style: Face) -> float:
    """Rows and columns; a fact asks for a crossing."""
    rng, (x0, y, x1, y1) = sheet.rng, box
    many = max(1, min(rng.randint(1, 6), int((x1 - x0) / (7 * style.size))))
    first = rng.uniform(0.25, 0.45) * (x1 - x0)
    step = (x1 - x0 - first) / many
    kinds = [rng.choice(language.FIGURES) for _ in range(many)]
    heads: list[Phrase] = []
    head = face(rng, style.size) if rng.random() < 0.3 else style
    ruled, flush = rng.random() < 0.4, rng.random() < 0.5
    for column in range(many):
        year = [(str(rng.randint(1950, 2030)), language.NUMBER)]
        heads.append(year if rng.random() < 0.25 else language.label(rng)[:2])
        sheet.line(x0 + first + column * step, y, heads[-1], head, x0 + first + (column + 1) * step)
    y += head.pitch
    while y < y1:
        row = language.label(rng) if rng.random() < 0.85 else language.name(rng)
        made = sheet.line(x0, y, row, style, x0 + first)
        for column in range(many):
            if rng.random() < 0.06:
                continue
            cell, left = kinds[column](rng), x0 + first + column * step
            limit = left + step - style.gap / 2
            start = limit - style.width(cell) if flush else left
            answer = sheet.line(max(left, start), y, cell, style, limit)
            if made and rng.random() < 0.3:
                says = {"col": plain(heads[column], rng), "row": plain(row, rng)}
                sheet.ask(rng.choice(CELL_ASK).format(**says), answer)
        y += style.pitch * (1 if rng.random() < 0.9 else 1.6)
        if ruled:
            sheet.rule(x0, y - 1, x1, style.size / 14)
    return y


def centred(sheet: Sheet, y: float, phrase: Phrase, style: Face, box: Box) -> list[int]:
    """Print a phrase in the middle of a line."""
    left = box[0] + max(0.0, (box[2] - box[0] - style.width(phrase)) / 2)
    return sheet.line(left, y, phrase, style, box[2])


def chart(sheet: Sheet, box: Box, style: Face) -> float:
    """Names at the left, bars, their values at the bars' ends, numbers along an axis."""
    rng, (x0, y, x1, y1) = sheet.rng, box
    title = [pair for _ in range(3) for pair in language.label(rng)][:6]
    sheet.ask("What is the title of the chart?", sheet.line(x0, y, title, style, x1))
    y += 1.6 * style.pitch
    left = x0 + rng.uniform(0.2, 0.35) * (x1 - x0)
    kind = rng.choice((language.number, language.percent, language.money))
    while y < y1 - style.pitch:
        who = language.name(rng)[:2]
        made = sheet.line(x0, y, who, style, left)
        end = left + rng.uniform(0.02, 0.75) * (x1 - left)
        sheet.bar(left + 2, y + style.top, end, y + style.base)
        answer = sheet.line(end + style.gap, y, kind(rng), style, x1)
        if made:
            forms = (
                "What is the value of {}?",
                "What is the value of {} in the graph?",
                "How much is {}?",
            )
            sheet.ask(rng.choice(forms).format(plain(who, rng)), answer)
        y += style.pitch * rng.uniform(1, 1.5)
    for step in range(5):
        at = left + step * (x1 - left) / 5
        sheet.line(at, y, [(str(step * rng.choice([10, 20, 25])), language.NUMBER)], style, x1)
    return y + style.pitch


ROLE_ASK = ("Who is the {}?", "Who is {}?", "What is the name of the {}?")
NAME_ASK = ("What is the designation of {}?", "Who is {}?", "What is {}?")


def signature(sheet: Sheet, box: Box, style: Face) -> float:
    """Names with what people are below or beside them: the answer stands before its label."""
    rng, (x0, y, x1, y1) = sheet.rng, box
    beside = rng.random() < 0.3
    for _ in range(rng.randint(1, 4)):
        left = rng.choice([x0, x0, (x0 + x1) / 2])
        who, role = language.name(rng), language.label(rng)
        name = sheet.line(left, y, who, style, x1)
        if not name or y > y1:
            break
        start = sheet.right(name) + style.gap if beside else left
        y += 0 if beside else style.pitch
        title = sheet.line(start, y, role, style, x1)
        sheet.ask(rng.choice(ROLE_ASK).format(plain(role, rng)), name)
        sheet.ask(rng.choice(NAME_ASK).format(plain(who, rng)), title)
        y += style.pitch * rng.uniform(1, 2.5)
    return y


def sparse(sheet: Sheet, box: Box, style: Face) -> float:
    """A few words here and there."""
    rng, (x0, y, x1, y1) = sheet.rng, box
    while y < y1:
        phrase = [pair for _ in range(rng.randint(1, 3)) for pair in language.prose(rng)]
        sheet.line(rng.uniform(x0, x0 + 0.7 * (x1 - x0)), y, phrase, style, x1)
        y += style.pitch * rng.uniform(1, 3)
    return y
