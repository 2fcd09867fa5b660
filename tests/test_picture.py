"""Pictures in: every format that is let in, every fault that is not, and nothing unbounded."""

import io
import random
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps

from homunculus import pages as picture
from homunculus.pages import Picture, PictureError, fitted, open_picture


def drawn(mode: str = "RGB", size: tuple[int, int] = (60, 40)):
    """Red left, blue right, a green bar on top: no turn or mirror leaves it as it is."""
    image = Image.new("RGB", size, (200, 30, 20))
    image.paste((20, 30, 200), (size[0] // 2, 0, *size))
    image.paste((20, 200, 40), (0, 0, size[0] // 3, size[1] // 4))
    return image.convert(mode)


SHARP = {"JPEG": {"quality": 95, "subsampling": 0}, "WEBP": {"lossless": True}}


def written(image, kind: str, **options) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **SHARP.get(kind, {}), **options)
    return stream.getvalue()


def near(found: Picture, image, slack: int) -> bool:
    want = np.array(image.convert("RGB")).transpose(2, 0, 1).astype(int)
    return want.shape == found.pixels.shape and np.abs(found.pixels - want).max() <= slack


def header(wide: int, high: int) -> bytes:
    """A PNG that declares a size and then says nothing."""
    body = b"IHDR" + struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))
    return b"\x89PNG\r\n\x1a\n" + chunk + struct.pack(">I", 9999) + b"IDAT"


# ---- what is let in ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "mode", "slack"),
    [
        ("PNG", "RGB", 0), ("PNG", "L", 0), ("PNG", "1", 0), ("PNG", "P", 0), ("PNG", "LA", 0),
        ("PNG", "RGBA", 0), ("BMP", "RGB", 0), ("GIF", "P", 0), ("JPEG", "RGB", 30),
        ("JPEG", "L", 30), ("JPEG", "CMYK", 30), ("WEBP", "RGB", 0), ("WEBP", "RGBA", 0),
    ],
)  # fmt: skip
def test_every_format_and_mode_becomes_plain_rgb(tmp_path, kind, mode, slack) -> None:
    image = drawn(mode)
    path = tmp_path / f"picture.{kind.lower()}"
    path.write_bytes(written(image, kind))
    found = open_picture(path)
    assert found.name == path.name
    assert found.original == found.size == (40, 60)
    assert near(found, image, slack)
    assert open_picture(path.read_bytes()).name == "bytes"
    assert np.array_equal(open_picture(str(path)).pixels, found.pixels)


