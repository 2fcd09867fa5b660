"""The middleware by itself: what it changes, whom it refuses, and what it does when it is late."""

import asyncio
import json
import threading
from dataclasses import replace

import numpy as np
import pytest
from starlette.exceptions import HTTPException

from homunculus import Sight
from homunculus.engines.vllm.middleware import Body, BodyRewriter, ViewsMiddleware
from homunculus.engines.vllm.settings import limit_images
from homunculus.engines.vllm.stock import (
    STOCK_FAMILIES,
    ViewSettings,
    describe,
    view_settings,
)
from homunculus.planner.tiles import FlatRule
from homunculus.serve.bodies import Head
from serving.client import page, turn

CHAT = Head("POST", "/v1/chat/completions", "application/json")
RULE = FlatRule("SmolVLM", 8, price=19, pixels=64)
HOT = 9 * np.eye(8)


def maker(scout=HOT, **more):
    made = BodyRewriter(RULE, ViewSettings(tokens=88, **more))  # four pictures and their lines
    made.rewriter.options = replace(made.rewriter.options, scout=scout)
    return made


def body(*messages):
    return json.dumps({"model": "served", "messages": list(messages)}).encode()


def incoming(*messages):
    """What a server hands to an application, message by message; then nothing for ever."""
    left = list(messages)

    async def receive():
        while not left:
            await asyncio.sleep(3600)
        return left.pop(0)

    return receive


def chunk(data, more=False):
    return {"type": "http.request", "body": data, "more_body": more}


def images(data):
    parts = json.loads(data)["messages"][0]["content"]
    return sum(part["type"] == "image_url" for part in parts)


def read(made, *messages):
    async def run():
        return await Body(made, incoming(*messages), CHAT).receive()

    return asyncio.run(run())


def counter(name):
    from prometheus_client import REGISTRY

    return REGISTRY.get_sample_value(f"homunculus:{name}_total")


ASK = body(turn("What is the total?", page(400, 500)))


def test_an_image_becomes_views_within_the_budget():
    made = maker()
    before = counter("tokens_kept")
    half = len(ASK) // 2
    found = read(made, chunk(ASK[:half], True), chunk(ASK[half:]))
    assert images(found["body"]) == 4
    assert found["more_body"] is False
    assert counter("tokens_kept") - before == 76


def test_what_has_no_images_or_is_no_json_stays_as_it_is():
    made = maker()
    for data in (b"", b"{", b"[]", b"[" * 100_000, body({"role": "user", "content": "Hello"})):
        assert read(made, chunk(data))["body"] == data


def test_a_body_that_is_too_large_is_refused():
    with pytest.raises(HTTPException, match="at most 1000 bytes") as raised:
        read(maker(bytes=1000), chunk(ASK[:600], True), chunk(ASK[600:1200], True))
    assert raised.value.status_code == 413


def test_a_broken_image_goes_on_or_is_refused_as_the_settings_say():
    broken = turn("What?", page(400, 500))
    broken["content"][0]["image_url"]["url"] = "data:image/png;base64,aGVsbG8="
    data = body(broken)
    assert read(maker(), chunk(data))["body"] == data
    before = counter("requests_refused")
    with pytest.raises(HTTPException) as raised:
        read(maker(strict=True), chunk(data))
    assert raised.value.status_code == 400
    assert raised.value.detail.startswith("homunculus: ")
    assert counter("requests_refused") == before + 1


@pytest.fixture
def stuck():
    """A scout that finds nothing until the test is over."""
    gate = threading.Event()

    def scout(image, question, grid):
        gate.wait(60)
        return Sight(np.zeros(grid), sure=1.0)

    yield scout
    gate.set()


def test_who_is_late_is_shown_whole_and_counted(stuck):
    made = maker(stuck, seconds=0.5)
    before = counter("images_late")
    assert images(asyncio.run(made.change(CHAT, ASK))) == 1
    assert counter("images_late") == before + 1


def test_when_too_many_wait_others_are_shown_whole_at_once(stuck):
    made = maker(stuck, seconds=50, waiting=1)
    other = body(turn("When was it?", page(400, 500)))

    async def both():
        first = asyncio.ensure_future(made.change(CHAT, ASK))
        while not made._waiting:
            await asyncio.sleep(0.01)
        second = await made.change(CHAT, other)
        first.cancel()
        return images(second)

    before = counter("images_late")
    assert asyncio.run(both()) == 1
    assert counter("images_late") == before + 1


def test_a_client_that_leaves_is_noticed_while_views_are_made(stuck):
    made = maker(stuck, seconds=50)

    async def leave():
        out = Body(made, incoming(chunk(ASK), {"type": "http.disconnect"}), CHAT)
        return [await out.receive(), await out.receive()]

    assert asyncio.run(leave()) == [{"type": "http.disconnect"}] * 2


def test_the_next_message_after_the_body_reaches_the_application():
    made = maker()

    async def talk():
        gate = asyncio.Event()
        first = [chunk(ASK)]

        async def receive():
            if first:
                return first.pop()
            await gate.wait()
            return {"type": "http.disconnect"}

        out = Body(made, receive, CHAT)
        assert images((await out.receive())["body"]) == 4
        gate.set()
        return await out.receive()

    assert asyncio.run(talk()) == {"type": "http.disconnect"}


