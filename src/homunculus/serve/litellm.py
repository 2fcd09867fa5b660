"""A hook for LiteLLM: requests go on with views in place of pictures, whatever their route.

LiteLLM imports it by name: `litellm_settings: {callbacks: [homunculus.serve.litellm.hook]}`.
Nothing is fetched, written or logged; only counts are kept.
"""

import asyncio
import os
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import cache, partial
from importlib import import_module
from io import BytesIO
from threading import Lock, Thread
from typing import Any

from homunculus.lazy import need
from homunculus.planner.models import token_rule
from homunculus.serve.rewrite import ALONE, Report, Rewriter, pictures_in

WHO = "homunculus.serve.litellm"
_LOGGER: Any = need("litellm.integrations.custom_logger", extra="litellm", who=WHO).CustomLogger

HEADER = "x-homunculus-tokens"
"""Of a request: fewer tokens a picture than the model's own budget. With `-before` and `-after`, of
an answer: what its request's pictures would have cost, and what their views cost."""
ROUTES = {
    "completion", "acompletion", "responses", "aresponses",
    "anthropic_messages", "aanthropic_messages",
}  # fmt: skip
"""The types of calls that may hold pictures."""
THROUGH = "pass_through_endpoint"
"""The type of a call that LiteLLM hands on as it is."""
_PASSED: ContextVar[str] = ContextVar("_PASSED", default="")
"""The id of this task's call. A route that passes through hides it from the hook for headers."""
CALLS = 4096
"""Calls whose figures are kept for the headers of their answers."""
COUNTS = {
    "pictures": "Pictures shown as views",
    "tokens_before": "Tokens that they would have cost",
    "tokens_after": "Tokens that their views cost",
    "failures": "Pictures that went on as they were, or were refused, for they could not be shown",
}


