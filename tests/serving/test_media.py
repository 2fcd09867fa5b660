"""Pictures of requests, without a server: what is decoded, and how much of it."""

import base64

import pytest

from homunculus.engines.vllm.media import ALLOWANCE, Allowance, BoundedImages, Connector
from serving import bombs
from serving.client import packed, page


def url(file, mime):
    return f"data:{mime};base64,{base64.b64encode(file).decode()}"


def test_a_picture_is_the_same_as_stock_s():
    from vllm.multimodal.media import MediaConnector

    for kind in ("PNG", "JPEG", "WEBP", "GIF", "BMP"):
        here = url(packed(page(96, 128), kind), "image/x")
        mine, stock = (one().fetch_image(here) for one in (Connector, MediaConnector))
        assert mine.media.tobytes() == stock.media.tobytes()
        assert (mine.original_bytes, mine.io_config) == (stock.original_bytes, stock.io_config)


def test_frames_of_a_video_are_pictures_too():
    bomb = bombs.ico(bombs.png(600, 600))
    with pytest.raises(ValueError, match="expected PNG, JPEG, WEBP, GIF or BMP"):
        Connector().fetch_image(url(bomb, "image/x-icon"))
    with pytest.raises(ValueError, match="expected PNG, JPEG, WEBP, GIF or BMP"):
        Connector().fetch_video(url(bomb, "video/jpeg"))


def test_the_images_of_a_request_share_its_pixels():
    file = packed(page(100, 100))
    token = ALLOWANCE.set(Allowance(25_000))
    try:
        for _ in range(2):  # a connector for each message
            Connector().fetch_image(url(file, "image/png"))
        with pytest.raises(ValueError, match="at most 25000 pixels in all images"):
            Connector().fetch_image(url(file, "image/png"))
    finally:
        ALLOWANCE.reset(token)
    Connector().fetch_image(url(file, "image/png"))


def test_any_fault_of_a_decoder_is_one_kind_of_error(monkeypatch):
    def strange(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("homunculus.engines.vllm.media.normalize_image", strange)
    with pytest.raises(ValueError, match=r"got a broken one \(ZeroDivisionError\)"):
        BoundedImages().load_bytes(packed(page(96, 128)))
