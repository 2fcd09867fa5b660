"""Bodies of HTTP requests: JSON of a route that we know, or something else.

In open modes, whatever we do not know goes on as it came. In strict modes it is refused.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from homunculus.errors import HomunculusError
from homunculus.messages import Adapter, adapter_of, is_plain
from homunculus.messages.gemini import model_in
from homunculus.messages.guard import leaks
from homunculus.serve.rewriter import Report, Rewriter

READ_METHODS = ("GET", "HEAD", "OPTIONS", "DELETE")
"""Methods whose bodies mean nothing."""
ADVICE = "Strict mode sends on only what it can check."


class RefusedError(HomunculusError, ValueError):
    """A request that strict mode does not send on.

    >>> from homunculus.serve import Rewriter
    >>> try: rewrite_body(Rewriter(64, strict=True), Head("POST", "/v1/files", "text/html"), b"x")
    ... except RefusedError as error: print(error.status, error)
    415 expected application/json, got 'text/html'. Strict mode sends on only what it can check.
    """

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(f"{sentence} {ADVICE}")
        self.status = status
        """What an HTTP server answers."""


class Head(NamedTuple):
    """What an HTTP request says of its body."""

    method: str
    path: str
    media: str = ""
    """Its `content-type`."""
    encoding: str = ""
    """Its `content-encoding`."""

    @property
    def adapter(self) -> Adapter | None:
        """The adapter of its route."""
        return adapter_of(self.path)

    @property
    def model(self) -> str | None:
        """The model that its route names."""
        return model_in(self.path)

    @property
    def is_json(self) -> bool:
        """Whether the body is said to be JSON."""
        kind = self.media.partition(";")[0].strip().lower()
        return kind == "application/json" or kind.endswith("+json")

    @property
    def is_encoded(self) -> bool:
        """Whether the body is compressed."""
        return self.encoding.strip().lower() not in ("", "identity")


def parse(head: Head, body: bytes, strict: bool = False) -> dict[str, Any] | None:
    """The JSON object of a request, if it has one; what else it may be is refused if ``strict``.

    >>> head = Head("POST", "/v1/messages", "Application/JSON; charset=utf-8")
    >>> parse(head, b'{"model": "claude"}')
    {'model': 'claude'}
    """
    if head.method.upper() in READ_METHODS or not body.strip():
        return None
    if strict:
        _refuse_unknown(head)
    if head.is_encoded:
        return None
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        if strict:
            raise RefusedError(f"expected a body of JSON, got none ({error!s:.80}).") from None
        return None
    if isinstance(value, dict):
        return value
    if strict:
        raise RefusedError(f"expected a JSON object, got {type(value).__name__}.")
    return None


def _refuse_unknown(head: Head) -> None:
    if head.is_encoded:
        raise RefusedError(
            f"expected a body as it is, got content-encoding {head.encoding[:40]!r}.", 415
        )
    if not head.is_json:
        raise RefusedError(f"expected application/json, got {head.media[:60]!r}.", 415)
    if head.adapter is None and not is_plain(head.path):
        raise RefusedError(f"the route {head.path[:80]!r} is not known.")


def unread(head: Head, body: bytes) -> list[str]:
    """Why a body was not looked at, if it is one that might hold pictures."""
    if head.method.upper() in READ_METHODS or not body.strip():
        return []
    if head.is_encoded:
        return [f"the body is compressed ({head.encoding[:40]}), so it was not looked at"]
    return [f"the body is no JSON object ({head.media[:60]}), so it was not looked at"]


def rewrite(
    rewriter: Rewriter, head: Head, body: Mapping[str, Any], **options: Any
) -> tuple[dict[str, Any], Report]:
    """A request's JSON with views, as its route asks for; one of other routes is only checked."""
    if head.adapter is not None:
        return rewriter.request(body, adapter=head.adapter, model=head.model, **options)
    report = Report()
    for leak in leaks(body):
        if rewriter.strict:
            raise RefusedError(f"{leak}: requests to {head.path[:80]!r} may hold text alone.")
        report.left.append(f"{leak}, on a route that is not known")
    return dict(body), report


def pack(body: Mapping[str, Any]) -> bytes:
    """JSON as it is sent."""
    return json.dumps(body, allow_nan=False).encode()


def rewrite_body(rewriter: Rewriter, head: Head, body: bytes) -> tuple[bytes, Report]:
    """The body of a request with views; the same bytes if it has no pictures to show.

    In strict mode what is sent is written anew from what was checked: a field that stands twice
    in the JSON stands there once.
    """
    try:
        value = parse(head, body, rewriter.strict)
        if value is None:
            return body, Report(left=unread(head, body))
        changed, report = rewrite(rewriter, head, value)
        return (pack(changed) if report.pictures or rewriter.strict else body), report
    except (ValueError, RecursionError) as error:
        if rewriter.strict:
            raise
        return body, Report(left=[str(error)])
