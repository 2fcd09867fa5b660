"""PDF files that strangers could send to do harm: some hundred of them, in families.

    python tests/hostile_pdfs.py FAMILY/CASE...

opens each as a document, in a process that may take little memory, and prints a line of JSON before
and one after each, with seconds of the processor and the most bytes in memory. Nothing is random: a
case is the same bytes every time.
"""

import json
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from hashlib import md5
from pathlib import Path

import numpy as np
from PIL import Image

from pdfs import LETTER, file_of, letter, pdf, pdf_of_pages, shown, stream, stream_of

Build = Callable[[], bytes]
Cases = Iterator[tuple[str, Build]]

QUESTION, TOKENS = "What is the total?", 256
ADDRESSES = 4 << 30
"""Bytes that a process may ask for."""
GIGABYTE = 1 << 30
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
LETTERS = {"text": letter()}
STATUS = Path("/proc/self/status")


# ---- what files are made of ----------------------------------------------------------------------


def sheet(
    content: str | bytes = "",
    resources: str = "",
    more: Sequence[bytes] = (),
    entries: str = "",
    box: str = "0 0 612 792",
    catalog: str = "",
    trailer: str = "",
    font: bytes = FONT,
) -> bytes:
    """A file of one page with an ordinary text and then a content, or with a stream as it comes.
    ``more`` are objects from number 6 on; the others are more of the entries they are named for."""
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Contents 4 0 R {entries} "
        f"/Resources << /Font << /F1 5 0 R >> {resources} >> >>"
    )
    text = content if isinstance(content, bytes) else stream(letter() + content)
    root = f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode()
    pages = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    return file_of([root, pages, page.encode(), text, font, *more], trailer)


@cache
def ordinary() -> bytes:
    """Three pages, one of them with a picture."""
    texts = [letter([f"Page {page} of three", *LETTER]) for page in (1, 2, 3)]
    texts[1] += "q 200 0 0 100 72 100 cm /I1 Do Q"
    return pdf_of_pages(texts, [None, Image.linear_gradient("L")])


def bomb(chunk: bytes, size: int) -> bytes:
    """Deflated bytes that unpack to a chunk again and again."""
    chunk *= max(1, (1 << 20) // len(chunk))
    packer = zlib.compressobj(9)
    head = packer.compress(chunk) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(chunk) + packer.flush(zlib.Z_FULL_FLUSH)
    total, check = -(-size // len(chunk)), 1
    for _ in range(total):
        check = zlib.adler32(chunk, check)
    return head + block * (total - 1) + b"\x03\0" + check.to_bytes(4, "big")


def flate(data: bytes, entries: str = "") -> bytes:
    """A stream that is deflated already, once or more."""
    return stream_of(data, f"/Filter /FlateDecode {entries}")


def drawn(entries: str, data: bytes = b"\0" * 64) -> bytes:
    """A page that draws a picture of such entries."""
    picture = stream_of(data, f"/Type /XObject /Subtype /Image {entries}")
    return sheet("q 400 0 0 400 72 72 cm /I1 Do Q", "/XObject << /I1 6 0 R >>", [picture])


def form(content: str, inner: str = "", entries: str = "") -> bytes:
    """A form, which may draw others."""
    entries += " /Type /XObject /Subtype /Form /BBox [0 0 612 792]"
    return stream_of(content.encode(), f"{entries} /Resources << /XObject << {inner} >> >>")


def packed_file(objects: dict[int, bytes], extends: str = "", own: bool = False) -> bytes:
    """A file whose objects are in one stream; number 1 is the catalog. ``own`` puts that stream's
    number among them, too."""
    numbers = sorted(objects)
    holder = numbers[-1] + 1
    inside = [*numbers, holder] if own else numbers
    bodies, heads, place = list[bytes](), list[str](), 0
    for number in inside:
        body = objects.get(number, b"<< >>") + b" "
        heads.append(f"{number} {place}")
        bodies.append(body)
        place += len(body)
    head = (" ".join(heads) + " ").encode()
    data = zlib.compress(head + b"".join(bodies), 9)
    out = bytearray(b"%PDF-1.7\n")
    start = len(out)
    entry = f"/Type /ObjStm /N {len(inside)} /First {len(head)} {extends}"
    out += f"{holder} 0 obj\n".encode() + flate(data, entry) + b"\nendobj\n"
    rows = [b"\0" * 8]
    rows += [b"\2" + holder.to_bytes(4, "big") + i.to_bytes(3, "big") for i in range(len(numbers))]
    kind = b"\2" if own else b"\1"
    rows.append(kind + (holder if own else start).to_bytes(4, "big") + bytes(3))
    table = len(out)
    rows.append(b"\1" + table.to_bytes(4, "big") + bytes(3))
    kinds = f"/Type /XRef /W [1 4 3] /Root 1 0 R /Size {len(rows)} /Index [0 1 1 {len(rows) - 1}]"
    out += f"{holder + 1} 0 obj\n".encode() + flate(zlib.compress(b"".join(rows)), kinds)
    return bytes(out + f"\nendobj\nstartxref\n{table}\n%%EOF\n".encode())


def rc4(key: bytes, data: bytes) -> bytes:
    """The cipher of old PDFs."""
    box, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) & 255
        box[i], box[j] = box[j], box[i]
    i = j = 0
    for byte in data:
        i = (i + 1) & 255
        j = (j + box[i]) & 255
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) & 255])
    return bytes(out)


PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def locked(password: bytes) -> bytes:
    """A page behind a password, by the first of the standard's methods."""
    padded = (password + PAD)[:32]
    owner = rc4(md5(padded).digest()[:5], padded)
    key = md5(padded + owner + b"\xfc\xff\xff\xff" + b"0123456789abcdef").digest()[:5]
    own = md5(key + b"\4\0\0\0\0").digest()[:10]
    text = stream_of(rc4(own, letter().encode()))
    secrets = f"/O <{owner.hex()}> /U <{rc4(key, PAD).hex()}> /P -4"
    entry = f"/Encrypt << /Filter /Standard /V 1 /R 2 {secrets} >>"
    return sheet(text, trailer=f"{entry} /ID [<{b'0123456789abcdef'.hex()}> <00>]")


