"""Images of Pillow: opened again, counted, made plain RGB, as arrays and back. Others choose their
decoders."""

from io import BufferedIOBase, BytesIO
from typing import Any

import numpy as np
from PIL import Image

from homunculus.pages.source import PictureError, read_file
from homunculus.shapes import UInt8

MAX_BLOCKS = 1_000_000
"""Blocks of a GIF that are read to count its frames."""
_TURNS = {  # EXIF orientation -> what makes the picture upright
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def undecoded(image: Any) -> bool:
    """Whether a Pillow image has no pixels in memory: its file is open and not read, or closed."""
    return type(image._im).__name__ != "ImagingCore" or bool(getattr(image, "tile", None))


def _readable(file: Any) -> bool:
    try:
        return hasattr(file, "read") and not getattr(file, "closed", False)
    except ValueError:  # what Pillow leaves in place of a closed file raises at any attribute
        return False


def reopened(name: str, image: Any, max_bytes: int) -> Image.Image:
    """An image read once more from its open file, so that decoding leaves the caller's as it is."""
    file = image.fp if getattr(image, "fp", None) is not None else getattr(image, "_fp", None)
    if not _readable(file):
        raise PictureError(
            f"{name}: the file of this Pillow image was closed before it was read. "
            "Call load() on it before closing."
        )
    copy = type(image)(BytesIO(read_file(name, file, max_bytes)))
    if frame := image.tell():
        copy.seek(frame)
    if (copy.size, copy.mode) != (image.size, image.mode):
        copy.draft(image.mode, image.size)  # as the caller did
    if (copy.size, copy.mode) != (image.size, image.mode):
        return image  # of a state that cannot be made again: its pixels are what counts
    copy.info = dict(image.info)
    return copy


def count_frames(image: Image.Image, file: BufferedIOBase) -> int:
    """Frames that a file has, or declares; nothing is decoded."""
    if image.format == "GIF":  # Pillow would walk through millions of them
        return max(1, _gif_frames(file))
    return int(getattr(image, "n_frames", 1)) if image.format in ("PNG", "WEBP") else 1


def _gif_frames(file: BufferedIOBase) -> int:
    """Frames of a GIF, by its blocks; those behind `MAX_BLOCKS` blocks are not counted."""
    start, frames, inside = file.tell(), 0, False
    file.seek(10)
    file.seek(13 + _palette(file.read(1)))
    for _ in range(MAX_BLOCKS):
        block = file.read(1)
        if inside:  # parts of data: each begins with its length, and one of 0 is the last
            inside = block not in (b"", b"\0")
            file.seek(block[0] if block else 0, 1)
        elif block == b",":
            frames, inside = frames + 1, True
            file.seek(8, 1)
            file.seek(_palette(file.read(1)) + 1, 1)
        elif block == b"!":
            inside = True
            file.seek(1, 1)
        else:  # the end, or something that Pillow would not follow either
            break
    file.seek(start)
    return frames


def _palette(flags: bytes) -> int:
    return 3 << ((flags[0] & 7) + 1) if flags and flags[0] & 0x80 else 0


def in_one_scan(image: Any) -> bool:
    """Whether a JPEG comes in one pass; otherwise all its coefficients stay in memory at once."""
    if image.info.get("progressive"):
        return False
    file, position = image.fp, image.fp.tell()
    try:
        file.seek(2)
        while (head := file.read(4)) and len(head) == 4 and head[0] == 0xFF:
            if head[1] == 0xDA:  # start of scan: how many components it holds comes first
                return file.read(1) == bytes([image.layers])
            file.seek(int.from_bytes(head[2:], "big") - 2, 1)
        return False
    finally:
        file.seek(position)


def orientation_of(image: Image.Image) -> int:
    """How a camera was held, as EXIF counts: 1 is upright, from 5 on it lay on its side."""
    try:
        tag = int(image.getexif().get(0x0112, 1))
    except Exception:  # broken EXIF is no reason to refuse a good picture
        return 1
    return tag if tag in _TURNS else 1


def upright(image: Image.Image, orientation: int) -> Image.Image:
    """The image as it was seen."""
    return image.transpose(_TURNS[orientation]) if orientation in _TURNS else image


def plain(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """RGB of the given height and width; alpha is laid on white."""
    if image.mode.startswith("I") or image.mode == "F":
        image = _eight_bits(image)
    transparent = image.has_transparency_data
    if image.mode in ("1", "P", "PA") or (transparent and image.mode in ("L", "RGB")):
        image = image.convert("RGBA" if transparent else "RGB")
    width_height = (size[1], size[0])
    if image.size != width_height:
        image = image.resize(width_height, Image.Resampling.LANCZOS, reducing_gap=3.0)
    if not transparent:
        return image.convert("RGB")
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")


def _eight_bits(image: Image.Image) -> Image.Image:
    """Deep greys as 8-bit ones.

    A mode of 16 or 32 bits does not say how many of them are used: scanners and cameras write 10,
    12 or 14. So the brightest pixel says it: white is the largest number of as many bits as that
    pixel needs, from 8 on. So a picture of few bits is not black, and one that is dark on purpose
    becomes brighter, which harms no reader.
    Floats may go to 1, to 255 or anywhere, and greys below 0 begin anywhere: both are refused.
    """
    deep = np.asarray(image)
    if image.mode == "F" or deep.min() < 0:
        what = "floats" if image.mode == "F" else "values below 0"
        raise PictureError(
            f"Pillow image of mode {image.mode}: it has {what}, so which of them is black and "
            "which is white is unknown. Scale them to 0 to 255 and convert it to mode L."
        )
    shift = max(0, int(deep.max()).bit_length() - 8)
    return Image.fromarray((deep >> shift).astype("uint8"))


def to_array(image: Image.Image) -> UInt8[np.ndarray, "3 h w"]:
    """RGB as channels first, to be read only: a picture may be shared."""
    pixels = np.ascontiguousarray(np.asarray(image).transpose(2, 0, 1))
    pixels.flags.writeable = False
    return pixels


def to_image(pixels: UInt8[np.ndarray, "3 h w"]) -> Image.Image:
    """RGB of channels first."""
    # plane by plane: numpy takes many times as long to put the channels last
    return Image.merge("RGB", [Image.fromarray(plane) for plane in pixels])
