"""Requests in, the same requests out, with views in place of pictures.

What is not a picture stays as it is; nothing is changed in place. A picture keeps the question of
its own turn, so that later requests of a conversation begin with the same bytes. In strict mode a
request that still holds anything that may be a picture is refused (`homunculus.messages.guard`).
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from io import BytesIO
from itertools import count
from time import monotonic
from typing import Any, NamedTuple, Unpack

from PIL import Image

from homunculus.cache import LRU
from homunculus.checks import check_count
from homunculus.errors import HomunculusError
from homunculus.messages.adapter import ELSEWHERE, MAX_BYTES, Adapter, Picture
from homunculus.messages.body import Question, count_pictures, parts_for, with_views
from homunculus.messages.chat import CHAT
from homunculus.messages.guard import leaks
from homunculus.messages.pictures import Bundle, is_view
from homunculus.pages import PictureError, size_of, to_data_uri
from homunculus.planner.bill import raised
from homunculus.planner.counting import DEFAULT_TOKENS, MAX_WINDOWS, CountingRule
from homunculus.planner.models import rule_of, token_rule
from homunculus.planner.options import RewriterOptions, ViewOptions
from homunculus.planner.view import number_of_pictures
from homunculus.scouts.places import asks_for_all
from homunculus.scouts.sight import Basis
from homunculus.serve.fetch import fetch
from homunculus.views import Planner

MAX_PICTURES = 100
"""Of a request."""
CACHE_BYTES = 256 << 20
"""Bytes of views that are kept for requests that ask for them again."""
ENTRY_BYTES = 1024
"""Bytes that each is counted with besides, so that pictures without views are forgotten, too."""
MAX_QUESTION = 2000
"""Characters of a question that are used."""
DOWNLOAD_SECONDS = 10.0
"""For the servers of all pictures of a request."""
UNFIT = (
    "address of a picture: expected PNG, JPEG, WebP, GIF or BMP of at most 400 megapixels, got "
    "something else. Send the picture itself, in base64."
)
SCREEN = "the model points at pixels of its screen, which must stay as they are"
NO_QUESTION = "no question was found for the picture, so it is sent as it is"
WHOLE = "the question is about the whole picture, so it is sent as it is"
DOUBT = "views are not likely enough to show the answer, so the picture is sent as it is"
HARMLESS = {ELSEWHERE, SCREEN, NO_QUESTION, WHOLE, DOUBT}
"""Why a picture is left as it is although nothing is wrong with it."""
SCREEN_TOOL = re.compile(r"computer([-_](use[-_])?preview|_use|_\d{8})?")
"""The types of tools by which models point at a screen."""


class ShownPicture(NamedTuple):
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


@dataclass
class Report:
    """What became of the pictures of one request.

    >>> report = Report([ShownPicture(1690, tokens=120, label_tokens=8, value=0.9, basis="found")])
    >>> f"{1 - report.tokens / report.untouched:.0%} saved"
    '93% saved'
    """

    shown: list[ShownPicture] = field(default_factory=list[ShownPicture])
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


class PicturesError(HomunculusError, ValueError):
    """A request has more pictures than it may.

    >>> from homunculus.serve import Rewriter
    >>> part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    >>> talk = [{"role": "user", "content": [part, part]}]
    >>> Rewriter(64, images=1, strict=True).messages(talk, model="gpt-6")
    Traceback (most recent call last):
    homunculus.serve.rewriter.PicturesError: a request may have 1 picture, got 2
    """


class NewPictureError(Exception):
    """Views of a picture would have to be made, and the caller asked for known ones alone."""


class Order(NamedTuple):
    """What views are made of a picture for."""

    question: str
    tokens: int
    options: ViewOptions
    number: int | None
    """Which picture of the request it is, if lines are to say so."""
    always: bool
    """Whether they stand for the picture however unlikely they are to show the answer."""

    def key(self, data: bytes) -> bytes:
        """A name for these views of that file."""
        key = blake2b(repr(self).encode()).digest()
        return blake2b(data, digest_size=16, key=key).digest()


class Case(NamedTuple):
    """What decides whether a picture is kept, left for a reason, or shown as views."""

    sent: bool
    """Whether it came with the request. If not, its server may send others another picture than
    us: then its address never stays."""
    price: int
    """What it costs as it is."""
    budget: int
    low: bool = False
    """Whether the user has asked for the low price."""
    is_view: bool = False
    """Whether it was made by an earlier pass, or by the client."""
    beyond: bool = False
    """Whether views may cost more than the picture."""
    cap: int | None = None
    """What views may cost that are not likely enough to show the answer, if they get more."""
    strict: bool = False
    no_search: str = ""
    """Why there is nothing to look for."""

    @property
    def fits(self) -> bool:
        """Whether the picture itself is within the budget."""
        return self.price <= self.budget and not self.beyond

    @property
    def keeps(self) -> bool:
        """Whether the part stays as it is, whatever is asked."""
        if not self.sent:
            return False
        limit = max(self.budget, self.cap or 0) if self.is_view else self.budget
        allowed = self.low or self.is_view or not self.beyond
        return self.price <= limit and allowed

    @property
    def fallback(self) -> bool:
        """Whether views that are not likely enough to show the answer get more tokens."""
        return self.cap is not None and not self.fits

    @property
    def always(self) -> bool:
        """Whether views stand for the picture even so: `Order.always`."""
        return self.fallback and (self.strict or not self.sent)

    def outcome(self, made: Bundle, from_user: bool) -> str:
        """What becomes of the picture once its views are made: `show`, `keep`, or why it is left;
        ``from_user`` says who asked."""
        if not made.parts:
            return DOUBT
        if not (from_user or made.basis == "found" or self.strict):
            return NO_QUESTION  # what the system says is no question
        same = len(made.parts) == 1 and made.tokens >= self.price
        return "keep" if self.sent and same else "show"


class Rewriter:
    """Puts views in place of pictures. One may be used by many threads.

    >>> import numpy as np
    >>> from PIL import Image
    >>> from homunculus import views
    >>> page = views(Image.new("RGB", (1024, 1024)), "", tokens=2048, scout=np.zeros((2, 2)))
    >>> parts = [*page.openai(), {"type": "text", "text": "What is the total?"}]
    >>> body = {"model": "gpt-6", "messages": [{"role": "user", "content": parts}]}
    >>> changed, report = Rewriter(64, scout=np.eye(4)).request(body)
    >>> report.pictures, report.tokens <= 64 < report.untouched
    (1, True)
    """

    def __init__(
        self,
        tokens: int = DEFAULT_TOKENS,
        *,
        model: str | int | CountingRule | None = None,
        images: int = MAX_PICTURES,
        fetch: bool = False,
        beyond: bool = False,
        pixels: int | None = None,
        strict: bool = False,
        **options: Unpack[RewriterOptions],
    ) -> None:
        """Every picture gets at most ``tokens`` tokens as ``model`` counts them.

        Without a ``model`` the request's own is taken. A picture is left as it is if its model's
        way of counting is not known, if it cannot be opened, if there is no question, or if views
        would cost as much. With ``strict`` nothing is left: a request that cannot be sent with
        views alone raises. Addresses of pictures are left as they are, or with ``fetch`` asked for,
        if they are public (`homunculus.serve.fetch`). With ``beyond``, views may cost more than the
        picture: where a model reduces every picture to one size, windows show what is lost by that.
        A picture of more than ``pixels`` pixels is not opened.

        Further ``options`` are those of `homunculus.views`: `label`, `text`, `scout`, `ocr`,
        `acuity`, `context`, `windows`, `legible` and `cap`. With `legible`, a picture whose views
        are less likely to show the answer gets more tokens, up to `cap`; if that is too little, it
        is left as it is. In strict mode, or if it was fetched, it is shown with `cap` tokens. A
        request that brings a smaller budget of its own gets no more than that.
        """
        known = RewriterOptions.__annotations__
        if unknown := [name for name in options if name not in known]:
            raise TypeError(
                f"Rewriter: there is no option {unknown[0]!r}. There are {', '.join(known)}."
            )
        self.tokens = check_count(tokens, "Rewriter: tokens")
        self.options, self.strict, self.images = ViewOptions(**options), strict, images
        self.fetch, self.beyond, self.pixels = fetch, beyond, pixels
        self.rule = None if model is None else token_rule(model)
        self.cache = LRU[bytes, Bundle](CACHE_BYTES, _weight)

    # ---- requests

    def request(
        self,
        body: Mapping[str, Any],
        *,
        adapter: Adapter = CHAT,
        model: str | CountingRule | None = None,
        tokens: int | None = None,
        seconds: float = float("inf"),
        new: bool = True,
    ) -> tuple[dict[str, Any], Report]:
        """A request with views in place of pictures, and what was done.

        ``adapter`` is that of its route: chat completions, or another of `homunculus.messages`.
        ``model`` is the name that its API has for the model, if the body does not say, or a rule.
        After ``seconds`` no other picture is begun. Without ``new`` it takes milliseconds: if views
        would have to be made, or a picture fetched, `NewPictureError` is raised. A request with
        more pictures than ``images`` raises `PicturesError`, strict or not.
        """
        report, known = Report(), Counter[str]()
        total, until = count_pictures(body, adapter), monotonic() + seconds
        changed = dict(body)
        if total:
            try:
                rule, windows = self._rule(body, model or str(body.get("model", "")), total)
                request = _Request(
                    rule, tokens or self.tokens, windows, report, known, until, new
                )  # fmt: skip
                changed |= with_views(body, adapter, partial(self._replaced, request))
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
            raise ValueError("Rewriter.messages: name the model, to say how tokens count.")
        if not isinstance(messages, list | tuple):
            raise TypeError(
                f"Rewriter.messages: expected a list of messages, got {messages!r:.80}. "
                "Write [{'role': 'user', 'content': [...]}]."
            )
        body, _ = self.request({"messages": list(messages)}, model=model, tokens=tokens)
        return body["messages"]

    def _rule(
        self, body: Mapping[str, Any], model: str | CountingRule, total: int
    ) -> tuple[CountingRule, int]:
        """How the model counts tokens, and how many windows each picture may have."""
        rule = self.rule or (model if isinstance(model, CountingRule) else rule_of(model))
        if rule is None:
            name = str(model)[:80] or "an unnamed model"
            raise ValueError(f"how {name} counts tokens is not known")
        if total > self.images:
            raise PicturesError(
                f"a request may have {number_of_pictures(self.images)}, got {total}"
            )
        if _points(body):
            raise ValueError(SCREEN)
        facts = rule.facts
        most = MAX_WINDOWS if self.options.windows is None else self.options.windows
        windows = min(most, facts.windows, (facts.images or 10**6) // max(1, total) - 1)
        if windows < 0:
            raise ValueError(f"{rule.name} takes {facts.images} pictures, got {total}")
        return rule.crowded(total * (windows + 1)), windows

    def _check(self, body: Mapping[str, Any], report: Report, known: Mapping[str, int]) -> None:
        for leak in leaks(body, known):
            if self.strict:
                raise PictureError(
                    f"{leak}. Strict mode sends no picture that it did not put there itself: send "
                    "pictures in base64, as parts of a user's message."
                )
            report.left.append(str(leak))

    # ---- one picture

    def _replaced(self, request: "_Request", picture: Picture, question: Question) -> list[Any]:
        number = request.number()
        try:
            return self._shown(picture, question, number, request)
        except Exception as error:  # whatever a picture does, its request goes on
            if self.strict or isinstance(error, NewPictureError):
                raise
            return request.leave(picture, str(error) or type(error).__name__)

    def _shown(
        self, picture: Picture, question: Question, number: int | None, request: "_Request"
    ) -> list[Any]:
        if not (self.fetch and picture.kind == "address"):
            return self._views(picture, picture.file(), question, number, request)
        request.check_time()
        start = monotonic()
        try:
            data = fetch(picture.text.strip(), MAX_BYTES, request.download_seconds)
        finally:
            request.download_seconds -= monotonic() - start
        try:
            return self._views(picture, data, question, number, request)
        except PictureError:  # its sentence may quote what came, which is not the sender's to know
            raise PictureError(UNFIT) from None

    def _views(
        self,
        picture: Picture,
        data: bytes,
        question: Question,
        number: int | None,
        request: "_Request",
    ) -> list[Any]:
        rule, (high, wide) = request.rule, size_of(data)
        if self.pixels and high * wide > self.pixels:
            raise PictureError(
                f"expected at most {self.pixels} pixels, got {wide}x{high}. Send a smaller picture."
            )
        budget, unit = self._budget(picture.adapter, request), rule.unit
        low = unit is not None and ("detail", picture.detail) == unit.setting
        case = Case(
            sent=picture.kind == "data",
            price=unit.tokens if unit and low else rule.count((high, wide)),
            budget=budget,
            low=low,
            is_view=is_view(data),
            beyond=self.beyond,
            cap=self._cap(request),
            strict=self.strict,
            no_search=self._no_search(question),
        )
        if case.keeps:
            return request.keep(picture)
        if case.no_search:
            return request.leave(picture, case.no_search)
        bare = picture.adapter.bare
        number = None if bare or case.fits else number
        options = replace(
            self.options, model=rule, windows=request.windows,
            settings=tuple(sorted(picture.adapter.settings)),
            label=False if bare else self.options.label, numbered=number is not None,
            text=self.options.text and not bare,
            legible=self.options.legible if case.fallback else None,
        )  # fmt: skip
        tokens = case.price if case.fits else budget
        order = Order(question.text[-MAX_QUESTION:], tokens, options, number, case.always)
        made = self._made(data, order, request)
        outcome = case.outcome(made, question.from_user)
        if outcome == "show":
            return request.show(picture, case.price, made)
        return request.keep(picture) if outcome == "keep" else request.leave(picture, outcome)

    def _cap(self, request: "_Request") -> int | None:
        """What views may cost that get more tokens; a smaller budget of a request's own holds."""
        more = self.options.legible is not None and request.tokens >= self.tokens
        return self.options.cap if more else None

    def _no_search(self, question: Question) -> str:
        """Why a picture would only be made smaller, if there is nothing to look for.

        In strict mode it is, since nothing may cost more than it may.
        """
        scout = self.options.scout
        auto = isinstance(scout, str) and scout == "auto"  # a map is compared cell by cell
        if self.strict or not auto:
            return ""
        if not question.text:
            return NO_QUESTION
        return WHOLE if asks_for_all(question.text) else ""

    def _budget(self, adapter: Adapter, request: "_Request") -> int:
        """The tokens of a picture: at least what the smallest one costs, unless that is refused."""
        rule = request.rule
        tokens, sentence = raised(rule, request.tokens, adapter.settings)
        if sentence and self.strict:
            raise ValueError(
                f"{request.tokens} tokens are too few for any picture, as {rule.name} counts them "
                f"in this format: the smallest costs {tokens}. Raise the budget to {tokens} or "
                "more."
            )
        if sentence and sentence not in request.report.notes:
            request.report.notes.append(sentence)
        return tokens

    def _made(self, data: bytes, order: Order, request: "_Request") -> Bundle:
        """The views of a picture's file; without parts if the picture is to be left as it is."""
        key = order.key(data)
        if cached := self.cache.get(key):
            return cached
        request.check_time()
        planner = Planner(data, order.question, options=order.options)
        views = planner.views_or_original(order.tokens)
        if views.original and order.always:
            views = planner.views(max(order.tokens, self.options.cap))
        made = Bundle((), 0) if views.original else views.bundle(order.number)
        self.cache.put(key, made)
        return made


