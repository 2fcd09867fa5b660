"""Requests in, the same requests out, with views in place of pictures.

What is not a picture stays as it is; nothing is changed in place. A picture keeps the question of
its own turn, so that later requests of a conversation begin with the same bytes. In strict mode a
request that still holds anything that may be a picture is refused (`homunculus.serve.guard`).
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from importlib import import_module
from io import BytesIO
from itertools import count
from time import monotonic
from typing import Any, NamedTuple

from homunculus.cache import LRU
from homunculus.checks import check_count
from homunculus.pages import PictureError, size_of, to_data_uri
from homunculus.planner import Planner, Views, check_legible
from homunculus.planner.bill import raised
from homunculus.planner.counting import Size, TokenRule
from homunculus.planner.labels import Label, LabelLike
from homunculus.planner.messages import Bundle, bundle, gemini, is_view, openai, responses
from homunculus.planner.models import rule_of, token_rule
from homunculus.scouts.places import asks_for_all
from homunculus.scouts.registry import ScoutLike
from homunculus.scouts.sight import Basis
from homunculus.serve.fetch import SECONDS, fetch
from homunculus.serve.formats import (
    ANY,
    CAMEL,
    DEPTH,
    ELSEWHERE,
    MAX_BYTES,
    Format,
    Found,
    Question,
    Shape,
    count_pictures,
    gemini_camel,
    picture_of,
    questions,
    turns_in,
)
from homunculus.serve.guard import leaks

IMAGES = 100
"""Pictures of a request."""
KEPT = 256 << 20
"""Bytes of views that are kept for requests that ask for them again."""
ENTRY = 1024
"""Bytes that each is counted with besides, so that pictures without views are forgotten, too."""
LETTERS = 2000
"""Characters of a question that are used."""
UNFIT = (
    "address of a picture: expected PNG, JPEG, WebP, GIF or BMP of at most 400 megapixels, got "
    "something else. Send the picture itself, in base64."
)
SCREEN = "the model points at pixels of its screen, which must stay as they are"
NO_QUESTION = "no question was found for the picture, so it is sent as it is"
WHOLE = "the question is about the whole picture, so it is sent as it is"
DOUBT = "views are not likely enough to show the answer, so the picture is sent as it is"
ALONE = {ELSEWHERE, SCREEN, NO_QUESTION, WHOLE, DOUBT}
"""Why a picture is left as it is although nothing is wrong with it."""
SCREEN_TOOL = re.compile(r"computer([-_](use[-_])?preview|_use|_\d{8})?")
"""The types of tools by which models point at a screen."""


class Shown(NamedTuple):
    """A picture that was shown as views."""

    untouched: int
    """Tokens that it would have cost."""
    tokens: int
    """Tokens that its views cost."""
    label_tokens: int
    """Tokens of text that the lines before them cost at most; with `tokens` within the budget."""
    value: float | None
    """The estimated probability that the answer can be read from them; None if it is not known."""
    basis: Basis
    """What the plan rests on: `found`, `guess` or `unknown` (`Views.basis`)."""

    @property
    def guess(self) -> bool:
        """Whether nothing that the question names was found in it."""
        return self.basis != "found"


@dataclass
class Report:
    """What became of the pictures of one request.

    >>> report = Report([Shown(1690, tokens=120, label_tokens=8, value=0.9, basis="found")])
    >>> f"{1 - report.tokens / report.untouched:.0%} saved"
    '93% saved'
    """

    shown: list[Shown] = field(default_factory=list[Shown])
    """The pictures that were shown as views."""
    left: list[str] = field(default_factory=list[str])
    """Why others were left as they are."""
    notes: list[str] = field(default_factory=list[str])
    """What else is worth knowing, such as a budget that is too small for the model."""

    @property
    def pictures(self) -> int:
        """How many were shown as views."""
        return len(self.shown)

    @property
    def untouched(self) -> int:
        """Tokens that they would have cost."""
        return sum(shown.untouched for shown in self.shown)

    @property
    def tokens(self) -> int:
        """Tokens that their views cost."""
        return sum(shown.tokens for shown in self.shown)

    @property
    def label_tokens(self) -> int:
        """Tokens of text that the lines before their views cost at most."""
        return sum(shown.label_tokens for shown in self.shown)


class PicturesError(ValueError):
    """A request has more pictures than it may.

    >>> part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    >>> talk = [{"role": "user", "content": [part, part]}]
    >>> Rewriter(64, images=1, strict=True).messages(talk, model="gpt-6")
    Traceback (most recent call last):
    homunculus.serve.rewrite.PicturesError: a request may have 1 pictures, got 2
    """


class NewPictureError(Exception):
    """Views of a picture would have to be made, and the caller asked for known ones alone."""


class Rewriter:
    """Puts views in place of pictures. One may be used by many threads.

    >>> import torch
    >>> from PIL import Image
    >>> from homunculus.planner import views
    >>> page = views(Image.new("RGB", (1024, 1024)), "", tokens=2048, scout=torch.zeros(2, 2))
    >>> parts = [page.openai(label=False)[0], {"type": "text", "text": "What is the total?"}]
    >>> body = {"model": "gpt-6", "messages": [{"role": "user", "content": parts}]}
    >>> changed, report = Rewriter(64, scout=torch.eye(4)).request(body)
    >>> report.pictures, report.tokens <= 64 < report.untouched
    (1, True)
    """

    def __init__(
        self,
        tokens: int = 273,
        *,
        model: str | int | TokenRule | None = None,
        label: LabelLike = "short",
        strict: bool = False,
        images: int = IMAGES,
        fetch: bool = False,
        beyond: bool = False,
        pixels: int | None = None,
        scout: ScoutLike = "auto",
        acuity: Any = "vlm",
        legible: float | None = None,
        cap: int = 1024,
    ) -> None:
        """Every picture gets at most ``tokens`` tokens as ``model`` counts them.

        Without a ``model`` the request's own is taken. A picture is left as it is if its model's
        way of counting is not known, if it cannot be opened, if there is no question, or if views
        would cost as much. With ``strict`` nothing is left: a request that cannot be sent with
        views alone raises. Addresses of pictures are left as they are, or with ``fetch`` asked for,
        if they are public (`homunculus.serve.fetch`). With ``beyond``, views may cost more than the
        picture: where a model reduces every picture to one size, windows show what is lost by that.
        A picture of more than ``pixels`` pixels is not opened. With ``legible``, a picture whose
        views are less likely to show the answer gets more tokens, up to ``cap``; if that is too
        little, it is left as it is. In strict mode, or if it was fetched, it is shown with ``cap``
        tokens. A request that brings a smaller budget of its own gets no more than that.
        """
        check_count(tokens, "Rewriter: tokens")
        check_count(cap, "Rewriter: cap")
        if legible is not None:
            check_legible(legible)
        Label.of(label)
        self.tokens, self.strict, self.images = tokens, strict, images
        self.label: LabelLike = label
        self.fetch, self.beyond, self.pixels = fetch, beyond, pixels
        self.rule = None if model is None else token_rule(model)
        self.scout, self.acuity = scout, acuity
        self.legible, self.cap = legible, cap
        self.known = LRU[bytes, _Made](KEPT, _weight)

    # ---- requests

    def request(
        self,
        body: Mapping[str, Any],
        *,
        form: Format = ANY,
        model: str | TokenRule | None = None,
        tokens: int | None = None,
        seconds: float = float("inf"),
        new: bool = True,
    ) -> tuple[dict[str, Any], Report]:
        """A request with views in place of pictures, and what was done.

        ``form`` is the format of its route; without one, the fields of all formats are looked at.
        ``model`` is the name that its API has for the model, if the body does not say, or a rule.
        After ``seconds`` no other picture is begun. Without ``new`` it takes milliseconds: if views
        would have to be made, or a picture fetched, `NewPictureError` is raised. A request with
        more pictures than ``images`` raises `PicturesError`, strict or not.
        """
        report, known = Report(), Counter[str]()
        total = count_pictures(body, form)
        changed = dict(body)
        if total:
            try:
                rule, windows = self._rule(body, model or str(body.get("model", "")), total)
                task = _Task(
                    rule, tokens or self.tokens, windows, report, known, _Wait(seconds, new)
                )
                changed |= self._fields(body, form, task)
            except ValueError as error:
                if self.strict or isinstance(error, PicturesError):
                    raise
                report.left += [str(error)] * total
                return dict(body), report
        self._check(changed, report, known)
        return changed, report

    def messages(
        self, messages: Any, model: str | None = None, tokens: int | None = None
    ) -> list[Any]:
        """A list of messages, of chat completions or of Anthropic, with views."""
        if model is None and self.rule is None:
            raise ValueError("Rewriter.messages: name the model, whose tokens are to be counted.")
        if not isinstance(messages, list | tuple):
            raise TypeError(
                f"Rewriter.messages: expected a list of messages, got {messages!r:.80}. "
                "Write [{'role': 'user', 'content': [...]}]."
            )
        body, _ = self.request({"messages": list(messages)}, model=model, tokens=tokens)
        return body["messages"]

    def _rule(
        self, body: Mapping[str, Any], model: str | TokenRule, total: int
    ) -> tuple[TokenRule, int]:
        """Whose tokens are counted, and how many windows each picture may have."""
        rule = self.rule or (model if isinstance(model, TokenRule) else rule_of(model))
        if rule is None:
            name = str(model)[:80] or "an unnamed model"
            raise ValueError(f"how {name} counts tokens is not known")
        if total > self.images:
            raise PicturesError(f"a request may have {self.images} pictures, got {total}")
        if _points(body):
            raise ValueError(SCREEN)
        facts = rule.facts
        windows = min(facts.windows, (facts.images or 10**6) // max(1, total) - 1)
        if windows < 0:
            raise ValueError(f"{rule.name} takes {facts.images} pictures, got {total}")
        if facts.crowd and total * (windows + 1) > facts.crowd[0]:
            rule = replace(rule, edge=min(rule.edge or 10**6, facts.crowd[1]))
        return rule, windows

    def _fields(self, body: Mapping[str, Any], form: Format, task: "_Task") -> dict[str, Any]:
        """The fields of a request that hold pictures, with views."""
        changed = dict[str, Any]()
        asked = Question("")
        for name in form.turns:
            turns, found = turns_in(body, name), questions(body, form, name)
            asked = next((one for one in found if one.text), asked)
            pairs = zip(turns, found, strict=True)
            made = [new for turn, one in pairs for new in self._replaced(turn, one, task)]
            if any(new is not turn for new, turn in zip(made, turns, strict=False)):
                changed[name] = made if isinstance(body[name], list | tuple) else made[0]
        for name in form.system:
            made = self._walk(body.get(name), asked, task)
            if made is not body.get(name):
                changed[name] = made
        return changed

    def _walk(self, value: Any, question: Question, task: "_Task", depth: int = DEPTH) -> Any:
        """A copy with views in place of pictures; the same object if there are none."""
        if not depth:
            return value
        if isinstance(value, Mapping):
            fields = {name: self._walk(value[name], question, task, depth - 1) for name in value}
            return fields if any(fields[name] is not value[name] for name in value) else value
        if not isinstance(value, list | tuple):
            return value
        parts = [new for part in value for new in self._replaced(part, question, task, depth - 1)]
        same = len(parts) == len(value) and all(map(_is, parts, value))
        return value if same else parts

    def _replaced(
        self, part: Any, question: Question, task: "_Task", depth: int = DEPTH
    ) -> list[Any]:
        """What stands in the place of a part: its views, if it is a picture."""
        found = picture_of(part)
        if found is None:
            return [self._walk(part, question, task, depth)]
        question = question._replace(number=task.number())
        try:
            return self._shown(part, found, question, task)
        except Exception as error:  # whatever a picture does, its request goes on
            if self.strict or isinstance(error, NewPictureError):
                raise
            return task.leave(part, found, str(error) or type(error).__name__)

    def _check(self, body: Mapping[str, Any], report: Report, known: Mapping[str, int]) -> None:
        """Look at everything that is about to be sent."""
        for leak in leaks(body, known):
            if self.strict:
                raise PictureError(
                    f"{leak}. Strict mode sends no picture that it did not put there itself: send "
                    "pictures in base64, as parts of a user's message."
                )
            report.left.append(str(leak))

    # ---- one picture

    def _shown(
        self, part: Mapping[str, Any], found: Found, question: Question, task: "_Task"
    ) -> list[Any]:
        if not (self.fetch and found.kind == "address"):
            return self._views(part, found, found.file(), question, task)
        task.wait.check()
        data = task.wait.file(found.text.strip())
        try:
            return self._views(part, found, data, question, task)
        except PictureError:  # its sentence may quote what came, which is not the sender's to know
            raise PictureError(UNFIT) from None

    def _views(
        self,
        part: Mapping[str, Any],
        found: Found,
        data: bytes,
        question: Question,
        task: "_Task",
    ) -> list[Any]:
        """The views of a file. If it did not come with the request, its server may send others
        another one than us: then the address never stays."""
        rule, (high, wide) = task.rule, size_of(data)
        if self.pixels and high * wide > self.pixels:
            raise PictureError(
                f"expected at most {self.pixels} pixels, got {wide}x{high}. Send a smaller picture."
            )
        settings = SETTINGS.get(found.shape, NO_SETTINGS)
        price, here = _price(part, rule, (high, wide)), found.kind == "data"
        budget = self._budget(rule, settings, task)
        fits = price <= budget and not self.beyond
        doubtful = self.legible is not None and task.tokens >= self.tokens
        if here and (fits or (price <= budget and _low(part, rule))):
            return task.keep(part, found)
        if here and is_view(data) and price <= (max(budget, self.cap) if doubtful else budget):
            return task.keep(part, found)  # made by an earlier pass, or by the client
        if self._asks_nothing(question):
            return task.leave(part, found, NO_QUESTION)
        if asks_for_all(question.text) and not self.strict and self.scout == "auto":
            return task.leave(part, found, WHOLE)
        if fits:  # an address: its picture is sent as it is, without a line
            budget, question = price, question._replace(number=None)
        fallback = (not here or self.strict) if doubtful and not fits else None
        made = self._make(data, question, budget, settings, task, fallback)
        if made.bundle is None:
            return task.leave(part, found, DOUBT)
        if not (question.from_user or made.basis == "found" or self.strict):
            return task.leave(part, found, NO_QUESTION)  # what the system says is no question
        if here and len(made.bundle.parts) == 1 and made.bundle.tokens >= price:
            return task.keep(part, found)  # nothing to win
        task.report.shown.append(
            Shown(price, made.bundle.tokens, made.bundle.label_tokens, made.value, made.basis)
        )
        task.known.update(part.picture.text for part in made.bundle.parts)
        task.known.update(part.picture.url for part in made.bundle.parts)
        return _with_rest(part, found.shape(made.bundle))

    def _asks_nothing(self, question: Question) -> bool:
        """Whether a picture would only be made smaller, for there is nothing to look for.

        In strict mode it is, since nothing may cost more than it may.
        """
        return not (question.text or self.strict) and self.scout == "auto"

    def _budget(self, rule: TokenRule, settings: frozenset[str], task: "_Task") -> int:
        """The tokens of a picture: at least what the smallest one costs, unless that is refused."""
        tokens, sentence = raised(rule, task.tokens, settings)
        if sentence and self.strict:
            raise ValueError(
                f"{task.tokens} tokens are too few for any picture, as {rule.name} counts them in "
                f"this format: the smallest costs {tokens}. Raise the budget to {tokens} or more."
            )
        if sentence and sentence not in task.report.notes:
            task.report.notes.append(sentence)
        return tokens

    def _make(
        self,
        data: bytes,
        question: Question,
        tokens: int,
        settings: frozenset[str],
        task: "_Task",
        fallback: bool | None,
    ) -> "_Made":
        """The views of a picture's file, made once.

        With a ``fallback`` they get as many tokens as make them legible; if it is true, they stand
        for the picture whatever comes of it.
        """
        rule, text, number = task.rule, question.text[-LETTERS:], question.number
        given = (
            text,
            rule.name,
            tokens,
            rule.edge,
            task.windows,
            sorted(settings),
            number,
            fallback,
        )
        key = blake2b(data, digest_size=16, key=blake2b(repr(given).encode()).digest()).digest()
        if known := self.known.get(key):
            return known
        task.wait.check()
        planner = Planner.of(
            data, text, rule, self.acuity, self.scout, windows=task.windows, settings=settings,
            label=self.label, numbered=number is not None,
        )  # fmt: skip
        made = _Made.of(self._plan(planner, tokens, fallback), number)
        self.known.put(key, made)
        return made

    def _plan(self, planner: Planner, tokens: int, fallback: bool | None) -> Views:
        legible = None if fallback is None else self.legible
        shown = planner.views_or_original(tokens, legible, self.cap)
        return planner.views(max(tokens, self.cap)) if shown.original and fallback else shown


def _is(first: Any, second: Any) -> bool:
    return first is second


def warm(rewriter: Rewriter) -> None:
    """Make views of an empty page, so that the first request does not wait for weights."""
    images: Any = import_module("PIL.Image")
    file = BytesIO()
    images.new("RGB", (256, 256), "white").save(file, "png")
    url = to_data_uri(file.getvalue())
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "Total?"}]
    rewriter.request({"messages": [{"role": "user", "content": parts}]}, model="claude")


class _Made(NamedTuple):
    """Views as files, and what is known of them."""

    bundle: Bundle | None
    """None if the picture is to be left as it is."""
    value: float | None
    basis: Basis

    @staticmethod
    def of(shown: Views, number: int | None) -> "_Made":
        files = None if shown.original else bundle(shown, number=number)
        return _Made(files, shown.value, shown.basis)


class _Wait:
    """The time of one request, and the part of it for its pictures' servers, however many."""

    def __init__(self, seconds: float, new: bool) -> None:
        self.until, self.left, self.new = monotonic() + seconds, SECONDS, new

    def check(self) -> None:
        """Raise if there is no time for a new picture.

        When the client has given up, the rest of a request would only keep others waiting.
        """
        if not self.new:
            raise NewPictureError
        if monotonic() > self.until:
            raise TimeoutError("views were not ready in time")

    def file(self, address: str) -> bytes:
        """What stands at an address."""
        start = monotonic()
        try:
            return fetch(address, MAX_BYTES, self.left)
        finally:
            self.left -= monotonic() - start


