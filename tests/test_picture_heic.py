"""HEIC, the format of phones: read with the extra `heic`, bounded like every other format."""

import io
import random
import struct
import sys
from functools import cache

import numpy as np
import pytest
from PIL import Image

from homunculus import pages as picture
from homunculus.pages import PictureError, open_picture, size_of

pillow_heif = pytest.importorskip("pillow_heif", reason="needs the extra `heic`")


def drawn(size: tuple[int, int] = (96, 64)):
    """Red left, blue right, a green bar on top: no turn or mirror leaves it as it is."""
    image = Image.new("RGB", size, (200, 30, 20))
    image.paste((20, 30, 200), (size[0] // 2, 0, *size))
    image.paste((20, 200, 40), (0, 0, size[0] // 3, size[1] // 4))
    return image


@cache
def heic(size: tuple[int, int] = (96, 64), mode: str = "RGB", orientation: int = 1) -> bytes:
    image, file = drawn(size).convert(mode), io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = orientation
    pillow_heif.from_pillow(image).save(file, format="HEIF", quality=90, exif=exif.tobytes())
    return file.getvalue()


def declared(data: bytes, wide: int, high: int) -> bytes:
    """The same file with another declared size."""
    place = data.index(b"ispe") + 8
    return data[:place] + struct.pack(">II", wide, high) + data[place + 8 :]


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA"])
def test_a_heic_is_opened_from_bytes_and_by_its_path(tmp_path, mode) -> None:
    data = heic(mode=mode)
    (tmp_path / "photo.heic").write_bytes(data)
    found = open_picture(tmp_path / "photo.heic")
    assert (found.original, found.pages, found.name) == ((64, 96), 1, "photo.heic")
    assert np.array_equal(open_picture(data).pixels, found.pixels)
    assert size_of(data) == (64, 96)
    want = open_picture(drawn().convert(mode)).pixels
    assert np.abs(found.pixels.astype(int) - want).mean() < 12


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_a_heic_stands_upright_whatever_the_phone_did(orientation) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    drawn().save(file, "PNG", exif=exif)
    want, found = open_picture(file.getvalue()), open_picture(heic(orientation=orientation))
    assert found.original == want.original
    assert np.abs(found.pixels.astype(int) - want.pixels).mean() < 12


def test_the_size_is_bounded_before_anything_is_decoded(monkeypatch) -> None:
    monkeypatch.setattr(pillow_heif.HeifImageFile, "load", lambda _: pytest.fail("decoded"))
    with pytest.raises(PictureError, match="400 megapixels, got 30000x30000"):
        open_picture(declared(heic(), 30_000, 30_000))
    with pytest.raises(PictureError, match="at most 60 megapixels, got 9000x8000"):
        open_picture(declared(heic(), 9_000, 8_000))  # its decoder holds several copies
    monkeypatch.setattr(picture, "BYTES", 100)
    with pytest.raises(PictureError, match="at most 0 MiB"):
        open_picture(heic())


def test_a_heic_that_holds_more_than_it_declares_is_refused() -> None:
    with pytest.raises(PictureError, match="broken"):
        open_picture(declared(heic((640, 480)), 64, 48))


def test_spoiled_bytes_give_a_picture_or_one_error() -> None:
    lot, whole = random.Random("heic"), heic()
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(lot.randint(1, 8)):
            data[lot.randrange(len(data))] = lot.randrange(256)
        try:
            assert max(open_picture(bytes(data), longest=64).size) <= 64
        except PictureError:
            continue
    with pytest.raises(PictureError, match="broken"):
        open_picture(whole[: len(whole) // 2])


def test_without_its_library_the_error_names_the_extra(monkeypatch) -> None:
    data = heic()
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    with pytest.raises(PictureError, match=r"needs pillow_heif: pip install .*\[heic\].*JPEG"):
        open_picture(data)
