"""Views of one picture, and their planner.

Either the whole picture at one scale, or a small picture of the whole and up to four windows at
scales of their own, whichever makes the answer more likely to be read.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from PIL import Image

from homunculus.box import Box
from homunculus.checks import check_count, check_text
from homunculus.messages.pictures import Bundle, Part, encode, is_view, mark
from homunculus.pages import Picture, open_picture
from homunculus.pages.document import MAX_EDGE
from homunculus.pages.ocr import read_picture
from homunculus.planner.acuity import Acuity, get_acuity
from homunculus.planner.belief import ask_scout, believe, in_picture
from homunculus.planner.bill import Bill, Buyer, check_legible, least, raised, too_few
from homunculus.planner.counting import DEFAULT_TOKENS, CountingRule, LevelRule
from homunculus.planner.labels import (
    NO_LABEL,
    Label,
    numbered_line,
    page_line,
    passage_line,
    passage_tokens,
)
from homunculus.planner.models import token_rule
from homunculus.planner.options import ViewKeywords, ViewOptions
from homunculus.planner.outlook import Outlook, match_facts
from homunculus.planner.view import View, number_of_pictures, render
from homunculus.scouts.registry import get_scout
from homunculus.scouts.sight import Basis, Sight
from homunculus.views.passages import Told, tell
from homunculus.views.sendable import Sendable

__all__ = ["NeededTokens", "Planner", "View", "Views"]

DEFAULT_LEGIBLE = 0.8
"""The probability that an answer can be read which is enough."""
METHOD = "views"
"""Their name among the methods of engines."""


@dataclass(frozen=True, eq=False)
class Views(Sendable):
    """The pictures that are sent in place of one picture, for one question.

    >>> import numpy as np
    >>> from PIL import Image
    >>> from homunculus import views
    >>> corner = np.array([[0.0, -9.0], [-9.0, -9.0]])  # a map of logits
    >>> seen = views(Image.new("RGB", (2048, 2048)), "Where?", tokens=64, scout=corner)
    >>> [view.name for view in seen], seen.tokens <= 64
    (['whole', 'window'], True)
    >>> seen.images()[0].size == seen.views[0].size[::-1]
    True
    """

    planner: "Planner"
    """What they were planned by."""
    bill: Bill
    """The plan, and what its pictures cost."""
    limit: int
    """Tokens that they may cost."""
    wanted: float | None = None
    """The probability that was asked for with ``legible``."""
    original: bool = False
    """Whether it is the picture as it is, because no views reached that."""
    note: str = ""
    """A sentence where the budget was raised to the price of the model's smallest picture."""
    passages: tuple[str, ...] = ()
    """What is printed in each window, with ``text=True``; empty where it is not sent as text."""

    @property
    def picture(self) -> Picture:
        """The picture that they stand for, reduced where it is very large."""
        return self.planner.drawn

    @property
    def _page(self) -> Picture:
        """The picture, which need not be drawn: for its size."""
        return self.planner.picture

    @property
    def question(self) -> str:
        """What is asked of it."""
        return self.planner.question

    @property
    def rule(self) -> CountingRule:
        """How the model counts tokens."""
        return self.planner.rule

    @property
    def acuity(self) -> Acuity:
        """How small the reader is assumed to read."""
        return self.planner.acuity

    @property
    def sight(self) -> Sight:
        """What the scout made of the picture and the question."""
        return self.planner.sight

    @property
    def outlook(self) -> Outlook:
        """What `value` and `message` are made from."""
        return self.planner.outlook

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The whole picture first, then windows."""
        return tuple(self._views())

    def _views(self) -> Iterator[View]:
        (high, wide), (rows, cols) = self._page.original, self._page.size
        plan, prices = self.bill.plan, iter(self.bill.prices)
        if plan.whole is not None:
            whole = Box(0, 0, wide, high)
            yield View("whole", whole, plan.whole, next(prices), self._page.page)
        for number, window in enumerate(plan.windows, 1):
            name = "window" if len(plan.windows) == 1 else f"window {number}"
            box = window.box.scaled(wide / cols, high / rows)
            price, text = next(prices), self.passages[number - 1] if self.passages else ""
            size = window.size(self.rule.lattice.side) if price else (0, 0)
            yield View(name, box, size, price, self._page.page, text)

    @cached_property
    def planned(self) -> tuple[View, ...]:
        """The views with boxes in pixels of `picture`, which drawings are made on."""
        (high, wide), (rows, cols) = self._page.original, self._page.size
        return tuple(
            replace(view, box=view.box.scaled(cols / wide, rows / high)) for view in self.views
        )

    def __repr__(self) -> str:
        count = number_of_pictures(sum(not view.is_text for view in self))
        about = f"{count}, {self.tokens} of {self.limit} {self.rule.token}"
        guess = ", a guess" if self.basis == "guess" else ""
        value = "not known" if self.value is None else f"{self.value:.2f}"
        return f"<Views of {_short(self.question)!r}: {about}, legible {value}{guess}>"

    def __iter__(self) -> Iterator[View]:
        return iter(self.views)

    def __getitem__(self, index: int) -> View:
        return self.views[index]

    def __len__(self) -> int:
        return len(self.views)

    @property
    def tokens(self) -> int:
        """What the pictures cost together."""
        return sum(view.tokens for view in self.views)

    @property
    def untouched(self) -> int:
        """What the picture itself would cost, as it is."""
        return self.rule.count(self._page.original)

    @property
    def label_tokens(self) -> int:
        """What the lines before them cost at most, in tokens of text; with `tokens` within the
        limit. A single picture has no line, unless it is numbered."""
        return self.bill.label_tokens

    @property
    def text_tokens(self) -> int:
        """What the passages cost at most, in tokens of text; with `tokens` and `label_tokens`
        within the limit. 0 without ``text=True``."""
        return sum(passage_tokens(view.text) for view in self if view.text)

    def with_passages(self) -> "Views":
        """With what is printed in windows as text, where that is cheaper or there is room."""
        (shown,) = with_passages([self], self.limit)
        return shown

    @property
    def value(self) -> float | None:
        """The estimated probability that the answer can be read from them, or that the thing that
        is asked about is shown large enough; None where it is not known. Of a `guess` it is no more
        than that."""
        return self.bill.plan.value * in_picture(self.sight) if self.outlook.known else None

    @cached_property
    def resize_value(self) -> float | None:
        """`value` of the whole picture, resized to the same budget."""
        if not self.outlook.known:
            return None
        buyer = replace(self.planner.buyer, max_windows=0, settings=None, label=NO_LABEL)
        return buyer.buy(self.limit).plan.value * in_picture(self.sight)

    @property
    def basis(self) -> Basis:
        """What they rest on: `found`, something that the question names was found; `guess`, it was
        looked for and not surely found; `unknown`, there was nothing to look for, or the scout
        cannot tell where to look, so they are the whole picture."""
        return self.sight.basis

    @property
    def guess(self) -> bool:
        """Whether nothing that the question names was surely found: `basis` says why."""
        return self.basis != "found"

    @property
    def reached(self) -> bool | None:
        """Whether ``legible`` was reached, as far as known; None unless it was asked for."""
        if self.wanted is None:
            return None
        return self.value is not None and self.value >= self.wanted

    @property
    def message(self) -> str:
        """What to expect of them, and of the budget, in a sentence or two."""
        return f"{self._promise()} {self.note}".rstrip()

    def _promise(self) -> str:
        promise = self.outlook.promise(self.value)
        if self.original:
            goal = f"Views do not reach the {self.wanted:g} that was asked for"
            return f"{goal}, so the picture is left as it is. {promise}"
        if self.basis == "unknown":
            return f"{promise}{self._small_pictures()}"
        promise = f"{promise}{self._no_room()}{self._small_pictures()}"
        if self.reached is not False:
            return promise
        return f"{promise} The {self.wanted:g} that was asked for is not reached."

    def _no_room(self) -> str:
        """Why there is no window, where small pictures cost too much for one."""
        cheapest = least(self.rule)
        room = self.limit >= 4 * cheapest or self.rule.count(self._page.size) <= self.limit
        set_by_parameter = isinstance(self.rule, LevelRule)
        possible = set_by_parameter or self.planner.buyer.has_windows
        if len(self) > 1 or cheapest == 1 or room or not possible:
            return ""
        costs = f" Each picture costs {cheapest} tokens at least with {self.rule.name}"
        if set_by_parameter:
            return f"{costs}, whatever its size, so there are never windows."
        cheaper = self.rule.facts.cheaper
        return f"{costs}, so there is no window. Raise tokens{f', or {cheaper}' * bool(cheaper)}."

    @property
    def below_edge(self) -> int:
        """How many of them have a side with fewer pixels than the model's provider recommends.

        A picture that is left as it is does not count.
        """
        if len(self) == 1 and self.views[0].size == self._page.size:
            return 0
        least_edge = self.rule.facts.least_edge
        return sum(min(view.size) < least_edge for view in self.views if not view.is_text)

    def _small_pictures(self) -> str:
        if not self.below_edge:
            return ""
        share = f"{self.below_edge} of {len(self)} pictures" if len(self) > 1 else "The picture"
        verb = "have" if self.below_edge > 1 else "has"
        return (
            f" {share} {verb} a side below {self.rule.facts.least_edge} px, with which the model "
            "may answer worse, as its provider says. More tokens make them larger."
        )

    def images(self) -> list[Image.Image]:
        """The pictures, as Pillow images, in order; views that are text alone have none."""
        whole = Image.fromarray(np.moveaxis(self.picture.pixels, 0, 2))
        return [render(whole, view) for view in self.planned if not view.is_text]

    def show(self) -> Image.Image:
        """A drawing of them as a Pillow image: where they stand, what they show, and `resize`."""
        from homunculus.show.views import draw_views  # stands above this room, which draws nothing

        return draw_views(self)

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.show().save(file, "PNG")
        return file.getvalue()

    def labels(self, number: int | None = None) -> list[str]:
        """The line of each view, as it was planned (``views(..., label="short")``), or none if
        there is no room for lines. In messages it stands before the view's picture, and its passage
        (`View.text`) below it.

        Where a request has several pictures, ``number`` says which of them this is, if the views
        were planned with ``numbered=True``; then a single view has a line, too.
        """
        label = self.planner.buyer.label
        if number is not None:
            label.check_number(number)
        if label.page and self.label_tokens:
            return [page_line(self._line(view, label), label.page, number) for view in self]
        if not self.label_tokens or (len(self) == 1 and number is None):
            return []
        lines = [self._line(view, label) if len(self) > 1 else "" for view in self]
        return lines if number is None else [numbered_line(line, number) for line in lines]

    def _line(self, view: View, label: Label) -> str:
        high, wide = self._page.original
        x0, x1 = (round(100 * side / wide) for side in view.box[0::2])
        y0, y1 = (round(100 * side / high) for side in view.box[1::2])
        return label.line(view.name == "whole", f"{x0}-{x1}%", f"{y0}-{y1}%")

    def bundle(self, number: int | None = None) -> Bundle:
        """The pictures as files, each with its line (`labels`): what every API is given."""
        labels, files = self.labels(number) or [""] * len(self), map(encode, self.images())
        lines = [
            passage_line(label, view.text) if view.text else label
            for label, view in zip(labels, self, strict=True)
        ]
        parts = (
            Part(line, None if view.is_text else next(files))
            for line, view in zip(lines, self, strict=True)
        )
        name, value = self.bill.setting or ("", "")
        cheap = self.rule.unit.setting if self.rule.unit else None
        of_picture = isinstance(self.rule, LevelRule) and self.rule.each
        dear = "high" if cheap == ("detail", "low") else None  # the price of a whole picture
        return Bundle(
            tuple(parts), self.tokens,
            detail=value if name == "detail" else dear,
            level=value if name == "media_resolution" and of_picture else None,
            label_tokens=(self.label_tokens if any(labels) else 0) + self.text_tokens,
            value=self.value, basis=self.basis,
        )  # fmt: skip

    def save(self, folder: str | Path) -> list[Path]:
        """Write each picture as a PNG; returns their paths. Views of an earlier call are deleted.

        Pictures that are no views, and files of other names, stay.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("whole.png", "window.png", "window-[0-9].png"):
            for old in folder.glob(name):
                if is_view(old.read_bytes()):
                    old.unlink()
        pictures = [view for view in self.views if not view.is_text]
        paths = [folder / f"{view.name.replace(' ', '-')}.png" for view in pictures]
        for path, image in zip(paths, self.images(), strict=True):
            image.save(path, pnginfo=mark())
        return paths

    def to_json(self) -> dict[str, Any]:
        """Facts for machines; boxes are x0 y0 x1 y1 in pixels of the original picture."""
        return {
            "question": self.question,
            "model": self.rule.name,
            "token_px": self.rule.token_px,
            "setting": dict([self.bill.setting]) if self.bill.setting else {},
            "limit": self.limit,
            "tokens": self.tokens,
            "label_tokens": self.label_tokens,
            **({"text_tokens": self.text_tokens} if self.passages else {}),
            "untouched": self.untouched,
            "acuity": {"name": self.acuity.name, "middle": self.acuity.middle},
            "value": None if self.value is None else round(self.value, 4),
            "basis": self.basis,
            "guess": self.guess,
            "reached": self.reached,
            "original": self.original,
            "message": self.message,
            "least_edge": self.rule.facts.least_edge,
            "below_edge": self.below_edge,
            "relevance": self.sight.origin,
            "matches": [match_facts(match, self.picture) for match in self.sight.matches],
            "views": [
                {
                    "name": view.name,
                    "box": [float(side) for side in view.box],
                    "height": view.size[0],
                    "width": view.size[1],
                    "scale": round(view.scale, 4),
                    "tokens": view.tokens,
                    **({"text": view.text} if self.passages else {}),
                }
                for view in self.views
            ],
        }


