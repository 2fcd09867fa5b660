"""Strangers before a real proxy: each is refused with a sentence, and the proxy lives on.

A server at 127.0.0.2 stands for a public one, and `fetch.public` is told so in the proxy's process;
its port takes the place of 80, and names that end in `.test` are looked up at a hostile name
server. On the same port of 127.0.0.1 listens one that nobody may reach.
"""

import time
from pathlib import Path

import pytest

from proxy.test_litellm import FILE, ROUTES, ask, chat, files_in, picture, request, words, wrap
from serving.bombs import EVERY
from serving.client import packed, page
from sites import LOOPBACK, PUBLIC, Site, drip, endless, redirect, whole

CODE = """
import sys
sys.path.append({folder!r})
from sites import stay_home
stay_home()
import socket
import homunculus.serve.litellm as ours
from homunculus.serve import rewriter
from homunculus.serve import fetch

usual, look_up = fetch.public, socket.getaddrinfo
NAMES = {{
    "pictures.test": ["{public}"], "inside.test": ["127.0.0.1"], "cloud.test": ["169.254.169.254"],
    "both.test": ["{public}", "127.0.0.1"], "six.test": ["::1"], "mapped.test": ["::ffff:7f00:1"],
}}
asked = []

def resolve(host, port, *more, **options):
    places = NAMES.get(host, [host])
    if host == "rebind.test":  # another address each time
        asked.append(host)
        places = ["{public}" if len(asked) % 2 else "127.0.0.1"]
    return [row for one in places for row in look_up(one, port, *more, **options)]

socket.getaddrinfo = resolve
fetch.public = lambda address: address == "{public}" or usual(address)
fetch.PORTS = {{"http": {port}, "https": {port}}}
rewriter.DOWNLOAD_SECONDS = 2.0
hook = ours.hook
"""
HOSTS = [
    "127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "0x7f000001", "017700000001",
    "127.1", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
    "10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "169.254.169.254", "[fe80::1]",
    "[fd00:ec2::254]", "[::ffff:169.254.169.254]", "2852039166", "192.0.0.192", "224.0.0.1",
    "inside.test", "cloud.test", "both.test", "six.test", "mapped.test",
]  # fmt: skip
REDIRECTS = ["http://127.0.0.1/a.png", "//localhost/", "http://cloud.test/", "http://[::1]/"]
OTHERS = [
    "file:///etc/passwd", "ftp://pictures.test/a.png", "gopher://pictures.test/1", "dict://a:1/",
    "http://me:secret@pictures.test/a.png", "http://pictures.test:22/", "http://", "nonsense",
    "/etc/passwd", "data:,nonsense", "data:image/png;base64,####", "data:image/png;base64,AAAA",
    "http://pictures.test/\r\nX: y", "http://[::1", "jar:file:///a!/b",
]  # fmt: skip


def far(route: str, address: str) -> dict:
    """A picture by its address, as each API writes it."""
    if route.endswith("messages"):
        return {"type": "image", "source": {"type": "url", "url": address}}
    if route.endswith("responses"):
        return {"type": "input_image", "image_url": address, "detail": "auto"}
    return {"type": "image_url", "image_url": {"url": address}}


def asking(route: str, *parts: dict, model: str = "gpt") -> dict:
    content = [*parts, words(route, "What is the total?")]
    return wrap(route, model, [{"role": "user", "content": content}], {})


@pytest.fixture(scope="module")
def sites():
    """A public server, and one that nobody may reach on the same port."""
    public = Site(PUBLIC)
    inside = Site(LOOPBACK, public.port)
    yield public, inside
    public.listener.close()
    inside.listener.close()


@pytest.fixture(scope="module")
def code(sites) -> str:
    folder = str(Path(__file__).parents[1])
    return CODE.format(public=PUBLIC, port=sites[0].port, folder=folder)


@pytest.fixture(scope="module")
def closed(start, code):
    return start(
        "beside.hook", code,
        HOMUNCULUS_FAIL="closed", HOMUNCULUS_FETCH="1", HOMUNCULUS_SECONDS="20",
    )  # fmt: skip


def refused(proxy, route: str, body: dict) -> str:
    answer = proxy.client.post(route, json=body)
    assert 400 <= answer.status_code < 500, answer.text
    assert "homunculus: " in answer.text
    assert "secret" not in answer.text.replace("me:secret@", "")
    return answer.text


def test_a_public_picture_is_fetched_and_shown(closed, recorder, sites) -> None:
    sites[0].answers["/a.png"] = whole(FILE)
    for route in ROUTES:
        recorder.seen.clear()
        ask(closed, route, asking(route, far(route, "http://pictures.test/a.png")))
        (body,) = (one.body for one in recorder.seen)
        assert files_in(body)
        assert "pictures.test" not in str(body)