# ---- broken bytes --------------------------------------------------------------------------------


def cut() -> Cases:
    """Truncated."""
    whole = ordinary()
    for part in range(50):
        yield f"{part}", partial(bytes, whole[: 5 + (len(whole) - 5) * part // 50])
    for last in (1, 5, 20, 40):
        yield f"last-{last}", partial(bytes, whole[:-last])


def flipped() -> Cases:
    """Some bytes replaced."""
    yield from ((f"{seed}", partial(_flipped, seed)) for seed in range(40))


def _flipped(seed: int) -> bytes:
    lot, bad = np.random.default_rng([1, seed]), bytearray(ordinary())
    for place in lot.integers(9, len(bad), 2 ** (seed % 8)).tolist():
        bad[place] = int(lot.integers(256))
    return bytes(bad)


def spliced() -> Cases:
    """Some bytes deleted, or there twice."""
    for seed in range(20):
        yield f"deleted-{seed}", partial(_spliced, seed, 0)
        yield f"doubled-{seed}", partial(_spliced, seed, 2)


def _spliced(seed: int, times: int) -> bytes:
    lot, bad = np.random.default_rng([2, seed]), ordinary()
    for _ in range(1 + seed % 4):
        place, long = (int(lot.integers(9, len(bad))), int(lot.integers(1, 4 ** (seed % 5 + 1))))
        bad = bad[:place] + bad[place : place + long] * times + bad[place + long :]
    return bad


NUMBERS = (b"-1", b"0", b"2147483647", b"2147483648", b"-2147483648", b"4294967296", b"1e400",
           b"99999999999999999999", b"0.0000001", b"nan", b"9" * 400)  # fmt: skip


def numbers() -> Cases:
    """Some numbers replaced by ones that are at the borders of their types."""
    yield from ((f"{seed}", partial(_numbers, seed)) for seed in range(40))


def _numbers(seed: int) -> bytes:
    lot = np.random.default_rng([3, seed])
    pieces = ordinary().split(b" ")
    places = [place for place, piece in enumerate(pieces) if piece.isdigit()]
    for place in lot.choice(places, 1 + seed % 12).tolist():
        pieces[place] = NUMBERS[int(lot.integers(len(NUMBERS)))]
    return b" ".join(pieces)


NAMES = (b"/Kids", b"/Count", b"/Type", b"/Page", b"/Pages", b"/Length", b"/Contents", b"/Parent",
         b"/MediaBox", b"/Resources", b"/Font", b"/XObject", b"/Filter", b"stream", b"endstream",
         b"endobj", b"obj", b"<<", b">>", b"[", b"]", b"R", b"xref", b"trailer")  # fmt: skip


def names() -> Cases:
    """Some words of the language replaced by others."""
    yield from ((f"{seed}", partial(_names, seed)) for seed in range(40))


def _names(seed: int) -> bytes:
    lot = np.random.default_rng([4, seed])
    pieces = ordinary().split(b" ")
    places = [place for place, piece in enumerate(pieces) if piece in NAMES]
    for place in lot.choice(places, 1 + seed % 6).tolist():
        pieces[place] = NAMES[int(lot.integers(len(NAMES)))]
    return b" ".join(pieces)


# ---- pages ---------------------------------------------------------------------------------------


def trees() -> Cases:
    """Trees of pages that loop, or have no end."""
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>"
    for name, kids, third in (
        ("of-itself", "2 0 R", page), ("of-itself-and-a-page", "2 0 R 3 0 R", page),
        ("of-the-catalog", "1 0 R", page), ("of-a-stream", "4 0 R", page),
        ("of-nothing", "", page), ("of-absent", "99 0 R", page), ("of-numbers", "1 2 3", page),
        ("of-null", "null null null", page), ("of-a-dictionary", page, page),
        ("of-a-parent", "3 0 R", "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 1 >>"),
        ("of-a-page-with-kids", "3 0 R", page.replace("/Type", "/Kids [2 0 R 3 0 R] /Type")),
        ("of-a-page-of-itself", "3 0 R", page.replace("2 0 R", "3 0 R")),
        ("of-nested-lists", "[" * 900 + "]" * 900, page),
    ):  # fmt: skip
        for count in (1, 3, 1000):
            yield f"{name}-{count}", partial(_tree, kids, third, count)
    for deep in (100, 1000, 1100, 10_000, 100_000):
        yield f"deep-{deep}", partial(_deep, deep)
    for wide, deep in ((2, 14), (2, 40), (10, 12)):
        yield f"laughs-{wide}-{deep}", partial(_laughs, wide, deep)


def _tree(kids: str, third: str, count: int, times: int = 1) -> bytes:
    pages = f"<< /Type /Pages /Kids [{f'{kids} ' * times}] /Count {count} >>".encode()
    root = b"<< /Type /Catalog /Pages 2 0 R >>"
    return file_of([root, pages, third.encode(), stream(letter()), FONT])


def _deep(deep: int) -> bytes:
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    for number in range(2, 2 + deep):
        above = f"/Parent {number - 1} 0 R" if number > 2 else ""
        objects.append(f"<< /Type /Pages /Kids [{number + 1} 0 R] /Count 1 {above} >>".encode())
    page = f"<< /Type /Page /Parent {1 + deep} 0 R /MediaBox [0 0 612 792] >>"
    return file_of([*objects, page.encode()])


def _laughs(wide: int, deep: int) -> bytes:
    """Each node holds the next one several times: pages without end in a few objects."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    for number in range(2, 2 + deep):
        kids, count = f"{number + 1} 0 R " * wide, min(2**31 - 1, wide ** (deep + 2 - number))
        objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode())
    return file_of([*objects, b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>"])


def boxes() -> Cases:
    """Pages of odd sizes."""
    for kind in ("MediaBox", "CropBox"):
        for box in (
            "0 0 1e9 1e9", "0 0 1000000000 1000000000", "0 0 14400 14400", "0 0 200000 200000",
            "-1e9 -1e9 1e9 1e9", "0 0 0 0", "0 0 0 792", "0 0 1e-9 1e-9", "0 0 .001 .001",
            "0 0 1 1", "0 0 1 100000", "0 0 100000 1", "612 792 0 0", "0 0 -612 -792",
            "nan nan nan nan", "0 0 inf inf", "1e38 1e38 3e38 3e38", "0 0", "", "[0 0 9 9]",
            "0 0 2147483648 2147483648", "1000000 1000000 1000612 1000792", "/a /b /c /d",
            "0 0 99999999999999999999999999999999999999999999 9", "3 0 R 3 0 R 3 0 R 3 0 R",
        ):  # fmt: skip
            name = f"{kind}-{box.replace(' ', '_').replace('/', '') or 'empty'}"[:60]
            media = box if kind == "MediaBox" else "0 0 612 792"
            entries = f"/CropBox [{box}]" if kind == "CropBox" else ""
            yield name, partial(sheet, entries=entries, box=media)


def turned() -> Cases:
    """Pages that are turned or scaled oddly."""
    for name, entries in {
        "45": "/Rotate 45", "odd": "/Rotate 123456789", "negative": "/Rotate -90",
        "huge": "/Rotate 99999999999999", "text": "/Rotate (90)", "unit": "/UserUnit 1e6",
        "45-unit": "/Rotate 45 /UserUnit 1000000", "unit-0": "/UserUnit 0",
        "unit-below": "/UserUnit -3", "unit-tiny": "/UserUnit 0.000001",
        "of-itself": "/Rotate 3 0 R",
    }.items():  # fmt: skip
        yield name, partial(sheet, entries=entries)


def counts() -> Cases:
    """A number of pages that is not true."""
    for count in (-1, 0, 2, 9_999, 100_000, 2**31 - 1, 2**31, -(2**31), 2**32 + 1, 2**63, 10**30):
        yield f"{count}", partial(_tree, "3 0 R", LEAF, count)
    for count in ("true", "(9)", "2 0 R", "[1]", "1.5"):
        yield count.replace(" ", "-"), partial(_counted, count)


LEAF = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>"


def _counted(count: str) -> bytes:
    return ordinary().replace(b"/Count 3", f"/Count {count}".encode())


def crowds() -> Cases:
    """Documents of very many pages."""
    for count in (1_000, 10_000, 10_001, 100_000):
        yield f"shared-{count}", partial(_tree, "3 0 R", LEAF, count, count)
        yield f"packed-{count}", partial(_packed_pages, count)
    yield "packed-1000000", partial(_packed_pages, 1_000_000)


def _packed_pages(count: int) -> bytes:
    kids = " ".join(f"{number} 0 R" for number in range(3, 3 + count))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>"
    objects = dict.fromkeys(range(3, 3 + count), page)
    objects[1] = b"<</Type/Catalog/Pages 2 0 R>>"
    objects[2] = f"<</Type/Pages/Count {count}/Kids[{kids}]>>".encode()
    return packed_file(objects)


# ---- what belongs to the file --------------------------------------------------------------------


def encrypted() -> Cases:
    """Behind passwords, or with entries of encryption that make no sense."""
    yield "password", partial(locked, b"secret")
    yield "no-password", partial(locked, b"")
    strings = f"/O <{'00' * 32}> /U <{'00' * 32}>"
    for name, entry in {
        "empty": "<< >>", "itself": "4 0 R", "absent": "99 0 R", "number": "7", "null": "null",
        "other": "<< /Filter /Nobody >>",
        "v-0": f"<< /Filter /Standard /V 0 /R 0 {strings} /P 0 >>",
        "v-9": f"<< /Filter /Standard /V 9 /R 9 {strings} /P 0 >>",
        "long-key": f"<< /Filter /Standard /V 2 /R 3 /Length 999999999 {strings} /P -4 >>",
        "no-key": f"<< /Filter /Standard /V 2 /R 3 /Length 0 {strings} /P -4 >>",
        "below": f"<< /Filter /Standard /V 2 /R 3 /Length -8 {strings} /P -4 >>",
        "short": "<< /Filter /Standard /V 5 /R 6 /O (a) /U (b) /OE (c) /UE (d) /P -4 >>",
        "r-6": f"<< /Filter /Standard /V 5 /R 6 /O <{'11' * 48}> /U <{'22' * 48}> /OE <{'33' * 32}>"
               f" /UE <{'44' * 32}> /Perms <{'55' * 16}> /P -4 /CF << /StdCF << /CFM /AESV3 >> >>"
               " /StmF /StdCF /StrF /StdCF >>",
        "filters": f"<< /Filter /Standard /V 4 /R 4 {strings} /P -4 /CF 4 0 R /StmF /A >>",
    }.items():  # fmt: skip
        yield name, partial(sheet, trailer=f"/Encrypt {entry} /ID [<00> <00>]")


def active() -> Cases:
    """Scripts, actions, files within, forms and notes."""
    script = "<< /S /JavaScript /JS (while (true) { app.alert('a'); }) >>"
    for name, entry in {
        "script": f"/OpenAction {script}", "launch": "/OpenAction << /S /Launch /F (/bin/sh) >>",
        "next": f"/OpenAction << /S /JavaScript /JS (1) /Next [{script * 50}] >>",
        "address": "/OpenAction << /S /URI /URI (http://localhost:1/) >>",
        "leaving": f"/AA << /WC {script} /WS {script} >>",
        "names": "/Names << /JavaScript << /Kids [6 0 R] >> >>",
        "form-script": f"/AcroForm << /Fields [6 0 R] /CO [6 0 R] /AA << /K {script} >> >>",
        "xfa": "/AcroForm << /XFA 6 0 R /Fields [] >>",
        "layers": "/OCProperties << /OCGs [6 0 R] >>",
        "outline": "/Outlines 6 0 R", "tags": "/StructTreeRoot 6 0 R /MarkInfo << /Marked true >>",
    }.items():  # fmt: skip
        yield name, partial(sheet, catalog=entry, more=[LOOP])
    inner = flate(zlib.compress(ordinary()), "/Type /EmbeddedFile")
    spec = b"<< /Type /Filespec /F (a.pdf) /EF << /F 7 0 R >> >>"
    files = "/Names << /EmbeddedFiles << /Names [(a.pdf) 6 0 R] >> >>"
    yield "file", partial(sheet, catalog=files, more=[spec, inner])
    packed = flate(bomb(b"\0", 64 << 20), "/Type /EmbeddedFile")
    yield "file-bomb", partial(sheet, catalog=files, more=[spec, packed])
    for count in (1_000, 50_000):
        yield f"notes-{count}", partial(_notes, count)
        yield f"fields-{count}", partial(_fields, count)
    yield "field-of-itself", partial(_notes, 1)


LOOP = b"<< /FT /Tx /T (a) /Kids [6 0 R 6 0 R] %b >>" % b" ".join(
    b"/%b 6 0 R" % name for name in (b"Parent", b"First", b"Next", b"K")
)
"""An entry of a form, an outline or tags that leads to itself."""


def _notes(count: int) -> bytes:
    note = b"<< /Type /Annot /Subtype /Stamp /F 4 /Rect [9 9 99 99] /AP << /N 7 0 R >> >>"
    look = form("1 0 0 rg 0 0 99 99 re f /X1 Do", "/X1 7 0 R")
    return sheet(entries=f"/Annots [{'6 0 R ' * count}]", more=[note, look])


def _fields(count: int) -> bytes:
    kids = " ".join(f"{number} 0 R" for number in range(6, 6 + count))
    field = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (a{}) /V (b) /F 4 /Rect [9 9 99 20] >>"
    return sheet(
        entries=f"/Annots [{kids}]",
        catalog=f"/AcroForm << /Fields [{kids}] /NeedAppearances true >>",
        more=[field.format(number).encode() for number in range(count)],
    )


def tables() -> Cases:
    """Tables of where objects are that lead astray."""
    whole = ordinary()
    start = int(whole.split(b"startxref\n")[1].split(b"\n")[0])
    for name, place in (
        ("begin", 0),
        ("middle", 500),
        ("beyond", 10**9),
        ("below", -1),
        ("2-63", 2**63),
    ):
        yield f"at-{name}", partial(_at, place)
        yield f"before-at-{name}", partial(sheet, trailer=f"/Prev {place}")
    one = sheet(trailer="/Prev 0000000000")
    own = one.split(b"startxref\n")[1].split(b"\n")[0]
    yield "of-itself", partial(one.replace, b"/Prev 0000000000", b"/Prev " + own.rjust(10, b"0"))
    both = f"/Prev {start} /XRefStm {start}".encode()
    yield "twice", partial(whole.replace, b"/Root", both + b" /Root")
    yield "chain", partial(_chain, 2_000)
    yield "long-chain", partial(_chain, 50_000)
    for size in ("0", "-1", "4194304", "2147483647", "99999999999"):
        yield f"size-{size}", partial(whole.replace, b"/Size 13", f"/Size {size}".encode())
        yield f"rows-{size}", partial(whole.replace, b"xref\n0 13", f"xref\n0 {size}".encode())
        yield f"from-{size}", partial(whole.replace, b"xref\n0 13", f"xref\n{size} 13".encode())
    yield "none", partial(whole.replace, b"xref", b"xxxx")
    yield "no-root", partial(whole.replace, b"/Root 1 0 R", b"")
    yield "root-of-pages", partial(whole.replace, b"/Root 1 0 R", b"/Root 2 0 R")
    yield "all-one", partial(_all_at_one_place)


def _at(place: int) -> bytes:
    head, tail = ordinary().split(b"startxref\n")
    return head + f"startxref\n{place}\n".encode() + tail.partition(b"\n")[2]


def _chain(count: int) -> bytes:
    """Tables that each name the one before."""
    out = bytearray(ordinary().split(b"startxref\n")[0])
    place = int(ordinary().split(b"startxref\n")[1].split(b"\n")[0])
    for _ in range(count):
        here = len(out)
        out += f"xref\n0 0\ntrailer << /Size 13 /Root 1 0 R /Prev {place} >>\n".encode()
        place = here
    return bytes(out + f"startxref\n{place}\n%%EOF\n".encode())


def _all_at_one_place() -> bytes:
    head, mark, tail = ordinary().partition(b"xref\n")
    rows = [b"0000000015" + row[10:] if row.endswith(b" n ") else row for row in tail.split(b"\n")]
    return head + mark + b"\n".join(rows)


def packings() -> Cases:
    """Streams of objects that hold themselves, or less than they say."""
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>",
    }
    whole = packed_file(objects)
    yield "good", partial(bytes, whole)
    yield "of-itself", partial(packed_file, objects, own=True)
    yield "extends-itself", partial(packed_file, objects, "/Extends 4 0 R")
    for name in (b"/N 3", b"/First 18", b"/W [1 4 3]", b"/Index [0 1 1 5]", b"/Size 6"):
        for value in (
            b"0",
            b"-1",
            b"2147483647",
            b"99999999999",
            b"[9 9 9]",
            b"[-1 -1 -1]",
            b"4 0 R",
        ):
            word = name.split(b" ")[0]
            yield (
                f"{word.decode()[1:]}-{value.decode().replace(' ', '_')}",
                partial(whole.replace, name, word + b" " + value),
            )
    objects[3] = b"<</Type/Page/Parent 2 0 R/MediaBox 4 0 R>>"
    yield "box-of-the-stream", partial(packed_file, objects)


# ---- streams -------------------------------------------------------------------------------------


def lengths() -> Cases:
    """Streams that are not as long as they say."""
    text = letter().encode()
    for long in ("0", "-1", "10", str(len(text) - 1), str(len(text) + 1), "100000", "2147483647",
                 "99999999999999999999", "4 0 R", "99 0 R", "(a)", "null", "3 0 R"):  # fmt: skip
        body = f"<< /Length {long} >>\nstream\n".encode() + text + b"\nendstream"
        yield long.replace(" ", "_"), partial(sheet, body)
    yield "no-end", partial(sheet, f"<< /Length {len(text)} >>\nstream\n".encode() + text)
    yield "none", partial(sheet, b"<< >>\nstream\n" + text + b"\nendstream")


def bombs() -> Cases:
    """Streams that unpack to very much."""
    chunks = {"text": letter().encode(), "spaces": b" ", "zeros": b"\0",
              "paths": b"1 1 m 9 9 l S\n",
              "words": b"BT /F1 9 Tf 9 9 Td (a b c) Tj ET\n", "pushes": b"q ",
              "open": b"("}  # fmt: skip
    for name, chunk in chunks.items():
        for size in (16 << 20, 128 << 20, GIGABYTE):
            yield f"content-{name}-{size >> 20}", partial(_content_bomb, chunk, size)
    yield "content-twice", partial(_twice, b" ", GIGABYTE)
    yield "content-in-parts", partial(_parts, 1000)
    for size in (16 << 20, 128 << 20, GIGABYTE):
        yield f"letters-{size >> 20}", partial(_letters_bomb, size)
        yield f"font-{size >> 20}", partial(_font_bomb, size)
        yield f"objects-{size >> 20}", partial(_objects_bomb, size)
    for side in (2_000, 8_000, 20_000, 32_000):
        yield f"image-{side}", partial(_image_bomb, side, side)
        yield f"mask-{side}", partial(_mask_bomb, side)
    yield "image-flat", partial(_image_bomb, 1_000_000, 1000)
    yield "hex", partial(_long, b"00", 32 << 20, "/Filter /ASCIIHexDecode")
    yield "runs", partial(_long, b"\x81 ", 8 << 20, "/Filter /RunLengthDecode")
    filters = "/Filter [" + "/ASCIIHexDecode " * 1000 + "]"
    yield "filters", partial(sheet, stream_of(b"30" * 1000, filters))


def _content_bomb(chunk: bytes, size: int) -> bytes:
    return sheet(flate(bomb(chunk, size)))


def _long(chunk: bytes, count: int, entries: str) -> bytes:
    return sheet(stream_of(chunk * count, entries))


def _twice(chunk: bytes, size: int) -> bytes:
    packed = zlib.compress(bomb(chunk, size), 9)
    return sheet(stream_of(packed, "/Filter [/FlateDecode /FlateDecode]"))


def _parts(count: int) -> bytes:
    """The same packed stream again and again, as parts of one content."""
    body = flate(bomb(letter().encode(), 1 << 20))
    return sheet(entries=f"/Contents [{'6 0 R ' * count}]", more=[body])


def _letters_bomb(size: int) -> bytes:
    chunk = b"1 beginbfchar <41> <0042> endbfchar\n"
    font = FONT.replace(b">>", b"/ToUnicode 6 0 R >>")
    return sheet(more=[flate(bomb(chunk, size))], font=font)


def _font_bomb(size: int) -> bytes:
    return _font("/FontFile2 8 0 R", flate(bomb(b"\0\1\0\0", size), f"/Length1 {size}"))


def _objects_bomb(size: int) -> bytes:
    data = bomb(b"1 0 << >> ", size)
    stretched = flate(data, "/Type /ObjStm /N 1000000 /First 10000000")
    return sheet(more=[stretched], entries="/Annots 6 0 R")


def _image_bomb(wide: int, high: int) -> bytes:
    entries = f"/Width {wide} /Height {high} /ColorSpace /DeviceGray /BitsPerComponent 8"
    return drawn(f"{entries} /Filter /FlateDecode", bomb(b"\0", wide * high))


def _mask_bomb(side: int) -> bytes:
    entries = f"/Width {side} /Height {side} /ImageMask true /BitsPerComponent 1"
    return drawn(f"{entries} /Filter /FlateDecode", bomb(b"\x55", side * side // 8))


NINE = "/Width 9 /Height 9 /BitsPerComponent 8 /ColorSpace"


def images() -> Cases:
    """Pictures of odd sizes and codecs."""
    size = "/Width {0} /Height {1} /BitsPerComponent 8 /ColorSpace /DeviceRGB"
    for filters in ("", "/Filter /FlateDecode", "/Filter /DCTDecode", "/Filter /JPXDecode",
                    "/Filter /CCITTFaxDecode", "/Filter /JBIG2Decode", "/Filter /RunLengthDecode",
                    "/Filter /LZWDecode"):  # fmt: skip
        for wide, high in ((100_000, 100_000), (2**31 - 1, 1), (1, 2**31 - 1), (65_535, 65_535)):
            name = f"{filters.rpartition('/')[2] or 'raw'}-{wide}-{high}"
            yield name, partial(drawn, f"{size.format(wide, high)} {filters}")
    for name, entries in {
        "below": size.format(-9, -9), "zero": size.format(0, 0), "none": "",
        "bits-64": "/Width 9 /Height 9 /BitsPerComponent 64 /ColorSpace /DeviceRGB",
        "space-of-itself": f"{NINE} 6 0 R",
        "mask-of-itself": f"{size.format(9, 9)} /SMask 6 0 R",
        "alternate-of-itself": f"{size.format(9, 9)} /Alternates [<< /Image 6 0 R >>]",
        "indexed": f"{NINE} [/Indexed /DeviceRGB 2000000000 (a)]",
        "profile": f"{NINE} [/ICCBased 6 0 R]",
        "colorants": f"{NINE} [/DeviceN [{'/a ' * 9999}] /DeviceRGB 6 0 R]",
        "nested-space": f"{NINE} {'[/Indexed ' * 500}",
        "fax": "/Width 60000 /Height 60000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter "
               "/CCITTFaxDecode /DecodeParms << /K -1 /Columns 60000 /Rows 60000 >>",
        "predictor": f"{size.format(9, 9)} /Filter /FlateDecode /DecodeParms << /Predictor 15 "
                     "/Columns 2147483647 /Colors 32 /BitsPerComponent 16 >>",
    }.items():  # fmt: skip
        yield name, partial(drawn, entries)
    gray = "/BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /FlateDecode"
    for side in (20_000, 40_000):
        data = bomb(b"\x33", side * side // 8)
        yield f"scan-{side}", partial(drawn, f"/Width {side} /Height {side} {gray}", data)
    for count in (100, 5_000):
        yield f"often-{count}", partial(_often, count)


def _often(count: int) -> bytes:
    """One picture of a megapixel that is drawn again and again."""
    entries = "/Width 1000 /Height 1000 /BitsPerComponent 8 /ColorSpace /DeviceGray"
    picture = flate(zlib.compress(bytes(10**6)), f"/Type /XObject /Subtype /Image {entries}")
    return sheet("q 600 0 0 700 0 0 cm /I1 Do Q\n" * count, "/XObject << /I1 6 0 R >>", [picture])


# ---- what is drawn -------------------------------------------------------------------------------


def _font(file: str, *more: bytes, kind: str = "TrueType") -> bytes:
    font = (
        f"<< /Type /Font /Subtype /{kind} /BaseFont /Odd /FirstChar 0 /LastChar 255 /Widths 7 0 R"
    )
    described = f"<< /Type /FontDescriptor /FontName /Odd /Flags 4 {file} >>"
    wide = f"[{'500 ' * 256}]"
    entries = f"{font} /FontDescriptor 6 0 R >>".encode()
    return sheet(font=entries, more=[described.encode(), wide.encode(), *more])


def fonts() -> Cases:
    """Fonts that do not load."""
    lot = np.random.default_rng(5)
    for kind in ("FontFile", "FontFile2", "FontFile3 8 0 R /FontFile2"):
        for name, data in {
            "noise": lot.bytes(5000), "empty": b"", "sfnt": b"\0\1\0\0\xff\xff" + lot.bytes(2000),
            "cff": b"\1\0\4\4" + lot.bytes(2000), "otto": b"OTTO\0\1" + lot.bytes(2000),
            "type1": b"%!PS-AdobeFont-1.0\n/Subrs 2147483647 array\n" + lot.bytes(500),
            "collection": b"ttcf\0\1\0\0\xff\xff\xff\xff" + bytes(2000), "huge": bytes(1 << 20),
        }.items():  # fmt: skip
            yield (
                f"{kind[:9]}{kind[9:10].strip()}-{name}",
                partial(_font, f"/{kind} 8 0 R", stream_of(data)),
            )
    for name, entries in {
        "itself": "/Subtype /Type0 /Encoding /Identity-H /DescendantFonts [5 0 R]",
        "none": "/Subtype /Type0 /Encoding /Identity-H",
        "absent": "/Subtype /Type0 /DescendantFonts [99 0 R]",
        "page": "/Subtype /Type0 /Encoding /Identity-H /DescendantFonts [3 0 R]",
        "number": "/Subtype /Type0 /Encoding /Identity-H /DescendantFonts 7",
        "widths": "/Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /Type /Font "
                  "/Subtype /CIDFontType2 /W [0 2147483647 9] /DW 99999999 >>]",
        "encoding": "/Subtype /Type0 /Encoding 6 0 R /DescendantFonts "
                    "[<< /Subtype /CIDFontType0 >>]",
        "type3-itself": "/Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /CharProcs << /a 4 0 R >> "
                        "/FontBBox [0 0 9 9] /FirstChar 0 /LastChar 255 "
                        "/Resources << /Font << /F1 5 0 R >> >> "
                        "/Encoding << /Differences [0" + " /a" * 256 + "] >>",
        "range": "/Subtype /TrueType /FirstChar -9999 /LastChar 2147483647 /Widths [9]",
        "differences": "/Subtype /TrueType /Encoding << /Differences [2147483647 /a -1 /b] >>",
        "letters-itself": "/Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R",
        "letters-uses": "/Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R",
        "letters-range": "/Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R",
        "letters-long": "/Subtype /Type1 /BaseFont /Helvetica /ToUnicode 8 0 R",
    }.items():  # fmt: skip
        yield name, partial(sheet, font=f"<< /Type /Font {entries} >>".encode(), more=MAPS)


MAPS = (
    stream_of(b"/X usecmap", "/Type /CMap /CMapName /X /UseCMap 6 0 R"),
    stream("9 beginbfrange <0000> <FFFFFFFF> <0041> <00> <FF> [<0041>] endbfrange " * 200),
    stream(f"1 beginbfchar <41> <{'0042' * 100_000}> endbfchar"),
)
"""Maps of letters."""


def forms() -> Cases:
    """Forms that draw themselves, or each other without end."""
    resources = "/XObject << /X1 6 0 R >>"
    yield "itself", partial(sheet, "/X1 Do", resources, [form("/X1 Do", "/X1 6 0 R")])
    yield "itself-twice", partial(sheet, "/X1 Do", resources, [form("/X1 Do /X1 Do", "/X1 6 0 R")])
    pair = [form("/X1 Do", "/X1 7 0 R"), form("/X1 Do /X1 Do", "/X1 6 0 R")]
    yield "pair", partial(sheet, "/X1 Do", resources, pair)
    yield "page", partial(sheet, "/X1 Do", "/XObject << /X1 3 0 R >>")
    yield "content", partial(sheet, "/X1 Do", "/XObject << /X1 4 0 R >>")
    for deep in (10, 100, 1_000):
        yield f"deep-{deep}", partial(_nested_forms, deep, 1)
    for wide, deep in ((2, 12), (10, 4), (10, 5), (10, 6), (2, 40), (10, 9)):
        yield f"laughs-{wide}-{deep}", partial(_nested_forms, deep, wide)


def _nested_forms(deep: int, wide: int, entries: str = "") -> bytes:
    chain = [
        form("/X1 Do " * wide, f"/X1 {number + 1} 0 R", entries) for number in range(6, 6 + deep)
    ]
    last = form("0.9 g 9 9 99 99 re f", entries=entries)
    return sheet("/X1 Do", "/XObject << /X1 6 0 R >>", [*chain, last])


def groups() -> Cases:
    """Transparency within transparency."""
    group = "/Group << /S /Transparency /I true /K true >>"
    for deep in (5, 20, 100):
        yield f"deep-{deep}", partial(_nested_forms, deep, 1, group)
    for wide, deep in ((2, 6), (2, 10), (10, 4)):
        yield f"laughs-{wide}-{deep}", partial(_nested_forms, deep, wide, group)
    yield "of-itself", partial(_masked, 1, "6 0 R")
    for deep in (3, 10, 50):
        yield f"masks-{deep}", partial(_masked, deep, "")
    state = "/ExtGState << /G1 << /BM /Luminosity /ca 0.5 >> >>"
    for count in (100, 10_000):
        content = "/G1 gs 0 0 612 792 re f\n" * count
        yield f"blends-{count}", partial(sheet, content, state)


def _masked(deep: int, last: str) -> bytes:
    """Forms whose soft masks are the next form."""
    forms, group = list[bytes](), "/Group << /S /Transparency /CS /DeviceGray >>"
    for number in range(6, 6 + deep):
        mask = last or f"{number + 1} 0 R"
        state = f"<< /G1 << /SMask << /S /Luminosity /G {mask} >> >> >>"
        content = b"/G1 gs 0 0 612 792 re f"
        entries = f"/Subtype /Form /BBox [0 0 612 792] {group} /Resources << /ExtGState {state} >>"
        forms.append(stream_of(content, entries))
    end = form("0.5 g 0 0 612 792 re f", entries=group)
    state = "/ExtGState << /G1 << /SMask << /S /Luminosity /G 6 0 R >> >> >>"
    return sheet("/G1 gs 0 0 612 792 re f", state, [*forms, end])


TILING = "/PatternType 1 /PaintType 1 /TilingType 1"


def patterns() -> Cases:
    """Tiles of no size, and shades of odd functions."""
    paint, resources = "/Pattern cs /P1 scn 0 0 612 792 re f", "/Pattern << /P1 6 0 R >>"
    for step in ("0.001", "0", "-1", "1e-30", "0.1", "1e30", "nan"):
        for box in ("0 0 10 10", "0 0 0.001 0.001", "0 0 1e6 1e6"):
            tile = f"{TILING} /BBox [{box}] /XStep {step} /YStep {step}"
            body = stream_of(b"1 0 0 rg 0 0 5 5 re f", f"{tile} /Resources << >>")
            yield f"{step}-{box.split()[2]}", partial(sheet, paint, resources, [body])
    own = f"{TILING} /BBox [0 0 9 9] /XStep 9 /YStep 9"
    body = stream_of(paint.encode(), f"{own} /Resources << {resources} >>")
    yield "itself", partial(sheet, paint, resources, [body])
    for kind in range(1, 8):
        shade = (
            f"<< /PatternType 2 /Shading << /ShadingType {kind} /ColorSpace /DeviceRGB /Coords "
            "[0 0 1e-9 1e9 0 1e9] /Domain [0 1] /Extend [true true] /Function 7 0 R "
            "/BitsPerCoordinate 32 /BitsPerComponent 16 /BitsPerFlag 8 /VerticesPerRow 2 >> >>"
        )
        loop = stream_of(b"{ 1000000 { dup } repeat " + b"dup mul " * 50_000 + b"}",
                         "/FunctionType 4 /Domain [0 1] /Range [0 1 0 1 0 1]")  # fmt: skip
        yield f"shade-{kind}", partial(sheet, paint, resources, [shade.encode(), loop])
    sampled = stream_of(b"0" * 99, "/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [2147483647] "
                        "/BitsPerSample 32")  # fmt: skip
    stitched = (
        b"<< /FunctionType 3 /Domain [0 1] /Functions [7 0 R 7 0 R] /Bounds [0.5] "
        b"/Encode [0 1 0 1] >>"
    )
    for name, function in (("sampled", sampled), ("stitched", stitched)):
        shade = "/ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 9 9] /Function 7 0 R"
        more = [f"<< /PatternType 2 /Shading << {shade} >> >>".encode(), function]
        yield name, partial(sheet, paint, resources, more)


def words() -> Cases:
    """Very many words, or words of odd sizes."""
    for count in (1_000, 20_000, 49_000, 60_000, 200_000):
        yield f"pieces-{count}", partial(_words, count, 1)
    for count in (10_000, 200_000, 2_000_000):
        yield f"in-pieces-{count}", partial(_words, count, 1000)
    for name, text, count in (("one-word", "a" * 1_000_000, 1), ("blanks", " " * 1_000_000, 1),
                              ("same-place", "total", 40_000)):  # fmt: skip
        yield name, partial(_same_place, text, count)
    for name, options in {
        "size-0": {"size": 0}, "size-below": {"size": -12}, "size-1e9": {"size": 1e9},
        "size-tiny": {"size": 1e-9}, "mode-99": {"mode": 99}, "flat": {"turn": "0 0 0 0"},
        "far": {"turn": "1e30 0 0 1e30"}, "shear": {"turn": "1 1e20 -1e20 1"},
        "nan": {"turn": "nan nan nan nan"},
    }.items():  # fmt: skip
        yield name, partial(pdf, letter(LETTER * 40, **options))
    yield "spaced", partial(sheet, "1e30 Tc 1e30 Tw 1e9 TL -1e9 Tz 1e9 Ts " + letter())
    yield "private", partial(sheet, shown("\x01\x02\x7f\xff" * 5000, 9, 9))
    yield "40-pages", _full_pages


def _same_place(text: str, count: int) -> bytes:
    return sheet(shown(text, 9, 9) * count)


def _full_pages() -> bytes:
    rows = [[f"w{page}x{row} " * 20 for row in range(500)] for page in range(40)]
    return pdf_of_pages([letter(lines) for lines in rows])


def _words(count: int, together: int) -> bytes:
    lot = np.random.default_rng(6)
    places = lot.integers(0, 600, (-(-count // together), 2)).tolist()
    line = " ".join(["total"] * together)
    return sheet("".join(shown(line, x, y, 4) for x, y in places))


def nests() -> Cases:
    """Deeply nested operators and objects."""
    for name, opening in {
        "q": "q ", "bt": "BT ", "lists": "[", "dictionaries": "<< /a ", "strings": "(",
        "bi": "BI ", "marks": "/a << /b 1 >> BDC ", "q-cm": "q 2 0 0 2 0 0 cm ", "bx": "BX ",
        "clips": "0 0 612 792 re W n q ", "hex": "<", "close": "Q ", "end": "ET ", "procedure": "{",
    }.items():  # fmt: skip
        for deep in (1_000, 100_000, 1_000_000):
            yield f"{name}-{deep}", partial(_nest, "content", opening, deep)
    for name, opening in (("lists", "["), ("dictionaries", "<< /a "), ("strings", "(")):
        for deep in (100, 10_000, 1_000_000):
            yield f"object-{name}-{deep}", partial(_nest, "entries", opening, deep)
            yield f"trailer-{name}-{deep}", partial(_nest, "trailer", opening, deep)


def _nest(where: str, opening: str, deep: int) -> bytes:
    return sheet(**{where: ("" if where == "content" else "/Odd ") + opening * deep})


def paths() -> Cases:
    """Very long paths."""
    for count in (10_000, 100_000, 1_000_000):
        for paint in ("S", "f", "f*", "W n 0 0 612 792 re f"):
            name = f"{paint.split()[0].replace('*', '-odd')}-{count}"
            yield name, partial(_path, count, "{} {} l\n", "0 0 m\n", paint)
        dashes = "[0.001 0.001] 0 d 0 0 m\n"
        yield f"dashed-{count}", partial(_path, count, "{} {} l\n", dashes, "S")
        yield f"apart-{count}", partial(_path, count, "{} {} 9 9 re f\n")
    for name, content in {
        "dash": "[0.000001] 0 d 0 0 m 600 700 l S", "dash-0": "[0 0] 0 d 0 0 m 600 700 l S",
        "dash-far": "[1e-9 1e-9] 1e9 d 0 0 m 1e9 1e9 l S", "wide": "1e9 w 0 0 m 9 9 l S",
        "far": "0 0 m 1e38 1e38 l -1e38 1e38 l f",
        "round": "1 J 1 j 1e6 w 0 0 m 1e9 1 2 1e9 9 9 c S",
        "curve": "0 0 m 1e30 -1e30 -1e30 1e30 9 9 c S",
        "scale": "1e30 0 0 1e30 0 0 cm 0 0 m 9 9 l S",
        "flat": "0 i 0 0 m 9 9 99 99 9 99 c S", "nan": "nan nan m inf inf l S",
    }.items():  # fmt: skip
        yield name, partial(sheet, content)


def _path(count: int, line: str, before: str = "", after: str = "") -> bytes:
    places = np.random.default_rng(7).integers(0, 600, (count, 2)).tolist()
    return sheet(before + "".join(line.format(x, y) for x, y in places) + after)


FAMILIES = (cut, flipped, spliced, numbers, names, trees, boxes, turned, counts, crowds, encrypted,
            active, tables, packings, lengths, bombs, images, fonts, forms, groups, patterns, words,
            nests, paths)  # fmt: skip


@cache
def cases() -> dict[str, Build]:
    """All cases by family and name."""
    return {f"{family.__name__}/{name}": build for family in FAMILIES for name, build in family()}


# ---- how each is opened --------------------------------------------------------------------------


def opened(data: bytes) -> str:
    """What comes of a document: empty if its views are within the budget, or why not."""
    import homunculus
    from homunculus.pages import PictureError

    try:
        seen = homunculus.open(data, keep=False).views(QUESTION, tokens=TOKENS)
        cost = seen.tokens + seen.label_tokens
        pictures = len(seen.images())
    except (PictureError, ValueError) as error:
        return f"refused: {error}"
    except BaseException as error:  # what must not be
        return f"raised: {type(error).__name__}: {error!s:.200}"
    return "" if cost <= TOKENS and pictures else f"too much: {pictures} pictures for {cost}"


def peak() -> int:
    """The most bytes in memory since the last call; 0 where the system does not say."""
    if not STATUS.exists():
        return 0
    (most,) = [line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM")]
    Path("/proc/self/clear_refs").write_text("5")  # so that it is counted anew
    return int(most.split()[1]) << 10


def main(chosen: Sequence[str]) -> None:
    """Open some cases and say so, line by line."""
    import resource  # POSIX alone has it

    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    opened(ordinary())  # loads what is loaded once
    for name in chosen:
        data = cases()[name]()
        peak()
        print(json.dumps({"case": name, "bytes": len(data)}), flush=True)
        start = time.process_time()
        what = opened(data)
        spent = time.process_time() - start
        print(json.dumps({"what": what, "seconds": spent, "memory": peak()}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
