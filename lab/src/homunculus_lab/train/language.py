"""Text of rendered pages: words, numbers, money, dates, times, codes, percentages and phones.

A token is (text, kind); a phrase is a list of tokens. Everything is drawn from a given generator.
"""

import string
from functools import lru_cache
from pathlib import Path
from random import Random

from homunculus.eyes.words import COMMON
from homunculus_lab.train import wordings

TEXTS = wordings.read()["language"]

WORD, NUMBER, MONEY, DATE, TIME, CODE, PERCENT, PHONE = range(8)
KINDS = ("word", "number", "money", "date", "time", "code", "percent", "phone")

Phrase = list[tuple[str, int]]

DICTIONARIES = ("/usr/share/dict/american-english", "/usr/share/dict/british-english")
ACCENTED = {"a": "áàâäãå", "e": "éèêë", "i": "íìîï", "o": "óòôöõ", "u": "úùûü", "n": "ñ", "c": "ç"}


@lru_cache(maxsize=1)
def dictionary() -> tuple[str, ...]:
    """English words of this machine, or the common ones where it has none."""
    lines = [
        line.strip()
        for path in DICTIONARIES
        if Path(path).is_file()
        for line in Path(path).read_text("utf-8").splitlines()
    ]
    fit = sorted(
        {line for line in lines if line.isascii() and line.isalpha() and 2 <= len(line) <= 14}
    )
    return tuple(fit) or tuple(COMMON)


def word(rng: Random) -> str:
    """A word of prose; one in eight no dictionary has."""
    chance = rng.random()
    if chance < 0.52:
        return rng.choice(dictionary())
    if chance < 0.88:
        return rng.choice(COMMON)
    letters = "abcdefghijklmnopqrstuvwxyz" + "eeaaiioorstnl"
    return "".join(rng.choice(letters) for _ in range(rng.randint(2, 10)))


def number(rng: Random) -> Phrase:
    """A plain number, whole or not."""
    chance = rng.random()
    if chance < 0.35:
        return [(str(rng.randint(0, 10 ** rng.randint(1, 4))), NUMBER)]
    if chance < 0.6:
        return [(f"{rng.randint(0, 10 ** rng.randint(3, 7)):,}", NUMBER)]
    if chance < 0.85:
        whole = rng.randint(0, 10 ** rng.randint(1, 3))
        return [(f"{whole}.{rng.randint(0, 99):0{rng.randint(1, 2)}d}", NUMBER)]
    if chance < 0.93:
        return [(f"({rng.randint(0, 10 ** rng.randint(1, 3))})", NUMBER)]
    return [(str(rng.randint(1900, 2030)), NUMBER)]


def money(rng: Random) -> Phrase:
    """An amount, with or without its currency."""
    amount = f"{rng.randint(0, 10 ** rng.randint(1, 5)):,}.{rng.randint(0, 99):02d}"
    if rng.random() < 0.25:
        amount = f"{rng.randint(1, 10 ** rng.randint(2, 7)):,}"
    sign = rng.choice(["", "", "$", "RM", "€", "£", "USD", "$ ", "RM ", "USD "])
    return [(part, MONEY) for part in f"{sign}{amount}".split()]


def date(rng: Random) -> Phrase:
    """A day, in one of the ways people write it."""
    day, month, year = rng.randint(1, 31), rng.randint(1, 12), rng.randint(1950, 2029)
    short = rng.choice([year, year % 100])
    mark, name = rng.choice("/-."), TEXTS["months"][month - 1]
    named = rng.choice([name, name[:3], name.upper(), name[:3].upper()])
    forms = [
        f"{day:02d}{mark}{month:02d}{mark}{short:02d}",
        f"{day}{mark}{month}{mark}{short:02d}",
        f"{month:02d}{mark}{day:02d}{mark}{year}",
        f"{year}-{month:02d}-{day:02d}",
        f"{named} {day}, {year}",
        f"{day} {named} {year}",
        f"{day}-{named[:3]}-{short:02d}",
        f"{named} {year}",
    ]
    return [(part, DATE) for part in rng.choice(forms).split()]


