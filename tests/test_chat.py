"""`Chat` asks a server over HTTP: whatever the server does, it answers or raises ValueError."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from homunculus.serve import chat
from homunculus.serve.chat import Chat, text_part


@contextmanager
def server(reply: bytes) -> Iterator[str]:
    """Sends the same bytes to every request and hangs up; its address."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            length = 0
            while (line := self.rfile.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.rfile.read(length)
            self.wfile.write(reply)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as tcp:
        thread = threading.Thread(target=tcp.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{tcp.server_address[1]}/v1"
        finally:
            tcp.shutdown()
            thread.join()


def answer(body: bytes, status: str = "200 OK", missing: int = 0) -> bytes:
    """An answer of HTTP whose body is shorter than it declares."""
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body) + missing}\r\n\r\n"
    return head.encode() + body


GOOD = json.dumps({"choices": [{"message": {"content": "42"}}]}).encode()


def test_a_whole_answer_is_read() -> None:
    with server(answer(GOOD)) as url:
        assert Chat(url, "m").ask([text_part("?")], 8) == "42"


@pytest.mark.parametrize(
    "reply",
    [
        answer(GOOD, missing=90),
        answer(GOOD[:20], missing=90),
        answer(b"model", "404 Not Found", missing=90),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{",
        b"no HTTP at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        b"",
    ],
    ids=["cut off", "cut in JSON", "cut refusal", "cut chunk", "no HTTP", "long line", "nothing"],
)
def test_an_answer_that_is_cut_off_is_an_error_for_people(reply: bytes, monkeypatch) -> None:
    monkeypatch.setattr(chat.time, "sleep", lambda _: None)
    with server(reply) as url, pytest.raises(ValueError, match=r"http://127.0.0.1") as refused:
        Chat(url, "m").ask([text_part("?")], 8)
    assert "no answer from" in str(refused.value) or "answered 404" in str(refused.value)
