"""Servers of pictures on loopback, friendly and hostile; they count who comes."""

import socket
import threading
import time
from ipaddress import ip_address

LOOPBACK, PUBLIC = "127.0.0.1", "127.0.0.2"
_CONNECT, _LOOK_UP = socket.socket.connect, socket.getaddrinfo


def stay_home() -> None:
    """Let no socket of this process leave the machine, nor a name be asked for outside of it.

    A test of addresses that must not be dialled would otherwise dial them when it fails.
    """

    def connect(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else "::1"  # a path is a socket of here
        if not ip_address(str(host)).is_loopback:
            raise AssertionError(f"a test dials {address!r}")
        _CONNECT(self, address)

    def look_up(host: object, *more: object, **options: object) -> list:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in (None, "", "localhost", socket.gethostname()):
            options["flags"] = int(options.get("flags") or 0) | socket.AI_NUMERICHOST
        return _LOOK_UP(host, *more, **options)

    socket.socket.connect, socket.getaddrinfo = connect, look_up


class Site:
    """A server that says what it is told to, and counts who comes."""

    def __init__(self, address: str, port: int = 0) -> None:
        self.listener = socket.create_server((address, port))
        self.port = self.listener.getsockname()[1]
        self.answers: dict[str, object] = {}
        self.requests: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                one, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(one,), daemon=True).start()

    def _answer(self, one: socket.socket) -> None:
        with one:
            request = b""
            try:
                while b"\r\n\r\n" not in request and (part := one.recv(4096)):
                    request += part
                self.requests.append(request)
                path = request.split(b" ")[1].decode("latin-1") if b" " in request else ""
                answer = self.answers.get(path, b"HTTP/1.1 404 No\r\n\r\nsecret")
                for part in [answer] if isinstance(answer, bytes) else answer():
                    one.sendall(part)
            except OSError:  # the other side has left
                pass


def whole(data: bytes) -> bytes:
    return f"HTTP/1.1 200 OK\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data


def redirect(where: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nlocation: {where}\r\ncontent-length: 0\r\n\r\n".encode()


def endless():
    """A body that never ends."""
    yield b"HTTP/1.1 200 OK\r\n\r\n"
    while True:
        yield bytes(65536)


def drip(start: bytes):
    """A byte now and then: every single read is quick."""

    def parts():
        yield start
        while True:
            time.sleep(0.05)
            yield b"a"

    return parts
