"""Nets: what they run on, with how many threads, and how they travel between processes."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from homunculus import nets
from homunculus.nets import CPU, PROVIDERS, THREADS, Net
from homunculus.scouts.words import WEIGHTS
from homunculus.scouts.words.net import code

MATCH = WEIGHTS / "match.onnx"


def match(net: Net) -> np.ndarray:
    embed = np.random.default_rng(0).random((50, 96), np.float32)
    return net(embed=embed, code=code(["total", "date"]))["probability"]


def test_the_processor_is_there_and_used(monkeypatch) -> None:
    monkeypatch.delenv(PROVIDERS, raising=False)
    assert nets.providers() == [CPU]
    assert nets.on_cpu()
    assert Net(MATCH)._session.get_providers() == [CPU]


def test_the_environment_names_what_nets_run_on(monkeypatch) -> None:
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ["Fast", CPU])
    monkeypatch.setenv(PROVIDERS, " Fast , ")
    assert nets.providers() == ["Fast", CPU]
    assert not nets.on_cpu()


def test_what_is_not_there_is_named(monkeypatch) -> None:
    monkeypatch.setenv(PROVIDERS, "CUDAExecutionProvider")
    with pytest.raises(ValueError, match=r"no CUDAExecutionProvider\. It has .*CPUExecution"):
        match(Net(MATCH))


def test_the_environment_sets_threads(monkeypatch) -> None:
    monkeypatch.setenv(THREADS, "2")
    assert Net(MATCH)._session.get_session_options().intra_op_num_threads == 2
    monkeypatch.delenv(THREADS)
    assert Net(MATCH)._session.get_session_options().intra_op_num_threads == 1


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", ""])
def test_a_wrong_number_of_threads_is_refused(monkeypatch, text: str) -> None:
    monkeypatch.setenv(THREADS, text)
    with pytest.raises(ValueError, match=r"HOMUNCULUS_THREADS must be a whole number"):
        match(Net(MATCH))


def test_a_net_is_opened_when_it_is_asked_and_travels_as_its_path() -> None:
    absent = pickle.loads(pickle.dumps(Net(Path("absent.onnx"))))
    with pytest.raises(ValueError, match=r"absent\.onnx cannot be opened as a net"):
        match(absent)
    net = Net(MATCH)
    first = match(net)
    assert np.array_equal(first, match(pickle.loads(pickle.dumps(net))))


def test_threads_share_a_net() -> None:
    net = Net(MATCH)
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: match(net), range(16)))
    assert all(np.array_equal(one, told[0]) for one in told)
