"""Inputs for batches: small pages with print on them, tables of them, and rows that are poison."""

import io
import json
import struct
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image, ImageDraw

from serving import bombs

FAST = ("--scout", "pixels", "--tokens", "16")
"""A scout without a network: these tests are about rows, not about plans."""


def page(number: int, kind: str = "png") -> bytes:
    """A page that differs from all others."""
    image = Image.new("RGB", (160 + number % 7 * 8, 120), "white")
    ImageDraw.Draw(image).text((10, 10 + number % 50), f"Invoice {number}", fill="black")
    file = io.BytesIO()
    image.save(file, kind)
    return file.getvalue()


def document(pages: int) -> bytes:
    """A PDF."""
    images = [Image.open(io.BytesIO(page(number))).convert("RGB") for number in range(pages)]
    file = io.BytesIO()
    images[0].save(file, "pdf", save_all=True, append_images=images[1:])
    return file.getvalue()


def encrypted() -> bytes:
    """A PDF that asks for a password: a trailer with a key that nobody has."""
    whole = document(1)
    key = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O (" + b"x" * 32 + b") /U (" + b"y" * 32
    key += b") /P -4 >> /ID [(0123456789abcdef) (0123456789abcdef)] "
    return whole.replace(b"/Root", key + b"/Root", 1)


def bomb(wide: int, high: int) -> bytes:
    """A PNG of a few bytes that says it has billions of pixels."""
    header = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(bombs.chunk(*part) for part in parts)


def folder(path: Path, rows: int) -> Path:
    """Pictures in a folder."""
    path.mkdir(parents=True)
    for number in range(rows):
        (path / f"{number:04}.png").write_bytes(page(number))
    return path


def parquet(path: Path, rows: int, group: int = 100) -> Path:
    """Pictures as bytes, and a question each."""
    table = {"image": [page(one) for one in range(rows)]}
    table["q"] = [f"What is invoice {one}?" for one in range(rows)]
    pq.write_table(pa.table(table), path, row_group_size=group)
    return path


def jsonl(path: Path, rows: list[dict]) -> Path:
    """A line for each row."""
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


POISON = ("empty", "truncated", "bomb", "type", "missing", "encrypted")


def poison(kind: str, at: Path) -> dict:
    """A row that cannot be used."""
    if kind == "type":
        return {"image": 17, "question": "What is it?"}
    data = {
        "empty": b"", "truncated": page(1)[:200], "bomb": bomb(60_000, 60_000),
        "encrypted": encrypted(),
    }  # fmt: skip
    if kind in data:
        at.write_bytes(data[kind])
    return {"image": at.name, "question": "What is it?"}


def poisoned(at: Path, rows: int, bad: int) -> Path:
    """A table in which some rows are poison, evenly spread."""
    at.mkdir(parents=True)
    lines, step = [], rows // bad
    for number in range(rows):
        name = at / f"{number:04}.png"
        if number % step == 1 and number // step < bad:
            lines.append(poison(POISON[number // step % len(POISON)], name))
            continue
        name.write_bytes(page(number))
        lines.append({"image": name.name, "question": "What is the number?"})
    return jsonl(at / "rows.jsonl", lines)
