"""What is fetched for strangers, and what is not: servers on loopback play the internet.

A server at 127.0.0.2 stands for a public one: the check of addresses, `fetch.public`, is told so,
and the port that it happens to have takes the place of 80. All else is as it runs for users.
"""

import socket
import ssl
import time
from collections.abc import Iterator

import pytest

from homunculus.messages import ANTHROPIC, CHAT, RESPONSES
from homunculus.pages import PictureError
from homunculus.serve import Rewriter, fetch
from sites import LOOPBACK, PUBLIC, Site, drip, endless, redirect, stay_home, whole
from test_planner_views import corner

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"


@pytest.fixture(autouse=True)
def _at_home(monkeypatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", socket.socket.connect)  # put back afterwards
    monkeypatch.setattr(socket, "getaddrinfo", socket.getaddrinfo)
    stay_home()


def test_no_test_of_addresses_can_leave_this_machine() -> None:
    with socket.socket() as one, pytest.raises(AssertionError, match="a test dials"):
        one.connect(("192.0.2.1", 80))  # nobody has this address
    with pytest.raises(OSError, match="Name or service not known"):
        socket.getaddrinfo("pictures.test", 80)


@pytest.fixture
def site(monkeypatch) -> Iterator[Site]:
    """A public server; `pictures.test` is its name."""
    one, usual, look_up = Site(PUBLIC), fetch.public, socket.getaddrinfo
    names = {"pictures.test": [PUBLIC], "inside.test": [LOOPBACK], "both.test": [PUBLIC, "::1"]}

    def resolve(host, port, *more, **options):
        rows = [look_up(each, port, *more, **options) for each in names.get(host, [host])]
        return [row for each in rows for row in each]

    monkeypatch.setattr(fetch, "public", lambda address: address == PUBLIC or usual(address))
    monkeypatch.setattr(fetch, "PORTS", {"http": one.port, "https": one.port})
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    yield one
    one.listener.close()


def get(path: str, most: int = 1000, seconds: float = 5.0) -> bytes:
    return fetch.fetch(f"http://pictures.test{path}", most, seconds)


# ---- addresses -----------------------------------------------------------------------------------

PRIVATE = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.5.4", "192.168.1.1", "100.64.0.1",
    "169.254.169.254", "192.0.0.192", "168.63.129.16",
    "::ffff:168.63.129.16", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1",
    "::", "::1", "::127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "fe80::1", "fc00::1",
    "fd00:ec2::254", "fec0::1", "ff0e::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:db8::1",
    "64:ff9b::a9fe:a9fe", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2001:0:7f00:1::", "100::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_not_everybody_reaches(address: str) -> None:
    assert not fetch.public(address)


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.1.1.1",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::",
    ],
)
def test_addresses_that_everybody_reaches(address: str) -> None:
    assert fetch.public(address)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::]", "2130706433", "0x7f000001", "0x7f.1",
        "017700000001", "127.1", "0", "169.254.169.254", "[::ffff:169.254.169.254]", "inside.test",
        "both.test", "[fd00:ec2::254]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "unknown.invalid",
    ],
)  # fmt: skip
def test_names_that_lead_inside_are_refused_before_any_connection(site, monkeypatch, host) -> None:
    def no_connection(*_: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(fetch, "_connected", no_connection)
    with pytest.raises(PictureError, match="leads to public addresses alone"):
        fetch.fetch(f"http://{host}/a.png", 1000)


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd", "ftp://pictures.test/a", "gopher://pictures.test/1",
        "//pictures.test", "/etc/passwd", "", "http://", "http:///a", "https:pictures.test", "jar:http://a!/b",
        "http://me:secret@pictures.test/", "http://pictures.test:22/", "http://pictures.test:x/",
        "http://pictures.test:99999/", "http://[::1/", "http://[fe80::1%25eth0]/", "http://a%2eb/",
        "http://pictures.test\\@inside.test/", "http://pictures.test/a b", "http://ä.test/",
        "http://pictures.test/\r\nX: y", "http://pictures.test/" + "a" * 9000, "http://a*b/",
    ],
)  # fmt: skip
def test_addresses_that_are_not_plain_are_refused(site, address: str) -> None:
    with pytest.raises(PictureError, match=r"address of a picture|public addresses alone"):
        fetch.fetch(address, 1000)
    assert site.requests == []


