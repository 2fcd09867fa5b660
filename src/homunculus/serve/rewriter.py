"""Requests in, the same requests out, with views in place of pictures.

What is not a picture stays as it is; nothing is changed in place. A picture keeps the question of
its own turn, so that later requests of a conversation begin with the same bytes. In strict mode a
request that still holds anything that may be a picture is refused (`homunculus.messages.guard`).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from io import BytesIO
from math import ceil
from time import monotonic
from typing import Any, NamedTuple, Unpack

from PIL import Image

from homunculus.cache import LRU
from homunculus.checks import check_count
from homunculus.errors import HomunculusError
from homunculus.messages.adapter import ELSEWHERE, MAX_BYTES, Adapter, Picture
from homunculus.messages.body import (
    Question,
    count_pictures,
    parts_for,
    pictures_in,
    turns_in,
    with_views,
)
from homunculus.messages.chat import CHAT
from homunculus.messages.guard import PICTURE, leaks
from homunculus.messages.pictures import Bundle, Part, is_view
from homunculus.pages import PictureError, size_of, to_data_uri
from homunculus.pages.document import MAX_PAGES
from homunculus.pages.isolated import IsolatedPdf
from homunculus.planner.bill import raised
from homunculus.planner.counting import DEFAULT_TOKENS, MAX_WINDOWS, CountingRule
from homunculus.planner.labels import Label
from homunculus.planner.models import rule_of, token_rule
from homunculus.planner.options import RewriterOptions, ViewOptions
from homunculus.planner.view import number_of_pictures
from homunculus.scouts.places import asks_for_all
from homunculus.scouts.sight import Basis
from homunculus.serve.fetch import fetch
from homunculus.serve.history import (
    BLOCK,
    NEWEST,
    SHORT,
    Form,
    History,
    Step,
    line,
    line_tokens,
    places,
    short_line,
)
from homunculus.views import Document, Planner
from homunculus.views.document import MOST_PICTURES

MAX_PICTURES = 100
"""Of a request."""
CACHE_BYTES = 256 << 20
"""Bytes of views that are kept for requests that ask for them again."""
READ_BYTES = 64 << 20
"""Bytes of what was read of documents' pages, which is kept for other questions."""
ENTRY_BYTES = 1024
"""Bytes that each is counted with besides, so that pictures without views are forgotten, too."""
MAX_QUESTION = 2000
"""Characters of a question that are used."""
DOCUMENT_SECONDS = 120.0
"""For all that is done with a PDF."""
UNBOUNDED = 10**6
"""Pictures of a request whose model sets no bound."""
DOWNLOAD_SECONDS = 10.0
"""For the servers of all pictures of a request."""
UNFIT = (
    "address of a picture: expected PNG, JPEG, WebP, GIF or BMP of at most 400 megapixels, or a "
    "PDF for a document, got something else. Send it in base64."
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
    pictures: int = 0
    """Of a document: how many there are at most."""
    form: Form = "full"
    """What it is shown as in a conversation that is bounded."""

    @property
    def name(self) -> str:
        """What lines call it."""
        return "Document" if self.pictures else "Picture"

    def key(self, data: bytes) -> bytes:
        """A name for these views of that file."""
        key = blake2b(repr(self).encode()).digest()
        return blake2b(data, digest_size=16, key=key).digest()


class Item(NamedTuple):
    """A picture or a document of a request."""

    picture: Picture
    question: Question
    number: int | None
    """Which of the request it is, if not the first."""
    step: Step
    """What becomes of it."""


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
        documents: int | None = None,
        history: int | None = None,
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

        With ``documents``, every PDF of a request is shown as views of its pages that cost at most
        so many tokens; without it PDFs are left as they are. A PDF is opened in a process of its
        own, with bounds on its memory and time.

        With ``history``, the pictures of all turns of a conversation cost at most so many tokens,
        with their lines: older ones are shown smaller, then as a line of text. They change eight
        turns at a time, so that a provider's cache of prompts holds between. Pictures that a model
        points at by a tool stay as they are for as long as they are among the newest.

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
        self.documents = documents
        if documents is not None:
            check_count(documents, "Rewriter: documents")
        self.history = history
        if history is not None:
            self._check_history(history)
        self._firm = strict or history is not None
        self.rule = None if model is None else token_rule(model)
        self.cache = LRU[bytes, Bundle](CACHE_BYTES, _weight)
        self._read = LRU[bytes, bytes](READ_BYTES, len)
        """What was read of pages; nothing of a stranger's is kept on disk."""

    def _check_history(self, history: int) -> None:
        lines = ceil(100 * self.images * SHORT / (100 - NEWEST))
        least = max(2 * max(self.tokens, self.documents or 0), lines)
        if check_count(history, "Rewriter: history") < least:
            raise ValueError(
                f"Rewriter: history must be at least {least}, got {history}: twice what a picture "
                f"or a document may cost, and lines for {self.images} old pictures. Raise it, or "
                "lower images."
            )
        if self.options.legible is not None:
            raise ValueError(
                "Rewriter: history is a bound, and legible may go beyond it. Leave one of them out."
            )

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
        documents = self.documents is not None
        total, until = count_pictures(body, adapter, documents), monotonic() + seconds
        changed = dict(body)
        if total:
            try:
                rule, windows = self._rule(body, model or str(body.get("model", "")), total)
                request = _Request(
                    rule, tokens or self.tokens, windows, report, known, until, new,
                    self._most(rule, total), _points(body),
                )  # fmt: skip
                if self.history is not None:
                    request.steps = iter(self._steps(body, adapter, request, self.history))
                changed |= with_views(body, adapter, partial(self._replaced, request), documents)
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
        if _points(body) and (self.strict or self.history is None):
            raise ValueError(SCREEN)
        facts = rule.facts
        most = MAX_WINDOWS if self.options.windows is None else self.options.windows
        if self.history is not None:  # the same in all requests of a conversation
            windows = min(most, facts.windows, max(0, _images(rule) // (3 * BLOCK) - 1))
            return rule.crowded(_images(rule)), windows
        windows = min(most, facts.windows, _images(rule) // max(1, total) - 1)
        if windows < 0:
            raise ValueError(f"{rule.name} takes {facts.images} pictures, got {total}")
        pictures = windows + 1 if self.documents is None else self._most(rule, total)
        return rule.crowded(total * max(pictures, windows + 1)), windows

    def _most(self, rule: CountingRule, total: int) -> int:
        """How many pictures a document may have, in a request with so many parts."""
        parts = BLOCK if self.history is not None else total
        return min(MOST_PICTURES, max(1, _images(rule) // parts))

    def _steps(
        self, body: Mapping[str, Any], adapter: Adapter, request: "_Request", tokens: int
    ) -> list[Step]:
        """What becomes of each picture of a conversation, turn by turn."""

        smallest, _ = raised(request.rule, 1, adapter.settings)
        numbered = replace(Label.of(self.options.label, numbered=True), page=MAX_PAGES)
        with_line = smallest + numbered.fees.window
        of_document = max(self.documents or 0, with_line)

        def budgets(value: Any) -> list[int]:
            found = pictures_in([value], adapter, self.documents is not None)
            return [
                self._budget(adapter, request.tokens, request)
                if each.form == PICTURE
                else of_document
                for each in found
            ]

        always = [
            Step("full", most) for field in adapter.system for most in budgets(body.get(field))
        ]
        left = tokens - sum(step.tokens for step in always)
        each = max(request.windows + 1, request.pictures if self.documents else 1)
        history = History(left, _images(request.rule), each, with_line)
        return [*history.steps(list(map(budgets, turns_in(body, adapter)))), *always]

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
        item = Item(picture, question, request.number(picture.form), self._step(picture, request))
        try:
            return self._shown(item, request)
        except Exception as error:  # whatever a picture does, its request goes on
            if self.strict or isinstance(error, NewPictureError):
                raise
            return request.leave(picture, str(error) or type(error).__name__)

    def _step(self, picture: Picture, request: "_Request") -> Step:
        if request.steps is not None:
            return next(request.steps)
        return Step("full", request.tokens if picture.form == PICTURE else self.documents or 0)

    def _shown(self, item: Item, request: "_Request") -> list[Any]:
        picture = item.picture
        show = self._views if picture.form == PICTURE else self._document
        if not (self.fetch and picture.kind == "address"):
            return show(item, picture.file(), request)
        request.check_time()
        start = monotonic()
        try:
            data = fetch(picture.text.strip(), MAX_BYTES, request.download_seconds)
        finally:
            request.download_seconds -= monotonic() - start
        try:
            return show(item, data, request)
        except PictureError:  # its sentence may quote what came, which is not the sender's to know
            raise PictureError(UNFIT) from None

    def _document(self, item: Item, data: bytes, request: "_Request") -> list[Any]:
        """Views of a document; there is no picture that could be kept for less."""
        picture, question = item.picture, item.question
        if reason := self._no_search(question):
            return request.leave(picture, reason)
        options = replace(
            self.options, model=request.rule, settings=tuple(sorted(picture.adapter.settings)),
            numbered=item.number is not None, strict=self.strict, legible=None,
        )  # fmt: skip
        made = self._made(data, self._order(item, options, request), request)
        if not (question.from_user or made.basis == "found" or self._firm):
            return request.leave(picture, NO_QUESTION)
        return request.show(picture, made.untouched, made)

    def _order(self, item: Item, options: ViewOptions, request: "_Request") -> Order:
        pictures = 0 if item.picture.form == PICTURE else request.pictures
        return Order(
            item.question.text[-MAX_QUESTION:], item.step.tokens, options, item.number, True,
            pictures, item.step.form,
        )  # fmt: skip

    def _views(self, item: Item, data: bytes, request: "_Request") -> list[Any]:
        picture, question = item.picture, item.question
        rule, (high, wide) = request.rule, size_of(data)
        if self.pixels and high * wide > self.pixels:
            raise PictureError(
                f"expected at most {self.pixels} pixels, got {wide}x{high}. Send a smaller picture."
            )
        if request.points and item.step.form == "full":
            return request.leave(picture, SCREEN)
        unit = rule.unit
        low = unit is not None and ("detail", picture.detail) == unit.setting
        price = unit.tokens if unit and low else rule.count((high, wide))
        if item.step.is_text and price > item.step.tokens:  # however dear pictures are
            order = self._order(item, replace(self.options, model=rule), request)
            return request.show(picture, price, self._made(data, order, request))
        budget = self._budget(picture.adapter, item.step.tokens, request)
        case = Case(
            sent=picture.kind == "data",
            price=price,
            budget=budget,
            low=low,
            is_view=is_view(data),
            beyond=self.beyond,
            cap=self._cap(request),
            strict=self._firm,
            no_search=self._no_search(question),
        )
        if case.keeps:
            return request.keep(picture)
        if case.no_search:
            return request.leave(picture, case.no_search)
        bare = picture.adapter.bare
        item = item._replace(number=None if bare or case.fits else item.number)
        small = item.step.form == "small" or request.points
        options = replace(
            self.options, model=rule, windows=0 if small else request.windows,
            settings=tuple(sorted(picture.adapter.settings)),
            label=False if bare else self.options.label, numbered=item.number is not None,
            text=self.options.text and not bare,
            legible=self.options.legible if case.fallback else None,
        )  # fmt: skip
        order = self._order(item, options, request)
        order = order._replace(tokens=case.price if case.fits else budget, always=case.always)
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

        In strict mode, and in a conversation that is bounded, it is: nothing may cost more than it
        may.
        """
        scout = self.options.scout
        auto = isinstance(scout, str) and scout == "auto"  # a map is compared cell by cell
        if self._firm or not auto:
            return ""
        if not question.text:
            return NO_QUESTION
        return WHOLE if asks_for_all(question.text) else ""

    def _budget(self, adapter: Adapter, tokens: int, request: "_Request") -> int:
        """The tokens of a picture: at least what the smallest one costs, unless that is refused."""
        rule = request.rule
        enough, sentence = raised(rule, tokens, adapter.settings)
        if sentence and self.strict:
            raise ValueError(
                f"{tokens} tokens are too few for any picture, as {rule.name} counts them in this "
                f"format: the smallest costs {enough}. Raise the budget to {enough} or more."
            )
        if sentence and sentence not in request.report.notes:
            request.report.notes.append(sentence)
        return enough

    def _made(self, data: bytes, order: Order, request: "_Request") -> Bundle:
        """The views of a picture's file; without parts if the picture is to be left as it is."""
        if order.form == "short":
            return as_text(short_line(order.name))
        key = order.key(data)
        if cached := self.cache.get(key):
            return cached
        request.check_time()
        make = self._made_of_document if order.pictures else self._made_of_picture
        made = make(data, order, request)
        self.cache.put(key, made)
        return made

    def _made_of_picture(self, data: bytes, order: Order, request: "_Request") -> Bundle:
        planner = Planner(data, order.question, options=order.options)
        if order.form == "line":
            high, wide = planner.picture.original
            found = places(planner.sight)
            return as_text(line(order.name, order.number, f"{wide} x {high}", found))
        views = planner.views_or_original(order.tokens)
        if views.original and order.always:
            views = planner.views(max(order.tokens, self.options.cap))
        return Bundle((), 0) if views.original else views.bundle(order.number)

    def _made_of_document(self, data: bytes, order: Order, request: "_Request") -> Bundle:
        seconds = min(DOCUMENT_SECONDS, request.until - monotonic())
        with IsolatedPdf(data, seconds) as pages:
            document = Document(pages, ocr=order.options.ocr, keep=self._read, progress=False)
            options = replace(order.options, ocr=None)
            views = document.views(
                order.question, order.tokens, pictures=order.pictures, options=options
            )
            if order.form != "line":
                return views.bundle(order.number)
            found = [f"page {page.number}" for page in views.pages]
            text = as_text(line(order.name, order.number, f"{len(document)} pages", found))
            return replace(text, untouched=views.untouched)


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
    pictures: int = 1
    """How many each document may have."""
    points: bool = False
    """Whether the model points at pixels of a screen."""
    steps: Iterator[Step] | None = None
    """What becomes of each picture of a conversation that is bounded."""
    download_seconds: float = field(default_factory=lambda: DOWNLOAD_SECONDS)
    """What is left for its pictures' servers, however many."""
    counts: Counter[str] = field(default_factory=Counter[str])
    """The pictures, and the documents, that came so far."""

    def check_time(self) -> None:
        """Raise if there is no time for a new picture.

        When the client has given up, the rest of a request would only keep others waiting.
        """
        if not self.new:
            raise NewPictureError
        if monotonic() > self.until:
            raise TimeoutError("views were not ready in time")

    def number(self, form: str) -> int | None:
        """The number of the next picture or document, which its lines say if it is not the first.

        The first has none, so that a conversation with one picture begins with the same bytes when
        another one comes.
        """
        self.counts[form] += 1
        return self.counts[form] if self.counts[form] > 1 else None

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


def as_text(text: str) -> Bundle:
    """A line in the place of a picture."""
    return Bundle((Part(text, None),), 0, label_tokens=line_tokens(text))


def _images(rule: CountingRule) -> int:
    """How many a request may have."""
    return rule.facts.images or UNBOUNDED


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
