"""What a printed word looks like: a date, an amount, a name. By patterns over whole lines."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

import numpy as np

from homunculus.scouts.words.net import KINDS
from homunculus.shapes import Float, Int

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?"
    r"|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?"
    r"|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?"
    r"|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bados?|domingos?)"
)
_OTHER_MONTH = (
    r"(?:januar|j[aä]nner|februar|m[aä]rz|mai|juni|juli|oktober|dezember"
    r"|janvier|f[eé]vrier|mars|avril|juin|juillet|ao[uû]t|septembre|octobre|novembre|d[eé]cembre"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
)
_UNIT = (
    r"(?:km/h|mph|km|cm|mm|m²|m|kg|mg|g|t|ml|cl|l|kwh|wh|kw|w|v|mah|a|°\s?[cf]?|nm|bar|psi|gb|mb|kb|tb"
    r"|ghz|mhz|kcal|cal|kj|lbs?|oz|ft|in|px|dpi|fps|ha|db|ppm)"
)
_TIME_UNIT = (
    r"(?:days?|weeks?|months?|years?|hours?|hrs?|minutes?|mins?|seconds?|secs?|h|s|ms"
    r"|tagen?|tage|wochen?|monaten?|monate|jahren?|jahre|stunden?|minuten|sekunden"
    r"|jours?|semaines?|mois|ans?|heures?|d[ií]as?|semanas?|mes(?:es)?|a[nñ]os?|horas?|minutos?)"
)
_COUNT = (
    r"(?:\d+(?:[.,]\d+)?|one|two|three|four|five|six|seven|eight|ten|zwei|drei|vier|fünf|sechs|zehn"
    r"|deux|trois|quatre|cinq|six|dix|dos|tres|cuatro|cinco|seis|diez)"
)
_PATTERNS = {
    "word": r"[^\W\d_][^\W\d_.'&-]+",
    "number": r"(?<!\w)[-+(]?\d[\d,.]*\)?(?!\w)",
    "money": r"[$£€¥¢]\s?[\d,.]*\d|\b(?:rm|usd|eur|gbp|chf)\s?[\d,.]*\d|\d[\d,.]*\s?[€¢$£]"
    r"|(?<![\w.])\d[\d,]*\.\d\d(?![\w.])",
    "date": rf"\b\d{{1,2}}\s?[/.-]\s?\d{{1,2}}\s?[/.-]\s?\d{{2,4}}\b|\b\d{{4}}-\d\d-\d\d\b"
    rf"|\b{_MONTH}\b\.?,?\s?\d{{0,2}}(?:st|nd|rd|th)?,?\s?(?:\d{{4}}|'\d\d)?"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?[\s.-]*{_MONTH}\b[\s.,-]*(?:\d{{2,4}})?"
    rf"|\b(?:19|20)\d\d\b|\bq[1-4]\b|\b{_WEEKDAY}\b"
    rf"|\b\d{{1,2}}(?:\.|er|\sde)?\s?{_OTHER_MONTH}\b(?:\s?(?:de\s)?\d{{4}})?|\b{_OTHER_MONTH}\b",
    "time": r"\b\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[ap]\.?m\b\.?)?|\b\d{1,2}\s?[ap]\.?m\b",
    "code": r"\b(?=[\w/-]*\d)(?=[\w/-]*[^\W\d_]|\w+[/-])[\w/-]{3,}|(?<![\d.,])\d{4,}(?![\d.,])"
    r"|#\s?\S+",
    "percent": r"[-+]?\d[\d.,]*\s?(?:%|percent\b)",
    "span": rf"\b{_COUNT}[\s-]?(?:(?:working|business|calendar)\s)?{_TIME_UNIT}\b",
    "measure": rf"(?<!\w)[\d.,]*\d\s?(?:{_UNIT}|/\s?[\d.]+)(?!\w)",
    "site": r"\S+@\S+|(?:https?://|www\.)\S+|\b[\w.-]+\.(?:com|org|net|de|fr|es|co\.uk|example)\b\S*",
    "phone": r"\+?\(?\d{2,4}\)?[\s/.~-]*\d{3,4}[\s.-]\d{3,4}\b|\b\d{3}-\d{4}\b",
}
MATCHED = (*KINDS, "span", "measure", "site")
"""What patterns find: the kinds that the word scout knows too; spans of time, numbers with a unit,
and addresses in a net."""
_COMPILED = tuple(re.compile(_PATTERNS[kind], re.IGNORECASE) for kind in MATCHED)
_ALONE = tuple(MATCHED.index(kind) for kind in ("word", "number", "site"))
"""Kinds whose patterns hold no space."""
_NAMED_DAY = rf"(?:{_MONTH}|{_WEEKDAY}|{_OTHER_MONTH})\b"
_TELLS = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in {
        "date": rf"\d\s?[/.-]|[/.-]\s?\d|^[/.-]|\d{{4}}|q\d|{_NAMED_DAY}",
        "span": rf"(?:^|\W|{_COUNT}){_TIME_UNIT}\b",
    }.items()
}
"""What some word of a line has that has such a kind; without it, patterns are tried in vain. Lines
of the other kinds have a digit."""
LOOKS = (*MATCHED, "capital", "upper", "person", "firm", "ends with a colon")
"""All of it, in order."""
NUMERIC = [KINDS.index(kind) for kind in ("number", "money", "percent")]

_FIRM = re.compile(
    r"(?:inc|ltd|llc|llp|plc|gmbh|ag|sa|co|corp|corporation|company|bhd|sdn|university|bank"
    r"|institute|foundation|association|hospital|department|dept|college|school|clinic|agency"
    r"|laborator(?:y|ies)|council|commission|society|center|centre|group|enterprises?|trading"
    r"|restaurant|mart|store|hotel|museum|ministry)\W*",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:mr|mrs|ms|dr|prof|sir|md|m\.d|phd|ph\.d|jr|esq)\W*", re.IGNORECASE)
_INITIAL = re.compile(r"[^\W\d_]\.")
_VALUE = re.compile(
    r"[^\d(+-]{0,4}\(?((?:(?<!\w)[-+])?"
    r"(?:[1-9]\d{0,2}(?: \d{3})+(?:,\d+)?|\d(?:[\d.,]*\d)?))\)?\s?[^\d]{0,9}"
)
_CLOCK = re.compile(r"([01]?\d|2[0-3])(?::|\s?h\s?)([0-5]\d)(?:\s?(?:uhr|h))?", re.IGNORECASE)
COVERED = 0.5
"""The share of a word that a pattern covers where the word is of its kind."""


LONGEST = 40
"""Characters of a word that patterns are tried on: they take long on very long ones."""


def kinds_of(
    words: Sequence[str], first: Int[np.ndarray, "lines"]
) -> Float[np.ndarray, "words looks"]:
    """What words look like, read line by line; ``first`` has the first word of each line."""
    looks = np.zeros((len(words), len(LOOKS)), np.float32)
    for start, end in zip(first.tolist(), [*first.tolist(), len(words)][1:], strict=True):
        some = words[start:end]
        for kind, word in _found([word[:LONGEST] for word in some]):
            looks[start + word, kind] = 1
        looks[start:end, len(MATCHED) :] = _extra(some)
    return looks


def _found(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The kinds of the words of a line: numbers of a kind and of a word."""
    for number, word in enumerate(words):
        for kind in _kinds_alone(word):
            yield kind, number
    told = set[int]().union(*map(_told, words))
    if not told:
        return
    text, ends = " ".join(words), list(accumulate(len(word) + 1 for word in words))
    for kind in sorted(told):
        for found in _COMPILED[kind].finditer(text):
            low, high = found.span()
            word = bisect_right(ends, low)
            while word < len(words) and (start := ends[word] - 1 - len(words[word])) < high:
                shared = min(ends[word] - 1, high) - max(start, low)
                if shared > COVERED * len(words[word]):
                    yield kind, word
                word += 1


