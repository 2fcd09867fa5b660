"""Budgets by key: LiteLLM's own keys need a database, so a function of the config knows these."""

import pytest

from proxy.test_litellm import FILE, ROUTES, cost, files_in, request

CODE = """
from litellm.proxy._types import UserAPIKeyAuth
import homunculus.serve.litellm as ours

hook = ours.hook

async def auth(request, api_key):
    budget = api_key.removeprefix("sk-")
    metadata = {"homunculus_tokens": int(budget)} if budget.isdigit() else {}
    return UserAPIKeyAuth(api_key=api_key, metadata=metadata)
"""


@pytest.fixture(scope="module")
def proxy(start):
    return start("beside.hook", CODE, auth="beside.auth", HOMUNCULUS_SECONDS="120")


def arrived(proxy, recorder, route: str, model: str, key: str, body=(), **headers: str) -> int:
    """What the pictures cost that arrive."""
    recorder.seen.clear()
    headers = {"authorization": f"Bearer sk-{key}", **headers}
    sent = request(route, model, FILE) | dict(body)
    answer = proxy.client.post(route, json=sent, headers=headers)
    assert answer.status_code == 200, answer.text
    return cost("claude" if "claude" in model else "gpt-6", files_in(recorder.seen[0].body))


@pytest.mark.parametrize("route", ROUTES)
def test_the_smallest_of_model_key_and_header_holds(proxy, recorder, route: str) -> None:
    def tokens(key: str, **headers: str) -> int:
        return arrived(proxy, recorder, route, "gpt", key, **headers)

    assert 40 < tokens("none") <= 100
    assert 0 < tokens("40") <= 40
    assert 40 < tokens("5000") <= 100  # a key cannot raise a model's budget
    assert 0 < tokens("40", **{"x-homunculus-tokens": "24"}) <= 24
    assert 0 < tokens("40", **{"x-homunculus-tokens": "90"}) <= 40


def test_keys_hold_where_requests_pass_through(proxy, recorder) -> None:
    route = "/anthropic/v1/messages"
    model = "claude-opus-4-8"
    assert 50 < arrived(proxy, recorder, route, model, "none") <= 273
    assert 0 < arrived(proxy, recorder, route, model, "50") <= 50


def test_a_request_cannot_forge_the_metadata_of_its_key(proxy, recorder) -> None:
    forged = {"user_api_key_metadata": {"homunculus_tokens": 90}}
    for route in ROUTES:
        for name in ("metadata", "litellm_metadata"):
            body = {name: forged}
            assert 0 < arrived(proxy, recorder, route, "gpt", "40", body) <= 40
