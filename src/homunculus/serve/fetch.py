"""Pictures by their address: from public servers alone, bounded in bytes and in time.

An address comes from a stranger, and whoever fetches it may stand where the stranger may not: next
to a company's own servers, or to a cloud's page of passwords. So a name is looked up once, every
address that it has must be public, and the connection goes to that very address. Nothing is sent
but the request, and errors say nothing of what was found.
"""

import re
import socket
import ssl
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from io import BufferedReader, RawIOBase
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from homunculus.pages import CHUNK, PictureError, bounded

PORTS = {"http": 80, "https": 443}
SECONDS = 10.0
"""For all of it: names, redirects, and the last byte."""
REDIRECTS = 3
MAX_LETTERS = 8192
"""Characters of an address."""
MOVED = {301, 302, 303, 307, 308}
CLOUDS = (IPv4Network("192.0.0.0/24"), IPv4Network("168.63.129.16"))
"""Where clouds keep their machines' secrets, though Python calls some of these addresses public."""
NAT64 = IPv6Network("64:ff9b::/96")
"""IPv4 addresses as a network that has none writes them."""
UNICAST = IPv6Network("2000::/3")
"""All IPv6 addresses that were ever given out to the public."""


def fetch(address: str, max_bytes: int, seconds: float = SECONDS) -> bytes:
    """The bytes of a picture behind an http or https address, at most ``max_bytes``."""
    until = monotonic() + seconds
    for _ in range(REDIRECTS + 1):
        target = checked(address)
        with _answer(target, until) as answer:
            if answer.status not in MOVED:
                return _body(target, answer, max_bytes)
            address = urljoin(address, answer.getheader("location") or "")
    raise PictureError(f"address of a picture: more than {REDIRECTS} redirects. Send the last one.")


def checked(address: str) -> SplitResult:
    """An address in its parts, if it is one that may be fetched."""
    if len(address) > MAX_LETTERS or not re.fullmatch(r"[!-\[\]-~]+", address):
        raise PictureError(
            f"address of a picture: expected at most {MAX_LETTERS} printable ASCII characters, got "
            f"{address[:40]!r}. Write others as %XX."
        )
    try:
        parts = urlsplit(address)
        host, port, inside = parts.hostname or "", parts.port, "@" in parts.netloc
    except ValueError as error:
        raise PictureError(f"address of a picture: {error}. Check how it is spelled.") from error
    usual = PORTS.get(parts.scheme)
    if usual is None:
        raise PictureError(
            f"address of a picture: expected http or https, got {parts.scheme[:20] or 'neither'}. "
            "Send the picture itself, in base64."
        )
    if inside or port not in (None, usual) or not re.fullmatch(r"[\w.-]+|[0-9a-f:.]+", host):
        raise PictureError(
            "address of a picture: expected a plain host, without a password and on port "
            f"{usual}, got {parts.netloc[-60:]!r}. Send the picture itself, in base64."
        )
    return parts


# ---- who may be asked ----------------------------------------------------------------------------


def public(address: str) -> bool:
    """Whether anybody on the internet can reach this address, and so may we for anybody."""
    ip = ip_address(address)
    if isinstance(ip, IPv4Address):
        return ip.is_global and not ip.is_multicast and not any(ip in net for net in CLOUDS)
    if inner := _within(ip):
        return all(public(str(address)) for address in inner)
    return ip in UNICAST and ip.is_global


def _within(ip: IPv6Address) -> list[IPv4Address]:
    """The IPv4 addresses that an IPv6 address leads to."""
    if ip in NAT64:
        return [IPv4Address(int(ip) & 0xFFFFFFFF)]
    return [inner for inner in (ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())) if inner]