@dataclass(frozen=True)
class _Task:
    """What the pictures of one request have in common."""

    rule: TokenRule
    tokens: int
    windows: int
    report: Report
    known: Counter[str]
    """Strings of the new request that are views, or were counted."""
    wait: _Wait
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    def number(self) -> int | None:
        """The number of the next picture, which its lines say if it is not the first.

        The first has none, so that a conversation with one picture begins with the same bytes when
        another one comes.
        """
        number = next(self.numbers)
        return number if number > 1 else None

    def keep(self, part: Any, found: Found) -> list[Any]:
        """A part as it is, for it costs no more than it may."""
        self.known[found.text] += 1
        return [part]

    def leave(self, part: Any, found: Found, reason: str) -> list[Any]:
        """A part as it is, whatever it costs."""
        self.report.left.append(reason)
        return self.keep(part, found)


NO_SETTINGS = frozenset[str]()
SETTINGS: dict[Shape, frozenset[str]] = {
    openai: frozenset({"detail"}), responses: frozenset({"detail"}),
    gemini: frozenset({"media_resolution"}), gemini_camel: frozenset({"media_resolution"}),
}  # fmt: skip
"""Parameters that a picture of each shape can have."""


def _price(part: Mapping[str, Any], rule: TokenRule, size: Size) -> int:
    """What a picture costs as it is."""
    return rule.unit.tokens if rule.unit and _low(part, rule) else rule.count(size)


