"""Requests in, the same requests out, with views in place of pictures.

Four shapes are known: OpenAI's chat completions and responses, Anthropic's messages, and Gemini's
contents. What is not a picture stays as it is; nothing is changed in place. A picture keeps the
question of its own turn, so that later requests of a conversation begin with the same bytes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from io import BytesIO
from time import monotonic
from typing import Any

from homunculus.core.cache import LRU
from homunculus.core.types import check_count
from homunculus.image import PictureError, from_data_uri, size_of, to_data_uri
from homunculus.lazy import need
from homunculus.planner import views
from homunculus.planner.counting import Size, TokenRule
from homunculus.planner.messages import (
    Bundle,
    anthropic,
    bundle,
    gemini,
    is_view,
    openai,
    responses,
)
from homunculus.planner.models import rule_of, token_rule
from homunculus.relevance.scout import ScoutLike
from homunculus.serve.fetch import SECONDS, fetch

MOST = 64 << 20
"""Bytes of one picture."""
IMAGES = 100
"""Pictures of a request."""
KEPT = 256 << 20
"""Bytes of views that are kept for requests that ask for them again."""
DEPTH = 8
"""Lists within lists that are looked into; real requests have three."""
LETTERS = 2000
"""Characters of a question that are used."""
ELSEWHERE = "the picture is not in the request: only its address or its id is"
UNFIT = (
    "address of a picture: expected PNG, JPEG, WebP, GIF or BMP of at most 400 megapixels, got "
    "something else. Send the picture itself, in base64."
)
SCREEN = "the model points at pixels of its screen, which must stay as they are"
ALONE = {ELSEWHERE, SCREEN}
"""Why a picture is left as it is although nothing is wrong with it."""

Shape = Callable[[Bundle], list[dict[str, Any]]]


@dataclass
class Report:
    """What became of the pictures of one request.

    >>> report = Report(pictures=1, untouched=1690, tokens=128)
    >>> f"{1 - report.tokens / report.untouched:.0%} saved"
    '92% saved'
    """

    pictures: int = 0
    """That were shown as views."""
    untouched: int = 0
    """Tokens that they would have cost."""
    tokens: int = 0
    """Tokens that their views cost."""
    left: list[str] = field(default_factory=list[str])
    """Why others were left as they are."""


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
        label: bool = True,
        strict: bool = False,
        images: int = IMAGES,
        fetch: bool = False,
        beyond: bool = False,
        pixels: int | None = None,
        scout: ScoutLike = "auto",
        acuity: Any = "vlm",
    ) -> None:
        """Every picture gets at most ``tokens`` tokens as ``model`` counts them.

        Without a ``model`` the request's own is taken. A picture is left as it is if nobody knows
        how its model counts, if it cannot be opened, or if views would cost as much; with
        ``strict`` the first two raise. Addresses of pictures are left as they are, or with
        ``fetch`` asked for, if they are public (`homunculus.serve.fetch`). With ``beyond``, views
        may cost more than the picture: where a model reduces every picture to one size, windows
        show what is lost by that. A picture of more than ``pixels`` pixels is not opened.
        """
        check_count(tokens, "Rewriter: tokens")
        self.tokens, self.label, self.strict, self.images = tokens, label, strict, images
        self.fetch, self.beyond, self.pixels = fetch, beyond, pixels
        self.rule = None if model is None else token_rule(model)
        self.scout, self.acuity = scout, acuity
        self.known = LRU[bytes, Bundle](KEPT, _weight)

    # ---- requests

    def request(
        self,
        body: Mapping[str, Any],
        *,
        model: str | TokenRule | None = None,
        tokens: int | None = None,
        seconds: float = float("inf"),
        new: bool = True,
    ) -> tuple[dict[str, Any], Report]:
        """A request of any known shape with views in place of pictures, and what was done.

        ``model`` is the name that its API has for the model, if the body does not say, or a rule.
        After ``seconds`` no other picture is begun. Without ``new`` it takes milliseconds: if views
        would have to be made, or a picture fetched, `NewPictureError` is raised.
        """
        name, turns, many = turns_of(body)
        report = Report()
        if not many:
            return dict(body), report
        try:
            rule, windows = self._rule(body, model or str(body.get("model", "")), many)
        except ValueError as error:
            if self.strict:
                raise
            report.left += [str(error)] * many
            return dict(body), report
        wait = _Wait(seconds, new)
        asked = [
            _Ask(question, rule, tokens or self.tokens, windows, report, wait)
            for question in questions(turns)
        ]
        changed = [self._walk(turn, ask) for turn, ask in zip(turns, asked, strict=True)]
        return {**body, name: changed}, report

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
        self, body: Mapping[str, Any], model: str | TokenRule, many: int
    ) -> tuple[TokenRule, int]:
        """Whose tokens are counted, and how many windows each picture may have."""
        rule = self.rule or (model if isinstance(model, TokenRule) else rule_of(model))
        if rule is None:
            raise ValueError(f"nobody knows how {str(model)[:80] or 'an unnamed model'} counts")
        if many > self.images:
            raise PicturesError(f"a request may have {self.images} pictures, got {many}")
        if _points(body):
            raise ValueError(SCREEN)
        facts = rule.facts
        windows = min(facts.windows, (facts.images or 10**6) // max(1, many) - 1)
        if windows < 0:
            raise PicturesError(f"{rule.name} takes {facts.images} pictures, got {many}")
        if facts.crowd and many * (windows + 1) > facts.crowd[0]:
            rule = replace(rule, edge=min(rule.edge or 10**6, facts.crowd[1]))
        return rule, windows

    def _walk(self, part: Any, ask: "_Ask", depth: int = DEPTH) -> Any:
        """A copy of a part in which lists hold views for their pictures."""
        if not depth:
            return part
        changed = dict[str, Any]()
        for name, some in _lists(part).items():
            changed[name] = [new for one in some for new in self._replaced(one, ask, depth - 1)]
        if source := _document(part):
            changed["source"] = self._walk(source, ask, depth - 1)
        return {**part, **changed} if changed else part

    def _replaced(self, part: Any, ask: "_Ask", depth: int) -> list[Any]:
        found = picture_of(part)
        if found is None:
            return [self._walk(part, ask, depth)]
        try:
            return self._shown(part, *found, ask)
        except Exception as error:  # whatever a picture does, its request goes on
            if self.strict or isinstance(error, NewPictureError):
                raise
            ask.report.left.append(str(error) or type(error).__name__)
            return [part]

    def _shown(self, part: Mapping[str, Any], source: Any, shape: Shape, ask: "_Ask") -> list[Any]:
        address = _address(source) if self.fetch else None
        if address is None:
            return self._views(part, _bytes(source), shape, ask, here=True)
        ask.wait.check()
        data = ask.wait.file(address)
        try:
            return self._views(part, data, shape, ask, here=False)
        except PictureError:  # its sentence may quote what came, which is not the sender's to know
            raise PictureError(UNFIT) from None

    def _views(
        self, part: Mapping[str, Any], data: bytes, shape: Shape, ask: "_Ask", here: bool
    ) -> list[Any]:
        """The views of a file. If it is not ``here``, its server may send others another one than
        us: then the address never stays."""
        rule, (high, wide) = ask.rule, size_of(data)
        if self.pixels and high * wide > self.pixels:
            raise PictureError(
                f"expected at most {self.pixels} pixels, got {wide}x{high}. Send a smaller picture."
            )
        price = _price(part, rule, (high, wide))
        if here and price <= ask.tokens and (is_view(data) or _low(part, rule)):
            return [part]
        tokens = ask.tokens if self.beyond else min(ask.tokens, price)
        made = self.bundle(data, ask, tokens, SETTINGS.get(shape, ()))
        if here and len(made.parts) == 1 and made.tokens >= price:
            return [part]  # nothing to win
        ask.report.pictures += 1
        ask.report.tokens += made.tokens
        ask.report.untouched += price
        return _with_rest(part, shape(made))

    # ---- views

    def bundle(self, data: bytes, ask: "_Ask", tokens: int, settings: Sequence[str]) -> Bundle:
        """The views of a picture's file, made once."""
        question, rule = ask.question[-LETTERS:], ask.rule
        given = (question, rule.name, tokens, rule.edge, ask.windows, tuple(settings))
        key = blake2b(data, digest_size=16, key=blake2b(repr(given).encode()).digest()).digest()
        if known := self.known.get(key):
            return known
        ask.wait.check()
        shown = views(
            data, question, tokens=tokens, model=rule, scout=self.scout, acuity=self.acuity,
            windows=ask.windows, settings=settings,
        )  # fmt: skip
        made = bundle(shown, self.label)
        self.known.put(key, made)
        return made


