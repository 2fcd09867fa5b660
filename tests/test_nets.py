"""Nets: what they run on, with how many threads, and how they travel between processes."""

import errno
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from homunculus import nets
from homunculus.nets import CPU, PROVIDERS, THREADS, Net
from homunculus.scouts.words import WEIGHTS
from homunculus.scouts.words.net import code

MATCH = WEIGHTS / "match.onnx"


def opened(net: Net | None = None) -> Any:
    return (net or Net(MATCH))._open()[0]


def match(net: Net) -> np.ndarray:
    embed = np.random.default_rng(0).random((50, 96), np.float32)
    return net(embed=embed, code=code(["total", "date"]))["probability"]


def test_the_processor_is_there_and_used(monkeypatch) -> None:
    monkeypatch.delenv(PROVIDERS, raising=False)
    assert nets.providers() == [CPU]
    assert nets.on_cpu()
    assert opened().get_providers() == [CPU]


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
    assert opened().get_session_options().intra_op_num_threads == 2
    for unset in ("", None):
        monkeypatch.setenv(THREADS, "") if unset == "" else monkeypatch.delenv(THREADS)
        assert opened().get_session_options().intra_op_num_threads == 1


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "1025", "9" * 99])
def test_a_wrong_number_of_threads_is_refused(monkeypatch, text: str) -> None:
    monkeypatch.setenv(THREADS, text)
    with pytest.raises(ValueError, match=r"HOMUNCULUS_THREADS must be a whole number"):
        match(Net(MATCH))


def test_a_net_is_opened_when_it_is_asked_and_travels_as_its_path() -> None:
    absent = pickle.loads(pickle.dumps(Net(Path("absent.onnx"))))
    with pytest.raises(FileNotFoundError, match=r"absent\.onnx"):
        match(absent)
    net = Net(MATCH)
    first = match(net)
    assert np.array_equal(first, match(pickle.loads(pickle.dumps(net))))


def test_threads_share_a_net() -> None:
    net = Net(MATCH)
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: match(net), range(16)))
    assert all(np.array_equal(one, told[0]) for one in told)


def test_a_net_is_opened_once_whoever_asks_first(monkeypatch) -> None:
    sessions = list[Any]()
    session = nets._session
    monkeypatch.setattr(
        nets, "_session", lambda path: sessions.append(session(path)) or sessions[-1]
    )
    net = Net(MATCH)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: match(net), range(16)))
    assert len(sessions) == 1


# ---- what a file may be --------------------------------------------------------------------------


def test_another_net_is_refused_by_its_name() -> None:
    assert Net(MATCH, "match").about["net"] == "match"
    with pytest.raises(
        ValueError, match=r"match\.onnx is no net of version 2 of homunculus \(words\)"
    ):
        match(Net(MATCH, "words"))


@pytest.mark.parametrize("told", ["[]", "{", "{}", '{"net": "match", "version": "1"}', None])
def test_a_file_that_says_something_else_is_refused(tmp_path: Path, told: str | None) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load(MATCH)
    del model.metadata_props[:]
    if told is not None:
        model.metadata_props.add(key="homunculus", value=told)
    onnx.save(model, tmp_path / "match.onnx")
    with pytest.raises(ValueError, match=r"match\.onnx is no net of version 2 of homunculus"):
        match(Net(tmp_path / "match.onnx"))


def test_what_is_no_net_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "text.onnx").write_text("hello")
    with pytest.raises(ValueError, match=r"text\.onnx cannot be opened as a net.*homunculus train"):
        match(Net(tmp_path / "text.onnx"))


# ---- what the machine does -----------------------------------------------------------------------


class Failing:
    """Stands in for a session on a machine without memory."""

    def get_outputs(self) -> list[Any]:
        return []

    def run(self, *_: Any) -> None:
        raise RuntimeError("Non-zero status code returned. Status Message: std::bad_alloc")


def test_want_of_memory_is_said_as_python_says_it(monkeypatch) -> None:
    net = Net(MATCH)
    net._opened = Failing(), {}
    with pytest.raises(MemoryError, match="not enough memory"):
        match(net)

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("Exception during initialization: std::bad_alloc")

    monkeypatch.setattr("onnxruntime.InferenceSession", fail)
    with pytest.raises(MemoryError, match="not enough memory"):
        match(Net(MATCH))


def test_a_machine_that_fails_is_not_taken_for_a_wrong_file(monkeypatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(OSError, match="Too many open files"):
        match(Net(MATCH))


def test_a_provider_that_does_not_start_is_said(monkeypatch, capfd) -> None:
    import onnxruntime

    session, known = onnxruntime.InferenceSession, ["CUDAExecutionProvider", CPU]

    def without_libraries(*given: Any, providers: list[str], **options: Any) -> Any:
        """What ONNX Runtime does where those of CUDA are missing: it goes on with the processor."""
        return session(*given, providers=[CPU], **options)

    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: known)
    monkeypatch.setattr("onnxruntime.InferenceSession", without_libraries)
    monkeypatch.setenv(PROVIDERS, "CUDAExecutionProvider")
    with pytest.raises(ValueError, match="CUDAExecutionProvider could not be started"):
        match(Net(MATCH))
    assert capfd.readouterr().out == ""
