# pyright: basic
"""What stands on pages: prose, forms, tables, receipts, letterheads, charts; each with its facts.

A block fills a rectangle of a sheet from the top and says where it stopped.
"""

from collections.abc import Callable
from random import Random

from homunculus.learn import language
from homunculus.learn.language import Phrase
from homunculus.learn.sheet import Face, Sheet, face

Box = tuple[float, float, float, float]  # x0 y0 x1 y1

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
    return rng.choice(forms).format(plain(phrase, rng))


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
        at = rng.randrange(len(made) - 6)
        near = [(sheet.words[i].text, 0) for i in made[at : at + 3]]
        kind = sheet.words[made[at + 3]].kind
        sheet.ask(asked(near, max(kind, 0), rng), made[at + 3 : at + 3 + rng.randint(1, 3)])
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


COMPANY_ASK = (
    "What is the name of the company that issued this receipt?", "What is the company name?",
    "Which company is it?", "What is the name of the store?", "What is the shop's name?",
    "Who issued this receipt?", "Which company's name is at the top?", "What is the vendor name?",
)  # fmt: skip
DATE_ASK = (
    "What is the date on this receipt?", "What is the date?", "When was this receipt issued?",
    "What is the date mentioned?", "On which date was it issued?", "What is the document date?",
)  # fmt: skip
TOTAL_ASK = (
    "What is the total amount?", "What is the total?", "How much is the total?",
    "What is the grand total?",
    "How much has to be paid?", "What is the amount due?", "What is the total cost?",
)  # fmt: skip


def receipt(sheet: Sheet, box: Box, style: Face) -> float:
    """A shop's name, its address, a date, items with prices at the right, a total."""
    rng, (x0, y, x1, y1) = sheet.rng, box
    middle = (
        centred if rng.random() < 0.7 else (lambda s, at, p, f, b: s.line(b[0], at, p, f, b[2]))
    )
    large = face(rng, style.size * rng.uniform(1, 1.7), case=rng.choice(["upper", "title"]))
    sheet.ask(rng.choice(COMPANY_ASK), middle(sheet, y, language.name(rng), large, box))
    y += large.pitch
    place: list[int] = []
    for _ in range(rng.randint(0, 3)):
        road = [(str(rng.randint(1, 300)) + ",", 0), *language.label(rng), ("Road,", 0)]
        place += middle(sheet, y, road, style, box)
        y += style.pitch
    sheet.ask(rng.choice(["What is the address?", "What is the address of the company?"]), place)
    if rng.random() < 0.5:
        made = middle(sheet, y, [("Tel:", 0), *language.phone(rng)], style, box)
        sheet.ask(rng.choice(["What is the phone number?", "What is the tel no.?"]), made[1:])
        y += style.pitch
    y += style.pitch * rng.uniform(0, 1)
    dated = [("Date:", 0)] if rng.random() < 0.55 else []
    made = sheet.line(x0, y, dated + language.date(rng) + language.time(rng), style, x1)
    sheet.ask(rng.choice(DATE_ASK), [i for i in made if sheet.words[i].kind == language.DATE])
    y += style.pitch * rng.uniform(1, 2)
    while y < y1 - 5 * style.pitch:
        _priced(sheet, (x0, y, x1, y1), style, language.label(rng), "What is the price of {}?", 0.3)
        y += style.pitch
    for key in ("Subtotal", "Tax", "Total", "Cash", "Change"):
        if y > y1 or (key != "Total" and rng.random() < 0.35):
            continue
        name = (
            rng.choice(["Total", "TOTAL", "Grand Total", "Total Amount", "Amount Due"])
            if key == "Total"
            else key
        )
        question = rng.choice(TOTAL_ASK) if key == "Total" else "What is the {}?"
        ends = rng.choice([":", ""])
        _priced(
            sheet, (x0, y, x1, y1), style, [(w, 0) for w in f"{name}{ends}".split()], question, 1
        )
        y += style.pitch
    return y


def _priced(sheet: Sheet, box: Box, style: Face, key: Phrase, question: str, share: float) -> None:
    """A line with an amount at its right end."""
    x0, y, x1, _ = box
    amount = language.money(sheet.rng)
    made = sheet.line(x0, y, key, style, x1)
    start = x1 - style.width(amount)
    if made and start > sheet.right(made) + style.gap and sheet.rng.random() < 0.95:
        answer = sheet.line(start, y, amount, style, x1 + 1)
        if sheet.rng.random() < share:
            sheet.ask(question.format(plain(key, sheet.rng)), answer)


LETTER_ASK = ("What is the date of the letter?", "When was it written?", *DATE_ASK)
TO_ASK = ("Who is the letter addressed to?", "To whom is it written?", "Who is the receiver?")
FROM_ASK = ("Who is the sender?", "From whom is the letter?", "Who wrote it?")
SUBJECT_ASK = ("What is the subject?", "What is it about?", "What is the subject of the letter?")


def heading(sheet: Sheet, box: Box, style: Face) -> float:
    """A title, perhaps a date, a sender and a reader: the head of a letter or a report."""
    rng, (x0, y, x1, _) = sheet.rng, box
    large = face(rng, style.size * rng.uniform(1.2, 2.4), case=rng.choice(["upper", "title"]))
    title = [pair for _ in range(rng.randint(1, 3)) for pair in language.label(rng)][:5]
    titles = (
        "What is the title of the document?",
        "What is the heading of the page?",
        "What is the title?",
    )
    made = centred(sheet, y, title, large, box)
    sheet.ask(rng.choice(titles), made)
    y += large.pitch * rng.uniform(1, 1.6)
    for key, made_of, forms in (
        ("Date", language.date, LETTER_ASK),
        ("To", language.name, TO_ASK),
        ("From", language.name, FROM_ASK),
        ("Subject", language.label, SUBJECT_ASK),
    ):  # fmt: skip
        if rng.random() < 0.45:
            shown = [(key + ":", 0)] if rng.random() < 0.7 else []
            made = sheet.line(x0, y, shown + made_of(rng), style, x1)
            sheet.ask(rng.choice(forms), made[len(shown) :])
            y += style.pitch
    return y + style.pitch * rng.uniform(0.2, 1)


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


def sparse(sheet: Sheet, box: Box, style: Face) -> float:
    """A few words here and there."""
    rng, (x0, y, x1, y1) = sheet.rng, box
    while y < y1:
        phrase = [pair for _ in range(rng.randint(1, 3)) for pair in language.prose(rng)]
        sheet.line(rng.uniform(x0, x0 + 0.7 * (x1 - x0)), y, phrase, style, x1)
        y += style.pitch * rng.uniform(1, 3)
    return y


Block = Callable[[Sheet, Box, Face], float]
BLOCKS: tuple[Block, ...] = (prose, prose, prose, form, form, table, table, receipt, chart, sparse)
