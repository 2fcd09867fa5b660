"""A hook for LiteLLM: requests go on with views in place of pictures, whatever their route.

LiteLLM imports it by name: `litellm_settings: {callbacks: [homunculus.serve.litellm.hook]}`.
Nothing is written or logged, only counts are kept; nothing is fetched unless HOMUNCULUS_FETCH=1.
With HOMUNCULUS_FAIL=closed everything that a request sends on is checked, on every route.
"""

import asyncio
import os
import re
from argparse import ArgumentTypeError
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import ContextVar
from functools import cache, partial
from importlib import import_module
from math import inf
from threading import Lock, Thread
from time import monotonic
from typing import Any

from homunculus.flags import count
from homunculus.lazy import need
from homunculus.messages import ANTHROPIC, CHAT, GEMINI, RESPONSES, Adapter, adapter_of
from homunculus.messages.body import count_pictures
from homunculus.messages.gemini import model_in
from homunculus.messages.guard import leaks
from homunculus.pages.ocr_engines import ENGINES
from homunculus.planner.counting import DEFAULT_TOKENS, CountingRule
from homunculus.planner.models import token_rule
from homunculus.scouts.memory import bound_memory
from homunculus.serve.rewriter import HARMLESS, NewPictureError, Report, Rewriter, warm

WHO = "homunculus.serve.litellm"
_LOGGER: Any = need("litellm.integrations.custom_logger", extra="litellm", who=WHO).CustomLogger

HEADER = "x-homunculus-tokens"
"""Of a request: fewer tokens a picture than the model's own budget. With `-before` and `-after`, of
an answer: what its request's pictures would have cost, and what their views cost."""
BUDGET, KEY = "homunculus_tokens", "user_api_key_metadata"
"""A budget in the `model_info` of a model or in the metadata of a key, which LiteLLM calls this."""
ADAPTERS: dict[str, Adapter] = {
    "completion": CHAT, "acompletion": CHAT, "responses": RESPONSES, "aresponses": RESPONSES,
    "anthropic_messages": ANTHROPIC, "aanthropic_messages": ANTHROPIC,
    "generate_content": GEMINI, "agenerate_content": GEMINI,
    "generate_content_stream": GEMINI, "agenerate_content_stream": GEMINI,
}  # fmt: skip
"""The types of calls whose pictures are shown as views."""
THROUGH = "pass_through_endpoint"
"""The type of a call that LiteLLM hands on as it is."""
PLAIN = re.compile(
    r"_?a?((text_completion|embeddings?|moderations?|rerank|speech|count_tokens|search)"
    r"|(get|list|retrieve|delete|cancel|file_(retrieve|delete|list|content))_?.*)"
)
"""The types of calls that hold text alone, or ask for what is there already. Their bodies are
checked; a closed hook refuses other types: some hold files that it cannot see."""
SIGNED = "bedrock"
"""In routes whose requests are signed before they reach a hook: what it changes is not sent."""
LOG = "litellm_logging_obj"
"""What LiteLLM keeps beside a call that it hands on as it is; the rest is sent on."""
UNSENT = {LOG, "proxy_server_request", "litellm_metadata", "metadata", "secret_fields"}
"""What LiteLLM keeps beside other calls; the second holds the request as it came."""
_PASSED: ContextVar[str] = ContextVar("_PASSED", default="")
"""The id of this task's call. A route that passes through hides it from the hook for headers."""
CALLS = 4096
"""Calls whose figures are kept for the headers of their answers."""
COUNTS = {
    "pictures": "Pictures shown as views",
    "tokens_before": "Tokens that they would have cost",
    "tokens_after": "Tokens that their views cost",
    "failures": "Pictures that could not be shown as views, and were sent as they were or refused",
}