@dataclass
class _Request:
    """What the pictures of one request have in common."""

    rule: CountingRule
    tokens: int
    windows: int
    report: Report
    known: Counter[str]
    """Strings of the new request that are views, or were counted."""
    until: float
    """When time for new pictures is over."""
    new: bool
    download_seconds: float = field(default_factory=lambda: DOWNLOAD_SECONDS)
    """What is left for its pictures' servers, however many."""
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    def check_time(self) -> None:
        """Raise if there is no time for a new picture.

        When the client has given up, the rest of a request would only keep others waiting.
        """
        if not self.new:
            raise NewPictureError
        if monotonic() > self.until:
            raise TimeoutError("views were not ready in time")

    def number(self) -> int | None:
        """The number of the next picture, which its lines say if it is not the first.

        The first has none, so that a conversation with one picture begins with the same bytes when
        another one comes.
        """
        number = next(self.numbers)
        return number if number > 1 else None

    def keep(self, picture: Picture) -> list[Any]:
        """A part as it is, for it costs no more than it may."""
        self.known[picture.text] += 1
        return [picture.part]

    def leave(self, picture: Picture, reason: str) -> list[Any]:
        """A part as it is, whatever it costs."""
        self.report.left.append(reason)
        return self.keep(picture)

    def show(self, picture: Picture, price: int, bundle: Bundle) -> list[Any]:
        """Views in the place of a picture."""
        self.report.shown.append(
            ShownPicture(price, bundle.tokens, bundle.label_tokens, bundle.value, bundle.basis)
        )
        for part in bundle.parts:
            files = [part.picture.text, part.picture.url] if part.picture else []
            self.known.update([part.label, *files])  # a passage may quote what looks like a file
        return parts_for(picture, bundle)


def _weight(made: Bundle) -> int:
    files = (part.picture.data if part.picture else b"" for part in made.parts)
    return ENTRY_BYTES + sum(map(len, files))


def _points(body: Mapping[str, Any]) -> bool:
    """Whether a tool lets the model point at pixels of a screen."""
    tools = body.get("tools")
    listed = tools if isinstance(tools, list | tuple) else ()
    kinds = [tool.get("type") for tool in listed if isinstance(tool, Mapping)]
    return any(isinstance(kind, str) and SCREEN_TOOL.fullmatch(kind) for kind in kinds)


def warm(rewriter: Rewriter) -> None:
    """Make views of an empty page, so that the first request does not wait for weights."""
    file = BytesIO()
    Image.new("RGB", (256, 256), "white").save(file, "png")
    url = to_data_uri(file.getvalue())
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "Total?"}]
    rewriter.request({"messages": [{"role": "user", "content": parts}]}, model="claude")
