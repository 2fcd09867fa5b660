"""Conversations that do not grow: older pictures cost less, in blocks of turns.

Pictures of the newest turns have their whole budget. When a block of turns is full and another
begins, those of older ones go a step down: to a quarter, to a small picture of the whole, to a line
of text that says what was seen. Until then a request begins with the same bytes as the one before
it, so that a provider's cache of prompts holds.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from homunculus.planner.labels import text_tokens, written_tokens
from homunculus.scouts.sight import Match, Sight

BLOCK = 8
"""Turns with pictures of a block."""
NEWEST = 80
"""Percent of all tokens that are for the newest block."""
QUARTER, SMALL = 4, 16
"""By what the budget of a picture is divided, one and two blocks later."""
LINE, SHORT = 80, 5
"""Tokens of text that a line may cost, and the shortest one."""
WORDS = 3
"""Words that a line quotes, at most."""
LONGEST = 24
"""Characters of a word that it quotes."""
QUOTED = re.compile(r'"([^"]*)"')
Form = Literal["full", "less", "small", "line", "short"]


class Step(NamedTuple):
    """What a picture is shown as, and what it may cost."""

    form: Form
    tokens: int

    @property
    def is_text(self) -> bool:
        """Whether a line stands in its place."""
        return self.form in ("line", "short")


@dataclass(frozen=True)
class History:
    """The bounds of a conversation; most of each is for its newest block."""

    tokens: int
    """For the pictures of all turns, and their lines."""
    images: int
    """That its requests may have, as far as the model says; half of them are for older blocks."""
    each: int
    """How many views a picture may have."""
    least: int
    """What the model's smallest picture costs, with its line."""

    @property
    def room(self) -> int:
        """The tokens of the newest block."""
        return NEWEST * self.tokens // 100

    def steps(self, turns: Sequence[Sequence[int]]) -> list[Step]:
        """A step for each picture of each turn, whose budgets are given, in order."""
        blocks = self._blocks([self._within(budgets) for budgets in turns if budgets])
        steps = list[list[Step]]()
        pictures = sum(len(block) for block in blocks[:-1])
        room, images = self.tokens - self.room - SHORT * pictures, self.images // 2
        if room < 0:
            raise ValueError(
                f"history: {self.tokens} tokens are too few for a conversation of {pictures} older "
                f"pictures, each of which takes a line of {SHORT}. Raise it."
            )
        for age, block in enumerate(reversed(blocks)):
            if age == 0:
                steps.append([Step("full", budget) for budget in block])
                continue
            shown = next(
                form for form in self._forms(age, block)
                if sum(step.tokens - SHORT for step in form) <= room
                and self._count(form) <= images
            )  # fmt: skip
            room -= sum(step.tokens - SHORT for step in shown)
            images -= self._count(shown)
            steps.append(shown)
        return [step for block in reversed(steps) for step in block]

    def _count(self, steps: Sequence[Step]) -> int:
        """The pictures that may be sent for them."""
        counts: dict[Form, int] = {"less": self.each, "small": 1}
        return sum(counts.get(step.form, 0) for step in steps)

    def _within(self, budgets: Sequence[int]) -> list[int]:
        """The budgets of a turn, less if it has more pictures than there is room for."""
        room, total = self.room, sum(budgets)
        if len(budgets) * self.least > room or len(budgets) * self.each > self.images // 2:
            raise ValueError(
                f"history: a turn has {len(budgets)} pictures, too many for {self.tokens} tokens "
                f"and {self.images} pictures of a conversation. Raise it, or send fewer at once."
            )
        if total <= room:
            return list(budgets)
        spare = room - len(budgets) * self.least
        return [self.least + max(0, budget - self.least) * spare // total for budget in budgets]

    def _blocks(self, turns: Sequence[Sequence[int]]) -> list[list[int]]:
        """The budgets of blocks of turns. Where one ends depends on what came before alone."""
        blocks, size = list[list[int]](), 0
        for budgets in turns:
            full = not blocks or size == BLOCK
            if full or not self._fits([*blocks[-1], *budgets]):
                blocks.append([])
                size = 0
            blocks[-1] += budgets
            size += 1
        return blocks

    def _fits(self, budgets: Sequence[int]) -> bool:
        return sum(budgets) <= self.room and len(budgets) * self.each <= self.images // 2

    def _forms(self, age: int, budgets: Sequence[int]) -> Iterator[list[Step]]:
        """What an older block may be shown as, the best form for its age first."""
        if age == 1:
            yield [self._reduced("less", budget, QUARTER) for budget in budgets]
        if age <= 2:
            yield [self._reduced("small", budget, SMALL) for budget in budgets]
        if age <= 3:
            yield [Step("line", LINE)] * len(budgets)
        yield [Step("short", SHORT)] * len(budgets)

    def _reduced(self, form: Form, budget: int, by: int) -> Step:
        return Step(form, max(self.least, budget // by))


def line(what: str, number: int | None, facts: str, places: Sequence[str]) -> str:
    """What stands in the place of a picture: that it was here, and what was found on it, where.

    >>> line("Picture", 3, "800 x 600", ['"total" at 62-70% across and 68-70% down'])
    '[Picture 3, 800 x 600: no longer shown. It had "total" at 62-70% across and 68-70% down.]'
    """
    name = what if number is None else f"{what} {number}"
    for count in range(min(WORDS, len(places)), -1, -1):
        found = "; ".join(places[:count])
        had = f" It had {found}." if found else ""
        text = f"[{name}, {facts}: no longer shown.{had}]"
        if line_tokens(text) <= LINE:
            return text
    return short_line(what)


def line_tokens(text: str) -> int:
    """An upper estimate of a line's tokens; the words that it quotes may be of any script.

    >>> line_tokens("[Old picture]")
    5
    """
    return text_tokens(text) + sum(map(written_tokens, QUOTED.findall(text)))


def short_line(what: str) -> str:
    """The shortest line.

    >>> short_line("Picture")
    '[Old picture]'
    """
    return f"[Old {what.lower()}]"


def places(sight: Sight) -> list[str]:
    """What was found on a picture, and where, the likeliest first."""
    found = [match for match in sight.matches if match.state == "found"]
    return [_place(match) for match in sorted(found, key=lambda match: -match.probability)]


def _place(match: Match) -> str:
    x0, y0, x1, y1 = (round(100 * side) for side in match.box)
    word = match.text[:LONGEST].replace('"', "'")
    return f'"{word}" at {x0}-{x1}% across and {y0}-{y1}% down'
