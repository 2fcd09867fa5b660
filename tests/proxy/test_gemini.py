"""Gemini's own routes through a real proxy: what a hook can change of them, and what it cannot."""

from base64 import b64decode, b64encode

import pytest

from homunculus.messages.pictures import is_view
from proxy.test_litellm import FILE, QUESTION


@pytest.fixture(scope="module")
def proxy(start, provider):
    upstream = f"http://127.0.0.1:{provider.server_address[1]}"
    settings = {"model": "gemini/gemini-3-pro-preview", "api_base": upstream, "api_key": "k"}
    info = {"homunculus_tokens": 280}
    model = {"model_name": "gem", "litellm_params": settings, "model_info": info}
    return start(
        models=[model], HOMUNCULUS_SECONDS="120", GEMINI_API_BASE=upstream, GEMINI_API_KEY="k"
    )


def body(snake: bool) -> dict:
    names = ("inline_data", "mime_type") if snake else ("inlineData", "mimeType")
    inner = {names[0]: {names[1]: "image/png", "data": b64encode(FILE).decode()}}
    parts = [{"text": "Look."}, inner, {"text": QUESTION}]
    return {"contents": [{"role": "user", "parts": parts}]}


@pytest.mark.parametrize("snake", [True, False])
@pytest.mark.parametrize("end", [":generateContent", ":streamGenerateContent?alt=sse"])
def test_gemini_receives_views_at_the_price_of_the_budget(proxy, recorder, end, snake) -> None:
    given = body(snake)
    answer = proxy.client.post(f"/v1beta/models/gem{end}", json=given)
    assert answer.status_code == 200, answer.text
    assert "ok" in answer.text
    assert answer.headers["x-homunculus-tokens-before"] == "1120"
    assert answer.headers["x-homunculus-tokens-after"] == "280"
    ((path, sent, *_),) = recorder.seen
    assert path == f"/models/gemini-3-pro-preview{end}"
    first, view, last = sent["contents"][0]["parts"]
    assert [first, last] == given["contents"][0]["parts"][::2]
    inner, how = ("inline_data", "media_resolution") if snake else ("inlineData", "mediaResolution")
    assert set(view) == {inner, how}
    assert view[how] == {"level": "MEDIA_RESOLUTION_LOW"}
    assert is_view(b64decode(view[inner]["data"]))


def test_a_route_that_passes_through_names_its_model_in_the_address(proxy, recorder) -> None:
    given, key = body(False), {"x-goog-api-key": proxy.key}
    path = "/gemini/v1beta/models/gemini-3-pro:generateContent"
    answer = proxy.client.post(path, json=given, headers=key)
    assert answer.status_code == 200, answer.text
    _, view, _ = recorder.seen[0].body["contents"][0]["parts"]
    assert is_view(b64decode(view["inlineData"]["data"]))
    assert view["mediaResolution"] == {"level": "MEDIA_RESOLUTION_LOW"}
