"""Every way to pass a picture: same pixels, same bounds, and the caller's object as it was."""

import base64
import io
import socket
import struct
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from homunculus import pages as picture
from homunculus.pages import PictureError, open_picture, to_image
from homunculus.show.cells import look

KINDS = ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "ICO", "PPM", "TGA"]


def drawn(size: tuple[int, int] = (64, 48), mode: str = "RGB"):
    """A slope of colours: a wrong size or channel shows."""
    wide, high = size
    x, y = np.meshgrid(np.linspace(0, 255, wide), np.linspace(0, 255, high))
    return Image.fromarray(np.stack((x, y, 255 - x), -1).astype("uint8")).convert(mode)


def written(image, kind: str = "PNG", **options) -> bytes:
    stream = io.BytesIO()
    sizes = {"sizes": [image.size]} if kind == "ICO" else {}
    image.save(stream, kind, **sizes, **options)
    return stream.getvalue()


def state(image) -> tuple:
    """All that a caller may look at without decoding."""
    file = image.fp
    place = (file, file.tell()) if file is not None else None
    return image.size, image.mode, dict(image.info), image.tell(), place, list(image.tile)


def pixels(image) -> np.ndarray:
    return np.array(image.convert("RGB")).transpose(2, 0, 1)


# ---- images of Pillow ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_image_is_read_like_its_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"image.{kind.lower()}"
    path.write_bytes(written(drawn(), kind))
    with Image.open(path) as image:
        image.load()
        assert np.array_equal(open_picture(image).pixels, pixels(image))
        assert look(image, tokens=4).to_json()["kept"] == 4


@pytest.mark.parametrize("longest", [4096, 8])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", [True, False], ids=["path", "stream"])
def test_an_image_that_is_not_decoded_yet_stays_so(
    kind: str, longest: int, path: bool, tmp_path: Path
) -> None:
    data = written(drawn(), kind)
    place = tmp_path / "image"
    place.write_bytes(data)
    with Image.open(place if path else io.BytesIO(data)) as image:
        before = state(image)
        found = open_picture(image, longest=longest)
        assert state(image) == before
        if longest > 64:
            assert np.array_equal(found.pixels, pixels(image))  # decodes it: comes last
    assert max(found.size) == min(64, longest)


def test_words_at_the_end_of_a_png_are_not_put_into_the_callers_info() -> None:
    data, body = written(drawn()), b"tEXtlate\0word"
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    with Image.open(io.BytesIO(data[:-12] + chunk + data[-12:])) as image:
        open_picture(image)
        assert image.info == {}
        image.load()
        assert image.info == {"late": "word"}


def test_an_image_the_caller_reduced_is_taken_as_it_is() -> None:
    with Image.open(io.BytesIO(written(drawn((640, 480)), "JPEG"))) as image:
        image.draft("L", (160, 120))
        found = open_picture(image)
        assert found.size == found.original == (120, 160)
        assert np.array_equal(found.pixels, pixels(image))


def test_the_frame_the_caller_chose_is_shown() -> None:
    red, blue = (Image.new("RGB", (64, 48), colour) for colour in ("red", "blue"))
    data = written(red, "GIF", save_all=True, append_images=[blue])
    with Image.open(io.BytesIO(data)) as image:
        for frame, colour in ((1, [0, 0, 255]), (0, [255, 0, 0])):
            image.seek(frame)
            before = state(image)
            assert open_picture(image).pixels[:, 0, 0].tolist() == colour
            assert state(image) == before


def test_a_loaded_image_keeps_what_the_caller_painted() -> None:
    with Image.open(io.BytesIO(written(drawn(), "JPEG"))) as image:
        image.paste((1, 2, 3), (0, 0, 10, 10))
        assert open_picture(image).pixels[:, 0, 0].tolist() == [1, 2, 3]


