"""Requests in, the same requests out, with views in place of pictures.

Three shapes are known: OpenAI's chat completions and responses, and Anthropic's messages. What is
not a picture stays as it is; nothing is changed in place. A picture keeps the question of its own
turn, so that later requests of a conversation begin with the same bytes.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock
from typing import Any

from homunculus.image import PictureError, from_data_uri
from homunculus.planner import views
from homunculus.planner.counting import TokenRule
from homunculus.planner.messages import Bundle, anthropic, bundle, is_view, openai, responses
from homunculus.planner.models import rule_of, token_rule
from homunculus.relevance.scout import ScoutLike

MOST = 64 << 20
"""Bytes of one picture."""
IMAGES = 100
"""Pictures of a request."""
KEPT = 256 << 20
"""Bytes of views that are kept for requests that ask for them again."""
LETTERS = 2000
"""Characters of a question that are used."""

Shape = Callable[[Bundle], list[dict[str, Any]]]


@dataclass
class Report:
    """What became of the pictures of one request."""

    pictures: int = 0
    """That were shown as views."""
    untouched: int = 0
    """Tokens that they would have cost."""
    tokens: int = 0
    """Tokens that their views cost."""
    left: list[str] = field(default_factory=list[str])
    """Why others were left as they are."""


class PicturesError(ValueError):
    """A request has more pictures than it may."""


class Rewriter:
    """Puts views in place of pictures. One may be used by many threads."""

    def __init__(
        self,
        tokens: int = 273,
        *,
        model: str | int | TokenRule | None = None,
        label: bool = True,
        strict: bool = False,
        images: int = IMAGES,
        scout: ScoutLike = "auto",
        acuity: Any = "vlm",
    ) -> None:
        """Every picture gets at most ``tokens`` tokens as ``model`` counts them.

        Without a ``model`` the request's own is taken; if nobody knows how it counts, its pictures
        are left as they are. With ``strict`` a picture that cannot be shown raises instead.
        """
        if tokens < 1:
            raise ValueError(f"Rewriter: expected 1 token or more, got {tokens}.")
        self.tokens, self.label, self.strict, self.images = tokens, label, strict, images
        self.rule = None if model is None else token_rule(model)
        self.scout, self.acuity = scout, acuity
        self._kept = OrderedDict[bytes, Bundle]()
        self._bytes, self._lock = 0, Lock()

    # ---- requests

    def request(
        self, body: Mapping[str, Any], *, model: str | None = None, tokens: int | None = None
    ) -> tuple[dict[str, Any], Report]:
        """A request of any known shape with views in place of pictures, and what was done."""
        name = "input" if "input" in body else "messages"
        rule = self.rule or rule_of(str(model or body.get("model", "")))
        found = Report()
        turns = body.get(name)
        if not isinstance(turns, list):
            return dict(body), found
        if rule is None:
            many = sum(1 for turn in turns for _ in _pictures(turn))
            reason = f"nobody knows how {model or body.get('model')} counts"
            found.left += [reason] * many
            return dict(body), found
        rewritten = self._turns(turns, rule, tokens or self.tokens, found)
        return {**body, name: rewritten}, found

    def messages(
        self, messages: Sequence[Any], model: str | None = None, tokens: int | None = None
    ) -> list[Any]:
        """A list of messages, of chat completions or of Anthropic, with views."""
        body, _ = self.request({"messages": list(messages)}, model=model, tokens=tokens)
        return body["messages"]

    def _turns(
        self, turns: Sequence[Any], rule: TokenRule, tokens: int, report: Report
    ) -> list[Any]:
        many = sum(1 for turn in turns for _ in _pictures(turn))
        if many > self.images:
            raise PicturesError(
                f"homunculus: a request may have {self.images} pictures, got {many}."
            )
        asked = questions(turns)
        return [
            self._walk(turn, _Ask(question, rule, tokens, report))
            for turn, question in zip(turns, asked, strict=True)
        ]

    def _walk(self, part: Any, ask: "_Ask") -> Any:
        """A copy of a part in which lists hold views for their pictures."""
        if isinstance(part, list):
            found = list[Any]()
            for one in part:
                found += self._replaced(one, ask)
            return found
        if isinstance(part, Mapping):
            inner = {name: part[name] for name in ("content", "output") if name in part}
            inner = {name: one for name, one in inner.items() if isinstance(one, list)}
            if inner:
                return {**part, **{name: self._walk(one, ask) for name, one in inner.items()}}
        return part

    def _replaced(self, part: Any, ask: "_Ask") -> list[Any]:
        found = picture_of(part)
        if found is None:
            return [self._walk(part, ask)]
        source, shape = found
        try:
            data = _bytes(source)
            if is_view(data):
                return [part]
            made = self.bundle(data, ask.question, ask.rule, ask.tokens)
        except (PictureError, ValueError, MemoryError) as error:
            if self.strict:
                raise
            ask.report.left.append(str(error))
            return [part]
        ask.report.pictures += 1
        ask.report.tokens += made.tokens
        ask.report.untouched += made.untouched
        return shape(made)

    # ---- views

    def bundle(self, data: bytes, question: str, rule: TokenRule, tokens: int) -> Bundle:
        """The views of a picture's file, made once."""
        question = question[-LETTERS:]
        key = blake2b(digest_size=16)
        for one in (data, question.encode(), rule.name.encode(), str(tokens).encode()):
            key.update(len(one).to_bytes(8, "big") + one)
        if known := self._recall(key.digest()):
            return known
        seen = views(
            data, question, tokens=tokens, model=rule, scout=self.scout, acuity=self.acuity
        )
        made = bundle(seen, self.label)
        self._keep(key.digest(), made)
        return made

    def _recall(self, key: bytes) -> Bundle | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: bytes, made: Bundle) -> None:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._bytes += _weight(made)
            while self._bytes > KEPT and self._kept:
                self._bytes -= _weight(self._kept.popitem(last=False)[1])


@dataclass(frozen=True)
class _Ask:
    """What one turn's pictures are shown for."""

    question: str
    rule: TokenRule
    tokens: int
    report: Report


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
    return None


def _bytes(source: Any) -> bytes:
    """The file of a picture that came with the request."""
    if isinstance(source, Mapping) and source.get("type") == "base64":
        return from_data_uri(f"data:;base64,{source.get('data', '')}", MOST)
    if isinstance(source, str) and source[:5].lower() == "data:":
        return from_data_uri(source, MOST)
    raise PictureError("the picture is not in the request: only its address or its id is")


def _pictures(part: Any) -> Iterator[Any]:
    """All pictures of a turn, however deep."""
    if isinstance(part, list):
        for one in part:
            yield from _pictures(one)
    elif isinstance(part, Mapping):
        if picture_of(part):
            yield part
        else:
            yield from _pictures([part[name] for name in ("content", "output") if name in part])


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
    return isinstance(turn, Mapping) and turn.get("role") == "user"


def _said(turn: Any) -> str:
    """The text of a user's turn, without results of tools."""
    if not _from_user(turn):
        return ""
    content = turn.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    kinds = ("text", "input_text")
    texts = [
        part.get("text")
        for part in parts
        if isinstance(part, Mapping) and part.get("type") in kinds
    ]
    return "\n".join(text for text in texts if isinstance(text, str))