@lru_cache(maxsize=2**15)
def _kinds_alone(word: str) -> tuple[int, ...]:
    """The kinds of a word that depend on no other."""
    enough = COVERED * len(word)
    return tuple(
        kind
        for kind in _ALONE
        if any(len(found.group()) > enough for found in _COMPILED[kind].finditer(word))
    )


@lru_cache(maxsize=2**15)
def _told(word: str) -> tuple[int, ...]:
    """The kinds for which it is worth to look in the line of a word."""
    digit = any(letter.isdigit() for letter in word)
    return tuple(
        kind
        for kind, name in enumerate(MATCHED)
        if kind not in _ALONE and (_TELLS[name].search(word) if name in _TELLS else digit)
    )


def _extra(words: Sequence[str]) -> list[list[bool]]:
    """What is told of the words of a line beside what patterns find."""
    looks = [_extra_alone(word) for word in words]
    titled, firm = any(look[2] for look in looks), any(look[3] for look in looks)
    return [
        [capital, upper, titled or initial, firm, colon]
        for capital, upper, _, _, initial, colon in looks
    ]


@lru_cache(maxsize=2**15)
def _extra_alone(word: str) -> tuple[bool, bool, bool, bool, bool, bool]:
    """Whether a word is a capital one, all capitals, a title, of a firm, an initial, and before a
    colon."""
    return (
        word[:1].isupper(),
        len(word) > 2 and word.isupper(),
        bool(_TITLE.fullmatch(word)),
        bool(_FIRM.fullmatch(word)),
        bool(_INITIAL.fullmatch(word)),
        word.endswith(":"),
    )


def value_of(text: str) -> float:
    """The number that a line is, or NaN; a time of day in minutes.

    >>> [value_of(text) for text in ("$ 1,204.50", "2.535,00 €", "2 535,00 €", "07:30", "12 of 30")]
    [1204.5, 2535.0, 2535.0, 450.0, nan]
    """
    if len(text) <= 12 and (clock := _CLOCK.fullmatch(text)):
        return 60.0 * int(clock.group(1)) + int(clock.group(2))
    found = _VALUE.fullmatch(text) if len(text) <= 24 else None
    return _number(found.group(1)) if found else float("nan")


def _number(text: str) -> float:
    """Digits with marks as a number: the last mark begins decimals, but for three after a comma."""
    text = text.replace(" ", "")  # as in 2 535,00
    mark = max(text.rfind("."), text.rfind(","))
    decimals = len(text) - mark - 1
    if mark < 0 or text.count(text[mark]) > 1 or (text[mark] == "," and decimals == 3):
        return float(re.sub("[.,]", "", text))
    return float(f"{re.sub('[.,]', '', text[:mark])}.{text[mark + 1 :]}")