def test_threads_may_share_an_image_that_is_not_decoded_yet(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    drawn((640, 480)).save(path)
    with Image.open(path) as image, ThreadPoolExecutor(8) as pool:
        found = list(pool.map(open_picture, [image] * 32))
    want = pixels(drawn((640, 480)))
    assert all(np.array_equal(one.pixels, want) for one in found)


def test_an_image_whose_file_was_closed_says_so(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    drawn().save(path)
    with Image.open(path) as image:
        pass
    with pytest.raises(PictureError, match=r"closed before it was read\. Call load\(\)"):
        open_picture(image)


@pytest.mark.parametrize("kind", ["TIFF", "PNG", "WEBP", "PPM"])
def test_an_image_is_refused_by_its_declared_size_before_it_is_decoded(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture, "DECODED", 1000)
    with Image.open(io.BytesIO(written(drawn(), kind))) as image:
        monkeypatch.setattr(type(image), "load", lambda self: pytest.fail("it was decoded"))
        with pytest.raises(PictureError, match="megapixels, got 64x48"):
            open_picture(image)


def test_a_large_baseline_jpeg_of_the_callers_is_decoded_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(picture, "DECODED", 20_000)
    with Image.open(io.BytesIO(written(drawn((640, 480)), "JPEG"))) as image:
        assert open_picture(image, longest=80).size == (60, 80)
        assert image.size == (640, 480)
        image.load()
        with pytest.raises(PictureError, match="got 640x480"):  # it is decoded: too large to copy
            open_picture(image, longest=80)


def test_bytes_behind_an_image_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "BYTES", 100)
    with (
        Image.open(io.BytesIO(written(drawn(), "BMP"))) as image,
        pytest.raises(PictureError, match="at most 0 MiB"),
    ):
        open_picture(image)


# ---- arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA"])
def test_an_array_of_bytes_is_a_picture(mode: str) -> None:
    image = drawn(mode=mode)
    array = np.array(image)
    before = array.copy()
    found = open_picture(array)
    assert np.array_equal(found.pixels, pixels(image))
    assert found.name == "array"
    assert (array == before).all()
    assert np.array_equal(open_picture(array[::-1, ::-1]).pixels, found.pixels[:, ::-1, ::-1])
    assert look(array, tokens=4).to_json()["kept"] == 4


def test_what_is_transparent_in_an_array_is_white() -> None:
    assert open_picture(np.zeros((4, 4, 4), "uint8")).pixels.min() == 255


@pytest.mark.parametrize(
    ("shape", "kind", "words"),
    [
        ((3, 48, 64), "uint8", "3 x 48 x 64 of uint8"),
        ((48, 64, 1), "uint8", "48 x 64 x 1 of uint8"),
        ((1, 48, 64, 3), "uint8", "1 x 48 x 64 x 3"),
        ((48,), "uint8", "48 of uint8"),
        ((), "uint8", "a number of uint8"),
        ((48, 64, 3), "float32", "48 x 64 x 3 of float32"),
        ((48, 64), "bool", "48 x 64 of bool"),
        ((48, 64), "uint16", "48 x 64 of uint16"),
    ],
)
def test_other_arrays_are_refused(shape: tuple[int, ...], kind: str, words: str) -> None:
    with pytest.raises(PictureError, match=rf"expected H x W, .* got {words}.*\. Convert it"):
        open_picture(np.zeros(shape, kind))


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((0, 5, 3), "at least one pixel"),
        ((1, 201, 3), "200:1"),
        ((12_001, 10_001), "120 megapixels, got 10001x12001"),
    ],
)
def test_arrays_are_bounded(shape: tuple[int, ...], words: str) -> None:
    huge = np.broadcast_to(np.zeros((), "uint8"), shape)  # has no memory of its own
    with pytest.raises(PictureError, match=words):
        open_picture(huge)


# ---- files, bytes, data URIs ---------------------------------------------------------------------


class Read:
    """The least that is a file."""

    def __init__(self, data: bytes, step: int = 7) -> None:
        self.stream, self.step = io.BytesIO(data), step

    def read(self, size: int) -> bytes:
        return self.stream.read(min(size, self.step))


def test_an_open_file_is_read_from_its_beginning_and_stays_as_it_was(tmp_path: Path) -> None:
    data = written(drawn())
    path = tmp_path / "image.png"
    path.write_bytes(data)
    with path.open("rb") as file, tempfile.SpooledTemporaryFile() as spooled:
        spooled.write(data)
        for one in (io.BytesIO(data), file, spooled):
            for place in (0, 5, len(data)):
                one.seek(place)
                assert np.array_equal(open_picture(one).pixels, pixels(drawn()))
                assert one.tell() == place
                assert not one.closed
        assert open_picture(file).name == "image.png"
        assert look(file, tokens=4).to_json()["kept"] == 4


