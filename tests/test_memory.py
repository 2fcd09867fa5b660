"""Memory of a process that meets ever new pictures."""

import os
import random
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

from homunculus.pages import to_data_uri
from homunculus.scouts import memory
from homunculus.scouts.memory import MEMORY, bound_memory
from homunculus.serve import Rewriter
from homunculus.serve.rewriter import warm
from homunculus_lab.speed.load import png
from homunculus_lab.speed.model import page
from homunculus_lab.timing import resident

PICTURES = 40


def test_a_bounded_process_grows_less_with_new_pictures() -> None:
    grown = dict[bool, int]()
    for bounded in (True, False):
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            grown[bounded] = process.submit(growth, bounded).result()
    assert grown[True] < 0.75 * grown[False], grown  # measured: .45 to .6, also on a busy machine


def growth(bounded: bool) -> int:
    """Megabytes by which this process grows with views of pictures that all differ, in size too."""
    if bounded:
        bound_memory(16)
    rewriter = Rewriter(100)
    warm(rewriter)
    before = resident()
    with ThreadPoolExecutor(2) as pool:
        views = list(pool.map(lambda number: rewriter.request(ask(number))[1].pictures,
                              range(PICTURES)))  # fmt: skip
    assert 0 not in views
    return resident() - before >> 20


def ask(number: int) -> dict:
    """A request with a picture and a question that no other number has."""
    lot = random.Random(number)
    file = png(page(lot.randint(200, 1400), lot.randint(200, 1400)), str(number))
    parts = [
        {"type": "image_url", "image_url": {"url": to_data_uri(file)}},
        {"type": "text", "text": f"What is the total? ({number})"},
    ]
    return {"model": "gpt-6", "messages": [{"role": "user", "content": parts}]}


def test_pages_have_a_bound(monkeypatch) -> None:
    environment = dict[str, str]()
    monkeypatch.setattr(os, "environ", environment)
    monkeypatch.setattr(memory, "return_large_blocks", lambda: None)
    bound_memory(9)
    assert environment == {MEMORY: "9"}


def test_variables_that_are_set_stay(monkeypatch) -> None:
    environment = {MEMORY: "1000"}
    monkeypatch.setattr(os, "environ", environment)
    monkeypatch.setattr(memory, "return_large_blocks", lambda: None)
    bound_memory()
    assert environment == {MEMORY: "1000"}
