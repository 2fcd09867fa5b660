"""What to expect of a plan, in words: how likely it shows the answer, and whether it is a guess."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from homunculus.pages import Picture
from homunculus.planner.acuity import THING, Acuity
from homunculus.scouts.sight import Match, Sight, State, probabilities, resize_map
from homunculus.scouts.words.net import fold

MAX_NAMES = 6
"""Words of a question that are listed at most."""
_JOINED = re.compile(r"\w+(?:[^\w\s]\w+)+")
"""Words with marks in them, such as TL-OPI-516: a scout spells them without."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """What a scout found and what a plan is worth, in words."""

    question: str
    sight: Sight
    acuity: Acuity

    def __repr__(self) -> str:
        return f"<Outlook of {self.question!r}: {self.sight.origin}, {self.acuity.name}>"

    @property
    def absent(self) -> tuple[str, ...]:
        """The things that were looked for, where nothing that the question names was found."""
        if not self.sight.sure or self.sight.likely:
            return ()
        return tuple(match.text for match in self.sight.matches if match.kind == "thing")

    @property
    def known(self) -> bool:
        """Whether there is an estimate of how likely the answer is shown."""
        return bool(self.sight.sure) and not self.absent

    @property
    def of_thing(self) -> bool:
        """Whether the answer is more likely a thing than print."""
        if self.sight.thing is None:
            return False
        grid = (int(self.sight.logit.shape[0]), int(self.sight.logit.shape[1]))
        thing = resize_map(self.sight.thing.astype(np.float32, copy=False), grid)
        return float((probabilities(self.sight.logit) * thing).sum()) > 0.5

    def why_whole(self) -> str:
        """Why there are no windows, where the scout does not know where to look."""
        if not self.question.strip():
            return "There is no question, so the whole picture is resized."
        if self.sight.whole:
            return "The question is about the whole picture, so it is resized."
        reason = "The scout does not know where to look, so the whole picture is resized."
        return f"{reason} {self.sight.unsure}".rstrip()

    def promise(self, value: float | None) -> str:
        """How likely the answer is shown well enough; None where that is not `known`."""
        if not self.sight.sure:
            return self.why_whole()
        if value is None:  # how large it would be shown says nothing if it is not there
            return (
                f"Not seen: {', '.join(self.absent)}. So this is a guess, and how likely the "
                f"answer is in it cannot be told.{self._unread()}"
            )
        if self.of_thing:
            shown = f"what is asked about is shown large enough, {THING:g} px or more"
            promise = f"{shown}, with probability {value:.2f}."
        else:
            odds = f"with probability {value:.2f}, by {self.acuity.reader}"
            promise = f"the answer can be read {odds}."
        promise = f"{self._doubt()}{promise}"
        return f"{promise[0].upper()}{promise[1:]}{self._compares()}{self._unread()}"

    def _doubt(self) -> str:
        if self.sight.basis != "guess":
            return ""
        if perhaps := self._names("perhaps"):
            return f"Only perhaps found: {self._listed(perhaps)}. So this is a guess: "
        nothing = "Nothing that the question names" if self.of_thing else "No word of the question"
        return f"{nothing} was found, so this is a guess: "

    def matches(self) -> str:
        """What of the question was found in the picture, perhaps found, and not."""
        if not self.sight.matches:
            return f"Relevance: {self.sight.origin}."
        found = self._names("found")
        # found in another form, or as a part of another word; things may be in print about them
        perhaps = _not_in(self._names("perhaps"), found)
        if likely := found + perhaps:
            missing = _not_in(self._names("missing", "word"), likely)
        else:
            missing = self._names("missing")
        parts = [("Found", found), ("Perhaps", perhaps), ("Not found", missing)]
        return " ".join(f"{name}: {self._listed(words)}." for name, words in parts if words)

    def _compares(self) -> str:
        """A warning where its words hardly say where to look."""
        if not self.sight.compares:
            return ""
        return " The question compares or counts, so windows may miss what it is about."

    def _unread(self) -> str:
        words = ", ".join(self.sight.unsupported)
        return f" Not looked for, in a script that is not known: {words}." if words else ""

    def _names(self, state: State, *kinds: str) -> list[str]:
        matches = [match for match in self.sight.matches if match.state == state]
        names = [match.name for match in matches if not kinds or match.kind in kinds]
        return list(dict.fromkeys(names))

    def _listed(self, names: Sequence[str]) -> str:
        spelled = {fold(word): word for word in _JOINED.findall(self.question)}
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        return f"{', '.join(spelled.get(name, name) for name in names[:MAX_NAMES])}{more}"


def match_facts(match: Match, picture: Picture) -> dict[str, Any]:
    """A match for machines; its box is x0 y0 x1 y1 in pixels of the original, None if missing."""
    (high, wide), there = picture.original, match.state != "missing"
    sides = zip(match.box, (wide, high) * 2, strict=True)
    box = [round(share * pixels, 1) for share, pixels in sides]
    return {
        "text": match.name,
        "state": match.state,
        "probability": round(match.probability, 3),
        "box": box if there else None,
        "places": max(1, round(match.places)) if there else 0,
    }


def _not_in(words: Sequence[str], others: Sequence[str]) -> list[str]:
    return [word for word in words if not any(word in other for other in others)]