class Hook(_LOGGER):
    """Rewrites what LiteLLM sends to a model.

    LiteLLM looks for some hooks on the class of an instance alone: do not derive from this one.
    """

    def __init__(
        self,
        tokens: int = DEFAULT_TOKENS,
        *,
        closed: bool = False,
        seconds: float = 30.0,
        threads: int = 2,
        rewriter: Rewriter | None = None,
        **options: Any,
    ) -> None:
        """Every picture gets ``tokens`` tokens where its model's `model_info` does not say other.

        Views are made by ``threads`` threads within ``seconds``. Where that fails, the request goes
        on as it came, or is refused if the hook is ``closed``. Further ``options`` are those of
        `homunculus.serve.Rewriter`, such as `fetch` and `legible`; or give a ``rewriter``.
        """
        super().__init__()
        self.rewriter = rewriter or Rewriter(tokens, strict=closed, **options)
        self.closed, self.seconds = closed, seconds
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="homunculus")
        self._quick = ThreadPoolExecutor(1, thread_name_prefix="homunculus-known")
        self._figures, self._lock = OrderedDict[str, Report](), Lock()
        _counters()  # so that they are listed before the first request

    # ---- what LiteLLM calls

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: Any
    ) -> dict[str, Any] | None:
        """A copy of a call with views; None leaves it as it is.

        It fires again on routes that LiteLLM translates, and for every retry and fallback.
        """
        adapter = ADAPTERS.get(str(getattr(call_type, "value", call_type)))
        if adapter is None:
            return None
        return await self._rewrite(
            kwargs, adapter, _mapping(kwargs.get("model_info")), _of_key(kwargs)
        )

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any] | None:
        """A call with views, on routes that pass through: no other hook sees those.

        In calls of all other types pictures are counted; a closed hook refuses them.
        """
        if call_type in ADAPTERS:
            return None
        if call_type != THROUGH:
            await self._check(data, call_type)
            return None
        _PASSED.set(_call(data))
        route = str(getattr(user_api_key_dict, "request_route", None) or "")
        adapter = adapter_of(route)
        if adapter is None or SIGNED in route.lower():
            if self.closed:
                raise _refusal(f"the route {route[:80]!r} is not known")
            _count(failures=count_pictures(_without(data, UNSENT), None))
            return None
        key = _mapping(getattr(user_api_key_dict, "metadata", None)).get(BUDGET)
        return await self._rewrite(data, adapter, {}, [key], model_in(route), {LOG})

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

    async def _check(self, data: Mapping[str, Any], call_type: str) -> None:
        """Count the pictures of a call where none are shown as views; if closed, refuse it."""
        if self.closed and not PLAIN.fullmatch(call_type):
            raise _refusal(f"calls of the type {call_type[:60]!r} are not known")
        sent = _without(data, UNSENT)
        suspects = await asyncio.get_running_loop().run_in_executor(
            self._quick, lambda: list(map(str, leaks(sent)))
        )
        _count(failures=len(suspects))
        if suspects and self.closed:
            raise _refusal(suspects[0])

    async def _rewrite(
        self,
        call: Mapping[str, Any],
        adapter: Adapter,
        info: Mapping[str, Any],
        key: list[Any],
        model: str | None = None,
        unsent: Collection[str] = UNSENT,
    ) -> dict[str, Any] | None:
        try:
            tokens = budget(info.get(BUDGET, self.rewriter.tokens), key, _headers(call))
        except ValueError as error:  # a wrong number must not be a way past the right one
            raise _refusal(str(error), "") from None
        try:
            rule = info.get("homunculus_model")
            name = model or str(call.get("model", ""))
            counts = name if rule is None else token_rule(str(rule))
            body, report = await self._make(_without(call, unsent), adapter, counts, tokens)
        except Exception as error:  # whatever it is, the request ends as its owner wishes
            reason = _reason(error, self.seconds)
            body, report = {}, Report(left=[reason] * max(1, count_pictures(call, adapter)))
        wrong = [reason for reason in report.left if self.closed or reason not in HARMLESS]
        _count(failures=len(wrong))
        if wrong and self.closed:
            raise _refusal(wrong[0])
        if report.pictures or wrong:  # else it met its own views: what is known of the call holds
            self._keep(_call(call), report)
        return {**call, **body} if report.pictures else None

    async def _make(
        self, body: dict[str, Any], adapter: Adapter, model: str | CountingRule, tokens: int
    ) -> tuple[dict[str, Any], Report]:
        """The pictures of a body as views, made in a thread: the loop answers others meanwhile.

        Known ones have a thread of their own, so that they do not wait for new ones.
        """
        until = monotonic() + self.seconds
        work = partial(self.rewriter.request, body, adapter=adapter, model=model, tokens=tokens)
        try:
            return await self._run(self._quick, partial(work, new=False), until)
        except NewPictureError:
            return await self._run(self._pool, partial(work, seconds=self.seconds), until)

    async def _run(
        self, pool: Executor, work: Callable[[], tuple[dict[str, Any], Report]], until: float
    ) -> tuple[dict[str, Any], Report]:
        running = asyncio.get_running_loop().run_in_executor(pool, work)
        return await asyncio.wait_for(running, until - monotonic())

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


def budget(tokens: Any, key: list[Any], headers: Mapping[str, Any]) -> int:
    """The tokens of a picture: the smallest of what its model, its key and its request say.

    >>> budget(100, [None, 80], {"x-homunculus-tokens": "64"})
    64
    """
    limits = [
        (tokens, "homunculus_tokens in model_info"),
        *((value, "homunculus_tokens in the key's metadata") for value in key),
        (headers.get(HEADER), f"the header {HEADER}"),
    ]
    return min(_count_of(value, name) for value, name in limits if value is not None)


