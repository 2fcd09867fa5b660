"""What a question asks a page that was read: its words, and hints at the kind of answer."""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from homunculus.scouts.reading.kinds import MATCHED
from homunculus.scouts.reading.match import pieces
from homunculus.scouts.words.question import (
    LONGEST_QUESTION,
    MOST_WORDS,
    QUOTED,
    ParsedQuestion,
    parse,
)
from homunculus.scouts.words.stopwords import word_set
from homunculus.shapes import Float

SHORT_WEIGHT = 0.5
"""Weight of a lone digit or capital, as in "Table 2": a reader can tell it, a net cannot."""
OTHER_PRINTING = 0.85
"""What another printing of a word counts, as `tel` for telephone."""
_SHORT = re.compile(r"(?<![\w.])(?:\d|[A-Z])(?![\w.])|(?<=[\s,])\d{1,2}(?=[,?\s]|$)")

_ASKING_WORDS = tomllib.loads(Path(__file__).with_name("asking.toml").read_text("utf-8"))


def _pattern(words: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)


_HINTS = {hint: _pattern(words) for hint, words in _ASKING_WORDS["hints"].items()}
HINTS = tuple(_HINTS)
"""Ways of asking."""
_KINDS = tuple(_pattern(_ASKING_WORDS["kinds"][kind]) for kind in MATCHED)
"""Words that ask for each kind of answer."""
_ASKING = word_set("where what which does say text written point read see show the this")


@dataclass(frozen=True, eq=False)
class Query:
    """A question as it is put to words that were read."""

    parsed: ParsedQuestion
    words: tuple[str, ...]
    """What to look for; of a script without spaces, pairs of letters."""
    weights: Float[np.ndarray, "words"]
    """What finding each would say."""
    others: tuple[tuple[str, int], ...]
    """Other printings, each with the number of the word that it stands for."""
    hints: Float[np.ndarray, "hints"]
    """Which of `HINTS` there are."""
    kinds: Float[np.ndarray, "kinds"]
    """How far each kind of answer is asked for, aligned with `MATCHED`."""
    quoted: bool
    """Whether nothing is asked but where quoted words stand."""

    def __len__(self) -> int:
        """How many words are looked for."""
        return len(self.words)


@lru_cache(maxsize=1024)
def ask(question: str) -> Query:
    """Take a question apart.

    >>> query = ask("What is the total of table 2?")
    >>> query.words, query.weights.astype(float).round(2).tolist()
    (('total', 'table', '2'), [0.62, 0.09, 0.5])
    """
    parsed, question = parse(question), question[:LONGEST_QUESTION]
    weights = dict(zip(parsed.words[: parsed.own], parsed.weights, strict=False))
    for word in parsed.unsupported:
        for piece in pieces(word):
            if piece and len(weights) < MOST_WORDS:
                weights.setdefault(piece, 1.0)
    for short in _SHORT.finditer(question):
        if short.start() and short.group() != "I" and len(weights) < MOST_WORDS:
            weights.setdefault(short.group().lower(), SHORT_WEIGHT)
    words = tuple(weights)
    number = {word: place for place, word in enumerate(words)}
    pairs = zip(parsed.words[parsed.own :], parsed.stand_for, strict=False)
    hints = np.array([bool(hint.search(question)) for hint in _HINTS.values()], np.float32)
    plain = re.findall(r"[a-z]{3,}", QUOTED.sub(" ", question.lower()))
    return Query(
        parsed, words, np.array([*weights.values()], np.float32),
        tuple((other, number[word]) for other, word in pairs),
        hints, _kinds(parsed, question), parsed.quoted and not set(plain) - _ASKING,
    )  # fmt: skip


def _kinds(parsed: ParsedQuestion, question: str) -> Float[np.ndarray, "kinds"]:
    """How far each kind of answer is asked for."""
    asks = np.array([bool(pattern.search(question)) for pattern in _KINDS], np.float32)
    asks /= max(1.0, float(asks.sum()))
    asks[: len(parsed.kinds)] += np.array(parsed.kinds, np.float32)
    return asks / max(1.0, float(asks.sum()))