def _low(part: Mapping[str, Any], rule: TokenRule) -> bool:
    """Whether the user has asked for the low price."""
    return rule.unit is not None and ("detail", _detail(part)) == rule.unit.setting


def _detail(part: Mapping[str, Any]) -> Any:
    there = part.get("image_url")
    return there.get("detail") if isinstance(there, Mapping) else part.get("detail")


def _with_rest(part: Mapping[str, Any], made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Views, the last with what else the part had: a mark of a cache, say, or a detail."""
    known = {"type", "image_url", "source", "detail", "file", "file_data", "filename", "file_id"}
    known |= {"uuid", *CAMEL, *CAMEL.values()}  # a server would cache a view by the picture's id
    rest = {name: value for name, value in part.items() if name not in known}
    *first, last = made
    detail = _detail(part)
    for one in made if detail else ():
        if one.get("type") == "image_url":
            one["image_url"].setdefault("detail", detail)
        elif one.get("type") == "input_image" and one["detail"] == "auto":
            one["detail"] = detail
    return [*first, {**last, **rest}]


def _weight(made: _Made) -> int:
    parts = made.bundle.parts if made.bundle else ()
    return ENTRY + sum(len(part.picture.data) for part in parts)


def _points(body: Mapping[str, Any]) -> bool:
    """Whether a tool lets the model point at pixels of a screen."""
    tools = body.get("tools")
    some = tools if isinstance(tools, list | tuple) else ()
    kinds = [tool.get("type") for tool in some if isinstance(tool, Mapping)]
    return any(isinstance(kind, str) and SCREEN_TOOL.fullmatch(kind) for kind in kinds)