def _count_of(value: Any, name: str) -> int:
    """A number of tokens, which may stand there as text."""
    try:
        return count(str(value).strip())
    except ArgumentTypeError as error:
        raise ValueError(f"{name}: {error}") from None


def from_environment(variables: Mapping[str, str] = os.environ) -> Hook:
    """A hook as HOMUNCULUS_TOKENS, _FAIL, _SECONDS, _FETCH, _DOCUMENTS, _HISTORY, _LEGIBLE,
    _CAP and _OCR say."""
    tokens = _count_of(variables.get("HOMUNCULUS_TOKENS", DEFAULT_TOKENS), "HOMUNCULUS_TOKENS")
    closed = _choice(variables, "HOMUNCULUS_FAIL", ["open", "closed"])
    fetch = _choice(variables, "HOMUNCULUS_FETCH", ["0", "1"])
    documents, history = (
        _count_of(variables[name], name) if variables.get(name) else None
        for name in ("HOMUNCULUS_DOCUMENTS", "HOMUNCULUS_HISTORY")
    )
    cap = _count_of(variables.get("HOMUNCULUS_CAP", 1024), "HOMUNCULUS_CAP")
    seconds = _positive(variables, "HOMUNCULUS_SECONDS", "seconds", largest=inf) or 30.0
    legible = _positive(variables, "HOMUNCULUS_LEGIBLE", "a probability", largest=1.0)
    ocr = variables.get("HOMUNCULUS_OCR") or None
    if ocr is not None and ocr not in ENGINES:
        raise ValueError(f"HOMUNCULUS_OCR: expected {' or '.join(ENGINES)}, got {ocr[:20]!r}")
    return Hook(
        tokens, closed=bool(closed), seconds=seconds, fetch=bool(fetch), legible=legible, cap=cap,
        ocr=ocr, documents=documents, history=history,
    )  # fmt: skip


def _choice(variables: Mapping[str, str], name: str, words: list[str]) -> int:
    """Which of some words a variable is; the first is usual."""
    text = variables.get(name, words[0])
    if text not in words:
        raise ValueError(f"{name}: expected {' or '.join(words)}, got {text!r}")
    return words.index(text)


def _positive(variables: Mapping[str, str], name: str, what: str, largest: float) -> float | None:
    """The number that a variable is; None if it is not set."""
    text = variables.get(name)
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (0 < number <= largest and number < inf):
        limit = "" if largest == inf else f" and at most {largest:g}"
        raise ValueError(f"{name}: expected {what}, more than 0{limit}, got {text[:20]!r}")
    return number


# ---- what LiteLLM's calls hold -------------------------------------------------------------------


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _headers(call: Mapping[str, Any]) -> Mapping[str, Any]:
    headers = _mapping(_mapping(call.get("proxy_server_request")).get("headers"))
    return {str(name).lower(): value for name, value in headers.items()}


def _of_key(call: Mapping[str, Any]) -> list[Any]:
    """What the key allows a picture. LiteLLM writes its metadata to one of two places, by route;
    a request may fill the other one, which is why the smaller counts."""
    places = (_mapping(call.get(name)) for name in ("metadata", "litellm_metadata"))
    return [_mapping(place.get(KEY)).get(BUDGET) for place in places]


def _without(call: Mapping[str, Any], unsent: Collection[str]) -> dict[str, Any]:
    """What a call may send on."""
    return {name: value for name, value in call.items() if name not in unsent}


def _call(data: Mapping[str, Any]) -> str:
    """The id of a call, however often it is tried."""
    log = data.get("litellm_logging_obj")
    return str(data.get("litellm_call_id") or getattr(log, "litellm_call_id", ""))


# ---- refusals and counts -------------------------------------------------------------------------


def _reason(error: Exception, seconds: float) -> str:
    if isinstance(error, TimeoutError):
        return f"views were not ready within {seconds:g} seconds"
    return str(error) or type(error).__name__


OPEN = " HOMUNCULUS_FAIL=open sends pictures on as they are."


def _refusal(reason: str, advice: str = OPEN) -> Exception:
    """An error that LiteLLM answers with at once; others it would try three times."""
    text = reason.removeprefix("homunculus: ").rstrip(".")
    sentence = f"homunculus: {text}.{advice}"
    try:
        return import_module("fastapi").HTTPException(422, {"error": sentence})
    except ImportError:  # without the proxy there is no HTTP
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


def __getattr__(name: str) -> Any:
    """`hook`, which a config names: made from the environment when it is first asked for."""
    if name != "hook":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    bound_memory()  # a proxy meets ever new pictures; before the first of them
    hook = globals()["hook"] = from_environment()
    Thread(target=warm, args=(hook.rewriter,), daemon=True).start()
    return hook
