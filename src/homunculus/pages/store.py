"""A store on disk: what was read of pages, by content, for as long as there is room.

One file of SQLite, which processes may share. It holds no pickles. What was used longest ago is
dropped first; a file that is broken, or a disk without room, costs the store and nothing else.
"""

import os
import sqlite3
import time
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock

VARIABLE = "HOMUNCULUS_CACHE"
"""The variable that names the folder of the store, or says `off`."""
FILE = "pages.sqlite"
MAX_BYTES = 512 << 20
"""Bytes of what is kept."""
MAX_VALUE = 32 << 20
"""Bytes of a value, unpacked; a page of 20,000 words has 1 MB."""
CHECK_EVERY = 256
"""Values that are put before the size is looked at."""
TO_KEEP = 0.8
"""The share of the most bytes that is left when values are dropped."""


class Store:
    """Values by key. All calls are safe in threads; no call raises for a bad file."""

    def __init__(self, folder: str | Path, max_bytes: int = MAX_BYTES) -> None:
        self.path, self.max_bytes = Path(folder) / FILE, max_bytes
        self._lock, self._owner, self._puts = Lock(), os.getpid(), 0
        self._base: sqlite3.Connection | None = None
        self._broken = False

    @staticmethod
    def usual() -> "Store | None":
        """The store in the user's cache folder, or where the variable says; None if it is off."""
        place = os.environ.get(VARIABLE, "")
        if place.lower() in ("off", "0", "no", "false"):
            return None
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return _store(str(Path(place) if place else Path(home) / "homunculus"))

    def get(self, key: bytes) -> bytes | None:
        """The value of a key, if it is kept."""
        try:
            with self._lock:
                base = self._open()
                if base is None:
                    return None
                row = base.execute("select value from page where key = ?", (key,)).fetchone()
                if row is None:
                    return None
                base.execute("update page set used = ? where key = ?", (_now(), key))
            unpack = zlib.decompressobj()
            value = unpack.decompress(row[0], MAX_VALUE)
            return value if unpack.eof else None
        except (sqlite3.Error, zlib.error, TypeError):  # whatever stands in a file of that name
            return None

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value."""
        packed = zlib.compress(value, 1)
        try:
            with self._lock:
                base = self._open()
                if base is None or len(packed) > self.max_bytes // 4:
                    return
                base.execute("insert or replace into page values (?, ?, ?)", (key, packed, _now()))
                self._puts += 1
                if self._puts % CHECK_EVERY == 1:
                    self._drop(base)
        except sqlite3.Error:
            return

    def clear(self) -> None:
        """Drop all values."""
        with self._lock, suppress(sqlite3.Error):
            if (base := self._open()) is not None:
                base.execute("delete from page")

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._base is not None and self._owner == os.getpid():
                self._base.close()
            self._base = None

    def _open(self) -> sqlite3.Connection | None:
        if self._owner != os.getpid():  # forked: a connection is its process's own
            self._owner, self._base = os.getpid(), None
        if self._base is None and not self._broken:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._base = _connect(self.path)
            except (sqlite3.Error, OSError):
                self._broken = True
        return self._base

    def _drop(self, base: sqlite3.Connection) -> None:
        """Drop what was used longest ago until there is room."""
        total = base.execute("select coalesce(sum(length(value)), 0) from page").fetchone()[0]
        if total <= self.max_bytes:
            return
        rows = base.execute("select key, length(value) from page order by used").fetchall()
        for key, size in rows:
            if total <= TO_KEEP * self.max_bytes:
                return
            base.execute("delete from page where key = ?", (key,))
            total -= size


def _connect(path: Path) -> sqlite3.Connection:
    base = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
    try:
        base.execute("pragma journal_mode = wal")
        base.execute("pragma synchronous = off")  # a lost value is read again
        base.execute(
            "create table if not exists page (key blob primary key, value blob, used real)"
        )
        path.chmod(0o600)
    except (sqlite3.Error, OSError):
        base.close()
        raise
    return base


@cache
def _store(folder: str) -> Store:
    return Store(folder)


def _now() -> float:
    return time.time()