def test_a_pillow_image_is_taken_and_left_alone() -> None:
    image = drawn("RGBA")
    found = open_picture(image)
    assert near(found, image, 0)
    assert (image.mode, image.size, found.name) == ("RGBA", (60, 40), "image")


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_stand_upright_whatever_the_camera_did(orientation) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = written(drawn(), "PNG", exif=exif)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    found = open_picture(data)
    assert near(found, upright, 0)
    assert found.original == (upright.height, upright.width)
    small = open_picture(data, longest=30)
    assert small.original == found.original
    assert small.size == (found.size[0] // 2, found.size[1] // 2)


def test_broken_exif_does_not_stop_a_good_picture() -> None:
    data = written(drawn(), "PNG", exif=b"Exif\x00\x00MM\x00*\xff\xff\xff\xff")
    assert near(open_picture(data), drawn(), 0)


def test_sixteen_bits_keep_their_upper_eight() -> None:
    deep = np.linspace(0, 65535, 64).astype("uint16").reshape(8, 8)
    found = open_picture(written(Image.fromarray(deep), "PNG"))
    assert found.pixels[0].flatten().tolist() == (deep >> 8).flatten().tolist()


@pytest.mark.parametrize(
    ("brightest", "kind"),
    [(255, "int32"), (1023, "int32"), (4095, "uint16"), (4095, "int32"), (16_383, "uint16"),
     (65_535, "int32"), (2**31 - 1, "int32")],
)  # fmt: skip
def test_deep_greys_span_the_bits_that_their_brightest_pixel_needs(brightest, kind) -> None:
    deep = np.linspace(0, brightest, 256).astype(kind).reshape(16, 16)
    found = open_picture(Image.fromarray(deep)).pixels[0].flatten().astype(int)
    assert np.abs(found - np.arange(256)).max() <= 1


def test_greys_of_eight_bits_stay_as_dark_as_they_are() -> None:
    dark = np.linspace(0, 20, 256).astype("int32").reshape(16, 16)
    assert int(open_picture(Image.fromarray(dark)).pixels.max()) == 20


def test_negative_greys_are_refused_because_their_range_is_unknown() -> None:
    with pytest.raises(PictureError, match=r"values below 0.*0 to 255"):
        open_picture(Image.fromarray(np.full((4, 4), -1000, "int32")))


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_what_is_transparent_is_white(mode) -> None:
    clear = Image.new("RGBA", (8, 8), (255, 0, 0, 0))
    clear.paste((0, 0, 0, 255), (0, 0, 4, 8))
    found = open_picture(written(clear.convert(mode), "PNG"))
    assert found.pixels[:, :, 4:].min() == 255
    assert found.pixels[:, :, :4].max() == 0


def test_a_transparent_colour_of_the_palette_is_white() -> None:
    image = Image.new("P", (4, 4), 1)
    image.putpalette([0, 0, 0, 250, 10, 10])
    assert open_picture(written(image, "PNG", transparency=1)).pixels.min() == 255


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_a_page_of_an_animation_is_a_frame(kind) -> None:
    shades = ["red", "lime", "blue"]
    frames = [Image.new("RGB", (60, 40), shade) for shade in shades]
    data = written(frames[0], kind, save_all=True, append_images=frames[1:])
    for page, frame in enumerate(frames, 1):
        found = open_picture(data, page)
        assert (found.page, found.pages, found.part) == (page, 3, "frame")
        assert near(found, frame, 0)
        assert found.notes() == [f"This is frame {page} of 3 of an animation."]
    assert near(open_picture(data), frames[0], 0)
    with pytest.raises(PictureError, match="no frame 4: this animation has 3 frames"):
        open_picture(data, 4)


def test_a_picture_of_one_frame_is_no_animation() -> None:
    for kind in ("GIF", "PNG", "WEBP", "JPEG", "BMP"):
        found = open_picture(written(drawn(), kind))
        assert (found.page, found.pages, found.part, found.notes()) == (1, 1, "page", [])


def test_a_late_frame_of_a_large_animation_is_refused(monkeypatch) -> None:
    frames = [Image.new("RGB", (60, 40), shade) for shade in ("red", "lime", "blue")]
    data = written(frames[0], "GIF", save_all=True, append_images=frames[1:])
    monkeypatch.setattr(picture, "DECLARED", 2 * 60 * 40)
    assert open_picture(data, 2).page == 2
    with pytest.raises(PictureError, match="frame 3 is decoded after all frames before it"):
        open_picture(data, 3)


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_a_frame_that_is_too_large_is_refused_before_anything_is_decoded(kind, monkeypatch) -> None:
    frames = [Image.new("RGB", (60, 40), shade) for shade in ("red", "lime")]
    data = written(frames[0], kind, save_all=True, append_images=frames[1:])
    monkeypatch.setattr(picture, "DECODED", 1_000)
    plugin = {"GIF": "GifImagePlugin", "PNG": "PngImagePlugin", "WEBP": "WebPImagePlugin"}[kind]
    decoder = getattr(pytest.importorskip(f"PIL.{plugin}"), f"{plugin[:-11]}ImageFile")
    monkeypatch.setattr(decoder, "seek", lambda *_: pytest.fail("it was decoded"))
    with pytest.raises(PictureError, match="megapixels, got 60x40"):
        open_picture(data, 2)


def test_frames_of_a_gif_are_counted_up_to_a_bound(monkeypatch) -> None:
    data = written(drawn("P"), "GIF")
    first = data.index(b",")  # where its one frame begins
    many = data[:-1] + data[first:-1] * 20 + b";"
    assert open_picture(many).pages == 21
    monkeypatch.setattr(picture.pillow, "MAX_BLOCKS", 30)
    assert 1 < open_picture(many).pages < 21
    assert open_picture(many[:-9]).pages > 1  # a broken end stops the count, not the picture


def test_pdf_pages_are_rendered_at_200_dots_an_inch() -> None:
    data = written(
        drawn(), "PDF", resolution=72, save_all=True, append_images=[drawn(size=(40, 90))]
    )
    first, second = open_picture(data), open_picture(data, page=2)
    assert (first.original, second.original) == ((111, 167), (250, 111))
    assert (first.name, second.name) == ("bytes", "bytes page 2")
    left, right = first.pixels[:, 100, 20].tolist(), first.pixels[:, 100, 150].tolist()
    assert left[0] > 150 > 100 > left[2]
    assert right[2] > 150 > 100 > right[0]
    assert max(open_picture(data, longest=50).size) == 50


def test_pdfs_open_in_many_threads() -> None:
    data = written(drawn(), "PDF", resolution=72)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(open_picture, [data] * 24))
    assert all(np.array_equal(one.pixels, found[0].pixels) for one in found)


# ---- bounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_the_longer_side_is_bounded_and_the_shape_kept(kind) -> None:
    found = open_picture(written(drawn(size=(900, 600)), kind), longest=90)
    assert (found.size, found.original) == ((60, 90), (600, 900))
    assert found.pixels[2, 50, 80] > 150 > found.pixels[2, 50, 10]  # still blue right, red left


