"""Real proxies with the hook: what a provider would receive, recorded on loopback."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from base64 import b64decode, b64encode
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from io import BytesIO
from types import SimpleNamespace

import pytest
from PIL import Image

from homunculus.messages.pictures import is_view
from homunculus.planner.models import token_rule
from serving.client import packed, page

pytestmark = pytest.mark.filterwarnings("ignore")  # LiteLLM's own, at its import
QUESTION = "What is the total?"
FILE = packed(page(900, 700))
MODELS = {"gpt": ("gpt-6", 100), "claude": ("claude", 64), "qwen": ("qwen2.5-vl", 80)}
"""Names in the config, and the rule and the budget of each."""
STRANGE = {"gpt": "strange", "claude": "strange-claude", "qwen": "strange-qwen"}
"""Of the same provider, and nobody knows how it counts: its pictures are left alone."""
NAMED = r"Picture \d+(, (whole|detail))?:|(Whole|Detail):"
"""The line before a view."""
ROUTES = ("/v1/chat/completions", "/v1/responses", "/v1/messages")
FAULTY = """
import time
import homunculus.serve.litellm as ours

usual = ours.hook.rewriter.request

def request(body, **options):
    text = str(body.get("messages", ""))
    if "raise" in text:
        raise RuntimeError("the scout fell asleep")
    if "memory" in text:
        raise MemoryError
    if "hang" in text:
        time.sleep(9)
    end = time.monotonic() + 6
    while "spin" in text and time.monotonic() < end:
        sum(range(1000))
    return usual(body, **options)

