"""Work in processes of their own: results, errors, and what happens when one of them ends."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import truediv

import pytest

from homunculus.image import PictureError
from homunculus.serve import Rewriter
from homunculus.serve.child import ChildError, Children
from test_planner_views import corner
from test_serve_rewrite import claude, file, text

pytest.importorskip("PIL.Image", reason="needs the extra `view`")


class StrangeError(Exception):
    """Pickle takes it and cannot make it again."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def fail(error: type[Exception], *given: object) -> None:
    raise error(*given)


@pytest.fixture(scope="module")
def children() -> Children:
    return Children(1)


def test_results_and_errors_come_back(children) -> None:
    child = children.run(os.getpid)
    assert child != os.getpid()
    with pytest.raises(ZeroDivisionError):
        children.run(partial(truediv, 1, 0))
    with pytest.raises(PictureError, match="no picture"):
        children.run(partial(fail, PictureError, "no picture"))
    with pytest.raises(RuntimeError, match="1 and 2"):
        children.run(partial(fail, StrangeError, 1, 2))
    assert children.run(partial(print, "not an answer")) is None
    assert children.run(partial(bytes, 3 << 20)) == bytes(3 << 20)
    assert children.run(os.getpid) == child


def test_work_that_pickle_does_not_take_leaves_the_child_alone(children) -> None:
    child = children.run(os.getpid)
    with pytest.raises(Exception, match="pickle"):
        children.run(lambda: 1)
    assert children.run(os.getpid) == child


def test_after_a_death_there_is_a_new_one(children) -> None:
    child = children.run(os.getpid)
    with pytest.raises(ChildError, match="has ended"):
        children.run(partial(os._exit, 3))
    new = children.run(os.getpid)
    assert new != child
    os.kill(new, signal.SIGKILL)  # while it has nothing to do
    time.sleep(0.2)
    assert children.run(os.getpid) not in (child, new)


def test_a_child_that_hangs_is_ended(children) -> None:
    some = Children(1, 1.0, partial(time.sleep, 1.5))  # the first may take longer
    child = some.run(os.getpid)
    start = time.monotonic()
    with pytest.raises(ChildError):
        some.run(partial(time.sleep, 60))
    assert time.monotonic() - start < 20
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_nobody_waits_longer_than_their_time(children) -> None:
    children.run(os.getpid)
    with ThreadPoolExecutor(1) as threads:
        threads.submit(children.run, partial(time.sleep, 2))
        time.sleep(0.5)
        with pytest.raises(TimeoutError):
            children.run(os.getpid, time.monotonic() + 0.2)
    assert children.run(os.getpid, time.monotonic() + 60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_has_children_of_its_own(children) -> None:
    child = children.run(os.getpid)
    read, write = os.pipe()
    if not (pid := os.fork()):  # no asserts here: pytest would go on in the fork
        os.write(write, str(children.run(os.getpid)).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    assert int(os.read(read, 20)) not in (child, pid)
    assert children.run(os.getpid) == child


def test_views_are_the_same_in_a_child(children) -> None:
    turns = [{"role": "user", "content": [text("What?"), claude(file()), claude(b"no picture")]}]
    options = {"model": "claude", "scout": "pixels"}
    here, there = Rewriter(64, **options), Rewriter(64, **options, children=children)
    assert here.request({"messages": turns}) == there.request({"messages": turns})
    assert len(there.known._values) == 1


def test_a_scout_that_cannot_be_sent_says_so(children) -> None:
    with pytest.raises(TypeError, match="scout cannot be sent to another process"):
        Rewriter(64, scout=corner(), children=children)