def test_the_area_is_bounded_too() -> None:
    high, wide = open_picture(drawn(size=(900, 600)), area=5400).size
    assert (high, wide) == (60, 90)


def test_fitting_never_enlarges_and_never_vanishes() -> None:
    assert fitted((10, 10), 4096, 10**9) == (10, 10)
    assert fitted((2, 400), 40, 10**9) == (1, 40)
    for size in ((4097, 4096), (333, 777), (65536, 330)):
        high, wide = fitted(size, 1000, 300_000)
        assert max(high, wide) <= 1000
        assert high * wide <= 300_000


def test_a_declared_bomb_is_refused_before_decoding(tmp_path) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(header(30_000, 30_000))  # decoding it would say `truncated`
    with pytest.raises(PictureError, match=r"bomb.png: .* 400 megapixels, got 30000x30000 \(900\)"):
        open_picture(path)


def test_a_poster_that_must_be_decoded_whole_is_refused_with_advice() -> None:
    with pytest.raises(PictureError, match=r"120 megapixels, got 15000x9000.*baseline JPEG"):
        open_picture(header(15_000, 9_000))


def test_a_jpeg_poster_is_decoded_small(monkeypatch) -> None:
    monkeypatch.setattr(picture, "DECODED", 10_000)
    image = drawn(size=(800, 600))
    assert open_picture(written(image, "JPEG"), longest=50).size == (37, 50)
    with pytest.raises(PictureError, match="decoded whole"):  # it would hold every coefficient
        open_picture(written(image, "JPEG", progressive=True), longest=50)
    with pytest.raises(PictureError, match="decoded whole"):
        open_picture(written(image, "PNG"), longest=50)


def test_webp_may_hold_half_as_much(monkeypatch) -> None:
    monkeypatch.setattr(picture, "DECODED", 3_000)
    assert open_picture(written(drawn(), "PNG")).size == (40, 60)
    with pytest.raises(PictureError, match="decoded whole"):
        open_picture(written(drawn(), "WEBP"))


@pytest.mark.parametrize("size", [(1, 201), (4020, 20)])
def test_threads_of_pixels_are_refused(size) -> None:
    with pytest.raises(PictureError, match="200:1"):
        open_picture(Image.new("RGB", size))
    assert open_picture(Image.new("RGB", (1, 200))).size == (200, 1)


def test_large_files_are_refused_by_their_size(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(picture, "BYTES", 10)
    path = tmp_path / "large.png"
    path.write_bytes(written(drawn(), "PNG"))
    with pytest.raises(PictureError, match="at most 0 MiB"):
        open_picture(path)


# ---- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "PDF"])
def test_half_a_file_is_refused(kind) -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype="uint8"))
    data = written(noise, kind)
    with pytest.raises(PictureError, match="broken"):
        open_picture(data[: len(data) // 2])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes"),
        (b"hello there", "got a file of another kind"),
        (b"II*\x00" + bytes(20), "a TIFF"),
        (b"\x00\x00\x00\x1cftypavif", "AVIF"),
        (b"<svg xmlns=''></svg>", "an SVG"),
        (b"%PDF-1.7 nothing more", "broken"),
        (b"RIFF1234AVI ", "broken"),
    ],
)
def test_what_is_no_picture_is_named(data, message) -> None:
    with pytest.raises(PictureError, match=message):
        open_picture(data)


@pytest.mark.parametrize(
    "head",
    [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"BM", b"RIFF", b"%PDF-1.4\n", b"II*\0",
     b"\0\0\0\x1cftypheic"],
)  # fmt: skip
def test_no_error_quotes_the_content_of_a_file(tmp_path, head) -> None:
    secret = b"KEY=a b=hunter2 SECRET and more of it"
    (tmp_path / "env").write_bytes(head + secret)
    for source in (head + secret, tmp_path / "env"):
        with pytest.raises(PictureError) as refused:
            open_picture(source)
        told = str(refused.value)
        assert not [part for part in ("SECR", "KEY", "hunt", "b'", 'b"', "\\x") if part in told]


@pytest.mark.parametrize("codec", [None, "tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg"])
def test_a_tiff_is_read_by_its_path_page_by_page(tmp_path, codec) -> None:
    one, two = Image.new("RGB", (60, 40), "red"), Image.new("L", (50, 70), 90)
    one.save(tmp_path / "a.tiff", save_all=True, append_images=[two], compression=codec)
    first, second = (open_picture(tmp_path / "a.tiff", page) for page in (1, 2))
    assert (first.size, first.pages, first.name) == ((40, 60), 2, "a.tiff")
    assert (second.size, second.pages, second.name) == ((70, 50), 2, "a.tiff page 2")
    assert abs(int(second.pixels.mean()) - 90) < 3
    assert open_picture(str(tmp_path / "a.tiff"), longest=30).original == (40, 60)
    with pytest.raises(PictureError, match="no page 3: this TIFF has 2 pages"):
        open_picture(tmp_path / "a.tiff", 3)
    data = (tmp_path / "a.tiff").read_bytes()
    for sent in (data, io.BytesIO(data)):  # whoever sends bytes may be anyone
        with pytest.raises(PictureError, match="read only from a file, by its path"):
            open_picture(sent)


