"""Nets: files of ONNX, run by ONNX Runtime on the processor or on what the environment names."""

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PROVIDERS = "HOMUNCULUS_PROVIDERS"
"""The variable that names what nets run on, as ONNX Runtime does, with commas between."""
THREADS = "HOMUNCULUS_THREADS"
"""The variable with the number of threads of a net; one by default."""
CPU = "CPUExecutionProvider"
VERSION = "2"
"""Of the nets' inputs and outputs; files of another one are refused."""


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
    text = os.environ.get(THREADS, "1")
    if not text.isdecimal() or not int(text):
        raise ValueError(f"{THREADS} must be a whole number of 1 or more, got {text!r}.")
    return int(text)


class Net:
    """A net of a file, opened when it is first asked; several threads may run it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path,)  # sessions cannot be copied

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads(), 1
        options.log_severity_level = 4  # what is wrong is raised
        # an arena would keep what the largest page needed, for ever: five times the memory
        options.enable_cpu_mem_arena = options.enable_mem_pattern = False
        on = providers()
        try:
            return onnxruntime.InferenceSession(str(self.path), options, providers=on)
        except Exception as error:  # ONNX Runtime's errors have no common class but this one
            raise ValueError(
                f"{self.path} cannot be opened as a net: {error}. It should be a file of ONNX, "
                "made by `homunculus train`."
            ) from error

    @cached_property
    def about(self) -> Mapping[str, str]:
        """What its file says of it: `net`, `version`, `source`, `data` and `licence`."""
        told = self._session.get_modelmeta().custom_metadata_map.get("homunculus", "{}")
        about = json.loads(told)
        if about.get("version") != VERSION:
            raise ValueError(
                f"{self.path} is no net of version {VERSION} of homunculus, it says {told[:200]}. "
                "Make it with `homunculus train`."
            )
        return about

    @cached_property
    def _names(self) -> list[str]:
        return [out.name for out in self._session.get_outputs()]

    def __call__(self, **inputs: Any) -> dict[str, NDArray[Any]]:
        """Its outputs by name."""
        given = {name: np.asarray(value) for name, value in inputs.items()}
        return dict(zip(self._names, self._session.run(self._names, given), strict=True))