def test_whatever_has_read_is_a_file() -> None:
    assert np.array_equal(open_picture(Read(written(drawn()))).pixels, pixels(drawn()))
    near, far = socket.socketpair()
    with near, far, far.makefile("rb") as file:
        near.sendall(written(drawn()))
        near.shutdown(socket.SHUT_WR)
        assert np.array_equal(open_picture(file).pixels, pixels(drawn()))


def test_files_are_bounded_and_read_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "BYTES", 3 << 20)
    endless = Read(bytes(8 << 20), step=1 << 20)
    with pytest.raises(PictureError, match="file: expected at most 3 MiB, got 4 MiB"):
        open_picture(endless)
    assert endless.stream.tell() == 4 << 20


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    path.write_bytes(written(drawn()))
    closed = path.open("rb")
    closed.close()
    with path.open(encoding="latin-1") as text:
        for file, words in (
            (text, 'got one of str. Open it in binary mode, "rb"'),
            (closed, "cannot be read .*closed file"),
            (io.BytesIO(), "got 0 bytes"),
        ):
            with pytest.raises(PictureError, match=words):
                open_picture(file)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_bounded(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    data = kind(written(drawn()))
    assert np.array_equal(open_picture(data).pixels, pixels(drawn()))
    monkeypatch.setattr(picture, "BYTES", 10)
    with pytest.raises(PictureError, match="bytes: expected at most 0 MiB"):
        open_picture(data)


def test_a_data_uri_is_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    body = base64.b64encode(written(drawn())).decode()
    for head in ("data:image/png;base64,", "DATA:IMAGE/PNG;name=a;BASE64,"):
        found = open_picture(head + body)
        assert np.array_equal(found.pixels, pixels(drawn()))
        assert found.name == "data URI"
    for uri, words in (
        ("data:image/png," + body, "expected data:image/...;base64,.* got 'data:image/png'"),
        ("data:image/png;base64", "Encode it in base64"),
        ("data:image/png;base64,@@@@", "broken base64"),
        ("data:image/png;base64,", "got 0 bytes"),
    ):
        with pytest.raises(PictureError, match=words):
            open_picture(uri)
    monkeypatch.setattr(picture, "BYTES", 10)
    monkeypatch.setattr(picture.source, "b64decode", lambda *_, **__: pytest.fail("decoded"))
    with pytest.raises(PictureError, match="data URI: expected at most"):
        open_picture("data:image/png;base64," + body)


def test_anything_else_is_told_what_is_taken() -> None:
    for source in (7, None, [1]):
        with pytest.raises(PictureError, match=f"a tensor or .* got {type(source).__name__}"):
            open_picture(source)
    for tensor, words in (
        (torch.full((3, 4, 4), 2.0), "got 3 x 4 x 4 of float32"),
        (torch.full((3, 4, 4), torch.nan), "got 3 x 4 x 4 of float32"),
        (torch.zeros(4, 4, dtype=torch.uint8), "got 4 x 4 of uint8"),
        (torch.zeros(5, 5, 3, dtype=torch.uint8), "got 5 x 5 x 3 of uint8"),
    ):
        with pytest.raises(PictureError, match=words):
            open_picture(tensor)


def test_a_tensor_is_the_picture_of_its_pixels() -> None:
    colours = torch.arange(3 * 4 * 5, dtype=torch.uint8).reshape(3, 4, 5)
    assert np.array_equal(open_picture(colours).pixels, colours)
    assert np.array_equal(open_picture(colours[:1]).pixels, np.broadcast_to(colours[:1], (3, 4, 5)))
    assert np.array_equal(open_picture(colours.float() / 255).pixels, colours)
    assert np.array_equal(open_picture((colours / 255).bfloat16().requires_grad_()).pixels, colours)


def test_pixels_are_in_one_piece_and_cannot_be_changed() -> None:
    array = np.array(drawn())
    found = open_picture(array).pixels
    assert found.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0, 0] = 1
    assert array.flags.writeable
    assert np.array_equal(np.asarray(to_image(found)), array)