def time(rng: Random) -> Phrase:
    """A time of day."""
    hour, minute = rng.randint(0, 23), rng.randint(0, 59)
    forms = [
        f"{hour:02d}:{minute:02d}",
        f"{hour:02d}:{minute:02d}:{rng.randint(0, 59):02d}",
        f"{hour % 12 or 12}:{minute:02d} {rng.choice(['AM', 'PM', 'a.m.', 'p.m.'])}",
        f"{hour % 12 or 12}:{minute:02d}{rng.choice(['am', 'pm'])}",
    ]
    return [(part, TIME) for part in rng.choice(forms).split()]


def code(rng: Random) -> Phrase:
    """A number that names something: an invoice, an article."""
    letters = string.ascii_uppercase + string.digits * 2
    body = "".join(rng.choice(letters) for _ in range(rng.randint(3, 9)))
    if rng.random() < 0.4:
        body = str(rng.randint(10**4, 10**9))
    if rng.random() < 0.3:
        cut = rng.randint(1, len(body) - 1)
        body = body[:cut] + rng.choice("-/") + body[cut:]
    return [(body, CODE)]


def percent(rng: Random) -> Phrase:
    """A share."""
    tail = rng.choice(["%", f".{rng.randint(0, 9)}%", f".{rng.randint(0, 99):02d}%"])
    return [(f"{rng.randint(0, 100)}{tail}", PERCENT)]


def phone(rng: Random) -> Phrase:
    """A telephone number."""

    def digits(count: int) -> str:
        return "".join(rng.choice(string.digits) for _ in range(count))

    forms = [
        f"({digits(3)}) {digits(3)}-{digits(4)}",
        f"{digits(3)}-{digits(3)}-{digits(4)}",
        f"0{digits(1)}-{digits(8)}",
        f"+{digits(2)} {digits(3)} {digits(4)} {digits(3)}",
    ]
    return [(part, PHONE) for part in rng.choice(forms).split()]


def page_count(rng: Random) -> Phrase:
    """How many pages a document has."""
    return [(str(rng.randint(1, 40)), NUMBER)]


FIGURES = (number, number, money, money, date, time, code, percent, phone)


def figure(rng: Random) -> Phrase:
    """Anything made mostly of digits."""
    return rng.choice(FIGURES)(rng)


def name(rng: Random) -> Phrase:
    """A person or a firm."""
    count = rng.randint(1, 3)
    parts = [rng.choice(dictionary()).capitalize() for _ in range(count)]
    if rng.random() < 0.5:
        parts += rng.choice(TEXTS["suffix"]).split()
    elif rng.random() < 0.5:
        parts.insert(1, f"{rng.choice(string.ascii_uppercase)}.")
    return [(part, WORD) for part in parts]


def label(rng: Random) -> Phrase:
    """What a field, a row or a column is called."""
    count = rng.choice([1, 1, 2, 2, 3])
    return [
        (rng.choice(COMMON[60:] if rng.random() < 0.6 else dictionary()), WORD)
        for _ in range(count)
    ]


def prose(rng: Random) -> Phrase:
    """One item of running text, with its punctuation."""
    if rng.random() < 0.14:
        return figure(rng)
    text = word(rng)
    if rng.random() < 0.03:
        text = "".join(rng.choice(ACCENTED[c]) if c in ACCENTED else c for c in text)
    chance = rng.random()
    for share, form in (
        (0.07, "{},"),
        (0.12, "{}."),
        (0.15, "{}:"),
        (0.18, "({})"),
        (0.19, '"{}"'),
    ):
        if chance < share:
            return [(form.format(text), WORD)]
    return [(text, WORD)]


CASES = ("mixed", "mixed", "mixed", "lower", "title", "upper", "upper")


def set_case(text: str, case: str, rng: Random) -> str:
    """Letters in the case a block is set in."""
    if case == "upper":
        return text.upper()
    if case == "title":
        return text[:1].upper() + text[1:] if rng.random() < 0.9 else text
    if case == "lower":
        return text.lower()
    chance = rng.random()
    return text.upper() if chance < 0.06 else text[:1].upper() + text[1:] if chance < 0.24 else text
