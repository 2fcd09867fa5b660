# pyright: basic, reportMissingImports=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""Middleware for vLLM's server: requests reach the model with views in place of images.

    HOMUNCULUS_VIEWS='{"tokens": 350}' vllm serve MODEL --mm-processor-kwargs ... \
        --middleware homunculus.engines.vllm.middleware.ViewsMiddleware

A request's body is changed when vLLM reads it, which is after its key was checked. Views are made
in threads, within a deadline; whatever cannot be shown in time is shown whole. With
`"strict": true` routes, formats and pictures that are not known are refused.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import monotonic, perf_counter
from typing import Any

from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.stock import ViewSettings, describe, find_rule
from homunculus.lazy import need
from homunculus.messages.body import count_pictures
from homunculus.planner.counting import CountingRule
from homunculus.serve.bodies import Head, RefusedError, pack, parse, rewrite, unread
from homunculus.serve.rewriter import (
    HARMLESS,
    NewPictureError,
    PicturesError,
    Report,
    Rewriter,
    warm,
)

WHO = "homunculus.engines.vllm.middleware"
LOG = logging.getLogger("vllm.homunculus")
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Rewritten = tuple[dict[str, Any], Report]


class ViewsMiddleware:
    """An ASGI application around another one."""

    def __init__(self, app: Any, maker: "BodyRewriter | None" = None) -> None:
        """``maker`` is made from the environment and vLLM's state when the server starts."""
        self.app, self.maker = app, maker

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Pass everything on; bodies that may hold images are changed as they are read."""
        if scope["type"] == "lifespan" and self.maker is None:
            try:
                self.maker = BodyRewriter.of(scope["app"].state.vllm_config.model_config)
            except Exception as error:  # uvicorn would go on after any exception
                LOG.error("%s", error)
                await receive()
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                return
        strict = self.maker is not None and self.maker.settings.strict
        if self.maker and scope["type"] == "http":
            head = head_of(scope)
            if strict or head.adapter or head.is_json:  # others may be long, and are not read
                receive = Body(self.maker, receive, head).receive
        if strict and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "homunculus: strict"})
            return
        await self.app(scope, receive, send)


def head_of(scope: Mapping[str, Any]) -> Head:
    """What a request of ASGI says of its body."""
    headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
    media, encoding = headers.get(b"content-type", ""), headers.get(b"content-encoding", "")
    return Head(scope["method"], scope["path"], media, encoding)


class Body:
    """What an application receives: one message with the whole body, changed."""

    def __init__(self, maker: "BodyRewriter", receive: Receive, head: Head) -> None:
        self.maker, self.inner, self.head = maker, receive, head
        self.read, self.gone = False, False

    async def receive(self) -> Message:
        """The body at first, then what else comes."""
        if self.gone:
            return {"type": "http.disconnect"}
        if self.read:
            return await self.inner()
        self.read = True
        body = await self._whole()
        if body is None:
            return await self.receive()
        leaves = asyncio.ensure_future(self.inner())  # the next message is that the client left
        work = asyncio.ensure_future(self.maker.change(self.head, body))
        try:
            await asyncio.wait({leaves, work}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                self.gone = True
                return await self.receive()
            return {"type": "http.request", "body": work.result(), "more_body": False}
        finally:
            work.cancel()
            self._hand_on(leaves)

    def _hand_on(self, leaves: "asyncio.Future[Message]") -> None:
        """A message that is awaited already is the next one that the application gets."""
        rest = self.inner

        async def once() -> Message:
            self.inner = rest
            return await leaves

        self.inner = once

    async def _whole(self) -> bytes | None:
        """The body, or None if the client leaves before its end."""
        parts, size, more = list[bytes](), 0, True
        while more:
            message = await self.inner()
            if message["type"] != "http.request":
                self.gone = True
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.maker.settings.bytes:
                raise refusal(
                    413,
                    f"expected a body of at most {self.maker.settings.bytes} bytes, got more. "
                    "Send fewer or smaller images.",
                )
            more = message.get("more_body", False)
        return b"".join(parts)


def refusal(status: int, sentence: str) -> Exception:
    """An error that vLLM answers in its own shape."""
    kind = need("starlette.exceptions", "vllm", WHO).HTTPException
    return kind(status, f"homunculus: {sentence.removeprefix('homunculus: ')}")


class BodyRewriter:
    """Makes views for bodies, a few at a time."""

    def __init__(
        self, rule: CountingRule, settings: ViewSettings, pixels: int | None = None
    ) -> None:
        """Images cost as ``rule`` says; one of more than ``pixels`` pixels is not opened."""
        self.settings = settings
        kind = partial(
            Rewriter, settings.tokens, model=rule, label=settings.label, strict=settings.strict,
            images=settings.images, fetch=settings.fetch, acuity=settings.acuity, beyond=True,
            pixels=pixels,
        )  # fmt: skip
        self.rewriter = kind(
            scout=settings.scout, ocr=settings.ocr, documents=settings.documents,
            history=settings.history,
        )  # fmt: skip
        self.whole = kind(scout="none")
        """Without a search: where to look is not known, so an image is shown whole."""
        self._pool = ThreadPoolExecutor(settings.threads, thread_name_prefix="homunculus-views")
        self._quick = ThreadPoolExecutor(1, thread_name_prefix="homunculus-known")
        self._waiting = 0
        METER.expose()

    @staticmethod
    def of(config: Any) -> "BodyRewriter":
        """For the model that vLLM serves, with weights loaded and settings from the environment."""
        settings = ViewSettings.from_environment()
        limit = config.multimodal_config.get_limit_per_prompt("image")
        rule = find_rule(config, limit)
        LOG.info(describe(rule, settings))
        pixels = need("vllm.envs", "vllm", WHO).VLLM_MAX_IMAGE_PIXELS
        maker = BodyRewriter(rule, settings, pixels if pixels > 0 else None)
        warm(maker.rewriter)
        return maker

    async def change(self, head: Head, body: bytes) -> bytes:
        """A body with views; as it came if it has no images, or is not JSON."""
        start, strict, value = perf_counter(), self.settings.strict, {}
        try:
            value = await self._run(self._quick, partial(parse, head, body, strict), None)
            if value is None:
                METER.count("images_left", len(unread(head, body)))
                return body
            changed, report = await self._views(head, value)
        except (PicturesError, RefusedError) as error:  # the operator's own limits
            METER.count("requests_refused")
            raise refusal(getattr(error, "status", 400), str(error)) from None
        except Exception as error:  # whatever it is, vLLM never answers 5xx for it
            if strict:
                METER.count("requests_refused")
                raise refusal(400, str(error) or type(error).__name__) from None
            return self._left(body, head, value or {}, error)
        wrong = [reason for reason in report.left if reason not in HARMLESS]
        METER.count_shown(report.pictures, report.tokens, len(wrong), perf_counter() - start)
        if not (report.pictures or strict):
            return body
        return await self._run(self._quick, partial(pack, changed), None)

    def _left(self, body: bytes, head: Head, value: Mapping[str, Any], error: Exception) -> bytes:
        """A body as it came, for its views could not be made."""
        METER.count_shown(0, 0, max(1, count_pictures(value, head.adapter)), 0.0)
        LOG.warning("images are left as they are: %s", str(error) or type(error).__name__)
        return body

    async def _views(self, head: Head, body: dict[str, Any]) -> Rewritten:
        """Views of all images; if they are known they do not wait for others to be made."""
        until = monotonic() + self.settings.seconds
        try:
            try:
                work = partial(rewrite, self.rewriter, head, body, new=False)
                return await self._run(self._quick, work, self.settings.seconds)
            except NewPictureError:
                return await self._new(head, body, until)
        except TimeoutError:
            METER.count_late(count_pictures(body, head.adapter))
            return await self._run(self._quick, partial(rewrite, self.whole, head, body), None)

    async def _new(self, head: Head, body: dict[str, Any], until: float) -> Rewritten:
        if self._waiting >= self.settings.waiting:
            raise TimeoutError
        METER.observe("queue_depth", self._waiting)
        self._waiting += 1
        try:
            seconds = until - monotonic()
            work = partial(rewrite, self.rewriter, head, body, seconds=seconds)
            return await self._run(self._pool, work, seconds)
        finally:
            self._waiting -= 1

    async def _run(self, pool: Any, work: Callable[[], Any], seconds: float | None) -> Any:
        running = asyncio.get_running_loop().run_in_executor(pool, work)
        return await asyncio.wait_for(running, seconds)
