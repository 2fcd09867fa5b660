"""What leaves: every string of a request is looked at, whether or not a picture is expected there.

A request is rewritten by what we know of its format. Whoever wants to pass the cap uses what we do
not know. So strict modes read the request once more as it is about to be sent, and refuse whatever
may be a picture or a document and was not put there, or counted, by us.
"""

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

PICTURE, DOCUMENT = "picture", "document"
HEADS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", PICTURE), (b"\xff\xd8\xff", PICTURE), (b"GIF8", PICTURE),
    (b"II*\0", PICTURE), (b"MM\0*", PICTURE), (b"II+\0", PICTURE), (b"MM\0+", PICTURE),
    (b"8BPS", PICTURE), (b"\0\0\1\0", PICTURE), (b"\0\0\0\x0cJXL ", PICTURE),
    (b"\xff\x0a", PICTURE), (b"\0\0\0\x0cjP  ", PICTURE), (b"\xff\x4f\xff\x51", PICTURE),
    (b"qoif", PICTURE), (b"\x8aMNG", PICTURE),
    (b"PK\3\4", DOCUMENT), (b"\xd0\xcf\x11\xe0", DOCUMENT),
)  # fmt: skip
"""How files of pictures and of documents with pages begin."""
HEAD = 1368
"""Characters of base64 that are decoded: a PDF may begin within its first kilobyte."""
RUN = re.compile(r"[A-Za-z0-9+/_-]{16,}")
"""Letters that may be base64."""
URI = re.compile(
    r"data:\s*(?:[\w.+-]+\\?/[\w.+*-]+[^,\"'<>]{0,200}|[^,\s\"'<>]{0,200};\s*base64\s*),", re.I
)
REFERENCES = {
    "imageurl", "inputimage", "imagepil", "imageembeds", "videourl", "fileid", "fileuri", "fileurl",
    "filedata", "imagefile", "image", "images", "video", "videos", "screenshot", "imagebytes",
}  # fmt: skip
"""Fields of all APIs that hold a picture or a file, or say where it is; without _ and capitals."""
SOURCES = {"source", "inlinedata", "file", "document", "media", "blob"}
"""Fields that do so if what they hold says that it is a picture, a document or an address."""
INNER = {"url", "uri", "data", "bytes", "base64", "path", "s3location", "blob"}
"""Fields of such a field that hold it."""


class Leak(NamedTuple):
    """A string that may be a picture, where none of ours stands."""

    place: str
    """Such as `messages[0].content[1].image_url`."""
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what} that is not one of our views"


def kind_of(text: str) -> str:
    """`picture` or `document` if base64, or a data URI of it, begins like one; else nothing.

    >>> kind_of("iVBORw0KGgoAAAANSUhEUg=="), kind_of("data:;base64,JVBERi0xLjcKJeLjz9M=")
    ('picture', 'document')
    """
    text = text.strip()
    if text[:5].lower() == "data:":
        text = text.partition(",")[2]
    return _kind(_decoded("".join(text[: 2 * HEAD].split())))


def leaks(body: Any, known: Mapping[str, int] | None = None) -> Iterator[Leak]:
    """Every string of a body that may be a picture, but for ``known`` ones: how often each may
    stand there.

    >>> body = {"user": "data:image/png;base64,iVBORw0KGgo="}
    >>> [str(leak) for leak in leaks(body)]
    ['user: a data URI that is not one of our views']
    >>> list(leaks(body, {body["user"]: 1}))
    []
    """
    left = Counter(known or {})
    stack: list[tuple[str, str, Any]] = [("", "", body)]
    while stack:
        place, field, value = stack.pop()
        if isinstance(value, Mapping):
            for key, inner in reversed(list(value.items())):
                name = str(key)
                where = f"{place}.{name[:40]}" if place else name[:40]
                stack.append((where, _field(field, name, value), inner))
                stack.append((where, "", name))  # a key is a string as well
        elif isinstance(value, list | tuple):
            stack += [(f"{place}[{i}]", field, value[i]) for i in reversed(range(len(value)))]
        elif isinstance(value, str | bytes | bytearray):
            text = value if isinstance(value, str) else bytes(value).decode("latin-1")
            if left[text] > 0:
                left[text] -= 1
            elif what := _suspicion(text, field, isinstance(value, str)):
                yield Leak(place, what)


def _field(outer: str, name: str, holder: Mapping[Any, Any]) -> str:
    """What a field is for: `reference` if a string there stands for a picture or a file."""
    plain = name.replace("_", "").replace("-", "").lower()
    if plain in REFERENCES:
        return "reference"
    if plain in SOURCES:
        return "source"
    if outer == "reference" and plain in INNER:
        return "reference"
    if outer == "source" and plain in INNER and _names_picture(holder):
        return "reference"
    return ""


def _names_picture(holder: Mapping[Any, Any]) -> bool:
    """Whether a source is an address, or says that it is a picture or a document."""
    kind = str(holder.get("type", "")).lower()
    media = str(
        holder.get("media_type") or holder.get("mime_type") or holder.get("mimeType") or ""
    ).strip().lower()  # fmt: skip
    return kind not in ("text", "content") and not media.startswith(("text/", "audio/"))


def _suspicion(text: str, field: str, is_text: bool) -> str:
    if not text.strip():
        return ""
    if not is_text and (kind := _kind(text[:HEAD].encode("latin-1"))):
        return f"a {kind}"
    if URI.search(text):
        return "a data URI"
    if kind := _runs(text):
        return f"a {kind} in base64"
    return "a picture or a file" if field == "reference" else ""


def _runs(text: str) -> str:
    whole = "".join(text[: 4 * HEAD].split()).replace("\\", "")
    if kind := _kind(_decoded(whole)):  # however its lines are broken
        return kind
    plain = text.replace("\\", "") if "\\" in text else text  # JSON within a string
    kinds = (_kind(_decoded(run[0][:HEAD])) for run in RUN.finditer(plain))
    return next(filter(None, kinds), "")


def _decoded(text: str) -> bytes:
    """The first bytes of base64, in either alphabet; nothing if it is too short."""
    start = RUN.match(text.lstrip("="))
    if start is None:
        return b""
    head = start[0][:HEAD].replace("-", "+").replace("_", "/")
    return b64decode(head[: len(head) // 4 * 4])


def _kind(head: bytes) -> str:
    head = head.lstrip(b" \t\r\n\xef\xbb\xbf")
    if b"%PDF-" in head[:1024]:
        return DOCUMENT
    if head[:2] == b"BM" and head[6:10] == bytes(4):  # two letters alone are no proof
        return PICTURE
    if head[4:8] == b"ftyp" and head[8:12] != b"M4A ":  # HEIC, AVIF, films; not sound
        return PICTURE
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return PICTURE
    return next((kind for start, kind in HEADS if head.startswith(start)), "")