def warm(rewriter: Rewriter) -> None:
    """Make views of an empty page, so that the first request does not wait for weights."""
    images: Any = need("PIL.Image", extra="view", who="homunculus.serve")
    file = BytesIO()
    images.new("RGB", (256, 256), "white").save(file, "png")
    url = to_data_uri(file.getvalue())
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "Total?"}]
    rewriter.request({"messages": [{"role": "user", "content": parts}]}, model="claude")


class _Wait:
    """The time of one request, and the part of it for its pictures' servers, however many."""

    def __init__(self, seconds: float, new: bool) -> None:
        self.until, self.left, self.new = monotonic() + seconds, SECONDS, new

    def check(self) -> None:
        """Raise if there is no time for a new picture.

        When nobody waits any more, the rest of a request would only keep others waiting.
        """
        if not self.new:
            raise NewPictureError
        if monotonic() > self.until:
            raise TimeoutError("views were not ready in time")

    def file(self, address: str) -> bytes:
        """What stands at an address."""
        start = monotonic()
        try:
            return fetch(address, MOST, self.left)
        finally:
            self.left -= monotonic() - start


@dataclass(frozen=True)
class _Ask:
    """What one turn's pictures are shown for."""

    question: str
    rule: TokenRule
    tokens: int
    windows: int
    report: Report
    wait: _Wait


