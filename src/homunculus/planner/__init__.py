"""Views: a picture as a few ordinary pictures that cost at most K tokens and show the answer.

Either the whole picture at one scale, or a small picture of the whole and up to four windows at
scales of their own, whichever makes the answer more likely to be read. Any model can look at them.
"""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from io import BytesIO
from math import hypot, log2
from pathlib import Path
from typing import Any, Literal

import torch
import torch.nn.functional as F
from einops import rearrange

from homunculus.checks import Grid, check_count, check_kind, check_number, check_text, is_whole
from homunculus.messages import ANTHROPIC, CHAT, GEMINI, RESPONSES, lines, ollama, pictures
from homunculus.pages import Picture, open_picture
from homunculus.planner.acuity import ACUITIES, THING, Acuity, get_acuity
from homunculus.planner.bill import Bill, Need, least, too_few
from homunculus.planner.counting import Size, TokenRule
from homunculus.planner.labels import UNLABELLED, Label, LabelLike
from homunculus.planner.models import token_rule
from homunculus.planner.outlook import Outlook, match_facts
from homunculus.planner.search import FINE, Belief
from homunculus.scouts.registry import ScoutLike, get_scout
from homunculus.scouts.sight import (
    OF_THING,
    Basis,
    Scout,
    Sight,
    check_sight,
    probabilities,
    resize_map,
)

__all__ = ["Planner", "View", "Views", "views"]

LINE = 1 / 64
"""Height of a line of text where nobody knows it, in the longer side of the picture."""
PRINT = 0.45
"""Octaves by which real print is easier or harder to read than the eye test's; set by hand on
questions of pilot parts."""
PRINTED = 0.5
"""A cell holds print from this share of the largest weight on."""
PAGE = 0.05
"""A page has at least this share of cells with print."""
BETWEEN = 2
"""Rows of cells between two lines that belong to both."""
ABSENT = 0.1
"""Share of questions whose answer is not in the picture; assumed, since suites have none."""
UNFOUND = (0.1, 0.5)
"""How often nothing that a question names is found: in its own picture, and in another. Rounded
from 2 and 10 of 19 questions about pages; `homunculus measure --task place` counts them."""
LEGIBLE = 0.8
"""The probability that an answer can be read which is enough, if nobody says another."""
LONGEST = 8192
"""Pixels along the longer side that a picture is reduced to at most."""


Box = tuple[int, int, int, int]
"""x0 y0 x1 y1 in pixels."""


@dataclass(frozen=True)
class View:
    """One of the pictures that stand for a picture.

    >>> View("window", box=(100, 200, 228, 264), size=(32, 64), tokens=2).scale
    0.5
    """

    name: str
    """`whole` or `window`, with a number where there are several."""
    box: Box
    """What it shows: x0 y0 x1 y1 in pixels of the picture."""
    size: Size
    """Height and width in pixels, as it is sent."""
    tokens: int
    """What it costs."""

    @property
    def scale(self) -> float:
        """Pixels sent to a pixel of the picture, along its height."""
        return self.size[0] / (self.box[3] - self.box[1])


