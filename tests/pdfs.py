"""PDF files of a few objects, written byte by byte: no library of ours writes text into one."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from PIL import Image

WIDE, HIGH = 612, 792
"""A page of US Letter in points."""


def shown(text: str, x: float, y: float, size: float = 12, mode: int = 0, turn: str = "") -> str:
    """One line of text in Helvetica at a point, counted from the lower left corner."""
    body = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    matrix = turn or "1 0 0 1"
    return f"BT /F1 {size} Tf {mode} Tr {matrix} {x} {y} Tm ({body}) Tj ET\n"


def pdf(
    content: str,
    media: Sequence[float] = (0, 0, WIDE, HIGH),
    crop: Sequence[float] | None = None,
    rotate: int = 0,
    image: Image.Image | None = None,
    font: str = "",
    more: Sequence[bytes] = (),
    unit: float = 1,
) -> bytes:
    """A file of one page. ``image`` can be drawn as /I1; ``font`` is more of the font's entry and
    ``more`` are further objects, from number 7 on."""
    box = " ".join(map(str, media))
    entries = f"/MediaBox [{box}] /Rotate {rotate} /UserUnit {unit}"
    if crop:
        entries += f" /CropBox [{' '.join(map(str, crop))}]"
    data = content.encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            f"<< /Type /Page /Parent 2 0 R {entries} /Contents 4 0 R "
            "/Resources << /Font << /F1 5 0 R >> /XObject << /I1 6 0 R >> >> >>"
        ).encode(),
        stream_of(data),
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {font} >>".encode(),
        _picture(image or Image.new("L", (1, 1))),
        *more,
    ]
    return file_of(objects)


def pdf_of_pages(contents: Sequence[str], images: Sequence[Image.Image | None] = ()) -> bytes:
    """A file of many pages of US Letter. Each may draw a picture of its own as /I1."""
    kids = " ".join(f"{4 + 3 * page} 0 R" for page in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for page, content in enumerate(contents):
        image = images[page] if page < len(images) else None
        first = 4 + 3 * page
        entry = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDE} {HIGH}] /Contents {first + 1} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> /XObject << /I1 {first + 2} 0 R >> >> >>"
        )
        picture = _picture(image or Image.new("L", (1, 1)))
        objects += [entry.encode(), stream_of(content.encode("latin-1")), picture]
    return file_of(objects)


def stream(text: str) -> bytes:
    """A stream as an object, such as a map of letters."""
    return stream_of(text.encode("latin-1"))


def stream_of(data: bytes, entries: str = "") -> bytes:
    """The same of bytes. ``entries`` is more of the object's entry."""
    head = f"<< /Length {len(data)} {entries} >>\nstream\n".encode()
    return head + data + b"\nendstream"


def _picture(image: Image.Image) -> bytes:
    out = BytesIO()
    image.convert("L").save(out, "JPEG", quality=85)
    return stream_of(
        out.getvalue(),
        f"/Type /XObject /Subtype /Image /Width {image.width} /Height {image.height} "
        "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode",
    )


def file_of(objects: Sequence[bytes], trailer: str = "") -> bytes:
    """A file of objects, first of all the catalog. ``trailer`` is more of its last entry."""
    out, places = bytearray(b"%PDF-1.7\n"), list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\n".encode()
    return bytes(out + f"startxref\n{start}\n%%EOF\n".encode())


LETTER = [
    "Invoice 2041 of Northwind Traders",
    "Delivered to the harbour office on 3 March",
    "Twelve crates of oranges - first class",
    "Seven barrels of olive oil, pressed cold",
    "Total due within thirty days: 1,284.50",
    "Please pay into the account named below",
]
"""Lines of an ordinary page."""


def letter(lines: Sequence[str] = LETTER, **options: Any) -> str:
    """The content of an ordinary page."""
    return "".join(shown(line, 72, 700 - 30 * row, **options) for row, line in enumerate(lines))
