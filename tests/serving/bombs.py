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


def gif(wide: int, high: int) -> bytes:
    """One frame, cut off after its first code."""
    screen = struct.pack("<HHBBB", wide, high, 0x80, 0, 0) + bytes(6)
    return b"GIF89a" + screen + b"," + struct.pack("<HHHHB", 0, 0, wide, high, 0) + b"\x02\x01\x04"


def bmp(wide: int, high: int) -> bytes:
    """Compressed runs, the first of which is black."""
    info = struct.pack("<IiiHHIIiiII", 40, wide, high, 1, 8, 1, 0, 0, 0, 2, 0)
    return b"BM" + struct.pack("<IHHI", 70, 0, 0, 62) + info + bytes(8) + b"\xff\x00" * 4


def jpeg(wide: int, high: int) -> bytes:
    """A small picture whose header says that it is large."""
    from io import BytesIO

    from PIL import Image

    file = BytesIO()
    Image.new("L", (8, 8)).save(file, "jpeg")
    data = bytearray(file.getvalue())
    at = data.index(b"\xff\xc0") + 5
    data[at : at + 4] = struct.pack(">HH", high, wide)
    return bytes(data)


def webp(wide: int, high: int) -> bytes:
    """A canvas without much on it."""
    bits = (wide - 1) | (high - 1) << 14
    body = b"WEBPVP8L" + struct.pack("<IBI", 30, 0x2F, bits) + bytes(25)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def tiff(wide: int, high: int) -> bytes:
    """One strip for all rows."""
    tags = [(256, wide), (257, high), (258, 1), (259, 1), (262, 1), (273, 8), (278, high), (279, 9)]
    rows = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + rows + bytes(4)


EVERY = {
    "png": png(20_000, 20_001), "gif": gif(65_000, 65_000), "bmp": bmp(60_000, 60_000),
    "jpeg": jpeg(65_000, 65_000), "webp": webp(16_000, 16_000), "tiff": tiff(60_000, 60_000),
    "ico": ico(png(12_000, 12_000)), "icns": icns(png(12_000, 12_000)),
    "ppm": b"P6 60000 60000 255 ", "pgm": b"P5 60000 60000 255 ",
    "qoi": b"qoif" + struct.pack(">IIBB", 60_000, 60_000, 3, 0),
    "psd": b"8BPS\0\1" + bytes(6) + struct.pack(">HIIHH", 3, 60_000, 60_000, 8, 3) + bytes(14),
    "sgi": b"\x01\xda\1\1\0\3" + struct.pack(">HHH", 60_000, 60_000, 3) + bytes(500),
    "pcx": b"\n\5\1\10" + struct.pack("<HHHH", 0, 0, 65_000, 65_000) + bytes(116),
    "tga": b"\0\0\x0a" + bytes(9) + struct.pack("<HHBB", 65_000, 65_000, 24, 0),
    "dds": b"DDS " + struct.pack("<IIII", 124, 0x1007, 60_000, 60_000) + bytes(112),
    "jp2": b"\xffO\xffQ\0\x2f\0\0" + struct.pack(">IIII", 60_000, 60_000, 0, 0) + bytes(30),
    "xbm": b"#define a_width 60000\n#define a_height 60000\nstatic char a_bits[] = {\n0x00",
    "eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 60000 60000\n",
    "fits": b"SIMPLE  =                    T".ljust(2880),
    "avif": b"\0\0\0\x1cftypavif" + bytes(16), "fli": bytes(4) + b"\x11\xaf" + bytes(122),
    "pdf": b"%PDF-1.7\n1 0 obj<</Type/Page/MediaBox[0 0 600000 600000]>>endobj\n",
}  # fmt: skip
"""By format: some that declare more than may be decoded, some that hold it, and cut off."""
