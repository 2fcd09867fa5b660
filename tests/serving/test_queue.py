"""The queue of searches: requests take turns, and none of them takes for ever."""

import asyncio
import time
from threading import Event

import numpy as np
import pytest

from homunculus import Sight
from homunculus.cache import LRU
from homunculus.engines.cells.cache import tensor_bytes
from homunculus.engines.vllm import processor
from homunculus.engines.vllm.metrics import METER
from homunculus.engines.vllm.processor import MAP_BYTES, Search
from homunculus.engines.vllm.renderer import Queue
from homunculus.engines.vllm.settings import ServerSettings


@pytest.fixture(autouse=True)
def metrics():
    METER.expose()


class Sleep(Search):
    """A stand-in that finds nothing: what a search finds is not the queue's business."""

    def run(self):
        time.sleep(self.image["takes"])
        self.image["log"].append(self.key)
        if self.image["fails"]:
            raise ValueError("no picture")


def searches(name, many, log, takes=0.1, seconds=60, fails=False):
    """So many images of one request."""
    image, settings = {"takes": takes, "log": log, "fails": fails}, ServerSettings(seconds=seconds)
    maps = LRU(MAP_BYTES, tensor_bytes)
    return [Sleep(f"{name}{at}", image, "", settings, maps) for at in range(many)]


async def wait_for(*requests):
    queue = Queue()
    try:
        jobs = [queue.run_all(one) for one in requests]
        return await asyncio.gather(*jobs, return_exceptions=True), queue
    finally:
        queue.close()


def test_requests_take_turns():
    log = []
    asyncio.run(wait_for(searches("a", 3, log), searches("b", 3, log)))
    assert log == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_a_request_that_takes_too_long_gives_up_its_other_images_and_others_wait_for_theirs():
    log = []
    long, short = searches("a", 9, log, takes=0.4, seconds=1), searches("b", 2, log)
    (late, served), _ = asyncio.run(wait_for(long, short))
    assert served == frozenset()
    done = {name for name in log if name.startswith("a")}
    assert {f"a{at}" for at in range(5, 9)} <= late
    assert len(late & done) <= 1  # the one that was under way
    assert late | done >= {f"a{at}" for at in range(9)}
    assert {"b0", "b1"} <= set(log)


def test_searches_run_side_by_side_in_as_many_threads_as_there_are():
    def seconds(threads):
        async def both():
            queue, start = Queue(threads), time.perf_counter()
            await asyncio.gather(*(queue.run_all(searches(name, 2, [], 0.2)) for name in "ab"))
            queue.close()
            return time.perf_counter() - start

        return asyncio.run(both())

    assert seconds(2) < 0.75 * seconds(1)


def test_the_same_search_is_made_once():
    log = []
    one = searches("a", 1, log)
    asyncio.run(wait_for(one, one, one))
    assert log == ["a0"]


def test_whoever_leaves_does_not_take_the_search_from_others():
    log = []

    async def leave():
        queue, (one,) = Queue(), searches("a", 1, log)
        first, second = (asyncio.ensure_future(queue.run(one)) for _ in range(2))
        await asyncio.sleep(0.02)
        first.cancel()
        await second
        queue.close()
        return first.cancelled()

    assert asyncio.run(leave())
    assert log == ["a0"]


def test_searches_of_those_who_left_are_not_made():
    log = []

    async def leave():
        queue, many, (own,) = Queue(), searches("a", 8, log), searches("b", 1, log)
        gone = [asyncio.ensure_future(queue.run(one)) for one in many]
        await asyncio.sleep(0.02)
        for one in gone:
            one.cancel()
        await queue.run(own)
        queue.close()

    asyncio.run(leave())
    assert log == ["a0", "b0"]  # the first one ran already


class Held(Search):
    """Runs until the test lets it go."""

    def run(self):
        self.image["log"].append(self.key)
        self.image["started"].set()
        assert self.image["let go"].wait(60)


def held(log):
    """A search, and the events that say that it runs, and that it may end."""
    image = {"log": log, "started": Event(), "let go": Event()}
    search = Held("a", image, "", ServerSettings(), LRU(MAP_BYTES, tensor_bytes))
    return search, image["started"], image["let go"]


async def let_loop_turn(times):
    for _ in range(times):
        await asyncio.sleep(0)


@pytest.mark.parametrize("turns", range(5))
def test_a_search_that_runs_when_its_request_leaves_serves_the_next_request_for_it(turns):
    log = []

    async def leave_and_come():
        queue, (search, started, let_go) = Queue(), held(log)
        first = asyncio.ensure_future(queue.run(search))
        await asyncio.to_thread(started.wait, 60)
        first.cancel()
        await let_loop_turn(turns)
        second = asyncio.ensure_future(queue.run(search))
        await asyncio.sleep(0)
        let_go.set()
        await second
        queue.close()

    asyncio.run(leave_and_come())
    assert log == ["a"]


@pytest.mark.parametrize("turns", range(5))
def test_a_search_given_up_before_it_started_is_made_for_the_next_request(turns):
    log = []

    async def leave_and_come():
        queue, (search, _, let_go), (waits,) = Queue(), held(log), searches("b", 1, log, 0)
        running = asyncio.ensure_future(queue.run(search))
        first = asyncio.ensure_future(queue.run(waits))
        await asyncio.sleep(0)
        first.cancel()
        await let_loop_turn(turns)
        second = asyncio.ensure_future(queue.run(waits))
        await let_loop_turn(5)  # it hears that the first one is over
        third = asyncio.ensure_future(queue.run(waits))
        await asyncio.sleep(0)
        let_go.set()
        await asyncio.gather(running, second, third)
        queue.close()
        return queue

    assert asyncio.run(leave_and_come())._open == {}
    assert log == ["a", "b0"]


def test_a_search_whose_map_is_there_is_not_made_again(monkeypatch):
    made = []
    monkeypatch.setattr(
        processor, "search", lambda *_: made.append(1) or Sight(np.zeros((2, 2)), sure=1.0)
    )
    same = Search("a", None, "", ServerSettings(), LRU(MAP_BYTES, tensor_bytes))
    asyncio.run(wait_for([same] * 4))
    assert made == [1]


def test_a_search_that_fails_is_its_own_request_s_fault_and_is_not_remembered():
    log = []
    bad, good = searches("a", 1, log, fails=True), searches("b", 1, log)
    (first, second), queue = asyncio.run(wait_for(bad, good))
    assert isinstance(first, ValueError)
    assert second == frozenset()
    assert queue._open == {}
