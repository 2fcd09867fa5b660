"""What the studio lets in: pictures of bounded size, and the few requests that its page makes.

Gradio has routes that open files, fetch addresses and forward requests. The page needs none of
them, so none can be reached: a request goes through if its path is one of the page's own, its body
is small, and it names no file. Pictures are kept in memory alone, under random keys.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from io import BytesIO
from ipaddress import ip_address
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlsplit

from homunculus.cache import LRU
from homunculus.lazy import need
from homunculus.pages import Picture, PictureError
from homunculus.studio.compare import open_upload
from homunculus.studio.documents import open_document
from homunculus.views import Document

BYTES = 32 * 2**20
"""Bytes of an upload."""
HELD = 256 * 2**20
"""Bytes of all pictures that are held; the least recently used goes first."""
OPEN_PAGES = 4
"""Pages that stay decoded."""
BODY = 64 * 1024
"""Bytes of any other request."""
OPEN_DOCUMENTS = 2
"""Documents whose words stay read."""
PREVIEW = 1200
"""Pixels along the longer side of a picture as it is shown to be clicked on."""
READ = ("/assets/", "/static/", "/gradio_api/heartbeat/", "/gradio_api/queue/data")
EXACT = {"/", "/config", "/theme.css", "/favicon.ico", "/manifest.json", "/gradio_api/theme.css",
         "/gradio_api/startup-events", "/gradio_api/app_id"}  # fmt: skip
WRITE = {"/gradio_api/queue/join", "/gradio_api/cancel", "/gradio_api/reset"}
"""What the page asks Gradio for."""
HEADERS = {
    b"content-security-policy": b"default-src 'self'; img-src 'self' data: blob:; "
    b"style-src 'self' 'unsafe-inline'; font-src 'self' data:; worker-src 'self' blob:; "
    b"script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
}
"""The browser fetches nothing from anywhere else, either."""

Scope = dict[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Pictures:
    """Files of pictures by key, in memory; pages that were opened last stay open."""

    def __init__(self, examples: Mapping[str, bytes] | None = None) -> None:
        self.examples = dict(examples or {})
        self._files = LRU[str, bytes](HELD, len)
        self._pages = LRU[tuple[str, int], Picture](OPEN_PAGES)
        self._documents = LRU[str, Document](OPEN_DOCUMENTS)

    def add(self, data: bytes) -> tuple[str, Picture]:
        """Keep a file that is a picture; its key, and its first page."""
        picture, key = open_upload(data), token_urlsafe(16)
        self._files.put(key, data)
        self._pages.put((key, 1), picture)
        return key, picture

    def open(self, key: str, page: int = 1) -> Picture:
        """A page of a picture that was added before."""
        if picture := self._pages.get((key, page)):
            return picture
        picture = open_upload(self._data(key), page)
        self._pages.put((key, page), picture)
        return picture

    def document(self, key: str) -> Document:
        """All pages of a file that was added before, read once."""
        if document := self._documents.get(key):
            return document
        document = open_document(self._data(key))
        self._documents.put(key, document)
        return document

    def is_read(self, key: str) -> bool:
        """Whether a document needs no time to be read."""
        return self._documents.get(key) is not None

    def _data(self, key: str) -> bytes:
        data = self.examples.get(key) or self._files.get(key)
        if data is None:
            raise PictureError("This picture is no longer here. Choose it again.")
        return data


def facts(key: str, picture: Picture) -> dict[str, Any]:
    """What the page needs to know of a picture."""
    high, wide = picture.original
    page = {"page": picture.page, "pages": picture.pages, "part": picture.part}
    return {"key": key, "width": wide, "height": high} | page


def preview(picture: Picture) -> bytes:
    """The picture as the page shows it."""
    image, file = picture.image(), BytesIO()
    image.thumbnail((PREVIEW, PREVIEW))
    image.save(file, "webp", quality=90, method=2)
    return file.getvalue()


class Refusal(Exception):  # noqa: N818 - it is what happens
    """A request that is not let in: a status and a sentence."""


class Door:
    """Stands before the page: an ASGI app around another."""

    def __init__(self, app: Any, pictures: Pictures, host: str) -> None:
        self.app, self.pictures = app, pictures
        self.hosts = {"localhost", "127.0.0.1", "::1", host} if is_loopback(host) else None
        """Names that it may be called by; a page of elsewhere may know it by another."""
        self.threads: Any = need("anyio.to_thread", extra="studio", who="homunculus studio")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            try:
                await self._let_in(scope, receive, send)
            except Refusal as refusal:
                status, text = refusal.args
                await _answer(send, status, json.dumps({"error": text}).encode())
            except PictureError as error:
                await _answer(
                    send, 400, json.dumps({"error": str(error).removeprefix("bytes: ")}).encode()
                )

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._check_sender(scope)
        path, method = scope["path"], scope["method"]
        if path == "/picture" and method == "POST":
            data = await _body(scope, receive, BYTES)
            key, picture = await self.threads.run_sync(self.pictures.add, data)
            await _answer(send, 200, json.dumps(facts(key, picture)).encode())
        elif path.startswith("/picture/") and method == "GET":
            key, _, page = path.removeprefix("/picture/").partition("/")
            if not (page.isascii() and page.isdigit() and len(page) < 6):
                raise Refusal(404, "no such page")
            image = await self.threads.run_sync(lambda: preview(self.pictures.open(key, int(page))))
            await _answer(send, 200, image, b"image/webp")
        elif method == "GET" and (path in EXACT or path.startswith(READ)):
            await self.app(scope, receive, _with_headers(send))
        elif method == "POST" and path in WRITE:
            body = await _body(scope, receive, BODY)
            check_json(body)
            await self.app(scope, _again(body, receive), _with_headers(send))
        else:
            raise Refusal(404, "there is nothing here")

    def _check_sender(self, scope: Scope) -> None:
        """Other websites may neither send requests nor read answers, by whatever name."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        origin = headers.get(b"origin")
        try:
            name, sender = urlsplit(f"//{host}").hostname, urlsplit(origin or "").netloc
        except ValueError:  # such as a bracket that is never closed
            raise Refusal(400, "the name of a host is broken") from None
        if self.hosts and name not in self.hosts:
            raise Refusal(403, "the studio is not known by this name")
        if origin and sender != host:
            raise Refusal(403, "the request comes from another website")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def check_json(body: bytes) -> None:
    """Refuse a body that names a file, which Gradio would open or fetch."""
    try:
        todo = [json.loads(body)]
    except (ValueError, RecursionError):
        raise Refusal(400, "expected JSON") from None
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            if {"path", "url", "meta", "_type"} & value.keys():
                raise Refusal(400, "a file cannot be named here")
            todo += value.values()
        elif isinstance(value, list):
            todo += value


async def _body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """The whole body, if it is not too large; what it declares is checked first."""
    too_much = Refusal(413, f"Expected at most {limit >> 20 or 1} MiB. Save the picture smaller.")
    length = dict(scope["headers"]).get(b"content-length", b"0")
    if length.isdigit() and int(length) > limit:
        raise too_much
    parts, size = list[bytes](), 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Refusal(400, "the request was broken off")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            raise too_much
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """The body once more, for the app behind the door."""
    first = [{"type": "http.request", "body": body, "more_body": False}]

    async def message() -> Message:
        return first.pop() if first else await receive()

    return message


def _with_headers(send: Send) -> Send:
    async def message(sent: Message) -> None:
        if sent["type"] == "http.response.start":
            sent = sent | {"headers": [*sent.get("headers", []), *HEADERS.items()]}
        await send(sent)

    return message


async def _answer(send: Send, status: int, body: bytes, kind: bytes = b"application/json") -> None:
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    start = {"type": "http.response.start", "status": status}
    await send(start | {"headers": [*headers, *HEADERS.items()]})
    await send({"type": "http.response.body", "body": body})
