"""HTTP clients for the SDKs of OpenAI and Anthropic that send views in place of pictures.

Nothing else of a request changes, and nothing at all of one without pictures.
"""

from collections.abc import Callable
from typing import Any

from homunculus.lazy import need
from homunculus.serve.bodies import Head, rewrite_body
from homunculus.serve.rewrite import Report, Rewriter

Tell = Callable[[Report], None]


def http_client(
    tokens: int = 273, *, transport: Any = None, report: Tell | None = None, **options: Any
) -> Any:
    """A client for `OpenAI(http_client=...)` or `Anthropic(http_client=...)`.

    ``report`` is told what became of the pictures of each request. ``options`` are those of
    `homunculus.serve.Rewriter`; ``transport`` carries the requests out, past a proxy for instance.

    >>> client = http_client(tokens=128)  # OpenAI(http_client=client)
    >>> client.close()
    """
    http: Any = need("httpx2", extra="client", who="homunculus.serve.http_client")
    rewriter = Rewriter(tokens, **options)
    inner = transport or http.HTTPTransport()

    class Transport(http.BaseTransport):
        def handle_request(self, request: Any) -> Any:
            body = request.read()
            return inner.handle_request(_changed(http, rewriter, report, request, body))

        def close(self) -> None:
            inner.close()

    return http.Client(
        transport=Transport(), timeout=http.Timeout(TIMEOUT, connect=CONNECT), follow_redirects=True
    )


def async_http_client(
    tokens: int = 273, *, transport: Any = None, report: Tell | None = None, **options: Any
) -> Any:
    """The same for `AsyncOpenAI` and `AsyncAnthropic`; views are made in a thread.

    >>> client = async_http_client(tokens=128)  # AsyncOpenAI(http_client=client)
    >>> client.is_closed
    False
    """
    http: Any = need("httpx2", extra="client", who="homunculus.serve.async_http_client")
    threads: Any = need("anyio.to_thread", extra="client", who="homunculus.serve")
    rewriter = Rewriter(tokens, **options)
    inner = transport or http.AsyncHTTPTransport()

    class Transport(http.AsyncBaseTransport):
        async def handle_async_request(self, request: Any) -> Any:
            body = await request.aread()
            changed = await threads.run_sync(_changed, http, rewriter, report, request, body)
            return await inner.handle_async_request(changed)

        async def aclose(self) -> None:
            await inner.aclose()

    return http.AsyncClient(
        transport=Transport(), timeout=http.Timeout(TIMEOUT, connect=CONNECT), follow_redirects=True
    )


TIMEOUT, CONNECT = 600.0, 5.0
"""Seconds for an answer, and to reach the server."""


def _changed(http: Any, rewriter: Rewriter, report: Tell | None, request: Any, body: bytes) -> Any:
    """The request as it is sent on."""
    headers = request.headers
    head = Head(
        request.method, request.url.path, headers.get("content-type", ""),
        headers.get("content-encoding", ""),
    )  # fmt: skip
    new, found = rewrite_body(rewriter, head, body)
    if report and (found.pictures or found.left):
        report(found)
    if new is body:
        return request
    kept = [(name, value) for name, value in headers.raw if name.lower() != b"content-length"]
    extensions = request.extensions
    return http.Request(
        request.method, request.url, headers=kept, content=new, extensions=extensions
    )