# ---- what comes back -----------------------------------------------------------------------------


def test_a_picture_is_fetched_with_nothing_else_told(site, monkeypatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://{LOOPBACK}:9")
    site.answers["/a.png?x=1"] = HEAD + b"12345"
    assert get("/a.png?x=1#part") == b"12345"
    (request,) = site.requests
    lines = request.decode().split("\r\n")
    assert lines[0] == "GET /a.png?x=1 HTTP/1.1"
    names = {line.partition(":")[0] for line in lines[1:] if line}
    assert names == {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
    assert "Accept-Encoding: identity" in lines


def test_pieces_and_bodies_without_a_length_are_read(site) -> None:
    site.answers["/c"] = (
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    )
    site.answers["/e"] = b"HTTP/1.0 200 OK\r\n\r\nabcde"
    assert get("/c") == get("/e") == b"abcde"


def test_redirects_are_few_and_each_is_checked(site) -> None:
    site.answers["/1"], site.answers["/2"] = redirect("/2"), redirect("http://pictures.test/3")
    site.answers["/3"], site.answers["/4"] = redirect("4"), HEAD + b"12345"
    assert get("/1") == b"12345"
    site.answers["/0"], site.answers["/loop"] = redirect("/1"), redirect("/loop")
    for path in ("/0", "/loop"):
        with pytest.raises(PictureError, match="more than 3 redirects"):
            get(path)
    seen = len(site.requests)
    for where in (
        "http://inside.test/", "http://127.0.0.1/", "//169.254.169.254/", "file:///etc/passwd",
        "http://[::1]/", "http://pictures.test:22/", "gopher://pictures.test/",
    ):  # fmt: skip
        site.answers["/in"] = redirect(where)
        with pytest.raises(PictureError, match=r"public addresses alone|address of a picture"):
            get("/in")
    assert len(site.requests) == seen + 7


def test_a_name_is_looked_up_once(site, monkeypatch) -> None:
    """A hostile name server says a public address first, and another when it is asked again."""
    asked, look_up = [], socket.getaddrinfo

    def rebind(host, *more, **options):
        asked.append(host)
        return look_up(PUBLIC if len(asked) == 1 else LOOPBACK, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", rebind)
    site.answers["/"] = HEAD + b"12345"
    assert get("/") == b"12345"
    assert asked == ["pictures.test"]
    with pytest.raises(PictureError, match="public addresses alone"):
        get("/")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 404 No\r\n\r\nsecret",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nsecret",
        b"SSH-2.0-secret\r\n", b"", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nsecret",
        b"HTTP/1.1 secret\r\n\r\n", b"\x00" * 99,
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nsecret",
        b"HTTP/1.1 200 OK\r\n" + b"a: secret\r\n" * 500, b"HTTP/1.1 200 OK\r\na: " + b"a" * 99999,
    ],
)  # fmt: skip
def test_whatever_else_comes_is_told_in_one_sentence(site, answer: bytes) -> None:
    site.answers["/"] = answer
    with pytest.raises(PictureError) as error:
        get("/")
    assert str(error.value) == "pictures.test: no picture came from it. Check the address."
    site.listener.close()
    with pytest.raises(PictureError) as closed:
        get("/")
    assert str(closed.value) == str(error.value)


def test_large_and_endless_bodies_end(site) -> None:
    site.answers["/declared"] = b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n"
    site.answers["/endless"] = endless
    for path in ("/declared", "/endless"):
        with pytest.raises(PictureError, match="at most 1 MiB"):
            get(path, 1 << 20)
    site.answers["/exact"] = HEAD + b"12345"
    assert get("/exact", 5) == b"12345"
    with pytest.raises(PictureError, match="at most"):
        get("/exact", 4)


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\nx: ", b"HTTP/1.1 200 OK\r\n\r\n"], ids=["a", "b", "c"]
)
def test_slow_servers_are_left_when_the_time_is_over(site, start: bytes) -> None:
    site.answers["/"] = drip(start)
    begin = time.monotonic()
    with pytest.raises(PictureError, match="not here in time"):
        get("/", seconds=0.6)
    assert time.monotonic() - begin < 3


