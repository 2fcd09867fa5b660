"""Small PDF files with text, written by hand for tests."""

from collections.abc import Sequence
from pathlib import Path

Text = tuple[float, float, float, str]
"""x and y of the baseline's start in points from the lower left, size, and what is printed."""


def write_pdf(path: Path, pages: Sequence[Sequence[Text]], rotate: int = 0, crop: str = "") -> Path:
    """A PDF of 400 x 300 points a page, in Helvetica."""
    extra = f"/Rotate {rotate} {f'/CropBox [{crop}]' if crop else ''}"
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, texts in enumerate(pages):
        drawn = " ".join(
            f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET" for x, y, size, text in texts
        )
        bodies += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] {extra} "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        ]
    data, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(bodies, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer << /Size {len(places) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    path.write_bytes(data + end.encode())
    return path
