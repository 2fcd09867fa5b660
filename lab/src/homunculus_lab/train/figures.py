# pyright: basic
"""Blocks besides text: figures with captions, advertisements, tick boxes, page footers."""

from itertools import pairwise

from homunculus_lab.train import language, people, wordings
from homunculus_lab.train.canvas import Canvas, Face, face
from homunculus_lab.train.language import NUMBER
from homunculus_lab.train.layouts import Box, print_centred, print_wrapped
from homunculus_lab.train.questions import phrase_text

TEXTS = wordings.read()["figures"]


def plot(canvas: Canvas, box: Box, style: Face) -> float:
    """Axes with numbers and names, curves, a legend, a caption above or below."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    deep = min(y1 - y, 0.7 * (x1 - x0), rng.uniform(12, 22) * style.size)
    if deep < 7 * style.pitch:
        return caption(canvas, box, style)
    above = rng.random() < 0.4
    top = caption(canvas, box, style) if above else y
    canvas.ask(rng.choice(TEXTS["axis"]["y"]), canvas.line(x0, top, language.label(rng), style, x1))
    top += 1.2 * style.pitch
    low, left = y + deep - 3 * style.pitch, x0 + 4 * style.size
    high = max(top + style.pitch, low)
    canvas.rule(left, high, x1, style.size / 12)
    canvas.bar(left, top, left + 1, high)
    _ticks(canvas, (left, top, x1, high), style)
    _legend(canvas, (left, top, x1, high), style)
    name = language.label(rng)
    word_ids = print_centred(canvas, high + 1.3 * style.pitch, name, style, (left, 0, x1, 0))
    canvas.ask(rng.choice(TEXTS["axis"]["x"]), word_ids)
    y = high + 2.6 * style.pitch
    return y if above else caption(canvas, (x0, y, x1, y1), style)


def _ticks(canvas: Canvas, box: Box, style: Face) -> None:
    """Numbers along two axes, and a curve over them."""
    rng, (left, top, x1, high) = canvas.rng, box
    unit, since = rng.choice((1, 5, 10, 20, 25, 100)), rng.choice((0, rng.randint(1950, 2015)))
    rows = max(2, min(6, int((high - top) / (1.4 * style.pitch))))
    for row in range(rows):
        phrase = [(str(unit * row), NUMBER)]
        y = high - style.base - row * (high - top - style.pitch) / (rows - 1)
        canvas.line(left - style.width(phrase) - style.gap, y, phrase, style, left)
    columns = max(2, min(7, int((x1 - left) / (5 * style.size))))
    for column in range(columns):
        phrase = [(str(since + column * (1 if since else unit)), NUMBER)]
        canvas.line(left + column * (x1 - left) / columns, high + 2, phrase, style, x1)
    points = [
        (left + step * (x1 - left) / 8, rng.uniform(top + 0.5 * (high - top), high))
        for step in range(8)
    ]
    for (ax, ay), (bx, _) in pairwise(points):
        canvas.rule(ax, ay, bx, style.size / 8)


def _legend(canvas: Canvas, box: Box, style: Face) -> None:
    """Names of the curves at the upper right."""
    rng, (left, top, x1, high) = canvas.rng, box
    for number in range(rng.choice((0, 2, 3))):
        y = top + number * style.pitch
        if y + style.pitch > top + 0.45 * (high - top):
            return
        start = left + 0.6 * (x1 - left)
        canvas.rule(
            start - 2 * style.size, y + style.base / 1.5, start - 0.5 * style.size, 1 + number
        )
        word_ids = canvas.line(start, y, language.label(rng)[:2], style, x1)
        nth = ("first", "second", "third")[number]
        canvas.ask(f"What is the {nth} entry of the legend?", word_ids)


def caption(canvas: Canvas, box: Box, style: Face) -> float:
    """A number and what the figure shows."""
    rng, (x0, _, x1, _) = canvas.rng, box
    number = rng.randint(1, 15)
    word = rng.choice(("Figure", "Fig.", "FIGURE", "Chart", "Exhibit"))
    key = [(word, 0), (f"{number}{rng.choice(':.-')}", NUMBER)]
    inset = rng.choice((0.0, 0.1)) * (x1 - x0)
    inner = (x0 + inset, box[1], x1 - inset, box[3])
    word_ids, y = print_wrapped(canvas, inner, [*key, *people.topic(rng, 9)], style)
    name = f"{'figure' if word in ('Fig.', 'FIGURE') else word} {number}"
    canvas.ask(rng.choice(TEXTS["caption"]).format(name), word_ids[2:])
    if rng.random() < 0.3:
        canvas.ask(
            rng.choice(("What is the figure number?", "Which figure is shown?")), word_ids[:2]
        )
    return y + 0.5 * style.pitch


def ad(canvas: Canvas, box: Box, style: Face) -> float:
    """One or two large lines, a picture, some prose, a slogan, a price, a site."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    large = face(rng, style.size * rng.uniform(2, 3.6))
    word_ids = print_centred(
        canvas, y, rng.choice((people.body, language.name, people.topic))(rng), large, box
    )
    canvas.ask(rng.choice(TEXTS["brand"]), word_ids)
    y += large.pitch
    if rng.random() < 0.6 and y1 - y > 8 * style.pitch:
        deep = rng.uniform(0.2, 0.5) * (y1 - y)
        canvas.frame(x0 + 0.1 * (x1 - x0), y, x1 - 0.1 * (x1 - x0), y + deep, style.size / 10)
        y += deep + style.pitch
    while y < y1 - 5 * style.pitch:
        text_of = [pair for _ in range(rng.randint(3, 12)) for pair in language.prose(rng)]
        print_centred(canvas, y, text_of, style, box)
        y += style.pitch * rng.choice((1.0, 1.0, 1.8))
    for make, forms, share in (
        (
            language.money,
            ("What is the price?", "How much does it cost?", "What is the cost?"),
            0.5,
        ),
        (people.website, ("What is the website?", "What is the web address?"), 0.4),
        (language.phone, ("What is the phone number?", "Which number should be called?"), 0.4),
    ):
        if rng.random() < share and y < y1 - style.pitch:
            canvas.ask(rng.choice(forms), print_centred(canvas, y, make(rng), style, box))
            y += style.pitch
    bold = face(rng, style.size * rng.uniform(1, 1.8))
    if y + bold.pitch < y1:
        canvas.ask(rng.choice(TEXTS["low"]), print_centred(canvas, y, people.topic(rng), bold, box))
    return y + bold.pitch