def test_a_name_server_that_does_not_answer_is_left(site, monkeypatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(2) or [])
    begin = time.monotonic()
    with pytest.raises(PictureError, match="not here in time"):
        get("/", seconds=0.3)
    assert time.monotonic() - begin < 1.5


def test_a_stranger_s_certificate_is_refused(site, monkeypatch) -> None:
    """The connection is made to the address, and the certificate must be the name's."""
    names = []
    usual = ssl.SSLContext.wrap_socket

    def wrap(self, one, **options):
        names.append((options["server_hostname"], self.verify_mode, self.check_hostname))
        return usual(self, one, **options)

    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", wrap)
    with pytest.raises(PictureError, match=r"no picture came|not here in time"):
        fetch.fetch("https://pictures.test/", 1000, 2.0)
    assert names == [("pictures.test", ssl.CERT_REQUIRED, True)]


# ---- in a request --------------------------------------------------------------------------------


def png(size=(640, 480)) -> bytes:
    from io import BytesIO

    from test_planner_views import page

    out = BytesIO()
    page().resize(size).save(out, "png")
    return out.getvalue()


def body(*addresses: str) -> dict:
    parts = [{"type": "image_url", "image_url": {"url": one}} for one in addresses]
    return {"messages": [{"role": "user", "content": [*parts, {"type": "text", "text": "Sum?"}]}]}


def test_a_rewriter_fetches_only_if_it_is_asked_to(site) -> None:
    site.answers["/a.png"] = whole(png())
    given = body("http://pictures.test/a.png")
    left, report = Rewriter(64, scout=corner(), model="claude").request(given)
    assert left == given
    assert site.requests == []
    new, report = Rewriter(64, scout=corner(), model="claude", fetch=True).request(given)
    assert (report.pictures, report.left) == (1, [])
    assert 0 < report.tokens <= 64
    assert "pictures.test" not in str(new)


def test_every_shape_of_an_address_is_fetched(site) -> None:
    site.answers["/a.png"] = whole(png())
    where = "http://pictures.test/a.png"
    rewriter = Rewriter(64, scout=corner(), model="claude", fetch=True)
    for adapter, part in (
        (CHAT, {"type": "image_url", "image_url": where}),
        (ANTHROPIC, {"type": "image", "source": {"type": "url", "url": where}}),
        (RESPONSES, {"type": "input_image", "image_url": where}),
    ):
        turns = {adapter.turns: [{"role": "user", "content": [part]}]}
        new, report = rewriter.request(turns, adapter=adapter)
        assert report.pictures == 1, report
        assert where not in str(new)
    part = {"type": "input_image", "file_id": "file-1"}
    turns = {"input": [{"role": "user", "content": [part]}]}
    _, report = rewriter.request(turns, adapter=RESPONSES)
    assert report.left == ["the picture is not in the request: only its address or its id is"]


def test_a_small_picture_is_sent_as_it_came_to_us(site) -> None:
    """Its server could send the provider a larger one."""
    site.answers["/a.png"] = whole(png((20, 20)))
    new, report = Rewriter(64, scout=corner(), model="claude", fetch=True).request(
        body("http://pictures.test/a.png")
    )
    assert "pictures.test" not in str(new)
    assert report.pictures == 1


def test_all_pictures_of_a_request_share_the_time(site, monkeypatch) -> None:
    monkeypatch.setattr("homunculus.serve.rewriter.DOWNLOAD_SECONDS", 0.5)
    site.answers["/slow"] = drip(b"")
    begin = time.monotonic()
    _, report = Rewriter(64, scout=corner(), model="claude", fetch=True).request(
        body(*["http://pictures.test/slow"] * 20)
    )
    assert len(report.left) == 20
    assert time.monotonic() - begin < 4


def test_a_refused_address_is_left_or_raises(site) -> None:
    given = body("http://127.0.0.1/a.png")
    new, report = Rewriter(64, scout=corner(), model="claude", fetch=True).request(given)
    assert new["messages"] == given["messages"]
    assert "public addresses alone" in report.left[0]
    with pytest.raises(PictureError, match="public addresses alone"):
        Rewriter(64, scout=corner(), model="claude", fetch=True, strict=True).request(given)