JSON = [(b"content-type", b"application/json")]
SCOPE = {"type": "http", "method": "POST", "path": "/v1/chat/completions", "headers": JSON}


def passed(made, change, data=ASK):
    """What reaches the application."""
    seen = []

    async def app(scope, receive, send):
        seen.append((await receive())["body"])

    asyncio.run(ViewsMiddleware(app, made)(SCOPE | change, incoming(chunk(data)), None))
    return seen[0]


@pytest.mark.parametrize(
    "change",
    [
        {"headers": [(b"Content-Type", b"Application/JSON; charset=utf-8")]},
        {"headers": []},
        {"headers": [(b"content-type", b"text/plain")]},
        {"method": "PUT"},
        {"path": "/v1/Chat/Completions/"},
    ],
)
def test_a_body_is_changed_however_its_request_is_written(change):
    assert images(passed(maker(), change)) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"path": "/invocations"},
        {"path": "/v1/embeddings"},
        {"path": "/v1/chat/completions/batch"},
        {"headers": [*JSON, (b"content-encoding", b"gzip")]},
    ],
)
def test_what_is_not_known_is_left_and_counted_or_refused(change):
    before = counter("images_left")
    assert passed(maker(), change) == ASK
    assert counter("images_left") > before
    with pytest.raises(HTTPException):
        passed(maker(strict=True), change)
    assert passed(maker(strict=True), change | {"method": "GET"}) == ASK


def test_strict_closes_a_socket():
    sent = []

    async def app(scope, receive, send):
        raise AssertionError("it got through")

    async def send(message):
        sent.append(message["type"])

    scope = {"type": "websocket", "path": "/v1/realtime", "headers": []}
    asyncio.run(ViewsMiddleware(app, maker(strict=True))(scope, None, send))
    assert sent == ["websocket.close"]


def test_more_images_than_the_operator_allows_are_refused_strict_or_not():
    data = body(turn("What?", *[page(96, 96)] * 3))
    for strict in (False, True):
        with pytest.raises(HTTPException, match="may have 2 pictures, got 3"):
            read(maker(images=2, strict=strict), chunk(data))


def test_one_image_by_its_address_ends_a_strict_request():
    message = turn("What is the total?", page(400, 500))
    message["content"].append({"type": "image_url", "image_url": {"url": "http://127.0.0.1:9/a"}})
    with pytest.raises(HTTPException, match="only its address"):
        read(maker(strict=True), chunk(body(message)))
    assert images(read(maker(), chunk(body(message)))["body"]) == 5


def test_the_id_of_an_image_does_not_reach_the_cache_by_its_views():
    message = turn("What is the total?", page(400, 500))
    message["content"][0]["uuid"] = "mine"
    assert b"mine" not in read(maker(), chunk(body(message)))["body"]


def test_nothing_is_read_before_the_application_asks():
    """So a server that refuses a key has not searched an image of a stranger."""

    async def app(scope, receive, send):
        return None

    async def receive():
        raise AssertionError("read too early")

    asyncio.run(ViewsMiddleware(app, maker(strict=True))(SCOPE, receive, None))


# ---- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "expected a JSON object"),
        ("[1]", "expected a JSON object"),
        ('{"token": 1}', "'token'"),
        ('{"tokens": 0}', "tokens must be an integer of at least 1"),
        ('{"seconds": 0}', "a number above 0"),
    ],
)
def test_settings_that_are_wrong_are_told(text, fault):
    with pytest.raises(ValueError, match=fault):
        ViewSettings.from_environment({"HOMUNCULUS_VIEWS": text})
    assert ViewSettings.from_environment({}).tokens == 273


def test_limits_count_the_views_of_images():
    limits, images = limit_images({"image": 2, "audio": 1}, None, 5)
    assert (limits, images) == ({"video": 0, "image": 10, "audio": 1}, 2)
    assert limit_images(None, 3, 5)[0] == {"video": 0, "image": 15}
    counted = limit_images({"image": {"count": 1, "width": 9}}, None, 5)[0]
    assert counted["image"] == {"count": 5, "width": 9}
    with pytest.raises(ValueError, match="at least 1 image"):
        limit_images({"image": 0}, None, 5)


def test_flags_of_the_plugin_alone_are_refused_by_name():
    name = next(iter(STOCK_FAMILIES))
    assert view_settings({"tokens": 64, "method": "", "seconds": 7}, name).seconds == 7
    for setting in (
        {"where": "after"}, {"method": "cut"}, {"question_from": "none"}, {"pixels": 256_000_000},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"{name} is shown views as ordinary images"):
            view_settings(setting, name)


def test_a_budget_below_one_image_is_refused_and_one_view_is_told():
    with pytest.raises(ValueError, match=r"18 tokens are too few .* costs 19"):
        describe(RULE, ViewSettings(tokens=18))
    assert "from --tokens 44 on windows" in describe(RULE, ViewSettings(tokens=20))
    assert "up to 3 views of 19 tokens" in describe(RULE, ViewSettings(tokens=80))
    assert "up to 4 views of 19 tokens" in describe(RULE, ViewSettings(tokens=80, label=False))