@dataclass(frozen=True, eq=False)
class Views:
    """The pictures that stand for one picture and one question.

    >>> from PIL import Image
    >>> corner = torch.tensor([[0.0, -9.0], [-9.0, -9.0]])  # a map of logits
    >>> seen = views(Image.new("RGB", (2048, 2048)), "Where?", tokens=64, scout=corner)
    >>> [view.name for view in seen], seen.tokens <= 64
    (['whole', 'window'], True)
    >>> seen.images()[0].size == seen.views[0].size[::-1]
    True
    """

    picture: Picture
    question: str
    rule: TokenRule
    """Whose tokens are counted."""
    acuity: Acuity
    """Whose eyes are assumed."""
    limit: int
    """Tokens that they may cost."""
    sight: Sight
    """What the scout made of the picture and the question."""
    bill: Bill
    """The plan, and what its pictures cost."""
    wanted: float | None = None
    """The probability that was asked for with ``legible``."""
    original: bool = False
    """Whether it is the picture as it is, because no views reached that."""
    label: Label = UNLABELLED
    """Which lines stand before the pictures."""

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The whole picture first, then windows."""
        price = iter(self.bill.prices)
        return tuple(View(*one, next(price)) for one in self._views())

    def _views(self) -> Iterator[tuple[str, Box, Size]]:
        (high, wide), plan = self.picture.size, self.bill.plan
        if plan.whole is not None:
            yield "whole", (0, 0, wide, high), plan.whole
        for number, window in enumerate(plan.windows, 1):
            name = "window" if len(plan.windows) == 1 else f"window {number}"
            yield name, window.box, window.size(self.rule.lattice.side)

    def __repr__(self) -> str:
        pictures = "1 picture" if len(self) == 1 else f"{len(self)} pictures"
        about = f"{pictures}, {self.tokens} of {self.limit} {self.rule.token}"
        guess = ", a guess" if self.basis == "guess" else ""
        value = "not known" if self.value is None else f"{self.value:.2f}"
        return f"<Views of {_short(self.question)!r}: {about}, legible {value}{guess}>"

    def __iter__(self) -> Iterator[View]:
        return iter(self.views)

    def __getitem__(self, at: int) -> View:
        return self.views[at]

    def __len__(self) -> int:
        return len(self.views)

    @property
    def tokens(self) -> int:
        """What the pictures cost together."""
        return sum(view.tokens for view in self.views)

    @property
    def untouched(self) -> int:
        """What the picture itself would cost, as it is."""
        return self.rule.count(self.picture.original)

    @property
    def label_tokens(self) -> int:
        """What the lines before them cost at most, in tokens of text; with `tokens` within the
        limit. A single picture has no line, unless it is numbered."""
        return self.bill.label_tokens

    @property
    def value(self) -> float | None:
        """The estimated probability that the answer can be read from them, or that the thing that
        is asked about is shown large enough; None where it is not known. Of a `guess` it is no more
        than that."""
        return self.bill.plan.value * in_picture(self.sight) if self.outlook.known else None

    @cached_property
    def resize_value(self) -> float | None:
        """The same estimate for the whole picture resized to the same budget."""
        if not self.outlook.known:
            return None
        size = self.picture.size
        need = Need(believe(self.sight, size, self.acuity), size, self.rule, self.acuity, windows=0)
        return need.buy(self.limit).plan.value * in_picture(self.sight)

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
        """What to expect of them, in a sentence or two."""
        told = self.outlook.promise(self.value)
        if self.original:
            wanted = f"Views do not reach the {self.wanted:g} that was asked for"
            return f"{wanted}, so the picture is left as it is. {told}"
        if self.basis == "unknown":
            return f"{told}{self._small_pictures()}"
        told = f"{told}{self._no_room()}{self._small_pictures()}"
        if self.reached is not False:
            return told
        return f"{told} The {self.wanted:g} that was asked for is not reached."

    def _no_room(self) -> str:
        """Why there is no window, where small pictures cost too much for one."""
        cheapest = least(self.rule)
        dear = self.limit < 4 * cheapest and self.rule.count(self.picture.size) > self.limit
        if len(self) > 1 or cheapest == 1 or not dear:
            return ""
        cure = f"Raise tokens, or {self.rule.facts.cheaper}." if self.rule.facts.cheaper else (
            "Raise tokens."
        )  # fmt: skip
        costs = f"Each picture costs {cheapest} tokens at least with {self.rule.name}"
        return f" {costs}, so there is no window. {cure}"

    @property
    def below_edge(self) -> int:
        """How many of them have a side with fewer pixels than the model's provider recommends.

        A picture that is left as it is does not count.
        """
        if len(self) == 1 and self.views[0].size == self.picture.size:
            return 0
        return sum(min(view.size) < self.rule.facts.least_edge for view in self.views)

    def _small_pictures(self) -> str:
        """A warning where the provider has one."""
        if not self.below_edge:
            return ""
        share = f"{self.below_edge} of {len(self)} pictures" if len(self) > 1 else "The picture"
        verb = "have" if self.below_edge > 1 else "has"
        return (
            f" {share} {verb} a side below {self.rule.facts.least_edge} px, with which the model "
            "may answer worse, as its provider says. More tokens make them larger."
        )

    @cached_property
    def outlook(self) -> Outlook:
        """What `value` and `message` are made from."""
        return Outlook(self.question, self.sight, self.acuity)

    def images(self) -> list[Any]:
        """The pictures, as Pillow images, in order."""
        pillow: Any = import_module("PIL.Image")
        pixels = rearrange(self.picture.pixels, "c h w -> h w c").contiguous().numpy()
        whole = pillow.fromarray(pixels)
        return [render(whole, view) for view in self.views]

    def show(self) -> Any:
        """A drawing of them as a Pillow image: where they stand, what they show, and `resize`."""
        return import_module("homunculus.show.views").draw_views(self)

    def _repr_png_(self) -> bytes:
        """The drawing, for a notebook."""
        file = BytesIO()
        self.show().save(file, "PNG")
        return file.getvalue()

    def openai(self, label: bool = True) -> list[dict[str, Any]]:
        """As parts of a message for OpenAI's chat completions, and for all who speak alike.

        The line before each picture is the one that was planned (``views(..., label="short")``);
        ``label=False`` leaves it out.
        """
        return CHAT.parts(lines.bundle(self, label))

    def responses(self, label: bool = True) -> list[dict[str, Any]]:
        """As parts of a message for OpenAI's responses."""
        return RESPONSES.parts(lines.bundle(self, label))

    def anthropic(self, label: bool = True) -> list[dict[str, Any]]:
        """As parts of a message for Anthropic's messages."""
        return ANTHROPIC.parts(lines.bundle(self, label))

    def gemini(self, label: bool = True) -> list[dict[str, Any]]:
        """As parts of a content for Gemini."""
        return GEMINI.parts(lines.bundle(self, label))

    def ollama(self, label: bool = True) -> dict[str, Any]:
        """As `content` and `images` of a message for Ollama; your question goes behind them."""
        return ollama.message(lines.bundle(self, label))

    def save(self, folder: str | Path) -> list[Path]:
        """Write each picture as a PNG; returns their paths. Views of an earlier call are deleted.

        Pictures that are no views, and files of other names, stay.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("whole.png", "window.png", "window-[0-9].png"):
            for old in folder.glob(name):
                if pictures.is_view(old.read_bytes()):
                    old.unlink()
        paths = [folder / f"{view.name.replace(' ', '-')}.png" for view in self.views]
        for path, image in zip(paths, self.images(), strict=True):
            image.save(path, pnginfo=pictures.mark())
        return paths

    def to_json(self) -> dict[str, Any]:
        """Facts for machines; boxes are x0 y0 x1 y1 in pixels of the original picture."""
        high, wide = self.picture.original
        across, down = wide / self.picture.size[1], high / self.picture.size[0]
        return {
            "question": self.question,
            "model": self.rule.name,
            "token_px": self.rule.token_px,
            "setting": dict([self.bill.setting]) if self.bill.setting else {},
            "limit": self.limit,
            "tokens": self.tokens,
            "label_tokens": self.label_tokens,
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
                    "box": [
                        round(side * scale, 1)
                        for side, scale in zip(view.box, (across, down) * 2, strict=True)
                    ],
                    "height": view.size[0],
                    "width": view.size[1],
                    "scale": round(view.scale / down, 4),
                    "tokens": view.tokens,
                }
                for view in self.views
            ],
        }


def render(whole: Any, view: View) -> Any:
    """A view of a Pillow image: cut out and reduced."""
    pillow: Any = import_module("PIL.Image")
    part = whole.crop(view.box)
    size = view.size[::-1]
    return part if part.size == size else part.resize(size, pillow.Resampling.LANCZOS)


def views(
    source: Any,
    question: str = "",
    *,
    tokens: int | Literal["auto"],
    model: str | int | TokenRule = "qwen3-vl",
    acuity: str | Path | Acuity = "vlm",
    scout: ScoutLike = "auto",
    context: float | int = 1 / 8,
    windows: int | None = None,
    legible: float | int | None = None,
    cap: int = 1024,
    page: int = 1,
    settings: Iterable[str] | None = None,
    label: LabelLike = "short",
    numbered: bool = False,
) -> Views:
    """A picture as ordinary pictures within a budget, spent where the question looks.

    ``model`` says whose tokens are counted: a name, the side of a token in pixels, or a rule.
    ``acuity`` is how small its reader still reads: a name, a result of `homunculus eyetest`, or a
    curve.
    ``context`` is about the share of the tokens that is kept for a small picture of the whole; 0
    lets it be left out. ``windows`` is the most windows beside it: three for hosted models, which
    take few pictures, else four. With ``tokens="auto"`` the budget is the smallest one that makes
    the answer readable with probability ``legible`` (0.8), up to ``cap``; where that is too little,
    a warning and `Views.reached` say so. With a number of ``tokens``, ``legible`` is a fallback:
    where the estimate is below it, the budget is raised up to ``cap``, and where that is too little
    the picture stays as it is (`Views.original`). ``settings`` names the parameters that your
    request can have, such as `detail`, where not all: some prices go by one. ``page`` is a page of
    a PDF or a TIFF, or a frame of an animation, counted from 1.
    ``label`` says which line stands before each of several pictures: "short" ("Whole:", "Detail:"),
    "long" ("Detail, 10-30% across and 5-9% down:"), or False for none. Lines are paid from
    ``tokens``. ``numbered`` leaves room for "Picture 2, detail:" where a request has several.

    >>> from PIL import Image
    >>> page, diagonal = Image.new("RGB", (1024, 1024), "white"), torch.eye(8) * 9
    >>> seen = views(page, "What is it?", tokens=32, model="qwen3-vl", scout=diagonal)
    >>> seen.tokens <= 32 < seen.to_json()["untouched"]
    True
    >>> [part["type"] for part in seen.openai()][:2]
    ['text', 'image_url']
    """
    rule = token_rule(model)  # mistakes are told before anybody looks at the picture
    if legible is not None:
        check_legible(legible)
    if tokens != "auto" and check_count(tokens, "views: tokens", "Give an int, or 'auto'.") < least(
        rule
    ):
        raise too_few(rule, tokens)
    planner = Planner.of(
        source, question, model, acuity, scout, context, windows, page, settings, label, numbered
    )
    check_count(cap, "views: cap")
    if tokens == "auto":
        return _enough(planner, LEGIBLE if legible is None else legible, cap)
    return planner.views_or_original(tokens, legible, cap)


def _enough(planner: "Planner", legible: float | int, cap: int) -> Views:
    """The views of the smallest budget that is enough; a warning where none is."""
    seen = replace(planner.views(planner.budget(legible, cap).tokens), wanted=float(legible))
    if not seen.reached:
        warnings.warn(
            f"views: {seen.limit} {seen.rule.token} do not reach legible={legible:g} (cap={cap}). "
            f"{seen.message} Raise cap, or lower legible.",
            stacklevel=3,
        )
    return seen


@dataclass(frozen=True)
class Needed:
    """How many tokens a picture and a question need."""

    tokens: int
    value: float | None
    """Estimated probability that the answer can be read with them; None where it is not known."""
    reached: bool
    """Whether that is as much as was asked for."""


_OPENED: Any = None
"""`Planner.of` fills these in; who calls `Planner` is told so."""


@dataclass(frozen=True, eq=False)
class Planner:
    """One picture and one question, ready for any budget: the scout is asked once.

    >>> from PIL import Image
    >>> planner = Planner.of(Image.new("RGB", (1024, 768)), "Where?", scout=torch.eye(4))
    >>> planner.views(16).value <= planner.views(64).value
    True
    """

    picture: Picture = _OPENED
    question: str = _OPENED
    sight: Sight = _OPENED
    need: Need = _OPENED

    def __post_init__(self) -> None:
        cure = 'Write Planner.of("page.png", "What is the total?", "claude").'
        check_kind(self.picture, Picture, "Planner: picture", cure)
        check_kind(self.need, Need, "Planner: need", cure)

    def __repr__(self) -> str:
        high, wide = self.picture.size
        about = f"{wide}x{high} pixels, {self.need.rule.token}, {self.sight.origin}"
        return f"<Planner of {_short(self.question)!r}: {about}>"

    @staticmethod
    def of(
        source: Any,
        question: str,
        model: str | int | TokenRule = "qwen3-vl",
        acuity: str | Path | Acuity = "vlm",
        scout: ScoutLike = "auto",
        context: float | int = 1 / 8,
        windows: int | None = None,
        page: int = 1,
        settings: Iterable[str] | None = None,
        label: LabelLike = "short",
        numbered: bool = False,
    ) -> "Planner":
        """Open the picture, unless it is a `Picture` already, and ask the scout."""
        lines = Label.of(label, numbered)
        check_text(question, "views: question", 'Leave it "" to ask nothing.')
        check_number(context, "views: context", 0, 1)
        rule, eyes = token_rule(model), get_acuity(acuity)
        windows = rule.facts.windows if windows is None else windows
        if not (is_whole(windows) and 0 <= windows <= 4):
            raise ValueError(f"views: windows must be a whole number from 0 to 4, got {windows!r}.")
        if isinstance(settings, str):
            raise TypeError(f"views: settings must be names, got one str. Write [{settings!r}].")
        opened = isinstance(source, Picture)
        picture = source if opened else open_picture(source, page, longest=LONGEST)
        sight = ask_scout(get_scout(scout), picture, question)
        need = Need(
            believe(sight, picture.size, eyes), picture.size, rule, eyes, context, windows,
            None if settings is None else frozenset(settings), lines,
        )  # fmt: skip
        return Planner(picture, question, sight, need)

    def views(self, tokens: int) -> Views:
        """The views of a budget."""
        need, tokens = self.need, check_count(tokens, "views: tokens")
        return Views(
            self.picture, self.question, need.rule, need.acuity, tokens, self.sight,
            need.buy(tokens), label=need.label,
        )  # fmt: skip

    def views_or_original(self, tokens: int, legible: float | int | None, cap: int) -> Views:
        """The views of a budget if the estimate reaches ``legible`` or nobody asks for it, else
        those of the smallest budget up to ``cap`` that does, else the picture as it is."""
        if legible is None:
            return self.views(tokens)
        check_legible(legible)
        seen, wanted = self.views(tokens), float(legible)
        if (seen.value or 0.0) < legible and tokens < cap:
            seen = self.views(self.budget(legible, cap).tokens)
        if (seen.value or 0.0) >= legible:
            return replace(seen, wanted=wanted)
        bill, limit = self.need.original(), max(tokens, self.need.rule.count(self.picture.size))
        return replace(seen, bill=bill, limit=limit, wanted=wanted, original=True, label=UNLABELLED)

    @cached_property
    def outlook(self) -> Outlook:
        """What to tell of any plan."""
        return Outlook(self.question, self.sight, self.need.acuity)

    def budget(self, legible: float | int = LEGIBLE, cap: int | None = None) -> Needed:
        """The smallest budget whose plan is worth ``legible``, or the largest there is.

        ``views(..., tokens="auto")`` takes this budget.
        """
        check_legible(legible)
        first = least(self.need.rule, self.need.settings)
        most = max(first, self.need.rule.count(self.picture.size))
        most = most if cap is None else min(most, cap)
        low, high = min(first, most) - 1, min(first, most)
        if not self.outlook.known:
            return Needed(most, None, reached=False)
        while (value := self._worth(high)) < legible and high < most:
            low, high = high, min(2 * high, most)
        while value >= legible and high - low > 1:
            # the value never falls by more than the search may miss
            middle = (low + high) // 2
            if (found := self._worth(middle)) >= legible:
                high, value = middle, found
            else:
                low = middle
        return Needed(high, value, reached=value >= legible)

    def _worth(self, tokens: int) -> float:
        return self.views(tokens).value or 0.0


def _short(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def check_legible(legible: float | int) -> None:
    if not check_number(legible, "legible", 0, 1):
        raise ValueError("legible must be above 0, got 0. Every picture reaches that.")


VLM = ACUITIES["vlm"]
"""A vision-language model that nobody has measured."""


def ask_scout(scout: Scout, picture: Picture, question: str) -> Sight:
    """Where the question looks, on a lattice fine enough to plan by."""
    return check_sight(scout(picture.pixels, question, scout_cells(picture.size)[0]), scout)


def in_picture(sight: Sight) -> float:
    """How far to trust an estimate: 1, but less where nothing was found that the question names,
    not even perhaps.

    Then the question may be about something else, and no pixel can show its answer. By Bayes' rule
    from how often that happens with a picture's own questions and with another's.

    >>> in_picture(Sight(torch.zeros(2, 2), sure=0.9))
    1.0
    """
    if not sight.sure or not sight.matches or sight.likely:
        return 1.0
    here, elsewhere = (1 - ABSENT) * UNFOUND[0], ABSENT * UNFOUND[1]
    return here / (here + elsewhere)


def scout_cells(size: Size) -> tuple[Grid, int]:
    """The cells that a scout is asked about, and their side: whole pixels, as scouts expect."""
    side = max(1, round(max(size) / FINE))
    return (-(-size[0] // side), -(-size[1] // side)), side


def believe(sight: Sight, size: Size, acuity: Acuity) -> Belief:
    """What a scout says, as probabilities of places and heights of print.

    As far as the scout is not sure, the answer may stand wherever it says else, or anywhere; if it
    is not sure at all, nobody knows, and nothing is better than the whole picture. Heights are
    those of print that the reader finds as hard as what is there: things have to be larger.
    """
    logit = sight.logit
    if sight.sure <= 0:
        place = torch.zeros_like(logit)
    else:
        place = sight.sure * probabilities(logit) + (1 - sight.sure) * _elsewhere(sight)
    octaves, blur = _octaves(sight, size, acuity), hypot(sight.size_error, PRINT)
    return Belief(place, octaves, blur, _words(sight), _first_print(sight))


def _words(sight: Sight) -> torch.Tensor | None:
    """Where the question's words stand, as shares of 1: those found in few places count more."""
    words = [one for one in sight.likely if not one.text.endswith(OF_THING)]
    if not words or not sight.sure:
        return None
    rows, cols = sight.logit.shape
    out = torch.zeros(rows, cols)
    for word in words:
        x0, y0, x1, y1 = word.box
        top, left = min(rows - 1, int(y0 * rows)), min(cols - 1, int(x0 * cols))
        here = out[top : max(top + 1, round(y1 * rows)), left : max(left + 1, round(x1 * cols))]
        here += 1 / max(1.0, word.places) / here.numel()
    return out / out.sum()


