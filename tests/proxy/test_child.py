"""The process that makes views for a real proxy: it is killed, it hangs, and it ends with it."""

import os
import signal
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from homunculus.planner.messages import is_view
from proxy.test_litellm import FILE, ROUTES, files_in, request
from serving.client import packed, page

SECONDS = 30
"""Enough for a new child to start and make views."""


def child_of(proxy) -> int:
    """The id of the process that makes views."""
    (found,) = [pid for pid in children_of(proxy.process.pid) if "serve.child" in command(pid)]
    return found


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(one) for task in tasks for one in task.read_text().split()]


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def ended(pid: int, seconds: float = 20) -> bool:
    """Whether a process ends in time; one that nobody has asked about yet has ended, too."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def ask(proxy, question: str, file: bytes = FILE) -> httpx.Response:
    return proxy.client.post(ROUTES[0], json=request(ROUTES[0], "gpt", file, question=question))


def shown(proxy, recorder, question: str) -> bool:
    """Whether a provider receives views."""
    recorder.seen.clear()
    answer = ask(proxy, question)
    assert answer.status_code == 200, answer.text
    return all(map(is_view, files_in(recorder.seen[-1].body)))


@contextmanager
def stuck(proxy, question: str):
    """A request whose views are never made, for its child is stopped; and the child."""
    child = child_of(proxy)
    os.kill(child, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as threads:
        future: Future[httpx.Response] = threads.submit(ask, proxy, question)
        time.sleep(2)
        assert not future.done()
        yield future, child


@pytest.fixture(scope="module")
def proxy(start, provider):
    one = start(HOMUNCULUS_SECONDS=str(SECONDS), HOMUNCULUS_PROCESSES="1")
    until = time.monotonic() + 120
    while not shown(one, provider, "What is known?"):  # until the child is warm
        assert time.monotonic() < until
    return one


def test_the_child_has_none_of_the_proxy_s_sockets(proxy) -> None:
    child = child_of(proxy)
    files = [str(one.readlink()) for one in Path(f"/proc/{child}/fd").iterdir()]
    assert not [file for file in files if file.startswith("socket:")]
    assert "proxy_cli" not in command(child)


def test_a_child_that_is_killed_leaves_the_request_as_it_was(proxy, recorder) -> None:
    at = proxy.counts()["failures_total"]
    with stuck(proxy, "killed") as (future, child):
        recorder.seen.clear()
        os.kill(child, signal.SIGKILL)
    assert future.result().status_code == 200
    assert files_in(recorder.seen[-1].body) == [FILE]
    assert proxy.counts()["failures_total"] == at + 1
    assert shown(proxy, recorder, "after it was killed")
    assert child_of(proxy) != child


def test_known_pictures_do_not_wait_for_a_child_that_hangs(proxy, recorder) -> None:
    with stuck(proxy, "hangs") as (future, child):
        start = time.monotonic()
        assert shown(proxy, recorder, "What is known?")
        assert time.monotonic() - start < 10
        assert not future.done()
        recorder.seen.clear()
    assert future.result().status_code == 200
    assert files_in(recorder.seen[-1].body) == [FILE]
    assert ended(child)
    assert shown(proxy, recorder, "after it hung")


def test_the_child_ends_with_the_proxy(proxy, recorder) -> None:
    child = child_of(proxy)
    os.kill(proxy.process.pid, signal.SIGTERM)
    proxy.process.wait(60)
    assert ended(child)


@pytest.fixture(scope="module")
def closed(start):
    one = start(HOMUNCULUS_SECONDS="120", HOMUNCULUS_FAIL="closed", HOMUNCULUS_PROCESSES="1")
    assert ask(one, "first").status_code == 200
    return one


def test_a_closed_hook_refuses_when_the_child_is_killed(closed, recorder) -> None:
    with stuck(closed, "killed") as (future, child):
        os.kill(child, signal.SIGKILL)
    assert future.result().status_code == 422
    assert "homunculus: the process that makes views has ended" in future.result().text
    assert recorder.seen == []
    assert shown(closed, recorder, "after it was killed")


def test_the_child_ends_when_the_proxy_is_killed(closed, recorder) -> None:
    child = child_of(closed)
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(ask, closed, "while it works", packed(page(1800, 1400, 1)))
        time.sleep(0.3)  # views of a new page take longer
        os.kill(closed.process.pid, signal.SIGKILL)
        assert ended(child)
    assert isinstance(future.exception(), httpx.HTTPError)
    closed.process.wait(60)


@pytest.mark.parametrize("variables", [{}, {"HOMUNCULUS_PROCESSES": "0"}])
def test_threads_make_views_if_there_are_no_processes(start, recorder, variables) -> None:
    proxy = start(HOMUNCULUS_SECONDS="120", **variables)
    assert shown(proxy, recorder, "threads")
    assert not [pid for pid in children_of(proxy.process.pid) if "serve.child" in command(pid)]
