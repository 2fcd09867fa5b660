"""Over HTTP: a prompt is its text and exactly K tokens an image, however vLLM is run."""

import os

import pytest

from serving.client import page
from serving.conftest import EAGER

SIZES = [(320, 480), (480, 320), (512, 512), (400, 640), (330, 330)]
"""All of them have more than 273 cells of 16 pixels."""
CHUNKED = ("--enable-chunked-prefill", "--max-num-batched-tokens", "128")
WHOLE = ("--no-enable-chunked-prefill", "--max-num-batched-tokens", "2048")
COMPILED = ("-O1",)
WAYS = [
    ("qwen3_vl", *WHOLE, *COMPILED),
    ("qwen2_5_vl", *CHUNKED, *COMPILED),
    ("qwen3_vl", *CHUNKED, *EAGER),
    ("qwen2_5_vl", *WHOLE, *EAGER),
]
OTHERS = [
    ("qwen3_vl", *CHUNKED, *COMPILED),
    ("qwen3_vl", *WHOLE, *EAGER),
    ("qwen2_5_vl", *WHOLE, *COMPILED),
    ("qwen2_5_vl", *CHUNKED, *EAGER),
]
"""The other half of all ways: HOMUNCULUS_THOROUGH=1."""
THOROUGH = bool(os.environ.get("HOMUNCULUS_THOROUGH"))


@pytest.mark.parametrize("way", WAYS + OTHERS * THOROUGH, ids=" ".join)
def test_a_prompt_is_its_text_and_exactly_k_tokens_an_image(serve, way):
    server = serve(*way, "--allow-override")
    text = server.ask("What is the total?")["usage"]["prompt_tokens"]
    for tokens in (16, 64, 273):
        more = {"mm_processor_kwargs": {"homunculus": {"tokens": tokens}}}
        for many in (1, 2, 5):
            shown = [page(*size, seed) for seed, size in enumerate(SIZES[:many])]
            used = server.ask("What is the total?", *shown, **more)["usage"]["prompt_tokens"]
            assert used == text + many * (tokens + 2), (tokens, many)  # two marks around each


def test_an_image_with_fewer_cells_keeps_all_of_them(serve):
    server = serve(*WAYS[2], "--allow-override")
    text = server.ask("What is it?")["usage"]["prompt_tokens"]
    used = server.ask("What is it?", page(64, 96))["usage"]["prompt_tokens"]
    assert used == text + 4 * 6 + 2
