"""Nets: files of ONNX, run by ONNX Runtime on the processor or on what the environment names."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

PROVIDERS = "HOMUNCULUS_PROVIDERS"
"""The variable that names what nets run on, as ONNX Runtime does, with commas between."""
THREADS = "HOMUNCULUS_THREADS"
"""The variable with the number of threads of a net; one by default."""
MAX_THREADS = 1024
CPU = "CPUExecutionProvider"
VERSION = "2"
"""Of the nets' inputs and outputs; files of another one are refused."""
NO_MEMORY = ("allocate memory", "bad_alloc", "bad allocation")
"""How ONNX Runtime says it: it has no class of errors for it."""


def providers() -> list[str]:
    """What nets run on: the environment's choice, then the processor."""
    import onnxruntime

    chosen = [name.strip() for name in os.environ.get(PROVIDERS, "").split(",") if name.strip()]
    known = onnxruntime.get_available_providers()
    if unknown := [name for name in chosen if name not in known]:
        raise ValueError(
            f"{PROVIDERS}: this ONNX Runtime has no {unknown[0]}. It has {', '.join(known)}; "
            "others come with other builds, such as onnxruntime-gpu."
        )
    return [*dict.fromkeys([*chosen, CPU])]


def on_cpu() -> bool:
    """Whether nets run on the processor alone."""
    return providers() == [CPU]


def threads() -> int:
    """Threads of a net."""
    text = os.environ.get(THREADS) or "1"
    if not (text.isdecimal() and 1 <= int(text[:9]) <= MAX_THREADS):
        raise ValueError(f"{THREADS} must be a whole number from 1 to {MAX_THREADS}, got {text!r}.")
    return int(text)


def check_environment() -> None:
    """Refuse variables that no net could be opened with."""
    providers()
    threads()


class Net:
    """A net of a file, opened when it is first asked; several threads may run it."""

    def __init__(self, path: Path, name: str = "") -> None:
        self.path, self.name = path, name
        """``name`` is what the file should say that it is; any will do without one."""
        self._opening, self._opened = Lock(), None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.name)  # sessions cannot be copied

    @property
    def about(self) -> Mapping[str, str]:
        """What its file says of it: `net`, `version`, `source`, `data` and `licence`."""
        return self._open()[1]

    def __call__(self, **inputs: Any) -> dict[str, NDArray[Any]]:
        """Its outputs by name."""
        session = self._open()[0]
        names = [out.name for out in session.get_outputs()]
        given = {name: np.asarray(value) for name, value in inputs.items()}
        try:
            return dict(zip(names, session.run(names, given), strict=True))
        except Exception as error:  # ONNX Runtime's errors have no common class but this one
            _raise_if_out_of_memory(error)
            raise

    def _open(self) -> tuple[Any, Mapping[str, str]]:
        with self._opening:
            if self._opened is None:
                session = _session(self.path)
                self._opened = session, self._told(session)
            return self._opened

    def _told(self, session: Any) -> Mapping[str, str]:
        """What the file says of itself; one of another net or version is refused."""
        text = session.get_modelmeta().custom_metadata_map.get("homunculus", "{}")
        try:
            about = json.loads(text)
            if about["version"] == VERSION and about["net"] == (self.name or about["net"]):
                return about
        except (ValueError, TypeError, KeyError):
            pass  # it says nothing that we understand
        name = f" ({self.name})" if self.name else ""
        raise ValueError(
            f"{self.path} is no net of version {VERSION} of homunculus{name}, it says "
            f"{text[:200]}. Make it with `homunculus train`."
        )


def _session(path: Path) -> Any:
    """A file as a net that can be run."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads(), 1
    options.log_severity_level = 4  # what is wrong is raised
    # an arena would keep what the largest page needed, for ever: five times the memory
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    on = providers()
    with path.open("rb"):  # Python's own errors tell an absent file from a machine that fails
        pass
    try:  # falling back would print, and go on with other numbers
        session = onnxruntime.InferenceSession(str(path), options, providers=on, enable_fallback=0)
    except Exception as error:
        _raise_if_out_of_memory(error)
        raise ValueError(
            f"{path} cannot be opened as a net: {error}. It should be a file of ONNX, "
            "made by `homunculus train`."
        ) from error
    if missing := [name for name in on if name not in session.get_providers()]:
        raise ValueError(
            f"{PROVIDERS}: {missing[0]} could not be started, perhaps for want of its libraries. "
            f"Install them, or leave {PROVIDERS} out to run on the processor."
        )
    return session


def _raise_if_out_of_memory(error: Exception) -> None:
    """Say it as Python does, so that nobody takes it for a fault of the file or the picture."""
    if any(words in str(error) for words in NO_MEMORY):
        raise MemoryError(f"ONNX Runtime has not enough memory: {error}") from error
