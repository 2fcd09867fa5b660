# pyright: basic
"""Invoices and orders: addresses, numbers, items, sums."""

from homunculus_lab.train import language, people
from homunculus_lab.train.canvas import Canvas, Face, face
from homunculus_lab.train.layouts import Box, max_width, next_x
from homunculus_lab.train.letters import letterhead
from homunculus_lab.train.people import phrase_of
from homunculus_lab.train.questions import label_text, phrase_text

NUMBERS = (
    (("Invoice No.", "Invoice #", "Inv. No.", "Number", "No."), language.code,
        ("What is the invoice number?", "What is the invoice no.?", "what is the bill number?")),
    (("Date", "Invoice Date", "Dated"), language.date,
        ("What is the invoice date?", "What is the date of the invoice?", "What is the date?")),
    (("Due", "Due Date", "Pay by"), language.date,
        ("What is the due date?", "When is the payment due?", "When is the invoice due?")),
    (("P.O. No.", "PO #", "Your Order", "Purchase Order"), language.code,
        ("What is the PO number?", "What is the purchase order number?", "What is the P.O. No.?")),
    (("Terms", "Payment Terms"),
        lambda rng: phrase_of(rng.choice(("Net 30", "Net 60 days", "C.O.D."))),
        ("What are the terms?", "What are the payment terms?")),
    (("Acct.", "Account", "Cust. No.", "Customer #"), language.code,
        ("What is the account number?", "What is the customer number?")),
)  # fmt: skip
BLOCK_ASK = {
    "Bill": (("Bill to", "BILL TO:", "Sold to:", "Customer:", "To:"),
        ("Who is billed?", "Who is the invoice billed to?", "What is the bill to name?",
            "Who is the customer?", "Whom is the invoice addressed to?", "Who is the buyer?")),
    "Ship": (("Ship to", "SHIP TO:", "Deliver to:", "Consignee:"),
        ("Who is it shipped to?", "What is the ship to name?", "To whom are the goods delivered?",
            "Where are the goods shipped?", "Who is the consignee?")),
}  # fmt: skip
HEADS = (
    (("Qty", "Qty.", "Quantity", "Units"), language.number, 0.13,
        ("What is the quantity of {}?", "How many {}?", "What is the qty of {}?",
            "How many units of {} are there?")),
    (("Unit Price", "Price", "Rate", "Unit Cost", "@"), language.money, 0.2,
        ("What is the unit price of {}?", "What is the price of {}?", "What is the rate of {}?",
            "What does one {} cost?")),
    (("Amount", "Amt.", "Total", "Ext. Price"), language.money, 0.2,
        ("What is the amount of {}?", "What is the total for {}?", "How much is {}?",
            "What is the amount for {}?")),
)  # fmt: skip
SUMS = (
    (("Subtotal", "Sub-total", "Sub Total"), ("What is the subtotal?", "What is the sub total?",
        "What is the amount before tax?"), 0.6),
    (("Tax", "Sales Tax", "VAT", "GST"), ("What is the tax?", "How much is the tax?",
        "What is the sales tax amount?", "How much tax is charged?"), 0.6),
    (("Freight", "Shipping", "S & H"), ("What is the shipping cost?", "How much is freight?"), 0.3),
    (("TOTAL", "Total", "Total Due", "Balance Due", "Amount Due", "Please Pay"),
        ("What is the total?", "What is the total amount?", "What is the invoice total?",
            "What is the total amount due?", "How much has to be paid?", "What is the net amount?",
            "What is the balance due?"), 1.0),
)  # fmt: skip


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
    for names, make, forms in rng.sample(NUMBERS, rng.randint(2, 5)):
        word_ids = canvas.line(x0, y, phrase_of(rng.choice(names) + mark), style, x1)
        start = max(x0 + tab, next_x(canvas, word_ids, x0, style))
        canvas.ask(rng.choice(forms), canvas.line(start, y, make(rng), style, x1))
        y += style.pitch
    return y + style.pitch * rng.uniform(0.5, 1.2)


def _block(canvas: Canvas, box: Box, style: Face, kind: str) -> float:
    """A name and an address under what they are for."""
    rng, (x0, y, x1, _) = canvas.rng, box
    names, forms = BLOCK_ASK[kind]
    canvas.line(x0, y, phrase_of(rng.choice(names)), style, x1)
    y += style.pitch * rng.uniform(1, 1.3)
    who = rng.choice((people.body, people.person))(rng)
    canvas.ask(rng.choice(forms), canvas.line(x0, y, who, style, x1))
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
    heads = [head for head in HEADS if rng.random() < 0.85] or list(HEADS)
    shown = [phrase_of(rng.choice(names)) for names, _, _, _ in heads]
    rights = [x1 - sum(h[2] for h in heads[at + 1 :]) * (x1 - x0) for at in range(len(heads))]
    limit = rights[0] - heads[0][2] * (x1 - x0)
    canvas.line(x0, y, phrase_of(rng.choice(("Description", "Item", "Particulars"))), style, limit)
    for words, right, head in zip(shown, rights, heads, strict=True):
        left = right - head[2] * (x1 - x0) + style.gap / 2
        canvas.line(max(left, right - max_width(style, words)), y, words, style, right)
    y += style.pitch * 1.2
    canvas.rule(x0, y - 2, x1, style.size / 12)
    end = min(y1 - 5 * style.pitch, y + style.pitch * rng.randint(2, 14))
    while y < end:
        goods = language.label(rng)
        name_ids = canvas.line(x0, y, goods, style, limit - style.gap)
        for (_, make, wide, forms), right in zip(heads, rights, strict=True):
            value, left = make(rng), right - wide * (x1 - x0) + style.gap / 2
            if style.width(value) > right - left:
                value = [(str(rng.randint(1, 99)), language.NUMBER)]
            word_ids = canvas.line(
                max(left, right - style.width(value)), y, value, style, right + 1
            )
            if name_ids and len(word_ids) == len(value) and rng.random() < 0.3:
                canvas.ask(rng.choice(forms).format(label_text(goods, rng)), word_ids)
        y += style.pitch
    canvas.rule(x0, y, x1, style.size / 12)
    return x0, y + 3, x1, y1


def _sums(canvas: Canvas, box: Box, style: Face) -> float:
    """Subtotal, tax and total, at the right."""
    rng, (x0, y, x1, _) = canvas.rng, box
    left, mark = x0 + rng.uniform(0.4, 0.6) * (x1 - x0), rng.choice((":", "", "$"))
    for names, forms, share in SUMS:
        if rng.random() > share:
            continue
        value = language.money(rng)
        word_ids = canvas.line(
            left, y, phrase_of(rng.choice(names) + mark.replace("$", "")), style, x1
        )
        start = x1 - style.width(value)
        if start > next_x(canvas, word_ids, left, style):
            canvas.ask(rng.choice(forms), canvas.line(start, y, value, style, x1 + 1))
        y += style.pitch
    return y
