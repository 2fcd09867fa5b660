"""What strangers send: each is served right or refused with 4xx, and the server lives on."""

import io
import os
import random
import struct
import zlib

import pytest
from PIL import Image

from serving.client import packed, page, part
from serving.conftest import FEW

FUZZ = int(os.environ.get("HOMUNCULUS_FUZZ", "150"))
"""Mutated images: a few each time, HOMUNCULUS_FUZZ=2000 for more."""
FLAGS = (*FEW, "--question-from", "none")


@pytest.fixture
def server(serve):
    return serve(*FLAGS)


def send(server, file, mime="image/png", question="What?", **more):
    content = [part(file, mime), {"type": "text", "text": question}]
    return server.post([{"role": "user", "content": content}], **more)


def header(wide, high):
    """A PNG that claims a size and has no pixels."""
    claim = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    out = b"\x89PNG\r\n\x1a\n"
    for name, data in ((b"IHDR", claim), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")):
        out += struct.pack(">I", len(data)) + name + data
        out += struct.pack(">I", zlib.crc32(name + data))
    return out


def film():
    frames = [page(96, 128, seed) for seed in range(3)]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])
    return file.getvalue()


REFUSED = {
    "truncated jpeg": lambda: (packed(page(192, 256), "JPEG")[:900], "image/jpeg"),
    "strip of 1 x 20,000": lambda: (packed(Image.new("RGB", (20000, 1))), "image/png"),
    "claim of 30,000 x 30,000": lambda: (header(30_000, 30_000), "image/png"),
    "0 bytes": lambda: (b"", "image/png"),
    "text": lambda: (b"hello, I am no image", "image/png"),
}
SERVED = {
    "moving gif": lambda: (film(), "image/gif"),
    "16 bit": lambda: (packed(page(192, 256).convert("I;16")), "image/png"),
    "cmyk": lambda: (packed(page(192, 256).convert("CMYK"), "JPEG"), "image/jpeg"),
    "alpha": lambda: (packed(page(192, 256).convert("RGBA")), "image/png"),
    "palette": lambda: (packed(page(192, 256).convert("P")), "image/png"),
    "wrong name": lambda: (packed(page(192, 256), "JPEG"), "image/png"),
    "one pixel": lambda: (packed(Image.new("RGB", (1, 1))), "image/png"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_an_image_is_refused(server, kind):
    answer = send(server, *REFUSED[kind]())
    assert 400 <= answer.status_code < 500, answer.text
    assert server.healthy()


@pytest.mark.parametrize("kind", SERVED)
def test_strange_images_are_served(server, kind):
    answer = send(server, *SERVED[kind]())
    assert answer.status_code == 200, answer.text
    assert server.healthy()


def test_a_turned_photo_stands_upright(server):
    """As many rows and columns as it shows, and the same as one saved upright."""
    upright, turned = page(192, 96, 3), Image.Exif()
    turned[0x0112] = 6
    lying = upright.rotate(90, expand=True)
    more = {"max_tokens": 6, "logprobs": True}
    found = [
        send(server, packed(image, **options), **more).json()["choices"][0]["logprobs"]["content"]
        for image, options in ((upright, {}), (lying, {"exif": turned.tobytes()}))
    ]
    assert [w["logprob"] for w in found[0]] == pytest.approx([w["logprob"] for w in found[1]])


def test_an_endless_question_is_refused(server):
    answer = send(server, packed(page(192, 256)), question="why " * 25_000)
    assert answer.status_code == 400
    assert server.healthy()


@pytest.mark.parametrize("tokens", [0, -1, 10**9, "abc", 1.5, None, True, [], {"a": 1}])
def test_budgets_that_are_none_are_refused(server, tokens):
    more = {"mm_processor_kwargs": {"homunculus": {"tokens": tokens}}}
    answer = send(server, packed(page(192, 256)), **more)
    assert answer.status_code == 400
    assert server.healthy()


@pytest.mark.parametrize(
    "told", [{"homunculus": "all"}, {"homunculus": {"where": "after"}}, {"homunculus_settings": 1}]
)
def test_options_that_no_request_has_are_refused(server, told):
    answer = send(server, packed(page(192, 256)), mm_processor_kwargs=told)
    assert answer.status_code == 400
    assert server.healthy()


def test_too_many_images_are_refused(serve):
    server = serve(*FLAGS)
    content = [part(packed(page(64, 64, seed))) for seed in range(40)]
    answer = server.post([{"role": "user", "content": content}])
    assert answer.status_code == 400
    assert server.healthy()


KINDS = ("JPEG", "PNG", "GIF", "WEBP", "BMP", "MPO", "ICO", "ICNS", "TIFF", "AVIF")


def mutants(many):
    """Files of every kind that Pillow writes here, with a few bytes changed or cut off."""
    chance = random.Random(7)
    Image.init()
    seeds = [packed(page(96, 128, 1), kind) for kind in KINDS if kind in Image.SAVE]
    for _ in range(many):
        file = bytearray(chance.choice(seeds))
        for _ in range(chance.randrange(1, 12)):
            file[chance.randrange(len(file))] = chance.randrange(256)
        if chance.random() < 0.2:
            del file[chance.randrange(len(file)) :]
        yield bytes(file)


def test_mutated_images_never_kill_it(server):
    seen = {send(server, file).status_code for file in mutants(FUZZ)}
    assert seen <= {200, 400}, seen
    assert len(seen) == 2, "every mutant fared alike: they are no test"
    assert server.healthy()


@pytest.mark.parametrize("kind", ["ICO", "ICNS", "TIFF"])
def test_formats_that_are_not_meant_are_refused_by_a_sentence(server, kind):
    answer = send(server, packed(page(96, 128), kind))
    assert answer.status_code == 400
    assert "expected PNG, JPEG, WEBP, GIF or BMP" in answer.json()["error"]["message"]