CAMEL = {
    "inline_data": "inlineData", "mime_type": "mimeType", "media_resolution": "mediaResolution",
}  # fmt: skip
"""Names of Gemini's fields, which may be written either way."""


def gemini_camel(some: Bundle) -> list[dict[str, Any]]:
    """Parts of a content for Gemini, as most clients spell them."""

    def spelled(one: Any) -> Any:
        return (
            {CAMEL.get(k, k): spelled(v) for k, v in one.items()} if isinstance(one, dict) else one
        )

    return [spelled(part) for part in gemini(some)]


SETTINGS: dict[Shape, tuple[str, ...]] = {
    openai: ("detail",), responses: ("detail",),
    gemini: ("media_resolution",), gemini_camel: ("media_resolution",),
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
    known = {"type", "image_url", "source", "detail", *CAMEL, *CAMEL.values()}
    rest = {name: value for name, value in part.items() if name not in known}
    *first, last = made
    detail = _detail(part)
    for one in made if detail else ():
        if one.get("type") == "image_url":
            one["image_url"].setdefault("detail", detail)
        elif one.get("type") == "input_image" and one["detail"] == "auto":
            one["detail"] = detail
    return [*first, {**last, **rest}]


def _weight(made: Bundle) -> int:
    return sum(len(part.picture.data) for part in made.parts)


# ---- shapes of requests --------------------------------------------------------------------------


def picture_of(part: Any) -> tuple[Any, Shape] | None:
    """The source of a part that is a picture, and the shape that its views must have."""
    if not isinstance(part, Mapping):
        return None
    kind = part.get("type")
    if kind == "image_url":
        address = part.get("image_url")
        return (address.get("url") if isinstance(address, Mapping) else address), openai
    if kind == "input_image":
        return part.get("image_url") or part, responses
    if kind == "image" and isinstance(part.get("source"), Mapping):
        return part["source"], anthropic
    return _inline(part)


def _inline(part: Mapping[str, Any]) -> tuple[Any, Shape] | None:
    """The same for a part of Gemini's, which may also hold sound or a film."""
    for name, media, shape in (
        ("inline_data", "mime_type", gemini),
        ("inlineData", "mimeType", gemini_camel),
    ):
        data = part.get(name)
        if isinstance(data, Mapping) and str(data.get(media)).startswith("image/"):
            return {"type": "base64", "data": data.get("data")}, shape
    return None


def _bytes(source: Any) -> bytes:
    """The file of a picture that came with the request."""
    if isinstance(source, Mapping) and source.get("type") == "base64":
        text = "".join(str(source.get("data", "")).split())  # some encoders break lines
        return from_data_uri(f"data:;base64,{text}", MOST)
    if isinstance(source, str) and source[:5].lower() == "data:":
        return from_data_uri(source, MOST)
    raise PictureError(ELSEWHERE)


def _address(source: Any) -> str | None:
    """Where a picture is that did not come with the request, nor by the id of a file."""
    if isinstance(source, Mapping) and source.get("type") == "url":
        source = source.get("url")
    return source if isinstance(source, str) and source[:5].lower() != "data:" else None


def _lists(part: Any) -> dict[str, list[Any]]:
    """Where a turn, or a result of a tool, holds its parts."""
    if not isinstance(part, Mapping):
        return {}
    there = {name: part.get(name) for name in ("content", "output", "parts")}
    return {name: list(one) for name, one in there.items() if isinstance(one, list | tuple)}


def _document(part: Any) -> Mapping[str, Any]:
    """What holds the parts of a document of Anthropic's, if they stand in the request."""
    if not isinstance(part, Mapping) or part.get("type") != "document":
        return {}
    source = part.get("source")
    return source if isinstance(source, Mapping) and _lists(source) else {}


def _points(body: Mapping[str, Any]) -> bool:
    """Whether a tool lets the model point at pixels of a screen."""
    tools = body.get("tools")
    some = tools if isinstance(tools, list | tuple) else ()
    kinds = [one.get("type") for one in some if isinstance(one, Mapping)]
    return any(isinstance(kind, str) and kind.startswith("computer") for kind in kinds)


def turns_of(body: Mapping[str, Any]) -> tuple[str, Sequence[Any], int]:
    """The field of a request that holds its turns, the turns, and how many pictures they have."""
    name = next((one for one in ("input", "messages", "contents") if body.get(one)), "messages")
    turns = body.get(name)
    turns = turns if isinstance(turns, list | tuple) else ()
    return name, turns, sum(1 for turn in turns for _ in pictures_in(turn))


def pictures_in(part: Any, depth: int = DEPTH) -> Iterator[Any]:
    """All pictures of a turn."""
    if not depth:
        return
    for some in _lists(part).values():
        for one in some:
            if picture_of(one):
                yield one
            else:
                yield from pictures_in(one, depth - 1)
    yield from pictures_in(_document(part), depth - 1)


def questions(turns: Sequence[Any]) -> list[str]:
    """What each turn asks of its pictures.

    That is its own text; else, for a picture sent ahead of its question, the text of the user's
    very next turn; else what the user said last.
    """
    own = [_said(turn) for turn in turns]
    found, last = list[str](), ""
    for at, text in enumerate(own):
        following = own[at + 1] if at + 1 < len(own) and _from_user(turns[at]) else ""
        found.append(text or following or last)
        last = text or last
    return found


def _from_user(turn: Any) -> bool:
    if not isinstance(turn, Mapping):
        return False
    return turn.get("role") == "user" or ("parts" in turn and turn.get("role") is None)


def _said(turn: Any) -> str:
    """The text of a user's turn, without results of tools."""
    if not _from_user(turn):
        return ""
    content = turn.get("content", turn.get("parts"))
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else []
    kinds = ("text", "input_text", None)  # Gemini's have no type
    texts = [
        part.get("text")
        for part in parts
        if isinstance(part, Mapping) and part.get("type") in kinds
    ]
    return "\n".join(text for text in texts if isinstance(text, str))
