"""Sights: what a scout makes of a page and a question, and why."""

from dataclasses import dataclass

from homunculus.core.pipeline import FOUND, Box, Map, Match, Sight
from homunculus.relevance.words.evidence import PLACE, Found
from homunculus.relevance.words.question import Asked

BLANK = 0.002
"""A page with a smaller share of text has none to speak of."""


@dataclass(frozen=True, eq=False)
class WordSight(Sight):
    """Where one question looks on one page, and which of its words were found there."""

    unsupported: tuple[str, ...] = ()
    """Words in scripts the scout cannot read."""
    matched: bool = False
    """Whether any word was found; if not, the kind of answer asked for guides alone."""
    text: float = 0.0
    """Share of the page that holds text."""

    @property
    def blank(self) -> bool:
        """Whether the page has hardly any text: no word on it can point anywhere."""
        return self.text < BLANK

    @staticmethod
    def of(
        logit: Map,
        matches: tuple[Match, ...],
        unsupported: tuple[str, ...],
        matched: bool,
        text: float,
    ) -> "WordSight":
        """With words for people."""
        short, sentence = _outcome(matches, unsupported, matched)
        best = max((match.probability for match in matches), default=0.0)
        return WordSight(
            logit,
            sure=best if matched and text >= BLANK else 0.0,
            origin=f"words: {short}",
            explanation=sentence,
            question_used=matched or bool(matches),
            matches=matches,
            facts={"unsupported": list(unsupported), "matched": matched, "text": round(text, 4)},
            unsupported=unsupported,
            matched=matched,
            text=text,
        )


def _outcome(
    matches: tuple[Match, ...], unsupported: tuple[str, ...], matched: bool
) -> tuple[str, str]:
    """What became of the question's words: in a few words, and in a sentence."""
    many, found = len(matches), sum(match.probability >= FOUND for match in matches)
    if matched:
        short, words = f"{found} of {many} found", "word" if many == 1 else "words"
        was, them = ("was", "it") if found == 1 else ("were", "them")
        sentence = (
            f"{found} of {many} {words} of the question {was} found; the choice follows {them}."
        )
    elif matches:
        short = "none found; follows text and the kind of answer"
        sentence = (
            "No word of the question was found in the picture; the choice follows what looks like "
            "text and the kind of answer asked for, so it may miss the answer."
        )
    else:
        short = "none to look for; follows text, not the question"
        sentence = (
            "The question has no word that the scout can look for; the choice follows what looks "
            "like text, not the question."
        )
    if unsupported:
        short = f"{short} ({len(unsupported)} in a script it cannot read)"
        sentence += f" Not looked for, in a script that it cannot read: {', '.join(unsupported)}."
    return short, sentence


def matches(found: Found, row: int, asked: Asked) -> tuple[Match, ...]:
    """What was found of a question's words, for people."""
    rows, cols = found.text.shape
    words: list[Match] = []
    for place, word in enumerate(asked.words):
        match = found.match[row, place]
        peak = float(match.max())
        y, x = divmod(int(match.argmax()), cols)
        y0, x0 = max(0, y - PLACE[0]), max(0, x - PLACE[1])
        near = match[y0 : y + PLACE[0] + 1, x0 : x + PLACE[1] + 1] >= peak / 2
        ys, xs = near.any(1).nonzero()[:, 0], near.any(0).nonzero()[:, 0]
        box = (
            (x0 + int(xs[0])) / cols, (y0 + int(ys[0])) / rows,
            (x0 + int(xs[-1]) + 1) / cols, (y0 + int(ys[-1]) + 1) / rows,
        )  # fmt: skip
        there = [one.box for one in words if one.probability >= FOUND]
        if place >= asked.own and (peak < FOUND or any(_meet(box, one) for one in there)):
            continue  # how else it might have been printed, and was not, or what was found already
        count = float((match >= FOUND).sum()) / max(1, int(near.sum()))
        words.append(Match(word, peak, box, count))
    return tuple(words)


def _meet(one: Box, other: Box) -> bool:
    """Whether two boxes share more than a border."""
    across = max(one[0], other[0]) < min(one[2], other[2])
    return across and max(one[1], other[1]) < min(one[3], other[3])
