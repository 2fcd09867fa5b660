"""Features of pages, kept: on disk for every process, in memory for the last few pages.

A file is named by what it was made from (pixels, weights, settings), so it is never stale. Files
are put in place whole by a rename: readers and writers need no lock, in one process or in many.
"""

import json
import os
import re
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from threading import Lock

import torch
from cachetools import LRUCache
from torch import Tensor

Features = dict[str, Tensor]

ABANDONED = 3600.0
"""Seconds after which an unfinished file belongs to a writer that died."""

_KEY = re.compile(r"[0-9a-f]{64}")
_ENDING, _UNFINISHED = ".safetensors", ".part"


def key(image: Tensor, weights: str, **settings: str | float | int | None) -> str:
    """The name of what an image, a set of weights and their settings make.

    >>> key(torch.zeros(2, 3), "w1", side=1024) == key(torch.zeros(3, 2), "w1", side=1024)
    False
    """
    about = [list(image.shape), str(image.dtype), weights, settings]
    digest = blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=32)
    digest.update(_raw(image))
    return digest.hexdigest()


@dataclass
class Cache:
    """A folder of features, bounded in bytes; what was not used for longest goes first.

    Features are shared with whoever asks next: do not write into them. A file that is cut short,
    altered or not ours counts as absent. A disk that refuses costs time, never the answer.
    """

    folder: Path
    most: int = 2 * 2**30
    """Bytes on disk."""
    near: int = 256 * 2**20
    """Bytes in memory."""
    _memory: LRUCache[str, Features] = field(init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        self.folder = Path(self.folder)
        if self.most < 0 or self.near < 0:
            raise ValueError(
                f"Cache: expected bytes >= 0, got most={self.most} near={self.near}. "
                "0 keeps nothing there."
            )
        self._memory = LRUCache(self.near, _bytes)

    def get(self, key: str) -> Features | None:
        """What is kept under the key, or None."""
        path = self._path(key)
        with self._lock:
            kept = self._memory.get(key)
        if kept is None and self.most:
            kept = _read(path, key, self.most)
            if kept is not None:
                self._remember(key, kept)
        if kept is not None and self.most:
            _touch(path)  # also when memory had it: other processes share the file
        return None if kept is None else dict(kept)

    def put(self, key: str, features: Mapping[str, Tensor]) -> None:
        """Keep features under a key; whatever was there is replaced."""
        path = self._path(key)
        own = {name: tensor.detach().cpu().contiguous() for name, tensor in features.items()}
        self._remember(key, own)
        if not self.most:  # memory only
            return
        content = _packed(key, own)
        if len(content) > self.most:
            return
        try:
            _write(path, content)
            self._sweep()
        except OSError as error:
            warnings.warn(f"the feature cache could not keep a page: {error}", stacklevel=2)

    def of(self, key: str, make: Callable[[], Mapping[str, Tensor]]) -> Features:
        """What is kept under the key; made and kept if it is not there.

        Two at once may both make it; both get the same.
        """
        kept = self.get(key)
        if kept is None:
            kept = {name: tensor.detach() for name, tensor in make().items()}
            self.put(key, kept)
        return kept

    def forget(self) -> None:
        """Let go of what is in memory, so that a clock starts anew; what is on disk stays."""
        with self._lock:
            self._memory.clear()

    def size(self) -> int:
        """Bytes on disk now."""
        return sum(size for _, size, _ in self._files())

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(
                f"Cache: expected a key of 64 hex digits, got {key[:80]!r}. Make it with cache.key."
            )
        return self.folder / key[:2] / key[2:4] / f"{key}{_ENDING}"

    def _remember(self, key: str, features: Features) -> None:
        with self._lock, suppress(ValueError):  # cachetools: larger than all of the memory
            self._memory.pop(key, None)
            self._memory[key] = features

    def _files(self) -> list[tuple[float, int, Path]]:
        """Time of last use, size and path of every file; abandoned ones are removed on the way."""
        found: list[tuple[float, int, Path]] = []
        for path in self.folder.glob("??/??/*"):
            try:
                stat = path.stat()
            except OSError:  # another process was faster
                continue
            if path.name.endswith(_ENDING):
                found.append((stat.st_mtime, stat.st_size, path))
            elif path.name.endswith(_UNFINISHED) and time.time() - stat.st_mtime > ABANDONED:
                _remove(path)
        return found

    def _sweep(self) -> None:
        """Remove what was not used for longest until the rest fits."""
        files = sorted(self._files())
        held = sum(size for _, size, _ in files)
        for _, size, path in files:
            if held <= self.most:
                return
            _remove(path)
            held -= size


# ---- one file ------------------------------------------------------------------------------------


def _packed(key: str, features: Features) -> bytes:
    """The file's content; its header names its key and the sum over all its tensors."""
    library = import_module("safetensors.torch")
    return library.save(features, metadata={"key": key, "sum": str(_sum(features))})


def _read(path: Path, key: str, most: int) -> Features | None:
    """The features of a file that is whole and its key's own; None for any other."""
    library = import_module("safetensors.torch")
    try:
        if path.stat().st_size > most:
            return None
        content = path.read_bytes()
        features: Features = library.load(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    except (OSError, ValueError, import_module("safetensors").SafetensorError):
        return None
    about = header.get("__metadata__", {})
    ours = about.get("key") == key and about.get("sum") == str(_sum(features))
    return features if ours else None


def _write(path: Path, content: bytes) -> None:
    """Put a file in place whole: nobody ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(suffix=_UNFINISHED, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        _remove(Path(name))
        raise


def _touch(path: Path) -> None:
    try:
        os.utime(path)
    except OSError:  # gone, or not ours to touch: it was read all the same
        return


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # in use or not ours: the next sweep tries again
        return


def _raw(tensor: Tensor) -> memoryview:
    """The bytes of a tensor, in the order of its axes."""
    return tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data


def _sum(features: Features) -> int:
    """A checksum over names, shapes, types and values."""
    total = 0
    for name in sorted(features):
        tensor = features[name]
        total = zlib.crc32(f"{name} {tensor.dtype} {list(tensor.shape)}".encode(), total)
        total = zlib.crc32(_raw(tensor), total)
    return total


def _bytes(features: Features) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in features.values())