def _first_print(sight: Sight) -> torch.Tensor | None:
    """The first column with print in each row; None where there is little print: signs in a street
    need no label."""
    if sight.elsewhere is None or sight.thing is not None:
        return None
    grid = (int(sight.logit.shape[0]), int(sight.logit.shape[1]))
    weight = resize_map(sight.elsewhere.float(), grid)
    printed = weight >= PRINTED * weight.max()
    if not PAGE <= printed.float().mean() < 1:
        return None
    # an answer reaches into the rows above and below its line
    printed = F.max_pool2d(printed.float()[None], (2 * BETWEEN + 1, 1), 1, (BETWEEN, 0))[0]
    return printed.argmax(1)


def _elsewhere(sight: Sight) -> torch.Tensor | float:
    """The probability of each cell if the map is wrong."""
    if sight.elsewhere is None:
        return 1 / sight.logit.numel()
    grid = (int(sight.logit.shape[0]), int(sight.logit.shape[1]))
    weight = resize_map(sight.elsewhere.float().clamp(min=0.0), grid) + 1e-9
    return weight / weight.sum()


def _octaves(sight: Sight, size: Size, acuity: Acuity) -> torch.Tensor:
    grid = (int(sight.logit.shape[0]), int(sight.logit.shape[1]))
    if isinstance(sight.size, torch.Tensor):
        octaves = resize_map(sight.size.float().clamp(min=1.0).log2(), grid)
    else:
        height = sight.size if sight.size is not None else max(size) * LINE
        octaves = torch.full(grid, max(1.0, float(height))).log2()
    if sight.thing is None:
        return octaves
    return octaves + resize_map(sight.thing.float(), grid) * log2(acuity.middle / THING)
