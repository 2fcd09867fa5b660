"""HTTP clients for the SDKs of OpenAI and Anthropic that send views in place of pictures.

Nothing else of a request changes, and nothing at all of one without pictures.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from homunculus.lazy import need
from homunculus.messages.rewrite import Report
from homunculus.planner.counting import DEFAULT_TOKENS
from homunculus.serve.bodies import Head, rewrite_body
from homunculus.serve.rewriter import Rewriter

TIMEOUT, CONNECT = 600.0, 5.0
"""Seconds for an answer, and to reach the server."""
Listener = Callable[[Report], None]


def http_client(
    tokens: int = DEFAULT_TOKENS,
    *,
    transport: Any = None,
    report: Listener | None = None,
    **options: Any,
) -> Any:
    """A client for `OpenAI(http_client=...)` or `Anthropic(http_client=...)`.

    ``report`` is called with what became of the pictures of each request. ``options`` are those of
    `homunculus.serve.Rewriter`; ``transport`` carries the requests out, past a proxy for instance.

    >>> client = http_client(tokens=128)  # OpenAI(http_client=client)
    >>> client.close()
    """
    http: Any = need("httpx2", extra="client", who="homunculus.serve.http_client")
    change = partial(_changed, http, Rewriter(tokens, **options), report)
    inner = transport or http.HTTPTransport()

    class Transport(http.BaseTransport):
        def handle_request(self, request: Any) -> Any:
            return inner.handle_request(change(request, request.read()))

        def close(self) -> None:
            inner.close()

    timeout = http.Timeout(TIMEOUT, connect=CONNECT)
    return http.Client(transport=Transport(), timeout=timeout, follow_redirects=True)


def async_http_client(
    tokens: int = DEFAULT_TOKENS,
    *,
    transport: Any = None,
    report: Listener | None = None,
    **options: Any,
) -> Any:
    """The same for `AsyncOpenAI` and `AsyncAnthropic`; views are made in a thread.

    >>> client = async_http_client(tokens=128)  # AsyncOpenAI(http_client=client)
    >>> client.is_closed
    False
    """
    http: Any = need("httpx2", extra="client", who="homunculus.serve.async_http_client")
    threads: Any = need("anyio.to_thread", extra="client", who="homunculus.serve")
    change = partial(_changed, http, Rewriter(tokens, **options), report)
    inner = transport or http.AsyncHTTPTransport()

    class Transport(http.AsyncBaseTransport):
        async def handle_async_request(self, request: Any) -> Any:
            changed = await threads.run_sync(change, request, await request.aread())
            return await inner.handle_async_request(changed)

        async def aclose(self) -> None:
            await inner.aclose()

    timeout = http.Timeout(TIMEOUT, connect=CONNECT)
    return http.AsyncClient(transport=Transport(), timeout=timeout, follow_redirects=True)


def _changed(
    http: Any, rewriter: Rewriter, report: Listener | None, request: Any, body: bytes
) -> Any:
    """The request as it is sent on."""
    headers = request.headers
    head = Head(
        request.method, request.url.path, headers.get("content-type", ""),
        headers.get("content-encoding", ""),
    )  # fmt: skip
    changed, outcome = rewrite_body(rewriter, head, body)
    if report and (outcome.pictures or outcome.left):
        report(outcome)
    if changed is body:
        return request
    kept = [(name, value) for name, value in headers.raw if name.lower() != b"content-length"]
    return http.Request(
        request.method, request.url, headers=kept, content=changed, extensions=request.extensions
    )
