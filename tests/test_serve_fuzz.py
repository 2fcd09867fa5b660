"""Random requests around a picture: in strict mode it never leaves as it was."""

import json
import os
from base64 import b64encode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homunculus.messages.body import pictures_in
from homunculus.pages import size_of
from homunculus.planner.models import token_rule
from homunculus.serve import Rewriter
from homunculus.serve.bodies import Head, rewrite_body
from serving.client import packed, page
from test_planner_views import corner

BODIES = int(os.environ.get("HOMUNCULUS_BODIES", "1000"))
"""Of each route, the same ones every time in CI. HOMUNCULUS_BODIES=4000 tries 20,000 in all."""
ROUTES = {
    "/v1/chat/completions": "messages", "/v1/responses": "input", "/v1/messages": "messages",
    "/v1beta/models/gemini-3-pro:generateContent": "contents", "/v1/embeddings": "input",
}  # fmt: skip
NAMES = (
    "messages", "input", "contents", "content", "parts", "role", "type", "text", "image_url", "url",
    "source", "data", "media_type", "mime_type", "mimeType", "inline_data", "inlineData", "output",
    "file", "file_data", "file_id", "system", "systemInstruction", "instructions", "tools", "image",
    "input_image", "document", "functionResponse", "prompt", "variables", "extra_body", "metadata",
    "detail", "uuid", "cache_control", "arguments", "result", "image_embeds", "x",
)  # fmt: skip
WORDS = (
    "user", "system", "assistant", "tool", "text", "image_url", "input_image", "image", "document",
    "base64", "url", "file", "input_file", "input_text", "image/png", "IMAGE/PNG", "audio/wav",
    "application/octet-stream", "computer_20251124", "What is the total?", "", "low", "high",
)  # fmt: skip


BASE64 = b64encode(packed(page(240, 320))).decode()  # small, since it is sent 20,000 times
URI = f"data:image/png;base64,{BASE64}"
MIDDLE = BASE64[len(BASE64) // 2 :][:60].replace("/", "_").replace("+", "-")
HIDDEN = {
    "<base64>": BASE64,
    "<uri>": URI,
    "<space>": f" \n{URI}",
    "<capital>": URI.replace("data:image/png", "DATA:Image/PNG"),
    "<bare>": f"data:;base64,{BASE64}",
    "<odd>": f"data:application/x;name=a;base64,{BASE64}",
    "<lines>": "\r\n".join(BASE64[i : i + 76] for i in range(0, len(BASE64), 76)),
    "<safe>": BASE64.replace("+", "-").replace("/", "_"),
    "<said>": f"Look at this: {URI} and tell me.",
    "<json>": json.dumps({"url": URI}).replace("/", "\\/"),
    "<padded>": f"=={BASE64}",
}
"""Ways to write the picture."""


def fill(value):
    """The pictures in the place of their marks."""
    if isinstance(value, dict):
        return {name: fill(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [fill(item) for item in value]
    return HIDDEN.get(value, value) if isinstance(value, str) else value


marks = st.sampled_from(list(HIDDEN))
leaves = marks | st.sampled_from(WORDS) | st.none() | st.booleans() | st.integers(0, 9)
parts = st.one_of(
    st.builds(lambda kind, uri, more: {"type": kind, "image_url": {"url": uri} | more},
              st.sampled_from(("image_url", "input_image", "text", "IMAGE_URL")), marks,
              st.sampled_from(({}, {"detail": "low"}))),
    st.builds(lambda uri: {"image_url": uri}, marks),
    st.builds(lambda kind, source, data: {"type": kind, "source": {"type": source, "media_type":
              "image/png", "data": data, "url": data}}, st.sampled_from(("image", "document", "x")),
              st.sampled_from(("base64", "url", "file", "text")), marks),
    st.builds(lambda name, key, media, data: {name: {key: media, "data": data}},
              st.sampled_from(("inline_data", "inlineData")),
              st.sampled_from(("mime_type", "mimeType")), st.sampled_from(WORDS), marks),
    st.builds(lambda data: {"type": "file", "file": {"file_data": data}}, marks),
)  # fmt: skip
trees = st.recursive(
    leaves | parts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
        | st.builds(lambda item: {"role": "user", "content": [item]}, inner)
    ),
    max_leaves=8,
)
extras = st.dictionaries(st.sampled_from(NAMES), trees, max_size=3)
STRICT = Rewriter(60, strict=True, scout=corner(), model="claude")


@pytest.mark.parametrize("route", ROUTES)
@settings(max_examples=BODIES, deadline=None, suppress_health_check=list(HealthCheck))
@given(turns=st.lists(trees, max_size=3) | trees, more=extras, asked=st.booleans())
def test_no_original_leaves(route: str, turns, more: dict, asked: bool) -> None:
    question = [{"role": "user", "content": "What is the total?"}] if asked else []
    turns = [*turns, *question] if isinstance(turns, list) else turns
    body = json.dumps(fill({ROUTES[route]: turns, **more})).encode()
    try:
        sent, _ = rewrite_body(STRICT, Head("POST", route, "application/json"), body)
    except ValueError:
        return
    plain = "".join(sent.decode().replace("\\", "").split()).replace("/", "_").replace("+", "-")
    assert MIDDLE not in plain
    rule = token_rule("claude")
    for found in pictures_in(json.loads(sent), None):
        assert found.kind == "data" or not found.text  # an empty one is no picture
        assert found.kind == "id" or rule.count(size_of(found.file())) <= 60
