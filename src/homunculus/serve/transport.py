"""HTTP clients for the SDKs of OpenAI and Anthropic that send views in place of pictures.

Nothing else of a request changes, and nothing at all of one without pictures.
"""

import json
from typing import Any

from homunculus.lazy import need
from homunculus.serve.rewrite import Report, Rewriter

PATHS = ("/chat/completions", "/responses", "/messages")
"""What the addresses of requests with pictures end in."""


def rewrite_body(rewriter: Rewriter, path: str, body: bytes) -> tuple[bytes, Report]:
    """The body of a request with views; the same bytes if it has no pictures to show."""
    found = Report()
    if not path.rstrip("/").endswith(PATHS):
        return body, found
    try:
        told = json.loads(body)
    except ValueError:
        return body, found
    if isinstance(told, dict):
        told, found = rewriter.request(told)
    return (json.dumps(told).encode() if found.pictures else body), found


def http_client(tokens: int = 273, *, transport: Any = None, **options: Any) -> Any:
    """A client for `OpenAI(http_client=...)` or `Anthropic(http_client=...)`.

    ``options`` are those of `homunculus.serve.Rewriter`; ``transport`` carries the requests out.
    """
    http: Any = need("httpx2", extra="client", who="homunculus.serve.http_client")
    rewriter = Rewriter(tokens, **options)
    inner = transport or http.HTTPTransport()

    class Transport(http.BaseTransport):
        def handle_request(self, request: Any) -> Any:
            return inner.handle_request(_changed(http, rewriter, request, request.read()))

        def close(self) -> None:
            inner.close()

    return http.Client(transport=Transport(), timeout=TIMEOUT, follow_redirects=True)


def async_http_client(tokens: int = 273, *, transport: Any = None, **options: Any) -> Any:
    """The same for `AsyncOpenAI` and `AsyncAnthropic`; views are made in a thread."""
    http: Any = need("httpx2", extra="client", who="homunculus.serve.async_http_client")
    threads: Any = need("anyio.to_thread", extra="client", who="homunculus.serve")
    rewriter = Rewriter(tokens, **options)
    inner = transport or http.AsyncHTTPTransport()

    class Transport(http.AsyncBaseTransport):
        async def handle_async_request(self, request: Any) -> Any:
            body = await request.aread()
            changed = await threads.run_sync(_changed, http, rewriter, request, body)
            return await inner.handle_async_request(changed)

        async def aclose(self) -> None:
            await inner.aclose()

    return http.AsyncClient(transport=Transport(), timeout=TIMEOUT, follow_redirects=True)


TIMEOUT = 600.0
"""Seconds, as in both SDKs."""


def _changed(http: Any, rewriter: Rewriter, request: Any, body: bytes) -> Any:
    """The request as it is sent on."""
    if request.method != "POST":
        return request
    new, _ = rewrite_body(rewriter, request.url.path, body)
    if new is body:
        return request
    headers = [
        (name, value) for name, value in request.headers.raw if name.lower() != b"content-length"
    ]
    extensions = request.extensions
    return http.Request("POST", request.url, headers=headers, content=new, extensions=extensions)
