"""Words that are near in meaning to a word of a question, from `related.txt` beside this file."""

from functools import cache
from pathlib import Path

FILE = Path(__file__).with_suffix(".txt")


@cache
def groups() -> dict[str, tuple[str, ...]]:
    """The words that each word leads to."""
    leads = dict[str, dict[str, None]]()
    for line in FILE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        asked, _, printed = line.partition(" > ")
        group = asked.split()
        for word in group:
            others = leads.setdefault(word, {})
            others.update(dict.fromkeys(other for other in group if other != word))
            others.update(dict.fromkeys(printed.split()))
    return {word: tuple(others) for word, others in leads.items()}


def related(word: str) -> tuple[str, ...]:
    """What pages print for a word of a question, spelled as words are compared.

    >>> related("loo")[:2], related("zebra")
    (('toilet', 'wc'), ())
    """
    return groups().get(word, ())