def test_a_tiff_is_turned_upright_and_may_be_one_bit_deep(tmp_path) -> None:
    image = drawn()
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(tmp_path / "a.tiff", exif=exif)
    image.save(tmp_path / "a.png", exif=exif)
    turned, same = open_picture(tmp_path / "a.tiff"), open_picture(tmp_path / "a.png")
    assert np.array_equal(turned.pixels, same.pixels)
    assert turned.original == same.original
    Image.new("1", (60, 40), 1).save(tmp_path / "fax.tiff", compression="group4")
    assert int(open_picture(tmp_path / "fax.tiff").pixels.min()) == 255


def test_rare_or_broken_tiffs_are_refused(tmp_path) -> None:
    drawn().save(tmp_path / "rare.tiff", compression="zstd")
    with pytest.raises(PictureError, match="got the codec zstd"):
        open_picture(tmp_path / "rare.tiff")
    Image.new("L", (60, 40)).save(tmp_path / "a.tiff")
    data = bytearray((tmp_path / "a.tiff").read_bytes())
    at = data.find(b"\x00\x01") if data[:2] == b"MM" else data.find(b"\x00\x01\x04\x00")
    data[at + 8 : at + 12] = (60_000).to_bytes(4, "little")  # a width that the file has not
    data[at + 20 : at + 24] = (60_000).to_bytes(4, "little")
    (tmp_path / "bomb.tiff").write_bytes(data)
    with pytest.raises(PictureError, match="at most 400 megapixels, got 60000x60000"):
        open_picture(tmp_path / "bomb.tiff")
    (tmp_path / "half.tiff").write_bytes(bytes(data[:40]))
    with pytest.raises(PictureError, match="got a broken one"):
        open_picture(tmp_path / "half.tiff")


def test_a_missing_picture_is_a_missing_file(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file"):
        open_picture(tmp_path / "absent.png")


def test_paths_that_are_no_files_are_named(tmp_path) -> None:
    for source, message in (
        (tmp_path, "a folder or a device"),
        ("/dev/zero", "a folder or a device"),
        (tmp_path / "absent.png", "no such file"),
        ("a\x00b", "cannot be opened|no such file"),
        ("https://example.org/a.png", "Download it first"),
        (7, "got int"),
    ):
        with pytest.raises(PictureError, match=message):
            open_picture(source)


def test_pages_are_checked_and_count_from_1() -> None:
    data = written(drawn(), "PDF")
    with pytest.raises(PictureError, match="no page 3: this PDF has 1 page, counted from 1"):
        open_picture(data, page=3)
    for wrong in (0, -1, True):
        with pytest.raises(PictureError, match=r"whole number from 1, got .* The first page is 1"):
            open_picture(data, page=wrong)
    with pytest.raises(PictureError, match="of one page"):
        open_picture(written(drawn(), "PNG"), page=2)
    with pytest.raises(PictureError, match="longest must be 1"):
        open_picture(drawn(), longest=0)


def test_floats_are_refused_because_their_range_is_unknown() -> None:
    with pytest.raises(PictureError, match=r"mode F.* Scale them to 0 to 255"):
        open_picture(Image.new("F", (4, 4)))


@pytest.mark.filterwarnings("ignore")  # a decoder may grumble before it gives up
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "PDF"])
def test_spoiled_bytes_give_a_picture_or_one_error(kind) -> None:
    lot, whole = random.Random(kind), written(drawn(), kind)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(lot.randint(1, 8)):
            data[lot.randrange(len(data))] = lot.randrange(256)
        try:
            found = open_picture(bytes(data), longest=64)
        except PictureError:
            continue
        assert max(found.size) <= 64


def test_unit_pixels_and_cells() -> None:
    found = open_picture(Image.new("RGB", (33, 17), (255, 0, 51)))
    assert found.unit().shape == (1, 3, 17, 33)
    assert found.unit()[0, :, 0, 0].tolist() == pytest.approx([1, 0, 0.2])
    assert found.grid(16) == (2, 3)


def test_the_folder_of_a_file_stays_private(tmp_path) -> None:
    path = Path(tmp_path) / "secret.png"
    path.write_bytes(b"x")
    with pytest.raises(PictureError) as refused:
        open_picture(path)
    assert str(tmp_path) not in str(refused.value)