def _places(host: str, port: int, until: float) -> list[tuple[Any, Any]]:
    """The family and address of each place that a name stands for, all of them public.

    A name that is not known and one that leads inside are refused alike: a stranger learns nothing
    of names that are known here alone.
    """
    places = _within_time(lambda: _look_up(host, port), until) or []
    try:
        fine = bool(places) and all(public(where[0]) for _, where in places)
    except ValueError:  # an address with a zone, which is never public
        fine = False
    if not fine:
        raise PictureError(
            f"{host[:80]}: expected a name that is known and leads to public addresses alone. "
            "Send the picture itself, in base64."
        )
    return places


def _look_up(host: str, port: int) -> list[tuple[Any, Any]]:
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [(row[0], row[4]) for row in rows]


def _within_time(work: Any, until: float) -> Any:
    """What a call returns; asking for a name cannot be interrupted, so a thread waits."""
    result = SimpleQueue[Any]()
    Thread(target=lambda: result.put(work()), daemon=True).start()
    try:
        return result.get(timeout=max(0.0, until - monotonic()))
    except Empty:
        raise _late() from None


# ---- one request ---------------------------------------------------------------------------------


class _Wire(RawIOBase):
    """A connection whose every read ends when the time is over, however slowly bytes come."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        self.connection, self.until = connection, until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        self.connection.settimeout(_left(self.until))
        return self.connection.recv_into(buffer)

    def makefile(self, _: str) -> BufferedReader:  # all that HTTPResponse asks of a socket
        return BufferedReader(self, CHUNK)


@contextmanager
def _answer(target: SplitResult, until: float) -> Generator[HTTPResponse]:
    """The answer of a server, its body not read yet."""
    host = target.hostname or ""
    places = _places(host, PORTS[target.scheme], until)
    try:
        with _connected(places, until) as plain, _secured(target, plain, until) as connection:
            connection.settimeout(_left(until))
            connection.sendall(_request(target))
            answer = HTTPResponse(_Wire(connection, until), method="GET")  # pyright: ignore
            answer.begin()
            yield answer
    except TimeoutError:
        raise _late() from None
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(error, PictureError):
            raise
        raise PictureError(f"{host[:80]}: no picture came from it. Check the address.") from None


def _connected(places: list[tuple[Any, Any]], until: float) -> socket.socket:
    """A connection to the first place that takes one; no name is looked up again."""
    for family, where in places:
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(_left(until))
            connection.connect(where)
        except OSError:
            connection.close()
        else:
            return connection
    _left(until)
    raise OSError


def _secured(target: SplitResult, connection: socket.socket, until: float) -> socket.socket:
    if target.scheme == "http":
        return connection
    connection.settimeout(_left(until))  # of the whole handshake
    return ssl.create_default_context().wrap_socket(connection, server_hostname=target.hostname)


def _request(target: SplitResult) -> bytes:
    path = (target.path or "/") + (f"?{target.query}" if target.query else "")
    lines = (
        f"GET {path} HTTP/1.1", f"Host: {target.netloc}", "User-Agent: homunculus",
        "Accept: image/*", "Accept-Encoding: identity", "Connection: close", "", "",
    )  # fmt: skip
    return "\r\n".join(lines).encode("ascii")


def _body(target: SplitResult, answer: HTTPResponse, max_bytes: int) -> bytes:
    """All of an answer, if it is whole, plain and small enough."""
    packed = answer.getheader("content-encoding", "identity").strip().lower() != "identity"
    if answer.status != 200 or packed:
        raise ValueError  # as any other failure: whoever asks learns nothing of it
    name = f"the picture from {(target.hostname or '')[:80]}"
    bounded(name, answer.length or 0, max_bytes)
    parts, size = list[bytes](), 0
    while part := answer.read1(CHUNK):
        size += len(part)
        bounded(name, size, max_bytes)
        parts.append(part)
    if answer.length:
        raise ValueError  # it ended early
    return b"".join(parts)


def _left(until: float) -> float:
    """Seconds that are left, more than none."""
    left = until - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _late() -> PictureError:
    return PictureError(
        "address of a picture: it was not here in time. Send the picture itself, in base64."
    )
