# pyright: basic
"""Whole papers: receipts from the shop's name to the total, heads of letters and reports."""

from collections.abc import Callable

from homunculus.lab.train import language, people
from homunculus.lab.train.language import Phrase
from homunculus.lab.train.layouts import Box, centred, chart, form, prose, sparse, table
from homunculus.lab.train.questions import plain
from homunculus.lab.train.sheet import Face, Sheet, face

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
            sheet, (x0, y, x1, y1), style, [(w, 0) for w in f"{name}{ends}".split()], question, 1.0
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
        ("To", rng.choice((language.name, people.person)), TO_ASK),
        ("From", rng.choice((language.name, people.person)), FROM_ASK),
        ("Subject", rng.choice((language.label, people.topic)), SUBJECT_ASK),
    ):  # fmt: skip
        if rng.random() < 0.45:
            shown = [(key + ":", 0)] if rng.random() < 0.7 else []
            made = sheet.line(x0, y, shown + made_of(rng), style, x1)
            sheet.ask(rng.choice(forms), made[len(shown) :])
            y += style.pitch
    return y + style.pitch * rng.uniform(0.2, 1)


Block = Callable[[Sheet, Box, Face], float]
BLOCKS: tuple[Block, ...] = (prose, prose, prose, form, form, table, table, receipt, chart, sparse)