def with_passages(several: Sequence[Views], tokens: int) -> list[Views]:
    """Views of one budget, the likeliest first, with what is printed in windows as text."""
    known = {
        number: Told(shown.bill, shown.rule, lines, partial(getattr, shown.planner, "drawn"))
        for number, shown in enumerate(several)
        if (lines := shown.planner.picture.lines) is not None and shown.bill.plan.windows
    }
    others = sum(shown.bill.total for n, shown in enumerate(several) if n not in known)
    told = dict(zip(known, tell(list(known.values()), tokens - others), strict=True))
    return [
        replace(shown, bill=told[n].bill, passages=told[n].passages) if n in told else shown
        for n, shown in enumerate(several)
    ]


@dataclass(frozen=True)
class NeededTokens:
    """How many tokens a picture and a question need, as `Planner.budget` says.

    >>> import numpy as np
    >>> from PIL import Image
    >>> planner = Planner(Image.new("RGB", (1024, 768)), "Where?", scout=np.eye(4))
    >>> needed = planner.budget(legible=0.5)
    >>> needed.reached, planner.views(needed.tokens).value >= 0.5
    (True, True)
    """

    tokens: int
    value: float | None
    """Estimated probability that the answer can be read with them; None where it is not known."""
    reached: bool
    """Whether that is as much as was asked for."""


