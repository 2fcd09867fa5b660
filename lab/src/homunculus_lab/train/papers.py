# pyright: basic
"""Receipts, and headings of letters and reports."""

from collections.abc import Callable

from homunculus_lab.train import language, people, wordings
from homunculus_lab.train.canvas import Canvas, Face, face
from homunculus_lab.train.language import Phrase
from homunculus_lab.train.layouts import Box, chart, form, print_centred, prose, sparse, table
from homunculus_lab.train.questions import label_text

TEXTS = wordings.read()["papers"]


def receipt(canvas: Canvas, box: Box, style: Face) -> float:
    """A shop's name, its address, a date, items with prices at the right, a total."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    middle = (
        print_centred
        if rng.random() < 0.7
        else (lambda s, place, p, f, b: s.line(b[0], place, p, f, b[2]))
    )
    large = face(rng, style.size * rng.uniform(1, 1.7), case=rng.choice(["upper", "title"]))
    canvas.ask(rng.choice(TEXTS["company"]), middle(canvas, y, language.name(rng), large, box))
    y += large.pitch
    place: list[int] = []
    for _ in range(rng.randint(0, 3)):
        road = [(str(rng.randint(1, 300)) + ",", 0), *language.label(rng), ("Road,", 0)]
        place += middle(canvas, y, road, style, box)
        y += style.pitch
    canvas.ask(rng.choice(["What is the address?", "What is the address of the company?"]), place)
    if rng.random() < 0.5:
        word_ids = middle(canvas, y, [("Tel:", 0), *language.phone(rng)], style, box)
        canvas.ask(rng.choice(["What is the phone number?", "What is the tel no.?"]), word_ids[1:])
        y += style.pitch
    y += style.pitch * rng.uniform(0, 1)
    dated = [("Date:", 0)] if rng.random() < 0.55 else []
    word_ids = canvas.line(x0, y, dated + language.date(rng) + language.time(rng), style, x1)
    canvas.ask(
        rng.choice(TEXTS["date"]), [i for i in word_ids if canvas.words[i].kind == language.DATE]
    )
    y += style.pitch * rng.uniform(1, 2)
    while y < y1 - 5 * style.pitch:
        _priced(
            canvas, (x0, y, x1, y1), style, language.label(rng), "What is the price of {}?", 0.3
        )
        y += style.pitch
    for key in ("Subtotal", "Tax", "Total", "Cash", "Change"):
        if y > y1 or (key != "Total" and rng.random() < 0.35):
            continue
        name = (
            rng.choice(["Total", "TOTAL", "Grand Total", "Total Amount", "Amount Due"])
            if key == "Total"
            else key
        )
        question = rng.choice(TEXTS["total"]) if key == "Total" else "What is the {}?"
        ends = rng.choice([":", ""])
        _priced(
            canvas, (x0, y, x1, y1), style, [(w, 0) for w in f"{name}{ends}".split()], question, 1.0
        )
        y += style.pitch
    return y


def _priced(
    canvas: Canvas, box: Box, style: Face, key: Phrase, question: str, share: float
) -> None:
    """A line with an amount at its right end."""
    x0, y, x1, _ = box
    amount = language.money(canvas.rng)
    word_ids = canvas.line(x0, y, key, style, x1)
    start = x1 - style.width(amount)
    if word_ids and start > canvas.right(word_ids) + style.gap and canvas.rng.random() < 0.95:
        answer = canvas.line(start, y, amount, style, x1 + 1)
        if canvas.rng.random() < share:
            canvas.ask(question.format(label_text(key, canvas.rng)), answer)


def heading(canvas: Canvas, box: Box, style: Face) -> float:
    """A title, perhaps a date, a sender and a reader: the head of a letter or a report."""
    rng, (x0, y, x1, _) = canvas.rng, box
    large = face(rng, style.size * rng.uniform(1.2, 2.4), case=rng.choice(["upper", "title"]))
    title = [pair for _ in range(rng.randint(1, 3)) for pair in language.label(rng)][:5]
    titles = (
        "What is the title of the document?",
        "What is the heading of the page?",
        "What is the title?",
    )
    word_ids = print_centred(canvas, y, title, large, box)
    canvas.ask(rng.choice(titles), word_ids)
    y += large.pitch * rng.uniform(1, 1.6)
    for key, make, forms in (
        ("Date", language.date, TEXTS["letter"]),
        ("To", rng.choice((language.name, people.person)), TEXTS["to"]),
        ("From", rng.choice((language.name, people.person)), TEXTS["from"]),
        ("Subject", rng.choice((language.label, people.topic)), TEXTS["subject"]),
    ):  # fmt: skip
        if rng.random() < 0.45:
            shown = [(key + ":", 0)] if rng.random() < 0.7 else []
            word_ids = canvas.line(x0, y, shown + make(rng), style, x1)
            canvas.ask(rng.choice(forms), word_ids[len(shown) :])
            y += style.pitch
    return y + style.pitch * rng.uniform(0.2, 1)


PageBlock = Callable[[Canvas, Box, Face], float]
BLOCKS: tuple[PageBlock, ...] = (
    prose,
    prose,
    prose,
    form,
    form,
    table,
    table,
    receipt,
    chart,
    sparse,
)
