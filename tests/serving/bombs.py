"""Small files that become large pictures."""

import struct
import zlib


def chunk(name: bytes, data: bytes) -> bytes:
    """A part of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(wide: int, high: int) -> bytes:
    """A whole picture of one bit a pixel, all black: a few bytes for each row."""
    row, packer = bytes(1 + -(-wide // 8)), zlib.compressobj(9)
    data = b"".join(packer.compress(row) for _ in range(high)) + packer.flush()
    header = struct.pack(">IIBBBBB", wide, high, 1, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def ico(picture: bytes) -> bytes:
    """A Windows icon that holds it. Pillow decodes it while the icon is opened."""
    entry = struct.pack("<BBBBHHII", 0, 0, 0, 0, 1, 1, len(picture), 22)
    return struct.pack("<HHH", 0, 1, 1) + entry + picture


def icns(picture: bytes) -> bytes:
    """An icon of macOS that holds it."""
    body = b"ic10" + struct.pack(">I", 8 + len(picture)) + picture
    return b"icns" + struct.pack(">I", 8 + len(body)) + body