class Planner:
    """One picture and one question, ready for any budget: the scout is asked once.

    >>> import numpy as np
    >>> from PIL import Image
    >>> planner = Planner(Image.new("RGB", (1024, 768)), "Where?", scout=np.eye(4))
    >>> planner.views(16).value <= planner.views(64).value
    True
    """

    picture: Picture
    """What is planned for; a page of a document need not be drawn yet (`drawn`)."""
    question: str
    options: ViewOptions
    sight: Sight
    """What the scout made of the picture and the question."""
    buyer: Buyer
    """Makes the plan of a budget."""
    draw: Callable[[], Picture] | None = None
    """Draws a page that was planned for undrawn."""

    def __init__(
        self,
        picture: Any,
        question: str = "",
        *,
        page: int = 1,
        words: Any = None,
        options: ViewOptions | None = None,
        **changes: Unpack[ViewKeywords],
    ) -> None:
        """Open the picture, unless it is a `Picture` already, and ask the scout.

        All other arguments are those of `views`: keywords, which change ``options``.
        """
        options = replace(options or ViewOptions(), **changes)
        check_text(question, "views: question", 'Leave it "" to ask nothing.')
        rule, acuity = token_rule(options.model), get_acuity(options.acuity)
        windows = rule.facts.windows if options.windows is None else options.windows
        settings = None if options.settings is None else frozenset(options.settings)
        if not isinstance(picture, Picture):
            picture = open_picture(picture, page, longest=MAX_EDGE, words=words)
        elif words is not None:
            picture = picture.with_words(words)
        if options.ocr is not None and question and picture.lines is None:
            picture = read_picture(picture, options.ocr)
        self.picture, self.question, self.options = picture, question, options
        self.sight = ask_scout(get_scout(options.scout), picture, question)
        self.buyer = Buyer(
            believe(self.sight, picture.size, acuity, picture.lines), picture.size, rule, acuity,
            options.context, windows, settings, Label.of(options.label, options.numbered),
        )  # fmt: skip

    @cached_property
    def drawn(self) -> Picture:
        """The picture with its pixels."""
        return self.picture if self.draw is None else self.draw()

    def __repr__(self) -> str:
        high, wide = self.picture.size
        about = f"{wide}x{high} pixels, {self.rule.token}, {self.sight.origin}"
        return f"<Planner of {_short(self.question)!r}: {about}>"

    @property
    def rule(self) -> CountingRule:
        """How the model counts tokens."""
        return self.buyer.rule

    @property
    def acuity(self) -> Acuity:
        """How small the reader still reads."""
        return self.buyer.acuity

    def views(self, tokens: int = DEFAULT_TOKENS) -> Views:
        """The views of a budget; one that buys no picture is raised, or refused if `strict`."""
        tokens = check_count(tokens, "views: tokens")
        limit, note = raised(self.rule, tokens, self.buyer.settings)
        if note and self.options.strict:
            raise too_few(self.rule, tokens, self.buyer.settings)
        shown = Views(self, self.buyer.buy(limit), limit, note=note)
        return shown.with_passages() if self.options.text else shown

    def views_or_original(self, tokens: int) -> Views:
        """The views of a budget if the estimate reaches the option ``legible`` or that is None,
        else those of the smallest budget up to ``cap`` that does, else the picture as it is."""
        legible, cap = self.options.legible, self.options.cap
        if legible is None:
            return self.views(tokens)
        shown, wanted = self.views(tokens), float(legible)
        if (shown.value or 0.0) < legible and shown.limit < cap:
            shown = self.views(self.budget(legible, cap).tokens)
        if (shown.value or 0.0) >= legible:
            return replace(shown, wanted=wanted)
        bill, limit = self.buyer.original(), max(tokens, self.rule.count(self.picture.size))
        return Views(self, bill, limit, wanted, original=True)

    @cached_property
    def outlook(self) -> Outlook:
        """What to expect of any plan."""
        return Outlook(self.question, self.sight, self.acuity)

    def budget(
        self, legible: float | int = DEFAULT_LEGIBLE, cap: int | None = None
    ) -> NeededTokens:
        """The smallest budget whose plan is worth ``legible``, or the largest there is.

        ``views(..., tokens="auto")`` takes this budget.
        """
        check_legible(legible)
        lowest = least(self.rule, self.buyer.settings)
        highest = max(lowest, self.rule.count(self.picture.size))
        if cap is not None and cap < lowest:
            raise too_few(self.rule, cap, self.buyer.settings)
        highest = highest if cap is None else min(highest, cap)
        if not self.outlook.known:
            return NeededTokens(highest, None, reached=False)
        low, high = lowest - 1, lowest
        while (value := self._value(high)) < legible and high < highest:
            low, high = high, min(2 * high, highest)
        while value >= legible and high - low > 1:
            # the value never falls by more than the search may miss
            middle = (low + high) // 2
            if (lower := self._value(middle)) >= legible:
                high, value = middle, lower
            else:
                low = middle
        return NeededTokens(high, value, reached=value >= legible)

    def _value(self, tokens: int) -> float:
        return self.views(tokens).value or 0.0


def _short(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
