"""What one request may cost the server, and the others that wait beside it."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from serving import bombs
from serving.client import packed, page, part, turn
from serving.conftest import FEW

BOMBS = {
    "ico": lambda: [bombs.ico(bombs.png(20_000, 20_000))],
    "four ico": lambda: [bombs.ico(bombs.png(12_000, 12_000))] * 4,
    "icns": lambda: [bombs.icns(bombs.png(20_000, 20_000))],
    "png": lambda: [bombs.png(20_000, 20_000)],
    "32 png, each small enough": lambda: [bombs.png(7_900, 8_000)] * 32,
}


@pytest.fixture
def server(serve):
    return serve(*FEW)


def asked(files, question="What is the total?"):
    return [{"role": "user", "content": [*map(part, files), {"type": "text", "text": question}]}]


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_never_becomes_a_large_picture(server, kind):
    server.ask("What is the total?", page(320, 480))
    before = server.peak()
    answer = server.post(asked(BOMBS[kind]()))
    assert answer.status_code == 400, answer.text
    # pictures within the bound of a request: four bytes a pixel, and copies on the way to RGB
    most = 64 << 20 if kind != "32 png, each small enough" else 8 * 256_000_000
    assert server.peak() - before < most
    assert server.healthy()


def test_pictures_that_keep_all_their_tokens_are_not_searched(server):
    pixel = packed(Image.new("RGB", (1, 1)))
    before, start = server.counters(), time.perf_counter()
    answer = server.post(asked([pixel] * 32))
    assert answer.status_code == 200, answer.text
    assert time.perf_counter() - start < 10, "enlarged and searched, these take half a minute"
    assert server.counters()["search_seconds_count"] == before["search_seconds_count"]


def test_pictures_of_vllm_s_own_start_up_are_not_counted(server):
    assert server.at_start["images_total"] == 0
    assert server.at_start["queue_depth_count"] == 0


def test_a_known_question_does_not_wait_for_new_pages(server):
    """Eight new pages take seconds; what was asked before is answered meanwhile."""
    known = turn("What is the total?", page(700, 500, 900))
    server.post([known])
    new = [turn("When was it?", page(700, 500, seed)) for seed in range(100, 108)]
    before = server.counters()
    with ThreadPoolExecutor(8) as pool:
        start = time.perf_counter()
        jobs = [pool.submit(server.post, [one]) for one in new]
        while server.counters()["queue_depth_count"] < before["queue_depth_count"] + 4:
            time.sleep(0.02)
        arrival = time.perf_counter()
        assert server.post([known]).status_code == 200
        alone = time.perf_counter() - arrival
        assert all(job.result().status_code == 200 for job in jobs)
        all_of_them = time.perf_counter() - start
    assert alone < all_of_them / 3
    after = server.counters()
    for name in ("queue_depth_count", "queue_seconds_count", "search_seconds_count"):
        assert after[name] - before[name] == 8


@pytest.mark.parametrize(
    "options",
    [
        {"min_pixels": 400_000_000},
        {"size": {"shortest_edge": 400_000_000, "longest_edge": 400_000_000}},
        {"patch_size": 7},
        {"do_resize": False},
        {"device": "cuda"},
        {"images_kwargs": {"min_pixels": 400_000_000}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_the_processor_s_own_options_are_refused_by_name(server, options):
    answer = server.post(asked([packed(page(320, 480))]), mm_processor_kwargs=options)
    assert answer.status_code == 400
    assert next(iter(options)) in answer.json()["error"]["message"]
    assert server.healthy()


def test_options_of_the_media_loader_are_refused_by_name(server):
    more = {"media_io_kwargs": {"image": {"image_mode": "L"}}}
    answer = server.post(asked([packed(page(320, 480))]), **more)
    assert answer.status_code == 400
    assert "media_io_kwargs" in answer.json()["error"]["message"]


def test_a_picture_sent_by_its_name_alone_is_asked_for_again(server):
    message = turn("What is the total?", page(320, 480))
    message["content"][0]["uuid"] = "invoice"
    assert server.post([message]).status_code == 200
    message["content"][0]["image_url"] = None
    answer = server.post([message])
    assert answer.status_code == 400
    assert "send the image again" in answer.json()["error"]["message"]
