# pyright: basic, reportMissingImports=false
# vLLM is not installed where types are checked; its classes are untyped here.
"""Middleware for vLLM's server: requests reach the model with views in place of images.

    HOMUNCULUS_VIEWS='{"tokens": 335}' vllm serve MODEL --mm-processor-kwargs ... \
        --middleware homunculus.engines.vllm.middleware.Views

A request's body is changed when vLLM reads it, which is after its key was checked. Views are made
in threads, within a deadline; whatever cannot be shown in time is shown whole.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import monotonic, perf_counter
from typing import Any

from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.stock import ViewSettings, describe, find_rule
from homunculus.lazy import need
from homunculus.planner.counting import TokenRule
from homunculus.serve.rewrite import ALONE, NewPictureError, Report, Rewriter, turns_of, warm
from homunculus.serve.transport import PATHS

WHO = "homunculus.engines.vllm.middleware"
LOG = logging.getLogger("vllm.homunculus")
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Made = tuple[dict[str, Any], Report]


class Views:
    """An ASGI application around another one."""

    def __init__(self, app: Any, maker: "Maker | None" = None) -> None:
        """``maker`` is made from the environment and vLLM's state when the server starts."""
        self.app, self.maker = app, maker

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Pass everything on; bodies that may hold images are changed as they are read."""
        if scope["type"] == "lifespan" and self.maker is None:
            try:
                self.maker = Maker.of(scope["app"].state.vllm_config.model_config)
            except Exception as error:  # uvicorn would go on after any exception
                LOG.error("%s", error)
                await receive()
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                return
        if self.maker and _may_hold_images(scope):
            receive = Body(self.maker, receive).receive
        await self.app(scope, receive, send)


def _may_hold_images(scope: Mapping[str, Any]) -> bool:
    if scope["type"] != "http" or scope["method"] != "POST":
        return False
    kinds = [value for name, value in scope["headers"] if name == b"content-type"]
    return scope["path"].rstrip("/").endswith(PATHS) and any(b"json" in kind for kind in kinds)


class Body:
    """What an application receives: one message with the whole body, changed."""

    def __init__(self, maker: "Maker", receive: Receive) -> None:
        self.maker, self.inner = maker, receive
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
        work = asyncio.ensure_future(self.maker.change(body))
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


class Maker:
    """Makes views for bodies, a few at a time."""

    def __init__(self, rule: TokenRule, settings: ViewSettings, pixels: int | None = None) -> None:
        """Images cost as ``rule`` says; one of more than ``pixels`` pixels is not opened."""
        self.settings = settings
        kind = partial(
            Rewriter, settings.tokens, model=rule, label=settings.label, strict=settings.strict,
            images=settings.images, fetch=settings.fetch, acuity=settings.acuity, beyond=True,
            pixels=pixels,
        )  # fmt: skip
        self.rewriter = kind(scout=settings.scout)
        self.whole = kind(scout="none")
        """Without a search: nobody knows where to look, so an image is shown whole."""
        self._pool = ThreadPoolExecutor(settings.threads, thread_name_prefix="homunculus-views")
        self._quick = ThreadPoolExecutor(1, thread_name_prefix="homunculus-known")
        self._waiting = 0
        METER.expose()

    @staticmethod
    def of(config: Any) -> "Maker":
        """For the model that vLLM serves, with weights loaded and settings from the environment."""
        settings = ViewSettings.from_environment()
        limit = config.multimodal_config.get_limit_per_prompt("image")
        rule = find_rule(config, limit)
        LOG.info(describe(rule, settings))
        pixels = need("vllm.envs", "vllm", WHO).VLLM_MAX_IMAGE_PIXELS
        maker = Maker(rule, settings, pixels if pixels > 0 else None)
        warm(maker.rewriter)
        return maker

    async def change(self, body: bytes) -> bytes:
        """A body with views; as it came if it has no images, or is not JSON."""
        start = perf_counter()
        told = await self._run(self._quick, partial(_parsed, body), self.settings.seconds)
        many = turns_of(told)[2] if told else 0
        if not many:
            return body
        try:
            changed, report = await self._views(told, many)
        except Exception as error:  # whatever it is, vLLM never answers 5xx for it
            changed, report = {}, Report(left=[str(error) or type(error).__name__] * many)
        wrong = [reason for reason in report.left if reason not in ALONE]
        METER.count_shown(report.pictures, report.tokens, len(wrong), perf_counter() - start)
        if wrong and self.settings.strict:
            METER.count("requests_refused")
            raise refusal(400, wrong[0])
        if not report.pictures:
            return body
        return await self._run(self._quick, partial(_packed, changed), self.settings.seconds)

    async def _views(self, told: dict[str, Any], many: int) -> Made:
        """Views of all images; if they are known they do not wait for others to be made."""
        until = monotonic() + self.settings.seconds
        try:
            try:
                work = partial(self.rewriter.request, told, new=False)
                return await self._run(self._quick, work, self.settings.seconds)
            except NewPictureError:
                return await self._new(told, until)
        except TimeoutError:
            METER.count_late(many)
            return await self._run(self._quick, partial(self.whole.request, told), None)

    async def _new(self, told: dict[str, Any], until: float) -> Made:
        if self._waiting >= self.settings.waiting:
            raise TimeoutError
        METER.observe("queue_depth", self._waiting)
        self._waiting += 1
        try:
            seconds = until - monotonic()
            work = partial(self.rewriter.request, told, seconds=seconds)
            return await self._run(self._pool, work, seconds)
        finally:
            self._waiting -= 1

    async def _run(self, pool: Any, work: Callable[[], Any], seconds: float | None) -> Any:
        running = asyncio.get_running_loop().run_in_executor(pool, work)
        return await asyncio.wait_for(running, seconds)


def _parsed(body: bytes) -> dict[str, Any] | None:
    """A body's JSON object; what is none is vLLM's to refuse."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _packed(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body).encode()