class Hook(_LOGGER):
    """Rewrites what LiteLLM sends to a model.

    LiteLLM looks for some hooks on the class of an instance alone: do not derive from this one.
    """

    def __init__(
        self,
        tokens: int = 273,
        *,
        closed: bool = False,
        seconds: float = 30.0,
        threads: int = 2,
        rewriter: Rewriter | None = None,
    ) -> None:
        """Every picture gets ``tokens`` tokens where its model's `model_info` does not say other.

        Views are made by ``threads`` threads within ``seconds``. Where that fails, the request goes
        on as it came, or is refused if the hook is ``closed``.
        """
        super().__init__()
        self.rewriter = rewriter or Rewriter(tokens)
        self.closed, self.seconds = closed, seconds
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="homunculus")
        self._figures, self._lock = OrderedDict[str, Report](), Lock()
        _counters()  # so that they are listed before the first request

    # ---- what LiteLLM calls

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: Any
    ) -> dict[str, Any] | None:
        """A copy of a call with views; None leaves it as it is.

        It fires again on routes that LiteLLM translates, and for every retry and fallback.
        """
        if str(getattr(call_type, "value", call_type)) not in ROUTES:
            return None
        return await self._rewrite(kwargs, _mapping(kwargs.get("model_info")))

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any] | None:
        """The same for routes that pass through: no other hook sees those."""
        if call_type != THROUGH:
            return None
        _PASSED.set(_call(data))
        return await self._rewrite(data, {})  # nobody says which model of the config it is

    async def async_post_call_response_headers_hook(
        self,
        data: dict[str, Any],
        user_api_key_dict: Any,
        response: Any,
        request_headers: dict[str, str] | None = None,
        litellm_call_info: dict[str, Any] | None = None,
    ) -> dict[str, str] | None:
        """What the pictures of a call would have cost, and what they cost."""
        with self._lock:
            report = self._figures.get(_call(data) or _PASSED.get())
        if report is None or not report.pictures:
            return None
        return {f"{HEADER}-before": str(report.untouched), f"{HEADER}-after": str(report.tokens)}

    # ---- the work

    async def _rewrite(
        self, call: Mapping[str, Any], info: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        name = "input" if "input" in call else "messages"
        turns = call.get(name)
        some = turns if isinstance(turns, list | tuple) else ()
        many = sum(1 for turn in some for _ in pictures_in(turn))
        if not many:
            return None
        given = {key: call[key] for key in (name, "tools") if key in call}
        try:
            body, report = await self._make(given, call, info)
        except Exception as error:  # whatever it is, the request ends as its owner wishes
            body, report = {}, Report(left=[_reason(error, self.seconds)] * many)
        wrong = [reason for reason in report.left if reason not in ALONE]
        _count(failures=len(wrong))
        if wrong and self.closed:
            raise _refusal(wrong[0])
        if report.pictures or wrong:  # else it met its own views: what is known of the call holds
            self._keep(_call(call), report)
        return {**call, **body} if report.pictures else None

    async def _make(
        self, body: dict[str, Any], call: Mapping[str, Any], info: Mapping[str, Any]
    ) -> tuple[dict[str, Any], Report]:
        """The pictures of a body as views, made in a thread: the loop answers others meanwhile."""
        rule = info.get("homunculus_model")
        model = str(call.get("model", "")) if rule is None else token_rule(str(rule)).name
        tokens = budget(info.get("homunculus_tokens", self.rewriter.tokens), _headers(call))
        work = partial(self.rewriter.request, body, model=model, tokens=tokens)
        running = asyncio.get_running_loop().run_in_executor(self._pool, work)
        return await asyncio.wait_for(running, self.seconds)

    def _keep(self, call: str, report: Report) -> None:
        """Count what was done, and remember it for the headers of the answer."""
        _count(pictures=report.pictures)
        _count(tokens_before=report.untouched, tokens_after=report.tokens)
        with self._lock:
            self._figures[call] = report  # of the last try
            self._figures.move_to_end(call)
            while len(self._figures) > CALLS:
                self._figures.popitem(last=False)


# ---- budgets and settings ------------------------------------------------------------------------


def budget(tokens: Any, headers: Mapping[str, Any]) -> int:
    """A model's budget for a picture; a request's header may lower it, never raise it."""
    most = _whole(tokens, "homunculus_tokens in model_info")
    return min(most, _whole(headers[HEADER], f"the header {HEADER}")) if HEADER in headers else most


def _whole(value: Any, name: str) -> int:
    text = str(value).strip()
    if not (text.isascii() and text.isdecimal() and int(text[:9]) > 0):
        raise ValueError(f"{name}: expected tokens, 1 or more, got {text[:20]!r}")
    return int(text[:9])


def from_environment(variables: Mapping[str, str] = os.environ) -> Hook:
    """A hook as HOMUNCULUS_TOKENS, HOMUNCULUS_FAIL and HOMUNCULUS_SECONDS say."""
    tokens = _whole(variables.get("HOMUNCULUS_TOKENS", 273), "HOMUNCULUS_TOKENS")
    fail = variables.get("HOMUNCULUS_FAIL", "open")
    if fail not in ("open", "closed"):
        raise ValueError(f"HOMUNCULUS_FAIL: expected open or closed, got {fail!r}")
    text = variables.get("HOMUNCULUS_SECONDS", "30")
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ValueError(f"HOMUNCULUS_SECONDS: expected seconds, more than 0, got {text!r}")
    return Hook(tokens, closed=fail == "closed", seconds=seconds)


def warm(rewriter: Rewriter) -> None:
    """Make views of an empty page, so that the first request does not wait for weights."""
    images: Any = need("PIL.Image", extra="litellm", who=WHO)
    file = BytesIO()
    images.new("RGB", (256, 256), "white").save(file, "png")
    url = f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": "Total?"}]
    rewriter.request({"messages": [{"role": "user", "content": parts}]}, model="claude")


# ---- what LiteLLM's calls hold -------------------------------------------------------------------


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _headers(call: Mapping[str, Any]) -> Mapping[str, Any]:
    headers = _mapping(_mapping(call.get("proxy_server_request")).get("headers"))
    return {str(name).lower(): value for name, value in headers.items()}


def _call(data: Mapping[str, Any]) -> str:
    """The id of a call, however often it is tried."""
    log = data.get("litellm_logging_obj")
    return str(data.get("litellm_call_id") or getattr(log, "litellm_call_id", ""))


# ---- refusals and counts -------------------------------------------------------------------------


def _reason(error: Exception, seconds: float) -> str:
    if isinstance(error, TimeoutError):
        return f"views were not ready within {seconds:g} seconds"
    return str(error) or type(error).__name__


def _refusal(reason: str) -> Exception:
    """An error that LiteLLM answers with at once; others it would try three times."""
    text = reason.removeprefix("homunculus: ").rstrip(".")
    sentence = f"homunculus: {text}. HOMUNCULUS_FAIL=open sends pictures on as they are."
    try:
        return import_module("fastapi").HTTPException(422, {"error": sentence})
    except ImportError:  # without the proxy nobody speaks HTTP
        return ValueError(sentence)


@cache
def _counters() -> dict[str, Any]:
    """Counters for Prometheus by name; none where its client is not installed."""
    try:
        library: Any = import_module("prometheus_client")
    except ImportError:
        return {}
    return {name: library.Counter(f"homunculus_{name}", about) for name, about in COUNTS.items()}


def _count(**values: int) -> None:
    counters = _counters()
    for name, value in values.items():
        if name in counters:
            counters[name].inc(value)


hook = from_environment()
"""What a config names."""
Thread(target=warm, args=(hook.rewriter,), daemon=True).start()