def test_addresses_that_lead_inside(closed, recorder, sites) -> None:
    inside = len(sites[1].requests)
    for at, host in enumerate(HOSTS):
        route = ROUTES[at % 3]
        text = refused(closed, route, asking(route, far(route, f"http://{host}/a.png")))
        assert "leads to public addresses alone" in text, (host, text)
    assert recorder.seen == []
    assert len(sites[1].requests) == inside
    assert chat(closed, recorder, "gpt")


def test_redirects_and_names_that_change(closed, recorder, sites) -> None:
    public, inside = sites
    for at, where in enumerate(REDIRECTS):
        public.answers[f"/{at}"] = redirect(where)
        body = asking(ROUTES[0], far(ROUTES[0], f"http://pictures.test/{at}"))
        assert "leads to public addresses alone" in refused(closed, ROUTES[0], body)
    public.answers["/loop"] = redirect("/loop")
    body = asking(ROUTES[0], far(ROUTES[0], "http://pictures.test/loop"))
    assert "more than 3 redirects" in refused(closed, ROUTES[0], body)
    again = asking(ROUTES[0], far(ROUTES[0], "http://rebind.test/a.png"))
    assert closed.client.post(ROUTES[0], json=again).status_code == 200
    assert "leads to public addresses alone" in refused(closed, ROUTES[0], again)
    assert len(recorder.seen) == 1
    assert inside.requests == []


def test_other_schemes_and_nonsense(closed, recorder, sites) -> None:
    for at, address in enumerate(OTHERS):
        route = ROUTES[at % 3]
        if address.startswith("data:"):
            route = ROUTES[0]
        refused(closed, route, asking(route, far(route, address)))
    text = refused(closed, "/anthropic/v1/messages", asking(
        "/v1/messages", far("/v1/messages", "http://127.0.0.1/"), model="claude-opus-4-8"
    ))  # fmt: skip
    assert "leads to public addresses alone" in text
    assert recorder.seen == []
    assert sites[1].requests == []


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n", "at most 64 MiB"),
        (endless, "at most 64 MiB"),
        (drip(b""), "not here in time"),
        (drip(b"HTTP/1.1 200 OK\r\n\r\n"), "not here in time"),
        (b"HTTP/1.1 403 No\r\n\r\nsecret", "no picture came from it"),
        (whole(b"secret"), "expected PNG, JPEG"),
        (whole(EVERY["png"]), "at most 400 megapixels"),
        (whole(FILE[:-30] + b"secret"), "got something else"),
    ],
    ids=["declared", "endless", "slow", "slow body", "status", "text", "bomb", "broken"],
)
def test_servers_that_do_not_behave(closed, recorder, sites, answer, sentence: str) -> None:
    sites[0].answers["/bad"] = answer
    begin = time.monotonic()
    text = refused(closed, ROUTES[0], asking(ROUTES[0], far(ROUTES[0], "http://pictures.test/bad")))
    assert sentence in text
    assert time.monotonic() - begin < 15
    assert recorder.seen == []
    assert chat(closed, recorder, "gpt")


def peak(proxy) -> int:
    """The most bytes that the proxy ever had in memory."""
    lines = Path(f"/proc/{proxy.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))


def test_bombs_of_every_format(closed, recorder) -> None:
    chat(closed, recorder, "gpt")
    recorder.seen.clear()
    before = peak(closed)
    for at, (name, data) in enumerate(EVERY.items()):
        route = ROUTES[at % 3]
        text = refused(closed, route, asking(route, picture(route, data)))
        assert "expected" in text or "too large" in text, (name, text)
    assert recorder.seen == []
    assert peak(closed) - before < 64 << 20
    assert chat(closed, recorder, "gpt")


def test_too_many_pictures(closed, recorder) -> None:
    small = packed(page(16, 16))
    for route in ROUTES:
        text = refused(closed, route, request(route, "gpt", *[small] * 200))
        assert "may have 100 pictures, got 200" in text
        parts = [far(route, "http://127.0.0.1/")] * 200
        assert "got 200" in refused(closed, route, asking(route, *parts))
    assert recorder.seen == []
    assert chat(closed, recorder, "gpt")


def test_an_open_hook_sends_addresses_on_and_visits_nobody_inside(
    start, code, recorder, sites
) -> None:
    proxy = start("beside.hook", code, HOMUNCULUS_FETCH="1", HOMUNCULUS_SECONDS="60")
    sites[0].answers["/in"] = redirect("http://127.0.0.1/a.png")
    at = proxy.counts()["failures_total"]
    addresses = [f"http://{host}/a.png" for host in HOSTS] + ["http://pictures.test/in"]
    for address in addresses:
        recorder.seen.clear()
        body = asking(ROUTES[0], far(ROUTES[0], address))
        ask(proxy, ROUTES[0], body)
        assert [one.body["messages"] for one in recorder.seen] == [body["messages"]]
    assert proxy.counts()["failures_total"] == at + len(addresses)
    assert sites[1].requests == []
