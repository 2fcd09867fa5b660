# pyright: basic
"""Accuracies of the official tasks, letter by letter as lmms-eval counts them.

VQA soft accuracy (VQAv2, TextVQA): an answer is right as far as three of the other people gave it.
Relaxed accuracy (ChartQA): a number may be off by a twentieth.
"""

import re
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

Way = Literal["vqav2", "textvqa"]

_SHORT = """
ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't
haven't he'd he'd've he's how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've
might've mustn't must've needn't not've o'clock oughtn't 'ow's'at shan't she'd've should've
shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd someone'd've someone'll
someone's something'd something'd've something'll that's there'd there'd've there're there's they'd
they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's what've
when's where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't
would've wouldn't wouldn't've y'all y'all'll y'all'd've you'd you'd've you'll you're you've
"""


def _misspelled() -> dict[str, str]:
    """Contractions by what they look like with one apostrophe lost; one came in backwards."""
    spellings = {"somebody'd": "somebodyd"}
    for word in _SHORT.split():
        apostrophes = [place for place, letter in enumerate(word) if letter == "'"]
        spellings |= {word[:place] + word[place + 1 :]: word for place in apostrophes}
    return spellings


CONTRACTIONS = _misspelled()
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
DIGITS = {"none": "0"} | {word: str(value) for value, word in enumerate(NUMBERS)}
MARKS = ';/[]"{}()=+\\_->' + "<@`,?!"
_LONE_PERIOD = re.compile(r"(?!<=\d)(\.)(?!\d)")  # with the slip of the original
_COMMA_IN_NUMBER = re.compile(r"(?<=\d)(\,)+(?=\d)")


def plain(text: str, way: Way = "vqav2") -> str:
    """An answer as the task compares it: no articles, no marks, numbers in digits.

    >>> plain("The two dogs, dont!"), plain("Joe's", "textvqa")
    ("2 dogs don't", "joe 's")
    """
    if way == "textvqa":
        text = text.lower().replace(",", "").replace("?", "").replace("'s", " 's").strip()
    text = text.replace("\n", " ").replace("\t", " ").strip()
    apart = text
    number = _COMMA_IN_NUMBER.search(text) is not None
    for mark in MARKS:
        glued = number or f"{mark} " in text or f" {mark}" in text
        apart = apart.replace(mark, "" if glued else " ")
    words = _LONE_PERIOD.sub("", apart, count=32).lower().split()  # the original counts to 32
    words = [DIGITS.get(word, word) for word in words]
    return " ".join(CONTRACTIONS.get(word, word) for word in words if word not in _ARTICLES)


_ARTICLES = ("a", "an", "the")


def soft(text: str, answers: Sequence[str], way: Way = "vqav2") -> float:
    """VQA accuracy of one answer against those of several people, each left out once.

    >>> soft("two", ["2"] * 3 + ["3"] * 7), soft("cat", ["dog"] * 10)
    (0.9, 0.0)
    """
    given, people = plain(text, way), [plain(answer, way) for answer in answers]
    if not people:
        return 0.0
    same = sum(person == given for person in people)
    return fmean(min(1.0, (same - (person == given)) / 3) for person in people)


def lone(text: str, answers: Sequence[str], way: Way = "textvqa") -> float:
    """VQA accuracy for suites with few answers: each counts as ten people who agree."""
    return max((soft(text, [answer] * 10, way) for answer in answers), default=0.0)


def relaxed(text: str, answers: Sequence[str], off: float = 0.05) -> float:
    """Relaxed accuracy: a number within a twentieth, or the same words; the best of the golds.

    >>> relaxed("10.4", ["10"]), relaxed("Peru", ["peru"]), relaxed("5%", ["0.05"])
    (1.0, 1.0, 1.0)
    """
    return max((float(_near(text, answer, off)) for answer in answers), default=0.0)


def _near(text: str, answer: str, off: float) -> bool:
    given, wanted = _number(text), _number(answer)
    if given is not None and wanted:
        return abs(given - wanted) / abs(wanted) <= off
    return text.lower() == answer.lower()


def _number(text: str) -> float | None:
    try:
        return float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None