def boxes(canvas: Canvas, box: Box, style: Face) -> float:
    """Questions of a form with boxes to tick; one of them is."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    while y < y1 - style.pitch:
        key, right = language.label(rng)[:2], rng.randint(0, 2)
        word_ids = canvas.line(x0, y, key, style, x1)
        x = max(x0 + 9 * style.size, canvas.right(word_ids) + 2 * style.gap) if word_ids else x1
        words = rng.sample(("Yes", "No", "Male", "Female", "Other", "None", "New", "Renewal"), 3)
        for number, option in enumerate(words):
            side = style.base - style.top
            if x + 2 * side + style.width([(option, 0)]) > x1:
                break
            canvas.frame(x, y + style.top, x + side, y + style.base, style.size / 14)
            if number == right:
                canvas.bar(x + 2, y + style.top + 2, x + side - 2, y + style.base - 2)
            option_ids = canvas.line(x + 1.5 * side, y, [(option, 0)], style, x1)
            if number == right and option_ids:
                canvas.ask(rng.choice(TEXTS["tick"]).format(phrase_text(key).lower()), option_ids)
            x = canvas.right(option_ids) + 2 * style.gap if option_ids else x1
        y += style.pitch * rng.choice((1.0, 1.3))
    return y


def foot(canvas: Canvas, box: Box, style: Face) -> None:
    """Under the text: a source or a site, the number of the page; a stamped code in a corner."""
    rng, (x0, y, x1, y1) = canvas.rng, box
    small = face(rng, style.size * rng.uniform(0.75, 1))
    if rng.random() < 0.25:
        word_ids = canvas.line(x0, y, [("Source:", 0), *people.topic(rng, 5)], small, x1)
        canvas.ask(rng.choice(TEXTS["source"]), word_ids[1:])
        y += small.pitch
    elif rng.random() < 0.2:
        canvas.ask(
            rng.choice(TEXTS["site"]), print_centred(canvas, y, people.website(rng), small, box)
        )
        y += small.pitch
    spot = rng.choice((x0, (x0 + x1) / 2 - small.size, x1 - 2 * small.size))
    if rng.random() < 0.5 and y + small.pitch < y1:
        words = [("Page", 0)] if rng.random() < 0.3 else []
        number = [(str(rng.randint(1, 99)), NUMBER)]
        word_ids = canvas.line(spot - style.width(words), y, words + number, small, canvas.wide)
        canvas.ask(rng.choice(TEXTS["page"]), word_ids[len(words) :])
        y += small.pitch
    if rng.random() < 0.35 and y + small.pitch < y1:
        code = people.bates(rng)
        right = canvas.wide - small.size * rng.uniform(0.5, 2) - small.width(code)
        where = rng.choice((right, right, x0))
        canvas.ask(rng.choice(TEXTS["bates"]), canvas.line(where, y, code, small, canvas.wide))