hook = ours.hook
hook.rewriter.request = request
"""


# ---- requests and what arrives -------------------------------------------------------------------


def uri(file: bytes) -> str:
    return f"data:image/png;base64,{b64encode(file).decode()}"


def picture(route: str, file: bytes) -> dict:
    if route.endswith("messages"):
        text = b64encode(file).decode()
        source = {"type": "base64", "media_type": "image/png", "data": text}
        return {"type": "image", "source": source}
    if route.endswith("responses"):
        return {"type": "input_image", "image_url": uri(file), "detail": "auto"}
    return {"type": "image_url", "image_url": {"url": uri(file)}}


def words(route: str, text: str) -> dict:
    return {"type": "input_text" if route.endswith("responses") else "text", "text": text}


def request(route: str, model: str, *files: bytes, question: str = QUESTION, **more) -> dict:
    parts = [words(route, "Look."), *(picture(route, file) for file in files)]
    return wrap(route, model, [{"role": "user", "content": [*parts, words(route, question)]}], more)


def wrap(route: str, model: str, turns: list, more: dict) -> dict:
    name = "input" if route.endswith("responses") else "messages"
    kinds = {"/v1/responses": "max_output_tokens", "/v1/chat/completions": "max_completion_tokens"}
    limit = kinds.get(route, "max_tokens")
    return {"model": model, name: turns, "temperature": 1, limit: 16, **more}


def files_in(body) -> list[bytes]:
    """Every picture of a body, whatever shape LiteLLM gave it."""
    if isinstance(body, list):
        return [file for one in body for file in files_in(one)]
    if isinstance(body, dict):
        if body.get("type") == "base64":
            return [b64decode(body["data"])]
        return [file for one in body.values() for file in files_in(one)]
    if isinstance(body, str) and body.startswith("data:image/"):
        return [b64decode(body.partition(",")[2])]
    return []


def cost(rule: str, files: list[bytes]) -> int:
    assert all(map(is_view, files))
    sizes = [Image.open(BytesIO(file)).size[::-1] for file in files]
    return sum(token_rule(rule).count(size) for size in sizes)


def others(body):
    """All that is neither a picture nor a line that names a view."""
    if isinstance(body, list):
        return [others(one) for one in body if not is_picture(one)]
    if isinstance(body, dict):
        return {name: others(one) for name, one in body.items() if name != "model"}
    return body


def is_picture(part) -> bool:
    if not isinstance(part, dict):
        return False
    named = re.match(NAMED, str(part.get("text", "")))
    return bool(named) or part.get("type") in ("image", "image_url", "input_image")


@pytest.fixture(scope="module")
def proxy(start):
    """One with the hook as anybody has it, and patience for slow machines."""
    return start(HOMUNCULUS_SECONDS="120")


def ask(proxy, route: str, body: dict, **headers: str):
    answer = proxy.client.post(route, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    assert "ok" in answer.text
    return answer


# ---- every route ---------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("route", ROUTES)
def test_a_provider_receives_views_and_nothing_else_changes(
    proxy, recorder, route: str, model: str, stream: bool
) -> None:
    rule, tokens = MODELS[model]
    more = {"stream": True} if stream else {}
    answer = ask(proxy, route, request(route, model, FILE, **more))
    ask(proxy, route, request(route, STRANGE[model], FILE, **more))
    body, plain = (one.body for one in recorder.seen)
    assert 0 < cost(rule, files_in(body)) <= tokens
    assert files_in(plain) == [FILE]
    assert others(body) == others(plain)
    assert str(others(body)).count(QUESTION) == 1
    assert int(answer.headers["x-homunculus-tokens-after"]) == cost(rule, files_in(body))
    before = token_rule(rule).count((900, 700))
    assert int(answer.headers["x-homunculus-tokens-before"]) == before


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("route", ROUTES)
def test_every_picture_has_the_budget_to_itself(proxy, recorder, route: str, model: str) -> None:
    rule, tokens = MODELS[model]
    files = [packed(page(500, 640, seed)) for seed in range(3)]
    ask(proxy, route, request(route, model, *files))
    (body,) = (one.body for one in recorder.seen)
    assert 3 <= len(files_in(body)) <= 15
    assert cost(rule, files_in(body)) <= 3 * tokens


TOOL = {"name": "see", "description": "Look.", "input_schema": {"type": "object"}}
CLAUDE_TURNS = [
    {"role": "user", "content": QUESTION},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "see", "input": {}}],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result", "tool_use_id": "toolu_1",
                "content": [words("", "Done."), picture("/v1/messages", FILE)],
            }
        ],
    },
]  # fmt: skip
RESPONSE_TURNS = [
    {"role": "user", "content": QUESTION},
    {"type": "function_call", "call_id": "call_1", "name": "see", "arguments": "{}"},
    {
        "type": "function_call_output", "call_id": "call_1",
        "output": [picture("/v1/responses", FILE)],
    },
]  # fmt: skip


@pytest.mark.parametrize(
    ("route", "model", "turns"),
    [
        ("/v1/messages", "claude", CLAUDE_TURNS),
        ("/v1/messages", "qwen", CLAUDE_TURNS),
        ("/v1/responses", "gpt", RESPONSE_TURNS),
    ],
)
def test_the_result_of_a_tool_is_shown_as_views(proxy, recorder, route, model, turns) -> None:
    rule, tokens = MODELS[model]
    more = {"tools": [TOOL]} if route.endswith("messages") else {}
    ask(proxy, route, wrap(route, model, turns, more))
    (body,) = (one.body for one in recorder.seen)
    assert 0 < cost(rule, files_in(body)) <= tokens


def test_a_conversation_begins_with_the_same_bytes(proxy, recorder) -> None:
    route = "/v1/messages"
    first = request(route, "claude", FILE)
    ask(proxy, route, first)
    turns = [*first["messages"], {"role": "assistant", "content": "300"}]
    ask(proxy, route, first | {"messages": [*turns, {"role": "user", "content": "Why?"}]})
    one, two = (json.dumps(body["messages"]) for _, body, *_ in recorder.seen)
    assert two.startswith(one.removesuffix("]"))


@pytest.mark.parametrize("stream", [False, True])
def test_a_route_that_passes_through(proxy, recorder, stream: bool) -> None:
    route = "/anthropic/v1/messages"
    body = request(route, "claude-opus-4-8", FILE, **({"stream": True} if stream else {}))
    answer = ask(proxy, route, body)
    ((path, got, *_),) = recorder.seen
    assert path.startswith("/v1/messages")
    assert 64 < cost("claude", files_in(got)) <= 273
    assert others(got) == others(body)
    assert int(answer.headers["x-homunculus-tokens-after"]) == cost("claude", files_in(got))


# ---- budgets -------------------------------------------------------------------------------------


def chat(proxy, recorder, model: str, *files: bytes, **headers: str) -> list[bytes]:
    """The pictures that arrive for a chat."""
    recorder.seen.clear()
    ask(proxy, ROUTES[0], request(ROUTES[0], model, *files or (FILE,)), **headers)
    (body,) = (one.body for one in recorder.seen)
    return files_in(body)


def test_a_header_lowers_the_budget_and_never_raises_it(proxy, recorder) -> None:
    assert cost("gpt-6", chat(proxy, recorder, "gpt", **{"X-Homunculus-Tokens": "30"})) <= 30
    assert "x-homunculus-tokens" not in {name.lower() for name in recorder.seen[0].headers}
    usual = chat(proxy, recorder, "gpt")
    assert 30 < cost("gpt-6", usual) <= 100
    assert chat(proxy, recorder, "gpt", **{"X-Homunculus-Tokens": "5000"}) == usual


def test_model_info_names_the_rule_and_the_budget(proxy, recorder) -> None:
    assert 0 < cost("claude", chat(proxy, recorder, "mine")) <= 90
    assert 100 < cost("gpt-5.4", chat(proxy, recorder, "usual")) <= 273


def test_a_request_cannot_bring_settings_of_its_own(proxy, recorder) -> None:
    info = {"homunculus_tokens": 5000, "homunculus_model": "gemma-3"}
    for route in ROUTES:
        recorder.seen.clear()
        body = request(route, "gpt", FILE, model_info=info)
        proxy.client.post(route, json=body | {"proxy_server_request": {"headers": {}}})
        for sent in (one.body for one in recorder.seen):  # or it is refused
            assert 0 < cost("gpt-6", files_in(sent)) <= 100


# ---- retries, and what cannot be shown -----------------------------------------------------------


def test_a_fallback_gets_views_of_the_original_by_its_own_rule(proxy, recorder) -> None:
    recorder.fault = "/chat/completions"
    ask(proxy, ROUTES[0], request(ROUTES[0], "usual", FILE))
    *tries, (path, body, *_) = recorder.seen
    assert path.startswith("/v1/messages")
    assert 0 < cost("claude", files_in(body)) <= 64
    assert len(tries) >= 2
    assert len({json.dumps(body) for _, body, *_ in tries}) == 1
    assert 64 < cost("gpt-5.4", files_in(tries[0].body)) <= 273
    recorder.seen.clear()
    answer = ask(proxy, ROUTES[0], request(ROUTES[0], "usual-strange", FILE))
    assert files_in(recorder.seen[-1].body) == [FILE]
    assert "x-homunculus-tokens-after" not in answer.headers  # it would be that of the first model


def test_what_cannot_be_shown_goes_on_as_it_is_and_is_counted(proxy, recorder) -> None:
    def failures() -> int:
        return int(proxy.counts()["failures_total"])

    at = failures()
    assert chat(proxy, recorder, "strange") == [FILE]
    assert failures() == at + 1
    assert chat(proxy, recorder, "wrong") == [FILE]
    assert failures() == at + 2
    small = packed(page(16, 16))
    assert chat(proxy, recorder, "gpt", *[small] * 200) == [small] * 200
    assert failures() == at + 202


@pytest.mark.parametrize("value", ["many", "0", "-5", "1e9", ""])
def test_a_header_that_is_no_budget_is_refused_and_not_a_way_past_it(
    proxy, recorder, value: str
) -> None:
    headers = {"X-Homunculus-Tokens": value}
    answer = proxy.client.post(ROUTES[0], json=request(ROUTES[0], "gpt", FILE), headers=headers)
    assert answer.status_code == 422, answer.text
    assert "expected a whole number from 1" in answer.text
    assert recorder.seen == []


def test_an_address_is_left_alone(proxy, recorder) -> None:
    body = request(ROUTES[0], "gpt")
    far = {"type": "image_url", "image_url": {"url": "http://169.254.169.254/a.png"}}
    body["messages"][0]["content"].insert(1, far)
    at = proxy.counts()
    ask(proxy, ROUTES[0], body)
    assert recorder.seen[0].body["messages"] == body["messages"]
    assert proxy.counts() == at


def test_counters_add_up(proxy, recorder) -> None:
    at = proxy.counts()
    answer = ask(proxy, ROUTES[1], request(ROUTES[1], "claude", FILE))  # it fires twice there
    now = proxy.counts()
    assert now["pictures_total"] - at["pictures_total"] == 1
    for name in ("before", "after"):
        grown = now[f"tokens_{name}_total"] - at[f"tokens_{name}_total"]
        assert grown == int(answer.headers[f"x-homunculus-tokens-{name}"])


def test_nothing_of_a_request_is_written(proxy, recorder) -> None:
    chat(proxy, recorder, "gpt")
    log = proxy.log.read_text("utf-8", "replace")
    assert QUESTION not in log
    assert b64encode(FILE).decode()[:60] not in log
    assert {path.name for path in proxy.log.parent.iterdir()} <= {
        "config.yaml", "log.txt", "beside.py", "__pycache__",
    }  # fmt: skip


# ---- faults --------------------------------------------------------------------------------------


def fault(proxy, question: str):
    return proxy.client.post(ROUTES[0], json=request(ROUTES[0], "gpt", FILE, question=question))


@pytest.fixture(scope="module")
def faulty(start):
    return start("beside.hook", FAULTY, HOMUNCULUS_SECONDS="4")


def test_others_are_answered_while_views_are_made(faulty, recorder) -> None:
    for _ in range(2):  # LiteLLM loads half of itself with its first requests, in the loop
        assert fault(faulty, "raise").status_code == 200
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(fault, faulty, "spin")
        times = []
        while not running.done():
            begin = time.monotonic()
            assert faulty.healthy()
            times.append(time.monotonic() - begin)
            time.sleep(0.02)
    assert running.result().status_code == 200
    assert len(times) > 10
    assert max(times) < 1.0, max(times)  # in the loop it would be four seconds
    assert sorted(times)[len(times) // 2] < 0.2


@pytest.mark.parametrize("question", ["raise", "memory", "hang"])
def test_a_fault_of_ours_leaves_the_request_as_it_was(faulty, recorder, question: str) -> None:
    at = faulty.counts()
    answer = fault(faulty, question)
    assert answer.status_code == 200, answer.text
    (body,) = (one.body for one in recorder.seen)
    assert files_in(body) == [FILE]
    assert faulty.counts()["failures_total"] == at["failures_total"] + 1


@pytest.fixture(scope="module")
def closed(start):
    return start("beside.hook", FAULTY, HOMUNCULUS_SECONDS="4", HOMUNCULUS_FAIL="closed")


def test_a_closed_hook_refuses_what_it_cannot_show(closed, recorder) -> None:
    small = packed(page(16, 16))
    for model, files, headers, sentence in (
        ("strange", [FILE], {}, "how openai/strange counts tokens is not known"),
        ("wrong", [FILE], {}, "Did you mean 'claude'"),
        ("gpt", [small] * 200, {}, "may have 100 pictures, got 200"),
        ("gpt", [b"no picture"], {}, "homunculus: "),
        ("gpt", [FILE], {"x-homunculus-tokens": "0"}, "expected a whole number from 1, got '0'"),
    ):
        body = request(ROUTES[0], model, *files)
        answer = closed.client.post(ROUTES[0], json=body, headers=headers)
        assert answer.status_code == 422, answer.text
        assert sentence in answer.text
    route = "/anthropic/v1/messages"
    body = request(route, "claude-opus-4-8", b"no picture")
    answer = closed.client.post(route, json=body)
    assert answer.status_code == 422, answer.text
    assert recorder.seen == []


def test_a_closed_hook_lets_pass_what_has_no_pictures(closed, recorder) -> None:
    for route in ROUTES:
        ask(closed, route, request(route, "gpt"))
    assert len(recorder.seen) == 3


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("raise", "homunculus: the scout fell asleep"),
        ("memory", "homunculus: MemoryError"),
        ("hang", "homunculus: views were not ready within 4 seconds"),
    ],
)
def test_a_closed_hook_refuses_with_a_sentence(closed, recorder, question, sentence) -> None:
    answer = fault(closed, question)
    assert answer.status_code == 422, answer.text
    assert sentence in answer.text
    assert recorder.seen == []


# ---- without a proxy -----------------------------------------------------------------------------


def test_the_hook_works_for_litellm_alone(recorder, monkeypatch) -> None:
    import litellm

    from homunculus.serve.litellm import Hook

    monkeypatch.setattr(litellm, "callbacks", [Hook(50)])
    body = request(ROUTES[0], "openai/gpt-6", FILE)
    before = deepcopy(body)
    base = f"http://127.0.0.1:{recorder.server_address[1]}/v1"
    asyncio.run(litellm.acompletion(**body, api_base=base, api_key="k"))
    assert body == before
    assert 0 < cost("gpt-6", files_in(recorder.seen[0].body)) <= 50


def test_hooks_stand_on_the_class_itself() -> None:
    from homunculus.serve import litellm

    assert type(litellm.hook).__mro__[1].__name__ == "CustomLogger"
    assert {name for name in vars(litellm.Hook) if name.startswith("async_")} == {
        "async_pre_call_deployment_hook", "async_pre_call_hook",
        "async_post_call_response_headers_hook",
    }  # fmt: skip


def test_nothing_is_changed_in_place_and_other_calls_are_left_alone() -> None:
    from homunculus.serve.litellm import Hook

    hook = Hook(64)
    call = request(ROUTES[2], "claude-opus-4-8", FILE) | {"litellm_call_id": "1"}
    before = deepcopy(call)
    after = asyncio.run(hook.async_pre_call_deployment_hook(call, "anthropic_messages"))
    assert call == before
    assert after is not None
    assert after is not call
    again = asyncio.run(hook.async_pre_call_deployment_hook(after, "acompletion"))
    assert again is None  # views are not shown as views once more
    for kind in ("aembedding", "aimage_edit", None):
        assert asyncio.run(hook.async_pre_call_deployment_hook(call, kind)) is None
    assert asyncio.run(hook.async_pre_call_hook(None, None, call, "acompletion")) is None


def test_a_bottomless_request_is_left_alone() -> None:
    from homunculus.serve.litellm import Hook

    turn = picture(ROUTES[2], FILE)
    for _ in range(3000):
        turn = {"role": "user", "content": [turn]}
    call = {"model": "claude", "messages": [turn]}
    assert asyncio.run(Hook().async_pre_call_deployment_hook(call, "acompletion")) is None
    with pytest.raises(Exception, match="not one of our views"):
        asyncio.run(Hook(closed=True).async_pre_call_deployment_hook(call, "acompletion"))


def test_a_model_that_points_at_its_screen_sees_it_as_it_is() -> None:
    from homunculus.serve.litellm import Hook

    call = request(ROUTES[2], "claude-opus-4-8", FILE, tools=[{"type": "computer_20250124"}])
    assert asyncio.run(Hook().async_pre_call_deployment_hook(call, "acompletion")) is None
    with pytest.raises(Exception, match="points at pixels"):
        asyncio.run(Hook(closed=True).async_pre_call_deployment_hook(call, "acompletion"))


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("aembedding", {"input": [uri(FILE)]}),
        ("amoderation", {"input": [picture(ROUTES[0], FILE)]}),
        ("atext_completion", {"prompt": uri(FILE)}),
        ("acompact_responses", {"input": "x"}),
        ("acreate_file", {"purpose": "vision"}),
        ("acreate_batch", {"input_file_id": "1"}),
        ("a_type_of_tomorrow", {"input": "x"}),
    ],
)
def test_a_closed_hook_looks_at_the_calls_of_all_types(kind: str, data: dict) -> None:
    from homunculus.serve.litellm import Hook

    assert asyncio.run(Hook().async_pre_call_hook(None, None, data, kind)) is None
    with pytest.raises(Exception, match="homunculus: "):
        asyncio.run(Hook(closed=True).async_pre_call_hook(None, None, data, kind))


@pytest.mark.parametrize("kind", ["aembedding", "amoderation", "acompact_responses", "tomorrow"])
def test_an_open_hook_counts_the_pictures_of_calls_that_it_does_not_rewrite(kind: str) -> None:
    from homunculus.serve.litellm import Hook, _counters

    before = _counters()["failures"]._value.get()
    data = {"input": [uri(FILE), "text", picture(ROUTES[0], FILE)], "metadata": {"kept": uri(FILE)}}
    assert asyncio.run(Hook().async_pre_call_hook(None, None, data, kind)) is None
    assert _counters()["failures"]._value.get() == before + 2


def test_a_closed_hook_looks_at_the_metadata_of_routes_that_pass_through() -> None:
    from homunculus.serve.litellm import Hook

    key = SimpleNamespace(request_route="/openai/v1/chat/completions", metadata={})
    data = request(ROUTES[0], "gpt-5.4", FILE)
    asyncio.run(Hook(closed=True).async_pre_call_hook(key, None, data, "pass_through_endpoint"))
    with pytest.raises(Exception, match="not one of our views"):
        asyncio.run(
            Hook(closed=True).async_pre_call_hook(
                key, None, data | {"metadata": {"note": uri(FILE)}}, "pass_through_endpoint"
            )
        )


@pytest.mark.parametrize("kind", ["aembedding", "alist_input_items", "aretrieve_batch", "aspeech"])
def test_a_closed_hook_lets_text_and_questions_about_what_is_there_pass(kind: str) -> None:
    from homunculus.serve.litellm import Hook

    hook = Hook(closed=True)
    assert asyncio.run(hook.async_pre_call_hook(None, None, {"input": ["x"]}, kind)) is None


@pytest.mark.parametrize(
    "route",
    ["/bedrock/model/claude/invoke", "/vertex_ai/v1/endpoints/7:predict", "/openai/v1/files", ""],
)
def test_a_closed_hook_refuses_routes_that_it_does_not_know(route: str) -> None:

    from homunculus.serve.litellm import THROUGH, Hook

    key = SimpleNamespace(request_route=route, metadata={})
    with pytest.raises(Exception, match="is not known"):
        asyncio.run(Hook(closed=True).async_pre_call_hook(key, None, {"messages": []}, THROUGH))


@pytest.mark.parametrize("end", ["rawPredict", "streamRawPredict"])
def test_claude_on_vertex_gets_views(end: str) -> None:
    from homunculus.serve.litellm import THROUGH, Hook

    route = f"/vertex_ai/v1/publishers/anthropic/models/claude-opus-4-8:{end}"
    key = SimpleNamespace(request_route=route, metadata={})
    data = request(ROUTES[2], "claude-opus-4-8", FILE)
    del data["model"]  # the address names it
    sent = asyncio.run(Hook(closed=True).async_pre_call_hook(key, None, data, THROUGH))
    assert sent["messages"] != data["messages"]


def test_importing_the_hook_starts_nothing_and_reads_no_settings() -> None:
    code = "import threading, homunculus.serve.litellm; print(threading.active_count())"
    plain = "import threading, litellm; print(threading.active_count())"
    wrong = os.environ | {"HOMUNCULUS_TOKENS": "none", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    counts = [
        subprocess.run([sys.executable, "-c", one], env=wrong, capture_output=True, check=True)
        for one in (code, plain)
    ]
    assert counts[0].stdout == counts[1].stdout
    ask = [sys.executable, "-c", "from homunculus.serve.litellm import hook"]
    found = subprocess.run(ask, env=wrong, capture_output=True, check=False)
    assert b"HOMUNCULUS_TOKENS: expected a whole number" in found.stderr


def test_figures_of_calls_are_bounded(monkeypatch) -> None:
    from homunculus.serve import litellm
    from homunculus.serve.rewriter import Report, ShownPicture

    monkeypatch.setattr(litellm, "CALLS", 3)
    hook = litellm.Hook()
    for number in range(9):
        hook._keep(str(number), Report([ShownPicture(200, number, 0, 0.5, "found")]))
    assert list(hook._figures) == ["6", "7", "8"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOMUNCULUS_TOKENS", "0"), ("HOMUNCULUS_TOKENS", "-5"), ("HOMUNCULUS_TOKENS", "auto"),
        ("HOMUNCULUS_FAIL", "ajar"), ("HOMUNCULUS_SECONDS", "nan"), ("HOMUNCULUS_SECONDS", "soon"),
        ("HOMUNCULUS_LEGIBLE", "80"), ("HOMUNCULUS_LEGIBLE", "0"), ("HOMUNCULUS_CAP", "-1"),
        ("HOMUNCULUS_OCR", "rapidorc"),
    ],
)  # fmt: skip
def test_a_wrong_setting_says_so_at_the_start(name: str, value: str, monkeypatch) -> None:
    from homunculus.pages import ocr
    from homunculus.serve.litellm import from_environment

    with pytest.raises(ValueError, match=f"{name}: expected .*, got '{value}'"):
        from_environment({name: value})
    assert from_environment({}).rewriter.tokens == 273
    assert from_environment({"HOMUNCULUS_TOKENS": "99"}).rewriter.tokens == 99
    doubtful = from_environment({"HOMUNCULUS_LEGIBLE": "0.5", "HOMUNCULUS_CAP": "512"}).rewriter
    assert (doubtful.options.legible, doubtful.options.cap) == (0.5, 512)
    assert doubtful.options.ocr is None
    monkeypatch.setattr(ocr, "_engine", lambda name: ocr._Named(lambda pixels: []))
    assert from_environment({"HOMUNCULUS_OCR": "rapidocr"}).rewriter.options.ocr == "rapidocr"
