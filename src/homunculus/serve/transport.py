"""HTTP clients for the SDKs of OpenAI and Anthropic that send views in place of pictures.

Nothing else of a request changes, and nothing at all of one without pictures.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from homunculus.lazy import need
from homunculus.planner.counting import DEFAULT_TOKENS
from homunculus.serve.bodies import Head, rewrite_body
from homunculus.serve.rewriter import Report, Rewriter

TIMEOUT, CONNECT = 600.0, 5.0
"""Seconds for an answer, and to reach the server."""
Listener = Callable[[Report], None]


def http_client(
    tokens: int = DEFAULT_TOKENS,
    *,
    report: Listener | None = None,
    client: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """A client for `OpenAI(http_client=...)` or `Anthropic(http_client=...)`.

    ``report`` is called with what became of the pictures of each request. ``client`` holds options
    of `httpx2.Client`, such as `verify`, `proxy` and `limits`; as usual, HTTPS_PROXY and its like
    hold. All other options are those of `homunculus.serve.Rewriter`.

    >>> client = http_client(tokens=128)  # OpenAI(http_client=client)
    >>> client.close()
    """
    http: Any = need("httpx2", extra="client", who="homunculus.serve.http_client")
    change = partial(_changed, http, Rewriter(tokens, **options), report)

    class Client(http.Client):
        def send(self, request: Any, **options: Any) -> Any:
            return super().send(change(request, request.read()), **options)

    return Client(**_settings(http) | dict(client or {}))


def async_http_client(
    tokens: int = DEFAULT_TOKENS,
    *,
    report: Listener | None = None,
    client: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """A client for `AsyncOpenAI` and `AsyncAnthropic`; views are made in a thread.

    Its options are those of `http_client`, and ``client`` holds those of `httpx2.AsyncClient`.

    >>> client = async_http_client(tokens=128)  # AsyncOpenAI(http_client=client)
    >>> client.is_closed
    False
    """
    http: Any = need("httpx2", extra="client", who="homunculus.serve.async_http_client")
    threads: Any = need("anyio.to_thread", extra="client", who="homunculus.serve")
    change = partial(_changed, http, Rewriter(tokens, **options), report)

    class AsyncClient(http.AsyncClient):
        async def send(self, request: Any, **options: Any) -> Any:
            changed = await threads.run_sync(change, request, await request.aread())
            return await super().send(changed, **options)

    return AsyncClient(**_settings(http) | dict(client or {}))


def _settings(http: Any) -> dict[str, Any]:
    return {"timeout": http.Timeout(TIMEOUT, connect=CONNECT), "follow_redirects": True}


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
