# pyright: basic
"""Invoices and orders: addresses, numbers, items, sums."""

from homunculus_lab.train import language, people, wordings
from homunculus_lab.train.canvas import Canvas, Face, face
from homunculus_lab.train.layouts import Box, max_width, next_x
from homunculus_lab.train.letters import letterhead
from homunculus_lab.train.people import phrase_of
from homunculus_lab.train.questions import label_text, phrase_text, value_maker

TEXTS = wordings.read()["invoices"]


NUMBERS = wordings.read()["invoice_numbers"]
COLUMNS = wordings.read()["invoice_columns"]
SUMS = wordings.read()["invoice_sums"]


def invoice(canvas: Canvas, box: Box, style: Face) -> float:
    """A letterhead, numbers and dates, two addresses, items with amounts, sums."""
    rng, (x0, _, x1, y1) = canvas.rng, box
    y = letterhead(canvas, box, style)
    large = face(rng, style.size * rng.uniform(1.2, 2), case="upper")
    left = rng.choice((x0, x0 + 0.55 * (x1 - x0)))
    kind = rng.choice(
        ("Invoice", "Purchase Order", "Statement", "Sales Invoice", "Bill", "Quotation")
    )
    canvas.line(left, y, phrase_of(kind), large, x1)
    y = _numbers(canvas, (left, y + large.pitch, x1, y1), style)
    middle = (x0 + x1) / 2
    ends = [_block(canvas, (x0, y, middle - style.gap, y1), style, "Bill")]
    if rng.random() < 0.6:
        ends.append(_block(canvas, (middle, y, x1, y1), style, "Ship"))
    return _sums(canvas, _items(canvas, (x0, max(ends), x1, y1), style), style)


def _numbers(canvas: Canvas, box: Box, style: Face) -> float:
    """Numbers and dates of the invoice."""
    rng, (x0, y, x1, _) = canvas.rng, box
    tab, mark = style.size * rng.choice((0.0, 7.0)), rng.choice((":", "", ":"))
    for number in rng.sample(NUMBERS, rng.randint(2, 5)):
        label = phrase_of(rng.choice(number["labels"]) + mark)
        word_ids = canvas.line(x0, y, label, style, x1)
        start = max(x0 + tab, next_x(canvas, word_ids, x0, style))
        question, value = rng.choice(number["wordings"]), value_maker(number["make"])(rng)
        canvas.ask(question, canvas.line(start, y, value, style, x1))
        y += style.pitch
    return y + style.pitch * rng.uniform(0.5, 1.2)


def _block(canvas: Canvas, box: Box, style: Face, kind: str) -> float:
    """A name and an address under what they are for."""
    rng, (x0, y, x1, _) = canvas.rng, box
    block = TEXTS["block"][kind]
    canvas.line(x0, y, phrase_of(rng.choice(block["labels"])), style, x1)
    y += style.pitch * rng.uniform(1, 1.3)
    who = rng.choice((people.body, people.person))(rng)
    canvas.ask(rng.choice(block["questions"]), canvas.line(x0, y, who, style, x1))
    street = canvas.line(x0, y + style.pitch, people.road(rng), style, x1)
    parts = people.town(rng)
    canvas.line(x0, y + 2 * style.pitch, [pair for part in parts for pair in part], style, x1)
    if rng.random() < 0.3:
        form = rng.choice(
            ("What is the address of {}?", "Where is {} located?", "What is {}'s street?")
        )
        canvas.ask(form.format(phrase_text(who)), street)
    return y + style.pitch * rng.uniform(3.3, 4.5)


def _items(canvas: Canvas, box: Box, style: Face) -> Box:
    """Rows of goods; the rectangle that is left for the sums."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    heads = [head for head in COLUMNS if rng.random() < 0.85] or COLUMNS
    shown = [phrase_of(rng.choice(head["labels"])) for head in heads]
    wides = [head["wide"] for head in heads]
    rights = [x1 - sum(wides[column + 1 :]) * (x1 - x0) for column in range(len(heads))]
    limit = rights[0] - wides[0] * (x1 - x0)
    canvas.line(x0, y, phrase_of(rng.choice(("Description", "Item", "Particulars"))), style, limit)
    for words, right, wide in zip(shown, rights, wides, strict=True):
        left = right - wide * (x1 - x0) + style.gap / 2
        canvas.line(max(left, right - max_width(style, words)), y, words, style, right)
    y += style.pitch * 1.2
    canvas.rule(x0, y - 2, x1, style.size / 12)
    end = min(y1 - 5 * style.pitch, y + style.pitch * rng.randint(2, 14))
    while y < end:
        goods = language.label(rng)
        name_ids = canvas.line(x0, y, goods, style, limit - style.gap)
        for head, right in zip(heads, rights, strict=True):
            value = value_maker(head["make"])(rng)
            left = right - head["wide"] * (x1 - x0) + style.gap / 2
            if style.width(value) > right - left:
                value = [(str(rng.randint(1, 99)), language.NUMBER)]
            word_ids = canvas.line(
                max(left, right - style.width(value)), y, value, style, right + 1
            )
            if name_ids and len(word_ids) == len(value) and rng.random() < 0.3:
                canvas.ask(rng.choice(head["wordings"]).format(label_text(goods, rng)), word_ids)
        y += style.pitch
    canvas.rule(x0, y, x1, style.size / 12)
    return x0, y + 3, x1, y1


def _sums(canvas: Canvas, box: Box, style: Face) -> float:
    """Subtotal, tax and total, at the right."""
    rng, (x0, y, x1, _) = canvas.rng, box
    left, mark = x0 + rng.uniform(0.4, 0.6) * (x1 - x0), rng.choice((":", "", "$"))
    for line in SUMS:
        if rng.random() > line["share"]:
            continue
        value = language.money(rng)
        word_ids = canvas.line(
            left, y, phrase_of(rng.choice(line["labels"]) + mark.replace("$", "")), style, x1
        )
        start = x1 - style.width(value)
        if start > next_x(canvas, word_ids, left, style):
            canvas.ask(rng.choice(line["wordings"]), canvas.line(start, y, value, style, x1 + 1))
        y += style.pitch
    return y
