# pyright: basic
"""Wordings of questions: by a printed label, by another word for it, by row and column."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from homunculus_lab.train import language, people, wordings
from homunculus_lab.train.language import Phrase
from homunculus_lab.train.people import phrase_of

TEXTS = wordings.read()["questions"]


def label_text(phrase: Phrase, rng: Random) -> str:
    """A label as a question says it: mostly in lower case, at times without one of its words."""
    words = [text.strip(" :,.()\"'") for text, _ in phrase]
    if len(words) > 1 and rng.random() < 0.15:
        words.pop(rng.randrange(len(words)))
    text = " ".join(words)
    return text if rng.random() < 0.35 else text.lower()


def label_question(phrase: Phrase, kind: int, rng: Random) -> str:
    """A question for the value beside a label, worded for the kind of value."""
    forms = TEXTS["by_kind"][language.KINDS[kind]] if rng.random() < 0.45 else TEXTS["plain"]
    question = rng.choice(forms).format(label_text(phrase, rng))
    return question if rng.random() < 0.65 else question.rstrip("?.") + rng.choice(TEXTS["tails"])


def page_name(rng: Random) -> str:
    """What a question calls the page."""
    return rng.choice(("letter", "document", "memo", "page", "form", "report", "given document"))


class FormField(NamedTuple):
    """Ways to print a label, ways to ask for its value, and a generator of values."""

    labels: list[str]
    wordings: list[str]
    make: Callable[[Random], Phrase]


def value_maker(name: str) -> Callable[[Random], Phrase]:
    """A function of `language` or `people`, by its name in `wordings.toml`."""
    module, _, function = name.partition(".")
    return getattr({"language": language, "people": people}[module], function)


FIELDS = tuple(
    FormField(field["labels"], field["wordings"], value_maker(field["make"]))
    for field in wordings.read()["fields"]
)


def form_field(rng: Random) -> tuple[Phrase, Phrase, str]:
    """A label, its value, and a question that may use other words than the label."""
    field = rng.choice(FIELDS)
    question = rng.choice(field.wordings)
    if question[-1] != "?":
        question = rng.choice(TEXTS["field"]).format(question, page_name(rng))
    return phrase_of(rng.choice(field.labels)), field.make(rng), question


def phrase_text(words: Phrase) -> str:
    """A phrase as a question quotes it."""
    return " ".join(part for part, _ in words).strip(" :,.()\"'")
